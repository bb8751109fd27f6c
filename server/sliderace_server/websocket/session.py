"""One connection's conversation: hello, then commands, each judged in its own place.

A fault stays in its connection: whatever a peer sends, it is answered or closed, and
nobody else notices. Too fast means being read more slowly, never losing a message.
"""

import logging
from collections.abc import Mapping
from typing import assert_never, get_args

from sliderace.protocol.codec import ProtocolError, decode_command
from sliderace.protocol.codes import close_text
from sliderace.protocol.messages import (
    Close,
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
    Redeem,
    Refused,
    Resume,
    Resync,
    Slides,
    Ticket,
    Transfer,
)
from sliderace.race.refusal import Refusal
from sliderace_server import room
from sliderace_server.limits import (
    COMING_AND_GOING,
    NEW_TOKEN,
    NEWCOMERS,
    TokenBucket,
)
from sliderace_server.live_room.services import Peer
from sliderace_server.registry.actor import RoomActor
from sliderace_server.registry.rooms import RoomRegistry
from sliderace_server.registry.seat_tickets import TICKET_MS, hashed

__all__ = ["Session"]

_log = logging.getLogger(__name__)

SNAPSHOT_COST = 20
"""Messages a snapshot counts for: it is the largest thing anybody may ask for."""

ALWAYS = (Close, Kick, Leave, Nonce)
"""Commands that are bounded by themselves: whoever wrote too much may still go, and a
host may still put an end to it."""

CLOSE_AFTER: Mapping[str, int] = {
    "version": 4504,
    "room_unknown": 4502,
    "too_many_tries": 4429,
    "rate": 4429,
    "no_hello": 4002,
    "storage_unavailable": 1013,
    "shutting_down": 1012,
}
"""Refusal of a hello -> close code; for all others it is 4500."""

_TAGS = {kind: str(kind.__struct_config__.tag) for kind in get_args(Command)}


class Session:
    """What one connection says, and what becomes of it.

    Args:
        registry: the rooms.
        peer: the connection.
    """

    __slots__ = (
        "_commands",
        "_ended",
        "_flooding_since",
        "_held_until",
        "_limits",
        "_messages",
        "_now",
        "_now_ms",
        "_registry",
        "_room",
        "_services",
        "_tile_debt_until",
        "_tiles",
        "following",
        "gen",
        "member",
        "peer",
        "sees",
        "shown",
    )

    def __init__(self, registry: RoomRegistry, peer: Peer) -> None:
        self.peer = peer
        self.member = 0
        self.gen = 0
        self.following = False
        self.sees = False
        self.shown = ""
        self._registry = registry
        self._services = registry.services
        self._room: RoomActor | None = None
        limits = self._services.config.limits
        self._now_ms = self._services.clock.now_ms
        now = self._now_ms()
        self._limits = limits
        self._messages = TokenBucket(limits.messages_per_s, limits.messages_burst)
        self._tiles = TokenBucket(limits.tiles_per_s, limits.tiles_burst)
        self._now = now
        self._commands = self._services.metrics.counts["commands"]
        self._tile_debt_until = now
        self._held_until = now
        self._flooding_since: int | None = None
        self._ended = False

    # --- what the gateway asks -------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether its room is between the countdown and the results."""
        return self._room is not None and self._room.state.phase != "lobby"

    @property
    def counts(self) -> bool:
        """Whether anybody wants to know the line: not a spectator's in a large room."""
        if self._room is None:
            return True  # nobody knows yet who it is
        members = self._room.state.members
        member = members.get(self.member)
        if member is not None and member.seat is not None:
            return True
        return len(members) <= self._services.config.small_room

    @property
    def held_s(self) -> float:
        """For how many more seconds this peer is not read."""
        if self._ended:
            return 0.0  # what still comes is dropped, up to the peer's own close
        return max(0, self._held_until - self._now_ms()) / 1_000

    def pause(self, messages: int = 1) -> float:
        """Seconds to wait before a message or frame that has come is looked at."""
        if self._ended:
            return 0.0
        now = self._now = self._now_ms()
        wait = self._messages.take(messages, now)
        if wait or self._flooding_since is not None:
            self._watch_flood(now, flooding=wait > 0)
        # Who resends slides after an absence owes tiles, but floods nobody.
        wait = max(wait, self._tile_debt_until - now)
        if wait <= 0:
            return 0.0
        self._services.metrics.count("throttled")
        self._held_until = now + wait
        return wait / 1_000

    def _watch_flood(self, now: int, *, flooding: bool) -> None:
        if not flooding:
            self._flooding_since = None
        elif self._flooding_since is None:
            self._flooding_since = now
        elif now - self._flooding_since > self._limits.flood_ms:
            self._refuse("", Refusal("rate"))
            self.close(4429)

    def receive(self, data: str | bytes) -> None:
        """A message, whatever it may be; it may have waited."""
        if isinstance(data, bytes):
            self.close(1007)
        else:
            self.text_late(data.encode("utf-8", "surrogatepass"))

    def text_late(self, payload: bytes) -> None:
        """A text message that had to wait, see `text`."""
        self._now = self._now_ms()
        self.text(payload)

    def text(self, payload: bytes) -> None:
        """A text message, as UTF-8 that nobody has checked.

        Args:
            payload: what `pause` has just let through; nearly always slides.
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
            self._misunderstood(error)
            return
        self._commands[_TAGS[type(command)]] += 1
        if isinstance(command, Slides) and self._room is not None:
            self._pay(command)
            self._room.slide(self, command, self._now)
        else:
            self._carry_out(command)

    def no_hello(self) -> None:
        """Nothing came in time."""
        self._refuse("", Refusal("no_hello"))
        self.close(4002)

    def shut_down(self) -> None:
        """The server is about to end; all is kept, and the client comes back."""
        self._refuse("", Refusal("shutting_down"))
        self.close(1012)

    def lost(self) -> None:
        """The connection has ended."""
        self._ended = True
        if self._room is not None:
            self._room.lost(self)

    # --- what the room asks ----------------------------------------------------------

    def dismissed(self, code: int) -> None:
        """The connection is no longer the member's."""
        self.following = False
        self.close(code)

    def close(self, code: int) -> None:
        """Close the connection with a code of `sliderace.protocol.codes`."""
        if not self._ended:
            self._ended = True
            self.peer.close(code, close_text(code))

    # --- commands --------------------------------------------------------------------

    def _carry_out(self, command: Command) -> None:
        if isinstance(command, Hello):
            if self._room is not None:
                self._refuse("hello", Refusal("bad_message", "t"))
            else:
                self._hello(command)
        elif self._room is None:
            self._refuse_hello(Refusal("no_hello"), str(command.__struct_config__.tag))
        elif isinstance(command, Ping):
            self._send(Pong(command.id))
        elif isinstance(command, Resync):
            self._resync(self._room, command)
        elif isinstance(command, Transfer):
            self._transfer(self._room)
        elif self._may_write(self._room, self.member, command):
            before = self._room.state.offset
            self._room.ask(self, command)
            self._room.quota.use(self.member, self._room.state.offset - before)
        else:
            self._refuse(str(command.__struct_config__.tag), Refusal("rate"))

    def _may_write(
        self, actor: RoomActor, who: int, command: Command | None = None
    ) -> bool:
        """Whether a member may still have something noted, before the next race."""
        return isinstance(command, ALWAYS) or actor.quota.left(
            who, actor.state.last_race
        )

    def _resync(self, actor: RoomActor, command: Resync) -> None:
        if command.seat is None:
            now = self._services.clock.now_ms()
            self._messages.take(SNAPSHOT_COST, now)
            actor.show(self)
        else:
            actor.show_board(self, command.seat)

    def _pay(self, slides: Slides) -> None:
        """Tiles are known only after parsing: who owes some is read later."""
        tiles = 0
        for _, count, _ in slides.slides:
            tiles += count
        self._tile_debt_until = self._now + self._tiles.take(tiles, self._now)

    def _hello(self, hello: Hello) -> None:
        extra = {"conn": self.peer.id, "client": hello.client}
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
        kind = str(hello.enter.__struct_config__.tag)
        _log.info(kind, extra={**extra, "room": outcome.code, "member": self.member})

    def _create(self, create: Create) -> RoomActor | Refusal:
        actor = self._registry.open(create, self.peer.address)
        if isinstance(actor, Refusal):
            return actor
        token = self._new_token()
        command = room.Enter(create.name, hashed(token), create.role, creator=True)
        return actor.enter(self, command, token) or actor

    def _open(self, asked: Open) -> RoomActor | Refusal:
        actor = self._registry.open(asked, self.peer.address)
        if isinstance(actor, Refusal):
            return actor
        link = self._registry.link(actor.code, self.peer.host)
        actor.when_durable(self, lambda: self._opened(actor.code, link))
        return actor

    def _opened(self, code: str, link: str) -> None:
        self._send(Opened(code, link))
        self.close(1000)

    def _join(self, join: Join) -> RoomActor | Refusal:
        actor = self._registry.find(join.code, self.peer.address)
        if isinstance(actor, Refusal):
            return actor
        if not self._may_write(actor, NEWCOMERS):
            return Refusal("rate")
        token = self._new_token()
        command = room.Enter(join.name, hashed(token), join.role, join.bot)
        if refusal := actor.enter(self, command, token):
            return refusal
        actor.quota.use(NEWCOMERS, COMING_AND_GOING)
        return actor

    def _new_token(self) -> str:
        """A secret of 128 bits."""
        return self._services.entropy(16).hex()

    def _resume(self, resume: Resume) -> RoomActor | Refusal:
        token = hashed(resume.token)
        found = self._registry.find_member(resume.code, token, self.peer.address)
        if isinstance(found, Refusal):
            return found
        actor, member = found
        if not self._may_write(actor, member):
            return Refusal("rate")
        actor.quota.use(member, COMING_AND_GOING)
        seen = resume.epoch, resume.offset
        actor.resume(self, room.Connect(member), seen)
        return actor

    def _redeem(self, redeem: Redeem) -> RoomActor | Refusal:
        ticket = hashed(redeem.ticket)
        found = self._registry.find_holder(redeem.code, ticket, self.peer.address)
        if isinstance(found, Refusal):
            return found
        actor, member = found
        if not self._may_write(actor, member):
            return Refusal("rate")
        actor.quota.use(member, COMING_AND_GOING + NEW_TOKEN)
        token = self._new_token()
        actor.resume(self, room.Connect(member, hashed(token)), token=token)
        return actor

    def _transfer(self, actor: RoomActor) -> None:
        """A ticket. Who was replaced or is out is not heard: no fence is needed."""
        ticket = self._new_token()
        now = self._services.clock.now_ms()
        self._registry.tickets.issue(actor.code, self.member, hashed(ticket), now)
        self._send(Ticket(ticket, TICKET_MS))

    # --- answers ---------------------------------------------------------------------

    def _send(self, event: Event) -> None:
        self.peer.post_first(self._services.frame(event))

    def _refuse(self, of: str, refusal: Refusal) -> None:
        self._services.metrics.count("refusals", refusal.code)
        self._send(room.refused(of, refusal))

    def _refuse_hello(self, refusal: Refusal, of: str) -> None:
        self._refuse(of, refusal)
        self.close(CLOSE_AFTER.get(refusal.code, 4500))

    def _misunderstood(self, error: ProtocolError) -> None:
        """Say what was wrong; before the hello that is the end."""
        self._services.metrics.count("refusals", error.code)
        self._send(Refused(error.of, error.code, error.text, error.field))
        if self._room is None:
            self.close(CLOSE_AFTER.get(error.code, 4500))
