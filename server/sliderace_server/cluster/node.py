"""A node of a cluster: it serves rooms, and forwards connections to other nodes.

Every node runs the same program, accepts any connection, and serves some of the rooms.
This module is the shell around `ownership` (the rules), `forwarding` (the connections)
and `wire` (the messages).

Rules:

- A node that serves a room has subscribed to `cmd.CODE`. It subscribes before it reads
  the room's log, so a room that is being taken over never seems to be lost.
- A node serves a room once it has read the log. It sends nothing to anybody before the
  new epoch is in the log; if another node was faster, this append is refused, and all
  connections are closed with 1012.
- After a stall, and after the loss of the connection to the bus, a node compares its
  rooms with their logs: other nodes may have taken them over.
- A node that drains first stores everything, then stops serving, then closes its
  connections. So the next node never has to wait.
- A slow sweep finds the rooms that nobody asks for: their deadlines must pass, too.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Protocol, TypeVar

from sliderace.protocol.codec import encode_command
from sliderace.protocol.messages import Hello
from sliderace.protocol.room_code import LENGTH
from sliderace_server.clock import Timer, WatchedClock
from sliderace_server.cluster.bus import (
    Bus,
    BusUnavailable,
    NoResponders,
    Reply,
    TimedOut,
    Unsubscribe,
)
from sliderace_server.cluster.forwarding import (
    SERVICE_RESTART,
    Down,
    Downlink,
    DownlinkReceiver,
    Forwarded,
    Open,
    ServedSession,
    Serving,
    Up,
    Uplink,
    UpReply,
)
from sliderace_server.cluster.ownership import (
    HEARTBEAT_MS,
    LATE_MS,
    SETTLE_MS,
    Call,
    GiveUp,
    Nodes,
    Outcome,
    Search,
    Step,
    TakeOver,
)
from sliderace_server.cluster.wire import (
    Ask,
    AskReply,
    Fetch,
    FetchReply,
    Heartbeat,
    Take,
    TakenOver,
    TakeReply,
    bounded,
    decode_heartbeat,
    decode_reply,
    decode_to_node,
    decode_to_room,
    encode,
)
from sliderace_server.http.routes import Answer, Request
from sliderace_server.live_room.subscriber import Peer
from sliderace_server.metrics import Metrics
from sliderace_server.registry.processes import Processes, Remote, Report, key_of
from sliderace_server.storage import StorageUnavailable, StoreRefused
from sliderace_server.storage.log_writer import Spawn

__all__ = ["Cluster", "Link", "Rooms"]

_log = logging.getLogger(__name__)

CALL_S = 1.0
"""For a reply of another node, which usually takes a millisecond."""
ASK_S = 0.5
"""For a reply of a node that is late or did not reply before."""
TAKE_S = 5.0
"""For the takeover of a room: the node reads its log, which has two races at most."""
JOIN_S = 0.2
"""For the first heartbeats of the other nodes, which answer a new node at once."""
MAX_SKEW_MS = 250
"""Between the clocks of two nodes: the time of a room moves with it to another node."""
ANNOUNCE_S = 1.0
"""Before a node announces a takeover: by then its epoch is in the log."""
SWEEP_MS = 15_000
"""Between two searches for rooms that nobody serves."""
MAX_OWNERS = 10_000
"""Rooms whose owner a node remembers."""

_T = TypeVar("_T")


class Rooms(Protocol):
    """The rooms of this node."""

    def has(self, code: str) -> bool:
        """Return whether this node serves a room."""
        ...

    async def take_over(self, code: str) -> bool:
        """Serve a room from its log; return whether there is such a room.

        Raises:
            StorageUnavailable: the log cannot be read.
        """
        ...

    async def check_logs(self, only: str = "") -> None:
        """Give up the rooms that another node has taken over.

        Args:
            only: code of the only room to check; empty: all.
        """
        ...

    async def logged(self) -> list[str]:
        """Return the codes of all rooms that have a log.

        Raises:
            StorageUnavailable: they cannot be read.
        """
        ...


@dataclass(slots=True)
class Link:
    """What connects this node to another one.

    Attributes:
        uplink: to it, for clients of this node.
        receiver: of what it sends to clients of this node.
        serving: the connections of its clients that this node serves.
        report: its latest report.
        other_settings: names of its settings that differ from ours.
    """

    uplink: Uplink
    receiver: DownlinkReceiver
    serving: Serving
    report: Report | None = None
    other_settings: Sequence[str] = ()


class Cluster(Processes):
    """A node of a cluster; see `Processes`.

    Args:
        name: identifies this node; after a restart it has another name.
        bus: its connection to the other nodes.

    Attributes:
        nodes: what it knows about the other nodes.
        links: to the other nodes, by name.
    """

    takes_over = True

    def __init__(self, name: str, bus: Bus) -> None:
        self.name = name
        self.nodes = Nodes(name)
        self.links: dict[str, Link] = {}
        self._bus = bus
        self._numbers = count(1)
        self._forwarded: dict[int, Forwarded] = {}
        self._owners: dict[str, str] = {}
        self._searches: dict[str, asyncio.Future[str | None]] = {}
        self._taking: dict[str, asyncio.Future[bool]] = {}
        self._rooms: dict[str, Unsubscribe] = {}
        self._reconnected_ms = -SETTLE_MS
        self._timer: Timer | None = None
        self._subscriptions: list[Unsubscribe] = []
        self._cpu = (0.0, 0)
        self._sweep_at_ms = 0
        self._settings: dict[str, str] = {}
        self._joined = False

    # --- joining and leaving ---------------------------------------------------------

    async def join(
        self,
        rooms: Rooms,
        clock: WatchedClock,
        entropy: Callable[[int], bytes],
        spawn: Spawn,
        metrics: Metrics,
        key: str,
        new_session: Callable[[Peer], ServedSession],
        before_flush: Callable[[Callable[[], None]], None],
        answer: Callable[[Request], Awaitable[Answer]],
    ) -> None:
        """Join the cluster.

        Args:
            rooms: the rooms of this node.
            clock: its clock.
            entropy: returns that many random bytes.
            spawn: starts a task in the server's task group.
            metrics: its metrics.
            key: the public key with which it signs race records.
            new_session: makes the session of a connection at another node.
            before_flush: calls a function at the end of this turn of the event loop.
            answer: answers an HTTP request that another node has accepted.

        Raises:
            StoreRefused: its clock or key differs from that of another node, or it
                cannot or may not use the bus.
        """
        self._local, self._clock, self._spawn = rooms, clock, spawn
        self._entropy = entropy
        self._metrics, self._key, self._new_session = metrics, key, new_session
        self._before_flush, self._answer = before_flush, answer
        now = clock.now_ms()
        self._cpu = (clock.cpu_s(), now)
        self._sweep_at_ms = now + SWEEP_MS
        spawn(self._bus.run())
        try:
            await self._meet(clock)
        except BusUnavailable as error:
            raise StoreRefused(f"the brokers do not answer: {error}") from None
        self._bus.on_reconnect.append(self._reconnected)
        clock.on_stall.append(self._stalled)
        self._joined = True
        self._beat()

    async def _meet(self, clock: WatchedClock) -> None:
        """Listen on the bus, and compare this node with those that are there.

        Raises:
            StoreRefused: see `join`.
            BusUnavailable: there is no connection.
        """
        subscribe = self._bus.subscribe
        self._subscriptions = [
            await subscribe(f"node.{self.name}", self._receive),
            await subscribe("hb", self._hear),
        ]
        await self._check_bus()
        self._send_heartbeat(draining=True)
        await clock.sleep(JOIN_S)
        for other in self.nodes.live(clock.now_ms()):
            await self._compare(other)

    async def _check_bus(self) -> None:
        """Check that messages arrive; brokers discard those that a user may not send.

        Raises:
            StoreRefused: they do not.
        """
        try:
            await self._request(f"node.{self.name}", Ask(), TAKE_S, AskReply)
        except (NoResponders, TimedOut):
            raise StoreRefused(
                "messages between nodes do not arrive; let the brokers' user publish "
                "and subscribe to all subjects that begin with the cluster's prefix"
            ) from None

    async def _compare(self, other: str) -> None:
        """Compare clock and key with those of another node.

        Raises:
            StoreRefused: they differ too much.
        """
        began = self._clock.now_ms()
        try:
            reply = await self._request(f"node.{other}", Ask(), ASK_S, AskReply)
        except (NoResponders, TimedOut, BusUnavailable):
            return
        took_ms = self._clock.now_ms() - began
        skew_ms = reply.wall_ms - (self._clock.wall_ms() - took_ms // 2)
        if abs(skew_ms) - took_ms > MAX_SKEW_MS:
            raise StoreRefused(
                f"the clock differs from that of node {other} by {abs(skew_ms)} ms, "
                f"but may differ by at most {MAX_SKEW_MS} ms; set both clocks by NTP"
            )
        if reply.key != self._key:
            raise StoreRefused(
                f"node {other} signs race records with another key; all nodes of a "
                "cluster need the same key file"
            )

    def drain(self) -> None:
        """Take no more rooms: this node is about to leave."""
        self.nodes.draining = True
        self._send_heartbeat()

    async def leave(self) -> None:
        """Stop serving, and close all forwarded connections; everything is stored."""
        if not self._joined:
            return
        for unsubscribe in self._rooms.values():
            unsubscribe()
        self._rooms.clear()
        for link in self.links.values():
            link.serving.close()
        if self._timer is not None:
            self._timer.cancel()
        for unsubscribe in self._subscriptions:
            unsubscribe()
        await self._bus.flush()

    # --- Processes -------------------------------------------------------------------

    def serves(self, key: str) -> bool:
        """See `Processes`."""
        if len(key) == LENGTH:
            return self._local.has(key)
        return self.nodes.home(key, self._clock.now_ms()) == self.name

    async def home(self, key: str) -> str | None:
        """See `Processes`.

        Raises:
            StorageUnavailable: it cannot be found now.
        """
        if self.serves(key):
            return None
        if len(key) != LENGTH:
            return self.nodes.home(key, self._clock.now_ms())
        return await _once(self._searches, key, self._find)

    def pass_on(self, peer: Peer, home: str, hello: Hello) -> Remote | None:
        """See `Processes`."""
        number, key = next(self._numbers), key_of(hello) or ""
        uplink = self._link(home).uplink
        uplink.restore()
        forwarded = _Connection(number, home, peer, uplink, self._forwarded)
        self._forwarded[number] = forwarded
        code = key if len(key) == LENGTH else ""
        first = encode_command(hello).encode()
        uplink.add(Open(number, peer.address, peer.host, first, code))
        self._metrics.count("forwarded")
        return forwarded

    async def answer(self, code: str, request: Request) -> Answer | None:
        """See `Processes`."""
        try:
            home = await self.home(code)
            if home is None:
                return None
            subject = f"node.{home}"
            return (
                await self._request(subject, Fetch(request), CALL_S, FetchReply)
            ).answer
        except (NoResponders, TimedOut, BusUnavailable) as error:
            raise StorageUnavailable(f"the room cannot be reached: {error}") from None

    def owns(self, code: str) -> bool:  # noqa: ARG002
        """See `Processes`."""
        return True

    def place(self, address: str) -> str | None:  # noqa: ARG002
        """See `Processes`."""
        chance = int.from_bytes(self._entropy(4))
        chosen = self.nodes.place(self._clock.now_ms(), chance)
        return None if chosen == self.name else chosen

    def report(self, current: Callable[[], Report]) -> None:
        """See `Processes`."""
        if self._joined:
            report = bounded(current())
            self._settings = report.settings
            self._send_heartbeat(report)

    def reports(self) -> Collection[Report]:
        """See `Processes`."""
        live = self.nodes.live(self._clock.now_ms())
        reports = (self.links[name].report for name in live)
        return [report for report in reports if report is not None]

    def skew_ms(self) -> int:
        """See `Processes`."""
        return self.nodes.skew_ms(self._clock.now_ms())

    def other_settings(self) -> list[str]:
        """See `Processes`."""
        live = self.nodes.live(self._clock.now_ms())
        return sorted({one for name in live for one in self.links[name].other_settings})

    def opened(self, code: str) -> None:
        """See `Processes`."""
        if code not in self._taking and code not in self._rooms:
            self._spawn(self._subscribe_later(code))

    def ended(self, code: str) -> None:
        """See `Processes`."""
        if unsubscribe := self._rooms.pop(code, None):
            unsubscribe()

    # --- finding a room --------------------------------------------------------------

    async def _find(self, code: str) -> str | None:
        """Return the node that serves a room; let one take it over if nobody does.

        Returns:
            None: this node serves it, or there is no such room.

        Raises:
            StorageUnavailable: it cannot be found now.
        """
        search = Search(self.nodes, code, self._owners.get(code))
        step = search.first(self._clock.now_ms())
        while True:
            found = await self._execute(code, step)
            if not isinstance(found, Outcome):
                if found is not None:
                    self._remember(code, found)
                return found
            step = search.next(found, self._clock.now_ms(), self._reconnected_ms)

    async def _execute(self, code: str, step: Step) -> Outcome | str | None:
        try:
            match step:
                case Call():
                    if step.after_ms:
                        await self._clock.sleep(step.after_ms / 1_000)
                    subject = f"cmd.{code}"
                    reply = await self._request(subject, Ask(), CALL_S, AskReply)
                    if reply.name == self.name and self._local.has(code):
                        return None
                    return reply.name if reply.serves else Outcome.NOT_HERE
                case TakeOver(candidate) if candidate == self.name:
                    await self._take_over(code)
                    return None
                case TakeOver(candidate):
                    subject = f"node.{candidate}"
                    taken = await self._request(subject, Take(code), TAKE_S, TakeReply)
                    if taken.serves:
                        return candidate
                    return Outcome.NOT_HERE if taken.exists else None
                case GiveUp():
                    raise StorageUnavailable("the room cannot be found now")
        except NoResponders:
            return Outcome.NO_RESPONDERS
        except TimedOut:
            return Outcome.TIMED_OUT
        except BusUnavailable:
            return Outcome.UNAVAILABLE

    def _remember(self, code: str, owner: str) -> None:
        self._owners.pop(code, None)
        self._owners[code] = owner
        if len(self._owners) > MAX_OWNERS:
            del self._owners[next(iter(self._owners))]

    async def _take_over(self, code: str) -> bool:
        """Take over a room; return whether there is such a room.

        Raises:
            StorageUnavailable: its log cannot be read.
            BusUnavailable: there is no connection.
        """
        return await _once(self._taking, code, self._take_over_now)

    async def _take_over_now(self, code: str) -> bool:
        if self.nodes.draining:
            raise StorageUnavailable("this node is draining")
        began = self._clock.now_ms()
        unsubscribe = await self._subscribe(code)
        exists = False
        try:
            exists = await self._local.take_over(code)
        finally:
            if self._local.has(code):
                self._rooms[code] = unsubscribe
            else:
                unsubscribe()
        if self._local.has(code):
            self._owners.pop(code, None)
            self._metrics.count("takeovers")
            took_ms = self._clock.now_ms() - began
            _log.info("took over", extra={"room": code, "ms": took_ms})
            self._spawn(self._announce(code))
        return exists

    async def _announce(self, code: str) -> None:
        """Tell a node that still serves a room that this node has taken it over."""
        await self._clock.sleep(ANNOUNCE_S)
        self._bus.publish(f"cmd.{code}", encode(TakenOver(self.name)))

    async def _subscribe(self, code: str) -> Unsubscribe:
        return await self._bus.subscribe(f"cmd.{code}", self._ask_handler(code))

    async def _subscribe_later(self, code: str) -> None:
        """Subscribe to the commands of a new room, however long that takes."""
        while self._local.has(code):
            try:
                unsubscribe = await self._subscribe(code)
            except BusUnavailable:
                await self._clock.sleep(SETTLE_MS / 1_000)
                continue
            if self._local.has(code) and code not in self._rooms:
                self._rooms[code] = unsubscribe
            else:
                unsubscribe()
            return

    def _ask_handler(self, code: str) -> Callable[[bytes, Reply], None]:
        """Return the handler of `cmd.CODE`."""

        def answer(reply: Reply) -> None:
            serves = self._local.has(code) and not self.nodes.draining
            wall_ms = self._clock.wall_ms()
            reply(encode(AskReply(self.name, wall_ms, self._key, serves)))

        def handle(data: bytes, reply: Reply) -> None:
            message, taking = decode_to_room(data), self._taking.get(code)
            if isinstance(message, TakenOver):
                if message.name != self.name:
                    self._spawn(self._local.check_logs(code))
            elif taking is None or self._local.has(code):
                answer(reply)
            else:
                taking.add_done_callback(lambda _: answer(reply))

        return handle

    async def sweep(self) -> None:
        """Take over the rooms that nobody serves and whose candidate is this node."""
        try:
            for code in await self._local.logged():
                candidate = self.nodes.home(code, self._clock.now_ms())
                if candidate == self.name and not self._local.has(code):
                    await self.home(code)
        except StorageUnavailable as error:  # the next sweep tries again
            _log.warning("cannot search for rooms", extra={"error": str(error)})

    # --- messages from other nodes ----------------------------------------------------

    def _hear(self, data: bytes, _reply: Reply) -> None:
        """Handle a heartbeat."""
        heartbeat = decode_heartbeat(data)
        if heartbeat.name == self.name:
            return
        now = self._clock.now_ms()
        is_new = self.nodes.heard(
            heartbeat.name,
            now,
            heartbeat.load,
            draining=heartbeat.draining,
            ahead_ms=self._clock.wall_ms() - heartbeat.wall_ms,
        )
        link = self._link(heartbeat.name)
        if heartbeat.report is not None:
            link.report = heartbeat.report
            self._compare_settings(heartbeat.name, link, heartbeat.report.settings)
        if is_new and self._joined:
            link.uplink.restore()
            self._send_heartbeat()

    def _compare_settings(self, name: str, link: Link, theirs: dict[str, str]) -> None:
        """Report once if another node has other settings than this one."""
        ours = self._settings
        names = [one for one in {**ours, **theirs} if ours.get(one) != theirs.get(one)]
        if not ours or names == link.other_settings:
            return
        link.other_settings = names
        if names:
            extra = {"node": name, "settings": ", ".join(names)}
            _log.warning("another node has other settings", extra=extra)

    def _receive(self, data: bytes, reply: Reply) -> None:
        """Handle what another node sends to this one."""
        match decode_to_node(data):
            case Up() as up:
                serving = self._link(up.source).serving
                reply(encode(serving.execute(up, self._clock.now_ms())))
            case Down() as down:
                self._receive_down(down)
            case Ask():
                wall_ms = self._clock.wall_ms()
                reply(encode(AskReply(self.name, wall_ms, self._key)))
            case Take(code):
                self._spawn(self._answer_take(code, reply))
            case Fetch(request):
                self._spawn(self._answer_fetch(request, reply))

    async def _answer_take(self, code: str, reply: Reply) -> None:
        exists = True
        try:
            exists = self._local.has(code) or await self._take_over(code)
        except (StorageUnavailable, BusUnavailable) as error:
            extra = {"room": code, "error": str(error)}
            _log.warning("cannot take over", extra=extra)
        reply(encode(TakeReply(self._local.has(code), exists)))

    async def _answer_fetch(self, request: Request, reply: Reply) -> None:
        reply(encode(FetchReply(await self._answer(request))))

    def _receive_down(self, down: Down) -> None:
        if not self._link(down.source).receiver.receive(down):
            self._metrics.count("bus_losses")
            self._close_connections(down.source)

    def _link(self, name: str) -> Link:
        """Return what connects this node to another one."""
        if name in self.links:
            return self.links[name]

        def send_up() -> None:
            self._spawn(self._send_up(name, uplink))

        def send_down() -> None:
            for down in downlink.take():
                self._bus.publish(f"node.{name}", encode(down))

        uplink = Uplink(self.name, self._numbers, send_up)
        downlink = Downlink(
            self.name, self._numbers, lambda: self._before_flush(send_down)
        )
        receiver = DownlinkReceiver(name, self._forwarded.get)
        serving = Serving(
            downlink,
            self._new_session,
            self._local.has,
            lambda: _log.exception("a forwarded message failed"),
        )
        self.links[name] = link = Link(uplink, receiver, serving)
        return link

    # --- calls -----------------------------------------------------------------------

    async def _request(
        self, subject: str, message: object, timeout_s: float, kind: type[_T]
    ) -> _T:
        reply = decode_reply(
            await self._bus.request(subject, encode(message), timeout_s)
        )
        if not isinstance(reply, kind):
            raise BusUnavailable(f"{subject} answered with {type(reply).__name__}")
        return reply

    async def _send_up(self, name: str, uplink: Uplink) -> None:
        """Forward what clients have sent, one call after the other."""
        while (up := uplink.take()) is not None:
            done = await self._call(name, up, uplink)
            for number in done.lost if done else ():
                if forwarded := self._forwarded.get(number):
                    forwarded.dismiss(SERVICE_RESTART)

    async def _call(self, name: str, up: Up, uplink: Uplink) -> UpReply | None:
        """Call a node until it answers; return None if it is gone."""
        now, timeout_s = asyncio.get_running_loop().time, CALL_S
        while not uplink.cut:
            began = now()
            try:
                done = await self._request(f"node.{name}", up, timeout_s, UpReply)
            except NoResponders:
                if self._is_settled():
                    self._lose(name)
                else:
                    await self._clock.sleep(SETTLE_MS / 1_000)
            except TimedOut:
                await self._check(name)
                timeout_s = ASK_S  # or players would wait for up to four seconds
            except BusUnavailable:
                await self._clock.sleep(SETTLE_MS / 1_000)
            else:
                self._metrics.hop_seconds.add(now() - began)
                return done
        return None

    async def _check(self, name: str) -> None:
        """Ask a node that has sent no reply or heartbeat whether it is there."""
        try:
            await self._request(f"node.{name}", Ask(), ASK_S, AskReply)
        except NoResponders:
            if self._is_settled():
                self._lose(name)
        except TimedOut:
            if self.nodes.is_late(name, self._clock.now_ms()):
                self._lose(name)
        except BusUnavailable:
            pass

    def _is_settled(self) -> bool:
        """Return whether nodes that were cut off, too, have reconnected by now."""
        return self._clock.now_ms() - self._reconnected_ms >= SETTLE_MS

    def _lose(self, name: str) -> None:
        """Note that a node is gone, with all its rooms and connections."""
        if self.nodes.mark_gone(name):
            _log.warning("lost a node", extra={"node": name})
            self._metrics.count("nodes_lost")
        link = self._link(name)
        link.uplink.cut = True
        self._close_connections(name)
        link.serving.end()

    def _close_connections(self, owner: str) -> None:
        """Close all connections that a node serves, so that their clients resume."""
        for forwarded in list(self._forwarded.values()):
            if forwarded.owner == owner:
                forwarded.dismiss(SERVICE_RESTART)

    # --- heartbeat -------------------------------------------------------------------

    def _beat(self) -> None:
        now = self._clock.now_ms()
        self._timer = self._clock.later(HEARTBEAT_MS / 1_000, self._beat)
        cpu_s, (before_s, before) = self._clock.cpu_s(), self._cpu
        if now > before:
            self.nodes.load = 1_000 * (cpu_s - before_s) / (now - before)
            self._cpu = cpu_s, now
        self._send_heartbeat()
        for link in self.links.values():
            link.serving.send_flags()
        for name in self.nodes.overdue(now):
            self._spawn(self._check(name))
        for name in self.nodes.forget(now):
            del self.links[name]
        if now >= self._sweep_at_ms and not self.nodes.draining:
            self._sweep_at_ms = now + SWEEP_MS
            self._spawn(self.sweep())

    def _send_heartbeat(
        self, report: Report | None = None, *, draining: bool = False
    ) -> None:
        nodes = self.nodes
        heartbeat = Heartbeat(
            self.name,
            nodes.load,
            draining or nodes.draining,
            self._clock.wall_ms(),
            report,
        )
        self._bus.publish("hb", encode(heartbeat))

    def _reconnected(self) -> None:
        self._reconnected_ms = self._clock.now_ms()
        self._spawn(self._local.check_logs())

    def _stalled(self, since: int, now: int) -> None:
        if now - since >= LATE_MS // 2:
            self._spawn(self._local.check_logs())


class _Connection(Forwarded, Remote):
    """A forwarded connection, which removes itself from the node's table at its end."""

    def __init__(
        self,
        number: int,
        owner: str,
        peer: Peer,
        uplink: Uplink,
        table: dict[int, Forwarded],
    ) -> None:
        super().__init__(number, owner, peer, uplink)
        self._table = table

    def end(self) -> None:
        self._table.pop(self.number, None)
        super().end()


async def _once(
    running: dict[str, asyncio.Future[_T]],
    key: str,
    work: Callable[[str], Awaitable[_T]],
) -> _T:
    """Do work for a key; callers that come meanwhile wait for the same outcome."""
    if (there := running.get(key)) is not None:
        return await asyncio.shield(there)
    future: asyncio.Future[_T] = asyncio.get_running_loop().create_future()
    running[key] = future
    try:
        future.set_result(await work(key))
    except BaseException as error:
        future.set_exception(error)
        future.exception()  # perhaps nobody else has waited
        raise
    finally:
        del running[key]
    return future.result()
