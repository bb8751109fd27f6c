"""A day of a server in virtual time: `python -m tests.soak.day`.

Players open rooms, race and leave. At the end, the server holds no more tasks, rooms,
logs and objects than before.
"""

import asyncio
import gc
import sys
from dataclasses import dataclass
from types import FunctionType, ModuleType

import detangle
from tests.simulation.machine import Disk, Machine, Process
from tests.simulation.players import Player
from tests.simulation.run import CONFIG, RULES, BrokenPromise, silence_logs

from sliderace.protocol import messages as m
from sliderace_server.app import Server, running

DAY_S = 86_400.0
EVERY_S = 300.0
"""Seconds between two rooms: 288 rooms per day."""
STAY_S = 120.0
"""Longest stay of players; then most of them just disconnect."""
REST_S = 6 * 3_600.0 + 1_000.0
"""Time after which every room is closed: the longest timeout is 6 h."""


@dataclass(slots=True)
class Day:
    """What happened in that day."""

    rooms: int = 0
    races: int = 0
    slides: int = 0


async def _visit(number: int, day: Day) -> None:
    """Open a room with two players, race for a while, disconnect."""
    first = Player(f"a{number}x", m.Create(name="Ann", rules=RULES), 9)
    players = [first]
    playing = [asyncio.create_task(first.play())]
    first.calm = True
    while not first.device.view.online:
        await asyncio.sleep(0.5)
    day.rooms += 1
    code = first.device.view.code
    second = Player(f"b{number}x", m.Join(code=code, name="Ben"), 9)
    players.append(second)
    playing.append(asyncio.create_task(second.play()))
    first.calm = False
    await asyncio.sleep(detangle.uniform(5.0, STAY_S))
    for one in players:
        day.slides += sum(one.observed.acked.values())
        if detangle.flip(0.3):
            one.device.ask(m.Leave())
    await asyncio.sleep(1.0)
    for task, one in zip(playing, players, strict=True):
        task.cancel()
        one.stop()


async def _day() -> Day:
    day, disk, machine = Day(), Disk(), Machine()
    ready: asyncio.Future[Server] = asyncio.get_running_loop().create_future()

    async def serve() -> None:
        async with running(
            CONFIG,
            store=Process(disk),
            clock=machine,
            entropy=machine.entropy,
            page={},
        ) as server:
            ready.set_result(server)
            await asyncio.get_running_loop().create_future()

    serving = serve()
    detangle.spawn(serving, host="srv")
    server = await ready
    await _visit(0, day)
    await asyncio.sleep(REST_S)
    before = _measured(server, disk, serving)
    visits: set[asyncio.Task[None]] = set()
    for number in range(1, int(DAY_S / EVERY_S)):
        visit = asyncio.create_task(_visit(number, day))
        visits.add(visit)
        visit.add_done_callback(visits.discard)
        await asyncio.sleep(EVERY_S)
    busy = _measured(server, disk, serving)
    await asyncio.gather(*visits)
    await asyncio.sleep(REST_S)
    after = _measured(server, disk, serving)
    day.races = len(disk.races)
    print(f"before {before}\nbusy {busy}\nafter {after}\n{day}")
    if not (busy[0] and busy[-1] > before[-1]):
        raise BrokenPromise("nothing was measured")
    # Fewer are fine: the limits forget addresses.
    if any(now > then for now, then in zip(after, before, strict=True)):
        raise BrokenPromise(
            "something is left over"
        )  # fewer are fine: the limits forget addresses
    return day


def _measured(server: Server, disk: Disk, serving: object) -> tuple[int, ...]:
    """Count rooms, connections, logs, tasks, and objects that the server holds."""
    health = server.view.health()
    return (
        health["rooms"],
        health["connections"],
        len(disk.logs),
        len(asyncio.all_tasks()),
        _held(serving),
    )


def _held(root: object) -> int:
    """Count objects of our own that the running server can reach.

    Objects that only the simulator or a client holds do not count, because these keep
    every task and connection.
    """
    gc.collect()
    observed, waiting, count = {id(root)}, [root], 0
    while waiting:
        for one in gc.get_referents(_inner(waiting.pop())):
            module = str(type(one).__module__)
            if id(one) in observed or isinstance(one, _OUTSIDE):
                continue
            if module.startswith(("detangle", "tests.")):
                continue
            observed.add(id(one))
            waiting.append(one)
            count += module.startswith("sliderace_server")
    return count


_OUTSIDE = (ModuleType, type, asyncio.Future)


def _inner(one: object) -> object:
    """Replace a function by its closure, because a function refers to its module."""
    return one.__closure__ if isinstance(one, FunctionType) else one


def main() -> int:
    """Simulate one day; return 1 if something was left over."""
    silence_logs()
    config = detangle.SimConfig(
        reorder=False,
        max_steps=50_000_000,
        net=detangle.NetConfig(latency=(0.003, 0.12)),
    )
    strategy = detangle.RandomWalk(1)
    strategy.start(0)
    result = detangle.execute(_day, config=config, strategy=strategy)
    if result.failure is not None:
        print(result.failure.message)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
