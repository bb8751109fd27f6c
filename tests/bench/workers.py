"""Measure several workers: `python -m tests.bench workers`.

The parent and the workers share two cores with the load driver, so moves per second say
little; moves per CPU second of all server processes show what a second process costs.
"""

import os
import signal
import time
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from tests.bench.driver import Driver, Member, opened
from tests.bench.servers import CORES, Process, Usage, serving

from sliderace_server.registry.codes_in_use import draw
from sliderace_server.storage.placement import worker_of

WORKERS = 2
ROOMS, PLAYERS = 100, 4
JOINS = 1_500
WARM_UP_S = 0.5
TARGETS = [
    next(code for code in draw(b"targets") if worker_of(code, WORKERS) == worker)
    for worker in range(WORKERS)
]
"""A room code for each worker, which gets the requests that name it."""
RETRY_S = 0.05
RULES = {"size": "4x4", "countdown_ms": 3000, "limit_ms": 0}

Enter = dict[str, Any]


def cpu_s(process: int) -> float:
    """Return the CPU seconds of a process, more exactly than its clock ticks."""
    return int(Path(f"/proc/{process}/schedstat").read_text().split()[0]) / 1e9


class Server:
    """A server with all its processes.

    Args:
        server: its first process.
        workers: how many workers it has.
    """

    def __init__(self, server: Process, workers: int = WORKERS) -> None:
        self.parent = server.process.pid
        while len(self.workers) < workers:  # they are about to start
            time.sleep(0.01)
        for one in (self.parent, *self.workers):
            os.sched_setaffinity(one, CORES)

    @property
    def workers(self) -> list[int]:
        return sorted(one.pid for one in Usage(self.parent).children())

    @property
    def cpu_s(self) -> float:
        return sum(map(cpu_s, (self.parent, *self.workers)))


def room_of(enter: Enter) -> str:
    """Return the path of a client that names its room."""
    return f"/ws?room={enter['code']}"


def unnamed(_: Enter) -> str:
    """Return the path of a client that does not know about workers."""
    return "/ws"


def hosts(server: Process, count: int) -> list[Member]:
    """Open rooms, in all workers in turn."""
    targets = cycle(TARGETS)
    create = {"as": "create", "name": "H", "role": "player", "rules": RULES}
    return opened(
        server,
        (create for _ in range(count)),
        path=lambda _: f"/ws?room={next(targets)}",
    )


def racing(server: Process) -> list[Member]:
    """Begin a race in each of `ROOMS` rooms; return all players."""
    first = hosts(server, ROOMS)
    joins = [
        {"as": "join", "code": host.welcome["code"], "name": "P", "role": "player"}
        for host in first
        for _ in range(PLAYERS - 1)
    ]
    players = [*first, *opened(server, joins, path=room_of)]
    for one in players:
        one.say({"t": "ready", "race": one.welcome["race"]})
    for one in players:
        one.prepare(one.welcome["race"], one.wait_for("board")["board"])
    time.sleep(0.5)  # some boards are sent shortly before T0
    return players


def moves(workers: int, seconds: float) -> dict[str, float]:
    """Return moves per second, and per CPU second of all server processes."""
    # Without flushes of the disk, for which both would wait in the same way.
    options = ["--workers", str(workers), "--durability", "process"]
    with serving("product", options) as server:
        all_of_it = Server(server, workers if workers > 1 else 0)
        (probe,) = hosts(server, 1)
        driver = Driver(racing(server), probe, 0)
        driver.run(WARM_UP_S)
        before = all_of_it.cpu_s
        figures = driver.run(seconds)
        used = all_of_it.cpu_s - before
        driver.close()
    return {
        "moves_s": round(figures.acks / figures.seconds),
        "moves_per_cpu_s": round(figures.acks / used),
        "server_cpu": round(used / figures.seconds, 2),
        "driver_cpu": round(figures.cpu / figures.seconds, 2),
    }


def joins() -> dict[str, float]:
    """Return the CPU of the parent, and of all processes, per join in us."""
    found: dict[str, float] = {}
    with serving("product", ["--workers", str(WORKERS)]) as server:
        all_of_it = Server(server)
        rooms = hosts(server, JOINS // 8)
        codes = [host.welcome["code"] for host in rooms]
        enters = [
            {"as": "join", "code": code, "name": "P", "role": "spectator"}
            for code in islice(cycle(codes), JOINS)
        ]
        members: list[Member] = []  # or their ends would be counted too
        for name, path in (("named", room_of), ("passed_on", unnamed)):
            before = all_of_it.cpu_s, cpu_s(all_of_it.parent)
            members += opened(server, enters, path=path)
            after = all_of_it.cpu_s, cpu_s(all_of_it.parent)
            used, parent = (b - a for a, b in zip(before, after, strict=True))
            found[f"{name}_parent_us"] = round(parent / JOINS * 1e6, 1)
            found[f"{name}_join_us"] = round(used / JOINS * 1e6)
    return found


def killed() -> dict[str, float]:
    """Return after how many seconds the players of a killed worker race again."""
    with serving("product", ["--workers", str(WORKERS)]) as server:
        victim = Server(server).workers[1]
        resumes = [
            {"as": "resume", "code": one.welcome["code"], "token": one.welcome["token"]}
            for one in racing(server)
            if worker_of(one.welcome["code"], WORKERS) == 1
        ]
        began = time.perf_counter()
        os.kill(victim, signal.SIGKILL)
        back: list[float] = []
        for some in (resumes[:1], resumes[1:]):
            for one in resumed(server, some):
                one.wait_for("snapshot")
            back.append(time.perf_counter() - began)
    first, last = (round(seconds, 2) for seconds in back)
    return {"players": len(resumes), "first_back_s": first, "all_back_s": last}


def resumed(server: Process, resumes: list[Enter]) -> list[Member]:
    """Let players resume; what the killed worker had not read is lost."""
    while True:
        try:
            return opened(server, resumes, path=room_of)
        except ConnectionError:
            time.sleep(RETRY_S)


def figures_of(seconds: float) -> dict[str, Any]:
    """Return all figures."""
    return {
        "one": moves(1, seconds),
        "two": moves(WORKERS, seconds),
        **joins(),
        **killed(),
    }
