from collections.abc import Iterator

from sliderace.engine import Board, Size, parse_board
from sliderace_client import exits
from sliderace_client.plain import board_lines, moves_of, solo


def play(start: str, *lines: str) -> tuple[int, list[str]]:
    """Solo with a clock that ticks a second with each look."""
    said: list[str] = []

    def ticks() -> Iterator[int]:
        yield from range(0, 10**9, 1000)

    clock = ticks()
    code = solo(parse_board(start), lines, said.append, lambda: next(clock))
    return code, said


def test_a_board_is_aligned_with_a_dot_for_the_gap() -> None:
    assert board_lines(Board.solved(Size(4, 3))) == [
        " 1  2  3  4",
        " 5  6  7  8",
        " 9 10 11  .",
    ]


def test_letters_stand_together_and_numbers_apart() -> None:
    assert moves_of("WAsd 12 quit") == ["w", "a", "s", "d", "12", "quit"]
    assert moves_of("  ") == []


def test_a_solve_ends_with_time_and_moves() -> None:
    code, said = play("1 2 3/4 5 6/0 7 8", "7", "8")
    assert code == exits.OK
    assert said[4] == "moves: 1 4 7 8"
    assert "1 moves, 1.000" in said
    assert said[-1] == "Solved in 2.000: 2 moves (MTM 1)."


def test_a_tile_moves_all_between_it_and_the_gap() -> None:
    code, said = play("1 2 3/4 5 6/0 7 8", "8")
    assert code == exits.OK
    assert said[-1] == "Solved in 0.000: 2 moves (MTM 1)."


def test_what_cannot_move_is_said_and_starts_no_clock() -> None:
    _, said = play("1 2 3/4 5 6/0 7 8", "5 99 x d", "aa")
    assert [line for line in said if "cannot" in line] == [
        "'5' cannot move",
        "'99' cannot move",
        "'x' cannot move",
        "'d' cannot move",
    ]
    assert said[-1].startswith("Solved in")
    assert not any(line.endswith("0 moves") for line in said)


def test_each_line_shows_moves_and_time() -> None:
    _, said = play("1 2 3/4 5 6/0 7 8", "s", "", "q", "7")
    assert [line for line in said if "moves," in line] == [
        "1 moves, 1.000",
        "1 moves, 2.000",
    ]


def test_quitting_and_the_end_of_the_input_are_no_failures() -> None:
    assert play("1 2 3/4 5 6/0 7 8", "quit")[0] == exits.OK
    assert play("1 2 3/4 5 6/0 7 8")[0] == exits.OK
