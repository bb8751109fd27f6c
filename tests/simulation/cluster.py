"""Nodes of a cluster that crash, stop, drain and are partitioned, and their players.

Each node is the unmodified server; the logs, the results and the bus are simulated. A
node that the others do not hear any more still reaches the log, and others take its
rooms over: only the log's compare-and-set keeps two nodes from acknowledging different
slides.
"""

import asyncio
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import detangle
from detangle._context import current_host
from tests.simulation.machine import Machine, Process
from tests.simulation.players import Player
from tests.simulation.run import CONFIG, Figures, Run

from sliderace.protocol import messages as m
from sliderace_server.app import running
from sliderace_server.cluster.bus import Broker, InProcessBus
from sliderace_server.cluster.node import Cluster
from sliderace_server.storage import StoreRefused

__all__ = ["ClusterRun"]

LOST = 0.002
"""Share of the bus's messages that are lost, and of those that arrive twice."""
BUS_S = (0.0002, 0.004)
SKEW_MS = 100
"""Largest difference between the wall clocks of two nodes."""
RESTART_S = 1.0
"""Before a node that the others refuse starts again, as systemd does."""
PAUSE_S = 2.0
"""Players act faster than in `run`: what nodes do meanwhile costs more than a slide."""


FAILURES = (
    *(["crash"] * 4),
    *(["stop"] * 3),
    *(["split"] * 3),
    *("drain", "cut off", "broker", "leader", "results", "disk"),
)


@dataclass(slots=True)
class Node:
    """A node: its host, its process, its bus and the task that runs it."""

    host: str
    process: Process
    bus: InProcessBus
    task: asyncio.Task[None] | None = None

    def reconnect(self) -> None:
        """Connect to the broker again, unless the node has gone by then."""
        loop = asyncio.get_running_loop()
        after_s = detangle.uniform(0.0, 0.1)
        loop.call_later(after_s, self._reconnected, context=self.bus.context)

    def _reconnected(self) -> None:
        if self.task is not None and not (self.process.dead or self.task.done()):
            self.bus.open = True
            for call in self.bus.on_reconnect:
                call()


class ClusterRun(Run):
    """Several nodes with one store, and the players of several rooms.

    Args:
        nodes: how many nodes there are.
    """

    rooms = 4
    at_once = 2
    races = 3

    def __init__(self, nodes: int) -> None:
        super().__init__()
        self.hosts = [f"srv{number + 1}" for number in range(nodes)]
        self.settings = replace(CONFIG, memory=False)
        self.nodes: dict[str, Node] = {}
        self.machines = {host: _NodeMachine(host) for host in self.hosts}
        self.broker = Broker(self._paths)
        self.cut: set[frozenset[str]] = set()
        self.stopped = _StoppedHosts(asyncio.get_running_loop())
        self.draining: set[asyncio.Task[None]] = set()
        self.starts = 0

    async def run(self) -> Figures:
        """See `Run`; all nodes have the same key."""
        with tempfile.TemporaryDirectory() as folder:
            self.settings = replace(self.settings, data=folder)
            return await super().run()

    def _paths(self, source: str, target: str) -> Sequence[float]:
        """Return the delays of a message's copies; nodes are named `srv1-3`."""
        if detangle.now() < self.disk.silent_until:
            return ()
        ends = frozenset(one.partition("-")[0] for one in (source, target))
        if ends in self.cut or (len(ends) > 1 and detangle.flip(LOST)):
            return ()
        copies = 2 if detangle.flip(LOST) else 1
        return [detangle.uniform(*BUS_S) for _ in range(copies)]

    # --- the nodes -------------------------------------------------------------------

    def start(self) -> None:
        """Start all nodes that are not running."""
        for host in self.hosts:
            if host not in self.nodes:
                self.start_node(host)

    def start_node(self, host: str) -> None:
        """Start a node; what it has not committed is lost when it crashes."""
        detangle.network().restart(host)
        self.starts += 1
        bus = _at(host, lambda: self.broker.connect(f"{host}-{self.starts}"))
        self.nodes[host] = node = Node(host, Process(self.disk), bus)
        node.task = detangle.spawn(self._serve_node(node), host=host)

    async def _serve_node(self, node: Node) -> None:
        machine = self.machines[node.host]
        try:
            async with running(
                replace(self.settings, bind=node.host),
                store=node.process,
                clock=machine,
                entropy=machine.entropy,
                page={},
                processes=Cluster(node.bus.name, node.bus),
            ):
                await asyncio.get_running_loop().create_future()
        except StoreRefused:  # its messages were lost
            node.process.dead = True
        finally:
            node.bus.close()
        await asyncio.sleep(RESTART_S)
        if self.nodes.get(node.host) is node:
            self.start_node(node.host)

    def _fail(self) -> Node | None:
        """Return a node that is about to fail, if there are others that run."""
        if len(self.nodes) < 2:
            return None
        node = self.nodes.pop(detangle.choice(sorted(self.nodes)))
        self.disk.note_failure(node.process)
        return node

    async def crash(self) -> None:
        """Kill a node between any two instructions, and start another one."""
        if (node := self._fail()) is None:
            return
        node.process.dead = True
        node.bus.close()
        detangle.network().crash(node.host)
        self.figures.crashes += 1
        self.check()
        if detangle.flip(0.1):
            self.machines[node.host].reboot()
            self.figures.reboots += 1
        await asyncio.sleep(detangle.uniform(0.01, 4.0))
        self.start_node(node.host)

    async def _drain(self) -> None:
        """Stop a node in an orderly way, as for an upgrade, and start it again."""
        if (node := self._fail()) is None:
            return
        assert node.task is not None
        self.figures.drains += 1
        self.draining.add(node.task)
        node.task.cancel()
        await asyncio.wait([node.task])
        self.draining.discard(node.task)
        await asyncio.sleep(detangle.uniform(0.01, 2.0))
        self.start_node(node.host)

    async def _stop(self) -> None:
        """Stop a node as SIGSTOP does; resumed, it still believes that it serves."""
        if (node := self._fail()) is None:
            return
        self.figures.stops += 1
        self.stopped.stop(node.host)
        try:
            await asyncio.sleep(detangle.uniform(0.3, 6.0))
        finally:
            self.stopped.resume(node.host)
            self.nodes[node.host] = node

    async def _split(self) -> None:
        """Partition one node from some others; all still reach the log."""
        host = detangle.choice(self.hosts)
        others = [one for one in self.hosts if one != host]
        pairs = [frozenset((host, one)) for one in others]
        pairs = pairs[: detangle.randint(1, len(pairs))]
        self.figures.partitions += 1
        self.cut.update(pairs)
        await asyncio.sleep(detangle.uniform(0.3, 8.0))
        self.cut.difference_update(pairs)

    async def _broker_outage(self) -> None:
        """Let the broker answer nobody for a while; perhaps the nodes notice at once.

        What was sent to it may be stored.
        """
        self.figures.outages += 1
        back = detangle.now() + detangle.uniform(0.3, 5.0)
        self.disk.unsure_until = self.disk.silent_until = back
        noticing = [one for one in self.nodes.values() if detangle.flip(0.5)]
        for node in noticing:
            node.bus.open = False
        try:
            await asyncio.sleep(back - detangle.now())
        finally:
            for node in noticing:
                node.reconnect()

    async def inject_failures(self) -> None:
        """Inject one failure after the other, often two in a row."""
        disk = self.disk
        while True:
            soon = detangle.flip(0.45)
            await asyncio.sleep(detangle.uniform(0.0, 0.8 if soon else 15.0))
            until = detangle.now() + detangle.uniform(0.0, 4.0)
            match detangle.choice(FAILURES):
                case "crash":
                    await self.crash()
                case "stop":
                    await self._stop()
                case "split":
                    await self._split()
                case "drain":
                    await self._drain()
                case "cut off":
                    await self.cut_off()
                case "broker":
                    await self._broker_outage()
                case "leader":  # some appends are stored, others are not
                    self.figures.outages += 1
                    disk.unsure_until = until
                case "results":
                    self.figures.failures += 1
                    disk.results_failing_until = detangle.now() + 10.0
                case _:
                    self.figures.failures += 1
                    disk.failing_until = until

    async def heal(self) -> None:
        """End all failures."""
        disk = self.disk
        disk.failing_until = disk.unsure_until = disk.silent_until = 0.0
        disk.results_failing_until = 0.0
        self.cut.clear()
        if self.draining:
            await asyncio.wait(self.draining)
        self.start()

    def player(self, name: str, enter: m.Create | m.Join) -> Player:
        """Return a player whose devices connect to any node."""
        servers = [f"http://{one}:80" for one in self.hosts]
        return Player(name, enter, self.races, servers, PAUSE_S)


class _NodeMachine(Machine):
    """The clocks of one node: its own boot, and a wall clock that is a little off."""

    def __init__(self, host: str) -> None:
        super().__init__()
        self._host = host
        self._wall_step_ms = detangle.randint(0, SKEW_MS)
        self.boot = f"{host} {self.boot}"
        self._began = -detangle.uniform(1_000, 9_000)

    def reboot(self) -> None:
        super().reboot()
        self.boot = f"{self._host} {self.boot}"


class _StoppedHosts:
    """Stops hosts: whatever they would do next waits until they are resumed."""

    def __init__(self, loop: Any) -> None:
        self._loop = loop
        self._held: dict[str | None, list[tuple[Any, Any]]] = {}
        self._enqueue = loop._enqueue_lane

    def _hold(self, lane: Any, handle: Any) -> None:
        held = self._held.get(handle._context.get(current_host))
        if held is None:
            self._enqueue(lane, handle)
        else:
            held.append((lane, handle))

    def stop(self, host: str) -> None:
        """Stop a host."""
        self._held[host] = []
        self._loop._enqueue_lane = self._hold

    def resume(self, host: str) -> None:
        """Let a host go on where it was stopped."""
        for lane, handle in self._held.pop(host):
            self._enqueue(lane, handle)
        if not self._held:
            self._loop._enqueue_lane = self._enqueue


def _at(host: str, call: Callable[[], InProcessBus]) -> InProcessBus:
    """Call a function in the context of a host."""
    detangle.network().ensure_host(host)
    token = current_host.set(host)
    try:
        return call()
    finally:
        current_host.reset(token)
