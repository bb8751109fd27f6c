"""Apply the server's events to a member's view of the room.

- The *stream* (members, room, phases, standings, results) is numbered. Only the next
  number is taken. After a gap, or in a new epoch, the stream is ignored until a
  snapshot replaces everything.
- *Progress* has no number and is provisional. If slides do not follow from our copy of
  a board, we request that board.
- What the server states about our own board corrects our attempt (see `attempt`); its
  later slides stand where both agree.
- A snapshot replaces everything, except our own slides that the server has not seen.
- Names are cleaned on arrival, as the server may be hostile.
"""

from typing import assert_never

from msgspec.structs import replace

from sliderace.engine import Board, parse_board
from sliderace.protocol import messages as m
from sliderace.protocol.limits import REACTION_MS, REACTIONS
from sliderace.protocol.names import clean_name
from sliderace_client.room.attempt import Attempt
from sliderace_client.room.entry import Entry
from sliderace_client.room.fair_play import FairPlay
from sliderace_client.room.outcomes import (
    End,
    HostChanged,
    LockChanged,
    MemberGone,
    Notice,
    PhaseChanged,
    Reaction,
    Renamed,
    SeriesWon,
    SizeChanged,
    Won,
)
from sliderace_client.room.outputs import Forget, Level, Outputs
from sliderace_client.room.server_bots import is_served
from sliderace_client.room.view import RoomView

__all__ = ["Fold"]

AS_GUEST = {
    "profile_unknown": Notice.PROFILE_UNKNOWN,
    "storage_unavailable": Notice.PROFILE_UNAVAILABLE,
}
"""Refusals of the field `profile` of a hello that let us in as a guest."""
FINAL = frozenset({"done", "not_racing", "too_early", "too_many_tiles"})
"""Rejections after which making the same slides again cannot help."""

Streamed = (
    m.MemberEvent
    | m.Gone
    | m.RoomEvent
    | m.PhaseEvent
    | m.RosterEvent
    | m.StandingEvent
    | m.WinnerEvent
    | m.Results
    | m.Closed
)


class Fold:
    """Applies events to the view.

    Args:
        view: the room; changed by every event.
        entry: our position in the stream.
        outputs: where requests and announcements go.
        fair_play: takes what concerns the draw and the results.

    Attributes:
        inspection_ms: how long the board of this race stays locked after its paint.
    """

    def __init__(
        self, view: RoomView, entry: Entry, outputs: Outputs, fair_play: FairPlay
    ) -> None:
        self._view = view
        self._entry = entry
        self._outputs = outputs
        self._fair_play = fair_play
        self.inspection_ms = 0

    def receive(self, event: m.Event, now: int) -> None:
        """Apply one event.

        Raises:
            EngineError: the server sent an impossible board.
        """
        view = self._view
        match event:
            case m.Welcome():
                self._welcome(event, now)
            case m.Opened():
                view.link, view.code, view.ended = event.link, event.code, End.OPENED
            case m.Snapshot():
                self._snapshot(event, now)
            case m.Progress():
                if event.race == view.race:
                    for step in event.p:
                        self._step(step, now)
            case m.BoardEvent():
                if event.race == view.race:
                    self._board(event, now)
            case m.Ack():
                if view.attempt and event.race == view.attempt.race:
                    view.attempt.ack(event.seq)
                    self._outputs.liveness.acked()
            case m.Rejected():
                self._rejected(event)
            case m.Refused():
                self._refused(event)
            case m.LatencyEvent():
                view.latencies |= {one.member: one for one in event.lines}
            case m.Signals():
                view.signals = event
            case m.Reacted():
                self._reacted(event, now)
            case m.SeriesEvent():
                self._series(_clean_table(event.table))
            case m.Pong():
                self._outputs.liveness.answered(now)
            case m.Gains():
                self._gains(event)
            case m.Ticket() | m.Rooms() | m.MeEvent() | m.HistoryEvent():
                pass  # of connections that are in no room
            case m.Closed(why="host_ended"):
                view.host_ended = True
                self._outputs.note(Notice.HOST_ENDED, "bad")
            case _:
                if self._entry.takes(event.o, now):
                    self._streamed(event, now)

    def _streamed(self, event: Streamed, now: int) -> None:
        match event:
            case m.MemberEvent():
                self._member(event)
            case m.Gone():
                self._gone(event)
            case m.RoomEvent():
                self._room_changed(event)
            case m.PhaseEvent():
                self._phase_changed(event, now)
            case m.RosterEvent():
                self._note_left_out(event)
                if event.race == self._view.race:
                    self._roster(event.roster, event.nonce_commitments, now)
            case m.StandingEvent():
                self._standing_changed(event)
            case m.WinnerEvent():
                self._won(event)
            case m.Results():
                self._outputs.note(PhaseChanged("results"))
                self._set_phase("results", None, now)
                self._results(event)
            case m.Closed():
                self._closed(event)
            case _:
                assert_never(event)

    # --- Entering ---------------------------------------------------------------------

    def _welcome(self, event: m.Welcome, now: int) -> None:
        view = self._view
        if view.welcomed and not view.online and not self._entry.renews:
            self._outputs.note(Notice.RECONNECTED, "good")
        view.welcomed = view.online = True
        view.host_ended = False
        view.me, view.seat, view.code = event.member, event.seat, event.code
        view.latencies, view.features = {}, frozenset(event.features)
        view.profile = event.profile
        self._entry.welcomed(event)
        self._outputs.connected(event.limits, event.gen, now)
        self._resume_attempt(event, now)

    def _resume_attempt(self, event: m.Welcome, now: int) -> None:
        view = self._view
        attempt = view.attempt
        if event.board is None:
            if attempt is not None:
                attempt.over = True
                if attempt.race == event.race:
                    attempt.ack(event.seq)  # its own ack may have been lost
            return
        board = parse_board(event.board)
        if attempt is None or attempt.race != event.race:
            view.attempt = Attempt(event.race, board, now, seq=event.seq, approx=True)
            self._outputs.resync(None, now)
            return
        attempt.reconcile(event.seq, board)
        attempt.resend(event.seq)
        view.show_own()

    def _gains(self, event: m.Gains) -> None:
        self._view.gains = event
        if event.bests or event.streak or not event.counts:
            self._outputs.note(event, "good" if event.bests else "info")

    def _refused(self, event: m.Refused) -> None:
        if event.field == "profile" and event.code in AS_GUEST:
            self._outputs.note(AS_GUEST[event.code], "bad")
            return  # the answer to the hello follows
        if not self._view.online:
            self._entry.refused(event)
            return
        if self._fair_play.refused(event) or event.of == "input":
            return  # the slides may have ended the race before it was read
        if event.of == "forfeit":
            self._view.forfeited_at = None
        self._outputs.note(event, "bad")

    def _closed(self, event: m.Closed) -> None:
        view = self._view
        view.phase = "closed"
        ended = End.CLOSED_BY_HOST if event.why == "host" else End.CLOSED_EMPTY
        view.ended = ended
        self._outputs.put(Forget())
        self._outputs.note(ended, "bad")

    # --- The room ---------------------------------------------------------------------

    def _snapshot(self, event: m.Snapshot, now: int) -> None:
        view = self._view
        missed_end = view.in_race and view.race == event.race.id
        self._entry.snapshot(event.epoch, event.o)
        self._outputs.all_answered()
        self._set_room(event.room)
        view.members = {member.id: _clean(member) for member in event.members}
        if view.myself is not None:
            view.seat = view.myself.seat
        self._set_phase(event.phase, event.in_ms, now)
        self._race_view(event.race, now)
        view.series = event.series and _clean_table(event.series)
        if event.results is not None:
            if missed_end:
                self._outputs.note(PhaseChanged("results"))
            self._results(event.results)

    def _set_room(self, room: m.Room) -> None:
        """Take the room's facts; another race means that the last one is over."""
        view = self._view
        if room.race != view.race:
            attempt = view.attempt
            view.clear_race()
            if attempt is not None and attempt.race == room.race:
                view.attempt = attempt  # `welcome` comes before the snapshot
            self._fair_play.begin_race(room)
        view.room = room

    def _room_changed(self, event: m.RoomEvent) -> None:
        view = self._view
        if event.room.race != view.race:
            by_clock = event.room.rules.start == "every"
            stay = by_clock and view.phase in ("lobby", "results")
            view.phase, view.phase_why, view.phase_ends = "lobby", "", None
            for member in view.members.values():
                ready = stay and member.ready
                view.members[member.id] = replace(member, ready=ready)
        self._set_room(event.room)
        if event.why == "host" and view.host_name:
            self._outputs.note(HostChanged(view.host_name))
        elif event.why == "lock":
            self._outputs.note(LockChanged(event.room.locked))
        elif event.why == "settings":
            self._outputs.note(SizeChanged(event.room.rules.size))

    def _member(self, event: m.MemberEvent) -> None:
        event = replace(event, member=_clean(event.member))
        before = self._view.members.get(event.member.id, event.member)
        self._view.members[event.member.id] = event.member
        if event.member.id == self._view.me:
            self._view.seat = event.member.seat
        if event.member.seat is None:  # only that of players is measured
            self._view.latencies.pop(event.member.id, None)
        if event.why == "renamed":
            self._outputs.note(Renamed(before.name, event.member.name))
        elif event.why == "joined" or not is_served(event.member):
            self._outputs.note(event)

    def _reacted(self, event: m.Reacted, now: int) -> None:
        view, member = self._view, self._view.members.get(event.member)
        if member is not None and 1 <= event.id <= REACTIONS:
            view.reactions[member.id] = event.id, now + REACTION_MS
            if member.id not in view.ignored:
                self._outputs.note(Reaction(member.id, member.name, event.id))

    def _gone(self, event: m.Gone) -> None:
        view = self._view
        member = view.members.pop(event.member, None)
        view.latencies.pop(event.member, None)
        view.reactions.pop(event.member, None)
        view.ignored.discard(event.member)
        if member is None:
            return
        self._outputs.note(MemberGone(member.name, event.why))
        if event.member == view.me:
            view.ended = End(event.why)
            self._outputs.put(Forget())

    # --- Phases -----------------------------------------------------------------------

    def _phase_changed(self, event: m.PhaseEvent, now: int) -> None:
        view = self._view
        self._note_left_out(event)
        if event.phase != view.phase:
            left_out = event.phase == "racing" and view.left_out == event.race
            moved = PhaseChanged(event.phase, event.in_ms)
            self._outputs.note(Notice.LEFT_OUT if left_out else moved)
        self._set_phase(event.phase, event.in_ms, now)
        view.phase_why = event.why
        for seat in event.roster:
            view.lane_of(seat)
        if event.phase == "racing" and view.start is None:
            self._outputs.resync(None, now)  # we were away when the board was shown

    def _note_left_out(self, event: m.PhaseEvent | m.RosterEvent) -> None:
        """Note whether this race begins without us, although we are a player."""
        view = self._view
        if event.roster and view.may_race:
            view.left_out = "" if view.seat in event.roster else event.race

    def _set_phase(self, phase: m.PhaseName, in_ms: int | None, now: int) -> None:
        view = self._view
        view.phase = phase
        view.phase_ends = None if in_ms is None else now + in_ms
        if view.in_race:
            view.forget_results()  # a restored server may race on after we saw the end
        if phase == "racing" and view.t0 is None:
            view.t0 = now
        elif phase in ("lobby", "aborted"):
            view.clear_race()

    # --- The race ---------------------------------------------------------------------

    def _roster(
        self, roster: list[int], commitments: list[str | None], now: int
    ) -> None:
        for seat in roster:
            self._view.lane_of(seat)
        self._fair_play.list_roster(roster, commitments, now)

    def _race_view(self, race: m.RaceView, now: int) -> None:
        """Take a snapshot's race."""
        view = self._view
        if race.start is not None:
            view.set_start(race.start)
        if race.elapsed_ms is not None:
            view.t0 = now - race.elapsed_ms
        view.lanes = {}
        for seat in race.roster:
            view.lane_of(seat)
        for known in race.lanes:
            lane = view.lane_of(known.seat)
            lane.seq, lane.high, lane.stm = known.seq, known.high, known.stm
            lane.status = known.status
            if known.board is not None:
                lane.see(parse_board(known.board), known.seq)
        for standing in race.standings:
            self._standing(standing)
        self._own_lane(race, now)
        self._roster(race.roster, race.nonce_commitments, now)

    def _own_lane(self, race: m.RaceView, now: int) -> None:
        """Apply a snapshot to our own attempt."""
        view = self._view
        lane = view.lane
        if lane is None or lane.board is None:
            return
        view.own_high = lane.high
        attempt = view.attempt
        if attempt is None:
            attempt = view.attempt = Attempt(
                race.id, lane.board, now, seq=lane.seq, stm=lane.stm, approx=True
            )
        else:
            attempt.reconcile(lane.seq, lane.board, lane.stm)
            attempt.count_from(lane.seq, lane.stm)
        attempt.over = lane.status != "racing"
        if attempt.approx:
            elapsed = race.elapsed_ms
            attempt.zero = self._unlocks(now) if elapsed is None else now - elapsed
        view.show_own()

    def _unlocks(self, now: int) -> int:
        """Return when a board that is shown and still locked will be unlocked."""
        view = self._view
        rules = view.room.rules if view.room else None
        if rules is None or rules.time_limit_ms is None or view.phase_ends is None:
            return now
        return max(now, view.phase_ends - rules.time_limit_ms)

    def _step(self, step: m.SeatProgress, now: int) -> None:
        view = self._view
        if step.seat == view.seat and view.attempt is not None:
            view.own_high = max(view.own_high, step.high)
        elif not view.lane_of(step.seat).step(step, view.start):
            self._outputs.resync(step.seat, now)

    def _board(self, event: m.BoardEvent, now: int) -> None:
        view, board = self._view, parse_board(event.board)
        if event.seat is None:
            self._reveal(event, board, now)
        elif event.seat == view.seat and view.attempt is not None:
            view.attempt.reconcile(event.seq, board)
            view.show_own()
        else:
            view.lane_of(event.seat).see(board, event.seq)
        self._outputs.answered(event.seat)

    def _reveal(self, event: m.BoardEvent, board: Board, now: int) -> None:
        """Take the start board of the race."""
        view = self._view
        view.set_start(event.board)
        if view.sees_boards:
            for lane in view.lanes.values():
                if lane.board is None:
                    lane.see(board.copy(), 0)
        if view.lane is None:
            return
        self.inspection_ms = event.in_ms
        if view.attempt is None:
            view.attempt = Attempt(event.race, board, now + event.in_ms)
        elif event.in_ms and not view.attempt.slides:
            view.attempt.zero = now + event.in_ms
        view.show_own()

    def _rejected(self, event: m.Rejected) -> None:
        self._outputs.gen = event.gen
        self._outputs.liveness.acked()
        attempt = self._view.attempt
        if attempt is None or event.race != attempt.race:
            return
        board = None if event.board is None else parse_board(event.board)
        agreed = board is None or attempt.after(event.seq) == board
        # An illegal slide from a board that both agree on would be rejected for ever.
        replay = event.code not in FINAL and not (event.code == "illegal" and agreed)
        attempt.rewind(event.seq, board, replay=replay)
        self._view.show_own()

    # --- Standings and results --------------------------------------------------------

    def _standing_changed(self, event: m.StandingEvent) -> None:
        if event.race == self._view.race:
            row = self._standing(event.standing)
            level: Level = "good" if row.status == "finished" else "info"
            self._outputs.note(row, level)

    def _standing(self, row: m.Standing) -> m.Standing:
        """Apply a racer's standing; return it with a clean name."""
        view = self._view
        row = replace(row, name=clean_name(row.name) or "?")
        view.lane_of(row.seat).apply(row)
        if row.seat == view.seat:
            view.own_high = max(view.own_high, row.high)
            if view.attempt is not None:
                view.attempt.over = row.status != "racing"
            if row.status == "racing":
                view.forfeited_at = None
        return row

    def _won(self, event: m.WinnerEvent) -> None:
        """Note that the first place is final."""
        if event.race != self._view.race:
            return
        lanes = [self._view.lane_of(seat) for seat in event.seats]
        for lane in lanes:
            if lane.standing is not None:
                lane.standing = replace(lane.standing, final=True)
        if lanes:
            self._outputs.note(Won(tuple(lane.name for lane in lanes)), "good")

    def _results(self, event: m.Results) -> None:
        view = self._view
        if event.race != self._fair_play.race:
            return
        rows = [self._standing(row) for row in event.standings]
        again = view.results is not None and view.results.race == event.race
        view.results = replace(event, standings=rows)
        view.late_ms = view.lateness()
        if not again:
            self._fair_play.check(event)

    def _series(self, table: m.SeriesTable) -> None:
        """Take the table of the series; say when somebody has won it."""
        before, self._view.series = self._view.series, table
        names = [row.name for row in table.rows if row.place == 1 and not row.bot]
        if table.over and names and not (before and before == table):
            self._outputs.note(SeriesWon(tuple(names)), "good")


def _clean_table(table: m.SeriesTable) -> m.SeriesTable:
    """Return a table whose names are safe to show."""
    rows = [replace(row, name=clean_name(row.name) or "?") for row in table.rows]
    return replace(table, rows=rows)


def _clean(member: m.Member) -> m.Member:
    """Return a member whose name is safe to show."""
    return replace(member, name=clean_name(member.name) or "?")
