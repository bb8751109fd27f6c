"""Measure several nodes: `python -m tests.bench cluster`.

Nodes, broker and load driver share the machine's cores, so moves per second say little;
moves per CPU second of the nodes show what a second node costs. `near`: all players of
a room connect to the node that serves it, as behind a proxy that hashes the code.
`far`: half of them connect to the other node.
"""

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any

from tests.bench.driver import Driver, Member, opened
from tests.bench.servers import CORES, Process, Usage, serving
from tests.nats_server import Brokers, brokers
from tests.postgres import postgres_server

from sliderace_server.signing_key import KEY_FILE

__all__ = ["figures_of"]

ROOMS, PLAYERS = 60, 4
WARM_UP_S = 0.5
PACE = 5.0
"""Slides per second and player for the latency: well below the nodes' capacity."""
RULES = {"size": "4x4", "countdown_ms": 3000, "limit_ms": 0}

Figures = dict[str, Any]


@contextlib.contextmanager
def nodes_of(broker: Brokers, results: str, count: int) -> Generator[list[Process]]:
    """Run so many nodes on all cores; `results` is the URL of their database."""
    with contextlib.ExitStack() as stack:
        nodes: list[Process] = []
        keys = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for number in range(count):
            folder = keys / str(number)
            folder.mkdir()
            if number:
                shutil.copy(keys / "0" / KEY_FILE, folder)
            options = ["--cluster", ",".join(broker.urls), "--node", f"n{number}"]
            options += ["--results", results, "--data", str(folder)]
            nodes.append(stack.enter_context(serving("product", options)))
        for node in nodes:
            os.sched_setaffinity(node.process.pid, CORES)
        yield nodes


def racing(nodes: list[Process], *, far: bool) -> list[Member]:
    """Begin a race in each of `ROOMS` rooms; return all players."""
    create = {"as": "create", "name": "H", "role": "player", "rules": RULES}
    players: list[Member] = []
    for number, node in enumerate(nodes):
        other = nodes[number - 1] if far else node
        hosts = opened(node, [create] * (ROOMS // len(nodes)))
        joins = [
            {"as": "join", "code": host.welcome["code"], "name": "P", "role": "player"}
            for host in hosts
        ]
        players += hosts
        for place in (node, other, other):
            players += opened(place, joins)
    for one in players:
        one.say({"t": "ready", "race": one.welcome["race"]})
    for one in players:
        one.prepare(one.welcome["race"], one.wait_for("board")["board"])
    time.sleep(0.5)  # some boards are sent shortly before T0
    return players


def moves(
    broker: Brokers, results: str, count: int, seconds: float, *, far: bool
) -> Figures:
    """Return moves per CPU second of all nodes, and the latency at a steady pace."""
    with nodes_of(broker, results, count) as nodes:
        (probe,) = opened(nodes[0], [{"as": "create", "name": "Probe", "rules": RULES}])
        players = racing(nodes, far=far)
        steady = Driver(players, probe, PACE)
        steady.run(WARM_UP_S)
        paced = steady.run(seconds)
        driver = Driver(players, probe, 0)
        driver.run(WARM_UP_S)
        before = _cpu_s(nodes, broker)
        figures = driver.run(seconds)
        used, by_broker = (
            after - earlier
            for after, earlier in zip(_cpu_s(nodes, broker), before, strict=True)
        )
        driver.close()
    return {
        "moves_s": round(figures.acks / figures.seconds),
        "moves_per_cpu_s": round(figures.acks / used),
        "nodes_cpu": round(used / figures.seconds, 2),
        "broker_cpu": round(by_broker / figures.seconds, 2),
        "ack_p50_ms": _quantile(paced.ack, 0.5),
        "ack_p99_ms": _quantile(paced.ack, 0.99),
    }


def _quantile(values: Iterable[float], share: float) -> float:
    ordered = sorted(values)
    return round(ordered[int(share * len(ordered))] * 1e3, 2)


def _cpu_s(nodes: list[Process], broker: Brokers) -> tuple[float, float]:
    return sum(node.cpu_s for node in nodes), sum(
        Usage(pid).cpu_s for pid in broker.pids
    )


def figures_of(seconds: float) -> Figures:
    """Return all figures."""
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    with brokers() as broker, postgres_server() as postgres:
        place = broker, postgres.url()
        return {
            "one": moves(*place, 1, seconds, far=False),
            "two_near": moves(*place, 2, seconds, far=False),
            "two_far": moves(*place, 2, seconds, far=True),
        }
