import pytest
from tests.client.rooms import START, standing

from sliderace.engine import parse_board
from sliderace.protocol import messages as m
from sliderace_client.room.lanes import Lane, in_order


def lane(seat: int, status: m.StatusName, **more: int | None) -> Lane:
    made = Lane(seat)
    made.apply(standing(seat, status, **more))
    return made


def test_finishers_come_by_time_with_shared_places_then_the_others() -> None:
    lanes = [
        lane(0, "dns"),
        lane(1, "forfeited", place=7, high=900),
        lane(2, "dnf", place=5, high=100),
        lane(3, "dnf", place=6, high=500),
        Lane(4, high=300),
        Lane(5, high=400),
        lane(6, "finished", time_ms=9_000),
        lane(7, "finished", time_ms=8_000),
        lane(8, "finished", time_ms=8_000),
    ]
    ranked = in_order(lanes)
    assert [one.seat for one in ranked] == [7, 8, 6, 5, 4, 2, 3, 1, 0]
    assert [one.place for one in ranked[:3]] == [1, 1, 3]


def test_outdated_step_does_not_lower_progress() -> None:
    one = Lane(1, seq=9, high=500, stm=9)
    assert one.step(m.SeatProgress(1, 8, 400, 8), None)
    assert (one.seq, one.high, one.stm) == (9, 500, 9)


def test_first_slides_build_on_the_start_board() -> None:
    one = Lane(1)
    assert not one.step(m.SeatProgress(1, 1, 500, 1, 0, "L"), None)
    assert one.step(m.SeatProgress(1, 1, 500, 1, 0, "L"), START)
    assert one.board == parse_board("1 2 3/4 5 6/7 0 8")


def test_known_slides_are_skipped() -> None:
    one = Lane(1, board=parse_board(START))
    assert one.step(m.SeatProgress(1, 2, 500, 2, 0, "LR"), START)
    assert one.step(m.SeatProgress(1, 3, 500, 3, 0, "LRL"), START)
    assert one.board == parse_board("1 2 3/4 5 6/7 0 8")
    assert one.step(m.SeatProgress(1, 2, 500, 2, 0, "LR"), START)
    assert one.board_seq == 3


@pytest.mark.parametrize(
    "step",
    [
        m.SeatProgress(1, 5, 500, 5, 4, "L"),  # a hole
        m.SeatProgress(1, 1, 500, 1, 0, "R"),  # not legal
        m.SeatProgress(1, 1, 500, 1, 0, "X"),  # no slide
        m.SeatProgress(1, 3, 500, 3, 0, "L"),  # fewer than stated
    ],
)
def test_step_that_does_not_fit_needs_the_board_and_changes_nothing(
    step: m.SeatProgress,
) -> None:
    one = Lane(1, board=parse_board(START))
    assert not one.step(step, START)
    assert one.board == parse_board(START)
    assert one.board_seq == 0


def test_lane_without_a_standing_has_no_time_and_no_reason() -> None:
    assert (Lane(1).time_ms, Lane(1).why) == (None, "")
    assert lane(1, "dnf").why == ""
