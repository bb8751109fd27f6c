"""Small windows over a page: their frame, the help, the code with its QR."""

from collections.abc import Sequence
from textwrap import wrap
from typing import Literal

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.events import Click, Key
from textual.screen import ModalScreen

from sliderace.protocol.room_code import format_code
from sliderace_client.net.locate import join_command
from sliderace_client.shared_ui.render import Look, Paint, Row, Run, big_text
from sliderace_client.tui.actions import Action, Places, key_rows, match, under
from sliderace_client.tui.blocking_calls import only_here
from sliderace_client.tui.qr import qr_lines
from sliderace_client.tui.rows import fitted, line
from sliderace_client.tui.widgets import Lines

__all__ = [
    "CodeDialog",
    "Dialog",
    "HelpDialog",
    "Topic",
    "code_rows",
    "command_for",
]

Topic = Literal["menu", "solo", "room", "results"]

SLIDING = (
    ("arrows, wasd, hjkl", "slide: the tile beside the gap travels that way"),
    ("click a tile", "in the gap's row or column: it and all between slide"),
    ("7, 12", "a number slides that tile, as a click does"),
    ("i, m", "a picture instead of numbers; numbers on it"),
)
MENU = (
    ("up, down, enter", "choose"),
    ("h", "host: open a room for friends"),
    ("j, w", "join or watch a room by its code or link"),
    ("s", "solo: play alone"),
    ("r", "results of past races"),
    ("p", "a picture on the tiles instead of numbers"),
    ("e", "settings: own keys, colours, pointer, always ready, server"),
    ("q", "quit"),
)
SOLO = (
    *SLIDING,
    ("n, enter", "a new board"),
    ("r", "this board again, from its start"),
    ("+, -", "a larger or smaller board"),
    ("q", "quit"),
)
RESULTS = (
    ("moves", "tiles moved"),
    ("TPS", "tiles moved per second"),
    ("MTM", "moves, a run in one direction counted as one"),
    ("solve", "from the first slide to the last, on one's own clock"),
    ("credit", "travel time of the last slide, taken off the time"),
    ("≈, †", "photo finish; credit for a failure of the server"),
    ("↓", "more racers, where not all have room; one's own stays"),
    ("r", "rematch: everybody goes on to the next race"),
    ("t, escape", "back to the lobby, once the next race is prepared"),
    ("s", "save the race record; sliderace verify checks it"),
    ("g", "what the solves look like (host)"),
    ("q", "leave for good (asks first)"),
    ("Ctrl-C", "end the program; the seat is kept for a while"),
)
ROOM = (
    *SLIDING,
    ("f", "give up (asks first; u undoes it for 3 seconds)"),
    ("v, n", "other boards, more boards (as a spectator, or when done)"),
    ("l, p, a", "watching: follow the leader, stay with this one, all"),
    ("←, →, click", "watching: the racer before or after; the one clicked"),
    ("r, a", "ready; ready for every race; after a race: r is rematch"),
    ("w", "warm up on a board of your own until the race begins"),
    ("s", "start (host); after the race: save the race record"),
    ("e, x", "rules, lock (host); in a race: end it now, call it off"),
    ("up, down", "choose somebody: k kick, b bench, o make host"),
    ("c", "the code, the link and the QR"),
    ("23±4 ms", "the line: its round trip, and how much that wavers"),
    ("1?", "a place that may still be lost"),
    ("●  ◐  ↯", "connection: good; late (◐3: 3 slides on the way); lost"),
    ("42% -7", "best progress so far; percent points behind the leader"),
    ("(-12 ms)", "credit: travel time of the last slide, taken off the time"),
    ("q", "leave for good (asks first)"),
    ("Ctrl-C", "end the program; the seat is kept for a while"),
)


class Dialog(ModalScreen[None]):
    """A framed window; Escape, its own keys and a click beside it close it.

    Attributes:
        shown: what can be done, as its keys are shown.
    """

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
        self.top = 0
        self._places: Places = []
        self.shown: list[Action] = []
        self._text = Lines(id="text", on_pick=self._pick_row)
        self._keys = Lines(id="keys", on_pick=self._pick_key)

    @property
    def space(self) -> tuple[int, int]:
        """Columns and rows inside the frame."""
        return max(1, self.size.width - 4), max(1, self.size.height - 2)

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

    def on_resize(self) -> None:  # noqa: D102
        self.update()

    def update(self) -> None:
        """Show the window as it is now; what does not fit is a key away."""
        (width, height), rows = self.space, self.rows()
        self.shown = self.actions()
        keys, self._places = key_rows(self.shown, self.look, width)
        visible = max(1, height - len(keys))
        if len(rows) > visible:
            more = Action("↓", "more", lambda: self._scroll(visible), ("down", " "))
            back = Action("↑", "back", lambda: self._scroll(-visible), ("up",))
            # With both keys, so that every page has as many rows.
            keys, _ = key_rows([more, back, *self.shown], self.look, width)
            visible = max(1, height - len(keys))
            turns = [more] if self.top + visible < len(rows) else []
            turns += [back] if self.top else []
            self.shown = [*turns, *self.shown]
            keys, self._places = key_rows(self.shown, self.look, width)
        else:
            self.top = 0
        self._text.show(rows[self.top : self.top + visible])
        self._keys.show(keys)
        for lines in (self._text, self._keys):  # as wide as what they show now
            lines.refresh(layout=True)

    def _scroll(self, rows: int) -> None:
        self.top = max(0, self.top + rows)
        self.update()

    def pick(self, y: int, x: int) -> None:
        """A click into a row of the text."""

    def _pick_row(self, y: int, x: int) -> None:
        self.pick(self.top + y, x)

    def action_at(self, y: int, x: int) -> Action | None:
        """The action under a row and a column of the keys, if any."""
        return under(self.shown, self._places, y, x)

    def _pick_key(self, y: int, x: int) -> None:
        action = self.action_at(y, x)
        if action is not None:
            action.run()

    def on_key(self, event: Key) -> None:
        """Textual calls the handler of every base class: override `press`."""
        event.stop()
        printed = event.character if event.is_printable else None
        self.press(printed or event.key)

    def press(self, key: str) -> None:
        """Do what a key stands for."""
        action = match(self.shown, key)
        if action is not None:
            action.run()

    def on_click(self, event: Click) -> None:  # noqa: D102
        if event.widget is self:
            self.close()


KEYS_W = 19
"""Columns of the keys in the help, where texts stand beside them."""
TEXT_W = 40
"""Columns that a text needs to stand there; what is longer goes on below."""


HELP = {"menu": MENU, "solo": SOLO, "room": ROOM, "results": RESULTS}


class HelpDialog(Dialog):
    """The keys of a page, and what they mean."""

    def __init__(self, look: Look, topic: Topic) -> None:
        super().__init__(look)
        self._topic: Topic = topic

    def rows(self) -> list[Row]:  # noqa: D102
        look, (width, _) = self.look, self.space
        beside = width >= KEYS_W + TEXT_W
        rows: list[Row] = []
        for keys, text in HELP[self._topic]:
            head = Run(fitted(keys, KEYS_W), Paint(look.accent, bold=True))
            if beside:
                for part in wrap(text, width - KEYS_W):
                    rows.append((head, Run(part, Paint(look.ink))))
                    head = Run(" " * KEYS_W, Paint())
                continue
            rows.append((head,))
            rows += [line(f"  {part}", look.ink) for part in wrap(text, width - 2)]
        return rows


def command_for(code: str, link: str, width: int) -> str:
    """The command that others type: the exact one, or the short one if that is wider.

    Args:
        code: the room's six letters.
        link: the best link to it; empty: none.
        width: columns.
    """
    exact = join_command(link) if link and not only_here(link) else ""
    return exact if 0 < len(exact) <= width else f"sliderace join {format_code(code)}"


def code_rows(
    code: str, links: Sequence[str], look: Look, size: tuple[int, int]
) -> list[Row]:
    """Code, links and QR, as much as fits into `size` columns and rows."""
    width, height = size
    rows = [line(row, look.accent, bold=True) for row in big_text(format_code(code))]
    link = links[0] if links else ""
    rows += [line(command_for(code, link, width), look.ink)]
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
        width, height = self.space
        return code_rows(self._code, self._links, self.look, (width, height - 1))
