"""Any history of a race: refusals change nothing, the log gives the race, it ends."""

# Hypothesis does not type its settings and test cases.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from typing import NamedTuple

import pytest
from hypothesis import settings, strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)
from tests.race.sample import sealed, toy_check
from tests.race.track import RACE_ID, SECRET, shortest

from sliderace.engine import Board, mtm, nonce_commitment, progress_permille, stm
from sliderace.proof.record import Player, build
from sliderace.proof.verify import verify
from sliderace.race import decide
from sliderace.race.apply import apply, recovered, stalled
from sliderace.race.deadlines import may_still_race
from sliderace.race.decide import Decision
from sliderace.race.log_records import (
    DidNotFinish,
    Finished,
    GraceBegan,
    Postponed,
    RaceAborted,
    RaceEnded,
    RaceRecord,
    RaceStarted,
    Seat,
    Slid,
    WinnerKnown,
)
from sliderace.race.ranking import standings
from sliderace.race.refusal import Refusal
from sliderace.race.rules import Rules
from sliderace.race.state import Race
from sliderace.race.timing import Latency

SEAT_LIST = [Seat(0), Seat(1), Seat(5), Seat(254)]
SEATS = st.sampled_from(SEAT_LIST)
NONCES = {seat: bytes([seat]) * 16 for seat in SEAT_LIST}
ROSTERS = st.sets(SEATS, min_size=1, max_size=3)
RARELY = st.sampled_from([False] * 5 + [True])
"""The probability of steps that would end most histories too early."""
OFTEN = RARELY.map(lambda rarely: not rarely)
RULES = st.builds(
    Rules,
    size=st.sampled_from(["2x2", "3x2"]),
    countdown_ms=st.sampled_from([3_000, 5_000]),
    inspection_ms=st.sampled_from([0, 2_000]),
    limit_ms=st.sampled_from([-1, 10_000, 100_000]),
    grace_ms=st.sampled_from([-1, 0, 3_000]),
    away_ms=st.sampled_from([0, 5_000, 60_000]),
    friendly_timing=st.booleans(),
)
LATENCIES = st.builds(
    Latency,
    rtt_ms=st.integers(0, 300),
    jitter_ms=st.integers(0, 50),
    samples=st.integers(0, 8),
    outage_ms=st.sampled_from([0, 0, 900]),
)
STEPS = st.sampled_from([0, 0, 1, 50, 150, 400, 1_050, 1_200, 3_000])


class ServerFailure(NamedTuple):
    """An outage of the server: its last record, and its recovery."""

    down: int
    until: int
    stall: bool = False


class RaceMachine(RuleBasedStateMachine):
    """Races under any commands at any time, with their logs.

    There are few rules with many outcomes each: Hypothesis omits rules at random, and a
    history without time or slides would test little.
    """

    now = 1_000

    @initialize(rules=RULES, known=st.booleans(), seats=ROSTERS, go=OFTEN)
    def create_race(
        self, rules: Rules, known: bool, seats: set[Seat], go: bool
    ) -> None:
        made = decide.create_race(
            RACE_ID, rules, SECRET, self.now, "ab" * 32 if known else ""
        )
        self.race: Race = apply(None, made)
        self.log: list[RaceRecord | ServerFailure] = [made]
        self.marks: dict[Seat, tuple[int, int, int, int]] = {}
        self.final: dict[Seat, tuple[str, str]] = {}
        if go:
            self.start(seats, set())
            self.to_the_next_deadline()

    @precondition(lambda self: self.race.phase in ("results", "aborted"))
    @rule(rules=RULES, known=st.booleans(), seats=ROSTERS, go=OFTEN)
    def create_next_race(
        self, rules: Rules, known: bool, seats: set[Seat], go: bool
    ) -> None:
        self.check_history()
        self.create_race(rules, known, seats, go)

    def do(self, decision: Decision, before: Race) -> None:
        """Assert that deciding changed nothing, and apply the decision."""
        assert self.race == before
        if isinstance(decision, Refusal):
            return
        for record in decision:
            assert record.race == RACE_ID
            assert record.t == self.now
            self.race = apply(self.race, record)
        self.log += decision

    def ask(self, decision_of: Callable[..., Decision], *args: object) -> Decision:
        before = deepcopy(self.race)
        decision = decision_of(self.race, *args)
        self.do(decision, before)
        return decision

    def tick(self) -> None:
        """Fire the deadlines."""
        on_hold = self.now < self.race.hold_until
        before = deepcopy(self.race)
        records = decide.fire_deadlines(self.race, self.now)
        if on_hold:
            early = Postponed | RaceAborted | RaceStarted | WinnerKnown
            assert all(isinstance(one, early) for one in records)
        self.do(records, before)
        assert decide.fire_deadlines(self.race, self.now) == []
        if self.race.running:
            assert any(
                may_still_race(self.race, one, self.now)
                for one in self.race.attempts.values()
            )

    def to_the_next_deadline(self) -> None:
        deadline = decide.next_deadline(self.race)
        if deadline is not None:
            self.now = max(self.now, deadline)
            self.tick()

    def start(self, seats: set[Seat], away: set[Seat]) -> None:
        """Freeze and draw when they are due, from the lobby if necessary."""
        if self.race.phase == "lobby":
            self.ask(decide.begin_countdown, self.now)
        while not (self.race.frozen or decide.freeze_due(self.race, self.now)):
            self.to_the_next_deadline()
        self.ask(decide.freeze_roster, self.commitments(seats), self.now)
        for seat in seats - away:
            self.ask(decide.reveal_nonce, seat, NONCES[seat].hex(), self.now)
        while not (self.race.drawn or decide.draw_due(self.race, self.now)):
            self.to_the_next_deadline()
        self.draw(away, set())

    def commitments(self, seats: set[Seat]) -> dict[Seat, str]:
        """Let even seats commit to their nonce."""
        return {
            seat: "" if seat % 2 else nonce_commitment(RACE_ID, seat, NONCES[seat])
            for seat in seats
        }

    def draw(self, away: set[Seat], gone: set[Seat]) -> None:
        before = deepcopy(self.race)
        latencies = {seat: Latency(rtt_ms=40 * seat, samples=9) for seat in SEAT_LIST}
        self.do(
            decide.draw_board(
                self.race,
                latencies,
                self.now,
                away=away,
                gone=dict.fromkeys(gone, "left"),
            ),
            before,
        )

    @rule(step=STEPS, late=RARELY, jump=RARELY)
    def time_passes(self, step: int, late: bool, jump: bool) -> None:
        """Advance time; with a late timer a command precedes the deadlines."""
        self.now += step
        if jump:
            self.to_the_next_deadline()
        elif not late:
            self.tick()

    @rule(
        what=st.sampled_from(
            ["begin", "stop", "start", "start", "freeze", "nonce", "draw", "postpone"]
        ),
        seats=ROSTERS | st.just(set[Seat]()),
        away=st.sets(SEATS),
    )
    def before_the_race(self, what: str, seats: set[Seat], away: set[Seat]) -> None:
        early = self.race.phase in ("lobby", "countdown")
        before = len(self.log)
        match what:
            case "begin":
                self.ask(decide.begin_countdown, self.now)
            case "stop":
                self.ask(decide.stop_countdown, "few", self.now)
            case "start" if early and not self.race.drawn and seats:
                self.start(seats, away)
            case "nonce":
                for seat in seats:
                    self.ask(decide.reveal_nonce, seat, NONCES[seat].hex(), self.now)
            case "draw":
                away &= {*self.race.roster}
                self.draw(away, away & seats)
            case "postpone":
                self.ask(decide.postpone, self.now)
            case _:
                self.ask(decide.freeze_roster, self.commitments(seats), self.now)
        assert early or len(self.log) == before

    @rule(
        what=st.sampled_from(["abort", "call_time", "call_time", "recover", "stall"]),
        yes=RARELY,
        step=STEPS,
    )
    def at_any_time(self, what: str, yes: bool, step: int) -> None:
        if not yes:
            return
        match what:
            case "abort":
                self.ask(decide.abort, self.now)
            case "call_time":
                self.ask(decide.call_time, self.now)
            case "stall":
                down, self.now = self.now, self.now + 10 * step
                self.log.append(ServerFailure(down, self.now, stall=True))
                stalled(self.race, down, self.now)
                self.tick()
            case _:
                last = self.log[-1]
                down = last.until if isinstance(last, ServerFailure) else last.t
                self.log.append(ServerFailure(down, self.now))
                recovered(self.race, down, self.now)

    @rule(
        seat=SEATS,
        what=st.sampled_from(
            ["forfeit", "undo", "undo", "away", "away", "back", "back", "leave"]
        ),
    )
    def one_seat(self, seat: Seat, what: str) -> None:
        match what:
            case "forfeit":
                self.ask(decide.forfeit, seat, self.now)
            case "undo":
                self.ask(decide.undo_forfeit, seat, self.now)
            case "away":
                self.ask(decide.disconnected, seat, self.now)
            case "back":
                self.ask(decide.reconnected, seat, self.now)
            case _:
                self.ask(decide.leave, seat, "left", self.now)

    @precondition(lambda self: self.race.drawn)
    @rule(
        who=st.integers(0, 2),
        back=st.integers(-1, 3),
        count=st.sampled_from([0, 1, 2, 5, 30]),
        wrong=st.sampled_from(["", "", "", "U", "D", "L", "R"]),
        approx=RARELY,
        latency=LATENCIES,
        stamp=st.integers(0, 20_000),
    )
    def slides(
        self,
        who: int,
        back: int,
        count: int,
        wrong: str,
        approx: bool,
        latency: Latency,
        stamp: int,
    ) -> None:
        """Send slides of a solution, from `back` slides ago, perhaps a wrong one."""
        seat = self.race.roster[who % len(self.race.roster)]
        one = self.race.attempts[seat]
        if one.away_since is not None:  # without a connection nothing is sent
            self.ask(decide.reconnected, seat, self.now)
        path = shortest(self.race.rules.size, one.board.tiles)[:count]
        made = [slide[:2] for slide in one.slides[max(0, one.seq - back) :]] * (
            back > 0
        )
        batch = [(d, k, stamp + n) for n, (d, k) in enumerate([*made, *path])]
        if wrong:
            batch.append((wrong, 1, stamp))
        seq = one.seq + 1 - (len(made) if back >= 0 else back)
        last, logged = one.seq, len(self.log)
        answer = self.ask(
            decide.slides, seat, seq, batch, approx, self.now, lambda: latency
        )
        if isinstance(answer, Refusal) and not wrong and back >= 0:
            assert answer.code not in ("gap", "illegal")
        for record in self.log[logged:]:
            if isinstance(record, Slid):
                assert record.slides
                at = record.seq - seq
                assert record.seq == last + 1
                assert at >= 0
                assert [*record.slides] == batch[at : at + len(record.slides)]

    # --- invariants ---

    @invariant()
    def counts_match_the_slides(self) -> None:
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
    def racers_who_are_out_stay_out(self) -> None:
        for seat, one in self.race.attempts.items():
            final = self.final.get(seat)
            assert final in (None, (one.status, one.why))
            if one.status == "finished" or one.why not in ("", "away"):
                self.final[seat] = one.status, one.why
            if one.approx and one.finish:
                assert one.finish.e is None

    @invariant()
    def running_race_has_racers(self) -> None:
        states = {one.status for one in self.race.attempts.values()}
        assert not self.race.running or states & {"racing", "forfeited"}

    @invariant()
    def seat_is_final_after_its_end(self) -> None:
        ends: Counter[Seat] = Counter()
        for record in self.log:
            match record:
                case Finished():
                    assert not ends[record.seat]
                    ends[record.seat] += 1
                case Slid() | DidNotFinish():
                    assert not ends[record.seat]
                case RaceEnded() | RaceAborted():
                    assert record is self.log[-1] or isinstance(
                        self.log[-1], ServerFailure
                    )
                case _:
                    pass
        assert sum(isinstance(record, GraceBegan) for record in self.log) <= 1

    @invariant()
    def rows_have_places_and_times_by_status(self) -> None:
        rows = standings(self.race)
        assert {row.seat for row in rows} == set(self.race.attempts)
        for row in rows:
            assert (row.place is None) == (row.status in ("racing", "dns"))
            assert (row.time_ms is None) == (row.status != "finished")

    def teardown(self) -> None:
        if hasattr(self, "race"):
            self.check_history()

    def check_history(self) -> None:
        self.check_replay()
        self.check_end()
        self.check_replay()
        if self.race.phase == "results":
            self.check_record()

    def check_replay(self) -> None:
        race: Race | None = None
        for record in deepcopy(self.log):
            if isinstance(record, ServerFailure):
                assert race is not None
                note = stalled if record.stall else recovered
                note(race, record.down, record.until)
            else:
                race = apply(race, record)
        assert race == self.race

    def check_end(self) -> None:
        """Assert that deadlines alone end every race, and soon."""
        for _ in range(20):
            if (deadline := decide.next_deadline(self.race)) is None:
                break
            self.now = max(self.now, deadline)
            if decide.freeze_due(self.race, self.now):
                self.ask(
                    decide.freeze_roster, self.commitments({Seat(0), Seat(1)}), self.now
                )
            if decide.draw_due(self.race, self.now):
                self.draw(set(), set())
            self.tick()
        assert self.race.phase in ("lobby", "results", "aborted")
        if self.race.phase == "results":
            statuses = {one.status for one in self.race.attempts.values()}
            assert statuses <= {"finished", "dnf", "forfeited", "dns"}

    def check_record(self) -> None:
        players = {seat: Player("Ann") for seat in self.race.attempts}
        record = build(self.race, players, started_ms=0, software="test")
        checks = verify(sealed(record), toy_check)
        assert all(check.verdict != "wrong" for check in checks)


# With fewer histories, repeated slides are too rare to find wrong rules.
EXAMPLES = max(200, settings().max_examples)
RaceMachine.TestCase.settings = settings(max_examples=EXAMPLES)
TestRace = pytest.mark.timeout(900)(RaceMachine.TestCase)
