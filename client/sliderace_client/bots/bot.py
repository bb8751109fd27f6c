"""Bots, declared as such, that solve the board at a human pace."""

import asyncio
import random
import ssl
from collections.abc import Callable, Sequence
from typing import NamedTuple

from sliderace.engine import Board, EngineError, Size, Slide
from sliderace.protocol.messages import (
    Forfeit,
    Join,
    Leave,
    Ready,
    Rematch,
    Results,
    Resume,
)
from sliderace.protocol.version import BOT_HEADER
from sliderace.solve import LEVELS, Level, nearest_level, pace_range, plan, timing
from sliderace.texts import text
from sliderace_client.net.connection import PATIENCE_S, Client, Ending
from sliderace_client.room.outcomes import End
from sliderace_client.room.outputs import Note

__all__ = ["LEVEL", "NAMES", "Bot", "Skill", "race_together"]

NAMES = ("Fox", "Lynx", "Otter", "Raven", "Hare", "Wren", "Badger", "Marten")
"""Names of bots; the server numbers those that would share one."""
GOODBYE_S = 3.0
"""After its last race a bot waits that long for a connection on which it can leave."""
ENOUGH = Ending(End.RACES_DONE, welcomed=True)
"""The ending of a bot whose server is gone after its last race."""
LEVEL = "club"
"""Level of a bot that is told neither level nor pace."""
LEAVE_S = 0.8
"""When the program is stopped, bots get that long to leave: it ends within a second."""


class Skill(NamedTuple):
    """How good a bot is.

    Attributes:
        level: the name of one of `LEVELS`; empty: the nearest to its pace, or `LEVEL`.
        pace_ms: its usual time for a board; None: that of the level.
    """

    level: str = ""
    pace_ms: float | None = None

    def on(self, size: Size) -> Level:
        """Return the level for a board. A pace out of range is moved into it."""
        if self.pace_ms is None:
            return LEVELS[self.level or LEVEL]
        least, most = pace_range(size)
        pace_ms = min(max(self.pace_ms, least), most)
        level = LEVELS[self.level] if self.level else nearest_level(size, pace_ms)
        return level.at_pace(size, pace_ms)


USUAL = Skill()


class Bot:
    """One bot in one room. It gets ready for every race immediately.

    Args:
        server: base address, ``http://host:port``.
        code: the room's.
        name: nickname.
        skill: how good it is.
        races: leave after this many; None: stay until the room ends.
        rng: its way and its rhythm come from these random numbers.
        on_note: called with every announcement of the room.
        tls: how to check the server; None: as usual.
        token: of the seat that the server has given to its own bot. Such a bot asks for
            no race, and does not give up while its server is away.

    Attributes:
        client: the bot's place in the room.
        results: of the races that it took part in.
    """

    def __init__(
        self,
        server: str,
        code: str,
        name: str,
        *,
        skill: Skill = USUAL,
        races: int | None = None,
        rng: random.Random | None = None,
        on_note: Callable[[Note], None] = lambda _: None,
        token: str = "",
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.results: list[Results] = []
        self._skill = skill
        self._races = races
        self._rng = rng or random.Random()  # noqa: S311 - nothing secret
        self._changed = asyncio.Event()
        self._asked: Ready | Rematch | None = None
        self._stopped = False
        self._served = bool(token)
        self.client = Client(
            server,
            Resume(code, token) if token else Join(code, name, bot=True),
            on_change=self._changed.set,
            on_note=on_note,
            patience=None if token else PATIENCE_S,
            checks=False,
            headers={BOT_HEADER: "1"} if token else None,
            tls=tls,
        )

    async def run(self) -> Ending:
        """Race until enough races are over or the room ends."""
        async with asyncio.TaskGroup() as tasks:
            present = tasks.create_task(self.client.run())
            playing = tasks.create_task(self._play(tasks))
            await asyncio.wait([present, playing], return_when=asyncio.FIRST_COMPLETED)
            leaving = tasks.create_task(self._leave())
            await asyncio.wait([present], timeout=GOODBYE_S)
            for task in (present, playing, leaving):
                task.cancel()
        return ENOUGH if present.cancelled() else present.result()

    def stop(self) -> None:
        """Leave the room as soon as there is a connection; then `run` ends."""
        self._stopped = True
        self._changed.set()

    async def _play(self, tasks: asyncio.TaskGroup) -> None:
        view, race = self.client.view, ""
        solving: asyncio.Task[None] | None = None
        try:
            while not self._is_done():
                self._changed.clear()
                self._get_ready()
                if solving is not None and view.race != race:
                    solving.cancel()  # it may sleep for long
                    solving = None
                if view.racing and (solving is None or solving.done()):
                    race = view.race
                    solving = tasks.create_task(self._solve())
                await self._changed.wait()
        finally:
            if solving is not None:
                solving.cancel()

    async def _leave(self) -> None:
        while not self.client.ask(Leave()):
            self._changed.clear()
            await self._changed.wait()

    def _is_done(self) -> bool:
        results = self.client.view.results
        if results and results.race not in [seen.race for seen in self.results]:
            me = self.client.view.me
            if any(row.member == me for row in results.standings):
                self.results.append(results)
        enough = self._races is not None and len(self.results) >= self._races
        return enough or self._stopped

    def _get_ready(self) -> None:
        """Get ready once for each race, and again after a lost connection."""
        view = self.client.view
        if self._served or not view.online or view.room is None:
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
        """Whether no human is in the room who could start the next race."""
        return all(player.bot for player in self.client.view.present_players())

    async def _solve(self) -> None:
        """Solve the board as a person would; start over if the server changes it."""
        view, loop = self.client.view, asyncio.get_running_loop()
        while view.racing and view.board is not None:
            await self._unlocked()
            self.client.painted()
            began = loop.time() + view.locked(self.client.now()) / 1000
            try:  # in a thread: a large board would hold up the loop
                slides = await asyncio.to_thread(self._planned, view.board.copy())
            except EngineError:
                self.client.ask(Forfeit(view.race))
                return
            await self._unlocked()
            began = zero_of(slides, began, loop.time())
            for slide, at_ms in slides:
                await asyncio.sleep(max(0.0, began + at_ms / 1000 - loop.time()))
                if not self.client.slide(*slide):
                    break

    async def _unlocked(self) -> None:
        await asyncio.sleep(self.client.view.locked(self.client.now()) / 1000)

    def _planned(self, board: Board) -> list[tuple[Slide, int]]:
        """Return each slide, with its time in ms since the board was unlocked."""
        level = self._skill.on(board.size)
        planned = plan(board, level, self._rng)
        times = timing(planned, level, self._rng)
        return list(zip(planned.slides, times, strict=True))


def zero_of(slides: Sequence[tuple[Slide, int]], unlocked: float, now: float) -> float:
    """Return from when the times of the slides count, in seconds.

    If the plan is ready only after its first slide is due, as with many bots on large
    boards, all slides are later: a bot never catches up with a burst.

    >>> slides = [(("L", 1), 500), (("U", 1), 800)]
    >>> zero_of(slides, 7.0, 7.2), zero_of(slides, 7.0, 9.5)
    (7.0, 9.0)
    """
    return max([unlocked, *(now - at_ms / 1000 for _, at_ms in slides[:1])])


async def race_together(
    server: str,
    code: str,
    count: int = 1,
    *,
    skill: Skill = USUAL,
    races: int | None = None,
    on_note: Callable[[Note], None] = lambda _: None,
) -> list[Ending]:
    """Let several bots race in one room. If this is cancelled, they leave it first.

    Args:
        server: base address.
        code: the room's.
        count: how many bots.
        skill: how good each is.
        races: each leaves after this many; None: they stay until the room ends.
        on_note: called with the announcements that the first one gets. If it raises an
            OSError, all bots leave.

    Returns:
        How the room ended for each, in the order of joining.

    Raises:
        OSError: of `on_note`.
    """
    failed: list[OSError] = []

    def tell(note: Note) -> None:
        try:
            if not failed:
                on_note(note)
        except OSError as error:
            failed.append(error)
            for bot in bots:
                bot.stop()

    names = [
        text("bot.name", name=NAMES[number % len(NAMES)]) for number in range(count)
    ]
    bots = [Bot(server, code, name, skill=skill, races=races) for name in names]
    bots[0].client.on_note = tell
    async with asyncio.TaskGroup() as tasks:
        runs = [tasks.create_task(bot.run()) for bot in bots]
        try:
            await asyncio.wait(runs)
        except asyncio.CancelledError:
            for bot in bots:
                bot.stop()
            await asyncio.wait(runs, timeout=LEAVE_S)
            raise
    if failed:
        raise failed[0]
    return [run.result() for run in runs]
