"""All limits of the server, and the counters that enforce them.

The rate limits never drop anything: they return how long to wait, and the caller stops
reading for that time. Times are ms of the machine's monotonic clock.
"""

import ipaddress
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Literal

from msgspec import Meta

from sliderace.protocol import limits as wire, messages
from sliderace_server.room.state import NonNegative, Positive, RoomLimits

__all__ = [
    "CONNECT_RECORDS",
    "NEW_MEMBERS",
    "TOKEN_RECORDS",
    "Kind",
    "Limits",
    "PerAddress",
    "Quota",
    "TokenBucket",
    "client_key",
]

HOUR_S, DAY_S = 3_600, 86_400
CLAIMS = 5
CLAIMS_S = 300
"""Wrong device tickets from one address in five minutes, which is how long a ticket is
valid; above it, right ones are refused too. Enough for somebody who mistypes one."""
SWEEP_MS = 60_000
"""How often to forget addresses that are no longer active."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one server; each is a setting for operators.

    Args:
        up_bytes: size of a message from a client.
        unsent_bytes: bytes that a client may leave unread, beyond its last snapshot;
            with more the connection is aborted.
        open_timeout_ms: for a TLS handshake, and for a request to arrive.
        head_bytes: size of a request; browsers send 1 to 2 KB.
        answer_timeout_ms: for an HTTP answer to be read; a large race record on a slow
            connection takes long.
        hello_timeout_ms: from the WebSocket handshake to `hello`.
        close_timeout_ms: for the closing handshake; then the connection is aborted.
        ping_race_ms: between pings to a player from the countdown to the results.
        ping_idle_ms: between pings to a player at other times, and to a spectator.
        ping_burst: pings to a player at a join, at a resume and in the countdown; the
            official time needs several samples.
        ping_timeout_ms: a connection that answers no ping for this long is aborted.
        messages_per_s: messages and control frames of one connection.
        messages_burst: how many of them at once.
        tiles_per_s: tiles that one seat moves; record solvers reach 149 in a second.
        tiles_burst: how many of them at once; record solvers reach 405 in five seconds.
        flood_ms: a connection that exceeds its rate for this long is closed with 4429.
        gather_ms: how long clients collect slides into one message.
        connections_per_ip: TCP connections, counted before the handshake.
        answer_bytes_per_ip: bytes of large HTTP answers that one address may leave
            unread, as they use our memory; a single answer may be larger.
        pages_per_s: plain HTTP requests of one address.
        pages_burst: how many of them at once: a class behind one address opens the
            link, and each visit is about forty files.
        rooms_per_ip: open rooms that one address has created.
        rooms_per_hour: rooms that one address may open in an hour, and at once: each
            reserves its code for a day.
        lobbies_per_ip: connections of one address that watch the list of rooms.
        joins_per_min: new members from one address, in all rooms together.
        joins_burst: how many of them at once: a class joins from one address.
        quick_per_min: how often one address may race at once (`quick`) or alone.
        quick_burst: how many of them at once: a class begins together.
        failed_joins_per_10_min: wrong room codes from one address; above it, right
            codes are refused too, so that guessing does not pay off. A class mistypes a
            lot.
        failed_joins_per_s: wrong room codes from all addresses together; beyond it
            nobody can join by a code. 0: no limit, as a few strangers who guess codes
            could otherwise keep everybody else out.
        profiles_per_day: profiles that one address may create in a day.
        total_bots: bots of the server in all rooms together; 0: none.
        room: the limits of one room.
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
    rooms_per_hour: Positive = 60
    lobbies_per_ip: Positive = 20
    joins_per_min: Positive = 60
    joins_burst: Positive = 120
    quick_per_min: Positive = 10
    quick_burst: Positive = 40
    failed_joins_per_10_min: Positive = 60
    failed_joins_per_s: NonNegative = 0
    profiles_per_day: Positive = 5
    total_bots: NonNegative = 64
    room: RoomLimits = field(default_factory=RoomLimits)

    @property
    def announced(self) -> messages.Limits:
        """The limits that `welcome` announces to clients."""
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
    """A token bucket that returns a time to wait instead of refusing.

    The state is the time at which the bucket will be full again, in integer
    microseconds, so that rounding errors do not add up.

    Args:
        per_s: tokens added per second.
        burst: tokens that a full bucket holds; it starts full.
    """

    __slots__ = ("_burst_us", "_cost_us", "_full_us")

    def __init__(self, per_s: float, burst: int) -> None:
        self._cost_us = round(1_000_000 / per_s)
        self._burst_us = burst * self._cost_us
        self._full_us = 0

    def take(self, tokens: int, now_ms: int) -> int:
        """Take tokens, even if there are too few yet.

        Returns:
            How many ms to wait before continuing, or 0.
        """
        now_us, full_us = now_ms * 1000, self._full_us
        if full_us < now_us:
            full_us = now_us
        self._full_us = full_us = full_us + tokens * self._cost_us
        wait_us = full_us - self._burst_us - now_us
        return -(-wait_us // 1000) if wait_us > 0 else 0

    def wait(self, now_ms: int) -> int:
        """Return how many ms to wait for a token, or 0."""
        full_us = max(self._full_us, now_ms * 1000) + self._cost_us
        return max(0, -(-(full_us - self._burst_us - now_ms * 1000) // 1000))

    def spare(self, now_ms: int) -> int:
        """Return how many tokens can be taken without waiting."""
        debt_us = max(0, self._full_us - now_ms * 1_000)
        return max(0, (self._burst_us - debt_us) // self._cost_us)

    def is_full(self, now_ms: int) -> bool:
        """Return whether the bucket is full, like a new one."""
        return self._full_us <= now_ms * 1000


Kind = Literal["pages", "joins", "quick", "guesses", "openings", "claims", "profiles"]
"""What is counted per address and has a rate; a guess is a wrong room code, ticket or
token, a claim a wrong device ticket."""


class PerAddress:
    """Counters and rate limits per client address.

    Clients on this machine, whose address is given as empty, are exempt.

    Args:
        limits: the server's limits.

    Attributes:
        on_count: called with everything that is counted here and has a rate; other
            processes of the server pass it to `count_client`.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._connections: Counter[str] = Counter()
        self._unread: Counter[str] = Counter()
        self._rooms: Counter[str] = Counter()
        self._lobbies: Counter[str] = Counter()
        self.on_count: Callable[[Kind, str, int], None] | None = None
        self._rates: dict[Kind, tuple[float, int]] = {
            "pages": (limits.pages_per_s, limits.pages_burst),
            "joins": (limits.joins_per_min / 60, limits.joins_burst),
            "quick": (limits.quick_per_min / 60, limits.quick_burst),
            "guesses": (
                limits.failed_joins_per_10_min / 600,
                limits.failed_joins_per_10_min,
            ),
            "openings": (limits.rooms_per_hour / HOUR_S, limits.rooms_per_hour),
            "claims": (CLAIMS / CLAIMS_S, CLAIMS),
            "profiles": (limits.profiles_per_day / DAY_S, limits.profiles_per_day),
        }
        self._buckets: dict[Kind, dict[str, TokenBucket]] = {
            kind: {} for kind in self._rates
        }
        self._all_tries: TokenBucket | None = None
        if per_s := limits.failed_joins_per_s:
            self._all_tries = TokenBucket(per_s, per_s)
        self._sweep_at_ms = 0

    def __len__(self) -> int:
        """Return the number of addresses that are remembered."""
        known: tuple[Iterable[str], ...] = (
            self._connections,
            self._unread,
            self._rooms,
            self._lobbies,
            *self._buckets.values(),
        )
        return len({address for addresses in known for address in addresses})

    def connect(self, address: str) -> bool:
        """Count a new connection; if there are too many, only return False."""
        allowed = self._limits.connections_per_ip
        client = client_key(address)
        if self._connections[client] >= allowed and address:
            return False
        self._connections[client] += 1
        return True

    def disconnect(self, address: str) -> None:
        """Stop counting a connection."""
        _decrement(self._connections, client_key(address))

    def sending(self, address: str, size: int) -> bool:
        """Count a large answer; if too much is unread, only return False."""
        unread = self._unread[client_key(address)]
        allowed = self._limits.answer_bytes_per_ip
        if unread and unread + size > allowed and address:
            return False
        self._unread[client_key(address)] += size
        return True

    def sent(self, address: str, size: int) -> None:
        """Stop counting a large answer."""
        _decrement(self._unread, client_key(address), size)

    def page_wait(self, address: str, now_ms: int, cost: int = 1) -> int:
        """Count a request; return 0, or how many ms to wait before repeating it.

        Args:
            address: the client's.
            now_ms: monotonic time.
            cost: as how many requests it counts.
        """
        return self._wait_or_count("pages", address, now_ms, cost)

    def join_wait(self, address: str, now_ms: int) -> int:
        """Count a join; return 0, or how many ms to wait before repeating it."""
        return self._wait_or_count("joins", address, now_ms)

    def quick_wait(self, address: str, now_ms: int) -> int:
        """Count an entry to race at once or alone; return 0, or the ms to wait."""
        return self._wait_or_count("quick", address, now_ms)

    def try_wait(self, address: str, now_ms: int) -> int:
        """Return how many ms this address must wait to try any room code, or 0.

        By default only the wrong codes of the same address count, so that strangers
        cannot keep others out.
        """
        if not address:
            return 0
        wait = self._wait("guesses", address, now_ms)
        return max(wait, self._all_tries.wait(now_ms) if self._all_tries else 0)

    def failed_try(self, address: str, now_ms: int) -> None:
        """Count a wrong room code, ticket or token."""
        self._count("guesses", address, now_ms)

    def claim_wait(self, address: str, now_ms: int) -> int:
        """Return how many ms this address must wait to try a device ticket, or 0."""
        return self._wait("claims", address, now_ms)

    def failed_claim(self, address: str, now_ms: int) -> None:
        """Count a wrong device ticket."""
        self._count("claims", address, now_ms)

    def profile_wait(self, address: str, now_ms: int) -> int:
        """Return how many ms this address must wait to create a profile, or 0."""
        return self._wait("profiles", address, now_ms)

    def profile_created(self, address: str, now_ms: int) -> None:
        """Count a profile that this address has created."""
        self._count("profiles", address, now_ms)

    def may_open(self, address: str) -> bool:
        """Return whether this address may open one more room."""
        allowed = self._limits.rooms_per_ip
        return self._rooms[client_key(address)] < allowed or not address

    def may_watch(self, address: str) -> bool:
        """Return whether one more connection of this address may watch the lobby."""
        allowed = self._limits.lobbies_per_ip
        return self._lobbies[client_key(address)] < allowed or not address

    def watches(self, address: str) -> None:
        """Count a connection that watches the lobby."""
        self._lobbies[client_key(address)] += 1

    def unwatches(self, address: str) -> None:
        """Stop counting a connection that watched the lobby."""
        _decrement(self._lobbies, client_key(address))

    def open_wait(self, address: str, now_ms: int) -> int:
        """Return how many ms this address must wait to open one more room, or 0."""
        return self._wait("openings", address, now_ms)

    def opened(self, address: str, now_ms: int) -> None:
        """Count a room that this address has opened."""
        self._rooms[client_key(address)] += 1
        self._count("openings", address, now_ms)

    def closed(self, address: str) -> None:
        """Stop counting a room of this address."""
        _decrement(self._rooms, client_key(address))

    # --- buckets ---------------------------------------------------------------------

    def count_client(self, kind: Kind, client: str, amount: int, now_ms: int) -> None:
        """Count what a client did, here or in another process of the server.

        Args:
            kind: what it did.
            client: see `client_key`.
            amount: how often.
            now_ms: monotonic time of this process.
        """
        self._sweep(now_ms)
        buckets = self._buckets[kind]
        if client not in buckets:
            buckets[client] = TokenBucket(*self._rates[kind])
        buckets[client].take(amount, now_ms)
        if kind == "guesses" and self._all_tries is not None:
            self._all_tries.take(amount, now_ms)

    def _wait(self, kind: Kind, address: str, now_ms: int) -> int:
        """Return how many ms an address must wait."""
        bucket = self._buckets[kind].get(client_key(address))
        return 0 if bucket is None else bucket.wait(now_ms)

    def _count(self, kind: Kind, address: str, now_ms: int, amount: int = 1) -> None:
        """Count what an address did."""
        if not address:
            return
        client = client_key(address)
        self.count_client(kind, client, amount, now_ms)
        if self.on_count is not None:
            self.on_count(kind, client, amount)

    def _wait_or_count(
        self, kind: Kind, address: str, now_ms: int, amount: int = 1
    ) -> int:
        """Count what an address does unless it must wait; return how many ms."""
        if not (wait := self._wait(kind, address, now_ms)):
            self._count(kind, address, now_ms, amount)
        return wait

    def _sweep(self, now_ms: int) -> None:
        """Forget inactive addresses; attackers have many."""
        if now_ms < self._sweep_at_ms:
            return
        self._sweep_at_ms = now_ms + SWEEP_MS
        for buckets in self._buckets.values():
            for address in [key for key, one in buckets.items() if one.is_full(now_ms)]:
                del buckets[address]


NEW_MEMBERS = 0
"""The key of the quota that all joins of a room share; no member has this id."""
NEW_MEMBERS_SHARE = 20
"""This quota, in quotas of one member. It only keeps thousands of addresses from
filling the disk: each of them reaches its own limit long before."""
CONNECT_RECORDS = 2
"""Log records per connection: connected and disconnected."""
TOKEN_RECORDS = 1
"""The same for a member who redeems a seat ticket, with one more record."""


class Quota:
    """An amount per member, which is reset for all when the epoch changes.

    Args:
        amount: how much each member may use.
    """

    __slots__ = ("_amount", "_epoch", "_used")

    def __init__(self, amount: int) -> None:
        self._amount = amount
        self._epoch = ""
        self._used: Counter[int] = Counter()

    def left(self, member: int, epoch: str) -> bool:
        """Return whether a member may use more.

        Args:
            member: whose quota.
            epoch: resets all quotas if it differs from the last call's.
        """
        if epoch != self._epoch:
            self._epoch = epoch
            self._used.clear()
        share = NEW_MEMBERS_SHARE if member == NEW_MEMBERS else 1
        return self._used[member] < share * self._amount

    def use(self, member: int, amount: int) -> None:
        """Count what a member has used."""
        self._used[member] += amount


@lru_cache(1_024)  # to parse an address takes microseconds
def client_key(address: str) -> str:
    """Return the key to count an address by: for IPv6 the /64, which one host owns.

    >>> [
    ...     client_key(one)
    ...     for one in ("2001:db8::1:2:3:4", "::ffff:10.0.0.1", "10.0.0.1")
    ... ]
    ['2001:db8::', '10.0.0.1', '10.0.0.1']
    """
    try:
        ip = ipaddress.IPv6Address(address)
    except ValueError:
        return address
    if ip.ipv4_mapped:
        return str(ip.ipv4_mapped)
    return str(ipaddress.IPv6Address(int(ip) >> 64 << 64))


def _decrement(counter: Counter[str], address: str, amount: int = 1) -> None:
    counter[address] -= amount
    if counter[address] <= 0:
        del counter[address]
