"""The room registry: opens, finds, recovers and drops the rooms of this server."""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sliderace import __version__
from sliderace.protocol.messages import Create, Open
from sliderace.protocol.room_code import RoomCode, parse_code
from sliderace.protocol.version import VERSION
from sliderace.race.log_records import RaceEnded
from sliderace.race.refusal import Refusal
from sliderace.race.rules import RulesError
from sliderace.race.series import Series
from sliderace_server import room
from sliderace_server.clock import Timer
from sliderace_server.limits import PerAddress, client_key
from sliderace_server.registry.actor import RoomActor
from sliderace_server.registry.bot_process import BotProcess, BotSeat
from sliderace_server.registry.codes_in_use import RESERVE_MS, Codes
from sliderace_server.registry.results_writer import ResultsWriter, stored_race
from sliderace_server.registry.seat_tickets import Tickets, hashed
from sliderace_server.registry.services import Services
from sliderace_server.room import RoomState
from sliderace_server.room.log_records import Record
from sliderace_server.storage import (
    DAY_MS,
    RaceSummary,
    StorageUnavailable,
    StoredRace,
    oldest_kept_ms,
)
from sliderace_server.storage.record_codec import UnknownRecord, decode

__all__ = ["RoomRegistry"]

_log = logging.getLogger(__name__)

CLOCK_STEP_MS = 1_000
"""If the clocks moved apart by more than this in a second, the wall clock was set."""
RETRY_S = 1.0
"""Pause while a room's log cannot be removed."""
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
        host_ended: the shutdown is because the host of these rooms has ended.
        bots: the process in which the bots of the server play.
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
        self.tickets = Tickets()
        self._results_writer = results_writer
        self._addresses = addresses
        self._codes = Codes()
        self._rooms: dict[str, RoomActor] = {}
        self._had_bots: dict[str, None] = {}
        self._openers: dict[str, str] = {}
        self._unreadable: set[str] = set()
        self._lost: set[str] = set()
        self._closed: set[str] = set()
        self._trims: dict[str, int] = {}
        self._prune_at_ms = 0
        self.clock_steps = 0
        self._wall_offset_ms = services.clock.wall_ms() - services.clock.now_ms()
        self.bots = BotProcess(
            services.spawn,
            services.clock.now_ms,
            self._all_bot_seats,
            services.settings.tls_cert,
        )
        self._storage_lost = False
        self._checking_storage = False
        self._heartbeat: Timer | None = None
        self._began_ms = self._rooms_beat_at = services.clock.now_ms()
        services.clock.on_stall.append(self.stalled)
        services.metrics.gauge("rooms", "Live rooms", lambda: len(self._rooms))
        services.metrics.gauge(
            "members_connected", "Members with a live connection", self._connections
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
        now, wall = services.clock.now_ms(), services.clock.wall_ms()
        if wait := self._addresses.open_wait(address, now):
            return Refusal("too_many_rooms", retry_ms=wait)
        code = self._codes.new(services.entropy(32), now)
        epoch = room.first_epoch(services.clock.boot, now, wall)
        try:
            records = room.open_room(
                code, wall // 1_000, asked, epoch, services.entropy(32)
            )
        except RulesError as error:
            self._codes.discard(code)
            return Refusal("bad_rules", f"rules.{error.field}", str(error.value))
        state = room.fold(records)
        self._addresses.opened(address, now)
        self._openers[code] = address
        return self._run(self._actor(state, 0, records))

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
        return self._too_many(address) or found

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
        if code in self._lost:
            return Refusal("storage_unavailable", retry_ms=5_000)
        return self._rooms.get(code) or Refusal("room_unknown", "code", code)

    def _count_miss(self, refusal: Refusal, address: str) -> Refusal:
        """Count a possible guess; return the refusal to send."""
        if refusal.code not in MISSES:
            return refusal
        if too_many := self._too_many(address):
            return too_many
        self._addresses.failed_try(address, self.services.clock.now_ms())
        return refusal

    def _too_many(self, address: str) -> Refusal | None:
        wait = self._addresses.try_wait(address, self.services.clock.now_ms())
        return Refusal("too_many_tries", retry_ms=wait) if wait else None

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

    def _actor(
        self, state: RoomState, position: int, new: Sequence[Record]
    ) -> RoomActor:
        services = self.services
        return RoomActor(services, state, position, new, self._ended, self._trim_later)

    def _run(self, actor: RoomActor) -> RoomActor:
        self._rooms[actor.code] = actor
        return actor

    # --- bots of the server ----------------------------------------------------------

    def start_bots(self, url: str) -> None:
        """Note where bots reach this server; let those of recovered rooms play."""
        self.bots.url = url
        if seats := self._all_bot_seats():
            self.bots.play(seats)

    def bots_refusal(self, actor: RoomActor, count: int) -> Refusal | None:
        """Return why the server refuses bots; the room checks its own limit."""
        if not count:
            return None
        if self.failing:
            return Refusal("storage_unavailable", retry_ms=5_000)
        others = sum(
            len(room.server_bots(one.state))
            for one in self._rooms_with_bots()
            if one is not actor
        )
        most = max(0, self.services.settings.limits.total_bots - others)
        if count > most:
            return Refusal("too_many_bots", "want", str(count), allowed=(0, most))
        return self.bots.refusal()

    def bot_token_hashes(self, actor: RoomActor, count: int) -> list[str]:
        """Return the token hashes of the next members of a room."""
        first = actor.state.last_member + 1
        members = range(first, first + count)
        return [hashed(self._bot_token(actor.state, member)) for member in members]

    def play_bots(self, actor: RoomActor, newer_than: int) -> None:
        """Let those bots of a room play that entered after a member."""
        seats = self._bot_seats(actor.state, newer_than)
        if seats:
            self._had_bots[actor.code] = None
            self.bots.play(seats)

    def _rooms_with_bots(self) -> list[RoomActor]:
        """Return the rooms that have bots: of thousands, only few can."""
        had = [self._rooms[code] for code in self._had_bots if code in self._rooms]
        have = [actor for actor in had if room.server_bots(actor.state)]
        self._had_bots = dict.fromkeys(actor.code for actor in have)
        return have

    def _bot_token(self, state: RoomState, member: int) -> str:
        """Return the token of a bot; it is not stored, but the same after a restart."""
        purpose = f"bot/v1 {state.code} {state.created_s} {member}"
        return self.services.key.secret(purpose)[:16].hex()

    def _bot_seats(self, state: RoomState, newer_than: int = 0) -> list[BotSeat]:
        return [
            BotSeat(
                state.code,
                self._bot_token(state, member.id),
                member.level,
                member.pace_ms,
            )
            for member in room.server_bots(state)
            if member.id > newer_than
        ]

    def _all_bot_seats(self) -> list[BotSeat]:
        return [
            seat
            for actor in self._rooms_with_bots()
            for seat in self._bot_seats(actor.state)
        ]

    # --- ends ------------------------------------------------------------------------

    def _ended(self, actor: RoomActor) -> None:
        code = actor.code
        self._rooms.pop(code, None)
        if code in self._openers:
            self._addresses.closed(self._openers.pop(code))
        if actor.stored and not actor.state.closed:
            self._lost.add(code)
            return
        reason = actor.state.closed or "never stored"
        _log.info("closed", extra={"room": code, "reason": reason})
        self._codes.retire(code, self.services.clock.now_ms())
        self._closed.add(code)
        self._trims.pop(code, None)
        self._drop_closed()

    def _trim_later(self, actor: RoomActor, position: int) -> None:
        """Remove old records once the results of their races are stored."""
        self._trims[actor.code] = position
        self._trim_logs()

    def _trim_logs(self) -> None:
        for code, position in list(self._trims.items()):
            if not self._results_writer.has_races_of(code):
                del self._trims[code]
                self.services.spawn(self._trim(code, position))

    async def _trim(self, code: str, position: int) -> None:
        try:
            await self.services.store.log.trim(code, position)
        except StorageUnavailable as error:  # the next checkpoint tries again
            _log.warning("cannot trim", extra={"room": code, "error": str(error)})

    def stored(self, race: StoredRace) -> None:
        """Trim and drop logs that waited for this race to be stored."""
        _log.info("stored", extra={"room": race.summary.room, "race": race.summary.id})
        self._trim_logs()
        self._drop_closed()

    def _drop_closed(self) -> None:
        for code in sorted(self._closed):
            if not self._results_writer.has_races_of(code):
                self._closed.discard(code)
                self.services.spawn(self._drop(code))

    async def _drop(self, code: str) -> None:
        log, clock = self.services.store.log, self.services.clock
        while True:
            try:
                await log.drop(code, now_ms=clock.wall_ms(), reserve_ms=RESERVE_MS)
            except StorageUnavailable:
                await clock.sleep(RETRY_S)
            else:
                return

    # --- recovery --------------------------------------------------------------------

    async def recover(self) -> None:
        """Continue every room in the log, each in a new epoch.

        Raises:
            StorageUnavailable: the storage cannot be read.
        """
        log, clock = self.services.store.log, self.services.clock
        for code, reserve_ms in (await log.reserved_codes(clock.wall_ms())).items():
            self._codes.retire(RoomCode(code), clock.now_ms(), reserve_ms)
        for code in await log.rooms():
            data = await log.read(code)
            try:
                state = await self._fold(data)
            except (UnknownRecord, _Damaged) as error:
                self._unreadable.add(code)
                foreign = isinstance(error, UnknownRecord)
                why = "made by another release" if foreign else "its log is damaged"
                extra = {"room": code, "error": str(error)}
                _log.error("cannot recover: %s", why, extra=extra)
                self._codes.claim(RoomCode(code))
                continue
            if state.closed:
                self._codes.retire(state.code, clock.now_ms())
                self._closed.add(code)
                continue
            self._codes.claim(state.code)
            self._continue_room(state, await log.length(code))
        self._drop_closed()
        self._beat()
        if self._rooms:
            _log.info("recovered", extra={"rooms": len(self._rooms)})

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
        if await self.services.store.results.record(race.summary.id) is None:
            self._results_writer.add(race)

    def _continue_room(self, state: RoomState, position: int) -> None:
        clock = self.services.clock
        epoch = room.next_epoch(state, clock.boot, clock.now_ms(), clock.wall_ms())
        state = room.apply(state, epoch)
        self._had_bots[state.code] = None
        self._run(self._actor(state, position, [epoch]))

    def freeze(self) -> None:
        """Freeze all rooms; everything decided so far is still stored."""
        self.stopping = True
        if self._heartbeat is not None:
            self._heartbeat.cancel()
        self.services.clock.beat(None)
        for actor in self._rooms.values():
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
            self._tell_all(RoomActor.beat)
            if not self._checking_storage:
                self._checking_storage = True
                self.services.spawn(self._check_storage())
            if self.services.settings.keep and now >= self._prune_at_ms:
                self._prune_at_ms = now + DAY_MS
                self.services.spawn(self._prune(self.services.settings.keep))
        racing = any(_is_racing(one.state) for one in self._rooms.values())
        pause_ms = WATCH_MS if racing else room.KEEP_ALIVE_MS
        clock.beat(pause_ms)
        self._heartbeat = clock.later(pause_ms / 1_000, self._beat)

    def stalled(self, since: int, now: int) -> None:
        """Note in all rooms that the server did nothing from `since` to `now`, ms."""
        self.services.metrics.count("stalls")
        _log.warning("stalled", extra={"ms": now - since})
        self._tell_all(lambda actor: actor.stalled(since, now))

    def _tell_all(self, call: Callable[[RoomActor], None]) -> None:
        for actor in list(self._rooms.values()):
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
            one.idle for one in self._rooms.values()
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
            for actor in self._rooms.values()
        )

    def _connections(self) -> int:
        return sum(actor.live.connections for actor in self._rooms.values())

    def health(self) -> Mapping[str, Any]:
        """Return the server's state for `/healthz`."""
        found = {
            "storage_lost": self._storage_lost,
            "log_failing": self.services.log_writer.failing,
            "results_failing": self._results_writer.failing,
            "rooms_unreadable": bool(self._unreadable),
        }
        problems = [problem for problem, is_there in found.items() if is_there]
        status = "degraded" if problems else "ok"
        return {
            "server": "sliderace",
            "status": "stopping" if self.stopping else status,
            "problems": problems,
            "version": __version__,
            "protocol": VERSION,
            "durability": self.services.store.durability,
            "key": self.services.key.public,
            "rooms": len(self._rooms),
            "connections": self._connections(),
            "uptime_s": (self.services.clock.now_ms() - self._began_ms) // 1_000,
        }

    def public_rooms(self) -> Sequence[Mapping[str, Any]]:
        """Return the rooms that anyone may see."""
        states = (actor.state for actor in self._rooms.values())
        return [room.listing(state) for state in states if state.public]

    def listing(self, code: str) -> Mapping[str, Any] | None:
        """Return an open room, or None."""
        actor = self._rooms.get(code)
        return None if actor is None else room.listing(actor.state)

    def series(self, code: str) -> Series:
        """Return the series of an open room."""
        return self._rooms[RoomCode(code)].state.series

    async def races(
        self, room: str | None, before: str | None, *, public_only: bool, limit: int
    ) -> Sequence[RaceSummary]:
        """Return stored races, the latest first.

        Raises:
            StorageUnavailable: the storage cannot be read.
        """
        return await self.services.store.results.races(
            room, public_only=public_only, limit=limit, before=before
        )

    async def record(self, race_id: str) -> bytes | None:
        """Return a signed race record as JSON, or None.

        Raises:
            StorageUnavailable: the storage cannot be read.
        """
        pending = self._results_writer.record(race_id)
        return pending or await self.services.store.results.record(race_id)


def _is_racing(state: RoomState) -> bool:
    """Return whether a room is in a countdown or race."""
    return state.race.active and not state.closed
