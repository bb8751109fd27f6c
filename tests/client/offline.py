"""The full-screen client at a seat without a network: the test is the server."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from tests.client import rooms
from tests.client.rooms import BEN
from textual.pilot import Pilot
from textual.strip import Strip

from sliderace.engine import Direction
from sliderace.protocol import messages as m
from sliderace_client.launch import Start
from sliderace_client.net.connection import Ending
from sliderace_client.room.model import RoomModel
from sliderace_client.room.outcomes import End
from sliderace_client.room.outputs import Note, Output
from sliderace_client.room.view import RoomView
from sliderace_client.tui.app import SlideraceApp
from sliderace_client.tui.widgets import Boards, DirectWidget, TextRows

__all__ = [
    "MINUTE",
    "Driver",
    "Offline",
    "as_guest",
    "at",
    "board",
    "driven",
    "keys",
    "opened",
    "painted",
    "racing",
    "saved",
    "screen",
    "sees",
    "settle",
    "terminal",
]


class Offline:
    """A seat as the screens need it, over `rooms.Play`; every command is kept."""

    def __init__(self, **in_room: object) -> None:
        self.told = rooms.Play(**in_room)
        self.asked: list[m.Command] = []
        self.paints = 0
        self._ended = asyncio.Event()
        self._on_change: Callable[[], None] = lambda: None
        self._on_note: Callable[[Note], None] = lambda _: None

    @property
    def model(self) -> RoomModel:
        return self.told.model

    @property
    def view(self) -> RoomView:
        return self.told.view

    def attach(self, app: SlideraceApp) -> None:
        """Report changes and news to an app."""
        self._on_change, self._on_note = app.on_change, app.on_note

    def slide(self, direction: Direction, count: int = 1) -> bool:
        return self._did(self.model.slide(direction, count, self.now()))

    def slide_cell(self, cell: int) -> bool:
        return self._did(self.model.slide_cell(cell, self.now()))

    def painted(self) -> None:
        self.paints += 1
        self.model.painted(self.now())

    def ask(self, command: m.Command) -> bool:
        return self._did(self.model.ask(command, self.now()))

    def now(self) -> int:
        return self.told.now

    async def run(self) -> Ending:
        await self._ended.wait()
        return Ending(self.view.ended or End.LEFT, welcomed=True)

    def end(self) -> None:
        self._ended.set()

    def hear(self, event: m.Event) -> None:
        """The server says something."""
        if hasattr(event, "o") and not isinstance(event, m.Snapshot):
            outs = self.told.stream(event)
        else:
            outs = self.told.hear(event)
        self._out(outs)

    def race(self, start: str = rooms.START, **more: object) -> None:
        """From the lobby into the race."""
        self.told.race(start, **more)  # type: ignore[arg-type]
        self._did(done=True)

    def _did(self, done: bool) -> bool:
        if done:
            self._out(self.model.poll(self.now()))
        return done

    def _out(self, outs: list[Output]) -> None:
        self.asked += rooms.commands(outs)
        for out in outs:
            if isinstance(out, Note):
                self._on_note(out)
        self._on_change()


def at(seat: Offline, **more: object) -> SlideraceApp:
    """The client at that seat."""
    known: dict[str, object] = {
        "kind": "join",
        "server": "http://192.0.2.7:8710",
        "code": "KWXTRB",
        "name": "Ann",
    }
    app = SlideraceApp(Start(**(known | more)), seat)  # type: ignore[arg-type]
    seat.attach(app)
    return app


def painted(app: SlideraceApp) -> list[Strip]:
    """The rows of the screen as they should be: every line is drawn anew for it."""
    for widget in app.screen.query(DirectWidget):
        widget.forget_all()
    compositor = app.screen._compositor  # pyright: ignore[reportPrivateUsage]
    return compositor.render_strips()


Driver = Pilot[int]
MINUTE = 60_000


@asynccontextmanager
async def driven(
    seat: Offline, size: tuple[int, int] = (80, 24), **start: object
) -> AsyncGenerator[Driver]:
    # Notes a stack for each callback, which is most of what these tests would take.
    asyncio.get_running_loop().set_debug(False)
    async with at(seat, **start).run_test(size=size) as pilot:
        await settle(pilot)
        yield pilot


@asynccontextmanager
async def racing(
    seat: Offline,
    board: str = rooms.START,
    size: tuple[int, int] = (80, 24),
    roster: tuple[int, ...] | None = None,
    **start: object,
) -> AsyncGenerator[Driver]:
    """In the race, and it is on the screen."""
    async with driven(seat, size, **start) as pilot:
        seat.race(board, **({} if roster is None else {"roster": roster}))
        await settle(pilot)
        yield pilot


async def settle(pilot: Driver) -> None:
    """Until everything that was said is on the screen."""
    await pilot.pause()
    terminal(pilot).repaint()
    await pilot.pause()


async def sees(pilot: Driver, words: str) -> None:
    """Until these words are on the screen; pages are mounted in their own time."""
    while words not in screen(pilot):
        await settle(pilot)


def terminal(pilot: Driver) -> SlideraceApp:
    assert isinstance(pilot.app, SlideraceApp)
    return pilot.app


def screen(pilot: Driver) -> str:
    """What is on the screen, without colours."""
    return "\n".join(strip.text for strip in painted(terminal(pilot)))


def keys(pilot: Driver) -> str:
    return pilot.app.screen.query_one("#keys", TextRows).plain


def board(pilot: Driver) -> str:
    """The only board on the screen, as text."""
    (placed,) = pilot.app.screen.query_one("#boards", Boards).placed
    width = placed.grid.width
    rows = [placed.tiles[i : i + width] for i in range(0, len(placed.tiles), width)]
    return "/".join(" ".join(map(str, row)) for row in rows)


def as_guest(**more: object) -> Offline:
    """A seat of Ann where Ben is host."""
    return Offline(room=rooms.room(host=BEN), **more)


@asynccontextmanager
async def opened(
    start: Start, size: tuple[int, int] = (80, 24)
) -> AsyncGenerator[Driver]:
    async with SlideraceApp(start).run_test(size=size) as pilot:
        await settle(pilot)
        yield pilot


async def saved(pilot: Driver) -> None:
    """Until nothing is being written any more."""
    for worker in list(pilot.app.workers):
        if worker.group in ("record", "settings"):
            await worker.wait()
    await settle(pilot)
