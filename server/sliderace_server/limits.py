"""Every limit of the server, and the counters that keep to them.

Nothing here is ever dropped: who is too fast is told how long to wait, and the shell
stops reading for so long. All times are the machine's monotonic milliseconds.
"""

import ipaddress
from collections import Counter
from dataclasses import dataclass, field
from typing import Annotated

from msgspec import Meta

from sliderace.protocol import limits as wire, messages
from sliderace_server.room.state import NonNegative, Positive, RoomLimits

__all__ = [
    "COMING_AND_GOING",
    "NEWCOMERS",
    "NEW_TOKEN",
    "Limits",
    "PerAddress",
    "Quota",
    "TokenBucket",
    "is_loopback",
]

SWEEP_MS = 60_000
"""Between two looks for addresses that can be forgotten."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one server allows; each is an operator's setting.

    Args:
        up_bytes: size of one message from a client.
        unsent_bytes: what may wait for a slow reader beyond its last snapshot; more
            ends that connection.
        open_timeout_ms: for the handshake.
        hello_timeout_ms: from the handshake to `hello`.
        close_timeout_ms: for the closing handshake; then the connection is cut.
        ping_race_ms: between the server's pings from the countdown to the results.
        ping_idle_ms: at other times, and to the spectators of a large room.
        ping_burst: pings at a join, a resume and in the countdown, for the official
            time's R and M.
        ping_timeout_ms: a connection that answers none for so long is cut.
        messages_per_s: of one connection, control frames counted.
        messages_burst: how many at once.
        tiles_per_s: moved from one seat; record solvers reach 149 in a second.
        tiles_burst: and 405 in five.
        flood_ms: who floods for so long is closed with 4429.
        gather_ms: for how long clients gather slides after the first.
        connections_per_ip: counted before the handshake.
        head_bytes: of a request before it is complete; browsers send 1 to 2 KB.
        answer_timeout_ms: for a whole plain answer to be read: a large race record
            on a poor line.
        answer_bytes_per_ip: of large plain answers that one address may leave unread
            at once, if they are more than one: they lie in our memory so long.
        pages_per_s: requests of one address that are no connection.
        pages_burst: how many at once: a class behind one address opens the link, and
            each visit is some forty files.
        rooms_per_ip: live rooms that one address has opened.
        failed_joins_per_min: wrong codes from one address.
        failed_joins_per_s: wrong codes from all addresses together; beyond it nobody
            enters by a code. 0: no such bound, because with it a few strangers who
            guess could keep all friends out.
        room: the figures of one room.
    """

    up_bytes: Annotated[int, Meta(ge=1, le=wire.MAX_UP_BYTES)] = wire.MAX_UP_BYTES
    unsent_bytes: Positive = 65_536
    open_timeout_ms: Positive = 3_000
    head_bytes: Positive = 16_384
    answer_timeout_ms: Positive = 30_000
    hello_timeout_ms: Positive = 3_000
    close_timeout_ms: Positive = 1_000
    ping_race_ms: Positive = 5_000
    ping_idle_ms: Positive = 20_000
    ping_burst: Positive = 8
    ping_timeout_ms: Positive = 5_000
    messages_per_s: Positive = 60
    messages_burst: Positive = 120
    tiles_per_s: Positive = 160
    tiles_burst: Positive = 320
    flood_ms: Positive = 10_000
    gather_ms: NonNegative = 33
    connections_per_ip: Positive = 200
    answer_bytes_per_ip: Positive = 4_194_304
    pages_per_s: Positive = 50
    pages_burst: Positive = 1_200
    rooms_per_ip: Positive = 10
    failed_joins_per_min: Positive = 10
    failed_joins_per_s: NonNegative = 0
    room: RoomLimits = field(default_factory=RoomLimits)

    @property
    def told(self) -> messages.Limits:
        """What a client is told in `welcome`."""
        return messages.Limits(
            messages_per_s=self.messages_per_s,
            messages_burst=self.messages_burst,
            tiles_per_s=self.tiles_per_s,
            tiles_burst=self.tiles_burst,
            slides_per_message=wire.MAX_SLIDES,
            gather_ms=self.gather_ms,
            message_bytes=self.up_bytes,
        )


class TokenBucket:
    """So many a second, so many at once; beyond that, a time to wait.

    Kept as the instant at which the bucket will be full again, in thousandths of a
    millisecond: whole numbers, so that no rounding adds up.

    Args:
        per_s: tokens that flow in each second.
        burst: tokens that a full bucket holds; it begins full.
    """

    __slots__ = ("_burst_us", "_cost_us", "_full_us")

    def __init__(self, per_s: float, burst: int) -> None:
        self._cost_us = round(1_000_000 / per_s)
        self._burst_us = burst * self._cost_us
        self._full_us = 0

    def take(self, tokens: int, now_ms: int) -> int:
        """Take tokens, on credit where they are not there yet.

        Returns:
            How many ms to wait before going on; 0: not at all.
        """
        now_us = now_ms * 1000
        full_us = max(now_us, self._full_us)
        full_us = self._full_us = full_us + tokens * self._cost_us
        wait_us = full_us - self._burst_us - now_us
        return -(-wait_us // 1000) if wait_us > 0 else 0

    def wait(self, now_ms: int) -> int:
        """In how many ms there will be a token; 0: there is one."""
        full_us = max(self._full_us, now_ms * 1000) + self._cost_us
        return max(0, -(-(full_us - self._burst_us - now_ms * 1000) // 1000))

    def is_full(self, now_ms: int) -> bool:
        """Whether nothing was taken lately: such a bucket can be forgotten."""
        return self._full_us <= now_ms * 1000


class PerAddress:
    """What every address has in use; the machine itself is exempt.

    Args:
        limits: the server's.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._connections: Counter[str] = Counter()
        self._unread: Counter[str] = Counter()
        self._rooms: Counter[str] = Counter()
        self._pages: dict[str, TokenBucket] = {}
        self._tries: dict[str, TokenBucket] = {}
        self._all_tries: TokenBucket | None = None
        if per_s := limits.failed_joins_per_s:
            self._all_tries = TokenBucket(per_s, per_s)
        self._sweep_at_ms = 0

    def __len__(self) -> int:
        """How many addresses are remembered."""
        known = (
            self._connections,
            self._unread,
            self._rooms,
            self._pages,
            self._tries,
        )
        return len({address for addresses in known for address in addresses})

    def connect(self, address: str) -> bool:
        """Count a connection in, before its handshake; False: too many, not counted."""
        allowed = self._limits.connections_per_ip
        client = _client(address)
        if self._connections[client] >= allowed and not is_loopback(address):
            return False
        self._connections[client] += 1
        return True

    def disconnect(self, address: str) -> None:
        """Count a connection out that `connect` has counted in."""
        _count_out(self._connections, _client(address))

    def sending(self, address: str, size: int) -> bool:
        """Count a large answer in; False: too much is unread there, not counted."""
        unread = self._unread[_client(address)]
        most = self._limits.answer_bytes_per_ip
        if unread and unread + size > most and not is_loopback(address):
            return False
        self._unread[_client(address)] += size
        return True

    def sent(self, address: str, size: int) -> None:
        """Count a large answer out that `sending` has counted in."""
        _count_out(self._unread, _client(address), size)

    def page_wait(self, address: str, now_ms: int) -> int:
        """A page is asked for; 0: give it, else after how many ms to ask again."""
        if is_loopback(address):
            return 0
        self._sweep(now_ms)
        limits = self._limits
        new = TokenBucket(limits.pages_per_s, limits.pages_burst)
        bucket = self._pages.setdefault(_client(address), new)
        if not (wait := bucket.wait(now_ms)):
            bucket.take(1, now_ms)
        return wait

    def try_wait(self, address: str, now_ms: int) -> int:
        """0: a wrong code is one more try, else after how many ms to try again.

        Unless the operator wants otherwise only an address's own misses count: those
        of strangers keep nobody out.
        """
        if is_loopback(address):
            return 0
        buckets = (self._tries.get(_client(address)), self._all_tries)
        return max(bucket.wait(now_ms) if bucket else 0 for bucket in buckets)

    def failed_try(self, address: str, now_ms: int) -> None:
        """A code was wrong, or a token."""
        if is_loopback(address):
            return
        self._sweep(now_ms)
        per_min = self._limits.failed_joins_per_min
        new = TokenBucket(per_min / 60, per_min)
        self._tries.setdefault(_client(address), new).take(1, now_ms)
        if self._all_tries is not None:
            self._all_tries.take(1, now_ms)

    def may_open(self, address: str) -> bool:
        """Whether that address may open one more room."""
        allowed = self._limits.rooms_per_ip
        return self._rooms[_client(address)] < allowed or is_loopback(address)

    def opened(self, address: str) -> None:
        """A room was opened from there."""
        self._rooms[_client(address)] += 1

    def closed(self, address: str) -> None:
        """A room that was opened from there is no more."""
        _count_out(self._rooms, _client(address))

    def _sweep(self, now_ms: int) -> None:
        """Forget who has been quiet: addresses are many, and cheap to make up."""
        if now_ms < self._sweep_at_ms:
            return
        self._sweep_at_ms = now_ms + SWEEP_MS
        for buckets in (self._pages, self._tries):
            for address in [key for key, one in buckets.items() if one.is_full(now_ms)]:
                del buckets[address]


NEWCOMERS = 0
"""Whose quota joining a room counts for: no member's id."""
COMING_AND_GOING = 2
"""Records: one when somebody comes, one when he goes."""
NEW_TOKEN = 1
"""One more for who comes with a ticket."""


class Quota:
    """How much each may do before something happens; then all of it again.

    Args:
        most: how much.
    """

    __slots__ = ("_epoch", "_most", "_used")

    def __init__(self, most: int) -> None:
        self._most = most
        self._epoch = ""
        self._used: Counter[int] = Counter()

    def left(self, who: int, epoch: str) -> bool:
        """Whether somebody may do more.

        Args:
            who: whose quota.
            epoch: another one than the last time: everybody's begins again.
        """
        if epoch != self._epoch:
            self._epoch = epoch
            self._used.clear()
        return self._used[who] < self._most

    def use(self, who: int, amount: int) -> None:
        """Count what somebody has done."""
        self._used[who] += amount


def is_loopback(address: str) -> bool:
    """Whether an address is this machine's own; one without a name is.

    >>> [is_loopback(one) for one in ("127.0.0.9", "::1", "", "192.168.1.7", "nowhere")]
    [True, True, True, False, False]
    """
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return not address
    mapped = getattr(ip, "ipv4_mapped", None)
    return (mapped or ip).is_loopback


def _client(address: str) -> str:
    """By what an address is counted: of IPv6 everybody has a whole /64 to choose from.

    >>> [_client(one) for one in ("2001:db8::1:2:3:4", "::ffff:10.0.0.1", "10.0.0.1")]
    ['2001:db8::', '10.0.0.1', '10.0.0.1']
    """
    try:
        ip = ipaddress.IPv6Address(address)
    except ValueError:
        return address
    if ip.ipv4_mapped:
        return str(ip.ipv4_mapped)
    return str(ipaddress.IPv6Address(int(ip) >> 64 << 64))


def _count_out(counter: Counter[str], address: str, amount: int = 1) -> None:
    counter[address] -= amount
    if counter[address] <= 0:
        del counter[address]
