"""One simulated run from a seed: a server that crashes, and players who race on.

Server, clients and the `websockets` library are unmodified. Network, time, randomness
and disk are simulated. After each crash the log checker compares the log with what the
clients sent and received.
"""

import asyncio
import logging
import sys
import warnings
from dataclasses import dataclass, fields
from itertools import count
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
    "run_or_report",
    "silence_logs",
    "simulate",
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
    commits: int = 0
    connections: int = 0
    slides: int = 0
    acked: int = 0

    def add(self, other: "Figures") -> None:
        """Add the figures of another run."""
        for field in fields(self):
            total = getattr(self, field.name) + getattr(other, field.name)
            setattr(self, field.name, total)


class Run:
    """One server with its disk, and the players of one room."""

    def __init__(self, races: int) -> None:
        self.figures = Figures(runs=1)
        self.machine = Machine()
        self.disk = Disk()
        self.process = Process(self.disk)
        self.races = races
        self.players: list[Player] = []

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
                    await self._cut()
                case _:
                    self.figures.failures += 1
                    self.disk.failing_until = detangle.now() + detangle.uniform(0, 4)

    async def _cut(self) -> None:
        net, player = detangle.network(), detangle.choice(self.players)
        self.figures.partitions += 1
        net.partition([player.device_host], ["srv"])
        await asyncio.sleep(detangle.uniform(0.05, 12.0))
        net.heal()

    # --- the end ---------------------------------------------------------------------

    def check(self) -> None:
        """Compare the log with what the clients sent and received."""
        log = self.disk.written.get(self.players[0].device.view.code, [])
        for player in self.players:
            player.device.note_board()
        found = faults(
            log, [one.observed for one in self.players if one.observed.member]
        )
        if found:
            raise BrokenPromise("; ".join(found[:5]))

    async def run(self) -> Figures:
        """Race while everything fails, then wait until everything is acknowledged."""
        self.start()
        first = Player("a", m.Create(name="Ann", rules=RULES), self.races)
        self.players.append(first)
        playing = [asyncio.create_task(first.play())]
        while not first.device.view.welcomed:
            await asyncio.sleep(0.1)
        code = first.device.view.code
        for name in "bc"[: detangle.randint(0, 2)]:
            player = Player(name, m.Join(code=code, name=name), self.races)
            self.players.append(player)
            playing.append(asyncio.create_task(player.play()))
        failures = asyncio.create_task(self.inject_failures())
        parts = [*playing, failures, asyncio.create_task(self._wait_for_results())]
        done, _ = await asyncio.wait(parts, return_when=asyncio.FIRST_COMPLETED)
        for one in done:
            one.result()
        failures.cancel()
        await self._settle()
        for one in playing:
            one.cancel()
        return self._figures()

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
        detangle.network().restart("srv")
        if self.process.dead:
            self.start()
        self.disk.failing_until = 0.0
        for player in self.players:
            player.calm = True
        until = detangle.now() + SETTLE_S
        while not all(player.settled for player in self.players):
            if detangle.now() > until:
                raise BrokenPromise("a slide is never acknowledged")
            await asyncio.sleep(0.5)
        await asyncio.sleep(5.0)
        self.check()

    def _figures(self) -> Figures:
        figures = self.figures
        figures.raced_s, figures.commits = self.disk.raced_s, self.disk.commits
        figures.races = len(self.disk.races)
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


async def _run(races: int) -> Figures:
    numbers = count()

    def factory(loop: asyncio.AbstractEventLoop, coro: Any, **how: Any) -> _Task:
        return _Task(coro, loop=loop, number=next(numbers), **how)

    asyncio.get_running_loop().set_task_factory(factory)
    return await Run(races).run()


def simulate(seed: int, races: int = 2) -> Figures:
    """Simulate one run.

    Args:
        seed: the same seed gives the same run, step by step.
        races: how many races the players finish.

    Raises:
        BrokenPromise: a promise was broken, or something in this run raised.
    """
    tcp_timeout = (0.05, 0.05, 2.0, 20.0)[seed % 4]
    config = detangle.SimConfig(
        max_steps=STEPS,
        net=detangle.NetConfig(
            latency=(0.003, 0.12), fragment=0.1, tcp_timeout=tcp_timeout
        ),
    )
    strategy = detangle.RandomWalk(seed)
    strategy.start(0)
    result = detangle.execute(_run, (races,), config=config, strategy=strategy)
    if result.failure is not None:
        raise BrokenPromise(f"seed {seed}: {result.failure.message}") from (
            result.failure.exception
        )
    assert isinstance(result.value, Figures)
    return result.value


def run_or_report(seed: int, races: int = 2) -> tuple[Figures, str]:
    """Return the figures of a run and "", or what was broken and how to replay it."""
    try:
        return simulate(seed, races), ""
    except BrokenPromise as broken:
        again = f"replay: python -m tests.simulation --replay {seed}"
        return Figures(), f"{broken}\n{again}"


def silence_logs() -> None:
    """Suppress the warnings of servers that crash in the middle of their work."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore", RuntimeWarning)
    sys.unraisablehook = lambda _: None
