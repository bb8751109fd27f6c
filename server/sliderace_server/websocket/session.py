"""One connection's session: it checks incoming messages and passes them to a room.

Rules:

- The first message is `hello`. It creates, opens, joins or resumes a room, redeems a
  seat ticket, or manages a profile (see `profile_session`); if it is refused, the
  connection is closed. A second one is refused.
- If another process of the server serves the room, it serves the connection, too.
- The secret of a profile is looked up in the storage first; what arrives meanwhile
  waits. Whoever has an unknown one enters as a guest, and is told so.
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
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import replace
from typing import Any, assert_never, get_args

from sliderace.engine import Size
from sliderace.protocol.codec import ProtocolError, decode_command
from sliderace.protocol.codes import close_text
from sliderace.protocol.messages import (
    Bots,
    Claim,
    Close,
    Closed,
    Command,
    Create,
    Daily,
    DeviceTicket,
    Event,
    Forget,
    Hello,
    History,
    Join,
    Keep,
    Kick,
    Leave,
    Lobby,
    Me,
    Nonce,
    Open,
    Opened,
    Ping,
    Pong,
    Quick,
    React,
    Redeem,
    Refused,
    Resume,
    Resync,
    Revoke,
    Slides,
    Solo,
    Ticket,
    Transfer,
)
from sliderace.race.refusal import Refusal
from sliderace.solve import pace_range
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
from sliderace_server.registry.chosen_rooms import ChosenRooms
from sliderace_server.registry.matchmaking import usually_needed
from sliderace_server.registry.processes import Processes, Remote, key_of
from sliderace_server.registry.profile_service import Asker
from sliderace_server.registry.rooms import RoomRegistry
from sliderace_server.registry.seat_tickets import TICKET_MS, hashed
from sliderace_server.storage import StorageUnavailable
from sliderace_server.websocket.profile_session import ProfileSession

__all__ = ["Session"]

_log = logging.getLogger(__name__)

SNAPSHOT_COST = 20
"""A resync counts as this many messages, and so does a page of history: their answers
are the largest."""

RETRY_MS = 1_000
"""After this time a client may ask again for a room that cannot be found now: its node
may be lost, or the brokers may be about to come back."""
QUOTA_EXEMPT = (Close, Kick, Leave, Nonce)
"""Commands that need no quota: few of them are possible, and members without quota may
still leave, and hosts remove members and close the room."""

PROFILE_COMMANDS = (Claim, DeviceTicket, Forget, History, Keep, Revoke)
"""Commands of connections that are in no room."""

NO_PROFILE = Refusal("profile_unknown")
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
        chosen: those that the server chooses for a person.
        peer: the connection.
        processes: those of the server; None: as the registry says.
    """

    __slots__ = (
        "_chosen",
        "_commands",
        "_ended",
        "_flooding_since",
        "_limits",
        "_lobby",
        "_messages",
        "_now",
        "_now_ms",
        "_owner",
        "_processes",
        "_profile",
        "_registry",
        "_remote",
        "_room",
        "_services",
        "_throttled_until",
        "_tile_debt_until",
        "_tiles",
        "_waiting",
        "peer",
        "subscriber",
    )

    def __init__(
        self,
        registry: RoomRegistry,
        chosen: ChosenRooms,
        peer: Peer,
        processes: Processes | None = None,
    ) -> None:
        self.peer = peer
        self.subscriber = Subscriber(peer)
        self._registry = registry
        self._chosen = chosen
        self._services = registry.services
        self._processes = processes or registry.services.processes
        self._owner: ProfileSession | None = None
        self._room: RoomActor | None = None
        self._remote: Remote | None = None
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
        self._profile: str | None = None
        self._waiting: list[Command] | None = None
        self._lobby = False

    # --- for the connection ----------------------------------------------------------

    @property
    def in_race(self) -> bool:
        """Whether its room is between countdown and results."""
        if self._remote is not None:
            return self._remote.in_race
        return self._room is not None and self._room.state.phase != "lobby"

    @property
    def needs_latency(self) -> bool:
        """Whether the latency is needed: official times depend on that of players."""
        if self._remote is not None:
            return self._remote.needs_latency
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
        if isinstance(command, Slides):
            # Tiles are counted against their limit, which delays the next message.
            tiles = 0
            for _, count, _ in command.slides:
                tiles += count
            self._tile_debt_until = self._now + self._tiles.take(tiles, self._now)
            if self._room is not None:
                self._room.slide(self.subscriber, command, self._now)
                return
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
        if self._owner is not None:
            self._owner.end()
        if self._remote is not None:
            self._remote.end()
        if self._lobby:
            self._registry.unwatch(self.peer)

    # --- for the room ----------------------------------------------------------------

    def record_rtt(self, rtt_ms: int, now: int, kernel_ms: int | None) -> None:
        """Record a round trip that a ping and the kernel have measured."""
        if self._remote is not None:
            self._remote.record_rtt(rtt_ms, kernel_ms)
        self.subscriber.latency.add(rtt_ms, now, kernel_ms)

    def set_behind(self, *, behind: bool) -> None:
        """Note whether the peer reads too slowly for progress."""
        if self._remote is not None:
            self._remote.set_behind(behind=behind)
        elif self._room is not None:
            self._room.set_behind(self.subscriber, behind=behind)

    def close(self, code: int) -> None:
        """Close the connection with a code of `sliderace.protocol.codes`."""
        if not self._ended:
            self._ended = True
            self.peer.close(code, close_text(code))

    # --- commands --------------------------------------------------------------------

    def _execute(self, command: Command) -> None:
        if self._waiting is not None:
            self._wait(command, self._waiting)
        elif isinstance(command, Hello):
            if self._room or self._owner or self._lobby or self._remote:
                again = text("malformed.second_hello")
                self._refuse_malformed(
                    ProtocolError("bad_message", again, "t", "hello", '"hello"')
                )
            else:
                self._hello(command)
        elif self._remote is not None:
            self._forward(self._remote, command)
        elif self._owner is not None:
            self._manage(self._owner, command)
        elif self._lobby:
            self._in_lobby(command)
        elif self._room is None:
            self._refuse_hello(Refusal("no_hello"), str(command.__struct_config__.tag))
        elif isinstance(command, PROFILE_COMMANDS):
            self._refuse(str(command.__struct_config__.tag), Refusal("not_here"))
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

    def _forward(self, remote: Remote, command: Command) -> None:
        """Forward a command; it counts against the limits of this process."""
        if isinstance(command, History) or (
            isinstance(command, Resync) and command.seat is None
        ):
            self._messages.take(SNAPSHOT_COST, self._now)
        remote.receive(command)

    def _bots(self, actor: RoomActor, command: Bots) -> None:
        """Let the bots of a room leave and enter."""
        subscriber, newest = self.subscriber, actor.state.last_member
        count = len(command.want)
        if subscriber.member == actor.state.host:  # else the room refuses
            refusal = self._registry.bots.refusal(actor, count)
            if refusal is not None:
                self._refuse("bots", refusal)
                return
        hashes = self._registry.bots.token_hashes(actor, count)
        actor.receive(subscriber, command, hashes)
        self._registry.bots.play(actor, newest)

    def _has_quota(self, actor: RoomActor, member: int) -> bool:
        """Return whether a member may append more records before the next race."""
        return actor.quota.left(member, actor.state.last_race)

    def _resync(self, actor: RoomActor, command: Resync) -> None:
        if command.seat is None:
            now = self._services.clock.now_ms()
            self._messages.take(SNAPSHOT_COST, now)
        actor.resync(self.subscriber, command)

    def _wait(self, command: Command, waiting: list[Command]) -> None:
        """Keep a command until the profile is known."""
        waiting.append(command)
        if len(waiting) > self._limits.messages_burst:
            self._refuse("", Refusal("rate"))
            self.close(4429)

    def _hello(self, hello: Hello) -> None:
        key = key_of(hello)
        if isinstance(hello.enter, Create | Open) and (
            place := self._processes.place(self.peer.address)
        ):
            self._pass_on(hello, place)
        elif key is None or self._processes.serves(key):
            self._arrive(hello)
        else:
            self._waiting = []
            self._services.spawn(self._guarded(self._find_home(hello, key)))

    def _arrive(self, hello: Hello) -> None:
        """Let somebody enter, or look up their profile first."""
        if isinstance(hello.enter, Me):
            self._enter_profile(hello, hello.enter)
        elif hello.profile is None:
            self._enter(hello)
        else:
            self._waiting = []
            self._services.spawn(self._guarded(self._identify(hello, hello.profile)))

    async def _guarded(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except Exception:
            self.close(1011)  # nobody waits for a task, so the peer would wait for ever
            raise

    async def _find_home(self, hello: Hello, key: str) -> None:
        """Pass the connection on to the home of a key, unless it is this process."""
        if await self._passed_on(hello, key):
            return
        waiting, self._waiting = self._waiting or [], None
        self._arrive(hello)
        self._resume_commands(waiting)

    async def _passed_on(self, hello: Hello, key: str) -> bool:
        """Return whether this process is done with the connection.

        Another process serves it then, or it is refused or has ended. An address that
        has tried too many wrong codes does not learn about right ones.
        """
        if isinstance(hello.enter, Join | Redeem):
            refusal = self._registry.guess_refusal(self.peer.address)
            if refusal is not None:
                self._refuse_hello(refusal, "hello")
                return True
        try:
            home = await self._processes.home(key)
        except StorageUnavailable:
            if not self._ended:
                again = Refusal("storage_unavailable", retry_ms=RETRY_MS)
                self._refuse_hello(again, "hello")
            return True
        if self._ended or home is None:
            return self._ended
        waiting, self._waiting = self._waiting or [], None
        self._pass_on(hello, home)
        self._resume_commands(waiting)
        return True

    def _pass_on(self, hello: Hello, home: str) -> None:
        """Let another process serve the connection."""
        self._remote = self._processes.pass_on(self.peer, home, hello)
        self._ended = self._remote is None

    def _resume_commands(self, waiting: Sequence[Command]) -> None:
        """Execute the commands that have waited."""
        self._now = self._now_ms()
        for command in waiting:
            if not self._ended:
                self._execute(command)

    async def _identify(self, hello: Hello, secret: str) -> None:
        """Look up the profile of a hello, then let its owner enter."""
        unknown: Refusal | None = Refusal("profile_unknown", "profile")
        pace_ms: int | None = None
        daily: RoomActor | Refusal = NO_PROFILE
        try:
            profiles = self._registry.profiles
            self._profile = await profiles.owner(secret)
            if self._profile is not None:
                unknown = None
                key = key_of(hello, self._profile)
                if key is not None and await self._passed_on(hello, key):
                    return
                if isinstance(hello.enter, Quick):
                    event = hello.enter.event
                    pace_ms = await profiles.pace_of(self._profile, event)
                elif isinstance(hello.enter, Daily):
                    daily = await self._chosen.daily(
                        hello.enter, self._profile, self.peer.address
                    )
        except StorageUnavailable:
            unknown = Refusal("storage_unavailable", "profile", retry_ms=5_000)
            daily = Refusal("storage_unavailable", retry_ms=5_000)
        waiting, self._waiting = self._waiting or [], None
        if self._ended:
            return
        if unknown is not None and not isinstance(hello.enter, Daily):
            self._refuse("hello", unknown)
        self._enter(hello, pace_ms, daily)
        self._resume_commands(waiting)

    def _enter(
        self,
        hello: Hello,
        pace_ms: int | None = None,
        daily: RoomActor | Refusal = NO_PROFILE,
    ) -> None:
        """Let somebody in.

        Args:
            hello: their first message.
            pace_ms: what they usually need, from their profile.
            daily: the room of their daily race, or why they have none.
        """
        peer = self.peer
        extra = {"conn": peer.id, "address": peer.address, "client": hello.client}
        self.subscriber.can = frozenset(hello.can)
        match hello.enter:
            case Create() as create:
                outcome = self._create(create)
            case Open() as empty:
                outcome = self._open(empty)
            case Join() as join:
                outcome = self._join(join)
            case Resume() as resume:
                outcome = self._resume(resume)
            case Redeem() as redeem:
                outcome = self._redeem(redeem)
            case Quick() as quick:
                outcome = self._quick(quick, pace_ms)
            case Solo() as solo:
                outcome = self._solo(solo)
            case Lobby():
                if refusal := self._registry.watch(peer):
                    self._refuse_hello(refusal, "hello")
                    return
                self._lobby = True
                peer.measure_latency()
                _log.info("lobby", extra=extra)
                return
            case Daily() as asked:
                outcome = (
                    daily if isinstance(daily, Refusal) else self._daily(asked, daily)
                )
            case Me():  # see `_enter_profile`
                outcome = Refusal("unavailable")
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

    # --- a profile -------------------------------------------------------------------

    def _enter_profile(self, hello: Hello, me: Me) -> None:
        if hello.profile is None:
            missing = text("malformed.missing", field="profile")
            self._refuse_malformed(
                ProtocolError("bad_message", missing, "profile", "hello", "null")
            )
            return
        peer = self.peer
        extra = {"conn": peer.id, "address": peer.address, "client": hello.client}
        _log.info("me", extra=extra)
        self._owner = ProfileSession(
            self._registry.profiles,
            Asker(hello.profile, hello.client, peer.address),
            self._services.spawn,
            self._answer,
            lambda: self.close(1011),
        )
        self._owner.receive(me)
        peer.measure_latency()

    def _manage(self, owner: ProfileSession, command: Command) -> None:
        if isinstance(command, History):
            self._messages.take(SNAPSHOT_COST, self._now)
        owner.receive(command)

    def _answer(self, command: Command | Me, outcome: Event | Refusal) -> None:
        """Send the answer to a command about a profile."""
        if not isinstance(outcome, Refusal):
            self._send(outcome)
        elif isinstance(command, Me):
            self._refuse_hello(outcome, "hello")
        else:
            self._refuse(str(command.__struct_config__.tag), outcome)

    def _in_lobby(self, command: Command) -> None:
        """Answer a command of somebody who only watches the list of rooms."""
        if isinstance(command, Ping):
            self._send(Pong(command.id))
        else:
            self._refuse(str(command.__struct_config__.tag), Refusal("not_here"))

    # --- rooms -----------------------------------------------------------------------

    def _create(self, create: Create) -> RoomActor | Refusal:
        actor = self._registry.open(create, self.peer.address)
        if isinstance(actor, Refusal):
            return actor
        token = self._new_token()
        address = self._registry.address_hash(actor.code, self.peer.address)
        command = room.Enter(
            create.name,
            hashed(token),
            create.role,
            creator=True,
            address=address,
            profile=self._profile,
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
            join.name,
            hashed(token),
            join.role,
            join.bot,
            address=address,
            profile=self._profile,
        )
        if refusal := actor.subscribe(self.subscriber, command, token=token):
            return refusal
        actor.quota.use(NEW_MEMBERS, CONNECT_RECORDS)
        return actor

    def _quick(self, quick: Quick, pace_ms: int | None) -> RoomActor | Refusal:
        chosen, address = self._chosen, self.peer.address
        name = room.chosen_name(quick.name)
        if isinstance(name, Refusal):
            return name
        least, most = pace_range(Size.parse(quick.event))
        if quick.pace_ms is not None and not least <= quick.pace_ms <= most:
            value = str(quick.pace_ms)
            return Refusal("bad_message", "pace_ms", value, allowed=(least, most))
        if refusal := chosen.refusal(address):
            return refusal
        usual_ms = usually_needed(quick.event, pace_ms, quick.pace_ms)
        found = chosen.quick(quick.event, usual_ms)
        if found and not self._enter_room_of_server(found, quick.name, usual_ms):
            self._registry.bots.match(found)
            return found
        actor = chosen.open_quick(quick.event, usual_ms, address)
        if isinstance(actor, Refusal):
            return actor
        return self._enter_room_of_server(actor, quick.name, usual_ms) or actor

    def _solo(self, solo: Solo) -> RoomActor | Refusal:
        name = room.chosen_name(solo.name)
        if isinstance(name, Refusal):
            return name
        if refusal := self._chosen.refusal(self.peer.address):
            return refusal
        actor = self._chosen.open_solo(solo, self._profile)
        if isinstance(actor, Refusal):
            return actor
        return self._enter_room_of_server(actor, solo.name) or actor

    def _enter_room_of_server(
        self, actor: RoomActor, name: str, usual_ms: int | None = None
    ) -> Refusal | None:
        """Enter a room that the server has opened, as a player."""
        token = self._new_token()
        address = self._registry.address_hash(actor.code, self.peer.address)
        command = room.Enter(
            name,
            hashed(token),
            creator=actor.state.alone,
            address=address,
            profile=self._profile,
            usual_ms=usual_ms,
        )
        return actor.subscribe(self.subscriber, command, token=token)

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
        command = room.Connect(member, resumed_with=token, profile=self._profile)
        before = actor.state.members[member].profile
        actor.subscribe(self.subscriber, command, seen=seen)
        if before is None and self._profile is not None:
            self._registry.attempts.credit(actor.state, member)
        return actor

    def _redeem(self, redeem: Redeem) -> RoomActor | Refusal:
        if self._registry.failing:
            return Refusal("storage_unavailable", retry_ms=5_000)
        ticket = hashed(redeem.ticket)
        found = self._registry.find_by_ticket(redeem.code, ticket, self.peer.address)
        if isinstance(found, Refusal):
            return found
        return self._take_over(*found)

    def _take_over(self, actor: RoomActor, member: int) -> RoomActor | Refusal:
        """Take the seat of a member with a new token."""
        if not self._has_quota(actor, member):
            return Refusal("rate")
        actor.quota.use(member, CONNECT_RECORDS + TOKEN_RECORDS)
        token = self._new_token()
        command = room.Connect(member, hashed(token), profile=self._profile)
        return actor.subscribe(self.subscriber, command, token=token) or actor

    def _daily(self, asked: Daily, actor: RoomActor) -> RoomActor | Refusal:
        """Enter a daily room, or take over its seat on another device."""
        member = next(iter(actor.state.members), None)
        if member is None:
            return self._enter_room_of_server(actor, asked.name) or actor
        return self._take_over(actor, member)

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
        if not (self._room or self._owner or self._lobby or self._remote):
            self.close(CLOSE_AFTER.get(error.code, 4500))
