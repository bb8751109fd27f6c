from tests.client.rooms import (
    ANN,
    BEN,
    CAT,
    NEXT,
    RACE,
    ModelHarness,
    member,
    results,
    room,
)

from sliderace.protocol import messages as m
from sliderace_client.room.view import RoomView


def test_view_is_empty_before_the_snapshot() -> None:
    view = RoomView()
    assert view.race == view.host_name == ""
    assert view.myself is None
    assert view.lane is None
    assert view.board is None
    assert not any(
        [
            view.is_host,
            view.is_player,
            view.ready,
            view.can_start,
            view.racing,
            view.done,
        ]
    )
    assert (view.stm, view.mtm, view.unacked) == (0, 0, 0)
    assert (view.locked(0), view.remaining(0), view.clock(0)) == (0, None, None)
    assert view.sees_boards
    assert view.order() == []


def test_view_knows_host_and_role() -> None:
    view = ModelHarness().view
    assert view.is_host
    assert view.is_player
    assert view.host_name == "Ann"
    assert ModelHarness(room=room(host=BEN)).view.host_name == "Ben"
    nobody = ModelHarness(room=room(host=None)).view
    assert nobody.host_name == ""
    assert not nobody.is_host


def test_host_may_start_in_the_lobby_if_somebody_would_race() -> None:
    assert ModelHarness().model.view.can_start
    assert not ModelHarness(phase="results").model.view.can_start
    assert not ModelHarness(room=room(host=BEN)).view.can_start
    watching = [member(ANN, None), member(BEN, 1), member(CAT, 2)]
    assert not ModelHarness(members=watching).model.view.can_start
    ready = [member(ANN, None), member(BEN, 1, ready=True)]
    assert ModelHarness(members=ready).model.view.can_start
    sits_out = [
        member(ANN, 0, benched=True),
        member(BEN, 1, ready=True, connected=False),
    ]
    assert not ModelHarness(members=sits_out).model.view.can_start


def test_own_attempt_is_counted() -> None:
    ann = ModelHarness()
    ann.race()
    ann.slide(("L", 2))
    assert (ann.view.stm, ann.view.mtm, ann.view.unacked) == (
        2,
        1,
        1,
    )


def test_ready_is_the_members_own_state() -> None:
    ann = ModelHarness()
    assert not ann.view.ready
    ann.receive_next(m.MemberEvent(0, member(ANN, 0, ready=True), "ready"))
    assert ann.view.ready


def test_clock_stops_at_the_solving_slide_until_the_official_time() -> None:
    ann = ModelHarness()
    ann.race()
    assert ann.view.clock(ann.now + 70) == 70
    ann.now += 1_500
    ann.slide(("L", 2))
    assert ann.view.clock(ann.now + 400) == 1_500
    row = m.Standing(0, ANN, "Ann", False, "finished", 1, 1_510, 0, 0, 2, 1, 1000)
    ann.receive_next(m.StandingEvent(0, RACE, row))
    assert ann.view.clock(ann.now + 900) == 1_510


def test_order_is_best_first() -> None:
    ann = ModelHarness()
    ann.race()
    ann.receive(m.Progress(RACE, [m.SeatProgress(1, 1, 300, 1)]))
    assert [lane.seat for lane in ann.view.order()] == [1, 0]


def test_own_finish_stands_for_a_second_and_a_half() -> None:
    ann = ModelHarness()
    before = [ann.view.solved_at, ann.view.finish_stands(ann.now)]
    ann.race()
    ann.model.painted(ann.now)
    before.append(ann.view.solved_at)
    assert before == [None, False, None]
    ann.now += 3_000
    ann.slide(("L", 2))
    assert ann.view.solved_at == ann.now
    assert ann.view.finish_stands(ann.now + 1_499)
    assert not ann.view.finish_stands(ann.now + 1_500)


def test_a_solve_that_counts_much_later_than_it_was_made_is_late() -> None:
    ann = ModelHarness()
    assert ann.view.lateness() == 0
    ann.race()
    ann.model.painted(ann.now)
    ann.now += 1_500
    ann.slide(("L", 2))
    assert ann.view.lateness() == 0, "there is no official time yet"
    for official, late in ((1_510, 0), (2_499, 0), (12_100, 10_600)):
        row = m.Standing(0, ANN, "Ann", False, "finished", 1, official, 0, 0, 2, 1, 1)
        ann.receive_next(m.StandingEvent(0, RACE, row))
        assert ann.view.lateness() == late


def test_how_late_a_solve_is_stays_with_its_results() -> None:
    ann = ModelHarness()
    ann.race()
    ann.model.painted(ann.now)
    ann.slide(("L", 2))
    row = m.Standing(0, ANN, "Ann", False, "finished", 1, 12_000, 0, 0, 2, 1, 1)
    ann.receive_next(results(standings=[row]))
    assert ann.view.late_ms == 12_000
    ann.receive_next(m.RoomEvent(0, room(race=NEXT), "race"))
    assert ann.view.attempt is None
    assert ann.view.late_ms == 12_000
    ann.receive_next(m.PhaseEvent(0, NEXT, "countdown", 3_000))
    assert ann.view.late_ms == 0


def test_without_a_clock_of_our_own_no_solve_is_late() -> None:
    ann = ModelHarness()
    ann.race()
    assert ann.model.view.attempt is not None
    ann.model.view.attempt.approx = True
    ann.slide(("L", 2))
    row = m.Standing(0, ANN, "Ann", False, "finished", 1, 9_000, 0, 0, 2, 1, 1)
    ann.receive_next(m.StandingEvent(0, RACE, row))
    assert ann.view.lateness() == 0
