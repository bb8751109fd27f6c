"""The base of every page: a head, a body, one line of news, and the keys."""

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult
from textual.events import Key, Resize
from textual.screen import Screen
from textual.widget import Widget

from sliderace.protocol.messages import Close
from sliderace.protocol.names import cells
from sliderace_client.room.view import RoomView
from sliderace_client.shared_ui.render import Look, Paint, Run
from sliderace_client.tui.actions import (
    ROOMY,
    Action,
    Places,
    Repeats,
    key_rows,
    match,
    under,
)
from sliderace_client.tui.dialogs.dialog import Topic
from sliderace_client.tui.rows import fitted, line
from sliderace_client.tui.seat import Play
from sliderace_client.tui.widgets import Lines

if TYPE_CHECKING:
    from sliderace_client.tui.app import Terminal

__all__ = [
    "MIN_COLUMNS",
    "MIN_ROWS",
    "Page",
    "RoomPage",
    "picture_actions",
    "picture_refused",
]

MIN_COLUMNS, MIN_ROWS = 40, 15
"""Below this a 10x10 board and its keys do not fit; it is said instead."""


def name_of(event: Key) -> str:
    """A key as we call it: its character, else the library's name."""
    return event.character if event.is_printable and event.character else event.key


class Page(Screen[None]):
    """A full screen. Subclasses give `body`, `actions` and `update`.

    Attributes:
        ready: whether its widgets are there.
        shown: what can be done, as its keys are shown.
    """

    DEFAULT_CSS = """
    Page #tiny { display: none; height: 1fr; content-align: center middle; }
    Page.-tiny > * { display: none; }
    Page.-tiny > #tiny { display: block; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.ready = False
        self._tiny = Lines(id="tiny")
        self._head = Lines(id="head")
        self._news = Lines(id="news")
        self._keys = Lines(id="keys", on_pick=self._pick)
        self._repeats = Repeats()
        self._expected = 0
        self._places: Places = []
        self.shown: list[Action] = []
        self._asking: tuple[str, list[Action]] | None = None

    @cached_property
    def terminal(self) -> "Terminal":
        """The program this page belongs to."""
        from sliderace_client.tui.app import Terminal  # noqa: PLC0415 - a cycle

        app = cast("object", self.app)  # pyright: ignore[reportUnknownMemberType] - theirs
        assert isinstance(app, Terminal)  # noqa: S101 - nothing else runs us
        return app

    @property
    def look(self) -> Look:
        """The colours in use."""
        return self.terminal.look

    def body(self) -> Iterable[Widget]:
        """The widgets between head and news."""
        return ()

    def actions(self) -> list[Action]:
        """What can be done now."""
        return []

    def head(self) -> str:
        """What the top line says at its right end."""
        return ""

    def update(self) -> None:
        """Show the state as it is now."""
        self._show_frame()

    def compose(self) -> ComposeResult:  # noqa: D102
        yield self._tiny
        yield self._head
        yield from self.body()
        yield self._news
        yield self._keys

    def on_mount(self) -> None:  # noqa: D102
        self.ready = True
        self.update()

    def on_resize(self, event: Resize) -> None:  # noqa: D102
        width, height = event.size
        tiny = width < MIN_COLUMNS or height < MIN_ROWS
        self.set_class(tiny, "-tiny")
        text = f"{width}x{height} is too small: {MIN_COLUMNS}x{MIN_ROWS}, please."
        self._tiny.show([line(fitted(text, width), self.look.ink)])
        self.call_after_refresh(self.renew)

    def on_screen_resume(self) -> None:  # noqa: D102
        self.renew()

    def renew(self) -> None:
        """Show the state as it is now, if there is anything to show it with."""
        if self.ready:
            with self.terminal.at_once():
                self.update()

    def room_for_table(self) -> int:
        """Rows between head, news and keys."""
        keys = 1 + max((row for row, _, _ in self._places), default=0)
        return max(1, self.size.height - 2 - keys)

    def ask(self, question: str, *ways: Action, no: str = "no") -> None:
        """Ask before doing something that cannot be taken back."""

        def done() -> None:
            self._asking = None
            self.update()

        def then(run: Callable[[], object]) -> Callable[[], None]:
            def agreed() -> None:
                done()
                run()

            return agreed

        agree = [way._replace(run=then(way.run)) for way in ways]
        self._asking = (question, [*agree, Action("n", no, done, ("escape",))])
        self.update()

    def expect_key(self) -> None:
        """A key is on its way to `on_key`: none must overtake it."""
        self._expected += 1

    def had_key(self) -> None:
        """It has come."""
        self._expected -= 1

    def takes(self, event: Key) -> bool:
        """Take a key that counts before any action, unless others come before it."""
        return self._expected == 0 and self._first(name_of(event))

    def _first(self, key: str) -> bool:
        return self._asking is None and self.first_key(key)

    def on_key(self, event: Key) -> None:
        """Textual calls the handler of every base class: override `other_key`."""
        key = name_of(event)
        if self._first(key):
            event.stop()
            return
        action = match(self.shown, key) or match(self.shown, event.key)
        if action is not None:
            event.stop()
            event.prevent_default()
            held = self._repeats.held(action.key, self.terminal.now())
            if action.repeats or not held:
                action.run()
        elif not self.other_key(event.key):
            return
        event.stop()

    def first_key(self, key: str) -> bool:
        """A key that counts before any action; True if it was of use."""
        return not key

    def other_key(self, key: str) -> bool:
        """A key that is no action; True if it was of use."""
        return not key

    def action_at(self, y: int, x: int) -> Action | None:
        """The action under a row and a column of the keys, if any."""
        return under(self.shown, self._places, y, x)

    def _pick(self, y: int, x: int) -> None:
        action = self.action_at(y, x)
        if action is not None:
            action.run()

    def _show_frame(self) -> None:
        look, width = self.look, self.size.width
        title = "sliderace"
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
        text, level = self._asking[0] if self._asking else "", "info"
        if not text:
            text, level = self.terminal.news()
        colour = {"good": look.good, "bad": look.bad}.get(level, look.ink)
        self._news.show(
            [line(fitted(f" {text}", width), colour, bold=bool(self._asking))]
        )
        self.shown = self._asking[1] if self._asking else self.actions()
        rows, self._places = key_rows(self.shown, look, width)
        self._keys.show(rows)


class RoomPage(Page):
    """A page inside a room."""

    TOPIC: ClassVar[Topic] = "room"

    @property
    def play(self) -> Play:
        """The seat this page shows."""
        return self.terminal.playing

    @property
    def model(self) -> RoomView:
        """What we know of the room."""
        return self.play.view

    def head(self) -> str:  # noqa: D102
        model = self.model
        if not model.online:
            kept = model.unacked
            slides = f", {kept} slide{'s' * (kept > 1)} kept" if kept else ""
            return f"↯ reconnecting{slides}"
        return self.about()

    def about(self) -> str:
        """What the top line says while all is well."""
        return ""

    def leave(self) -> None:
        """Ask, then leave the room for good."""
        ways = [Action("y", "leave", self.terminal.leave_room)]
        if self.model.is_host:
            close = Close()
            end = Action("x", "close it for all", lambda: self.terminal.ask(close))
            ways.append(end)
        question = "Leave the room for good? (Ctrl-C keeps your seat for a while.)"
        others = len(self.model.members) - 1
        if self.terminal.ends_the_room and others > 0:
            many = f"{others} other{'s' * (others > 1)}"
            question = f"Leave? The server ends with you, and the room for {many}."
            if self.others_race:
                question = f"Leave? Server and room (for {many}) end after this race."
        self.ask(question, *ways, no="stay")

    @property
    def others_race(self) -> bool:
        """Whether a server of ours waits for others: their race is not over."""
        model = self.model
        return model.phase in ("countdown", "racing", "grace") and any(
            lane.seat != model.seat and lane.status == "racing"
            for lane in model.lanes.values()
        )

    def help(self) -> None:
        """Show the help."""
        self.terminal.help(self.TOPIC)


PICTURE_ROWS = 18
"""Below, a tile of a row or two shows nothing of a picture."""


def picture_refused(terminal: "Terminal", key: str) -> bool:
    """Whether a key wants a picture where none has room; then that is said."""
    rows = terminal.size.height
    refused = key == "i" and rows < PICTURE_ROWS
    if refused:
        terminal.say(f"A picture needs {PICTURE_ROWS} rows; this terminal has {rows}.")
    return refused


def picture_actions(terminal: "Terminal") -> list[Action]:
    """The keys of pictures: the next one, and its numbers.

    Where the terminal is too low for them the key stays, and says so; it is not shown
    where that would cost the lanes a row.
    """
    columns, rows = terminal.size
    if rows < PICTURE_ROWS and terminal.look.picture is None:
        refuse = Action("i", "picture", lambda: picture_refused(terminal, "i"))
        return [refuse] if columns >= ROOMY else []
    todo = [Action("i", "picture", terminal.next_picture)]
    picture = terminal.look.picture
    if picture is not None:
        label = "no numbers" if terminal.look.numbers else "numbers"
        todo = [
            Action("i", picture.name.rpartition("/")[2][:12], terminal.next_picture),
            Action("m", label, terminal.switch_numbers),
        ]
    return todo
