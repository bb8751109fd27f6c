"""Roster, nonces, draw and reveal of the board."""

from tests.server.room_fixture import RoomHarness

from sliderace.engine import nonce_commitment, seed_of
from sliderace.protocol import messages as m
from sliderace.race.log_records import Seat
from sliderace.race.refusal import Refusal
from sliderace.race.timing import Latency
from sliderace_server import room
from sliderace_server.room import Disconnect, LockNotDurable, lock_check_at
from sliderace_server.room.log_records import NonceCommitted
from sliderace_server.room.member_commands import MAX_NONCES

LIMITS = m.Limits(60, 120, 160, 320, 60, 33, 2048)


def harness_with(*names: str, **patch: object) -> RoomHarness:
    harness = RoomHarness(m.RulesPatch(size="2x2", **patch))  # type: ignore[arg-type]
    for name in names:
        harness.enter(name)
    return harness


def frozen_roster(*names: str, **patch: object) -> RoomHarness:
    """Make a room whose roster has just been frozen, with all nonces committed."""
    harness = harness_with(*names, **patch)
    harness.ready(*harness.state.members)
    if harness.phase() == "lobby":
        harness.ask(1, m.Start(harness.race))
    harness.to_deadline()
    assert harness.state.race.frozen
    return harness


def test_a_roster_not_durable_in_time_postpones_the_start() -> None:
    harness = harness_with("Ann")
    harness.ready(1)
    harness.ask(1, m.Start(harness.race))
    harness.to_deadline()
    check = harness.state.race.t0 - 800
    assert lock_check_at(harness.state) == check
    harness.now = check
    harness.do(LockNotDurable())
    assert harness.state.race.t0 == check + 1_200
    harness.reveal_nonces(1)
    assert harness.state.race.drawn


def test_the_roster_event_contains_the_nonce_commitments() -> None:
    harness = frozen_roster("Ann", "Ben")
    sent = harness.events[-1]
    committed = [
        nonce_commitment(harness.race, n, harness.nonce(n + 1)) for n in (0, 1)
    ]
    assert sent == m.RosterEvent(
        harness.state.offset, harness.race, [0, 1], [*committed]
    )
    view = harness.snapshot(1).race
    assert (view.roster, view.nonce_commitments) == ([0, 1], committed)
    assert not harness.state.race.drawn


def test_the_board_is_drawn_when_the_last_nonce_arrives() -> None:
    harness = frozen_roster("Ann", "Ben")
    harness.now += 90
    harness.reveal_nonces(2)
    harness.reveal_nonces(2)
    before = harness.state.race.drawn
    harness.reveal_nonces(1)
    assert (before, harness.state.race.drawn) == (False, True)
    nonces = [(n, harness.nonce(n + 1)) for n in (0, 1)]
    race = harness.state.race
    seed = seed_of(race.id, race.size, bytes.fromhex(race.secret), nonces)
    assert race.seed == seed.hex()
    harness.to_phase("racing")
    for member in (1, 2):
        harness.solve(member)
    results = harness.events[-1]
    assert isinstance(results, m.Results)
    assert [(one.seat, one.nonce) for one in results.nonces] == [
        (n, harness.nonce(n + 1).hex()) for n in (0, 1)
    ]


def test_a_player_who_reveals_no_nonce_is_listed_without_one() -> None:
    harness = frozen_roster("Ann", "Ben")
    harness.reveal_nonces(2)
    refusal = harness.ask(1, m.Nonce(harness.race, "00" * 16))
    assert refusal == Refusal("bad_nonce", "nonce", "00" * 16)
    harness.to_deadline()
    assert harness.now == harness.state.race.t0 - 400
    assert harness.state.race.drawn
    late = m.Nonce(harness.race, harness.nonce(1).hex())
    assert harness.ask(1, late) == Refusal("too_late")
    harness.to_phase("racing")
    for member in (1, 2):
        harness.solve(member)
    results = harness.events[-1]
    assert isinstance(results, m.Results)
    ann, ben = results.nonces
    assert ann.commitment
    assert (ann.nonce, ben.nonce) == (None, harness.nonce(2).hex())


def test_nonces_are_accepted_only_from_racers_of_this_race() -> None:
    harness = harness_with("Ann", "Ben")
    spectator = harness.enter("Cat", role="spectator")
    early = m.Nonce(harness.race, "00" * 16)
    assert harness.ask(1, early) == Refusal("wrong_phase")
    assert harness.ask(spectator, early) == Refusal("not_racing")
    other = m.Nonce("OTHER", "00" * 16)
    assert harness.ask(1, other) == Refusal("wrong_race", "race", "OTHER")


def test_a_commitment_may_change_until_the_roster_is_frozen() -> None:
    harness = harness_with("Ann", "Ben")
    harness.ask(1, m.Ready(harness.race))
    assert harness.ask(1, m.Ready(harness.race)) == []
    first = m.Ready(harness.race, nonce_commitment="ab" * 32)
    assert harness.ask(1, first) == [NonceCommitted(harness.now, 1, "ab" * 32)]
    assert harness.ask(1, first) == []
    harness.ready(1)
    harness.ask(1, m.Start(harness.race))
    harness.to_deadline()
    committed = nonce_commitment(harness.race, 0, harness.nonce(1))
    assert harness.state.race.commitments == {0: committed}
    late = m.Ready(harness.race, nonce_commitment="cd" * 32)
    assert harness.ask(1, late) == Refusal("wrong_phase")


def test_a_new_race_or_seat_clears_the_commitment() -> None:
    harness = harness_with("Ann", "Ben", "Cat")
    harness.ready(1, 2)
    harness.ask(1, m.Settings(m.RulesPatch(size="3x3")))
    assert not any(one.nonce_commitment for one in harness.state.members.values())
    harness.ready(2)
    harness.ask(2, m.Role("spectator"))
    harness.ask(2, m.Role("player"))
    assert not harness.state.members[2].nonce_commitment


def test_a_racer_who_leaves_before_the_draw_did_not_start() -> None:
    harness = frozen_roster("Ann", "Ben", "Cat")
    harness.reveal_nonces(1, 2)
    harness.ask(2, m.Leave())
    newcomer = harness.enter("Dan")
    assert harness.state.members[newcomer].seat == 3
    harness.reveal_nonces(3)
    harness.to_deadline()
    race = harness.state.race
    assert race.drawn
    assert set(race.nonces) == {0, 2}
    ben = race.attempts[Seat(1)]
    assert (ben.status, ben.why) == ("dns", "left")
    harness.to_phase("racing")
    harness.solve(1)
    harness.solve(3)
    results = harness.events[-1]
    assert isinstance(results, m.Results)
    assert [row.name for row in results.standings] == ["Ann", "Cat", "Ben"]


def test_no_board_is_drawn_if_all_leave_before_the_draw() -> None:
    harness = frozen_roster("Ann", "Ben")
    harness.enter("Cat", role="spectator")
    harness.ask(1, m.Leave())
    harness.ask(2, m.Leave())
    harness.to_deadline()
    assert harness.phase() == "lobby"
    assert harness.race.endswith("-2")


def test_a_racer_kicked_before_the_draw_is_listed_as_kicked() -> None:
    harness = frozen_roster("Ann", "Ben", "Cat")
    harness.ask(1, m.Kick(2))
    harness.to_deadline()
    assert harness.state.race.attempts[Seat(1)].why == "kicked"


def test_a_racer_on_a_frozen_roster_cannot_change_role() -> None:
    harness = frozen_roster("Ann", "Ben")
    assert harness.ask(2, m.Role("spectator")) == Refusal("wrong_phase")
    assert harness.ask(2, m.Bench(2)) == Refusal("wrong_phase")
    late = harness.enter("Cat")
    assert isinstance(harness.ask(late, m.Role("spectator")), list)


def test_commitments_per_race_are_limited() -> None:
    harness = harness_with("Ann", "Ben")
    for n in range(MAX_NONCES):
        assert harness.ask(1, m.Ready(harness.race, nonce_commitment=f"{n:064x}"))
    more = m.Ready(harness.race, nonce_commitment="ff" * 32)
    assert harness.ask(1, more) == Refusal("rate")
    assert harness.ask(1, m.Ready(harness.race)) == []
    harness.ask(1, m.Settings(m.RulesPatch(size="3x3")))
    again = m.Ready(harness.race, nonce_commitment="ff" * 32)
    assert isinstance(harness.ask(1, again), list)


# --- reveal --------------------------------------------------------------------------


def test_each_racer_gets_the_board_half_a_round_trip_before_t0() -> None:
    harness = frozen_roster("Ann", "Ben", "Cat")
    spectator = harness.enter("Dan", role="spectator")
    harness.latencies = {
        1: Latency(120, 5, 9),
        2: Latency(900, 50, 9),
        3: Latency(30, 1, 2),
    }
    harness.reveal_nonces(1, 2, 3)
    t0 = harness.state.race.t0
    instants = {1: t0 - 60, 2: t0 - 100, 3: t0}
    for member, at in instants.items():
        assert room.reveal_at(harness.state, member) == at
        assert room.reveal(harness.state, member, at - 1) is None
        assert room.snapshot(harness.state, member, at - 1).race.start is None
        assert (
            room.welcome(harness.state, member, at - 1, "", LIMITS, None).board is None
        )
        board = room.reveal(harness.state, member, at)
        assert board is not None
        assert board.in_ms == 0
        seen = room.snapshot(harness.state, member, at + 5).race
        assert (seen.start, seen.elapsed_ms) == (board.board, 5)
        mine = {lane.seat for lane in seen.lanes if lane.board}
        assert mine == {member - 1}
        welcome = room.welcome(harness.state, member, at, "", LIMITS, None)
        assert welcome.board == board.board
    assert room.reveal_at(harness.state, spectator) is None
    assert room.reveal(harness.state, spectator, t0) is None  # T0 has not been applied
    harness.to_deadline()
    assert room.reveal(harness.state, spectator, t0) is not None
    assert room.reveal_at(harness.state, 1) is None


def test_slides_before_t0_are_refused() -> None:
    harness = frozen_roster("Ann", "Ben")
    harness.latencies = {1: Latency(160, 5, 9)}
    harness.reveal_nonces(1, 2)
    harness.now = harness.state.race.t0 - 1
    early = harness.ask(1, harness.slides(1, 1))
    assert early == Refusal("too_early", retry_ms=0)
    harness.now += 1
    harness.do(room.Tick())
    assert isinstance(harness.ask(1, harness.slides(1, 1)), list)


def test_a_racer_offline_at_the_draw_starts_at_t0() -> None:
    harness = frozen_roster("Ann", "Ben")
    harness.latencies = {1: Latency(160, 5, 9), 2: Latency(160, 5, 9)}
    harness.do(Disconnect(2))
    harness.to_deadline()
    race = harness.state.race
    assert (race.attempts[Seat(0)].unlocks_at, race.attempts[Seat(1)].unlocks_at) == (
        race.t0 - 80,
        race.t0,
    )
    assert race.attempts[Seat(1)].away_since == harness.now


def test_the_official_time_credits_the_solver_s_latency() -> None:
    harness = frozen_roster("Ann", "Ben")
    harness.reveal_nonces(1, 2)
    harness.to_phase("racing")
    harness.wait(2_000)
    harness.latencies = {1: Latency(90, 20, 9)}
    solution = harness.slides(1)
    slides: list[m.Slide] = [(d, k, 1_950) for d, k, _ in solution.slides]
    harness.ask(1, m.Slides(solution.race, solution.gen, solution.seq, slides))
    attempt = harness.state.race.attempts[Seat(0)]
    assert attempt.finish
    assert (attempt.finish.rtt, attempt.finish.jitter) == (90, 20)
    assert (attempt.finish.g, attempt.finish.official) == (2_000, 1_950)


# --- signals -------------------------------------------------------------------------


def test_signals_are_made_only_after_the_race() -> None:
    harness = frozen_roster("Ann", "Ben", "Cat")
    harness.reveal_nonces(1, 2, 3)
    harness.to_phase("racing")
    assert room.signals_of(harness.state) is None
    harness.wait(10)
    harness.solve(2)
    harness.ask(1, harness.slides(1, 1))
    harness.wait(300)
    harness.ask(1, m.CallTime(harness.race))
    sent = room.signals_of(harness.state)
    assert sent is not None
    assert sent.race == harness.race
    assert [one.seat for one in sent.signals] == [1, 0]
    names = [figure.name for figure in sent.signals[0].signals]
    assert names == [
        "first_ms", "tps_milli", "peak", "cv_milli", "pauses", "longest_ms",
        "m_md_milli",
    ]  # fmt: skip
    assert sent.signals[0].signals[-1].value is not None
