"""One live room: it decides, tells, and writes down, in that order of urgency.

What happened is applied at once and progress leaves at once; the numbered events of
the stream, the acks and the welcomes wait for the log. Nothing here waits for a peer,
and only the scribe's own task waits for the disk.
"""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence

from sliderace.protocol.messages import Ack, Event, Slides, Welcome
from sliderace.race.log_records import (
    BoardDrawn,
    CountdownBegan,
    Postponed,
    RaceEnded,
    RaceStarted,
    RosterFrozen,
    Seat,
    Slid,
)
from sliderace.race.refusal import Refusal
from sliderace_server import room
from sliderace_server.limits import Quota
from sliderace_server.live_room.services import Services, Subscriber
from sliderace_server.live_room.subscribers import Subscribers
from sliderace_server.registry.deadline_timer import DeadlineTimer
from sliderace_server.registry.pending import PendingEvent, PendingEvents
from sliderace_server.registry.results_writer import stored_race
from sliderace_server.registry.room_writer import RoomWriter
from sliderace_server.room import RoomState, Timeline
from sliderace_server.room.log_records import Closed, Gone, HostChanged, Record
from sliderace_server.storage import StoredRace

__all__ = ["RoomActor"]

_log = logging.getLogger(__name__)

LATE_MS = 50
"""A timer that found nothing to do asks again no sooner than this."""
GONE_CODES = {"left": 1000, "kicked": 4501, "timeout": 4502}
"""Why a member is out -> the close code."""


class RoomActor:
    """Runs one room.

    Args:
        services: what all rooms share.
        state: the room, folded from everything in its log and from `fresh`.
        position: records in its log.
        fresh: applied, but not yet in the log: what made the room, or this epoch.
        ended: told once, when the room is over or another writer's.
    """

    def __init__(
        self,
        services: Services,
        state: RoomState,
        position: int,
        fresh: Iterable[Record],
        ended: Callable[["RoomActor"], None],
    ) -> None:
        self.state = state
        self.code = state.code
        self.over = False
        self.quota = Quota(services.room_limits.lobby_records)
        self._services = services
        self._timeline = Timeline(state.epoch)
        self._ended = ended
        self._subscribers = Subscribers(services, state, lambda: self.now)
        self._room_writer = RoomWriter(
            services,
            state.code,
            position,
            committed=self._committed,
            failed=self._cannot_store,
            lost=lambda: self._end(1012),
        )
        self._pending = PendingEvents(position, self._subscribers.publish)
        self._asked: list[Subscriber] = []
        self._slid: dict[int, int] = {}
        self._slides = services.metrics.counts["slides"]
        self._started_at = 0
        self._results: dict[str, StoredRace] = {}
        self._deadline_timer = DeadlineTimer(
            services, state, self._timeline, self._time_has_come
        )
        for record in fresh:
            self._room_writer.add(record)
        self._do(room.Tick())
        self._schedule()

    # --- what it is ------------------------------------------------------------------

    @property
    def now(self) -> int:
        """Room time in ms."""
        return self._timeline.now(self._services.clock.now_ms())

    @property
    def idle(self) -> bool:
        """Whether everything that happened is durable."""
        return self._room_writer.idle

    @property
    def failing(self) -> bool:
        """Whether its log cannot be written at the moment."""
        return self._room_writer.failing

    @property
    def connections(self) -> int:
        """Members with a live connection."""
        return len(self._subscribers)

    def beat(self) -> None:
        """The server is well: note it in a race, and whether the clock was set."""
        clock = self._services.clock
        wall = room.wall_clock_step(self.state.epoch, clock.now_ms(), clock.wall_ms())
        if wall is not None:
            _log.warning("the wall clock was set", extra={"room": self.code})
            self._do(room.SetWallClock(wall))
        if self.state.race.running and self.state.t + room.KEEP_ALIVE_MS <= self.now:
            self._do(room.KeepAlive())

    # --- what comes in ---------------------------------------------------------------

    def enter(
        self, subscriber: Subscriber, command: room.Enter, token: str
    ) -> Refusal | None:
        """Let somebody in; the welcome follows once that is durable."""
        outcome = self._do(command)
        if isinstance(outcome, Refusal):
            return outcome
        self._subscribers.arrive(subscriber, self.state.last_member)
        self._greet(subscriber, token, (0, 0))
        return None

    def resume(
        self,
        subscriber: Subscriber,
        command: room.Connect,
        seen: tuple[int, int] = (0, 0),
        token: str | None = None,
    ) -> None:
        """A member is back; the newest connection wins.

        Args:
            subscriber: the new connection.
            command: whose it is.
            seen: epoch and offset of the last event that reached the client.
            token: the new one, for who comes from another device.
        """
        self._subscribers.arrive(subscriber, command.member)
        self._do(command)
        self._greet(subscriber, token, seen)

    def lost(self, subscriber: Subscriber) -> None:
        """A connection has ended; only a member's current one matters."""
        self._pending.lost(subscriber)
        self._asked = [one for one in self._asked if one is not subscriber]
        if self._subscribers.depart(subscriber):
            self._do(room.Disconnect(subscriber.member))

    def ask(self, subscriber: Subscriber, message: room.WireCommand) -> None:
        """A member says something; a refusal is answered at once."""
        if not self._subscribers.is_current(subscriber):
            return  # the fence
        outcome = self._do(room.MemberCommand(subscriber.member, message))
        if isinstance(outcome, Refusal):
            self._services.metrics.count("refusals", outcome.code)
            refused = room.refused(str(message.__struct_config__.tag), outcome)
            subscriber.peer.send_urgent(self._services.frame(refused))

    def slide(self, subscriber: Subscriber, slides: Slides, arrived: int) -> None:
        """A member slides, at this ms of the machine: nearly all that comes in."""
        if not self._subscribers.is_current(subscriber) or slides.gen != subscriber.gen:
            return  # the fence; or sent before our last `rejected` arrived there
        if self.over:
            self._reject(subscriber, Refusal("room_unknown"))
            return
        self._put_off()
        now = max(self._timeline.now(arrived), self.state.t)  # a start was put off
        limits, line_of = self._services.room_limits, self._subscribers.line_of
        outcome = room.decide_slides(
            self.state, subscriber.member, slides, now, limits, line_of
        )
        if isinstance(outcome, Refusal):
            self._reject(subscriber, outcome)
        elif outcome:
            self._happened(outcome)
        else:
            self._ack_again(subscriber)

    def show(self, subscriber: Subscriber) -> None:
        """Send a snapshot, as soon as all that it says is durable."""
        if self._subscribers.is_current(subscriber):
            self._do(room.Tick())  # a start that is not durable reveals no board
            self._subscribers.unfollow(subscriber)
            if subscriber not in self._asked:  # else that one answers this, too
                self._asked.append(subscriber)
                self._bring(subscriber, None, (0, 0))

    def show_board(self, subscriber: Subscriber, seat: int) -> None:
        """Send one seat's board, or why it may not be seen."""
        if self._subscribers.is_current(subscriber):
            self._subscribers.show_board(subscriber, Seat(seat))

    def _reject(self, subscriber: Subscriber, refusal: Refusal) -> None:
        self._services.metrics.count("refusals", refusal.code)
        event: Event = room.refused("slides", refusal)
        if refusal.code != "wrong_race":
            subscriber.gen += 1
            event = room.rejected(
                self.state, subscriber.member, refusal, subscriber.gen
            )
        subscriber.peer.send_urgent(self._services.frame(event))

    def _ack_again(self, subscriber: Subscriber) -> None:
        """Old slides came again: acked now if durable, else by their commit."""
        durable = self._slid.get(subscriber.member, 0) <= self._room_writer.durable
        if durable and (ack := room.ack_of(self.state, subscriber.member)):
            subscriber.peer.send_urgent(self._services.frame(ack))

    # --- what happens ----------------------------------------------------------------

    def _do(self, command: room.RoomCommand) -> Sequence[Record] | Refusal:
        """Carry a command out; a start that is not durable is put off before it."""
        if self.over:
            return Refusal("room_unknown")
        self._put_off()
        return self._carry_out(command)

    def _put_off(self) -> None:
        if (check := self._lock_check) is not None and check <= self.now:
            self._services.metrics.count("postponed")
            self._carry_out(room.LockNotDurable())

    def _carry_out(self, command: room.RoomCommand) -> Sequence[Record] | Refusal:
        limits, line_of = self._services.room_limits, self._subscribers.line_of
        chance = self._services.entropy(32)
        outcome = room.decide(self.state, command, self.now, chance, limits, line_of)
        if not isinstance(outcome, Refusal):
            self._happened(outcome)
        return outcome

    def _happened(self, records: Sequence[Record]) -> None:
        for record in records:
            if isinstance(record, Slid):
                self._slid_by(record)
            else:
                self._apply(record)
        if records and not isinstance(records[-1], Slid):  # slides set no deadline
            self._schedule()
        self._subscribers.tell_soon()

    def _slid_by(self, record: Slid) -> None:
        room.apply_slid(self.state, record)
        member = self.state.racers[record.seat].member
        self._room_writer.slid(record, member)
        self._slides[""] += len(record.slides)
        self._slid[member] = self._room_writer.applied
        self._subscribers.moved(record)

    def _apply(self, record: Record) -> None:
        state = room.apply(self.state, record)
        self._subscribers.forget()
        offset = state.offset if room.has_event(record) else None
        self._room_writer.add(record)
        event = room.present(record, state)
        self._pending.add(
            PendingEvent(self._room_writer.applied, record, offset, event)
        )
        match record:
            case CountdownBegan():
                self._subscribers.measure_latency()
            case RosterFrozen() | BoardDrawn() | Postponed():
                self._started_at = self._room_writer.applied
            case RaceStarted():
                self._subscribers.started()
            case RaceEnded():
                race = stored_race(state, self._services.version, self._services.key)
                self._results[record.race] = race
                self._subscribers.ended()
            case Gone():
                self._subscribers.gone(record.member)
                self._pending.gone(record.member)
            case _:
                pass

    # --- when it happens -------------------------------------------------------------

    def _schedule(self, least_ms: int = 0) -> None:
        """Set the alarm to the next moment at which the room must be asked."""
        if not self.over:
            moments = self._lock_check, self._subscribers.next_reveal()
            self._deadline_timer.set(*moments, least_ms=least_ms)

    @property
    def _lock_check(self) -> int | None:
        """When to look after the start that was announced; None: it is durable."""
        late = self._started_at > self._room_writer.durable
        return room.lock_check_at(self.state) if late else None

    def _time_has_come(self) -> None:
        self._do(room.Tick())
        self._subscribers.reveal()
        if not self._deadline_timer.is_set:
            self._schedule(LATE_MS)

    # --- what waits for the log ------------------------------------------------------

    def _committed(self, acks: Mapping[int, Ack]) -> None:
        self._subscribers.ack(acks)
        told = self._pending.tell(self._room_writer.durable)
        self._subscribers.settle()
        for record in told:
            self._after_commit(record)

    def _after_commit(self, record: Record) -> None:
        match record:
            case RaceEnded():
                self._services.metrics.count("races")
                self._services.keep(self._results.pop(record.race))
                self._subscribers.tell_signals()
            case HostChanged():
                self._subscribers.tell_signals()
            case Gone():
                self._subscribers.dismiss(record.member, GONE_CODES[record.why])
            case Closed():
                self._end(4502)
            case _:
                pass

    def _greet(
        self, subscriber: Subscriber, token: str | None, seen: tuple[int, int]
    ) -> None:
        self._bring(
            subscriber, self._subscribers.welcome_of(subscriber.member, token), seen
        )

    def _bring(
        self, subscriber: Subscriber, welcome: Welcome | None, seen: tuple[int, int]
    ) -> None:
        """Tell somebody what is true now, between the last event of now and the next.

        A room that never rests is always ahead of its log. So what is to be told is
        taken at once, and sent when the stream comes to this place.
        """
        view = self._subscribers.view_of(subscriber.member)

        def send() -> None:
            if welcome is None:
                self._asked.remove(subscriber)
            if not self._subscribers.is_current(subscriber):
                return
            if welcome is not None:
                subscriber.peer.send(self._services.frame(welcome))
            self._subscribers.catch_up(subscriber, view, seen)
            same = view.snapshot.race.id == self.state.race.id
            slid = self._slid.get(subscriber.member, 0) > position
            if same and (welcome is None or slid):
                self._ack_again(subscriber)  # acks of meanwhile went by

        position = self._room_writer.applied
        self.when_durable(subscriber, send)

    def when_durable(self, subscriber: Subscriber, send: Callable[[], None]) -> None:
        """Call `send` once all of now is durable, if `follower` is still there."""
        self._pending.wait(subscriber, self._room_writer.applied, send)
        self._subscribers.settle()

    # --- the end ---------------------------------------------------------------------

    @property
    def stored(self) -> bool:
        """Whether anything of this room has ever become durable."""
        return self._room_writer.durable > 0

    def _cannot_store(self) -> None:
        """A running room goes on without acks; one that is not there yet is refused."""
        if self.stored:
            return
        self._services.metrics.count("refusals", "storage_unavailable")
        refused = room.refused("hello", Refusal("storage_unavailable", retry_ms=5_000))
        for subscriber in self._pending.clear():
            subscriber.peer.send(self._services.frame(refused))
            subscriber.dismissed(1013)
        self._room_writer.stop()
        self._end(1013)

    def freeze(self) -> None:
        """Let nothing more happen here; the log is still written."""
        self.over = True
        self._subscribers.freeze()
        self._deadline_timer.cancel()

    def _end(self, code: int) -> None:
        if not self.over:
            self.freeze()
            self._pending.clear()
            self._subscribers.end(code)
            self._ended(self)
