"""One simulated run from a seed: a server that crashes, and players who race on.

Server, clients and the `websockets` library are unmodified. Network, time, randomness
and disk are simulated. After each crash the log checker compares the log with what the
clients sent and received.
"""

import asyncio
import json
import logging
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from itertools import chain, count
from typing import Any

import detangle
from tests.log_checker import faults
from tests.simulation.machine import Disk, Machine, Process
from tests.simulation.players import Player

from sliderace.protocol import messages as m
from sliderace_server.app import running
from sliderace_server.limits import Limits
from sliderace_server.settings import ServerSettings

__all__ = [
    "CONFIG",
    "RULES",
    "STEPS",
    "BrokenPromise",
    "Figures",
    "Run",
    "numbered_tasks",
    "silence_logs",
]

RULES = m.RulesPatch(
    size="3x2", start="ready", countdown_ms=3_000, limit_ms=0, away_ms=300_000
)
CONFIG = ServerSettings(
    bind="srv", port=80, memory=True, advertise=False, limits=Limits(ping_burst=5)
)
STEPS = 5_000_000
"""Most steps of the simulated event loop in one run, so that every run ends."""
RACE_S = 3_000.0
"""A race that is not over by then hangs; usually it takes a few minutes."""
SETTLE_S = 200.0
"""Longest wait, after the last failure, until everything is acknowledged."""


class BrokenPromise(AssertionError):
    """A promise was broken in this run."""


@dataclass(slots=True)
class Figures:
    """What was simulated; the figures of several runs add up."""

    runs: int = 0
    races: int = 0
    raced_s: float = 0.0
    crashes: int = 0
    reboots: int = 0
    partitions: int = 0
    failures: int = 0
    stops: int = 0
    drains: int = 0
    outages: int = 0
    takeovers: int = 0
    conflicts: int = 0
    commits: int = 0
    connections: int = 0
    slides: int = 0
    acked: int = 0
    restored_s: list[float] = field(default_factory=list[float])

    def add(self, other: "Figures") -> None:
        """Add the figures of another run."""
        for one in fields(self):
            total = getattr(self, one.name) + getattr(other, one.name)
            setattr(self, one.name, total)


class Run:
    """One server with its disk, and the players of its rooms.

    Attributes:
        hosts: the servers' hosts.
        rooms: how many rooms there are.
        at_once: most failures at the same time.
        races: how many races each player finishes.
    """

    hosts: Sequence[str] = ("srv",)
    rooms = 1
    at_once = 1
    races = 2

    def __init__(self) -> None:
        self.figures = Figures(runs=1)
        self.machine = Machine()
        self.disk = Disk()
        self.process = Process(self.disk)
        self.members: list[list[Player]] = [[] for _ in range(self.rooms)]

    @property
    def players(self) -> list[Player]:
        """The players of all rooms."""
        return list(chain(*self.members))

    # --- the server ------------------------------------------------------------------

    def start(self) -> None:
        """Start a server process; what it has not committed is lost when it crashes."""
        self.process = Process(self.disk)
        detangle.spawn(self._serve(self.process), host="srv")

    async def _serve(self, process: Process) -> None:
        machine = self.machine
        async with running(
            CONFIG, store=process, clock=machine, entropy=machine.entropy, page={}
        ):
            await asyncio.get_running_loop().create_future()

    async def crash(self) -> None:
        """Kill the server between any two instructions, and start another one."""
        self.process.dead = True
        detangle.network().crash("srv")
        self.figures.crashes += 1
        self.check()
        if detangle.flip(0.1):
            self.machine.reboot()
            self.figures.reboots += 1
        if detangle.flip(0.2):
            self.machine.step_wall(detangle.choice([3_600_000, -3_600_000]))
        await asyncio.sleep(detangle.uniform(0.01, 1.0))
        detangle.network().restart("srv")
        self.start()

    async def heal(self) -> None:
        """End all failures."""
        detangle.network().restart("srv")
        if self.process.dead:
            self.start()
        self.disk.failing_until = 0.0

    def player(self, name: str, enter: m.Create | m.Join) -> Player:
        """Return a player."""
        return Player(name, enter, self.races)

    # --- failures -------------------------------------------------------------

    async def inject_failures(self) -> None:
        """Inject one failure after the other, often two in a row."""
        while True:
            soon = detangle.flip(0.45)
            await asyncio.sleep(detangle.uniform(0.0, 0.8 if soon else 30.0))
            match detangle.choice(["crash"] * 8 + ["cut", "disk"]):
                case "crash":
                    await self.crash()
                case "cut":
                    await self.cut_off()
                case _:
                    self.figures.failures += 1
                    self.disk.failing_until = detangle.now() + detangle.uniform(0, 4)

    async def cut_off(self) -> None:
        """Disconnect a player's device from all servers for a while."""
        net, device = detangle.network(), detangle.choice(self.players).device_host
        self.figures.partitions += 1
        for host in self.hosts:
            net.disconnect(device, host)
        await asyncio.sleep(detangle.uniform(0.05, 12.0))
        for host in self.hosts:
            net.reconnect(device, host)

    # --- the end ---------------------------------------------------------------------

    def check(self, *, verified: bool = False) -> None:
        """Compare the logs with what the clients sent and received.

        Args:
            verified: whether to verify the race records too.
        """
        found = list(self.disk.broken)
        for players in filter(None, self.members):
            for player in players:
                player.device.note_board()
            log = self.disk.written.get(players[0].device.view.code, [])
            observed = [one.observed for one in players if one.observed.member]
            found += faults(log, observed, verified=verified)
        if found:
            raise BrokenPromise("; ".join(found[:5]))

    async def run(self) -> Figures:
        """Race while everything fails, then wait until everything is acknowledged."""
        self.start()
        rooms = [self._open(number) for number in range(self.rooms)]
        playing = list(chain(*await asyncio.gather(*rooms)))
        failures = [
            asyncio.create_task(self.inject_failures()) for _ in range(self.at_once)
        ]
        parts = [*playing, *failures, asyncio.create_task(self._wait_for_results())]
        done, _ = await asyncio.wait(parts, return_when=asyncio.FIRST_COMPLETED)
        for one in done:
            one.result()
        for one in failures:
            one.cancel()
        await asyncio.wait(failures)
        await self._settle()
        for one in playing:
            one.cancel()
        return self._figures()

    async def _open(self, number: int) -> list[asyncio.Task[None]]:
        """Let players enter a new room; return the tasks that play."""
        players = self.members[number]
        players.append(self.player(f"{number}a", m.Create(name="Ann", rules=RULES)))
        playing = [asyncio.create_task(players[0].play())]
        while not players[0].device.view.welcomed:
            await asyncio.sleep(0.1)
        code = players[0].device.view.code
        for name in "bc"[: detangle.randint(0, 2)]:
            players.append(self.player(f"{number}{name}", m.Join(code=code, name=name)))
            playing.append(asyncio.create_task(players[-1].play()))
        return playing

    async def _wait_for_results(self) -> None:
        try:
            async with asyncio.timeout(RACE_S * self.races):
                for player in self.players:
                    await player.done.wait()
        except TimeoutError:
            players = ", ".join(player.summary for player in self.players)
            raise BrokenPromise(f"the races do not end: {players}") from None

    async def _settle(self) -> None:
        """End all failures; now every slide must be acknowledged."""
        detangle.network().heal()
        await self.heal()
        for player in self.players:
            player.calm = True
        until = detangle.now() + SETTLE_S
        while not all(player.settled for player in self.players) or self._unstored():
            if detangle.now() > until:
                what = ", ".join(self._unstored()) or "a slide"
                raise BrokenPromise(f"{what} is never acknowledged or stored")
            await asyncio.sleep(0.5)
        await asyncio.sleep(5.0)
        self.check(verified=True)

    def _unstored(self) -> set[str]:
        """Return the races that have ended, but are not stored."""
        logs = self.disk.written.values()
        ended = (
            json.loads(line)[3] for line in chain(*logs) if b'"race_ended"' in line
        )
        return {*ended} - self.disk.races.keys()

    def _figures(self) -> Figures:
        figures = self.figures
        disk = self.disk
        figures.raced_s, figures.commits = disk.raced_s, disk.commits
        figures.takeovers, figures.conflicts = disk.takeovers, disk.conflicts
        figures.races, figures.restored_s = len(disk.races), disk.restored_s
        for player in self.players:
            observed = player.observed
            figures.acked += sum(observed.acked.values())
            figures.slides += sum(len(one.slides) for one in observed.sent)
            figures.connections += sum(
                kind == "welcome"
                for device in observed.received
                for kind, _, _ in device
            )
        return figures


class _Task(asyncio.Task[Any]):
    """A task that hashes by its number, so that sets of tasks have a fixed order."""

    def __init__(self, *args: Any, number: int, **kwargs: Any) -> None:
        self._number = number
        super().__init__(*args, **kwargs)

    def __hash__(self) -> int:
        return self._number


def numbered_tasks() -> None:
    """Make the order of sets of tasks the same in each run."""
    numbers = count()

    def factory(loop: asyncio.AbstractEventLoop, coro: Any, **how: Any) -> _Task:
        return _Task(coro, loop=loop, number=next(numbers), **how)

    asyncio.get_running_loop().set_task_factory(factory)


def silence_logs() -> None:
    """Suppress the warnings of servers that crash in the middle of their work."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore", RuntimeWarning)
    sys.unraisablehook = lambda _: None
