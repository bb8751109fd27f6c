"""Windows of choices: the rules of the next race, and what the user likes."""

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from sliderace.protocol.messages import RulesPatch, Settings
from sliderace.race.rules import Rules, changed, default_limit_ms
from sliderace_client.shared_ui.pictures import BUILT_IN
from sliderace_client.shared_ui.render import Look, Paint, Row, Run
from sliderace_client.shared_ui.settings import Settings as Likes
from sliderace_client.tui.actions import Action
from sliderace_client.tui.dialogs.dialog import Dialog
from sliderace_client.tui.dialogs.forms import KeysForm, ServerForm
from sliderace_client.tui.rows import fitted, line, minutes
from sliderace_client.tui.screens.menu import Form

__all__ = ["ChoiceDialog", "RulesDialog", "SettingsDialog"]

T = TypeVar("T")


class Choice(NamedTuple):
    """One rule and the values it may be set to here; the wire allows more."""

    label: str
    field: str
    values: tuple[Any, ...]


SIZES = tuple(f"{n}x{n}" for n in range(3, 11))
CHOICES = (
    Choice("Board", "size", SIZES),
    Choice(
        "Time limit", "limit_ms", (-1, 0, 60_000, 120_000, 300_000, 600_000, 1_800_000)
    ),
    Choice("Boards", "open_boards", (False, True)),
    Choice("Countdown", "countdown_ms", (3_000, 5_000, 10_000, 20_000)),
    Choice("Inspection", "inspection_ms", (0, 3_000, 5_000, 10_000, 15_000)),
    Choice("Start", "start", ("ready", "host")),
    Choice("Grace", "grace_ms", (-1, 0, 30_000, 60_000, 300_000)),
    Choice("Away", "away_ms", (30_000, 60_000, 120_000, 300_000)),
    Choice("Spectators", "spectator_delay_ms", (0, 10_000, 30_000, 60_000)),
    Choice("Timing", "friendly_timing", (False, True)),
)


def value_text(field: str, value: object, rules: Rules) -> str:
    """A value of a rule in words."""
    match field, value:
        case "open_boards", bool(shown):
            return "open to racers" if shown else "hidden from racers"
        case "friendly_timing", bool(friendly):
            return "friendly, +100 ms" if friendly else "strict"
        case "start", str(way):
            return "when all are ready" if way == "ready" else "only by the host"
        case "limit_ms", -1:
            return f"by size ({minutes(default_limit_ms(rules.width, rules.height))})"
        case "limit_ms", 0:
            return "none"
        case "grace_ms", -1:
            return "3 x winner's time"
        case "spectator_delay_ms", 0:
            return "see boards live"
        case "spectator_delay_ms", int(ms):
            return f"{minutes(ms)} behind"
        case _, 0:
            return "none"
        case _, int(ms):
            return minutes(ms)
        case _:
            return str(value)


class ChoiceDialog(Dialog):
    """Lines of choices; up and down choose a line, left and right change it.

    Args:
        look: colours.
        title: the first line.
    """

    def __init__(self, look: Look, title: str) -> None:
        super().__init__(look)
        self._title = title
        self._row = 0

    def pairs(self) -> list[tuple[str, str]]:
        """Label and present value of each line."""
        return []

    def change(self, row: int, step: int) -> None:
        """Take the next value in a line, or (step -1) the one before."""

    def apply(self) -> None:
        """Use what was chosen."""

    def rows(self) -> list[Row]:  # noqa: D102
        title = [line(self._title, self.look.ink, bold=True)]
        rows = [self._line(index, *pair) for index, pair in enumerate(self.pairs())]
        return [*title[: self._titles], *rows]

    @property
    def _titles(self) -> int:
        """Rows of the title; none where the choices would not all be seen with it."""
        return int(self.space[1] >= 1 + len(self.pairs()) + KEY_ROWS)

    def _line(self, index: int, label: str, value: str) -> Row:
        look, chosen = self.look, index == self._row
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
            Action("↑↓", "choose", lambda: self._move(1), ("down",)),
            Action("←→", "change", lambda: self._step(1), ("right", " ")),
            Action("enter", "apply", self._apply),
            Action("esc", "cancel", self.close, ("escape", "q")),
        ]

    def press(self, key: str) -> None:  # noqa: D102
        if key == "up":
            self._move(-1)
        elif key == "left":
            self._step(-1)
        else:
            super().press(key)

    def _move(self, step: int) -> None:
        self._row = (self._row + step) % len(self.pairs())
        self.update()

    def _step(self, step: int) -> None:
        self.change(self._row, step)
        self.update()

    def pick(self, y: int, x: int) -> None:  # noqa: D102
        row = y - self._titles
        if 0 <= row < len(self.pairs()):
            self._row = row
            self._step(-1 if x < LABEL_W + 5 else 1)

    def _apply(self) -> None:
        self.apply()
        self.close()


KEY_ROWS = 2
"""Of a window of choices in 40 columns."""
LABEL_W, VALUE_W = 10, 19
"""So that a line fits a frame in 40 columns."""


class RulesDialog(ChoiceDialog):
    """The host changes the rules; they are sent together.

    Args:
        look: colours.
        rules: as they are.
        public: whether the room is listed.
        send: takes the changes.
    """

    def __init__(
        self,
        look: Look,
        rules: Rules,
        public: bool,
        send: Callable[[Settings], object],
    ) -> None:
        super().__init__(look, "The rules of the next race")
        self._old, self._rules = rules, rules
        self._was_public, self._public = public, public
        self._send = send

    def pairs(self) -> list[tuple[str, str]]:  # noqa: D102
        rules = self._rules
        room = "public (listed)" if self._public else "private (by code)"
        return [
            *(
                (name, value_text(field, getattr(rules, field), rules))
                for name, field, _ in CHOICES
            ),
            ("Room", room),
        ]

    def change(self, row: int, step: int) -> None:  # noqa: D102
        if row == len(CHOICES):
            self._public = not self._public
            return
        _, field, values = CHOICES[row]
        new = following(values, getattr(self._rules, field), step)
        self._rules = changed(self._rules, RulesPatch(**{field: new}))

    def apply(self) -> None:  # noqa: D102
        old, new = self._old, self._rules
        patch = {
            field: getattr(new, field)
            for _, field, _ in CHOICES
            if getattr(new, field) != getattr(old, field)
        }
        public = self._public if self._public != self._was_public else None
        if patch or public is not None:
            self._send(Settings(rules=RulesPatch(**patch), public=public))


def following(values: Sequence[T], value: T, step: int) -> T:
    """The value after (or before) this one; the first where it is none of them."""
    at = values.index(value) if value in values else -1
    return values[(at + step) % len(values)]


class SettingsDialog(ChoiceDialog):
    """What the user likes.

    Args:
        look: colours.
        settings: as they are.
        use: takes the new ones.
    """

    def __init__(
        self, look: Look, settings: Likes, use: Callable[[Likes], object]
    ) -> None:
        super().__init__(look, "Settings")
        self._likes = settings
        self._use = use
        pictures = dict.fromkeys(("none", *BUILT_IN, settings.picture))
        self._choices: dict[str, tuple[str, ...]] = {
            each.name: each.metadata.get("choices", tuple(pictures))
            for each in fields(Likes)
            if each.name in LABELS
        }

    def pairs(self) -> list[tuple[str, str]]:  # noqa: D102
        return [(LABELS[name], self._value(name)) for name in self._choices]

    def _value(self, name: str) -> str:
        value: str = getattr(self._likes, name)
        return VALUES.get(name, {}).get(value, Path(value).name)

    def change(self, row: int, step: int) -> None:  # noqa: D102
        name, values = list(self._choices.items())[row]
        new = following(values, getattr(self._likes, name), step)
        self._likes = replace(self._likes, **{name: new})

    def apply(self) -> None:  # noqa: D102
        self._use(self._likes)

    def actions(self) -> list[Action]:  # noqa: D102
        *first, cancel = super().actions()
        return [
            *first,
            Action("k", "own keys", lambda: self._then(KeysForm())),
            Action("s", "server", lambda: self._then(ServerForm())),
            cancel,
        ]

    def _then(self, form: Form) -> None:
        """Use what was chosen so far, and go on with a form."""
        self._apply()
        self.app.push_screen(form)  # pyright: ignore[reportUnknownMemberType] - theirs


LABELS = {
    "keys": "Keys",
    "color": "Colours",
    "theme": "Ground",
    "tiles": "Tiles",
    "picture": "Picture",
    "hover": "Pointer",
    "auto_ready": "Ready",
}
VALUES = {
    "keys": {"tile": "move the tile", "gap": "move the gap"},
    "tiles": {
        "fringe": "coloured by layer",
        "rows": "coloured by row",
        "mono": "all one colour",
    },
    "picture": {"none": "none: numbers", "hills": "hills at dusk"},
    "hover": {"off": "slides by click", "on": "slides by hovering"},
    "auto_ready": {"off": "when I say so", "on": "always at once"},
}
