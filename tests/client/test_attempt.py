from hypothesis import given, strategies as st
from tests.client.rooms import RACE, START

from sliderace.engine import DIRECTIONS, Board, Direction, Size, parse_board
from sliderace_client.room.attempt import Attempt


def attempt(start: str = START, seq: int = 0) -> Attempt:
    return Attempt(RACE, parse_board(start), 1000, seq=seq)


def test_slide_applies_at_once_and_is_timed_from_the_clock_start() -> None:
    own = attempt()
    assert own.slide("L", 1, 1250)
    assert own.board == parse_board("1 2 3/4 5 6/7 0 8")
    assert own.slides == [("L", 1, 250)]
    assert (own.seq, own.stm, own.mtm) == (1, 1, 1)


def test_slide_is_refused_before_the_clock_starts_or_if_illegal() -> None:
    own = attempt()
    assert own.locked(999) == 1
    assert not own.slide("L", 1, 999)
    assert not own.slide("R", 1, 1000)
    assert own.slides == []


def test_clock_starts_with_the_first_paint_plus_inspection() -> None:
    own = attempt()
    own.paint(1016, 3000)
    assert own.zero == 4016
    own.paint(2000, 3000)
    assert own.zero == 4016


def test_paint_after_the_first_slide_or_a_reload_changes_nothing() -> None:
    own = attempt()
    own.slide("L", 1, 1001)
    own.paint(1050, 0)
    assert own.zero == 1000
    reloaded = Attempt(RACE, parse_board(START), 500, approx=True)
    reloaded.paint(1050, 0)
    assert reloaded.zero == 500


def test_no_slide_after_the_solution_or_the_end() -> None:
    own = attempt()
    assert own.slide("L", 2, 1000)
    assert own.board.is_solved
    assert not own.playing
    assert not own.slide("R", 1, 1001)
    gave_up = attempt()
    gave_up.slide("L", 1, 1000)
    gave_up.over = True
    assert not gave_up.slide("L", 1, 1001)
    assert gave_up.unsent == []


def test_equal_boards_keep_every_slide() -> None:
    own = attempt()
    own.slide("L", 1, 1100)
    own.slide("R", 1, 1200)
    own.slide("U", 0, 1200)
    assert own.reconcile(1, parse_board("1 2 3/4 5 6/7 0 8"))
    assert own.seq == 2


def test_different_boards_replace_ours_with_the_servers() -> None:
    own = attempt()
    own.slide("L", 1, 1100)
    other = parse_board("1 2 3/4 5 6/7 0 8")
    assert not own.reconcile(4, other, stm=6)
    assert (own.seq, own.base, own.sent, own.acked, own.stm) == (4, 4, 4, 4, 6)
    assert own.board == other
    assert own.after(3) is None


def test_acks_are_cumulative_and_never_beyond_what_was_sent() -> None:
    own = attempt()
    for direction in ("L", "R", "L"):
        own.slide(direction, 1, 1100)
    own.sent = 2
    own.ack(2)
    own.ack(1)
    assert own.acked == 2
    own.ack(99)
    assert own.acked == 2


def test_a_rewind_replays_what_is_still_legal_with_the_next_numbers() -> None:
    own = attempt("1 2 3/4 5 6/0 7 8")
    for direction in ("D", "L", "U"):
        assert own.slide(direction, 1, 1100)
    own.sent = 3
    own.rewind(0, parse_board("1 2 3/4 0 5/7 8 6"), replay=True)
    # D, L and U are all legal there too
    assert [slide[0] for slide in own.slides] == ["D", "L", "U"]
    own.sent = 3
    own.rewind(0, parse_board("0 1 2/4 5 3/7 8 6"), replay=True)
    # D is not: the gap is in the top row
    assert [slide[0] for slide in own.slides] == ["L", "U"]
    assert (own.sent, own.seq) == (0, 2)


def test_a_rewind_without_replay_drops_what_came_after() -> None:
    own = attempt()
    for direction in ("L", "R", "D"):
        own.slide(direction, 1, 1100)
    own.sent = own.acked = 3
    own.rewind(1, None, replay=False)
    assert (own.seq, own.sent, own.acked) == (1, 1, 1)
    assert own.board == parse_board("1 2 3/4 5 6/7 0 8")


def test_rewind_to_an_unknown_board_changes_nothing() -> None:
    own = attempt(seq=5)
    own.slide("L", 1, 1100)
    own.rewind(2, None, replay=True)
    assert own.seq == 6


def test_a_replay_ends_with_the_solved_board() -> None:
    own = attempt("1 2 3/4 0 5/7 8 6")
    for direction in ("L", "R", "L"):
        own.slide(direction, 1, 1100)
    own.rewind(0, parse_board("1 2 3/4 5 6/7 0 8"), replay=True)
    assert own.board.is_solved
    assert own.seq == 1


def test_the_best_distance_falls_back_with_a_rewind() -> None:
    own = attempt("1 2 3/4 0 5/7 8 6")
    own.slide("L", 1, 1100)
    own.slide("U", 1, 1100)
    assert own.best_md == 0
    own.rewind(1, None, replay=False)
    assert own.best_md == 1


@given(
    st.lists(st.sampled_from(DIRECTIONS), max_size=40),
    st.integers(0, 40),
)
def test_the_board_after_any_number_of_slides_is_known(
    ways: list[Direction], upto: int
) -> None:
    own = Attempt(RACE, Board(Size(3, 3), [8, 1, 2, 3, 0, 4, 5, 6, 7]), 0)
    moves = [own.board.copy() for way in ways if own.slide(way, 1, 0)]
    boards = [Board(Size(3, 3), [8, 1, 2, 3, 0, 4, 5, 6, 7]), *moves]
    seen = own.after(upto)
    assert seen == (boards[upto] if upto < len(boards) else None)
