"""The full-screen client without a network; the test plays the server."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import pytest
from tests.client import rooms
from tests.client.rooms import BEN
from textual.pilot import Pilot
from textual.strip import Strip

from sliderace.engine import Direction
from sliderace.proof.record import WrittenRace
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
    "OfflineClient",
    "app_from",
    "app_in_race",
    "app_of",
    "as_guest",
    "board",
    "expected_rows",
    "keys",
    "make_app",
    "running_app",
    "screen",
    "settle",
    "wait_for_text",
    "wait_until_stored",
]


class OfflineClient:
    """A room connection for the screens that records every command.

    Args:
        in_room: fields of the first snapshot.
    """

    def __init__(self, **in_room: object) -> None:
        self.room = rooms.ModelHarness(**in_room)
        self.commands: list[m.Command] = []
        self.paints = 0
        self.secrets: list[str] = []
        self.record: WrittenRace | None = None
        self._ended = asyncio.Event()
        self._on_change: Callable[[], None] = lambda: None
        self._on_note: Callable[[Note], None] = lambda _: None

    @property
    def model(self) -> RoomModel:
        return self.room.model

    @property
    def view(self) -> RoomView:
        return self.room.view

    def attach(self, app: SlideraceApp) -> None:
        """Report changes and news to an app."""
        self._on_change, self._on_note = app.on_change, app.on_note

    def slide(
        self, direction: Direction, count: int = 1, by: m.InputName | None = None
    ) -> bool:
        return self._if_done(self.model.slide(direction, count, self.now(), by))

    def slide_cell(self, cell: int) -> bool:
        return self._if_done(self.model.slide_cell(cell, self.now()))

    def painted(self) -> None:
        self.paints += 1
        self.model.painted(self.now())

    def use_profile(self, secret: str) -> None:
        self.secrets.append(secret)

    def ask(self, command: m.Command) -> bool:
        return self._if_done(self.model.ask(command, self.now()))

    def now(self) -> int:
        return self.room.now

    def race_record(self, results: m.Results) -> WrittenRace | None:
        return self.record if results == self.view.results else None

    async def run(self) -> Ending:
        await self._ended.wait()
        return Ending(self.view.ended or End.LEFT, welcomed=True)

    def end(self) -> None:
        self._ended.set()

    def receive(self, event: m.Event) -> None:
        """Receive an event from the server."""
        if hasattr(event, "o") and not isinstance(event, m.Snapshot):
            outs = self.room.receive_next(event)
        else:
            outs = self.room.receive(event)
        self._carry_out(outs)

    def pass_time(self, ms: int) -> None:
        """Let time pass without a message."""
        self.room.now += ms
        self._carry_out(self.model.poll(self.now()))

    def race(self, start: str = rooms.START, **more: object) -> None:
        """Move from the lobby to the race."""
        self.room.race(start, **more)  # type: ignore[arg-type]
        self._if_done(done=True)

    def next_lobby(self, **more: object) -> None:
        """Move from the results to the lobby of the next race.

        Args:
            more: fields of the room that change, too.
        """
        self.receive(m.RoomEvent(0, rooms.room(race=rooms.NEXT, **more), "race"))
        self.receive(m.PhaseEvent(0, rooms.NEXT, "lobby", None))

    def _if_done(self, done: bool) -> bool:
        if done:
            self._carry_out(self.model.poll(self.now()))
        return done

    def _carry_out(self, outs: list[Output]) -> None:
        self.commands += rooms.commands(outs)
        for out in outs:
            if isinstance(out, Note):
                self._on_note(out)
        self._on_change()


def make_app(client: OfflineClient, **more: object) -> SlideraceApp:
    """Return the app that shows this room."""
    known: dict[str, object] = {
        "kind": "join",
        "server": "http://192.0.2.7:8710",
        "code": "KWXTRB",
        "name": "Ann",
    }
    app = SlideraceApp(Start(**(known | more)), client)  # type: ignore[arg-type]
    client.attach(app)
    return app


def expected_rows(app: SlideraceApp) -> list[Strip]:
    """Return every row of the screen, freshly drawn."""
    for widget in app.screen.query(DirectWidget):
        widget.forget_all()
    compositor = app.screen._compositor  # pyright: ignore[reportPrivateUsage]
    return compositor.render_strips()


Driver = Pilot[int]
MINUTE = 60_000
HOPS = 4
"""Messages from widget to widget until a key has had all its effects, at most."""


@asynccontextmanager
async def running_app(
    client: OfflineClient, size: tuple[int, int] = (80, 24), **start: object
) -> AsyncGenerator[Driver]:
    """Run the app in this client's room."""
    async with _driven(make_app(client, **start), size) as pilot:
        yield pilot


@asynccontextmanager
async def app_in_race(
    client: OfflineClient,
    board: str = rooms.START,
    size: tuple[int, int] = (80, 24),
    roster: tuple[int, ...] | None = None,
    **start: object,
) -> AsyncGenerator[Driver]:
    """Run the app in a race; wait until the race screen is shown."""
    async with running_app(client, size, **start) as pilot:
        client.race(board, **({} if roster is None else {"roster": roster}))
        await settle(pilot)
        yield pilot


async def settle(pilot: Driver) -> None:
    """Wait until everything that was received is on the screen."""
    await pilot.pause()
    app_of(pilot).repaint()
    await pilot.pause()


async def wait_for_text(pilot: Driver, words: str) -> None:
    """Wait until these words are on the screen."""
    while words not in screen(pilot):
        await settle(pilot)


def app_of(pilot: Driver) -> SlideraceApp:
    assert isinstance(pilot.app, SlideraceApp)
    return pilot.app


def screen(pilot: Driver) -> str:
    """Return the text on the screen, without colours."""
    return "\n".join(strip.text for strip in expected_rows(app_of(pilot)))


def keys(pilot: Driver) -> str:
    return pilot.app.screen.query_one("#keys", TextRows).plain


def board(pilot: Driver) -> str:
    """Return the only board on the screen, as text."""
    (placed,) = pilot.app.screen.query_one("#boards", Boards).placed
    width = placed.grid.width
    rows = [placed.tiles[i : i + width] for i in range(0, len(placed.tiles), width)]
    return "/".join(" ".join(map(str, row)) for row in rows)


def as_guest(**more: object) -> OfflineClient:
    """Return Ann's connection to a room where Ben is the host."""
    return OfflineClient(room=rooms.room(host=BEN), **more)


@asynccontextmanager
async def app_from(
    start: Start, size: tuple[int, int] = (80, 24)
) -> AsyncGenerator[Driver]:
    """Run the app without a room."""
    async with _driven(SlideraceApp(start), size) as pilot:
        yield pilot


@asynccontextmanager
async def _driven(app: SlideraceApp, size: tuple[int, int]) -> AsyncGenerator[Driver]:
    """Run an app in a terminal of this size.

    After a key, Textual's own driver waits until the process uses little CPU time; on a
    busy machine that takes seconds. We wait until all widgets have handled it.
    """
    # Debug mode records a stack for each callback, which takes most of the time.
    asyncio.get_running_loop().set_debug(False)
    async with app.run_test(size=size) as pilot:

        async def handled(_least_s: float = 0) -> None:
            for _ in range(HOPS):
                await pilot._wait_for_screen()  # pyright: ignore[reportPrivateUsage]

        with pytest.MonkeyPatch.context() as patch:
            for module in ("app", "pilot"):
                patch.setattr(f"textual.{module}.wait_for_idle", handled)
            await settle(pilot)
            yield pilot


async def wait_until_stored(pilot: Driver) -> None:
    """Wait until settings and race records are written."""
    for worker in list(pilot.app.workers):
        if worker.group in ("record", "settings"):
            await worker.wait()
    await settle(pilot)
