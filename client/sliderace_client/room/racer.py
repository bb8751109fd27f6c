"""The race as one member sees it: the own slides going out, all lanes coming in."""

from msgspec.structs import replace

from sliderace.engine import (
    Board,
    Direction,
    IllegalSlide,
    parse_board,
    progress_permille,
)
from sliderace.protocol import messages as m
from sliderace.protocol.names import clean_name
from sliderace_client.room.attempt import Attempt
from sliderace_client.room.lanes import Lane
from sliderace_client.room.outcomes import News
from sliderace_client.room.outputs import Forget, Level, Note, Out, Send
from sliderace_client.room.pacing import DEFAULT_LIMITS, Pace
from sliderace_client.room.view import View

__all__ = ["Racer"]

RESYNC_MS = 2_000
"""A lost answer to `resync` is asked for again after this."""
FINAL = frozenset({"done", "not_racing", "too_early", "too_many_tiles"})
"""Refusals of slides after which making the same ones again cannot help."""


class Racer(View):
    """A view that can slide and ask, and that folds the events of a race.

    Call `poll` after every other call and when `next_due` has come, and carry out what
    it says, in order.
    """

    def __init__(self) -> None:
        super().__init__()
        self._outs: list[Out] = []
        self._asked: dict[int | None, int] = {}
        self._pace = Pace(DEFAULT_LIMITS, 0)
        self._gather_until = 0
        self._gen = 0
        self._inspection = 0
        self._own_high = 0
        self._start_md = 0
        self._left = False

    # --- What the player does --------------------------------------------------------

    def slide(self, direction: Direction, count: int, now: int) -> bool:
        """Slide on the own board, at once.

        Returns:
            False, and nothing changed, where that is not legal or not possible now.
        """
        if not self.racing or not self.attempt:
            return False
        if not self.attempt.slide(direction, count, now):
            return False
        self._show_own()
        return True

    def slide_cell(self, cell: int, now: int) -> bool:
        """Slide the tile in `cell`, and all between it and the gap; as `slide`."""
        try:
            return self.board is not None and self.slide(
                *self.board.slide_of_cell(cell), now
            )
        except IllegalSlide:
            return False

    def slide_tile(self, tile: int, now: int) -> bool:
        """Slide `tile`, and all between it and the gap; as `slide`."""
        try:
            return self.board is not None and self.slide(
                *self.board.slide_of_tile(tile), now
            )
        except IllegalSlide:
            return False

    def painted(self, now: int) -> None:
        """The own board is on the screen: its clock counts from here."""
        if self.attempt:
            self.attempt.paint(now, self._inspection)

    def ask(self, command: m.Command, now: int) -> bool:
        """Send a command; slides made before it go first.

        Returns:
            False where we are not connected; nothing is sent then.
        """
        if not self.online:
            return False
        self._flush(now)
        self._pace.message(now)
        self._outs.append(Send(command))
        if isinstance(command, m.Forfeit):
            self.gave_up_at = now
        elif isinstance(command, m.Leave):
            self._left = True
            self._outs.append(Forget())
        return True

    def poll(self, now: int) -> list[Out]:
        """What to do now, in this order. Call it after every other call."""
        if self.online and (now >= self._gather_until or self.done):
            self._flush(now)
        outs, self._outs = self._outs, []
        return outs

    def next_due(self) -> int | None:
        """When `poll` must be called again; None: not before something happens."""
        return self._due() if self.online else None

    def _due(self) -> int | None:
        attempt = self.attempt
        if attempt is None or not attempt.unsent:
            return None
        free = self._pace.free_at(attempt.unsent[0])
        return free if self.done else max(free, self._gather_until)

    def _flush(self, now: int) -> None:
        """Send slides, as many as the limits allow."""
        attempt = self.attempt
        while attempt and (batch := self._pace.take(attempt.unsent, now)):
            seq = attempt.sent + 1
            attempt.sent += len(batch)
            self._gather_until = now + self._pace.limits.gather_ms
            self._outs.append(
                Send(m.Slides(attempt.race, self._gen, seq, batch, attempt.approx))
            )

    def _resync(self, seat: int | None, now: int) -> None:
        if now >= self._asked.get(seat, now):
            self._asked[seat] = now + RESYNC_MS
            self.ask(m.Resync(seat), now)

    def _note(self, news: News, level: Level = "info") -> None:
        self._outs.append(Note(news, level))

    # --- What the server says about the race -----------------------------------------

    def _begin_race(self, room: m.Room) -> None:
        """Another race is prepared: nothing of the last one holds any more.

        An attempt may be of the new race already: `welcome` comes before the snapshot.
        """
        attempt = self.attempt
        self._clear_race()
        if attempt is not None and attempt.race == room.race:
            self.attempt = attempt

    def _clear_race(self) -> None:
        self.lanes = {}
        self.start = self.t0 = self.attempt = self.gave_up_at = None
        self._own_high = 0

    def _race_view(self, view: m.RaceView, now: int) -> None:
        """A snapshot's race: the whole truth, beside our own later slides."""
        if view.start is not None:
            self._set_start(view.start)
        if view.elapsed_ms is not None:
            self.t0 = now - view.elapsed_ms
        self.lanes = {}
        for seat in view.roster:
            self._lane(seat)
        for told in view.lanes:
            lane = self._lane(told.seat)
            lane.seq, lane.high, lane.stm = told.seq, told.high, told.stm
            lane.status = told.status
            if told.board is not None:
                lane.board, lane.board_seq = parse_board(told.board), told.seq
        for standing in view.standings:
            self._told(standing)
        self._own_lane(view, now)

    def _own_lane(self, view: m.RaceView, now: int) -> None:
        lane = self.lane
        if lane is None or lane.board is None:
            return
        self._own_high = lane.high
        attempt = self.attempt
        if attempt is None:
            attempt = self.attempt = Attempt(
                view.id, lane.board, now, seq=lane.seq, stm=lane.stm, approx=True
            )
        else:
            attempt.reconcile(lane.seq, lane.board, lane.stm)
            attempt.count_from(lane.seq, lane.stm)
        attempt.over = lane.status != "racing"
        if attempt.approx:
            elapsed = view.elapsed_ms
            attempt.zero = self._unlocks(now) if elapsed is None else now - elapsed
        self._show_own()

    def _unlocks(self, now: int) -> int:
        """When a board that is shown and still locked will be unlocked."""
        rules = self.room.rules if self.room else None
        if rules is None or rules.time_limit_ms is None or self.phase_ends is None:
            return now
        return max(now, self.phase_ends - rules.time_limit_ms)

    def _set_start(self, text: str) -> None:
        self._start_md = parse_board(text).md
        self.start = text

    def _lane(self, seat: int) -> Lane:
        """The lane of a seat; a new one is named after the member who sits there."""
        lane = self.lanes.get(seat)
        if lane is None:
            lane = self.lanes[seat] = Lane(seat)
            for member in self.members.values():
                if member.seat == seat:
                    lane.member, lane.name, lane.bot = (
                        member.id,
                        member.name,
                        member.bot,
                    )
        return lane

    def _show_own(self) -> None:
        """Our own lane shows what we predict."""
        lane, attempt = self.lane, self.attempt
        if lane is None or attempt is None:
            return
        lane.board, lane.board_seq = attempt.board, attempt.seq
        lane.seq, lane.stm = attempt.seq, attempt.stm
        predicted = progress_permille(attempt.best_md, self._start_md)
        lane.high = max(self._own_high, predicted)

    def _step(self, step: m.SeatProgress, now: int) -> None:
        if step.seat == self.seat and self.attempt is not None:
            self._own_high = max(self._own_high, step.high)
        elif not self._lane(step.seat).step(step, self.start):
            self._resync(step.seat, now)

    def _board(self, event: m.BoardEvent, now: int) -> None:
        board = parse_board(event.board)
        if event.seat is None:
            self._revealed(event, board, now)
        elif event.seat == self.seat and self.attempt is not None:
            self.attempt.reconcile(event.seq, board)
            self._show_own()
        else:
            lane = self._lane(event.seat)
            lane.board, lane.board_seq = board, event.seq
        self._asked.pop(event.seat, None)

    def _revealed(self, event: m.BoardEvent, board: Board, now: int) -> None:
        """The start board of the race."""
        self._set_start(event.board)
        if self.sees_boards:
            for lane in self.lanes.values():
                if lane.board is None:
                    lane.board, lane.board_seq = board.copy(), 0
        if self.lane is None:
            return
        self._inspection = event.in_ms
        if self.attempt is None:
            self.attempt = Attempt(event.race, board, now + event.in_ms)
        elif event.in_ms and not self.attempt.slides:
            self.attempt.zero = now + event.in_ms
        self._show_own()

    def _rejected(self, event: m.Rejected) -> None:
        self._gen = event.gen
        attempt = self.attempt
        if attempt is None or event.race != attempt.race:
            return
        board = None if event.board is None else parse_board(event.board)
        agreed = board is None or attempt.after(event.seq) == board
        # An illegal slide from a board that both agree on would be refused for ever.
        replay = event.code not in FINAL and not (event.code == "illegal" and agreed)
        attempt.rewind(event.seq, board, replay=replay)
        self._show_own()

    def _standing(self, event: m.StandingEvent) -> None:
        if event.race == self.race:
            row = self._told(event.standing)
            level: Level = "good" if row.status == "finished" else "info"
            self._note(row, level)

    def _told(self, row: m.Standing) -> m.Standing:
        """Take the server's word on a racer; the same with a name fit to be shown."""
        row = replace(row, name=clean_name(row.name) or "?")
        self._lane(row.seat).told(row)
        if row.seat == self.seat:
            self._own_high = max(self._own_high, row.high)
            if self.attempt is not None:
                self.attempt.over = row.status != "racing"
            if row.status == "racing":
                self.gave_up_at = None
        return row
