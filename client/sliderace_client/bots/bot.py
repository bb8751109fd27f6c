"""Racers that are programs: declared as such, and really solving."""

import asyncio
import random
from collections.abc import Callable

from sliderace.engine import EngineError
from sliderace.protocol.messages import Forfeit, Join, Leave, Ready, Rematch, Results
from sliderace_client.bots.solver import paced, solve
from sliderace_client.net.connection import Client, Ending
from sliderace_client.room.outcomes import End
from sliderace_client.room.outputs import Note

__all__ = ["NAMES", "Bot", "race_together"]

NAMES = ("Fox", "Lynx", "Otter", "Raven", "Hare", "Wren", "Badger", "Marten")
"""Of bots that nobody named; the server numbers those who would share one."""
PATIENCE_S = 60.0
"""A bot gives up on a server that has been away for so long."""
GOOD_BYE_S = 3.0
"""Having raced enough it waits no longer than that for a connection to leave by."""
ENOUGH = Ending(End.RACES_DONE, welcomed=True)
"""Of a bot that has raced enough, and whose server is gone."""
LEAVE_S = 0.8
"""Who ends the program waits no longer for bots to leave: it is gone in a second."""


class Bot:
    """One bot in one room: ready at once, and again for every race.

    Args:
        server: base address, ``http://host:port``.
        code: the room's.
        name: nickname wanted.
        tps: tiles per second, on average.
        races: how many to race before leaving; None: until the room ends.
        normal: random numbers with mean 0 and deviation 1, for human-like gaps.
        on_note: called with everything that happens in the room.

    Attributes:
        client: the bot's place in the room.
        results: of the races it has seen to the end.
    """

    def __init__(
        self,
        server: str,
        code: str,
        name: str,
        *,
        tps: float = 3.0,
        races: int | None = None,
        normal: Callable[[], float] | None = None,
        on_note: Callable[[Note], None] = lambda _: None,
    ) -> None:
        rng = random.SystemRandom()
        self.results: list[Results] = []
        self._tps = tps
        self._races = races
        self._normal = normal or (lambda: rng.gauss(0, 1))
        self._changed = asyncio.Event()
        self._asked: Ready | Rematch | None = None
        self._stopped = False
        self.client = Client(
            server,
            Join(code, name, bot=True),
            on_change=self._changed.set,
            on_note=on_note,
            patience=PATIENCE_S,
            checks=False,
        )

    async def run(self) -> Ending:
        """Race until there have been enough races, or the room is over."""
        async with asyncio.TaskGroup() as tasks:
            present = tasks.create_task(self.client.run())
            playing = tasks.create_task(self._play(tasks))
            await asyncio.wait([present, playing], return_when=asyncio.FIRST_COMPLETED)
            leaving = tasks.create_task(self._leave())
            await asyncio.wait([present], timeout=GOOD_BYE_S)
            for task in (present, playing, leaving):
                task.cancel()
        return ENOUGH if present.cancelled() else present.result()

    def stop(self) -> None:
        """Leave the room, as soon as there is a connection; then `run` ends."""
        self._stopped = True
        self._changed.set()

    async def _play(self, tasks: asyncio.TaskGroup) -> None:
        solving: asyncio.Task[None] | None = None
        try:
            while not self._had_enough():
                self._changed.clear()
                self._get_ready()
                if self.client.view.racing and (solving is None or solving.done()):
                    solving = tasks.create_task(self._solve())
                await self._changed.wait()
        finally:
            if solving is not None:
                solving.cancel()

    async def _leave(self) -> None:
        while not self.client.ask(Leave()):
            self._changed.clear()
            await self._changed.wait()

    def _had_enough(self) -> bool:
        told = self.client.view.results
        if told and told.race not in [seen.race for seen in self.results]:
            me = self.client.view.me
            if any(row.member == me for row in told.standings):
                self.results.append(told)
        enough = self._races is not None and len(self.results) >= self._races
        return enough or self._stopped

    def _get_ready(self) -> None:
        """Say ready once for each race, again after a lost connection."""
        view = self.client.view
        if not view.online or view.room is None:
            self._asked = None
            return
        wanted: Ready | Rematch | None = None
        if view.phase == "lobby" and view.is_player and not view.ready:
            benched = view.myself is not None and view.myself.benched
            wanted = None if benched else Ready(view.race)
        elif view.phase == "results" and self._among_bots():
            wanted = Rematch(view.race)
        if wanted is not None and wanted != self._asked:
            self._asked = wanted
            self.client.ask(wanted)

    def _among_bots(self) -> bool:
        """Whether no human is here who could ask for the next race."""
        return all(player.bot for player in self.client.view.present_players())

    async def _solve(self) -> None:
        """Solve the board as it is, at a human pace; anew where it changes under us."""
        view, loop = self.client.view, asyncio.get_running_loop()
        while view.racing and view.board is not None:
            await asyncio.sleep(view.locked(self.client.now()) / 1000)
            self.client.painted()
            try:
                stages = await asyncio.to_thread(solve, view.board.copy())
            except EngineError:
                self.client.ask(Forfeit(view.race))
                return
            due = loop.time()
            for pause, slide in paced(stages, self._tps, self._normal):
                due += pause
                await asyncio.sleep(max(0.0, due - loop.time()))
                if not self.client.slide(*slide):
                    break


async def race_together(
    server: str,
    code: str,
    count: int = 1,
    *,
    tps: float = 3.0,
    races: int | None = None,
    on_note: Callable[[Note], None] = lambda _: None,
) -> list[Ending]:
    """Let several bots race in one room. Cancelled, they leave it first.

    Args:
        server: base address.
        code: the room's.
        count: how many bots.
        tps: tiles per second of each, on average.
        races: how many races each takes part in; None: until the room ends.
        on_note: called with what the first of them sees happen.

    Returns:
        How each came out, in the order of joining.
    """
    bots = [
        Bot(server, code, f"Bot {NAMES[number % len(NAMES)]}", tps=tps, races=races)
        for number in range(count)
    ]
    bots[0].client.on_note = on_note
    async with asyncio.TaskGroup() as tasks:
        runs = [tasks.create_task(bot.run()) for bot in bots]
        try:
            await asyncio.wait(runs)
        except asyncio.CancelledError:
            for bot in bots:
                bot.stop()
            await asyncio.wait(runs, timeout=LEAVE_S)
            raise
    return [run.result() for run in runs]
