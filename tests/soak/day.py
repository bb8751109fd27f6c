"""One day of a server's life in virtual time: `python -m tests.soak.day`.

Rooms are opened, raced in, left, forgotten. In the end everything is as it was before
the first of them: tasks, rooms, logs, and the objects that the server holds.
"""

import asyncio
import gc
import sys
from dataclasses import dataclass
from types import FunctionType, ModuleType

import detangle
from tests.simulation.devices import Person
from tests.simulation.machine import Disk, Machine, Process
from tests.simulation.world import CONFIG, RULES, Lost, quiet

from sliderace.protocol import messages as m
from sliderace_server.app import Server, running

DAY_S = 86_400.0
EVERY_S = 300.0
"""Between two rooms: two hundred and ninety a day."""
STAY_S = 120.0
"""How long people stay; then they go, mostly without a word."""
REST_S = 6 * 3_600.0 + 1_000.0
"""After this any room is closed, however it was left (DESIGN 4)."""


@dataclass(slots=True)
class Day:
    """What the day brought."""

    rooms: int = 0
    races: int = 0
    slides: int = 0


async def _visit(number: int, day: Day) -> None:
    """Two people open a room, race for a while, and are gone."""
    first = Person(f"a{number}x", m.Create(name="Ann", rules=RULES), 9)
    people = [first]
    playing = [asyncio.create_task(first.play())]
    first.calm = True
    while not first.device.view.online:
        await asyncio.sleep(0.5)
    day.rooms += 1
    code = first.device.view.code
    second = Person(f"b{number}x", m.Join(code=code, name="Ben"), 9)
    people.append(second)
    playing.append(asyncio.create_task(second.play()))
    first.calm = False
    await asyncio.sleep(detangle.uniform(5.0, STAY_S))
    for one in people:
        day.slides += sum(one.seen.acked.values())
        if detangle.flip(0.3):
            one.device.ask(m.Leave())
    await asyncio.sleep(1.0)
    for task, one in zip(playing, people, strict=True):
        task.cancel()
        one.switch_off()


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
        raise Lost("this measures nothing")
    if any(now > then for now, then in zip(after, before, strict=True)):
        raise Lost("something is left over")  # less is no loss: addresses are forgotten
    return day


def _measured(server: Server, disk: Disk, serving: object) -> tuple[int, ...]:
    """Rooms, connections, logs, tasks, and objects that the server holds."""
    health = server.registry.health()
    return (
        health["rooms"],
        health["connections"],
        len(disk.logs),
        len(asyncio.all_tasks()),
        _held(serving),
    )


def _held(root: object) -> int:
    """Objects of ours that can be reached from the running server.

    What only the simulator or a client still holds does not count: they remember
    every task and connection there ever was.
    """
    gc.collect()
    seen, waiting, count = {id(root)}, [root], 0
    while waiting:
        for one in gc.get_referents(_inner(waiting.pop())):
            module = str(type(one).__module__)
            if id(one) in seen or isinstance(one, _OUTSIDE):
                continue
            if module.startswith(("detangle", "tests.")):
                continue
            seen.add(id(one))
            waiting.append(one)
            count += module.startswith("sliderace_server")
    return count


_OUTSIDE = (ModuleType, type, asyncio.Future)


def _inner(one: object) -> object:
    """A function's own cells, not all the names of its module."""
    return one.__closure__ if isinstance(one, FunctionType) else one


def main() -> int:
    """Live through one day; 1 when something was left over."""
    quiet()
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
