"""The base of every screen: a head, a body, one line of news, and the keys.

How a key is handled, in this order:

1. While a question is asked, only its answers count.
2. `first_key`: keys of the board. They must not wait in the library's queue, which
   takes longer than the slide itself: the app offers each key to `take_key` as soon
   as it arrives, unless an earlier key is still on its way through the queue.
3. The actions that the screen shows. Some are done only once while their key is held
   down, across a change of screens; every press counts.
4. `other_key`: keys without a label, such as the cursor in a list.
"""

from collections.abc import Callable, Iterable
from typing import Protocol

from textual.app import ComposeResult
from textual.events import Key, Resize
from textual.screen import Screen
from textual.widget import Widget

from sliderace.protocol.names import cells
from sliderace.texts import text
from sliderace_client.room.outputs import Level
from sliderace_client.shared_ui.render import Look, Paint, Run
from sliderace_client.shared_ui.settings import Settings
from sliderace_client.tui.actions import (
    Action,
    HeldKey,
    Places,
    action_at,
    find,
    key_rows,
)
from sliderace_client.tui.dialogs.help import HelpTopic
from sliderace_client.tui.rows import fitted, text_row
from sliderace_client.tui.terminal_io.diff import TerminalDiff
from sliderace_client.tui.widgets import TextRows

__all__ = ["MIN_COLUMNS", "MIN_ROWS", "SLIP_MS", "BaseScreen", "Program"]

MIN_COLUMNS, MIN_ROWS = 40, 12
"""The menu and a 4x4 board with two racers fit. A 10x10 board needs 15 rows."""


class Program(Protocol):
    """The part of the program that every screen uses."""

    settings: Settings
    terminal_diff: TerminalDiff
    held_key: HeldKey

    @property
    def look(self) -> Look:
        """The colours in use, and the picture."""
        ...

    def now(self) -> int:
        """Return monotonic ms."""
        ...

    def news(self) -> tuple[str, Level]:
        """Return the current line of news, or an empty one."""
        ...

    def say(self, content: str, level: Level = "info") -> None:
        """Show a line of news for a while."""
        ...

    def hint(self, content: str) -> None:
        """Show a hint for a moment, unless there is news."""
        ...

    def use_settings(self, settings: Settings) -> None:
        """Apply new settings, and store them."""
        ...

    def open_screen(self, screen: Screen[None]) -> None:
        """Show a screen or a dialog over this one."""
        ...

    def close_screen(self, screen: Screen[None]) -> None:
        """Close a screen, unless it is closed already or another one is on top."""
        ...

    def played(self, quiet_ms: int, *, by_number: bool) -> None:
        """Note a slide: for some time, keys of the board have no other meaning.

        Args:
            quiet_ms: for how long.
            by_number: Enter and Space are such keys, too: they end a number.
        """
        ...

    def back(self) -> None:
        """Go back to the menu, or end if the program started without it."""
        ...

    def show_help(self, topic: HelpTopic) -> None:
        """Show the keys of a screen."""
        ...

    def next_picture(self) -> None:
        """Show the next picture on the tiles, or numbers again."""
        ...

    def toggle_numbers(self) -> None:
        """Show the numbers on a picture, or hide them."""
        ...


def name_of(event: Key) -> str:
    """Return a key's character if it has a printable one, else its name."""
    return event.character if event.is_printable and event.character else event.key


SLIP_MS = 1_000
"""Fast players press a key or two more after the board is solved."""


class BaseScreen(Screen[None]):
    """A full screen. Subclasses override `body`, `actions` and `update`.

    Args:
        program: shows this screen.

    Attributes:
        ready: the widgets are mounted.
        shown: the actions whose keys are shown now.
    """

    DEFAULT_CSS = """
    BaseScreen #too_small {
        display: none; height: 1fr; content-align: center middle;
    }
    BaseScreen.-too-small > * { display: none; }
    BaseScreen.-too-small > #too_small { display: block; }
    """

    def __init__(self, program: Program) -> None:
        super().__init__()
        self._program = program
        self.ready = False
        self._too_small = TextRows(id="too_small")
        self._head = TextRows(id="head")
        self._news = TextRows(id="news")
        self._keys = TextRows(id="keys", on_pick=self._click_key)
        self._queued_keys = 0
        self._places: Places = []
        self.shown: list[Action] = []
        self._question: tuple[str, list[Action]] | None = None

    @property
    def program(self) -> Program:
        """The program that shows this screen."""
        return self._program

    @property
    def look(self) -> Look:
        """The colours in use."""
        return self.program.look

    # --- For subclasses ---------------------------------------------------------------

    def body(self) -> Iterable[Widget]:
        """Return the widgets between head and news."""
        return ()

    def actions(self) -> list[Action]:
        """Return what can be done now."""
        return []

    @property
    def plays(self) -> bool:
        """Whether a board is being played, so that no key may be taken for another."""
        return False

    def head(self) -> str:
        """Return the text at the right end of the top row."""
        return ""

    def update(self) -> None:
        """Show the state as it is now."""
        self._show_frame()

    def first_key(self, key: str) -> bool:
        """Handle a key that takes precedence over every action; return whether it did.

        Args:
            key: its character, or its name.
        """
        return not key

    def other_key(self, key: str) -> bool:
        """Handle a key that belongs to no action; return whether it did."""
        return not key

    # --- Events -----------------------------------------------------------------------

    def compose(self) -> ComposeResult:  # noqa: D102
        yield self._too_small
        yield self._head
        yield from self.body()
        yield self._news
        yield self._keys

    def on_mount(self) -> None:  # noqa: D102
        self.ready = True
        self.update()

    def on_resize(self, event: Resize) -> None:  # noqa: D102
        width, height = event.size
        too_small = width < MIN_COLUMNS or height < MIN_ROWS
        self.set_class(too_small, "-too-small")
        least = f"{MIN_COLUMNS}x{MIN_ROWS}"
        lines = (
            text("tui.too_small", size=f"{width}x{height}"),
            text("tui.too_small_least", least=least),
        )
        rows = [text_row(fitted(line, width), self.look.ink) for line in lines]
        self._too_small.show(rows)
        self.call_after_refresh(self.refresh_content)

    def on_screen_resume(self) -> None:  # noqa: D102
        self.refresh_content()

    def refresh_content(self) -> None:
        """Show the state as it is now, as soon as there are widgets to show it."""
        if self.ready:
            with self.program.terminal_diff.batch():
                self.update()

    def body_height(self) -> int:
        """Return the rows between head and news."""
        keys = 1 + max((row for row, _, _ in self._places), default=0)
        return max(1, self.size.height - 2 - keys)

    def ask(self, question: str, *answers: Action, no: str) -> None:
        """Ask a question in the row of news; its answers replace the keys.

        Args:
            question: one sentence.
            answers: what can be done.
            no: label of the answer that does nothing.
        """

        def close() -> None:
            self._question = None
            self.update()

        def closing(run: Callable[[], object]) -> Callable[[], None]:
            def close_and_run() -> None:
                close()
                run()

            return close_and_run

        choices = [answer._replace(run=closing(answer.run)) for answer in answers]
        self._question = (question, [*choices, Action("n", no, close, ("escape",))])
        self.update()

    @property
    def asks(self) -> bool:
        """Whether a question is open."""
        return self._question is not None

    def stop_asking(self) -> None:
        """Withdraw the question."""
        self._question = None

    # --- Keys -------------------------------------------------------------------------

    def key_queued(self) -> None:
        """Note that a key is on its way to `on_key`, so that no later one overtakes."""
        self._queued_keys += 1

    def key_handled(self) -> None:
        """Note that a queued key has been handled."""
        self._queued_keys -= 1

    def take_key(self, event: Key) -> bool:
        """Handle a key of the board at once; return whether it was one."""
        return self._queued_keys == 0 and self._first_key(name_of(event))

    def _first_key(self, key: str) -> bool:
        return self._question is None and self.first_key(key)

    def on_key(self, event: Key) -> None:
        """Handle a key. The library calls every base class's handler: do not override.

        Override `first_key` or `other_key` instead.
        """
        key = name_of(event)
        if self._first_key(key):
            event.stop()
            return
        action = find(self.shown, key) or find(self.shown, event.key)
        if action is not None:
            event.stop()
            event.prevent_default()
            repeat = self.program.held_key.is_repeat(action.key, self.program.now())
            if not action.once or not repeat:
                action.run()
        elif not self.other_key(event.key):
            return
        event.stop()

    def action_at(self, y: int, x: int) -> Action | None:
        """Return the action at a row and a column of the keys; None: there is none."""
        return action_at(self.shown, self._places, y, x)

    def _click_key(self, y: int, x: int) -> None:
        action = self.action_at(y, x)
        if action is not None:
            action.run()

    # --- Frame ------------------------------------------------------------------------

    def _show_frame(self) -> None:
        look, width = self.look, self.size.width
        title = text("tui.title")
        right = self.head()
        if cells(right) > width - len(title) - 2:
            right = fitted(right, width - len(title) - 2)
        space = " " * max(1, width - len(title) - cells(right) - 2)
        self._head.show(
            [
                (
                    Run(f" {title}", Paint(look.accent, bold=True)),
                    Run(space, Paint()),
                    Run(right, Paint(look.soft)),
                )
            ]
        )
        if self._question is not None:
            (content, self.shown), level = self._question, "info"
        else:
            (content, level), self.shown = self.program.news(), self.actions()
        colour = {"good": look.good, "bad": look.bad}.get(level, look.ink)
        row = fitted(f" {content}", width)
        self._news.show([text_row(row, colour, bold=self._question is not None)])
        rows, self._places = key_rows(self.shown, look, width)
        self._keys.show(rows)
