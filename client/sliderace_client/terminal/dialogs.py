"""Small windows over a page: help, code and QR, rules."""

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any, NamedTuple, TypeVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.events import Click, Key
from textual.screen import ModalScreen

from sliderace.protocol.messages import RulesPatch, Settings
from sliderace.protocol.room_code import format_code
from sliderace.race.rules import Rules, changed, default_limit_ms
from sliderace_client.render import Look, Paint, Row, Run, big_text
from sliderace_client.settings import Settings as Likes
from sliderace_client.terminal.actions import Action, key_rows, match
from sliderace_client.terminal.codes import qr_lines
from sliderace_client.terminal.panels import fitted, line, minutes
from sliderace_client.terminal.widgets import Lines

__all__ = ["CodeDialog", "Dialog", "HelpDialog", "RulesDialog", "code_rows"]

HELP = (
    ("arrows, wasd, hjkl", "slide: the tile beside the gap travels that way"),
    ("click a tile", "in the gap's row or column: it and all between slide"),
    ("f", "give up (asks first; u undoes it for 3 seconds)"),
    ("v, n", "other boards, more boards (as a spectator, or when done)"),
    ("r", "ready; after the race: rematch"),
    ("s", "start (host); after the race: save the race record"),
    ("e, x", "rules, lock (host)"),
    ("up, down", "choose somebody: k kick, b bench, o make host"),
    ("c", "the code, the link and the QR"),
    ("q", "leave for good (asks first)"),
    ("Ctrl-C", "end the program; the seat is kept for a while"),
)


class Dialog(ModalScreen[None]):
    """A framed window; Escape, its own keys and a click beside it close it."""

    DEFAULT_CSS = """
    Dialog { align: center middle; }
    Dialog > Vertical {
        width: auto; height: auto; max-width: 100%; max-height: 100%;
        background: $surface; border: round $accent; padding: 0 1;
    }
    Dialog Lines { width: auto; background: $surface; }
    """

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.look = look
        self._places: list[tuple[int, int, int]] = []
        self._text = Lines(id="text", on_pick=self.pick)
        self._keys = Lines(id="keys", on_pick=self._pick_key)

    def rows(self) -> list[Row]:
        """What the window says."""
        return []

    def actions(self) -> list[Action]:
        """What can be done in it."""
        return [Action("esc", "close", self.close, ("escape", "enter", "q", "?", "c"))]

    def close(self) -> None:
        """Take the window away."""
        self.dismiss(None)

    def compose(self) -> ComposeResult:  # noqa: D102
        with Vertical():
            yield self._text
            yield self._keys

    def on_mount(self) -> None:  # noqa: D102
        self.update()

    def update(self) -> None:
        """Show the window as it is now."""
        self._text.show(self.rows())
        width = max(20, self.size.width - 6)
        rows, self._places = key_rows(self.actions(), self.look, width)
        self._keys.show([line(""), *rows])

    def pick(self, y: int, x: int) -> None:
        """A click into the text."""

    def _pick_key(self, y: int, x: int) -> None:
        for action, (row, first, end) in zip(self.actions(), self._places, strict=True):
            if row + 1 == y and first <= x < end:
                action.run()
                return

    def on_key(self, event: Key) -> None:
        """Textual calls the handler of every base class: override `press`."""
        event.stop()
        printed = event.character if event.is_printable else None
        self.press(printed or event.key)

    def press(self, key: str) -> None:
        """Do what a key stands for."""
        action = match(self.actions(), key)
        if action is not None:
            action.run()

    def on_click(self, event: Click) -> None:  # noqa: D102
        if event.widget is self:
            self.close()


class HelpDialog(Dialog):
    """All keys, and what they mean."""

    def rows(self) -> list[Row]:  # noqa: D102
        look, room = self.look, min(76, self.size.width - 6)
        if room < 70:  # each key on a row of its own
            rows: list[Row] = []
            for keys, text in HELP:
                rows.append(line(fitted(keys, room), look.accent, bold=True))
                rows.append(line(fitted(f"  {text}", room), look.ink))
            return rows[: self.size.height - 4]
        return [
            (
                Run(fitted(keys, 19), Paint(look.accent, bold=True)),
                Run(fitted(text, room - 19), Paint(look.ink)),
            )
            for keys, text in HELP
        ]


def code_rows(
    code: str, links: Sequence[str], look: Look, size: tuple[int, int]
) -> list[Row]:
    """Code, links and QR, as much as fits into `size` columns and rows."""
    width, height = size
    rows = [line(row, look.accent, bold=True) for row in big_text(format_code(code))]
    rows += [line(f"sliderace join {format_code(code)}", look.ink)]
    rows += [line(fitted(link, width), look.ink) for link in links]
    if links:
        qr = qr_lines(links[0])
        if len(rows) + len(qr) <= height and len(qr[0][0].text) <= width:
            rows += qr
        elif len(qr) <= height:
            rows = [*qr]
    return rows[:height]


class CodeDialog(Dialog):
    """The room's code, large, with its links and a QR."""

    def __init__(self, look: Look, code: str, links: Sequence[str]) -> None:
        super().__init__(look)
        self._code = code
        self._links = tuple(links)

    def rows(self) -> list[Row]:  # noqa: D102
        width, height = self.size
        return code_rows(self._code, self._links, self.look, (width - 4, height - 4))


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
)


def value_text(field: str, value: object, rules: Rules) -> str:
    """A value of a rule in words."""
    match field, value:
        case "open_boards", bool(shown):
            return "open to racers" if shown else "hidden from racers"
        case "start", str(way):
            return "when all are ready" if way == "ready" else "only by the host"
        case "limit_ms", -1:
            return f"by size ({minutes(default_limit_ms(rules.width, rules.height))})"
        case "limit_ms", 0:
            return "none"
        case "grace_ms", -1:
            return "3 x the winner's time"
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

    def rows(self) -> list[Row]:
        title = line(self._title, self.look.ink, bold=True)
        rows = [self._line(index, *pair) for index, pair in enumerate(self.pairs())]
        return [title, line(""), *rows]

    def _line(self, index: int, label: str, value: str) -> Row:
        look, chosen = self.look, index == self._row
        mark = Paint(look.accent if chosen else look.soft, bold=chosen)
        return (
            Run("▸ " if chosen else "  ", mark),
            Run(fitted(label, LABEL_W), Paint(look.soft)),
            Run(" ◂ ", mark),
            Run(fitted(value, 22), Paint(look.ink, bold=chosen)),
            Run("▸", mark),
        )

    def actions(self) -> list[Action]:
        return [
            Action("↑↓", "choose", lambda: self._move(1), ("down",)),
            Action("←→", "change", lambda: self._step(1), ("right", " ")),
            Action("enter", "apply", self._apply),
            Action("esc", "cancel", self.close, ("escape", "q")),
        ]

    def press(self, key: str) -> None:
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

    def pick(self, y: int, x: int) -> None:
        row = y - 2  # a title and a blank row come first
        if 0 <= row < len(self.pairs()):
            self._row = row
            self._step(-1 if x < LABEL_W + 5 else 1)

    def _apply(self) -> None:
        self.apply()
        self.close()


LABEL_W = 11


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
        room = "public: on the list" if self._public else "private: by code only"
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
        self._fields = [each for each in fields(Likes) if "choices" in each.metadata]

    def pairs(self) -> list[tuple[str, str]]:
        return [
            (LABELS.get(each.name, each.name), self._value(each.name))
            for each in self._fields
        ]

    def _value(self, name: str) -> str:
        value: str = getattr(self._likes, name)
        return VALUES.get(value, value)

    def change(self, row: int, step: int) -> None:
        each = self._fields[row]
        now: str = getattr(self._likes, each.name)
        new = following(each.metadata["choices"], now, step)
        self._likes = replace(self._likes, **{each.name: new})

    def apply(self) -> None:
        self._use(self._likes)


LABELS = {"keys": "Arrows", "color": "Colours", "theme": "Ground"}
VALUES = {"tile": "the tile goes that way", "gap": "the gap goes that way"}
