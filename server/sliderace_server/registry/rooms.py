"""The room registry: opens, finds, recovers and ends the rooms of this process."""

import contextlib
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from sliderace import __version__
from sliderace.protocol.messages import Create, Open, RoomKind, RoomRow
from sliderace.protocol.room_code import RoomCode, parse_code
from sliderace.race.log_records import RaceEnded
from sliderace.race.refusal import Refusal
from sliderace.race.rules import RulesError
from sliderace_server import room
from sliderace_server.clock import Timer
from sliderace_server.limits import PerAddress, client_key
from sliderace_server.live_room.subscriber import Peer
from sliderace_server.registry.actor import RoomActor
from sliderace_server.registry.attempts import Attempts
from sliderace_server.registry.codes_in_use import Codes
from sliderace_server.registry.daily_races import DailyRaces
from sliderace_server.registry.old_logs import OldLogs
from sliderace_server.registry.processes import PROFILES, Report
from sliderace_server.registry.profile_service import ProfileService
from sliderace_server.registry.results_writer import ResultsWriter, stored_race
from sliderace_server.registry.room_bots import RoomBots
from sliderace_server.registry.room_list import RoomList, row_of
from sliderace_server.registry.seat_tickets import Tickets, hashed
from sliderace_server.registry.services import Services
from sliderace_server.room import RoomState
from sliderace_server.room.log_records import Record
from sliderace_server.storage import (
    DAY_MS,
    AttemptGains,
    LogDamaged,
    StorageUnavailable,
    StoredRace,
    oldest_kept_ms,
)
from sliderace_server.storage.record_codec import UnknownRecord, decode

__all__ = ["RoomRegistry"]

_log = logging.getLogger(__name__)

STILL_HERE_MS = 10_000
"""Who has been disconnected for longer no longer races alone: clients that reconnect
wait at most 8 s between two attempts to connect."""
CLOCK_STEP_MS = 1_000
"""If the clocks moved apart by more than this in a second, the wall clock was set."""
NOTE_ALIVE_MS = 600_000
"""Downtime matters if it is longer than an hour, so this need not be exact."""
MISSES = {"room_unknown", "bad_ticket", "bad_token"}
"""Refusals that count as a guess."""
WATCH_MS = 50
"""While somebody races, the clock is watched this often. A stall counts from the last
beat, so this is also how inexactly its beginning is known."""
_CANNOT_FOLLOW = (AssertionError, AttributeError, LookupError, TypeError, ValueError)
"""Exceptions that `apply` raises for a record that cannot follow the previous one."""


class _Damaged(ValueError):
    """The records of a log can be read, but cannot follow each other."""


class RoomRegistry:
    """The rooms of one server.

    Args:
        services: what all rooms share.
        results_writer: stores finished races.
        addresses: limits per client address.

    Attributes:
        rooms: code -> open room.
        quick: those of them that are quick rooms.
        codes: the room codes in use.
        tickets: the seat tickets.
        stopping: the server shuts down.
        host_ended: the shutdown is because the host of these rooms has ended.
        profiles: the profiles of this server.
        attempts: what attempts mean for them.
        bots: the bots of the server.
        daily: the daily race.
        room_list: the list of public rooms, for those who watch it.
        proxy_faults: what is wrong with a proxy -> its address.
        clock_steps: how often the machine's wall clock was set.
        stored_everything: False if something was not stored before the shutdown.
    """

    def __init__(
        self, services: Services, results_writer: ResultsWriter, addresses: PerAddress
    ) -> None:
        self.services = services
        self.stopping = False
        self.host_ended = False
        self.stored_everything = True
        self.rooms: dict[str, RoomActor] = {}
        self.quick: dict[str, RoomActor] = {}
        self._alone: dict[str, RoomActor] = {}
        self._unreadable: set[str] = set()
        self._lost: set[str] = set()
        self.codes = Codes()
        self.tickets = Tickets()
        self._results_writer = results_writer
        self._addresses = addresses
        self._old_logs = OldLogs(services, results_writer)
        self.daily = DailyRaces(
            services.store.standings, services.key, services.clock.wall_ms
        )
        self.profiles = ProfileService(services, addresses, self.daily)
        self.attempts = Attempts(services, self.rooms, self.daily)
        self.bots = RoomBots(services, self.rooms, lambda: self.failing)
        self.room_list = RoomList(self._rows, services.frame, services.clock.later)
        self._prune_at_ms = 0
        self._note_alive_at_ms = 0
        self.proxy_faults: Mapping[str, str] = {}
        self.clock_steps = 0
        self._wall_offset_ms = services.clock.wall_ms() - services.clock.now_ms()
        self._storage_lost = False
        self._checking_storage = False
        self._heartbeat: Timer | None = None
        self._rooms_beat_at = services.clock.now_ms()
        services.clock.on_stall.append(self.stalled)
        services.metrics.gauge("rooms", "Live rooms", lambda: len(self.rooms))
        services.metrics.gauge(
            "members_connected", "Members with a live connection", self.connections
        )
        services.metrics.others = lambda: [
            report.samples for report in services.processes.reports()
        ]
        services.metrics.gauge(
            "lobby_watchers",
            "Connections that watch the list",
            lambda: len(self.room_list),
        )

    # --- opening and finding ---------------------------------------------------------

    def open(self, asked: Create | Open, address: str) -> RoomActor | Refusal:
        """Open a room without members.

        Args:
            asked: the command that opens it.
            address: the client's; empty on this machine.
        """
        services = self.services
        if self.stopping:
            return Refusal("shutting_down")
        if isinstance(asked, Create):
            name = room.chosen_name(asked.name)
            if isinstance(name, Refusal):
                return name
        if self.failing:
            return Refusal("storage_unavailable", retry_ms=5_000)
        if not self._addresses.may_open(address):
            return Refusal("too_many_rooms")
        now = services.clock.now_ms()
        if wait := self._addresses.open_wait(address, now):
            return Refusal("too_many_rooms", retry_ms=wait)
        actor = self.open_as(asked, "room")
        if isinstance(actor, RoomActor):
            self._addresses.opened(address, now)
            actor.opener = address
        return actor

    def open_as(self, asked: Create | Open, kind: RoomKind) -> RoomActor | Refusal:
        """Open a room of a kind, unless its rules are wrong; nobody's limits apply."""
        code = self.new_code()
        try:
            return self.open_with(code, asked, kind)
        except RulesError as error:
            self.codes.discard(code)
            return Refusal("bad_rules", f"rules.{error.field}", str(error.value))

    def open_with(
        self,
        code: RoomCode,
        asked: Create | Open,
        kind: RoomKind,
        day: int = 0,
        secret: bytes = b"",
    ) -> RoomActor:
        """Open a room with a code; see `room.open_room`.

        Raises:
            RulesError: a rule is out of range.
        """
        clock, entropy = self.services.clock, secret or self.services.entropy(32)
        wall = clock.wall_ms()
        epoch = room.first_epoch(clock.boot, clock.now_ms(), wall)
        records = room.open_room(code, wall // 1_000, asked, epoch, entropy, kind, day)
        return self._run(room.fold(records), 0, records)

    def new_code(self) -> RoomCode:
        """Return a code for a new room; nobody else gets it."""
        services = self.services
        entropy, now_ms = services.entropy(32), services.clock.now_ms()
        return self.codes.new(entropy, now_ms, services.processes.owns)

    def find(self, text: str, address: str) -> RoomActor | Refusal:
        """Return the open room with a code.

        Args:
            text: the code as typed.
            address: of the client, for whom wrong codes are counted.
        """
        found = self._look_up(text)
        if isinstance(found, Refusal):
            return self._count_miss(found, address)
        # Even for a right code: a client that guesses a lot must not learn that.
        return self.guess_refusal(address) or found

    def join_wait(self, address: str) -> int:
        """Count a join; return 0, or how many ms its address must wait."""
        return self._addresses.join_wait(address, self.services.clock.now_ms())

    def find_by_token(
        self, text: str, token_hash: str, address: str
    ) -> tuple[RoomActor, int] | Refusal:
        """Return the open room with a code, and its member with a seat token.

        The limit on wrong codes does not apply to a right token: nobody guesses one.

        Args:
            text: the code as typed.
            token_hash: SHA-256 of the token, in hex.
            address: of the client, for whom wrong codes and tokens are counted.
        """
        found = self._look_up(text)
        if isinstance(found, Refusal):
            return self._count_miss(found, address)
        member = room.member_by_token(found.state, token_hash)
        if room.is_kicked(found.state, token_hash):
            return Refusal("kicked")
        if member is None:
            return self._count_miss(Refusal("bad_token"), address)
        return found, member

    def find_by_ticket(
        self, text: str, ticket_hash: str, address: str
    ) -> tuple[RoomActor, int] | Refusal:
        """Return the open room with a code, and the member whose ticket this uses up.

        Args:
            text: the code as typed.
            ticket_hash: SHA-256 of the ticket, in hex.
            address: of the client, for whom wrong codes and tickets are counted.
        """
        found = self._look_up(text)
        if isinstance(found, Refusal):
            return self._count_miss(found, address)
        now = self.services.clock.now_ms()
        member = self.tickets.redeem(found.code, ticket_hash, now)
        if member is None or member not in found.state.members:
            return self._count_miss(Refusal("bad_ticket"), address)
        return found, member

    def _look_up(self, text: str) -> RoomActor | Refusal:
        if self.stopping:
            return Refusal("shutting_down")
        code = parse_code(text)
        if code is None:
            return Refusal("bad_code", "code", text)
        if self.is_unavailable(code):
            return Refusal("storage_unavailable", retry_ms=5_000)
        return self.rooms.get(code) or Refusal("room_unknown", "code", code)

    def _count_miss(self, refusal: Refusal, address: str) -> Refusal:
        """Count a possible guess; return the refusal to send."""
        if refusal.code not in MISSES:
            return refusal
        if too_many := self.guess_refusal(address):
            return too_many
        self._addresses.failed_try(address, self.services.clock.now_ms())
        return refusal

    def guess_refusal(self, address: str) -> Refusal | None:
        """Return why an address that has tried too many wrong codes is refused."""
        wait = self._addresses.try_wait(address, self.services.clock.now_ms())
        return Refusal("too_many_tries", retry_ms=wait) if wait else None

    def watch(self, peer: Peer) -> Refusal | None:
        """Let a connection watch the list of public rooms, or refuse it."""
        if self.stopping:
            return Refusal("shutting_down")
        if not self._addresses.may_watch(peer.address):
            return Refusal("rate", retry_ms=10_000)
        self._addresses.watches(peer.address)
        self.room_list.watch(peer)
        return None

    def unwatch(self, peer: Peer) -> None:
        """Note that a connection that watched the list has ended."""
        self._addresses.unwatches(peer.address)
        self.room_list.leave(peer)

    def _rows(self) -> Iterable[RoomRow]:
        """Return the rows of all public rooms of the server."""
        others = (report.rows for report in self.services.processes.reports())
        return chain(self._own_rows(), *others)

    def _own_rows(self) -> Iterable[RoomRow]:
        public = (actor for actor in self.rooms.values() if actor.state.public)
        return (row_of(actor.state, actor.now) for actor in public)

    def address_hash(self, code: str, address: str) -> str:
        """Return what a room remembers of an address: the same only in this room."""
        return hashed(f"{code} {client_key(address)}")[:16] if address else ""

    def link(self, code: str, host: str) -> str:
        """Return the URL of a room.

        Args:
            code: the room's code.
            host: the Host header of the client's request.
        """
        settings = self.services.settings
        base = settings.public_base or f"{settings.scheme}://{host}{settings.base}"
        return f"{base}/{code}"

    def _run(self, state: RoomState, position: int, new: Sequence[Record]) -> RoomActor:
        ended, trim = self._ended, self._old_logs.trim
        actor = RoomActor(self.services, state, position, new, ended, trim)
        self.rooms[actor.code] = actor
        if actor.state.kind == "quick":
            self.quick[actor.code] = actor
        if actor.state.alone:
            self._alone[actor.code] = actor
        self.services.processes.opened(actor.code)
        return actor

    # --- ends ------------------------------------------------------------------------

    def _ended(self, actor: RoomActor) -> None:
        code = actor.code
        self.rooms.pop(code, None)
        self.quick.pop(code, None)
        self._alone.pop(code, None)
        if actor.opener is not None and actor.state.kind == "room":
            self._addresses.closed(actor.opener)
        self.services.processes.ended(code)
        if actor.stored and not actor.state.closed:
            if not self.services.processes.takes_over:
                self._lost.add(code)
            return
        if actor.state.kind == "daily" and actor.state.race.phase != "results":
            self.services.spawn(self._give_back(code))
        reason = actor.state.closed or "never stored"
        _log.info("closed", extra={"room": code, "reason": reason})
        self.codes.retire(code, self.services.clock.now_ms())
        self._old_logs.drop(code)

    async def _give_back(self, code: str) -> None:
        """Give back the attempt of a daily room that ended before the draw."""
        with contextlib.suppress(StorageUnavailable):  # the next entry gives it back
            await self.daily.give_back(code)

    def stored(self, race: StoredRace, gains: Sequence[AttemptGains]) -> None:
        """Do what waited for a race to be stored.

        Args:
            race: the race.
            gains: what its attempts changed in profiles.
        """
        summary = race.summary
        _log.info("stored", extra={"room": summary.room, "race": summary.id})
        self.attempts.stored(race, gains)
        self._old_logs.remove()

    # --- recovery --------------------------------------------------------------------

    async def recover(self) -> None:
        """Start, and continue every room in the log in a new epoch.

        In a cluster, rooms are continued on demand instead (see `take_over`).

        Raises:
            StorageUnavailable: the storage cannot be read.
        """
        log, clock = self.services.store.log, self.services.clock
        log.on_reserved(self._reserve)
        for code, reserve_ms in (await log.reserved_codes(clock.wall_ms())).items():
            self.codes.retire(RoomCode(code), clock.now_ms(), reserve_ms)
        if not self.services.processes.takes_over:
            for code in await log.rooms():
                await self._recover(code)
        self._beat()
        if self.rooms:
            _log.info("recovered", extra={"rooms": len(self.rooms)})

    def _reserve(self, code: str, until_ms: int) -> None:
        """Reserve the code of a room that another process has dropped."""
        if code not in self.rooms:
            clock = self.services.clock
            left_ms = max(0, until_ms - clock.wall_ms())
            self.codes.retire(RoomCode(code), clock.now_ms(), left_ms)

    async def _recover(self, code: str) -> None:
        """Continue a room from its log in a new epoch, or report that it cannot."""
        log, clock = self.services.store.log, self.services.clock
        try:
            # Before reading: if another process appends in between, this one gives the
            # room up, instead of appending to records that it has not read.
            position = await log.length(code)
            state = await self._fold(await log.read(code)) if position else None
        except (UnknownRecord, _Damaged, LogDamaged) as error:
            if code not in self._unreadable:  # it may be tried again and again
                foreign = isinstance(error, UnknownRecord)
                why = "made by another release" if foreign else "its log is damaged"
                extra = {"room": code, "error": str(error)}
                _log.error("cannot recover: %s", why, extra=extra)
            self._unreadable.add(code)
            self.codes.claim(RoomCode(code))
            return
        self._unreadable.discard(code)
        if state is None:
            return
        if state.closed:
            self.codes.retire(state.code, clock.now_ms())
            self._old_logs.drop(code)
        elif not self.stopping:
            self.codes.claim(state.code)
            self._continue_room(state, position)

    def is_unavailable(self, code: str) -> bool:
        """Return whether a room cannot be continued now, but perhaps later."""
        return code in self._lost or code in self._unreadable

    def has(self, code: str) -> bool:
        """Return whether this process serves a room."""
        return code in self.rooms and not self.stopping

    async def take_over(self, code: str) -> bool:
        """Continue a room that no other process serves any more.

        If another process is faster, this one gives the room up at its first append.

        Returns:
            Whether there is such a room.

        Raises:
            StorageUnavailable: its log cannot be read.
        """
        await self._recover(code)
        return code in self.rooms or code in self._unreadable

    async def logged(self) -> list[str]:
        """Return the codes of all rooms with a log.

        Raises:
            StorageUnavailable: the storage cannot be read.
        """
        codes = await self.services.store.log.rooms()
        self._unreadable.intersection_update(codes)  # somebody may have deleted one
        return codes

    async def check_logs(self, only: str = "") -> None:
        """Give up the rooms that another process has continued.

        Args:
            only: code of the only room to check; empty: all.
        """
        for actor in list(self.rooms.values()):
            if only not in ("", actor.code):
                continue
            before = actor.durable
            with contextlib.suppress(StorageUnavailable):  # then appends fail too
                length = await self.services.store.log.length(actor.code)
                if before is not None and before == actor.durable != length:
                    actor.lose_log()

    async def _fold(self, data: Sequence[bytes]) -> RoomState:
        """Return the room of a log; store results that are missing in the store."""
        state: RoomState | None = None
        for position, line in enumerate(data, 1):
            record = decode(line)
            race: StoredRace | None = None
            try:
                state = room.apply(state, record)
                if isinstance(record, RaceEnded):
                    race = stored_race(
                        state, self.services.room_settings.version, self.services.key
                    )
            except _CANNOT_FOLLOW as error:
                raise _Damaged(f"record {position} does not fit: {error!r}") from error
            if race is not None:
                await self._store_again(race)
        if state is None:
            raise UnknownRecord("an empty log")
        return state

    async def _store_again(self, race: StoredRace) -> None:
        try:
            known = await self.services.store.results.record(race.summary.id)
            if known is not None or await self.profiles.have_left(race.summary):
                return
        except StorageUnavailable:
            if not self.services.processes.takes_over:
                raise
            # Players must not wait. The store ignores a race that it already has, and
            # stores an attempt of a deleted profile as a guest's.
        self._results_writer.add(race)

    def _continue_room(self, state: RoomState, position: int) -> None:
        clock = self.services.clock
        epoch = room.next_epoch(state, clock.boot, clock.now_ms(), clock.wall_ms())
        if self.services.processes.takes_over:
            # Two processes that continue a room at once must write different records.
            number = epoch.epoch + int.from_bytes(self.services.entropy(1))
            epoch = replace(epoch, epoch=number)
        state = room.apply(state, epoch)
        self.attempts.credit(state, *state.members)
        self.bots.play(self._run(state, position, [epoch]))

    def freeze(self) -> None:
        """Freeze all rooms; everything decided so far is still stored."""
        self.stopping = True
        if self._heartbeat is not None:
            self._heartbeat.cancel()
        self.services.clock.beat(None)
        for actor in self.rooms.values():
            actor.freeze()

    # --- the heartbeat ---------------------------------------------------------------

    def _beat(self) -> None:
        """Note a stall; once a second, note in all rooms that the server is alive."""
        clock = self.services.clock
        now = clock.now_ms()
        if now >= self._rooms_beat_at:
            self._rooms_beat_at = now + room.KEEP_ALIVE_MS
            self.services.load_meter.measure(clock.cpu_s(), now)
            offset_ms = clock.wall_ms() - clock.now_ms()
            if abs(offset_ms - self._wall_offset_ms) > CLOCK_STEP_MS:
                self.clock_steps += 1
            self._wall_offset_ms = offset_ms
            self._tell(self.rooms.values(), RoomActor.beat)
            self._tell(self.quick.values(), self.bots.match)
            processes = self.services.processes
            processes.report(self._report)
            self.room_list.update()
            if not self._checking_storage:
                self._checking_storage = True
                self.services.spawn(self._check_storage())
            keep = self.services.settings.keep
            if keep and now >= self._prune_at_ms and processes.serves(PROFILES):
                self._prune_at_ms = now + DAY_MS
                self.services.spawn(self._prune(keep))
            if now >= self._note_alive_at_ms:
                self._note_alive_at_ms = now + NOTE_ALIVE_MS
                self.services.spawn(self._note_alive())
        racing = any(_is_racing(one.state) for one in self.rooms.values())
        pause_ms = WATCH_MS if racing else room.KEEP_ALIVE_MS
        clock.beat(pause_ms)
        self._heartbeat = clock.later(pause_ms / 1_000, self._beat)

    def stalled(self, since: int, now: int) -> None:
        """Note in all rooms that the server did nothing from `since` to `now`, ms."""
        self.services.metrics.count("stalls")
        _log.warning("stalled", extra={"ms": now - since})
        self._tell(self.rooms.values(), lambda actor: actor.stalled(since, now))

    def _tell(
        self, actors: Iterable[RoomActor], call: Callable[[RoomActor], None]
    ) -> None:
        for actor in list(actors):
            try:
                call(actor)
            except Exception:  # noqa: BLE001 - it must not stop the other rooms
                _log.exception("a room failed", extra={"room": actor.code})

    async def _prune(self, days: int) -> None:
        """Delete the races that are too old."""
        before_ms = oldest_kept_ms(self.services.clock.wall_ms(), days)
        try:
            count = await self.services.store.results.prune(before_ms)
        except StorageUnavailable as error:  # tomorrow again
            _log.warning("cannot prune", extra={"error": str(error)})
        else:
            _log.info("pruned", extra={"races": count})

    async def _note_alive(self) -> None:
        try:
            await self.daily.note_alive()
        except StorageUnavailable as error:  # the gap is counted as downtime
            _log.warning("cannot note the time", extra={"error": str(error)})

    async def _check_storage(self) -> None:
        try:
            lost = await self.services.store.log.is_lost()
        finally:
            self._checking_storage = False
        if lost and not self._storage_lost:
            _log.error("the database was removed or replaced; nothing is stored")
        self._storage_lost = lost

    # --- state -----------------------------------------------------------------------

    @property
    def failing(self) -> bool:
        """Whether something cannot be stored now."""
        return self.services.log_writer.failing or self._storage_lost

    @property
    def idle(self) -> bool:
        """Whether everything is stored."""
        return self._results_writer.idle and all(
            one.idle for one in self.rooms.values()
        )

    @property
    def racing(self) -> bool:
        """Whether a room with people is in a race, or has unsent events.

        Events are sent once they are stored, so a room that cannot store anything does
        not count as waiting.
        """
        failing = self.services.log_writer.failing
        return any(
            actor.state.empty_since is None
            and (_is_racing(actor.state) or not (actor.idle or failing))
            for actor in self.rooms.values()
        )

    def connections(self) -> int:
        """Return how many members are connected to this process."""
        return sum(actor.live.connections for actor in self.rooms.values())

    def _report(self) -> Report:
        """Return what other processes of the server need to know about this one."""
        return Report(
            rows=list(self._own_rows()),
            listings=self.listings(),
            raced_on=sorted(self.raced_on()),
            alone=self.profiles_alone(),
            busy=self.attempts.busy(),
            rooms=len(self.rooms),
            connections=self.connections(),
            bots=self.bots.count(),
            racing=self.racing,
            problems=self.problems(),
            proxy_faults=dict(self.proxy_faults),
            samples=self.services.metrics.samples(),
            settings={"version": __version__, **self.services.settings.shared()},
        )

    def problems(self) -> list[str]:
        """Return what is wrong with this process, for `/healthz`."""
        found = {
            "storage_lost": self._storage_lost,
            "log_failing": self.services.log_writer.failing,
            "results_failing": self._results_writer.failing,
            "rooms_unreadable": bool(self._unreadable),
        }
        return [problem for problem, is_there in found.items() if is_there]

    def profiles_alone(self) -> dict[str, str]:
        """Return profile -> code of its live room for one player."""
        return {
            member.profile: actor.code
            for actor in self._alone.values()
            if not actor.state.closed
            and not (actor.state.kind == "daily" and actor.state.phase == "results")
            for member in actor.state.members.values()
            if member.profile is not None
            and (member.connected or actor.now - member.since < STILL_HERE_MS)
        }

    def raced_on(self) -> set[tuple[str, int]]:
        """Return event and day of the daily boards on which somebody races here."""
        states = (actor.state for actor in self._alone.values())
        return {
            (one.race.rules.size, one.day)
            for one in states
            if one.race.active or not one.race.frozen  # its record may still change
        }

    def listings(self) -> list[dict[str, str | int | bool]]:
        """Return the public rooms of this process, for `/api/rooms`."""
        states = (actor.state for actor in self.rooms.values())
        return [room.listing(state) for state in states if state.public]


def _is_racing(state: RoomState) -> bool:
    """Return whether a room is in a countdown or race."""
    return state.race.active and not state.closed
