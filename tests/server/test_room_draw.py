"""Roster, nonces, draw and reveal in a room: who is told what, and when."""

from tests.server.room_fixture import Stage

from sliderace.engine import nonce_commitment, seed_of
from sliderace.protocol import messages as m
from sliderace.race.log_records import Seat
from sliderace.race.refusal import Refusal
from sliderace.race.timing import Latency
from sliderace_server import room
from sliderace_server.room import Disconnect, LockNotDurable, lock_check_at
from sliderace_server.room.log_records import NonceCommitted
from sliderace_server.room.member_commands import MAX_NONCES

TOLD = m.Limits(60, 120, 160, 320, 60, 33, 2048)


def stage_of(*names: str, **patch: object) -> Stage:
    stage = Stage(m.RulesPatch(size="2x2", **patch))  # type: ignore[arg-type]
    for name in names:
        stage.enter(name)
    return stage


def drawing(*names: str, **patch: object) -> Stage:
    """A room whose roster has just been frozen, everybody bound to a nonce."""
    stage = stage_of(*names, **patch)
    stage.ready(*stage.state.members)
    if stage.phase() == "lobby":
        stage.ask(1, m.Start(stage.race))
    stage.to_deadline()
    assert stage.state.race.locked
    return stage


def test_a_roster_that_is_not_durable_in_time_moves_the_start() -> None:
    stage = stage_of("Ann")
    stage.ready(1)
    stage.ask(1, m.Start(stage.race))
    stage.to_deadline()
    check = stage.state.race.t0 - 800
    assert lock_check_at(stage.state) == check
    stage.now = check
    stage.do(LockNotDurable())
    assert stage.state.race.t0 == check + 1_200
    stage.tell(1)
    assert stage.state.race.drawn


def test_the_roster_is_told_with_what_binds_its_nonces() -> None:
    stage = drawing("Ann", "Ben")
    told = stage.events[-1]
    bound = [nonce_commitment(stage.race, n, stage.nonce(n + 1)) for n in (0, 1)]
    assert told == m.RosterEvent(stage.state.offset, stage.race, [0, 1], [*bound])
    view = stage.snapshot(1).race
    assert (view.roster, view.nonce_commitments) == ([0, 1], bound)
    assert not stage.state.race.drawn


def test_the_board_is_drawn_when_the_last_nonce_comes() -> None:
    stage = drawing("Ann", "Ben")
    stage.now += 90
    stage.tell(2)
    stage.tell(2)
    before = stage.state.race.drawn
    stage.tell(1)
    assert (before, stage.state.race.drawn) == (False, True)
    nonces = [(n, stage.nonce(n + 1)) for n in (0, 1)]
    race = stage.state.race
    seed = seed_of(race.id, race.size, bytes.fromhex(race.secret), nonces)
    assert race.seed == seed.hex()
    stage.to_phase("racing")
    for member in (1, 2):
        stage.solve(member)
    results = stage.events[-1]
    assert isinstance(results, m.Results)
    assert [(one.seat, one.nonce) for one in results.nonces] == [
        (n, stage.nonce(n + 1).hex()) for n in (0, 1)
    ]


def test_who_does_not_tell_a_nonce_is_listed_as_left_out() -> None:
    stage = drawing("Ann", "Ben")
    stage.tell(2)
    assert stage.ask(1, m.Nonce(stage.race, "00" * 16)) == Refusal("bad_nonce")
    stage.to_deadline()
    assert stage.now == stage.state.race.t0 - 400
    assert stage.state.race.drawn
    late = m.Nonce(stage.race, stage.nonce(1).hex())
    assert stage.ask(1, late) == Refusal("too_late")
    stage.to_phase("racing")
    for member in (1, 2):
        stage.solve(member)
    results = stage.events[-1]
    assert isinstance(results, m.Results)
    ann, ben = results.nonces
    assert ann.commitment
    assert (ann.nonce, ben.nonce) == (None, stage.nonce(2).hex())


def test_nonces_are_for_the_race_and_its_racers() -> None:
    stage = stage_of("Ann", "Ben")
    watcher = stage.enter("Cat", role="spectator")
    early = m.Nonce(stage.race, "00" * 16)
    assert stage.ask(1, early) == Refusal("wrong_phase")
    assert stage.ask(watcher, early) == Refusal("not_racing")
    other = m.Nonce("OTHER", "00" * 16)
    assert stage.ask(1, other) == Refusal("wrong_race", "race", "OTHER")


def test_a_commitment_can_be_given_later_and_replaced_until_the_roster_is_frozen() -> (
    None
):
    stage = stage_of("Ann", "Ben")
    stage.ask(1, m.Ready(stage.race))
    assert stage.ask(1, m.Ready(stage.race)) == []
    first = m.Ready(stage.race, nonce_commitment="ab" * 32)
    assert stage.ask(1, first) == [NonceCommitted(stage.now, 1, "ab" * 32)]
    assert stage.ask(1, first) == []
    stage.ready(1)
    stage.ask(1, m.Start(stage.race))
    stage.to_deadline()
    bound = nonce_commitment(stage.race, 0, stage.nonce(1))
    assert stage.state.race.commitments == {0: bound}
    late = m.Ready(stage.race, nonce_commitment="cd" * 32)
    assert stage.ask(1, late) == Refusal("wrong_phase")


def test_a_new_race_or_seat_forgets_the_commitment() -> None:
    stage = stage_of("Ann", "Ben", "Cat")
    stage.ready(1, 2)
    stage.ask(1, m.Settings(m.RulesPatch(size="3x3")))
    assert not any(one.nonce_commitment for one in stage.state.members.values())
    stage.ready(2)
    stage.ask(2, m.Role("spectator"))
    stage.ask(2, m.Role("player"))
    assert not stage.state.members[2].nonce_commitment


def test_who_leaves_while_nonces_come_did_not_start() -> None:
    stage = drawing("Ann", "Ben", "Cat")
    stage.tell(1, 2)
    stage.ask(2, m.Leave())
    newcomer = stage.enter("Dan")
    assert stage.state.members[newcomer].seat == 3
    stage.tell(3)
    stage.to_deadline()
    race = stage.state.race
    assert race.drawn
    assert set(race.nonces) == {0, 2}
    ben = race.attempts[Seat(1)]
    assert (ben.status, ben.why) == ("dns", "left")
    stage.to_phase("racing")
    stage.solve(1)
    stage.solve(3)
    results = stage.events[-1]
    assert isinstance(results, m.Results)
    assert [row.name for row in results.standings] == ["Ann", "Cat", "Ben"]


def test_nothing_is_drawn_when_all_leave_while_nonces_come() -> None:
    stage = drawing("Ann", "Ben")
    stage.enter("Cat", role="spectator")
    stage.ask(1, m.Leave())
    stage.ask(2, m.Leave())
    stage.to_deadline()
    assert stage.phase() == "lobby"
    assert stage.race.endswith("-2")


def test_who_is_kicked_while_nonces_come_was_kicked() -> None:
    stage = drawing("Ann", "Ben", "Cat")
    stage.ask(1, m.Kick(2))
    stage.to_deadline()
    assert stage.state.race.attempts[Seat(1)].why == "kicked"


def test_a_frozen_roster_keeps_role_and_seat() -> None:
    stage = drawing("Ann", "Ben")
    assert stage.ask(2, m.Role("spectator")) == Refusal("wrong_phase")
    assert stage.ask(2, m.Bench(2)) == Refusal("wrong_phase")
    late = stage.enter("Cat")
    assert isinstance(stage.ask(late, m.Role("spectator")), list)


def test_nobody_commits_for_ever() -> None:
    stage = stage_of("Ann", "Ben")
    for n in range(MAX_NONCES):
        assert stage.ask(1, m.Ready(stage.race, nonce_commitment=f"{n:064x}"))
    more = m.Ready(stage.race, nonce_commitment="ff" * 32)
    assert stage.ask(1, more) == Refusal("rate")
    assert stage.ask(1, m.Ready(stage.race)) == []
    stage.ask(1, m.Settings(m.RulesPatch(size="3x3")))
    again = m.Ready(stage.race, nonce_commitment="ff" * 32)
    assert isinstance(stage.ask(1, again), list)


# --- reveal --------------------------------------------------------------------------


def test_each_racer_is_sent_the_board_half_a_round_trip_before_t0() -> None:
    stage = drawing("Ann", "Ben", "Cat")
    watcher = stage.enter("Dan", role="spectator")
    stage.lines = {1: Latency(120, 5, 9), 2: Latency(900, 50, 9), 3: Latency(30, 1, 2)}
    stage.tell(1, 2, 3)
    t0 = stage.state.race.t0
    instants = {1: t0 - 60, 2: t0 - 100, 3: t0}
    for member, at in instants.items():
        assert room.reveal_at(stage.state, member) == at
        assert room.reveal(stage.state, member, at - 1) is None
        assert room.snapshot(stage.state, member, at - 1).race.start is None
        assert room.welcome(stage.state, member, at - 1, "", TOLD, None).board is None
        board = room.reveal(stage.state, member, at)
        assert board is not None
        assert board.in_ms == 0
        seen = room.snapshot(stage.state, member, at + 5).race
        assert (seen.start, seen.elapsed_ms) == (board.board, 5)
        mine = {lane.seat for lane in seen.lanes if lane.board}
        assert mine == {member - 1}
        welcome = room.welcome(stage.state, member, at, "", TOLD, None)
        assert welcome.board == board.board
    assert room.reveal_at(stage.state, watcher) is None
    assert room.reveal(stage.state, watcher, t0) is None  # T0 has not been applied
    stage.to_deadline()
    assert room.reveal(stage.state, watcher, t0) is not None
    assert room.reveal_at(stage.state, 1) is None


def test_no_slide_counts_before_t0_though_the_board_is_there() -> None:
    stage = drawing("Ann", "Ben")
    stage.lines = {1: Latency(160, 5, 9)}
    stage.tell(1, 2)
    stage.now = stage.state.race.t0 - 1
    early = stage.ask(1, stage.slides(1, 1))
    assert early == Refusal("too_early", retry_ms=0)
    stage.now += 1
    stage.do(room.Tick())
    assert isinstance(stage.ask(1, stage.slides(1, 1)), list)


def test_who_is_offline_at_the_draw_starts_at_t0() -> None:
    stage = drawing("Ann", "Ben")
    stage.lines = {1: Latency(160, 5, 9), 2: Latency(160, 5, 9)}
    stage.do(Disconnect(2))
    stage.to_deadline()
    race = stage.state.race
    assert (race.attempts[Seat(0)].s, race.attempts[Seat(1)].s) == (
        race.t0 - 80,
        race.t0,
    )
    assert race.attempts[Seat(1)].away_since == stage.now


def test_the_line_of_the_solver_is_credited() -> None:
    stage = drawing("Ann", "Ben")
    stage.tell(1, 2)
    stage.to_phase("racing")
    stage.wait(2_000)
    stage.lines = {1: Latency(90, 20, 9)}
    way = stage.slides(1)
    slides: list[m.Slide] = [(d, k, 1_950) for d, k, _ in way.slides]
    stage.ask(1, m.Slides(way.race, way.gen, way.seq, slides))
    attempt = stage.state.race.attempts[Seat(0)]
    assert attempt.finish
    assert (attempt.finish.rtt, attempt.finish.jitter) == (90, 20)
    assert (attempt.finish.g, attempt.finish.official) == (2_000, 1_950)


# --- signals -------------------------------------------------------------------------


def test_signals_are_of_a_race_that_is_over() -> None:
    stage = drawing("Ann", "Ben", "Cat")
    stage.tell(1, 2, 3)
    stage.to_phase("racing")
    assert room.signals_of(stage.state) is None
    stage.wait(10)
    stage.solve(2)
    stage.ask(1, stage.slides(1, 1))
    stage.wait(300)
    stage.ask(1, m.CallTime(stage.race))
    told = room.signals_of(stage.state)
    assert told is not None
    assert told.race == stage.race
    assert [one.seat for one in told.signals] == [1, 0]
    names = [figure.name for figure in told.signals[0].signals]
    assert names == [
        "first_ms", "tps_milli", "peak", "cv_milli", "pauses", "longest_ms",
        "m_md_milli",
    ]  # fmt: skip
    assert told.signals[0].signals[-1].value is not None
