"""Any history of a race: refusals change nothing, the log is the race, and it ends."""

from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from unittest import TestCase

from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)
from tests.race.track import RACE_ID, SECRET, solution

from sliderace.engine import Board, mtm, progress_permille, stm
from sliderace.race import decide
from sliderace.race.apply import apply, recovered
from sliderace.race.deadlines import may_race
from sliderace.race.decide import Decision
from sliderace.race.ranking import standings
from sliderace.race.record import Player, build
from sliderace.race.records import (
    DidNotFinish,
    Finished,
    Postponed,
    RaceAborted,
    RaceEnded,
    RaceRecord,
    Seat,
    Slid,
)
from sliderace.race.refusal import Refusal
from sliderace.race.rules import Rules
from sliderace.race.state import Race
from sliderace.race.timing import Line
from sliderace.race.verify import verify

SEATS = st.sampled_from([Seat(0), Seat(1), Seat(5), Seat(254)])
RULES = st.builds(
    Rules,
    size=st.sampled_from(["2x2", "3x2"]),
    countdown_ms=st.sampled_from([3_000, 5_000]),
    inspection_ms=st.sampled_from([0, 2_000]),
    limit_ms=st.sampled_from([-1, 10_000, 100_000]),
    grace_ms=st.sampled_from([-1, 0, 3_000]),
    away_ms=st.sampled_from([0, 5_000, 60_000]),
)
LINES = st.builds(
    Line,
    rtt_ms=st.integers(0, 300),
    jitter_ms=st.integers(0, 50),
    samples=st.integers(0, 8),
    outage_ms=st.sampled_from([0, 0, 900]),
)
STEPS = st.sampled_from(
    [0, 1, 50, 150, 1_000, 1_050, 1_200, 3_000, 9_999, 10_000, 60_000]
)


class RaceMachine(RuleBasedStateMachine):
    """One race under any commands at any time, with its log beside it."""

    @initialize(rules=RULES, known=st.booleans())
    def make(self, rules: Rules, known: bool) -> None:
        self.now = 1_000
        made = decide.make(RACE_ID, rules, SECRET, self.now, "ab" * 32 if known else "")
        self.race: Race = apply(None, made)
        self.log: list[RaceRecord | int] = [made]
        self.marks: dict[Seat, tuple[int, int, int, int]] = {}

    def do(self, decision: Decision, before: Race) -> None:
        """What was decided changed nothing yet; apply it."""
        assert self.race == before
        if isinstance(decision, Refusal):
            return
        for record in decision:
            assert record.race == RACE_ID
            assert record.t == self.now
            self.race = apply(self.race, record)
        self.log += decision

    def ask(self, decision_of: Callable[..., Decision], *args: object) -> None:
        before = deepcopy(self.race)
        self.do(decision_of(self.race, *args), before)

    # --- time ---

    @rule(step=STEPS)
    def wait(self, step: int) -> None:
        self.now += step

    @rule(step=STEPS)
    def tick(self, step: int) -> None:
        self.now += step
        held = self.now < self.race.hold_until
        before = deepcopy(self.race)
        records = decide.due(self.race, self.now)
        if held:
            assert all(isinstance(record, Postponed) for record in records)
        self.do(records, before)
        assert decide.due(self.race, self.now) == []
        if self.race.running:
            assert any(
                may_race(self.race, one, self.now)
                for one in self.race.attempts.values()
            )

    @rule()
    def to_the_next_deadline(self) -> None:
        deadline = decide.next_deadline(self.race)
        if deadline is not None:
            self.now = max(self.now, deadline)
            self.tick(0)

    @rule()
    def recover(self) -> None:
        self.log.append(self.now)
        recovered(self.race, self.now)

    # --- commands ---

    @rule()
    def begin(self) -> None:
        self.ask(decide.begin_countdown, self.now)

    @rule(seats=st.sets(SEATS), away=st.sets(SEATS), in_time=st.booleans())
    def lock(self, seats: set[Seat], away: set[Seat], in_time: bool) -> None:
        if in_time and self.race.phase == "lobby":
            self.begin()
        if in_time and self.race.phase == "countdown" and not self.race.locked:
            self.now = max(self.now, decide.next_deadline(self.race) or 0)
            self.tick(0)
        self.ask(decide.lock, seats, self.now, away)

    @rule()
    def postpone(self) -> None:
        self.ask(decide.postpone, self.now)

    @precondition(lambda self: self.now % 7 == 0)
    @rule(stop=st.booleans())
    def call_off(self, stop: bool) -> None:
        if stop:
            self.ask(decide.stop_countdown, "few", self.now)
        else:
            self.ask(decide.abort, self.now)

    @rule()
    def call_time(self) -> None:
        self.ask(decide.call_time, self.now)

    @rule(
        seat=SEATS,
        back=st.integers(-1, 3),
        count=st.integers(0, 30),
        wrong=st.sampled_from(["", "", "", "U", "D", "L", "R"]),
        approx=st.booleans(),
        line=LINES,
        stamp=st.integers(0, 20_000),
    )
    def slides(
        self,
        seat: Seat,
        back: int,
        count: int,
        wrong: str,
        approx: bool,
        line: Line,
        stamp: int,
    ) -> None:
        """On the way home, from `back` slides before, with a wrong one at the end."""
        if seat not in self.race.attempts:
            self.ask(decide.slides, seat, 1, [("L", 1, 0)], approx, self.now, line)
            return
        one = self.race.attempts[seat]
        way = solution(self.race.rules.size, one.board.tiles)[:count]
        made = [slide[:2] for slide in one.slides[max(0, one.seq - back) :]] * (
            back > 0
        )
        batch = [(d, k, stamp + n) for n, (d, k) in enumerate([*made, *way])]
        if wrong:
            batch.append((wrong, 1, stamp))
        seq = one.seq + 1 - (len(made) if back >= 0 else back)
        self.ask(decide.slides, seat, seq, batch, approx, self.now, line)

    @rule(seat=SEATS, undo=st.booleans())
    def forfeit(self, seat: Seat, undo: bool) -> None:
        self.ask(decide.undo_forfeit if undo else decide.forfeit, seat, self.now)

    @rule(seat=SEATS, back=st.booleans())
    def connection(self, seat: Seat, back: bool) -> None:
        self.ask(decide.returned if back else decide.went_away, seat, self.now)

    @rule(seat=SEATS, why=st.sampled_from(["left", "kicked"]))
    def leave(self, seat: Seat, why: str) -> None:
        self.ask(decide.leave, seat, why, self.now)

    # --- what always holds ---

    @invariant()
    def counts_are_those_of_the_slides(self) -> None:
        start = Board(self.race.size, self.race.board) if self.race.board else None
        for seat, one in self.race.attempts.items():
            assert start is not None
            board, made = start.copy(), [slide[:2] for slide in one.slides]
            high = 0
            for slide in made:
                assert not board.is_solved
                board.slide(*slide)
                high = max(high, progress_permille(board.md, start.md))
            assert board == one.board
            assert (one.stm, one.mtm, one.high) == (stm(made), mtm(made), high)
            assert board.is_solved == (one.status == "finished")
            marks = one.seq, one.stm, one.mtm, one.high
            before = self.marks.get(seat, (0, 0, 0, 0))
            assert all(now >= then for now, then in zip(marks, before, strict=True))
            self.marks[seat] = marks

    @invariant()
    def nothing_happens_to_a_seat_after_its_end(self) -> None:
        ends: Counter[Seat] = Counter()
        for record in self.log:
            match record:
                case Finished():
                    assert not ends[record.seat]
                    ends[record.seat] += 1
                case Slid() | DidNotFinish():
                    assert not ends[record.seat]
                case RaceEnded() | RaceAborted():
                    assert record is self.log[-1] or isinstance(self.log[-1], int)
                case _:
                    pass

    @invariant()
    def places_are_for_who_has_one(self) -> None:
        rows = standings(self.race)
        assert {row.seat for row in rows} == set(self.race.attempts)
        for row in rows:
            assert (row.place is None) == (row.status in ("racing", "dns"))
            assert (row.time_ms is None) == (row.status != "finished")

    def teardown(self) -> None:
        if not hasattr(self, "race"):
            return
        self.the_log_is_the_race()
        self.it_ends()
        self.the_log_is_the_race()
        if self.race.phase == "results":
            self.the_record_is_right()

    def the_log_is_the_race(self) -> None:
        race: Race | None = None
        for record in deepcopy(self.log):
            if isinstance(record, int):
                assert race is not None
                recovered(race, record)
            else:
                race = apply(race, record)
        assert race == self.race

    def it_ends(self) -> None:
        """Once locked, every race ends by its deadlines alone, and soon."""
        for _ in range(20):
            if (deadline := decide.next_deadline(self.race)) is None:
                break
            self.now = max(self.now, deadline)
            if decide.lock_due(self.race, self.now):
                self.ask(decide.lock, [Seat(0), Seat(1)], self.now)
            self.tick(0)
        assert self.race.phase in ("lobby", "results", "aborted")
        if self.race.phase == "results":
            statuses = {one.status for one in self.race.attempts.values()}
            assert statuses <= {"finished", "dnf", "forfeited", "dns"}

    def the_record_is_right(self) -> None:
        players = {seat: Player("Ann") for seat in self.race.attempts}
        record = build(self.race, players, started_ms=0, software="test")
        assert all(check.verdict != "not ok" for check in verify(record))


TestRace: type[TestCase] = RaceMachine.TestCase  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
