"""Measure one race with many spectators: `python -m tests.bench crowd`.

There are 5,000 spectators and three nodes. A third of the spectators connect to the
node that serves the race, and the others to the other two nodes. Frames are counted in
what that node sends to each of the others.
"""

import asyncio
import os
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nats.aio.msg import Msg
from tests.bench.cluster import RULES, WARM_UP_S, nodes_of
from tests.bench.driver import Driver, opened
from tests.bench.servers import Usage
from tests.nats_server import brokers
from tests.postgres import postgres_server

from sliderace_server.cluster.connection import connected
from sliderace_server.cluster.forwarding import Down, Frame, Group
from sliderace_server.cluster.wire import decode_to_node

__all__ = ["figures_of"]

NODES, PLAYERS, SPECTATORS = 3, 4, 5_000
FEW = 10
"""Spectators that join at once: each gets a snapshot of a large room."""
PACE = 3.0
"""Slides per second and player, as people make them."""


@dataclass
class Sent:
    """What one node sends to the clients of another one."""

    messages: int = 0
    to_groups: int = 0
    to_one: int = 0
    groups: int = 0


class Listener(threading.Thread):
    """Counts what each node sends to each other one, in a thread.

    Args:
        urls: the brokers.
    """

    def __init__(self, urls: Sequence[str]) -> None:
        super().__init__()
        self.sent: dict[str, Sent] = {}
        self.bytes: Counter[str] = Counter()
        self.counting = False
        self.ready = threading.Event()
        self.end = threading.Event()
        self._urls = urls

    def run(self) -> None:
        """Listen until `end` is set."""
        asyncio.run(self._listen())

    async def _listen(self) -> None:
        async with connected(self._urls, node="listener") as connection:
            await connection.client.subscribe(  # pyright: ignore[reportUnknownMemberType]
                "sr.node.*", cb=self._count
            )
            await connection.client.flush()
            self.ready.set()
            await asyncio.to_thread(self.end.wait)

    async def _count(self, message: Msg) -> None:
        down = decode_to_node(message.data)
        if not self.counting or not isinstance(down, Down):
            return
        target = message.subject.split(".")[2].partition("-")[0]
        path = f"{down.source.partition('-')[0]} to {target}"
        self.bytes[path] += len(message.data)
        sent = self.sent.setdefault(path, Sent())
        sent.messages += 1
        for entry in down.entries:
            if isinstance(entry, Group):
                sent.groups += 1
            elif isinstance(entry, Frame) and entry.conn:
                sent.to_one += 1
            elif isinstance(entry, Frame):
                sent.to_groups += 1


def figures_of(seconds: float, spectators: int = SPECTATORS) -> dict[str, Any]:
    """Return all figures."""
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    with (
        brokers() as broker,
        postgres_server() as postgres,
        nodes_of(broker, postgres.url(), NODES) as nodes,
    ):
        probe, host = opened(
            nodes[0], [{"as": "create", "name": "H", "rules": RULES}] * 2
        )
        host.player = True
        code = {"as": "join", "code": host.welcome["code"], "name": "P"}
        players = [
            host,
            *opened(nodes[0], [{**code, "role": "player"}] * (PLAYERS - 1)),
        ]
        members = [*players]
        joins = [{**code, "role": "spectator"}] * FEW
        for number in range(spectators // FEW):
            readers = () if number % FEW else (probe, *members)
            members += opened(nodes[number % NODES], joins, readers)
        for one in players:
            one.say({"t": "ready", "race": host.welcome["race"]})
        for one in players:
            one.prepare(host.welcome["race"], one.wait_for("board")["board"])
        listener = Listener(broker.urls)
        listener.start()
        listener.ready.wait()
        driver = Driver(members, probe, PACE)
        driver.run(WARM_UP_S)
        before = [one.cpu_s for one in nodes]
        broker_s = sum(Usage(pid).cpu_s for pid in broker.pids)
        listener.counting = True
        played = driver.run(seconds)
        listener.counting = False
        used = [one.cpu_s - old for one, old in zip(nodes, before, strict=True)]
        broker_s = sum(Usage(pid).cpu_s for pid in broker.pids) - broker_s
        listener.end.set()
        listener.join()
        driver.close()
    paths = {
        path: {
            "messages_s": round(sent.messages / played.seconds, 1),
            "frames_to_groups_s": round(sent.to_groups / played.seconds, 1),
            "frames_to_one_s": round(sent.to_one / played.seconds, 1),
            "groups": sent.groups,
            "kib_s": round(listener.bytes[path] / played.seconds / 1_024, 1),
        }
        for path, sent in listener.sent.items()
        if path.startswith("n0")
    }
    return {
        "spectators": len(members) - PLAYERS,
        "seconds": round(played.seconds, 1),
        "moves_s": round(played.acks / played.seconds, 1),
        "frames_to_clients_s": round(played.frames / played.seconds),
        "owner_cpu": round(used[0] / played.seconds, 3),
        "others_cpu": [round(one / played.seconds, 3) for one in used[1:]],
        "broker_cpu": round(broker_s / played.seconds, 3),
        "paths": paths,
    }
