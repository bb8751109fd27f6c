"""The meaning of typed lines on a board, and refusals of invalid ones."""

import pytest
from hypothesis import given, strategies as st

from sliderace.engine import Size, parse_board, scramble
from sliderace_client.line_ui.answers import Refusal
from sliderace_client.line_ui.board_text import Style
from sliderace_client.line_ui.grammar import Grammar, Move, moved, possible
from sliderace_client.line_ui.own_keys import RESERVED, WAYS, Keys, keys_of

START = "1 2 3/4 0 6/7 5 8"
"""The gap is in the middle."""
CORNER = "0 2 3/1 5 6/4 7 8"


def read(line: str, board: str = START, **how: object) -> list[Move]:
    known: dict[str, object] = {"keys": Keys(), "style": Style()}
    moves = Grammar(**(known | how)).read(line, parse_board(board))  # type: ignore[arg-type]
    assert not isinstance(moves, Refusal), moves
    return moves


def slides(line: str, board: str = START, **how: object) -> str:
    return "".join(f"{m.slide[0]}{m.slide[1]}" for m in read(line, board, **how))


def refused(line: str, board: str = START, **how: object) -> tuple[str, str]:
    known: dict[str, object] = {"keys": Keys(), "style": Style()}
    before = parse_board(board)
    found = Grammar(**(known | how)).read(line, before)  # type: ignore[arg-type]
    assert isinstance(found, Refusal)
    assert before == parse_board(board)
    return found.why, found.text


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("a", "L1"),
        ("A", "L1"),
        ("d", "R1"),
        ("w", "U1"),
        ("s", "D1"),
        ("as", "L1D1"),
        ("  a   s ", "L1D1"),
        ("left", "L1"),
        ("Up", "U1"),
        ("\x1b[D", "L1"),
        ("\x1bOA", "U1"),
        ("\x1b[D\x1b[B", "L1D1"),
        ("6", "L1"),
        ("#6", "L1"),
        ("2,3", "L1"),
        ("2, 3", "L1"),
        ("2 ,3 s", "L1D1"),
        ("=LD", "L1D1"),
        ("= l d", "L1D1"),
        ("a =D", "L1D1"),
        ("6 3", "L1D1"),
    ],
)
def test_all_ways_to_type_a_move(line: str, meant: str) -> None:
    assert slides(line) == meant


@pytest.mark.parametrize("line", ["4", "3,1", "=U2"])
def test_tile_moves_with_all_between_it_and_the_gap(line: str) -> None:
    (move,) = read(line, CORNER)
    assert move == Move(("U", 2), (4, 1), (3, 1), (2, 1))
    assert moved([move], Style()) == "Moved 4 with 1"


@pytest.mark.parametrize("line", ["4", "3,1", "=U2"])
def test_single_refuses_more_than_one_tile_at_once(line: str) -> None:
    why, text = refused(line, CORNER, single=True)
    assert why == "one_at_a_time"
    assert "one tile at a time" in text
    assert slides("1", CORNER, single=True) == "U1"
    assert slides("ww", CORNER, single=True) == "U1U1"


@pytest.mark.parametrize(
    ("keys", "line", "meant"),
    [
        ("1235", "1", "L1"),
        ("1235", "11", "L1L1"),
        ("1235", "#1", "U1"),
        ("1235", "#4", "U2"),
        ("left", "left", "L1R1U1D1"),
        ("left", "right", None),
        ("seti", "help", None),
    ],
)
def test_own_keys_come_first_alone_or_repeated(
    keys: str, line: str, meant: str | None
) -> None:
    if meant is None:
        assert refused(line, CORNER, keys=Keys(keys))[0] in (
            "cannot_move",
            "not_a_number",
        )
    else:
        assert slides(line, CORNER, keys=Keys(keys)) == meant


def test_bare_number_is_not_a_tile_if_digits_are_keys() -> None:
    why, text = refused("4", CORNER, keys=Keys("1235"))
    assert (why, text) == (
        "digits_are_keys",
        "Digits are keys here. Type #4 for tile 4.",
    )
    assert "tiles #1 to #8" in refused("foo", keys=Keys("1235"))[1]


def test_key_can_be_the_direction_of_the_gap() -> None:
    gap = Keys(gap=True)
    assert slides("a", keys=gap) == "R1"
    assert slides("left", keys=gap) == "R1"
    assert slides("=L", keys=gap) == "L1"
    assert refused("w", CORNER, keys=gap)[1] == (
        "The gap cannot go up; it is in the top row."
    )


@pytest.mark.parametrize(
    ("line", "why", "text"),
    [
        ("foo", "not_a_number", "'foo' is not a move. Your keys are wasd, tiles 1"),
        ("1.5", "not_a_number", "'1.5' is not a move."),
        ("\u0665", "not_a_number", "'\\u0665' is not a move."),
        ("\x1b[Z", "not_a_number", "'\\x1b[Z' is not a move."),
        ("1,2,3", "not_a_number", "'1,2,3' is not a move."),
        ("9", "no_such_tile", "There is no tile 9. Tiles are 1 to 8."),
        ("0", "no_such_tile", "There is no tile 0. Tiles are 1 to 8."),
        ("-3", "no_such_tile", "There is no tile -3. Tiles are 1 to 8."),
        ("9" * 5000, "no_such_tile", "There is no tile 999999999. Tiles"),
        ("1", "cannot_move", "Tile 1 is not in line with the gap (row 2,"),
        ("4,1", "no_such_cell", "There is no row 4, column 1; the last is row 3,"),
        ("0,1", "no_such_cell", "There is no row 0, column 1; the last is row 3,"),
        ("2,2", "cannot_move", "The gap itself is there."),
        ("=", "not_notation", "Type slides after =, such as =R2U."),
        (
            "=RX",
            "not_notation",
            "That is not field notation: character 2 is 'X'.",
        ),
        ("=R2", "cannot_move", "Only 1 tile can go right."),
    ],
)
def test_impossible_move_is_explained_and_changes_nothing(
    line: str, why: str, text: str
) -> None:
    found = refused(line)
    assert found[0] == why
    assert found[1].startswith(text)
    assert len(found[1]) < 80


@pytest.mark.parametrize(
    ("board", "line", "why"),
    [
        (CORNER, "s", "No tile can go down; the gap is in the top row"),
        (CORNER, "d", "No tile can go right; the gap is in the first column"),
        ("1 2 3/4 5 6/7 0 8", "w", "No tile can go up; the gap is in the bottom row"),
        (
            "1 2 3/4 5 0/7 8 6",
            "a",
            "No tile can go left; the gap is in the last column",
        ),
        (CORNER, "=U3", "Only 2 tiles can go up"),
    ],
)
def test_blocked_direction_is_explained(board: str, line: str, why: str) -> None:
    assert refused(line, board) == ("cannot_move", f"{why}.")


def test_several_moves_are_all_made_or_none() -> None:
    why, text = refused("a s 99")
    assert why == "no_such_tile"
    assert text == "Nothing moved. Move 3: There is no tile 99. Tiles are 1 to 8."
    assert refused("aa")[1].startswith("Nothing moved. Move 2: No tile can go left;")


def test_moves_after_the_solving_one_are_dropped() -> None:
    assert slides("7 8 5 nonsense", "1 2 3/4 5 6/0 7 8") == "L1L1"
    assert slides("aad", "1 2 3/4 5 6/0 7 8") == "L1L1"


def test_tiles_can_be_counted_from_zero() -> None:
    zero = Style(zero_based=True)
    (move,) = read("5", style=zero)
    assert move.tiles == (6,)
    assert moved([move], zero) == "Moved 5"
    assert refused("8", style=zero)[1] == "There is no tile 8. Tiles are 0 to 7."
    assert slides(
        "0", CORNER.replace("2", "x").replace("1", "2").replace("x", "1"), style=zero
    )


def test_many_tiles_are_counted_instead_of_named() -> None:
    moves = read("=" + "LR" * 8)
    assert moved(moves, Style()) == "Moved 16 tiles"
    assert moved(moves[:3], Style()) == "Moved 6, 6, 6"


def test_possible_moves_are_listed_with_keys_and_tiles() -> None:
    board = parse_board(CORNER)
    assert possible(board, Keys(), Style()) == "left-a (2), up-w (1)"
    assert possible(board, Keys(""), Style()) == "left (2), up (1)"
    assert (
        possible(board, Keys("4682"), Style(zero_based=True)) == "left-4 (1), up-8 (0)"
    )
    assert possible(board, Keys(gap=True), Style()) == "right-d (2), down-s (1)"


# --- Any line at all ------------------------------------------------------------------

lines = st.one_of(
    st.text(max_size=12),
    st.text("adws=RULD0123456789#,+-. \x1b[OA", min_size=1, max_size=12),
).filter(str.strip)
sizes = st.builds(Size, st.integers(2, 10), st.integers(2, 10))


@given(lines, sizes, st.binary(min_size=32, max_size=32), st.booleans(), st.booleans())
def test_any_line_gives_legal_moves_or_one_short_refusal(
    line: str, size: Size, seed: bytes, gap: bool, single: bool
) -> None:
    board = scramble(seed, size)
    grammar = Grammar(Keys(gap=gap), Style(), single)
    found = grammar.read(line, board.copy())
    if isinstance(found, Refusal):
        assert found.text.isascii()
        assert found.text.isprintable()
        assert len(found.text) < 90
        return
    for move in found:
        row, column = move.start
        assert board.tile_at((row - 1) * size.width + column - 1) == move.tiles[0]
        board.slide(*move.slide)
        row, column = move.end
        assert board.tile_at((row - 1) * size.width + column - 1) == move.tiles[0]
        assert len(move.tiles) == move.slide[1]
        assert move.slide[1] == 1 or not single


@given(sizes, st.binary(min_size=32, max_size=32), st.booleans())
def test_every_listed_move_can_be_made(size: Size, seed: bytes, gap: bool) -> None:
    board, keys = scramble(seed, size), Keys(gap=gap)
    listed = possible(board, keys, Style()).split(", ")
    assert len(listed) == sum(count == 1 for _, count in board.legal_slides())
    for part in listed:
        way, _, rest = part.partition("-")
        assert way in WAYS
        moves = Grammar(keys, Style()).read(rest[0], board)
        assert not isinstance(moves, Refusal)
        assert rest == f"{rest[0]} ({moves[0].tiles[0]})"


# --- Keys -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "chars"),
    [
        ("a d w s", "adws"),
        ("adws", "adws"),
        ("A D W S", "adws"),
        ("4 6 8 2", "4682"),
        (" 4682 ", "4682"),
        ("[];'", "[];'"),
        ("ä ö ü ß", "äöüß"),
        ("t i l e", "tile"),
        ("wasd", "adws"),
        ("WASD", "adws"),
        ("w a s d", "wasd"),
        ("hjkl", "hlkj"),
        ("arrows", ""),
        ("", "ijkm"),
    ],
)
def test_valid_keys_are_accepted(text: str, chars: str) -> None:
    assert keys_of(text, Keys("ijkm")) == Keys(chars)


@pytest.mark.parametrize(
    ("text", "why", "say"),
    [
        (
            "adw",
            "keys_too_few",
            "Too few: type four keys, for left, right, up and down, not 3.",
        ),
        ("a d w", "keys_too_few", "not 3."),
        ("adwsx", "keys_too_many", "Too many: type four keys, for left,"),
        ("a d w s e", "keys_too_many", "not 5."),
        ("adwa", "keys_equal", "same key"),
        ("a d w A", "keys_equal", "a and A are one"),
        ("ad w", "keys_blank", "A blank cannot be a key."),
        ("   ", "keys_blank", "A blank"),
        ("a d w \x07", "keys_unprintable", "cannot be shown"),
        ("adw\u200b", "keys_unprintable", "cannot be shown"),
        ("adwİ", "keys_unprintable", "cannot be shown"),
        *((f"adw{char}", "keys_taken", f"{char} is taken") for char in RESERVED),
    ],
)
def test_each_kind_of_invalid_keys_has_its_message(
    text: str, why: str, say: str
) -> None:
    found = keys_of(text, Keys())
    assert isinstance(found, Refusal)
    assert found.why == why
    assert say in found.text
    assert len(found.text) < 80


def test_keys_switch_between_tile_and_gap() -> None:
    gap = keys_of("gap", Keys("ijkm"))
    assert gap == Keys("ijkm", gap=True)
    assert not isinstance(gap, Refusal)
    assert keys_of("Tile", gap) == Keys("ijkm")
    assert keys_of("hjkl", gap) == Keys("hlkj", gap=True)
    assert gap.sentence() == "Keys: left i, right j, up k, down m. They move the gap."
    assert Keys("", gap=True).sentence() == (
        "Keys: arrow keys, or the words left, right, up, down. They move the gap."
    )


@given(st.text(max_size=6))
def test_any_text_is_four_keys_or_a_refusal(text: str) -> None:
    found = keys_of(text, Keys())
    if not isinstance(found, Refusal):
        assert len(found.chars) in (0, 4)
        assert len(set(found.chars)) == len(found.chars)
        assert not set(found.chars) & set(RESERVED)


@pytest.mark.parametrize(
    ("chars", "known"),
    [
        ("adws", "Your keys are wasd, tiles 1 to 8; try help."),
        ("jlik", "Your keys are ijkl, tiles 1 to 8; try help."),
        ("4682", "Your keys are 8426, tiles #1 to #8; try help."),
        ("", "Use the arrow keys or a tile, 1 to 8; try help."),
    ],
)
def test_refusal_names_the_players_keys(chars: str, known: str) -> None:
    refusal = Grammar(Keys(chars), Style()).read("z", parse_board("1 2 3/4 5 6/0 7 8"))
    assert isinstance(refusal, Refusal)
    assert refusal.text == f"'z' is not a move. {known}"
