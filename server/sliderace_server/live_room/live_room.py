"""A running room as a pure state machine: who is sent what, and when.

Inputs are method calls with the machine's monotonic time in ms and, where randomness is
needed, 32 random bytes; `take` returns the outputs. This module uses no clock, socket
or log.

Rules:

- A command is decided and applied immediately; its records are appended to the log in
  order. `applied` counts the room's records, `durable` those that are committed.
- Events of the stream, welcomes and snapshots wait for the log in one queue, in log
  order. Each is sent when everything up to its position is durable.
- A welcome or snapshot contains the room as it was when it was requested. So it does
  not wait until the room is idle: a busy room is always ahead of its log.
- A subscriber is sent nothing before its welcome. After that it gets the stream from
  the welcome's position on, and the progress that it missed meanwhile.
- Slides do not wait: progress is sent before they are durable. An ack means durable.
- A small room sends progress immediately, but no more often than `PACES` allows; a
  large one once per tick, and rooms tick at different moments.
- A subscriber that reads too slowly gets no progress. Once it has caught up, it is sent
  the newest state instead of everything that it missed.
- The newest connection of a member wins; everything from an older one is ignored.
- If a start is not durable in time, it is postponed before anything else is decided.
- After a stall, what has arrived counts before the deadlines that have passed.
- A room whose first records cannot be stored is refused; any later failure of the
  storage only delays what waits for the log.
"""

import copy
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import assert_never

import msgspec

from sliderace.protocol.messages import (
    Ack,
    BoardEvent,
    BotWanted,
    Event,
    Gains,
    Leave,
    Limits,
    PhaseEvent,
    Progress,
    React,
    Reacted,
    Results,
    Resync,
    SeriesEvent,
    Slides,
    StandingEvent,
    Welcome,
    WinnerEvent,
)
from sliderace.protocol.version import FEATURES
from sliderace.race.log_records import (
    BoardDrawn,
    CountdownBegan,
    DidNotFinish,
    Finished,
    Forfeited,
    ForfeitUndone,
    Postponed,
    RaceCreated,
    RaceEnded,
    RacerReconnected,
    RaceStarted,
    RosterFrozen,
    Seat,
    Slid,
)
from sliderace.race.quick_slide import OpenAttempt, open_attempt, quick_slide
from sliderace.race.refusal import Refusal
from sliderace.race.series import Series
from sliderace.race.timing import UNMEASURED, Latency
from sliderace_server import room
from sliderace_server.limits import TokenBucket
from sliderace_server.live_room.history import History
from sliderace_server.live_room.latency import LatencyReport
from sliderace_server.live_room.progress import Channel, DelayedChannel
from sliderace_server.live_room.subscriber import Subscriber
from sliderace_server.live_room.subscribers import Subscribers
from sliderace_server.pacing import GRID_MS, LATENCY_REPORT_MS, PACES
from sliderace_server.room import RoomLimits, RoomState, View
from sliderace_server.room.log_records import (
    Checkpoint,
    Closed,
    Entered,
    Gone,
    HostChanged,
    Record,
    RoleChanged,
    SeriesBegan,
)

__all__ = ["LiveRoom", "LiveRoomSettings", "Outputs"]

RETRY_MS = 50
"""Pause before the room checks a deadline again that passed without a change."""
REACTIONS_PER_S, REACTIONS_BURST = 0.5, 3
"""Limits of one member."""
CLOSE_CODES = {"left": 1000, "kicked": 4501, "timeout": 4502}
"""Why a member has left -> close code."""
_CHANGES_SIGHT = (
    DidNotFinish,
    Entered,
    Finished,
    ForfeitUndone,
    Forfeited,
    RaceCreated,
    RaceEnded,
    RaceStarted,
    RacerReconnected,
    RoleChanged,
)
"""Records that change which boards members may see."""


@dataclass(frozen=True, slots=True)
class LiveRoomSettings:
    """The operator's settings for a running room.

    Args:
        limits: limits of one room.
        announced: limits that `welcome` announces.
        version: program and version for `welcome`.
        small_room: members up to which a room is small.
        player_tick_ms: time between progress events for players on an idle server.
        spectator_tick_ms: the same for spectators.
        features: what the server can do beyond the first set.
    """

    limits: RoomLimits
    announced: Limits
    version: str
    small_room: int
    player_tick_ms: int
    spectator_tick_ms: int
    features: Sequence[str] = FEATURES


class Outputs:
    """What the actor has to do now.

    Attributes:
        records: records to append to the log, in order.
        sends: events to send, each with its receivers, in order.
        closes: connections to close afterwards, each with its close code.
        measure: connections whose latency must be measured now.
        results: the room as it was at the end of each race that is now durable.
        checkpoint: position up to which the log is not needed once the results of its
            races are stored; None: unchanged.
        postponed: starts that were postponed because they were not durable.
        wake_at: when to call `tick`, ms of the machine's clock; None: never.
    """

    __slots__ = (
        "checkpoint",
        "closes",
        "measure",
        "postponed",
        "records",
        "results",
        "sends",
        "wake_at",
    )

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.sends: list[tuple[Event, Sequence[Subscriber]]] = []
        self.closes: list[tuple[Subscriber, int]] = []
        self.measure: list[Subscriber] = []
        self.results: list[RoomState] = []
        self.checkpoint: int | None = None
        self.postponed = 0
        self.wake_at: int | None = None


@dataclass(frozen=True, slots=True)
class _PendingRecord:
    """A record, and the event to send when the record is durable.

    Attributes:
        ended: the room at the end of its race, if this record ends a race.
    """

    position: int
    record: Record
    offset: int | None
    event: Event | None
    ended: tuple[RoomState, ...] = ()


@dataclass(frozen=True, slots=True)
class _PendingView:
    """A snapshot, with or without a welcome."""

    position: int
    subscriber: Subscriber
    welcome: Welcome | None
    view: View
    seen: tuple[int, int]


@dataclass(frozen=True, slots=True)
class _PendingNotice:
    """An event for a connection without a member, which is closed afterwards."""

    position: int
    subscriber: Subscriber
    event: Event
    code: int


@dataclass(frozen=True, slots=True)
class _PendingGains:
    """What an attempt has changed in a profile."""

    position: int
    profile: str
    gains: Gains


class LiveRoom:
    """A running room.

    Attributes:
        state: the room; read-only.
        applied: number of records, including those that are not committed yet.
        durable: number of records that are committed.
        over: the room accepts no more input.
        ended: it is over for another reason than the server's shutdown.

    Args:
        settings: the operator's settings.
        state: the room, folded from its log and from `new`.
        position: number of records in its log.
        new: records that are applied but not in the log yet.
        now: the machine's monotonic clock, ms.
        entropy: 32 random bytes.
        level: how busy the server is, see `sliderace_server.pacing`.
    """

    def __init__(
        self,
        settings: LiveRoomSettings,
        state: RoomState,
        position: int,
        new: Iterable[Record],
        now: int,
        entropy: bytes,
        level: int = 0,
    ) -> None:
        self.state = state
        self.applied = self.durable = position
        self.over = self.ended = False
        self._settings = settings
        self._level = level
        self._shift = state.epoch.t - state.epoch.mono_ms
        self._phase = int.from_bytes(state.code.encode())
        self._out = Outputs()
        self._pending: deque[
            _PendingRecord | _PendingView | _PendingNotice | _PendingGains
        ] = deque()
        self._acks: deque[tuple[int, int, str, int]] = deque()
        self._open: dict[int, OpenAttempt] = {}
        self._last_slide: dict[int, int] = {}
        self._start_position = 0
        self._sent_offset = state.offset
        self._history = History()
        self._latencies = LatencyReport()
        self._subscribers = Subscribers(state)
        self._current = self._subscribers.current
        self._racers = self._subscribers.racers
        self._watchers = self._subscribers.watchers
        self._delayed = DelayedChannel()
        self._following: list[tuple[_PendingView, bool]] = []
        self._due: dict[str, int] = {}
        self._reactions: dict[int, TokenBucket] = {}
        self._last_progress = 0
        self._set_time(now)
        for record in new:
            self._append(record)
        self._do(room.Tick(), entropy)
        self._schedule()
        self._schedule_delayed()

    # --- state -----------------------------------------------------------------------

    @property
    def connections(self) -> int:
        """The number of connected members."""
        return len(self._current)

    def room_time(self, now: int) -> int:
        """Return room time, ms; never before the last record."""
        return max(now + self._shift, self.state.t)

    @property
    def idle(self) -> bool:
        """Whether everything that happened is durable."""
        return self.durable == self.applied

    # --- inputs ----------------------------------------------------------------------

    def subscribe(
        self,
        subscriber: Subscriber,
        command: room.Enter | room.Connect,
        now: int,
        entropy: bytes,
        *,
        token: str | None = None,
        seen: tuple[int, int] = (0, 0),
    ) -> Refusal | None:
        """Subscribe a member's connection; its welcome follows once it is durable.

        Args:
            subscriber: the connection. It replaces the member's older one.
            command: the new or returning member.
            now: monotonic time, ms.
            entropy: 32 random bytes.
            token: the new seat token, which only `welcome` contains.
            seen: epoch and offset of the last event that the client received.

        Returns:
            The refusal, if a new member is refused.
        """
        self._set_time(now)
        if isinstance(command, room.Connect):
            self._arrive(subscriber, command.member)
            self._do(command, entropy)
        else:
            outcome = self._do(command, entropy)
            if isinstance(outcome, Refusal):
                return outcome
            self._arrive(subscriber, self.state.last_member)
        welcome = room.welcome(
            self.state,
            subscriber.member,
            self._t,
            self._settings.version,
            self._settings.announced,
            token,
            self._settings.features,
        )
        self._send_view(subscriber, welcome, seen)
        return None

    def unsubscribe(self, subscriber: Subscriber, now: int, entropy: bytes) -> None:
        """Note that a connection has ended."""
        self._set_time(now)
        subscriber.gone = True
        if self._subscribers.depart(subscriber):
            self._do(room.Disconnect(subscriber.member), entropy)

    def notify(self, subscriber: Subscriber, event: Event, code: int) -> None:
        """Send an event to a connection without a member, then close it.

        It is sent once everything applied so far is durable.
        """
        self._pending.append(_PendingNotice(self.applied, subscriber, event, code))
        self._release()

    def slide(self, subscriber: Subscriber, slides: Slides, now: int) -> None:
        """Apply a member's slides: the hot path."""
        member, state = subscriber.member, self.state
        if self._current.get(member) is not subscriber or slides.gen != subscriber.gen:
            return  # the fence; or sent before our last `rejected` arrived
        self._now = now
        t = now + self._shift
        if t < state.t:
            t = state.t
        self._t = t
        opened = self._open.get(member) or self._open_attempt(member)
        if opened is not None and opened.race == slides.race:
            slid = quick_slide(
                opened,
                slides.seq,
                slides.slides,
                slides.approx,
                t,
                self._settings.limits.max_tiles,
            )
            if slid is not None:
                state.t = state.active_at = t
                self._slid(slid, member)
                return
        self._decide_slides(subscriber, slides)

    def receive(
        self,
        subscriber: Subscriber,
        message: room.WireCommand,
        now: int,
        entropy: bytes,
        token_hashes: Sequence[str] = (),
    ) -> None:
        """Execute a member's command, or refuse it; see `room.MemberCommand`."""
        if not self._subscribers.is_current(subscriber):
            return
        self._set_time(now)
        command = room.MemberCommand(subscriber.member, message, token_hashes)
        outcome = self._do(command, entropy)
        if isinstance(outcome, Refusal):
            tag = str(message.__struct_config__.tag)
            self._send(room.refused(tag, outcome), (subscriber,))

    def set_bots(
        self,
        want: Sequence[BotWanted],
        token_hashes: Sequence[str],
        now: int,
        entropy: bytes,
    ) -> None:
        """Choose the bots of a room without a host; see `room.SetBots`."""
        self._set_time(now)
        self._do(room.SetBots(want, token_hashes), entropy)

    def tell_gains(self, profile: str, gains: Gains) -> None:
        """Send the members with a profile what an attempt has changed in it.

        It is sent once everything applied so far is durable, and so after a welcome.
        """
        self._pending.append(_PendingGains(self.applied, profile, gains))
        self._release()

    def react(
        self, subscriber: Subscriber, message: React, now: int, entropy: bytes
    ) -> None:
        """Show a member's reaction to those who may see it now, or refuse it.

        Reactions are not stored, so they do not wait for the log.
        """
        if not self._subscribers.is_current(subscriber):
            return
        self._set_time(now)
        self._do(room.Tick(), entropy)
        refusal = self._reaction_refusal(subscriber)
        if refusal is not None:
            self._send(room.refused("react", refusal), (subscriber,))
            return
        targets = [
            one
            for one in self._subscribers.stream
            if "reacted" in one.can
            and not one.behind
            and room.sees_reactions(self.state, one.member, self._t)
        ]
        self._send(Reacted(subscriber.member, message.id), targets)

    def _reaction_refusal(self, subscriber: Subscriber) -> Refusal | None:
        """Return why a reaction is refused; else count it against the limit."""
        member = subscriber.member
        if self.over or not self._subscribers.is_current(subscriber):
            return Refusal("room_unknown")
        if refusal := room.reaction_refusal(self.state, member, self._t):
            return refusal
        bucket = self._reactions.get(member)
        if bucket is None:
            bucket = self._reactions[member] = TokenBucket(
                REACTIONS_PER_S, REACTIONS_BURST
            )
        if wait := bucket.wait(self._now):
            return Refusal("rate", retry_ms=wait)
        bucket.take(1, self._now)
        return None

    def resync(
        self, subscriber: Subscriber, message: Resync, now: int, entropy: bytes
    ) -> None:
        """Send one seat's board, or a snapshot once everything in it is durable."""
        if not self._subscribers.is_current(subscriber):
            return
        self._set_time(now)
        if message.seat is not None:
            self._send_board(subscriber, Seat(message.seat))
            return
        self._do(room.Tick(), entropy)  # a start that is not durable reveals no board
        self._subscribers.unfollow(subscriber)
        if not subscriber.resyncing:  # one answer suffices for both
            subscriber.resyncing = True
            self._send_view(subscriber, None, (0, 0))

    def committed(self, position: int, now: int) -> None:
        """Send what waited for the log to be durable up to `position`."""
        self._set_time(now)
        self.durable = position
        if self._acks:
            self._send_acks()
        if self._pending:
            self._release()

    def append_failed(self, now: int, entropy: bytes) -> None:
        """Note that the log cannot be written now; the log writer tries again."""
        self._set_time(now)
        refusal = Refusal("storage_unavailable", retry_ms=5_000)
        if self.durable:
            for newcomer in self._unwelcomed():
                self._send(room.refused("hello", refusal), (newcomer,))
                self._out.closes.append((newcomer, 1013))
                self._do(room.MemberCommand(newcomer.member, Leave()), entropy)
            return
        waiting = [
            one.subscriber
            for one in self._pending
            if isinstance(one, _PendingView | _PendingNotice)
            and not one.subscriber.gone
        ]
        self._pending.clear()
        self._send(room.refused("hello", refusal), waiting)
        strangers = [one for one in waiting if not self._subscribers.is_current(one)]
        self._out.closes += [(one, 1013) for one in strangers]
        self._end(1013)

    def _unwelcomed(self) -> list[Subscriber]:
        """Return the new members who still wait for their welcome."""
        members, is_current = self.state.members, self._subscribers.is_current
        return [
            one.subscriber
            for one in self._pending
            if isinstance(one, _PendingView)
            and one.welcome is not None
            and one.welcome.token
            and is_current(one.subscriber)
            and not members[one.subscriber.member].former_hash  # not another device
        ]

    def log_lost(self) -> None:
        """End the room: another writer has its log, or the log is unknown."""
        self._end(1012)

    def set_behind(self, subscriber: Subscriber, now: int, *, behind: bool) -> None:
        """Note whether a connection reads too slowly for progress."""
        self._set_time(now)
        if not behind and subscriber.behind and subscriber.following:
            self._send_newest(subscriber)
        self._subscribers.set_behind(subscriber, self._t, behind=behind)

    def load(self, level: int) -> None:
        """Note how busy the server is."""
        self._level = level

    def beat(self, wall_ms: int, now: int, entropy: bytes) -> None:
        """Note that the server is alive, and whether its wall clock was set.

        Call this once a second.
        """
        self._set_time(now)
        wall = room.wall_clock_step(self.state.epoch, now, wall_ms)
        if wall is not None:
            self._do(room.SetWallClock(wall), entropy)
        if self.state.race.running and self.state.t + room.KEEP_ALIVE_MS <= self._t:
            self._do(room.KeepAlive(), entropy)

    def stalled(self, since: int, now: int, entropy: bytes) -> None:
        """Note that the server did nothing from `since` to `now`, monotonic ms.

        Call this before anything that arrived meanwhile.
        """
        down = self.room_time(since)
        self._set_time(now)
        if self.over:
            return
        self._execute(room.Stall(down), entropy)
        self._do(room.Tick(), entropy)
        self._reveal()

    def tick(self, now: int, entropy: bytes) -> None:
        """Carry out what is due; `Outputs.wake_at` says when to call this."""
        self._set_time(now)
        due = self._due
        if due.get("room", self._t + 1) <= self._t:
            del due["room"]
            self._do(room.Tick(), entropy)
            self._reveal()
            if "room" not in due:
                self._schedule(RETRY_MS)
        if due.get("delayed", self._t + 1) <= self._t:
            del due["delayed"]
            self._send_delayed()
        if due.get("latency", self._t + 1) <= self._t:
            del due["latency"]
            self._send_latencies()

    def freeze(self) -> None:
        """Accept no more input; everything decided so far is still stored and sent."""
        self.over = True
        self._due.clear()
        self._open.clear()

    def take(self, now: int) -> Outputs:
        """Return the outputs since the last call, with progress that is due."""
        self._now, due = now, self._due
        t = self._t = max(now + self._shift, self.state.t)
        if due.get("racers", t + 1) <= t:
            self._send_progress(self._racers)
        if due.get("watchers", t + 1) <= t:
            self._send_progress(self._watchers)
        out, self._out = self._out, Outputs()
        wake = min(due.values(), default=None)
        out.wake_at = None if wake is None else wake - self._shift
        return out

    # --- commands and records --------------------------------------------------------

    def _set_time(self, now: int) -> None:
        self._now = now
        self._t = self.room_time(now)

    def _do(
        self, command: room.RoomCommand, entropy: bytes
    ) -> Sequence[Record] | Refusal:
        """Postpone a start that is not durable in time, then execute a command."""
        if self.over:
            return Refusal("room_unknown")
        if (check := self._start_check) is not None and check <= self._t:
            self._out.postponed += 1
            self._execute(room.LockNotDurable(), entropy)
        return self._execute(command, entropy)

    def _execute(
        self, command: room.RoomCommand, entropy: bytes
    ) -> Sequence[Record] | Refusal:
        limits, latency_of = self._settings.limits, self._latency_of
        outcome = room.decide(self.state, command, self._t, entropy, limits, latency_of)
        if not isinstance(outcome, Refusal):
            self._apply_all(outcome)
        return outcome

    def _apply_all(self, records: Sequence[Record]) -> None:
        for record in records:
            if isinstance(record, Slid):
                room.apply_slid(self.state, record)
                self._slid(record, self.state.racers[record.seat].member)
            else:
                self._apply(record)
        if records and not isinstance(records[-1], Slid):  # slides set no deadline
            self._schedule()

    def _open_attempt(self, member: int) -> OpenAttempt | None:
        """Return a racer's open attempt, and keep it until the next other record."""
        seat = self.state.members[member].seat
        if seat is None or self.over:
            return None
        opened = open_attempt(self.state.race, seat)
        if opened is not None:
            self._open[member] = opened
        return opened

    def _decide_slides(self, subscriber: Subscriber, slides: Slides) -> None:
        """Apply or reject slides by the general rules, without the fast path."""
        if self.over:
            return  # the client sends them again elsewhere; if rejected, it would not
        limits, member = self._settings.limits, subscriber.member
        outcome = room.decide_slides(
            self.state, member, slides, self._t, limits, self._latency_of
        )
        if isinstance(outcome, Refusal):
            self._reject(subscriber, outcome)
        elif outcome:
            self._apply_all(outcome)
        else:
            self._ack_again(subscriber)

    def _reject(self, subscriber: Subscriber, refusal: Refusal) -> None:
        event: Event = room.refused("slides", refusal)
        if refusal.code != "wrong_race":
            subscriber.gen += 1
            event = room.rejected(
                self.state, subscriber.member, refusal, subscriber.gen
            )
        self._send(event, (subscriber,))

    def _slid(self, slid: Slid, member: int) -> None:
        """Append slides that were applied, and schedule their ack and progress."""
        self.applied += 1
        self._out.records.append(slid)
        _, race, seat, first, slides, _ = slid
        self._acks.append((self.applied, member, race, first + len(slides) - 1))
        self._last_slide[member] = self.applied
        self._racers.unsent.setdefault(seat, first - 1)
        self._watchers.unsent.setdefault(seat, first - 1)
        if "racers" not in self._due or "watchers" not in self._due:
            self._schedule_progress()

    def _append(self, record: Record) -> None:
        self.applied += 1
        self._out.records.append(record)

    def _apply(self, record: Record) -> None:
        state = room.apply(self.state, record)
        self._open.clear()
        self._append(record)
        if isinstance(record, _CHANGES_SIGHT):
            self._subscribers.sight_changed()
        offset = state.offset if room.has_event(record) else None
        event = room.present(record, state)
        ended: tuple[RoomState, ...] = ()
        match record:
            case CountdownBegan():
                self._out.measure += self._players()
            case RosterFrozen() | BoardDrawn() | Postponed():
                self._start_position = self.applied
            case RaceStarted():
                self._reveal()
                self._schedule_delayed()
            case RaceEnded():
                ended = (copy.copy(state),)
                self._race_ended()
            case Gone():
                self._subscribers.remove_member(record.member)
                self._reactions.pop(record.member, None)
            case RoleChanged(member=member, role="player"):
                # Their own command: they are connected, but were seldom pinged.
                self._out.measure.append(self._current[member])
            case _:
                pass
        self._pending.append(_PendingRecord(self.applied, record, offset, event, ended))
        if isinstance(record, RaceCreated):
            self._race_created()

    def _race_created(self) -> None:
        """Reset progress; append a checkpoint after a race."""
        self._racers.unsent.clear()
        self._watchers.unsent.clear()
        if room.checkpoint_due(self.state):
            record = room.checkpoint(self.state)
            self._append(record)
            self._pending.append(_PendingRecord(self.applied, record, None, None))

    def _race_ended(self) -> None:
        """Send the last progress, and all boards to delayed spectators."""
        self._send_progress(self._racers)
        self._send_progress(self._watchers)
        if self.state.race.rules.spectator_delay_ms:
            for subscriber in self._current.values():
                if subscriber.following:
                    self._send_boards(subscriber)

    # --- scheduling ------------------------------------------------------------------

    def _schedule(self, least_ms: int = 0) -> None:
        """Set the room's next deadline."""
        moments = (
            room.next_deadline(self.state, self._settings.limits),
            self._start_check,
            self._next_reveal(),
        )
        at = min((at for at in moments if at is not None), default=None)
        if at is None:
            self._due.pop("room", None)
        else:
            self._due["room"] = at if at > self._t else self._t + least_ms

    @property
    def _start_check(self) -> int | None:
        """When to postpone the start if it is not durable; None: it is durable."""
        if self._start_position <= self.durable:
            return None
        return room.lock_check_at(self.state)

    def _next_reveal(self) -> int | None:
        """Return when the next racer is sent the start board, or None."""
        if self.state.phase != "countdown":
            return None
        moments = (room.reveal_at(self.state, member) for member in self._current)
        return min(
            (at for at in moments if at is not None and at > self._t), default=None
        )

    def _schedule_progress(self) -> None:
        """Schedule progress now, or as soon as the room's pace allows."""
        settings, due, pace = self._settings, self._due, PACES[self._level]
        tick, t = settings.player_tick_ms, self._t
        if len(self.state.members) <= settings.small_room:
            at = self._last_progress + round(pace.small_room * tick)
            if at <= t:
                at = t
            elif self._level:
                at += -(at - self._shift) % GRID_MS
            due.setdefault("racers", at)
            due.setdefault("watchers", at)
            return
        players = round(pace.players * tick)
        watchers = players
        if not self.state.race.rules.open_boards:  # then they are spectators
            watchers = round(pace.spectators * settings.spectator_tick_ms)
        due.setdefault("racers", self._next_tick(players))
        due.setdefault("watchers", self._next_tick(watchers))

    def _next_tick(self, period: int) -> int:
        """Return this room's next tick; the ticks of rooms are staggered."""
        return self._t + period - (self._t - self._shift - self._phase) % period

    def _schedule_delayed(self) -> None:
        race = self.state.race
        if race.running and race.rules.spectator_delay_ms and not self.over:
            self._due["delayed"] = self._t + self._settings.spectator_tick_ms

    def _schedule_latencies(self) -> None:
        self._due["latency"] = self._t + LATENCY_REPORT_MS

    # --- pending outputs -------------------------------------------------------------

    def _send_acks(self) -> None:
        acks, durable = self._acks, self.durable
        newest: dict[int, Ack] = {}
        while acks and acks[0][0] <= durable:
            _, member, race, seq = acks.popleft()
            newest[member] = Ack(race, seq)
        for member, ack in newest.items():
            subscriber = self._current.get(member)
            if subscriber is not None and subscriber.following:
                self._out.sends.append((ack, (subscriber,)))

    def _ack_again(self, subscriber: Subscriber) -> None:
        """Ack slides that were sent again, unless their commit will ack them."""
        durable = self._last_slide.get(subscriber.member, 0) <= self.durable
        if durable and (ack := room.ack_of(self.state, subscriber.member)):
            self._send(ack, (subscriber,))

    def _release(self) -> None:
        """Send everything that waited for records that are durable now."""
        pending = self._pending
        while pending and pending[0].position <= self.durable:
            one = pending.popleft()
            match one:
                case _PendingRecord():
                    self._publish(one)
                case _PendingView():
                    self._deliver(one)
                case _PendingNotice():
                    if not one.subscriber.gone:
                        self._send(one.event, (one.subscriber,))
                        self._out.closes.append((one.subscriber, one.code))
                case _PendingGains():
                    self._send_gains(one)
                case _:
                    assert_never(one)
        if self._following:
            self._send_missed_progress()

    def _publish(self, pending: _PendingRecord) -> None:
        """Send a record's event to all subscribers, then carry out its consequences."""
        record, event = pending.record, pending.event
        if event is not None and pending.offset is not None:
            if isinstance(event, StandingEvent | WinnerEvent | Results):
                # Slides are sent before the events they cause.
                self._send_progress(self._racers)
                self._send_progress(self._watchers)
            self._history.add(pending.offset, record.t, event)
            self._sent_offset = pending.offset
            aged = room.adjust_time_left(event, self._t - record.t)
            self._send(aged, list(self._subscribers.stream))
        match record:
            case RaceEnded():
                self._out.results += pending.ended
                for ended in pending.ended:
                    self._send_series(ended.series, self._subscribers.stream)
                self._send_signals()
            case SeriesBegan(format=format_, n=n, by=by):
                begun = Series(format_, n, by)
                self._send_series(begun, self._subscribers.stream)
            case HostChanged():
                self._send_signals()
            case Gone():
                if subscriber := self._subscribers.dismiss(record.member):
                    self._out.closes.append((subscriber, CLOSE_CODES[record.why]))
            case Checkpoint():
                self._out.checkpoint = pending.position - 1
            case Closed():
                self._end(4502)
            case _:
                pass

    # --- welcomes and snapshots ------------------------------------------------------

    def _arrive(self, subscriber: Subscriber, member: int) -> None:
        replaced = self._subscribers.arrive(subscriber, member)
        if replaced is not None:
            self._out.closes.append((replaced, 4503))
        if "latency" not in self._due and not self.over:
            self._schedule_latencies()

    def _send_view(
        self, subscriber: Subscriber, welcome: Welcome | None, seen: tuple[int, int]
    ) -> None:
        """Send the current view of the room once it is durable."""
        attempts = self._delayed.attempts
        view = room.view_of(self.state, subscriber.member, self._t, attempts)
        pending = _PendingView(self.applied, subscriber, welcome, view, seen)
        self._pending.append(pending)
        self._release()

    def _deliver(self, pending: _PendingView) -> None:
        """Send a view, and add the subscriber to the stream."""
        subscriber, view, welcome = pending.subscriber, pending.view, pending.welcome
        if not self._subscribers.is_current(subscriber):
            return
        targets = (subscriber,)
        if welcome is None:
            subscriber.resyncing = False
        else:
            self._send(welcome, targets)
        missed = self._missed(view, *pending.seen)
        if missed is None:
            self._send(self._with_current_times(view, subscriber.member), targets)
        else:
            for event in missed:
                self._send(event, targets)
            self._send_series(view.series, targets)
        if (latencies := self._latencies.everything()) is not None:
            self._send(latencies, targets)
        subscriber.sees = view.sees
        subscriber.shown = view.shown
        self._subscribers.follow(subscriber, self._t)
        self._following.append((pending, missed is None))
        if view.snapshot.race.id == self.state.race.id:
            slid = self._last_slide.get(subscriber.member, 0) > pending.position
            if welcome is None or slid:
                self._ack_again(subscriber)  # it missed the acks sent in between

    def _with_current_times(self, view: View, member: int) -> Event:
        """Return the view's snapshot with its times adjusted to now."""
        race = view.snapshot.race
        running = view.snapshot.phase in ("racing", "grace")
        if running and race.id == self.state.race.id:
            elapsed = room.elapsed_ms(self.state, member, self._t)
            race = msgspec.structs.replace(race, elapsed_ms=elapsed)
        snapshot = msgspec.structs.replace(view.snapshot, race=race)
        return room.adjust_time_left(snapshot, self._t - view.taken)

    def _missed(self, view: View, epoch: int, offset: int) -> list[Event] | None:
        """Return the events that a subscriber missed; None: a snapshot is needed."""
        if epoch != self.state.epoch.epoch or offset > self._sent_offset or view.sees:
            return None
        missed = self._history.since(offset, self._t)
        if missed is None or any(isinstance(event, PhaseEvent) for event in missed):
            return None
        return missed

    def _send_missed_progress(self) -> None:
        """Send new followers what they missed beside the stream."""
        following, self._following = self._following, []
        self._reveal()
        for pending, whole in following:
            subscriber = pending.subscriber
            if self._subscribers.is_current(subscriber):
                self._send_progress_since(subscriber, pending.view, whole=whole)
                self._grant_boards(subscriber)
                if subscriber.member == self.state.host:
                    self._send_signals()

    def _send_progress_since(
        self, subscriber: Subscriber, view: View, *, whole: bool
    ) -> None:
        """Send progress that is newer than a view.

        Args:
            subscriber: the receiver.
            view: the view that it was sent.
            whole: whether it was also sent the view's snapshot.
        """
        state, race = self.state, view.snapshot.race
        if race.id != state.race.id:
            return
        delayed = room.is_delayed(state, subscriber.member, self._t)
        steps = [
            room.seat_progress(
                state,
                Seat(lane.seat),
                lane.seq,
                boards=subscriber.sees,
                now=self._t,
                delayed=self._delayed.attempts if delayed else None,
            )
            for lane in race.lanes
        ]
        known = {lane.seat: lane.seq for lane in race.lanes} if whole else {}
        if new := [step for step in steps if step.seq > known.get(step.seat, -1)]:
            self._send(Progress(race.id, new), (subscriber,))

    # --- boards and progress ---------------------------------------------------------

    def _reveal(self) -> None:
        """Send the start board to all who may see it and lack it."""
        race = self.state.race.id
        boards: dict[BoardEvent, list[Subscriber]] = {}
        for member, subscriber in self._current.items():
            if subscriber.following and subscriber.shown != race:
                board = room.reveal(self.state, member, self._t)
                if board is not None:
                    subscriber.shown = race
                    subscriber.sees = room.sees_boards(self.state, member, self._t)
                    boards.setdefault(board, []).append(subscriber)
        for board, subscribers in boards.items():
            self._send(board, subscribers)

    def _send_progress(self, channel: Channel) -> None:
        """Send one audience its unsent progress."""
        self._due.pop("watchers" if channel is self._watchers else "racers", None)
        if self._subscribers.stale_at <= self._t:
            self._refresh()
        if steps := channel.take(self.state):
            self._last_progress = self._t
            event = Progress(self.state.race.id, steps)
            self._out.sends.append((event, list(channel.targets)))

    def _refresh(self) -> None:
        """Update the target lists; send boards to subscribers that may see them now."""
        for subscriber in self._subscribers.refresh(self._t):
            self._send_boards(subscriber)

    def _send_delayed(self) -> None:
        """Send delayed spectators the boards and progress that they may see now."""
        self._reveal()
        self._refresh()
        race = self.state.race
        if race.running and (steps := self._delayed.take(self.state, self._t)):
            targets = list(self._subscribers.delayed)
            for subscriber in targets:
                if not subscriber.sees:
                    subscriber.sees = True
                    self._send_boards(subscriber)
            self._send(Progress(race.id, [*steps]), targets)
        self._schedule_delayed()

    def _send_newest(self, subscriber: Subscriber) -> None:
        """Send the newest state to a subscriber that has caught up."""
        if subscriber.sees:
            self._send_boards(subscriber)
        else:
            attempts = self._delayed.attempts
            view = room.view_of(self.state, subscriber.member, self._t, attempts)
            self._send_progress_since(subscriber, view, whole=False)

    def _grant_boards(self, subscriber: Subscriber) -> None:
        """Send all boards to a subscriber that may see them from now on."""
        state, member = self.state, subscriber.member
        if not subscriber.sees and not room.is_delayed(state, member, self._t):
            subscriber.sees = room.sees_boards(state, member, self._t)
            if subscriber.sees:
                self._send_boards(subscriber)

    def _send_boards(self, subscriber: Subscriber) -> None:
        for seat in self.state.race.attempts:
            self._send_board(subscriber, seat)

    def _send_board(self, subscriber: Subscriber, seat: Seat) -> None:
        """Send one seat's board, or the refusal."""
        answer = room.board_of(
            self.state, subscriber.member, seat, self._t, self._delayed.attempts
        )
        if isinstance(answer, Refusal):
            self._send(room.refused("resync", answer), (subscriber,))
        else:
            self._send(answer, (subscriber,))

    def _send_signals(self) -> None:
        """Send the host the solve signals of a finished race."""
        host = self._current.get(self.state.host or 0)
        if host is not None and host.following:
            signals = room.signals_of(self.state)
            if signals is not None:
                self._send(signals, (host,))

    def _send_series(self, series: Series, targets: Iterable[Subscriber]) -> None:
        """Send the table of a series to the subscribers that understand it."""
        able = [one for one in targets if "series" in one.can]
        self._send(SeriesEvent(room.series_table(series)), able)

    def _send_gains(self, pending: _PendingGains) -> None:
        members = self.state.members
        owners = [
            one
            for one in self._subscribers.stream
            if "gains" in one.can
            and one.member in members
            and members[one.member].profile == pending.profile
        ]
        self._send(pending.gains, owners)

    # --- latency ---------------------------------------------------------------------

    def _players(self) -> list[Subscriber]:
        """Return the connections whose latency is needed."""
        members, current = self.state.members, self._current
        return [one for n, one in current.items() if members[n].seat is not None]

    def _latency_of(self, member: int) -> Latency:
        subscriber = self._current.get(member)
        return UNMEASURED if subscriber is None else subscriber.latency.at(self._now)

    def _send_latencies(self) -> None:
        """Send latencies of players that changed."""
        latencies = {
            one.member: self._latency_of(one.member) for one in self._players()
        }
        if (event := self._latencies.update(latencies)) is not None:
            targets = [one for one in self._current.values() if one.following]
            self._send(event, targets)
        if self._current:
            self._schedule_latencies()

    # --- outputs ---------------------------------------------------------------------

    def _send(self, event: Event, targets: Sequence[Subscriber]) -> None:
        if targets:
            self._out.sends.append((event, targets))

    def _end(self, code: int) -> None:
        """End the room, and close all connections."""
        if self.over:
            return
        self.freeze()
        self.ended = True
        self._pending.clear()
        self._acks.clear()
        self._out.closes += [(one, code) for one in self._subscribers.clear()]
