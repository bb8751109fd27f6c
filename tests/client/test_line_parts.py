"""The parts of line mode: sizes, boards, practice, the menu, the commentary."""

from collections import Counter

import pytest
from hypothesis import given as given_any, strategies as st

from sliderace.engine import (
    Board,
    Size,
    format_board,
    parse_board,
    scramble,
    seed_from_text,
)
from sliderace_client.line_ui import explanations
from sliderace_client.line_ui.answers import (
    Refusal,
    size_of,
    size_or_default,
    size_question,
    yes_or_no,
)
from sliderace_client.line_ui.board_text import Style
from sliderace_client.line_ui.boards import Origin, board_from, parse_given, shuffled
from sliderace_client.line_ui.commentary import EVERY_MS, Commentary
from sliderace_client.line_ui.menu import ENTRIES, Menu
from sliderace_client.line_ui.own_keys import Keys
from sliderace_client.line_ui.practice import Practice
from sliderace_client.room.lanes import Lane

# --- Sizes and answers ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("2", (2, 2)),
        (" 4 ", (4, 4)),
        ("10", (10, 10)),
        ("5x5", (5, 5)),
        ("5 X 5", (5, 5)),
        ("3x4", (3, 4)),
        ("10x2", (10, 2)),
        ("15-puzzle", (4, 4)),
        ("8 Puzzle", (3, 3)),
        ("3-puzzle", (2, 2)),
        ("99puzzle", (10, 10)),
    ],
)
def test_valid_sizes_are_understood(text: str, sides: tuple[int, int]) -> None:
    assert size_of(text) == size_or_default(text) == sides


@pytest.mark.parametrize(
    "text",
    ["four", "4.0", "-4", "\x1b[A", "1", "0", "11", "4x", "4x1", "4x11", "120-puzzle"],
)
def test_refusal_of_a_size_names_the_range_and_what_was_typed(text: str) -> None:
    found = size_of(text)
    assert found == size_or_default(text)
    assert isinstance(found, Refusal)
    assert found.why == "not_a_size"
    assert found.text.startswith("A size is 2x2 to 10x10, such as 4, 5x3 or 15-puzzle,")
    assert found.text.endswith(f"not {text!a}.")
    assert len(found.text) < 80


def test_numbers_of_tiles_that_fill_no_square_are_refused() -> None:
    found = size_of("14-puzzle")
    assert isinstance(found, Refusal)
    assert found.why == "no_such_puzzle"
    assert "There are 3, 8, 15, 24, 35, 48, 63, 80, 99." in found.text


def test_empty_answer_means_4x4_and_an_empty_flag_is_refused() -> None:
    assert size_or_default(" ") == (4, 4)
    assert isinstance(size_of(" "), Refusal)


def test_yes_and_no_are_understood() -> None:
    assert [yes_or_no(word) for word in ("y", " YES ", "n", "No", "", "yn")] == [
        *(True, True),
        *(False, False),
        *(None, None),
    ]


# --- Boards ---------------------------------------------------------------------------


def test_seed_gives_the_same_board_as_everywhere() -> None:
    size = Size(4, 4)
    assert board_from(Origin("tea"), size) == scramble(seed_from_text("tea"), size)
    assert format_board(board_from(Origin("friday"), Size(3, 3))) == "3 0 5/4 1 8/7 2 6"
    assert format_board(board_from(Origin("tea", 5), Size(3, 3))) == format_board(
        board_from(Origin("tea", 5), Size(3, 3))
    )


@given_any(
    st.binary(min_size=32, max_size=32),
    st.builds(Size, st.integers(2, 10), st.integers(2, 10)),
    st.integers(1, 60),
)
def test_shuffle_has_that_many_moves_and_is_never_solved(
    seed: bytes, size: Size, moves: int
) -> None:
    board = shuffled(seed, size, moves)
    assert not board.is_solved
    assert board.is_solvable()
    assert board.md <= moves
    assert (board.md - moves) % 2 == 0


def test_shuffle_on_the_smallest_board_does_not_end_solved() -> None:
    """Twelve moves round a 2x2 board in one direction lead back to the start."""
    boards = Counter(
        format_board(shuffled(bytes([n]) * 32, Size(2, 2), 12)) for n in range(40)
    )
    assert "1 2/3 0" not in boards
    assert len(boards) > 1


def test_shuffles_of_one_move_differ() -> None:
    near = {format_board(shuffled(bytes([n]) * 32, Size(3, 3), 1)) for n in range(20)}
    assert near == {"1 2 3/4 5 6/7 0 8", "1 2 3/4 5 0/7 8 6"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1 2 3/4 5 6/8 7 0", "cannot be solved: exchange any two tiles"),
        ("1 2 3/4 5 6/7 8 0", "solved already"),
        ("1 2 3/4 5/7 8 0", "Row 2 has 2 numbers, but row 1 has 3"),
        ("1 2 3/4 x 6/7 8 0", "In row 2, 'x' is not a number from 0 to 99"),
        ("1 2 3/4 5 6/7 -8 0", "In row 3, '-8' is not a number"),
        ("1 2 3//7 8 0", "Row 2 is empty"),
        ("", "Row 1 is empty"),
        ("1 2 3/4 5 5/7 8 0", "More than once: 5. Missing: 6."),
        ("1 2 3/4 5 6/7 8 9", "Too large: 9. Missing: 0."),
        ("1 2 3", "A board has 2 to 10 rows and columns, not 1 and 3."),
        ("/".join(["0 1"] * 11), "2 to 10 rows and columns, not 11 and 2."),
    ],
)
def test_unplayable_board_is_refused_with_the_exact_reason(text: str, why: str) -> None:
    found = parse_given(text)
    assert isinstance(found, Refusal)
    assert why in found.text


def test_given_board_may_have_extra_blanks_and_zeros() -> None:
    given = parse_given(" 8  2 ./4 6 1 / 3 7 05 ")
    assert given == parse_board("8 2 0/4 6 1/3 7 5")


def test_origin_gives_the_command_for_its_board() -> None:
    size = Size(5, 3)
    assert Origin("tea").command(size) == "sliderace solo --size 5x3 --seed tea"
    assert Origin("it's", 3).command(size) == (
        "sliderace solo --size 5x3 --shuffle 3 --seed 'it'\\''s'"
    )
    board = Origin(board=parse_board("8 2 0/4 6 1/3 7 5"))
    assert board.command(size) == 'sliderace solo --scramble "8 2 0/4 6 1/3 7 5"'
    assert board.mark == "a given board"
    assert Origin("tea", 1).mark == "easy: 1 move from solved"


# --- Style ----------------------------------------------------------------------------


def test_columns_are_aligned_to_the_longest_number() -> None:
    assert Style().lines(Board.solved(Size(4, 3))) == [
        " 1  2  3  4",
        " 5  6  7  8",
        " 9 10 11  .",
    ]
    assert Style().lines(Board.solved(Size(3, 3)))[2] == "7 8 ."
    # Counted from zero, the longest number is 9, although there are ten tiles.
    assert Style(zero_based=True).lines(Board.solved(Size(11 - 1, 2)))[0] == (
        " 0  1  2  3  4  5  6  7  8  9"
    )


def test_boxed_style_has_rules_between_the_rows() -> None:
    board = parse_board("7 0 2/1 5 3/4 6 8")
    assert Style(boxed=True).lines(board) == [
        "+--+--+--+",
        "|07|00|02|",
        "+--+--+--+",
        "|01|05|03|",
        "+--+--+--+",
        "|04|06|08|",
        "+--+--+--+",
    ]
    assert Style(boxed=True, zero_based=True).lines(board)[1] == "|06|  |01|"


@pytest.mark.parametrize(("rows", "boxed"), [(0, True), (14, True), (13, False)])
def test_box_that_would_scroll_away_becomes_columns(rows: int, boxed: bool) -> None:
    board = parse_board("7 0 2/1 5 3/4 6 8")
    lines = Style(boxed=True, rows=rows).lines(board)
    assert (lines == Style(boxed=True).lines(board)) == boxed
    assert (lines == Style().lines(board)) == (not boxed)


def test_gap_is_blank_if_tiles_count_from_zero() -> None:
    board = parse_board("7 0 2/1 5 3/4 6 8")
    assert Style(zero_based=True).lines(board) == ["6   1", "0 4 2", "3 5 7"]


def test_gap_is_blank_if_the_user_wants_that() -> None:
    board = parse_board("7 0 2/1 5 3/4 6 8")
    assert Style(blank=True).lines(board) == ["7   2", "1 5 3", "4 6 8"]
    assert Style(blank=True, boxed=True).lines(board)[1] == "|07|  |02|"


# --- An attempt -----------------------------------------------------------------------


def test_practice_clock_runs_from_the_first_slide_to_the_last() -> None:
    game = Practice(parse_board("1 2 3/4 5 6/0 7 8"), Origin("tea"))
    assert game.status(9_000) == "Moves 0 (MTM 0), time 0.000"
    game.slide(("L", 1), 10_000)
    assert game.status(11_500) == "Moves 1 (MTM 1), time 1.500"
    game.slide(("L", 1), 12_000)
    assert game.result(99_000) == [
        "Moves: 2 (MTM 1)",
        "Time: 2.000",
        "TPS: 1.00",
        "MD of the start: 2",
        "This was practice: it does not count.",
    ]


def test_undo_is_marked_and_undone_moves_do_not_count() -> None:
    game = Practice(parse_board("1 2 3/4 5 6/0 7 8"), Origin("tea", 2))
    assert not game.undo()
    game.slide(("L", 2), 0)
    assert game.undo()
    assert game.board == game.start
    assert game.status(1_000) == "Moves 0 (MTM 0), time 1.000, undone 1"
    game.slide(("L", 2), 2_000)
    assert game.result(2_000)[4:] == [
        "Undone: 1 (with undo it is practice, not a record)",
        "Board: easy: 2 moves from solved",
        "This was practice: it does not count.",
    ]


def test_solve_in_no_time_has_no_speed() -> None:
    game = Practice(parse_board("1 2 3/4 5 6/7 0 8"), Origin("tea"))
    game.slide(("L", 1), 5)
    assert game.result(5)[1:3] == ["Time: 0.000", "TPS: -"]
    game = Practice(parse_board("1 2 3/4 5 6/0 7 8"), Origin("tea"))
    game.slide(("L", 1), 5)
    game.slide(("L", 1), 6)  # typed in one line
    assert game.result(6)[1:3] == ["Time: 0.001", "TPS: -"]


# --- Texts ----------------------------------------------------------------------------


def test_help_fits_a_screen_of_80_by_24_and_has_five_tips() -> None:
    assert sum(line[:1].isdigit() for line in explanations.strategy()) >= 5
    for keys in (Keys(), Keys(""), Keys("4682", gap=True)):
        alone = explanations.how_to_play(keys, Style(), single=False)
        race = explanations.how_to_race(keys, Style())
        single = explanations.how_to_play(keys, Style(zero_based=True), single=True)
        for lines in (
            alone,
            race,
            single,
            explanations.menu_help(),
            size_question(),
        ):
            assert len(lines) <= 23
            assert all(len(line) < 80 and line.isascii() for line in lines)


# --- The menu -------------------------------------------------------------------------


def chosen(*typed: str) -> list[str]:
    menu = Menu()
    menu.begin()
    for line in typed[:-1]:
        assert menu.feed(line).prompt
    return list(menu.feed(typed[-1]).command)


def test_menu_leads_to_command_lines() -> None:
    assert chosen("s") == ["solo", "--plain"]
    assert chosen("Solo") == ["solo", "--plain"] or chosen("s")
    assert chosen("r") == ["race", "--plain"]
    assert chosen("p") == ["results"]
    assert chosen("m") == ["me"]
    assert chosen("l") == ["boards"]
    assert chosen("d", "") == ["daily", "--plain"]
    assert chosen("d", "4x4") == ["daily", "--plain", "--", "4x4"]
    assert chosen("h", "") == ["host", "--plain", "--size", "4x4"]
    assert chosen("h", "11", "5") == ["host", "--plain", "--size", "5x5"]
    assert chosen("j", " kwx-trb ") == ["join", "--plain", "--", "kwx-trb"]
    assert chosen("w", "--help") == ["watch", "--plain", "--", "--help"]
    assert chosen("j", "", "w", "KWXTRB") == ["watch", "--plain", "--", "KWXTRB"]


def test_menu_explains_asks_again_and_ends() -> None:
    menu = Menu()
    assert [line.split()[0] for line in menu.begin().lines[1:]] == list(ENTRIES)
    assert menu.feed("help").lines[-1] == explanations.strategy()[-1]
    assert menu.feed("zap").lines == (
        "'zap'? Please type one of r, h, j, w, d, s, m, l, p, q, or help.",
    )
    for asking in ("", "h", "j"):
        menu.begin()
        menu.feed(asking)
        assert menu.feed("?").prompt
        for word in ("q", "quit"):
            assert menu.feed(word).lines == ("Good-bye.",)
            assert not menu.feed(word).prompt


# --- Rivals ---------------------------------------------------------------------------


def racers(*highs: int) -> list[Lane]:
    names = ("Ann", "Ben", "Cat", "Dan", "Eve", "Fay", "Gus", "Hal")
    return [Lane(seat, name=names[seat], high=high) for seat, high in enumerate(highs)]


def test_rivals_progress_is_reported_at_most_every_five_seconds_and_only_if_new() -> (
    None
):
    others = Commentary()
    assert others.look("", racers(), 0, 0) == []
    assert [others.due] == [None]
    assert others.look("A", racers(100, 0, 0), 0, 1_000) == []
    assert [others.due] == [None]
    assert others.look("A", racers(100, 129, 0), 0, 2_000) == []
    assert others.due == 1_000 + EVERY_MS
    assert others.look("A", racers(100, 200, 0), 0, 5_999) == []
    assert others.look("A", racers(100, 200, 0), 0, 6_000) == ["Ben 20%, Cat 0%"]
    assert [others.due] == [None]
    assert others.look("A", racers(300, 209, 0), 0, 20_000) == []
    assert others.look("A", racers(300, 210, 0), 0, 21_000) == ["Ben 21%, Cat 0%"]
    assert others.look("A", racers(300, 500, 0), 0, 22_000) == []
    assert others.due == 26_000


def test_finished_rivals_are_not_mentioned_and_a_new_race_starts_over() -> None:
    others = Commentary()
    lanes = racers(100, 990, 500)
    assert others.look("A", lanes, None, 0) == []
    assert others.look("A", lanes, None, 5_000) == ["Ann 10%, Ben 99%, Cat 50%"]
    lanes[1].status = "finished"
    assert others.look("A", lanes, None, 10_000) == ["Ann 10%, Cat 50%"]
    assert others.look("B", lanes, None, 11_000) == []
    assert others.due == 16_000
    assert others.look("", lanes, None, 99_000) == []
    assert [others.due] == [None]


def test_many_rivals_are_counted() -> None:
    others = Commentary()
    lanes = racers(80, 70, 60, 50, 40, 30, 20, 10)
    others.look("A", lanes, None, 0)
    (line,) = others.look("A", lanes, None, EVERY_MS)
    assert line.endswith("Fay 3%, and 2 more")
