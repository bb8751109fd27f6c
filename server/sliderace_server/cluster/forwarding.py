"""Connections whose room is served by another node.

    client's node                                       serving node
    Session -> Forwarded -> Uplink             ------>  Serving -> RemotePeer -> Session
    Session <- Forwarded <- DownlinkReceiver   <------  Downlink <- RemotePeer <- room

Rules:

- Everything that the clients of one node send to another node goes through one
  `Uplink`. It has one call in flight; what arrives meanwhile goes with the next call. A
  call may be repeated: its number keeps the other node from executing it twice.
- Everything that a node sends to the clients of another node goes through one
  `Downlink`, in one message per turn of the event loop. An event is encoded once, and
  sent once to all its receivers at that node, which form a group.
- Each message of a `Downlink` names the one before it. After a gap, the client's node
  closes all connections of this link with 1012: the clients resume, and miss nothing.
- A node forgets both links to a node that is gone for long. No number is ever used
  again, so if that node is live after all, new links replace the old ones.
- A connection accepts messages only from the node to which it was forwarded. So a node
  that has lost a room, but does not know it yet, reaches no client that has resumed
  elsewhere.
- The client's node applies the rate limits and measures the latency.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, assert_never

import msgspec

from sliderace.protocol.codec import encode_command
from sliderace.protocol.messages import Command
from sliderace_server.live_room.subscriber import Peer

__all__ = [
    "SERVICE_RESTART",
    "Behind",
    "Close",
    "Down",
    "DownEntry",
    "Downlink",
    "DownlinkReceiver",
    "End",
    "Flags",
    "Forwarded",
    "Frame",
    "Group",
    "Measure",
    "Open",
    "RemotePeer",
    "Rtt",
    "ServedSession",
    "Serving",
    "Text",
    "Up",
    "UpReply",
    "Uplink",
]

SERVICE_RESTART = 1012
"""Close code; clients reconnect at once."""
PLAIN, URGENT, SNAPSHOT = (0, 1, 2)
"""How a frame is sent: `send`, `send_urgent` or `send_snapshot` of `Peer`."""
GROUP_SIZE = 8
"""With fewer receivers, defining a group costs more than it saves."""
MAX_GROUPS = 64
"""With more, all are forgotten and defined again: a room has few audiences at a
time."""
MAX_ENTRIES = 256
"""In one call: each has up to 2 KiB."""
MAX_BYTES = 262_144
"""In one message: a broker accepts a megabyte, but other messages wait behind it."""


# --- messages: from the clients of a node to the node that serves them ---------------


class Open(msgspec.Struct, array_like=True, tag=1, frozen=True):
    """Serve a connection.

    Attributes:
        conn: its number at the client's node.
        address: the client's IP address; empty: the machine of its node.
        host: the Host header of its request.
        hello: its first message.
        code: the room's code; empty: the serving node chooses a room.
    """

    conn: int
    address: str
    host: str
    hello: bytes
    code: str


class Text(msgspec.Struct, array_like=True, tag=2, frozen=True):
    """A message of a client."""

    conn: int
    payload: bytes


class Rtt(msgspec.Struct, array_like=True, tag=3, frozen=True):
    """A round trip between a client and its node, ms."""

    conn: int
    rtt_ms: int
    kernel_ms: int | None


class Behind(msgspec.Struct, array_like=True, tag=4, frozen=True):
    """Whether a client reads too slowly."""

    conn: int
    behind: bool


class End(msgspec.Struct, array_like=True, tag=5, frozen=True):
    """A client's connection has ended.

    Attributes:
        conn: its number; 0: all that were forwarded before have ended.
    """

    conn: int


ALL_ENDED = End(0)
UpEntry = Open | Text | Rtt | Behind | End


class Up(msgspec.Struct, array_like=True, tag=1, frozen=True):
    """What the clients of a node have sent, in order.

    Attributes:
        source: the clients' node.
        n: number of this call, higher than before; a call may be repeated.
        entries: what they have sent.
    """

    source: str
    n: int
    entries: list[UpEntry]


class UpReply(msgspec.Struct, array_like=True, tag=1, frozen=True):
    """Reply to `Up`.

    Attributes:
        lost: connections that this node does not serve (any more).
    """

    lost: list[int]


# --- messages: from a serving node to the clients of another one ----------------------


class Frame(msgspec.Struct, array_like=True, tag=1, frozen=True):
    """A frame for one connection, or for all of a group.

    Attributes:
        kind: how to send it; see `forwarding`.
        data: the frame.
        conn: number of the connection; 0: all of the group.
        group: number of the group.
    """

    kind: int
    data: bytes
    conn: int
    group: int = 0


class Group(msgspec.Struct, array_like=True, tag=2, frozen=True):
    """Defines a group: its connections, from now on."""

    group: int
    conns: list[int]


class Close(msgspec.Struct, array_like=True, tag=3, frozen=True):
    """Close a connection."""

    conn: int
    code: int


class Measure(msgspec.Struct, array_like=True, tag=4, frozen=True):
    """Measure the latency of a connection now."""

    conn: int


class Flags(msgspec.Struct, array_like=True, tag=5, frozen=True):
    """What decides how often a connection's latency is measured."""

    conn: int
    in_race: bool
    needs_latency: bool


ToConnection = Frame | Close | Measure | Flags
DownEntry = ToConnection | Group


class Down(msgspec.Struct, array_like=True, tag=2, frozen=True):
    """What a serving node sends to the clients of another one, in order.

    Attributes:
        source: the serving node.
        n: number of this message, higher than before.
        before: number of the message before it; 0: there is none.
        entries: what it sends.
    """

    source: str
    n: int
    before: int
    entries: list[DownEntry]


# --- at the client's node -------------------------------------------------------------


class Uplink:
    """What the clients of this node send to another node.

    Attributes:
        cut: the other node is not known to be live, or is gone, and with it all
            connections; nothing is sent.

    Args:
        source: this node.
        numbers: yields the numbers of its calls, each higher than the one before.
        start: called when there is something to send; calls `take` until it returns
            None.
    """

    def __init__(
        self, source: str, numbers: Iterator[int], start: Callable[[], None]
    ) -> None:
        self._source = source
        self._numbers = numbers
        self._start = start
        self._entries: list[UpEntry] = []
        self._busy = False
        self.cut = True

    def add(self, entry: UpEntry) -> None:
        """Send an entry with the next call, unless the link is cut."""
        if self.cut:
            return
        self._entries.append(entry)
        if not self._busy:
            self._busy = True
            self._start()

    def restore(self) -> None:
        """Send if the link was cut: the other node is live (again).

        The other node is told to end all earlier connections, which it may still serve.
        """
        if self.cut:
            self.cut = False
            self._entries.clear()
            self.add(ALL_ENDED)

    def take(self) -> Up | None:
        """Return the next call; None: there is nothing to send."""
        entries, self._entries = (
            self._entries[:MAX_ENTRIES],
            self._entries[MAX_ENTRIES:],
        )
        if self.cut or not entries:
            self._busy = False
            return None
        return Up(self._source, next(self._numbers), entries)


class Forwarded:
    """A connection of this node that another node serves.

    Attributes:
        number: of the connection, in what the nodes send to each other.
        owner: the node that serves it.
        in_race: whether its room is between countdown and results.
        needs_latency: whether its latency is needed.

    Args:
        number: see above.
        owner: see above.
        peer: the client's connection.
        uplink: to the node that serves it.
    """

    def __init__(self, number: int, owner: str, peer: Peer, uplink: Uplink) -> None:
        self.number = number
        self.owner = owner
        self.in_race = False
        self.needs_latency = False
        self._uplink = uplink
        self._peer = peer
        self._sends = (peer.send, peer.send_urgent, peer.send_snapshot)

    def receive(self, command: Command) -> None:
        """Forward a command."""
        self._uplink.add(Text(self.number, encode_command(command).encode()))

    def record_rtt(self, rtt_ms: int, kernel_ms: int | None) -> None:
        """Forward a round trip."""
        self._uplink.add(Rtt(self.number, rtt_ms, kernel_ms))

    def set_behind(self, *, behind: bool) -> None:
        """Forward whether the peer reads too slowly."""
        self._uplink.add(Behind(self.number, behind))

    def end(self) -> None:
        """Forward that the connection has ended."""
        self._uplink.add(End(self.number))

    def dismiss(self, code: int) -> None:
        """Close the client's connection."""
        self._peer.dismiss(code)

    def handle(self, source: str, entry: ToConnection) -> None:
        """Execute what a node has sent, if that node serves the connection."""
        if source != self.owner:
            return
        match entry:
            case Frame():
                self._sends[entry.kind](entry.data)
            case Close():
                self.dismiss(entry.code)
            case Measure():
                self._peer.measure_latency()
            case Flags():
                self.in_race = entry.in_race
                self.needs_latency = entry.needs_latency
            case _:
                assert_never(entry)


class DownlinkReceiver:
    """What one serving node sends to the clients of this node.

    Args:
        source: the serving node.
        find: returns the connection with a number, or None.
    """

    def __init__(self, source: str, find: Callable[[int], Forwarded | None]) -> None:
        self._source = source
        self._find = find
        self._n = 0
        self._groups: dict[int, list[int]] = {}

    def receive(self, down: Down) -> bool:
        """Deliver a message to its connections.

        Returns:
            False if messages before this one were lost. Then nothing is delivered, and
            the caller must close all connections that the node serves.
        """
        if down.n <= self._n:
            return True  # a duplicate
        is_next, self._n = down.before == self._n, down.n
        for entry in down.entries:
            if is_next or isinstance(entry, Group):
                self._handle(entry)
        return is_next

    def _handle(self, entry: DownEntry) -> None:
        match entry:
            case Group():
                self._groups[entry.group] = entry.conns
            case Frame(conn=0):
                for number in self._groups.get(entry.group, ()):
                    self._pass_on(number, entry)
            case _:
                self._pass_on(entry.conn, entry)

    def _pass_on(self, number: int, entry: ToConnection) -> None:
        forwarded = self._find(number)
        if forwarded is not None:
            forwarded.handle(self._source, entry)


# --- at the serving node --------------------------------------------------------------


class ServedSession(Protocol):
    """The session of a connection at the serving node."""

    @property
    def in_race(self) -> bool:
        """Whether its room is between countdown and results."""
        ...

    @property
    def needs_latency(self) -> bool:
        """Whether the latency is needed."""
        ...

    def receive_delayed(self, payload: bytes) -> None:
        """Handle a text message."""
        ...

    def record_rtt(self, rtt_ms: int, now: int, kernel_ms: int | None) -> None:
        """Record a round trip."""
        ...

    def set_behind(self, *, behind: bool) -> None:
        """Note whether the peer reads too slowly for progress."""
        ...

    def close(self, code: int) -> None:
        """Close the connection."""
        ...

    def disconnected(self) -> None:
        """Note that the connection has ended."""
        ...


class Downlink:
    """What this node sends to the clients of another node.

    Args:
        source: this node.
        numbers: yields the numbers of its messages, each higher than the one before.
        start: called when there is something to send; calls `take` at the end of this
            turn.
    """

    def __init__(
        self, source: str, numbers: Iterator[int], start: Callable[[], None]
    ) -> None:
        self._source = source
        self._numbers = numbers
        self._start = start
        self._entries: list[DownEntry] = []
        self._targets: list[int] = []
        self._frame = b""
        self._kind: int = PLAIN
        self._groups: dict[tuple[int, ...], int] = {}
        self._n = 0
        self._started = False

    def frame(self, kind: int, frame: bytes, number: int) -> None:
        """Send a frame to a connection.

        If it is the same object as in the previous call, as when a room sends an event
        to all members, it is sent once.
        """
        if frame is not self._frame or kind != self._kind:
            self._end_frame()
            self._frame, self._kind = frame, kind
        self._targets.append(number)
        self._schedule()

    def add(self, entry: DownEntry) -> None:
        """Send an entry to its connection."""
        self._end_frame()
        self._entries.append(entry)
        self._schedule()

    def _schedule(self) -> None:
        if not self._started:
            self._started = True
            self._start()

    def _end_frame(self) -> None:
        targets, self._targets = self._targets, []
        if len(targets) >= GROUP_SIZE:
            group = self._group(tuple(targets))
            self._entries.append(Frame(self._kind, self._frame, 0, group))
        else:
            for number in targets:
                self._entries.append(Frame(self._kind, self._frame, number))
        self._frame = b""

    def _group(self, targets: tuple[int, ...]) -> int:
        known = self._groups.get(targets)
        if known is None:
            if len(self._groups) >= MAX_GROUPS:
                self._groups.clear()
            known = self._groups[targets] = len(self._groups) + 1
            self._entries.append(Group(known, list(targets)))
        return known

    def take(self) -> list[Down]:
        """Return the messages to send now."""
        self._started = False
        self._end_frame()
        entries, self._entries = self._entries, []
        return [self._message(part) for part in _parts(entries)]

    def _message(self, entries: list[DownEntry]) -> Down:
        before, self._n = self._n, next(self._numbers)
        return Down(self._source, self._n, before, entries)


def _parts(entries: Iterable[DownEntry]) -> Iterable[list[DownEntry]]:
    """Split what is sent into messages of a bounded size."""
    part: list[DownEntry] = []
    size = 0
    for entry in entries:
        part.append(entry)
        if isinstance(entry, Frame):
            size += len(entry.data)
        elif isinstance(entry, Group):
            size += 5 * len(entry.conns)
        if size >= MAX_BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part


class RemotePeer:
    """A connection at another node, as sessions and rooms use one.

    Attributes:
        id: its number at that node.
        address: the client's IP address; empty: the machine of its node.
        host: the Host header of the client's request.
        session: its session here; set once.

    Args:
        opened: the entry with which it was forwarded.
        downlink: to the client's node.
    """

    session: ServedSession

    def __init__(self, opened: Open, downlink: Downlink) -> None:
        self.id = opened.conn
        self.address = opened.address
        self.host = opened.host
        self._downlink = downlink
        self._flags = (False, False)

    def send(self, frame: bytes) -> None:
        """Send a frame with the next write."""
        self._downlink.frame(PLAIN, frame, self.id)

    def send_urgent(self, frame: bytes) -> None:
        """Send a frame, and everything queued before it, in the next turn."""
        self._downlink.frame(URGENT, frame, self.id)

    def send_snapshot(self, frame: bytes) -> None:
        """Send a frame that supersedes all earlier frames."""
        self._downlink.frame(SNAPSHOT, frame, self.id)

    def dismiss(self, code: int) -> None:
        """Close the connection, which no longer belongs to a member."""
        self.session.close(code)

    def close(self, code: int, reason: str = "") -> None:  # noqa: ARG002
        """Send everything queued, then close."""
        self._downlink.add(Close(self.id, code))

    def measure_latency(self) -> None:
        """Start a burst of pings at the client's node."""
        self.send_flags()
        self._downlink.add(Measure(self.id))

    def send_flags(self) -> None:
        """Send the flags to the client's node, if they have changed."""
        flags = self.session.in_race, self.session.needs_latency
        if flags != self._flags:
            self._flags = flags
            self._downlink.add(Flags(self.id, *flags))


class Serving:
    """The connections of one other node that this node serves.

    Args:
        downlink: to that node.
        new_session: makes the session of a connection.
        has: returns whether this node serves a room.
        failed: called while an unexpected exception is handled.
    """

    def __init__(
        self,
        downlink: Downlink,
        new_session: Callable[[Peer], ServedSession],
        has: Callable[[str], bool],
        failed: Callable[[], None],
    ) -> None:
        self.downlink = downlink
        self._new_session = new_session
        self._has = has
        self._failed = failed
        self._peers: dict[int, RemotePeer] = {}
        self._n = 0
        self._done = UpReply([])

    def __len__(self) -> int:
        return len(self._peers)

    def execute(self, up: Up, now: int) -> UpReply:
        """Execute what the clients have sent; a repeated call only once.

        Args:
            up: the call.
            now: ms of the machine's clock.
        """
        if up.n > self._n:
            self._n, self._done = up.n, UpReply([])
            lost = [one.conn for one in up.entries if not self._try(one, now)]
            self._done = UpReply(list(dict.fromkeys(lost)))
        return self._done

    def _try(self, entry: UpEntry, now: int) -> bool:
        """Execute an entry; an error affects only its connection."""
        try:
            return self._execute(entry, now)
        except Exception:  # noqa: BLE001 - see above
            self._failed()
            return False

    def _execute(self, entry: UpEntry, now: int) -> bool:
        """Execute an entry; return False if this node does not serve its connection."""
        if isinstance(entry, Open):
            return self._open(entry)
        if entry == ALL_ENDED:
            self.end()
        peer = self._peers.get(entry.conn)
        if peer is None:
            return isinstance(entry, End)
        session = peer.session
        match entry:
            case Text():
                session.receive_delayed(entry.payload)
            case Rtt():
                session.record_rtt(entry.rtt_ms, now, entry.kernel_ms)
            case Behind():
                session.set_behind(behind=entry.behind)
            case End():
                del self._peers[entry.conn]
                session.disconnected()
            case _:
                assert_never(entry)
        return True

    def _open(self, opened: Open) -> bool:
        if opened.code and not self._has(opened.code):
            return False
        peer = self._peers[opened.conn] = RemotePeer(opened, self.downlink)
        peer.session = self._new_session(peer)
        peer.session.receive_delayed(opened.hello)
        peer.send_flags()
        return True

    def send_flags(self) -> None:
        """Send all flags that have changed; called with each heartbeat."""
        for peer in self._peers.values():
            peer.send_flags()

    def close(self) -> None:
        """Close all connections: this node is draining."""
        for peer in self._peers.values():
            peer.session.close(SERVICE_RESTART)

    def end(self) -> None:
        """Note that the clients' node is gone, and all its connections with it.

        If it is live after all, it closes them, so that their clients resume.
        """
        peers, self._peers = list(self._peers.values()), {}
        for peer in peers:
            peer.close(SERVICE_RESTART)
            peer.session.disconnected()
