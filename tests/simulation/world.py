"""A whole world from one number: a server that dies, people who race on, a checker.

The server and the clients are our own, unmodified, over the unmodified `websockets`;
network, time and chance are simulated.
"""

import asyncio
import logging
import sys
import warnings
from dataclasses import dataclass, fields
from itertools import count
from typing import Any

import detangle
from tests.checker import faults
from tests.simulation.devices import Person
from tests.simulation.machine import Disk, Machine, Process

from sliderace.protocol import messages as m
from sliderace_server.app import running
from sliderace_server.limits import Limits
from sliderace_server.settings import ServerSettings

__all__ = ["Figures", "Lost", "one_world", "quiet", "simulate"]

RULES = m.RulesPatch(
    size="3x2", start="ready", countdown_ms=3_000, limit_ms=0, away_ms=300_000
)
CONFIG = ServerSettings(
    bind="srv", port=80, memory=True, advertise=False, limits=Limits(ping_burst=5)
)
STEPS = 5_000_000
LONG_S = 3_000.0
"""A race that is not over by then hangs; one takes some minutes."""
QUIET_S = 200.0
"""Longest wait, once nothing fails any more, until everything is acked."""


class Lost(AssertionError):
    """A promise was broken in this world."""


@dataclass(slots=True)
class Figures:
    """What was simulated; figures of several worlds add up."""

    worlds: int = 0
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
        """Count another world in."""
        for field in fields(self):
            total = getattr(self, field.name) + getattr(other, field.name)
            setattr(self, field.name, total)


class World:
    """One server, its disk, and everybody in one room."""

    def __init__(self, races: int) -> None:
        self.figures = Figures(worlds=1)
        self.machine = Machine()
        self.disk = Disk()
        self.process = Process(self.disk)
        self.races = races
        self.people: list[Person] = []

    # --- the server ------------------------------------------------------------------

    def start(self) -> None:
        """Start a server; whatever it will not have committed dies with it."""
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

    # --- what goes wrong -------------------------------------------------------------

    async def fate(self) -> None:
        """One misfortune after the other."""
        while True:
            again = detangle.flip(0.45)  # misfortunes seldom come alone
            await asyncio.sleep(detangle.uniform(0.0, 0.8 if again else 30.0))
            match detangle.choice(["crash"] * 8 + ["cut", "disk"]):
                case "crash":
                    await self.crash()
                case "cut":
                    await self._cut()
                case _:
                    self.figures.failures += 1
                    self.disk.failing_until = detangle.now() + detangle.uniform(0, 4)

    async def _cut(self) -> None:
        net, person = detangle.network(), detangle.choice(self.people)
        self.figures.partitions += 1
        where = person.at
        net.partition([where], ["srv"])
        await asyncio.sleep(detangle.uniform(0.05, 12.0))
        net.heal()

    # --- the end ---------------------------------------------------------------------

    def check(self) -> None:
        """Compare the log with what everybody sent and saw."""
        log = self.disk.logs.get(self.people[0].device.view.code, [])
        for person in self.people:
            person.device.note_board()
        found = faults(log, [one.seen for one in self.people if one.seen.member])
        if found:
            raise Lost("; ".join(found[:5]))

    async def run(self) -> Figures:
        """Open a room, race in it while everything fails, then let it settle."""
        self.start()
        first = Person("a", m.Create(name="Ann", rules=RULES), self.races)
        self.people.append(first)
        playing = [asyncio.create_task(first.play())]
        while not first.device.view.welcomed:
            await asyncio.sleep(0.1)
        code = first.device.view.code
        for name in "bc"[: detangle.randint(0, 2)]:
            person = Person(name, m.Join(code=code, name=name), self.races)
            self.people.append(person)
            playing.append(asyncio.create_task(person.play()))
        misfortune = asyncio.create_task(self.fate())
        parts = [*playing, misfortune, asyncio.create_task(self._enough())]
        done, _ = await asyncio.wait(parts, return_when=asyncio.FIRST_COMPLETED)
        for one in done:
            one.result()
        misfortune.cancel()
        await self._settle()
        for one in playing:
            one.cancel()
        return self._figures()

    async def _enough(self) -> None:
        try:
            async with asyncio.timeout(LONG_S * self.races):
                for person in self.people:
                    await person.done.wait()
        except TimeoutError:
            where = ", ".join(person.where for person in self.people)
            raise Lost(f"the races do not end: {where}") from None

    async def _settle(self) -> None:
        """Nothing fails any more: now everything must come to rest."""
        detangle.network().heal()
        detangle.network().restart("srv")
        if self.process.dead:
            self.start()
        self.disk.failing_until = 0.0
        for person in self.people:
            person.calm = True
        until = detangle.now() + QUIET_S
        while not all(person.settled for person in self.people):
            if detangle.now() > until:
                raise Lost("somebody waits for an ack for ever")
            await asyncio.sleep(0.5)
        await asyncio.sleep(5.0)
        self.check()

    def _figures(self) -> Figures:
        figures = self.figures
        figures.raced_s, figures.commits = self.disk.raced_s, self.disk.commits
        figures.races = len(self.disk.races)
        for person in self.people:
            seen = person.seen
            figures.acked += sum(seen.acked.values())
            figures.slides += sum(len(one.slides) for one in seen.sent)
            figures.connections += sum(
                kind == "welcome" for device in seen.heard for kind, _, _ in device
            )
        return figures


class _Task(asyncio.Task[Any]):
    """A task that hashes by its number: by address, sets cancel in any order."""

    def __init__(self, *args: Any, number: int, **kwargs: Any) -> None:
        self._number = number
        super().__init__(*args, **kwargs)

    def __hash__(self) -> int:
        return self._number


async def _world(races: int) -> Figures:
    numbers = count()

    def factory(loop: asyncio.AbstractEventLoop, coro: Any, **how: Any) -> _Task:
        return _Task(coro, loop=loop, number=next(numbers), **how)

    asyncio.get_running_loop().set_task_factory(factory)
    return await World(races).run()


def simulate(seed: int, races: int = 2) -> Figures:
    """Simulate one world.

    Args:
        seed: the same one gives the same world, to the last bit.
        races: how many its people want to see the results of.

    Raises:
        Lost: a promise was broken, or something in this world failed.
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
    result = detangle.execute(_world, (races,), config=config, strategy=strategy)
    if result.failure is not None:
        raise Lost(f"seed {seed}: {result.failure.message}") from (
            result.failure.exception
        )
    assert isinstance(result.value, Figures)
    return result.value


def one_world(seed: int, races: int = 2) -> tuple[Figures, str]:
    """As `simulate`; a broken promise as text, with how to see it again."""
    try:
        return simulate(seed, races), ""
    except Lost as lost:
        again = f"replay: python -m tests.simulation --world {seed}"
        return Figures(), f"{lost}\n{again}"


def quiet() -> None:
    """Say nothing of servers that are killed: they leave much undone."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore", RuntimeWarning)
    sys.unraisablehook = lambda _: None
