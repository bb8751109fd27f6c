"""One connection's session: it checks incoming messages and passes them to a room.

Rules:

- The first message is `hello`. It creates, opens, joins or resumes a room, or redeems a
  seat ticket; if it is refused, the connection is closed. A second one is refused.
- Every message is checked in this order: rate limits, UTF-8, size and schema, quota of
  log records, then the room's own rules. A malformed message is refused, and closes the
  connection only before a successful hello. Invalid UTF-8 and binary messages always
  close it.
- A peer that sends too fast is read more slowly; no message is lost. The cost of slides
  is known only after parsing, so it delays the *next* message. A peer that floods for
  `flood_ms` is disconnected; resending slides after a reconnect does not count as a
  flood.
- A peer's mistakes affect only its own connection.
"""

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never, get_args

from sliderace.protocol.codec import ProtocolError, decode_command
from sliderace.protocol.codes import close_text
from sliderace.protocol.messages import (
    Bots,
    Close,
    Closed,
    Command,
    Create,
    Event,
    Hello,
    Join,
    Kick,
    Leave,
    Nonce,
    Open,
    Opened,
    Ping,
    Pong,
    React,
    Redeem,
    Refused,
    Resume,
    Resync,
    Slides,
    Ticket,
    Transfer,
)
from sliderace.race.refusal import Refusal
from sliderace.texts import text
from sliderace_server import room
from sliderace_server.limits import (
    CONNECT_RECORDS,
    NEW_MEMBERS,
    TOKEN_RECORDS,
    TokenBucket,
)
from sliderace_server.live_room.subscriber import Peer, Subscriber
from sliderace_server.registry.actor import RoomActor
from sliderace_server.registry.rooms import RoomRegistry
from sliderace_server.registry.seat_tickets import TICKET_MS, hashed

__all__ = ["Session"]

_log = logging.getLogger(__name__)

SNAPSHOT_COST = 20
"""A resync counts as this many messages: a snapshot is the largest answer."""

QUOTA_EXEMPT = (Close, Kick, Leave, Nonce)
"""Commands that need no quota: few of them are possible, and members without quota may
still leave, and hosts remove members and close the room."""

CLOSE_AFTER: Mapping[str, int] = {
    "version": 4504,
    "room_unknown": 4502,
    "kicked": 4501,
    "too_many_tries": 4429,
    "rate": 4429,
    "no_hello": 4002,
    "storage_unavailable": 1013,
    "shutting_down": 1012,
}
"""Refusal of a hello -> close code. All other refusals: 4500."""

_TAGS = {kind: str(kind.__struct_config__.tag) for kind in get_args(Command)}


class Session:
    """The session of one connection.

    Args:
        registry: the rooms.
        peer: the connection.
    """

    __slots__ = (
        "_commands",
        "_ended",
        "_flooding_since",
        "_limits",
        "_messages",
        "_now",
        "_now_ms",
        "_registry",
        "_room",
        "_services",
        "_throttled_until",
        "_tile_debt_until",
        "_tiles",
        "peer",
        "subscriber",
    )

    def __init__(self, registry: RoomRegistry, peer: Peer) -> None:
        self.peer = peer
        self.subscriber = Subscriber(peer)
        self._registry = registry
        self._services = registry.services
        self._room: RoomActor | None = None
        limits = self._services.settings.limits
        self._now_ms = self._services.clock.now_ms
        now = self._now_ms()
        self._limits = limits
        self._messages = TokenBucket(limits.messages_per_s, limits.messages_burst)
        self._tiles = TokenBucket(limits.tiles_per_s, limits.tiles_burst)
        self._now = now
        self._commands = self._services.metrics.counts["commands"]
        self._tile_debt_until = now
        self._throttled_until = now
        self._flooding_since: int | None = None
        self._ended = False

    # --- for the connection ----------------------------------------------------------

    @property
    def in_race(self) -> bool:
        """Whether its room is between countdown and results."""
        return self._room is not None and self._room.state.phase != "lobby"

    @property
    def needs_latency(self) -> bool:
        """Whether the latency is needed: official times depend on that of players."""
        if self._room is None:
            return False
        member = self._room.state.members.get(self.subscriber.member)
        return member is not None and member.seat is not None

    @property
    def throttled_s(self) -> float:
        """Seconds for which nothing more is read from this peer."""
        if self._ended:
            return 0.0  # further messages are discarded, up to the peer's close frame
        return max(0, self._throttled_until - self._now_ms()) / 1_000

    def throttle(self) -> float:
        """Count a message or frame against the rate limits.

        Returns:
            Seconds to wait before it is handled and the next one is read.
        """
        now = self._now = self._now_ms()
        wait = self._messages.take(1, now)
        if not (
            wait or self._flooding_since is not None or self._tile_debt_until > now
        ):
            return 0.0  # nearly always
        if self._ended:
            return wait / 1_000
        if wait or self._flooding_since is not None:
            wait = self._check_flood(now, wait)
        # A peer that resends slides after a reconnect must wait, but does not flood.
        wait = max(wait, self._tile_debt_until - now)
        if wait <= 0:
            return 0.0
        self._services.metrics.count("throttled")
        self._throttled_until = now + wait
        return wait / 1_000

    def _check_flood(self, now: int, wait: int) -> int:
        """Close the connection if it has exceeded its rate for too long.

        One message without a wait does not end a flood: we may have woken up late.

        Returns:
            How many ms to wait, but not beyond the time to check again.
        """
        if self._flooding_since is None:
            self._flooding_since = now
        elif not wait and self._messages.spare(now) >= self._limits.messages_burst // 2:
            self._flooding_since = None
            return 0
        left = self._flooding_since + self._limits.flood_ms - now
        if wait and left <= 0:
            self._refuse("", Refusal("rate"))
            self.close(4429)
        return min(wait, max(0, left))

    def receive(self, data: str | bytes) -> None:
        """Handle a message from the library, which may have waited."""
        if isinstance(data, bytes):
            self.close(1007)
        else:
            self.receive_delayed(data.encode("utf-8", "surrogatepass"))

    def receive_delayed(self, payload: bytes) -> None:
        """Handle a text message that has waited; see `receive_text`."""
        self._now = self._now_ms()
        self.receive_text(payload)

    def receive_text(self, payload: bytes) -> None:
        """Handle a text message right after `throttle`.

        Args:
            payload: possibly invalid UTF-8; nearly always slides.
        """
        if self._ended:
            return
        if not payload.isascii():
            try:
                payload.decode()
            except UnicodeDecodeError:
                self.close(1007)
                return
        try:
            command = decode_command(payload, self._limits.up_bytes)
        except ProtocolError as error:
            self._refuse_malformed(error)
            return
        self._commands[_TAGS[type(command)]] += 1
        if isinstance(command, Slides) and self._room is not None:
            # Tiles are counted against their limit, which delays the next message.
            tiles = 0
            for _, count, _ in command.slides:
                tiles += count
            self._tile_debt_until = self._now + self._tiles.take(tiles, self._now)
            self._room.slide(self.subscriber, command, self._now)
        else:
            self._execute(command)

    def hello_timed_out(self) -> None:
        """Close the connection: no message arrived in time."""
        self._refuse("", Refusal("no_hello"))
        self.close(4002)

    def shut_down(self) -> None:
        """Close the connection because the server shuts down; the client reconnects."""
        if self._registry.host_ended and self._room is not None:
            self._send(Closed(self._room.state.offset, "host_ended"))
        else:
            self._refuse("", Refusal("shutting_down"))
        self.close(1012)

    def disconnected(self) -> None:
        """Note that the connection has ended."""
        self._ended = True
        if self._room is not None:
            self._room.unsubscribe(self.subscriber)

    # --- for the room ----------------------------------------------------------------

    def record_rtt(self, rtt_ms: int, now: int, kernel_ms: int | None) -> None:
        """Record a round trip that a ping and the kernel have measured."""
        self.subscriber.latency.add(rtt_ms, now, kernel_ms)

    def set_behind(self, *, behind: bool) -> None:
        """Note whether the peer reads too slowly for progress."""
        if self._room is not None:
            self._room.set_behind(self.subscriber, behind=behind)

    def close(self, code: int) -> None:
        """Close the connection with a code of `sliderace.protocol.codes`."""
        if not self._ended:
            self._ended = True
            self.peer.close(code, close_text(code))

    # --- commands --------------------------------------------------------------------

    def _execute(self, command: Command) -> None:
        if isinstance(command, Hello):
            if self._room is not None:
                again = text("malformed.second_hello")
                self._refuse_malformed(
                    ProtocolError("bad_message", again, "t", "hello", '"hello"')
                )
            else:
                self._hello(command)
        elif self._room is None:
            self._refuse_hello(Refusal("no_hello"), str(command.__struct_config__.tag))
        elif isinstance(command, Ping):
            self._send(Pong(command.id))
        elif isinstance(command, React):
            self._room.react(self.subscriber, command)
        elif isinstance(command, Resync):
            self._resync(self._room, command)
        elif isinstance(command, Transfer):
            self._transfer(self._room)
        elif isinstance(command, QUOTA_EXEMPT) or self._has_quota(
            self._room, self.subscriber.member
        ):
            before = self._room.live.applied
            if isinstance(command, Bots):
                self._bots(self._room, command)
            else:
                self._room.receive(self.subscriber, command)
            self._room.quota.use(
                self.subscriber.member, self._room.live.applied - before
            )
        else:
            self._refuse(str(command.__struct_config__.tag), Refusal("rate"))

    def _bots(self, actor: RoomActor, command: Bots) -> None:
        """Let the bots of a room leave and enter."""
        subscriber, newest = self.subscriber, actor.state.last_member
        count = len(command.want)
        if subscriber.member == actor.state.host:  # else the room refuses
            refusal = self._registry.bots_refusal(actor, count)
            if refusal is not None:
                self._refuse("bots", refusal)
                return
        hashes = self._registry.bot_token_hashes(actor, count)
        actor.receive(subscriber, command, hashes)
        self._registry.play_bots(actor, newest)

    def _has_quota(self, actor: RoomActor, member: int) -> bool:
        """Return whether a member may append more records before the next race."""
        return actor.quota.left(member, actor.state.last_race)

    def _resync(self, actor: RoomActor, command: Resync) -> None:
        if command.seat is None:
            now = self._services.clock.now_ms()
            self._messages.take(SNAPSHOT_COST, now)
        actor.resync(self.subscriber, command)

    def _hello(self, hello: Hello) -> None:
        peer = self.peer
        extra = {"conn": peer.id, "address": peer.address, "client": hello.client}
        self.subscriber.can = frozenset(hello.can)
        match hello.enter:
            case Create() as create:
                outcome = self._create(create)
            case Open() as asked:
                outcome = self._open(asked)
            case Join() as join:
                outcome = self._join(join)
            case Resume() as resume:
                outcome = self._resume(resume)
            case Redeem() as redeem:
                outcome = self._redeem(redeem)
            case _:
                assert_never(hello.enter)
        if isinstance(outcome, Refusal):
            _log.info("refused", extra={**extra, "reason": outcome.code})
            self._refuse_hello(outcome, "hello")
            return
        self._room = outcome
        self.peer.measure_latency()
        kind = str(hello.enter.__struct_config__.tag)
        _log.info(
            kind,
            extra={**extra, "room": outcome.code, "member": self.subscriber.member},
        )

    def _create(self, create: Create) -> RoomActor | Refusal:
        actor = self._registry.open(create, self.peer.address)
        if isinstance(actor, Refusal):
            return actor
        token = self._new_token()
        address = self._registry.address_hash(actor.code, self.peer.address)
        command = room.Enter(
            create.name, hashed(token), create.role, creator=True, address=address
        )
        return actor.subscribe(self.subscriber, command, token=token) or actor

    def _open(self, asked: Open) -> RoomActor | Refusal:
        actor = self._registry.open(asked, self.peer.address)
        if isinstance(actor, Refusal):
            return actor
        link = self._registry.link(actor.code, self.peer.host)
        actor.notify(self.subscriber, Opened(actor.code, link), 1000)
        return actor

    def _join(self, join: Join) -> RoomActor | Refusal:
        actor = self._registry.find(join.code, self.peer.address)
        if isinstance(actor, Refusal):
            return actor
        if self._registry.failing:
            return Refusal("storage_unavailable", retry_ms=5_000)
        if wait := self._registry.join_wait(self.peer.address):
            return Refusal("rate", retry_ms=wait)
        if not self._has_quota(actor, NEW_MEMBERS):
            return Refusal("rate")
        token = self._new_token()
        address = self._registry.address_hash(actor.code, self.peer.address)
        command = room.Enter(
            join.name, hashed(token), join.role, join.bot, address=address
        )
        if refusal := actor.subscribe(self.subscriber, command, token=token):
            return refusal
        actor.quota.use(NEW_MEMBERS, CONNECT_RECORDS)
        return actor

    def _new_token(self) -> str:
        """Return a random 128-bit token."""
        return self._services.entropy(16).hex()

    def _resume(self, resume: Resume) -> RoomActor | Refusal:
        token = hashed(resume.token)
        found = self._registry.find_by_token(resume.code, token, self.peer.address)
        if isinstance(found, Refusal):
            return found
        actor, member = found
        if not self._has_quota(actor, member):
            return Refusal("rate")
        actor.quota.use(member, CONNECT_RECORDS)
        seen = resume.epoch, resume.offset
        command = room.Connect(member, resumed_with=token)
        actor.subscribe(self.subscriber, command, seen=seen)
        return actor

    def _redeem(self, redeem: Redeem) -> RoomActor | Refusal:
        if self._registry.failing:
            return Refusal("storage_unavailable", retry_ms=5_000)
        ticket = hashed(redeem.ticket)
        found = self._registry.find_by_ticket(redeem.code, ticket, self.peer.address)
        if isinstance(found, Refusal):
            return found
        actor, member = found
        if not self._has_quota(actor, member):
            return Refusal("rate")
        actor.quota.use(member, CONNECT_RECORDS + TOKEN_RECORDS)
        token = self._new_token()
        command = room.Connect(member, hashed(token))
        actor.subscribe(self.subscriber, command, token=token)
        return actor

    def _transfer(self, actor: RoomActor) -> None:
        """Send a seat ticket.

        Replaced connections and former members are closed, so this needs no fence.
        """
        ticket = self._new_token()
        now = self._services.clock.now_ms()
        member = self.subscriber.member
        self._registry.tickets.issue(actor.code, member, hashed(ticket), now)
        self._send(Ticket(ticket, TICKET_MS))

    # --- answers ---------------------------------------------------------------------

    def _send(self, event: Event) -> None:
        self.peer.send_urgent(self._services.frame(event))

    def _refuse(self, of: str, refusal: Refusal) -> None:
        self._services.metrics.count("refusals", refusal.code)
        self._send(room.refused(of, refusal))

    def _refuse_hello(self, refusal: Refusal, of: str) -> None:
        if of == "hello" and refusal.field:
            refusal = replace(refusal, field=f"enter.{refusal.field}")
        self._refuse(of, refusal)
        self.close(CLOSE_AFTER.get(refusal.code, 4500))

    def _refuse_malformed(self, error: ProtocolError) -> None:
        """Refuse a malformed message; close the connection if it is not in a room."""
        self._services.metrics.count("refusals", error.code)
        self._send(Refused(error.of, error.code, error.text, error.field, error.value))
        if self._room is None:
            self.close(CLOSE_AFTER.get(error.code, 4500))
