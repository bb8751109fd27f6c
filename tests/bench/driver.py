"""Many racers in one process: raw sockets, frames from templates, one epoll.

Players slide a tile back and forth, which is always legal. To be fast, the driver only
searches the received bytes for acks and pings and counts the rest. One spectator per
room reads at once and measures; the others read now and then.
"""

import contextlib
import json
import re
import select
import socket
import time
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from typing import Any

from tests.bench.servers import Process
from tests.bench.wires import Wire, wire_of

from sliderace.engine import parse_board

HANDSHAKE = (
    b"GET %b HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
    b"Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    b"Sec-WebSocket-Version: 13\r\n\r\n"
)
KEY = bytes(4)
"""A mask of zeros: the server still has to unmask, the driver need not mask."""
BACK = {"U": "D", "D": "U", "L": "R", "R": "L"}
STEP = re.compile(rb"\[(\d+),(\d+),")
"""Seat and seq of a step in `progress`."""
LINES = re.compile(rb'{"t":"lines"[^}]*}')
"""A latency event, which looks like a step."""
WAVE = 100
"""Connections per wave; more would overflow the listen queue."""
IDLE_READ_S = 0.02
"""Seconds between two reads of a spectator that does not measure."""
IDLE_READS = 20
"""Maximum number of such reads between two polls."""
TIMEOUT_S = 60
"""Longest wait for an answer while many clients connect."""
WAIT_S = 0.001
"""Longest wait for messages; the poll may take twice as long."""
SHARP = 100
"""Maximum rate, in slides per second, at which the driver does not wait just before a
slide is due, so that it is sent in time. At higher rates it would never wait."""
PROBE_S = 0.005
"""Seconds between two pings of the probe, which shows how long the loop blocks."""


def frame(payload: bytes, opcode: int = 1) -> bytes:
    """Return a client frame."""
    size = len(payload)
    head = bytes((0x80 | size,)) if size < 126 else b"\xfe" + size.to_bytes(2)
    return bytes((0x80 | opcode,)) + head + KEY + payload


class Member:
    """One connection."""

    def __init__(self, port: int, wire: Wire | None = None) -> None:
        self.wire = wire or Wire()
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.player = False
        self.watches: dict[int, Member] = {}
        self.welcome: dict[str, Any] = {}
        self.buffer = b""
        self.unsent = b""
        self.seq = self.acked = 0
        self.sent: dict[int, float] = {}
        self.due = 0.0
        self.slides: tuple[bytes, bytes] = (b"", b"")

    def send(self, data: bytes) -> bool:
        """Send; keep what the socket does not accept; return whether all was sent."""
        self.unsent += data
        try:
            self.unsent = self.unsent[self.socket.send(self.unsent) :]
        except BlockingIOError:
            return False
        return not self.unsent

    def say(self, message: dict[str, Any]) -> None:
        """Send a message."""
        self.send_json(json.dumps(message).encode())

    def send_json(self, message: bytes) -> None:
        """Send a message that is JSON already."""
        self.send(frame(self.wire.wrap(message), self.wire.opcode))

    def wait_for(self, kind: str) -> dict[str, Any]:
        """Wait for a message of a kind, before the race; answer pings."""
        while True:
            payload = self._next()
            message = payload[payload.find(b"{") : payload.rfind(b"}") + 1]
            event: dict[str, Any] = json.loads(message)
            if event["t"] == kind:
                return event
            if event["t"] == "refused":
                raise ConnectionError(event)

    def _next(self) -> bytes:
        """Return the next payload; answer pings."""
        while True:
            for opcode, payload in self._frames():
                if opcode == 9:
                    self.send(frame(payload, 10))
                    continue
                if opcode == 8:
                    raise ConnectionError(payload)
                return payload
            data = self.socket.recv(1 << 20)
            if not data:
                raise ConnectionError("the server closed a connection")
            self.buffer += data

    def drain(self) -> None:
        """Read what has arrived, since the server drops slow readers; answer pings."""
        self.socket.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while data := self.socket.recv(1 << 18):
                self.buffer += data
        self.socket.setblocking(True)
        self.socket.settimeout(TIMEOUT_S)
        for opcode, payload in self._frames():
            if opcode == 9:
                self.send(frame(payload, 10))

    def _frames(self) -> Iterator[tuple[int, bytes]]:
        data, at = self.buffer, 0
        try:
            while len(data) - at >= 2:
                size, body = data[at + 1], at + 2
                if size >= 126:
                    body += 2 if size == 126 else 8
                    size = int.from_bytes(data[at + 2 : body])
                if len(data) < body + size:
                    return
                opcode, at = data[at] & 15, body + size
                yield opcode, data[body:at]
        finally:  # even if the caller stops early
            self.buffer = data[at:]

    def read_handshake(self) -> None:
        """Read the server's part of the handshake; then join as the wire wants."""
        while b"\r\n\r\n" not in self.buffer:
            data = self.socket.recv(4_096)
            if not data:
                raise ConnectionError("no handshake")
            self.buffer += data
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        if b" 101 " not in head:
            raise ConnectionError(head)
        wire = self.wire
        if wire.first:
            self.send(frame(wire.first, wire.opcode))
        while wire.joined and not self._next().startswith(wire.joined):
            pass
        if wire.then:
            self.send(frame(wire.then, wire.opcode))

    def prepare(self, race: str, board: str) -> None:
        """Prepare the two slides that this player repeats."""
        direction, tiles = parse_board(board).legal_slides()[0]
        start = b'{"t":"slides","race":"%s","gen":0,"seq":' % race.encode()
        self.slides = (
            start + b'%%d,"slides":[["%s",%d,1]]}' % (direction.encode(), tiles),
            start + b'%%d,"slides":[["%s",%d,1]]}' % (BACK[direction].encode(), tiles),
        )

    def slide(self, due: float) -> bool:
        """Send the next slide, if the socket accepts it."""
        if self.unsent and not self.send(b""):
            return False
        self.seq += 1
        self.sent[self.seq] = due
        self.send_json(self.slides[self.seq & 1 ^ 1] % self.seq)
        return True


def opened(
    server: Process,
    hellos: Iterable[dict[str, Any]],
    hosts: Iterable[Member] = (),
    answer: str = "welcome",
    path: Callable[[dict[str, Any]], str] | None = None,
) -> list[Member]:
    """Connect members, in waves, and wait for their `welcome`.

    Args:
        server: the server.
        hellos: how each member enters a room.
        hosts: members who are in these rooms already; they read what a large room
            sends while it fills.
        answer: type of the event to wait for.
        path: returns the path to which a member connects; None: that of the wire.
    """
    port, wire = server.port, wire_of(server.kind)
    hosts = list(hosts)
    members: list[Member] = []
    todo = iter(hellos)
    while some := list(islice(todo, WAVE)):
        wave = [Member(port, wire) for _ in some]
        for member, enter in zip(wave, some, strict=True):
            target = path(enter) if path else wire.path(port, enter)
            member.send(HANDSHAKE % target.encode())
        for member, enter in zip(wave, some, strict=True):
            member.read_handshake()
            member.say({"t": "hello", "v": 1, "enter": enter})
        for member, enter in zip(wave, some, strict=True):
            member.welcome = member.wait_for(answer)
            member.player = enter.get("role", "player") == "player"
        members += wave
        if hosts:
            for member in (*hosts, *members):
                member.drain()
    return members


@dataclass
class Figures:
    """The measurements of a run; times in seconds."""

    seconds: float = 0.0
    moves: int = 0
    acks: int = 0
    unsent: int = 0
    frames: int = 0
    bytes: int = 0
    rejects: int = 0
    cpu: float = 0.0
    ack: "array[float]" = field(default_factory=lambda: array("d"))
    seen: "array[float]" = field(default_factory=lambda: array("d"))
    probe: "array[float]" = field(default_factory=lambda: array("d"))


class Driver:
    """Races connected members.

    Args:
        members: all members; their races have begun.
        probe: a member that only pings.
        rate: slides per second and player; 0: the next one follows the ack.
        seed: seed of the times at which they slide.
    """

    def __init__(
        self, members: list[Member], probe: Member, rate: float, seed: int = 1
    ) -> None:
        self.members, self.probe, self.rate = members, probe, rate
        self.players = [one for one in members if one.player]
        self.random = Random(seed)  # noqa: S311 - no secret
        self.figures = Figures()
        self.poll = select.epoll()
        self.polled: dict[int, Member] = {}
        self.idle: list[Member] = []
        self.counting = True
        for member in (*members, probe):
            member.socket.setblocking(False)
            if member.player or member.watches or member is probe:
                self.polled[member.socket.fileno()] = member
                self.poll.register(member.socket, select.EPOLLIN)
            else:
                self.idle.append(member)

    def run(self, seconds: float, least: int = 0) -> Figures:
        """Play for so many seconds, and until so many acks; return the figures."""
        self.figures = figures = Figures()
        began, cpu = time.perf_counter(), time.process_time()
        acked = sum(one.acked for one in self.players)
        self._begin(began)
        self._play(began + seconds, least)
        figures.seconds = time.perf_counter() - began
        figures.cpu = time.process_time() - cpu
        figures.acks = sum(one.acked for one in self.players) - acked
        return figures

    def settle(self, seconds: float = 30.0) -> bool:
        """Stop sliding, but keep reading; return whether every slide was
        acknowledged."""
        self.counting = False
        until = time.perf_counter() + seconds
        while time.perf_counter() < until:
            self._read(0.01)
            for member in self.players:
                if member.unsent:
                    member.send(b"")
            if all(one.acked == one.seq for one in self.players):
                return True
        return False

    def close(self) -> None:
        """Close all connections."""
        self.poll.close()
        for member in (*self.members, self.probe):
            member.socket.close()

    def _begin(self, now: float) -> None:
        self.counting = True
        for member in self.players:
            if self.rate:
                member.due = now + self.random.random() / self.rate
            elif member.acked == member.seq:
                self._slide(member, now)

    def _play(self, until: float, least: int) -> None:
        began, idle_reads, probe_at = time.perf_counter(), 0, 0.0
        order = sorted(self.players, key=lambda one: one.due)
        turn = 0  # players slide in a fixed order
        sharp = 0 < self.rate * len(order) <= SHARP
        acks = self.figures.ack
        while (now := time.perf_counter()) < until or len(acks) < least:
            if self.rate:
                while order and order[turn].due <= now:
                    member = order[turn]
                    self._slide(member, member.due)
                    member.due += 1 / self.rate
                    turn = (turn + 1) % len(order)
            if now >= probe_at:
                probe_at = now + PROBE_S
                self._ping(now)
            # A few at a time, so that acks are not read late.
            wanted = int((now - began) / IDLE_READ_S * len(self.idle))
            for _ in range(min(wanted - idle_reads, IDLE_READS)):
                self._receive(self.idle[idle_reads % len(self.idle)], now)
                idle_reads += 1
            soon = sharp and order[turn].due - now < 2 * WAIT_S
            self._read(0 if soon else WAIT_S)

    def _slide(self, member: Member, due: float) -> None:
        if member.slide(due):
            self.figures.moves += 1
        else:
            self.figures.unsent += 1

    def _ping(self, now: float) -> None:
        probe = self.probe
        if not probe.sent:  # the last ping was answered
            probe.seq += 1
            probe.sent[probe.seq] = now
            probe.send_json(b'{"t":"ping","id":%d}' % probe.seq)

    def _read(self, wait: float) -> None:
        for number, _ in self.poll.poll(wait):
            self._receive(self.polled[number], time.perf_counter())

    def _receive(self, member: Member, now: float) -> None:
        try:
            data = member.socket.recv(1 << 18)
        except BlockingIOError:
            return
        if not data:
            raise ConnectionError("the server closed a connection")
        figures = self.figures
        figures.frames += data.count(b'{"t":"')
        figures.bytes += len(data)
        data = member.buffer + data
        whole = data.rfind(b"}") + 1
        ping = data.rfind(b"\x89\x04")  # a byte that our JSON never contains
        if 0 <= ping <= len(data) - 6:
            member.send(frame(data[ping + 2 : ping + 6], 10))
            whole = max(whole, ping + 6)
        # Keep the incomplete rest only; the other events are counted already.
        data, member.buffer = data[:whole], data[whole:]
        if member is self.probe:
            self._pong(data, now)
            return
        if b'"t":"reje' in data or b'"t":"refu' in data:
            figures.rejects += 1
        if member.watches:
            self._watch(member, data, now)
        if member.player:
            self._ack(member, data, now)

    def _pong(self, data: bytes, now: float) -> None:
        if b'"id":%d}' % self.probe.seq in data and self.probe.sent:
            self.figures.probe.append(now - self.probe.sent.pop(self.probe.seq))

    def _ack(self, member: Member, data: bytes, now: float) -> None:
        at = data.rfind(b'"t":"ack"')
        if at < 0:
            return
        end = data.find(b"}", at)
        if end < 0:
            return
        seq = int(data[data.rfind(b":", at, end) + 1 : end])
        for number in range(member.acked + 1, seq + 1):
            self.figures.ack.append(now - member.sent[number])
            if number > 64:
                member.sent.pop(number - 64, None)
        if seq > member.acked:
            member.acked = seq
            if not self.rate and self.counting:
                self._slide(member, now)

    def _watch(self, member: Member, data: bytes, now: float) -> None:
        for seat, seq in STEP.findall(LINES.sub(b"", data)):
            other = member.watches.get(int(seat))
            sent = other.sent.get(int(seq)) if other else None
            if sent is not None:
                self.figures.seen.append(now - sent)
