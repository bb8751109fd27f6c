"""Dialogs of choices: the rules of the next race, and the user's settings."""

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from sliderace.engine import Size
from sliderace.engine.board import MAX_SIDE, MIN_SIDE
from sliderace.protocol.messages import (
    RulesPatch,
    Settings as RoomSettings,
)
from sliderace.race.rules import Rules, changed, default_limit_ms
from sliderace.texts import text
from sliderace_client.shared_ui.pictures import BUILT_IN
from sliderace_client.shared_ui.render import Look, Paint, Row, Run
from sliderace_client.shared_ui.settings import Settings
from sliderace_client.tui.actions import Action, key_rows
from sliderace_client.tui.dialogs.dialog import Dialog
from sliderace_client.tui.rows import fitted, period_text, text_row

__all__ = ["ChoiceDialog", "RulesDialog", "SettingsDialog"]

T = TypeVar("T")

LABEL_W, VALUE_W = 10, 19
"""With these widths, a choice fits a dialog in 40 columns."""


class ChoiceDialog(Dialog):
    """Rows of choices; up and down move the cursor, left and right change a value.

    Args:
        look: colours.
        title: the first row.
    """

    def __init__(self, look: Look, title: str) -> None:
        super().__init__(look)
        self._title = title
        self._chosen = 0

    def pairs(self) -> list[tuple[str, str]]:
        """Return label and current value of each choice."""
        return []

    def change(self, row: int, step: int) -> None:
        """Take the next value of a choice, or the previous one (step -1)."""

    def apply(self) -> None:
        """Apply the choices."""

    def rows(self) -> list[Row]:  # noqa: D102
        title = [text_row(self._title, self.look.ink, bold=True)]
        choices = [self._row(index, *pair) for index, pair in enumerate(self.pairs())]
        shown = choices[self._first :][: self._fit]
        return [*title[: self._title_rows], *shown]

    @property
    def _fit(self) -> int:
        """How many rows there are above the keys."""
        width, height = self.space
        return max(1, height - len(key_rows(self.actions(), self.look, width)[0]))

    @property
    def _first(self) -> int:
        """The first choice that is shown: the chosen one is always visible."""
        most = max(0, len(self.pairs()) - self._fit)
        return min(most, max(0, self._chosen - self._fit // 2))

    @property
    def _title_rows(self) -> int:
        """Rows of the title; 0 if not all choices would fit with it."""
        return int(self._fit >= 1 + len(self.pairs()))

    def _row(self, index: int, label: str, value: str) -> Row:
        look, chosen = self.look, index == self._chosen
        mark = Paint(look.accent if chosen else look.soft, bold=chosen)
        return (
            Run("▸ " if chosen else "  ", mark),
            Run(fitted(label, LABEL_W), Paint(look.soft)),
            Run(" ◂ ", mark),
            Run(fitted(value, VALUE_W), Paint(look.ink, bold=chosen)),
            Run("▸", mark),
        )

    def actions(self) -> list[Action]:  # noqa: D102
        return [
            Action("↑↓", text("tui.key.choose"), lambda: self._move(1), ("down",)),
            Action(
                "←→", text("tui.key.change"), lambda: self._change(1), ("right", " ")
            ),
            Action("enter", text("tui.key.apply"), self._apply),
            Action("esc", text("tui.key.cancel"), self.close, ("escape", "q")),
        ]

    def press(self, key: str) -> None:  # noqa: D102
        if key == "up":
            self._move(-1)
        elif key == "left":
            self._change(-1)
        else:
            super().press(key)

    def _move(self, step: int) -> None:
        self._chosen = (self._chosen + step) % len(self.pairs())
        self.update()

    def _change(self, step: int) -> None:
        self.change(self._chosen, step)
        self.update()

    def on_row_click(self, y: int, x: int) -> None:  # noqa: D102
        row = self._first + y - self._title_rows
        if 0 <= row < len(self.pairs()):
            self._chosen = row
            self._change(-1 if x < LABEL_W + 5 else 1)

    def _apply(self) -> None:
        self.apply()
        self.close()


def following(values: Sequence[T], value: T, step: int) -> T:
    """Return the next value, or the previous one (step -1), in a circle.

    If the value is not among them, return the first.
    """
    at = values.index(value) if value in values else -1
    return values[(at + step) % len(values)]


# --- Rules ----------------------------------------------------------------------------


class Choice(NamedTuple):
    """One rule, and the values that the dialog offers; the protocol allows more.

    Attributes:
        label: key of its label.
        field: of `Rules`.
        values: in order; empty: see `RulesDialog`.
    """

    label: str
    field: str
    values: tuple[Any, ...]


SIDES = range(MIN_SIDE, MAX_SIDE + 1)
SQUARES = tuple(Size(side, side) for side in SIDES)
CHOICES = (
    Choice("tui.rules.label.size", "size", ()),
    Choice(
        "tui.rules.label.limit",
        "limit_ms",
        (-1, 0, 60_000, 120_000, 300_000, 600_000, 1_800_000),
    ),
    Choice("tui.rules.label.boards", "open_boards", (False, True)),
    Choice("tui.rules.label.countdown", "countdown_ms", (3_000, 5_000, 10_000, 20_000)),
    Choice(
        "tui.rules.label.inspection",
        "inspection_ms",
        (0, 3_000, 5_000, 10_000, 15_000),
    ),
    Choice("tui.rules.label.start", "start", ("ready", "host")),
    Choice("tui.rules.label.grace", "grace_ms", (-1, 0, 30_000, 60_000, 300_000)),
    Choice("tui.rules.label.away", "away_ms", (30_000, 60_000, 120_000, 300_000)),
    Choice(
        "tui.rules.label.spectators", "spectator_delay_ms", (0, 10_000, 30_000, 60_000)
    ),
    Choice("tui.rules.label.timing", "friendly_timing", (False, True)),
)


def _rule_text(field: str, value: object, rules: Rules) -> str:
    """Return the value of a rule in words."""
    match field, value:
        case "open_boards", bool(shown):
            return text("tui.rules.boards_open" if shown else "tui.rules.boards_hidden")
        case "friendly_timing", bool(friendly):
            return text(
                "tui.rules.timing_friendly" if friendly else "tui.rules.timing_strict"
            )
        case "start", "ready":
            return text("tui.rules.start_ready")
        case "start", "host":
            return text("tui.rules.start_host")
        case "start", "every":
            return text("tui.rules.start_every", period=period_text(rules.every_ms))
        case "limit_ms", -1:
            limit = period_text(default_limit_ms(rules.width, rules.height))
            return text("tui.rules.limit_by_size", period=limit)
        case "grace_ms", -1:
            return text("tui.rules.grace_default")
        case "spectator_delay_ms", 0:
            return text("tui.rules.spectators_live")
        case "spectator_delay_ms", int(ms):
            return text("tui.rules.spectators_delayed", period=period_text(ms))
        case _, 0:
            return text("tui.rules.none")
        case _, int(ms):
            return period_text(ms)
        case _:
            return str(value)


class RulesDialog(ChoiceDialog):
    """The host changes the rules; all changes are sent together.

    The arrow keys offer square boards, and the last board that is not square. Two keys
    change width and height alone.

    Args:
        look: colours.
        rules: the current ones.
        public: whether the room is listed.
        send: sends the changes.
    """

    def __init__(
        self,
        look: Look,
        rules: Rules,
        public: bool,
        send: Callable[[RoomSettings], object],
    ) -> None:
        super().__init__(look, text("tui.rules.title"))
        self._old_rules, self._rules = rules, rules
        self._oblong = Size(rules.width, rules.height)
        self._was_public, self._public = public, public
        self._send = send

    def pairs(self) -> list[tuple[str, str]]:  # noqa: D102
        rules = self._rules
        room = text("tui.rules.public" if self._public else "tui.rules.private")
        return [
            *(
                (text(label), _rule_text(field, getattr(rules, field), rules))
                for label, field, _ in CHOICES
            ),
            (text("tui.rules.label.room"), room),
        ]

    def change(self, row: int, step: int) -> None:  # noqa: D102
        if row == len(CHOICES):
            self._public = not self._public
            return
        _, field, values = CHOICES[row]
        if field == "size":
            self._use_size(following(self._sizes(), self._board_size, step))
            return
        new = following(values, getattr(self._rules, field), step)
        self._rules = changed(self._rules, RulesPatch(**{field: new}))

    @property
    def _board_size(self) -> Size:
        return Size(self._rules.width, self._rules.height)

    def _sizes(self) -> list[Size]:
        """Return the sizes that the arrow keys offer, the smallest first."""
        offered = dict.fromkeys((*SQUARES, self._oblong))
        return sorted(offered, key=lambda size: size.cells)

    def _use_size(self, size: Size) -> None:
        self._rules = changed(self._rules, RulesPatch(size=str(size)))

    def _change_side(self, side: str) -> None:
        """Take the next width or height."""
        longer = following(SIDES, getattr(self._board_size, side), 1)
        self._oblong = self._board_size._replace(**{side: longer})
        self._use_size(self._oblong)
        self._chosen = 0
        self.update()

    def actions(self) -> list[Action]:  # noqa: D102
        return [
            *super().actions(),
            Action("w", text("tui.key.width"), lambda: self._change_side("width")),
            Action("h", text("tui.key.height"), lambda: self._change_side("height")),
        ]

    def apply(self) -> None:  # noqa: D102
        old, new = self._old_rules, self._rules
        patch = {
            field: getattr(new, field)
            for _, field, _ in CHOICES
            if getattr(new, field) != getattr(old, field)
        }
        public = self._public if self._public != self._was_public else None
        if patch or public is not None:
            self._send(RoomSettings(rules=RulesPatch(**patch), public=public))


# --- Settings -------------------------------------------------------------------------

SETTING_LABELS = {
    "keys": "tui.settings.label.keys",
    "color": "tui.settings.label.color",
    "theme": "tui.settings.label.theme",
    "tiles": "tui.settings.label.tiles",
    "picture": "tui.settings.label.picture",
    "hover": "tui.settings.label.hover",
    "reactions": "tui.settings.label.reactions",
    "pace": "tui.settings.label.pace",
}
SETTING_VALUES = {
    ("keys", "tile"): "tui.settings.keys_tile",
    ("keys", "gap"): "tui.settings.keys_gap",
    ("color", "auto"): "tui.settings.auto",
    ("color", "always"): "tui.settings.color_always",
    ("color", "never"): "tui.settings.color_never",
    ("theme", "auto"): "tui.settings.auto",
    ("theme", "dark"): "tui.settings.theme_dark",
    ("theme", "light"): "tui.settings.theme_light",
    ("tiles", "fringe"): "tui.settings.tiles_layers",
    ("tiles", "rows"): "tui.settings.tiles_rows",
    ("tiles", "mono"): "tui.settings.tiles_mono",
    ("picture", "none"): "tui.settings.picture_none",
    ("hover", "off"): "tui.settings.hover_off",
    ("hover", "on"): "tui.settings.hover_on",
    ("pace", "on"): "tui.settings.pace_on",
    ("pace", "off"): "tui.settings.pace_off",
    ("reactions", "on"): "tui.settings.reactions_on",
    ("reactions", "off"): "tui.settings.reactions_off",
}


class SettingsDialog(ChoiceDialog):
    """The user's settings.

    Args:
        look: colours.
        settings: the current ones.
        use: applies the new ones.
        edit_name: opens the form of the nickname.
        edit_keys: opens the form of own keys.
        edit_server: opens the form of the server.
    """

    def __init__(
        self,
        look: Look,
        settings: Settings,
        use: Callable[[Settings], object],
        edit_name: Callable[[], object],
        edit_keys: Callable[[], object],
        edit_server: Callable[[], object],
    ) -> None:
        super().__init__(look, text("tui.settings.title"))
        self._settings = settings
        self._use = use
        self._edit_name = edit_name
        self._edit_keys, self._edit_server = edit_keys, edit_server
        pictures = dict.fromkeys(("none", *BUILT_IN, settings.picture))
        self._choices: dict[str, tuple[str, ...]] = {
            each.name: each.metadata.get("choices", tuple(pictures))
            for each in fields(Settings)
            if each.name in SETTING_LABELS
        }

    def pairs(self) -> list[tuple[str, str]]:  # noqa: D102
        return [
            (text(SETTING_LABELS[name]), self._value(name)) for name in self._choices
        ]

    def _value(self, name: str) -> str:
        value: str = getattr(self._settings, name)
        key = SETTING_VALUES.get((name, value))
        return Path(value).name if key is None else text(key)

    def change(self, row: int, step: int) -> None:  # noqa: D102
        name, values = list(self._choices.items())[row]
        new = following(values, getattr(self._settings, name), step)
        self._settings = replace(self._settings, **{name: new})

    def apply(self) -> None:  # noqa: D102
        self._use(self._settings)

    def actions(self) -> list[Action]:  # noqa: D102
        *first, cancel = super().actions()
        keys, server = text("tui.key.own_keys"), text("tui.key.server")
        return [
            *first,
            Action("n", text("tui.key.name"), lambda: self._apply_and(self._edit_name)),
            Action("k", keys, lambda: self._apply_and(self._edit_keys)),
            Action("s", server, lambda: self._apply_and(self._edit_server)),
            cancel,
        ]

    def _apply_and(self, then: Callable[[], object]) -> None:
        self._apply()
        then()
