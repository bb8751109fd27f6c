"""Solo in lines: every question and every answer."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st

from sliderace.engine import Size, format_tokens, parse_board
from sliderace.solve import solve
from sliderace_client.line_ui.board_text import Style
from sliderace_client.line_ui.boards import Origin
from sliderace_client.line_ui.explanations import strategy
from sliderace_client.line_ui.own_keys import Keys
from sliderace_client.line_ui.solo_session import Reply, Session, Wanted, trace_line

GOODBYE = "Good-bye."
BOARD = "1 2 3/4 5 6/0 7 8"
"""Solved by a, a."""


class Talk:
    """A session whose clock advances by a second with each line."""

    def __init__(self, **wanted: Any) -> None:
        self._drawn = 0
        self.session = Session(Wanted(**wanted), self._entropy)
        self.now = 0
        self.reply = self.session.begin()
        self.said = list(self.reply.lines)

    def _entropy(self, count: int) -> bytes:
        self._drawn += 1
        return bytes([self._drawn]) * count

    def type(self, *lines: str) -> list[str]:
        """Type these lines; return the answer to the last one."""
        for line in lines:
            assert self.reply.prompt, "it is over"
            self.now += 1_000
            self.reply = self.session.feed(line, self.now)
            self.said = list(self.reply.lines)
        return self.said

    @property
    def prompt(self) -> str:
        return self.reply.prompt

    @property
    def trace(self) -> dict[str, Any]:
        loaded: dict[str, Any] = json.loads(trace_line(self.reply.trace))
        return loaded


def at_board(board: str = BOARD, **wanted: Any) -> Talk:
    known = {"origin": Origin(board=parse_board(board)), "intro": False}
    return Talk(**(known | {"ask_keys": False} | wanted))


QUESTIONS: dict[str, Callable[[], Talk]] = {
    "start": Talk,
    "size": lambda: Talk(intro=False),
    "keys": lambda: Talk(intro=False, size=Size(3, 3)),
    "move": at_board,
    "reset": lambda: typed(at_board(), "reset"),
    "which": lambda: typed(at_board(), "reset", "y"),
    "exit": lambda: typed(at_board(), "exit"),
    "again": lambda: typed(at_board(), "aa"),
}
PROMPTS = {
    "start": "Press Enter to start: ",
    "size": "Size (Enter: 4): ",
    "keys": "Keys (Enter: a d w s): ",
    "move": "left-a (7), down-s (4)\nreset, exit, help: ",
    "reset": "Give up this attempt and reset? (y/n): ",
    "which": "s same board, n new board, c change size or keys, b back: ",
    "exit": "Leave the game? (y/n): ",
    "again": (
        "Again? n or p new board, s same board, c change size or keys, q or x quit: "
    ),
}


def typed(talk: Talk, *lines: str) -> Talk:
    talk.type(*lines)
    return talk


# --- At every question ----------------------------------------------------------------


@pytest.mark.parametrize("asked", QUESTIONS)
@pytest.mark.parametrize("word", ["q", "Q", " quit "])
def test_q_quits_with_a_good_bye_at_every_question(asked: str, word: str) -> None:
    talk = QUESTIONS[asked]()
    assert talk.prompt == PROMPTS[asked]
    assert talk.type(word) == [GOODBYE]
    assert talk.prompt == ""


@pytest.mark.parametrize("asked", QUESTIONS)
def test_end_of_input_and_ctrl_c_print_a_good_bye(asked: str) -> None:
    assert QUESTIONS[asked]().session.leave() == Reply((GOODBYE,))


@pytest.mark.parametrize("asked", QUESTIONS)
@pytest.mark.parametrize("word", ["help", "?"])
def test_help_explains_and_asks_again(asked: str, word: str) -> None:
    talk = QUESTIONS[asked]()
    said = talk.type(word)
    assert said[0] == "How to play:"
    assert strategy()[-1] in said
    assert talk.prompt == PROMPTS[asked]


@pytest.mark.parametrize("asked", [*QUESTIONS])
def test_wrong_answer_is_refused_and_asked_again(asked: str) -> None:
    talk = QUESTIONS[asked]()
    (said,) = talk.type("\x1bzap zap")
    assert "'\\x1bzap zap'" in said or "'\\x1bzap'" in said or "cannot be shown" in said
    assert len(said) < 80
    assert talk.prompt == PROMPTS[asked]
    assert talk.trace["accepted"] is False
    assert talk.trace["at"] == asked


@given(
    st.lists(
        st.text(max_size=9)
        | st.sampled_from(["y", "n", "c", "s", "b", "3", "=", "reset", "exit"])
    )
)
def test_any_input_leads_to_a_question_or_good_bye(lines: list[str]) -> None:
    talk = Talk()
    for line in lines:
        if talk.prompt:
            talk.type(line)
        assert talk.prompt or talk.said == [GOODBYE]
        assert all(text.isascii() for text in talk.said[:1])


# --- Introduction, size, keys ---------------------------------------------------------


def test_introduction_is_short_and_shows_the_solved_board() -> None:
    talk = Talk()
    assert len(talk.said) < 12
    assert "13 14 15  ." in talk.said
    assert Talk(size=Size(3, 3)).said[4] == "7 8 ."
    assert Talk(size=Size(3, 3), style=Style(zero_based=True)).said[4] == "6 7"
    assert talk.type("go")[0] == "'go'? Just press Enter."
    assert talk.type("")[0].startswith("Sizes: 3 (8-puzzle), 4 (15-puzzle),")


def test_only_what_the_flags_left_open_is_asked() -> None:
    assert Talk(intro=False).prompt == PROMPTS["size"]
    assert Talk(intro=False, size=Size(3, 3)).prompt == PROMPTS["keys"]
    talk = Talk(intro=False, ask_keys=False)
    assert talk.prompt == PROMPTS["size"]
    assert talk.type("15-puzzle")[0].startswith("4x4 (15-puzzle), MD ")
    assert talk.prompt.endswith("reset, exit, help: ")
    assert at_board(ask_keys=True).prompt == PROMPTS["keys"]


def test_invalid_size_is_asked_again() -> None:
    talk = Talk(intro=False)
    for text in ("four", "4.0", "-4", "1", "11", "4x11"):
        assert "A size is 2x2 to 10x10" in talk.type(text)[0]
        assert talk.prompt == PROMPTS["size"]
    talk.type("3x4")
    assert talk.prompt == PROMPTS["keys"]
    assert talk.type("")[2].startswith("3x4 (11-puzzle), MD ")


def test_keys_are_echoed_stored_and_offered_again() -> None:
    talk = Talk(intro=False, size=Size(3, 3))
    assert talk.said[-1] == "Keys: left a, right d, up w, down s. They move the tile."
    assert talk.type("adw")[0].startswith("Too few:")
    assert [talk.reply.keys] == [None]
    assert talk.type("J l i K")[0] == (
        "Keys: left j, right l, up i, down k. They move the tile."
    )
    assert talk.reply.keys == Keys("jlik")
    assert "-j (" in talk.prompt or "-l (" in talk.prompt
    talk.type("reset", "y", "c", "3")
    assert talk.prompt == "Keys (Enter: j l i k): "
    assert talk.type("")[0].startswith("Keys: left j,")
    assert talk.reply.keys == Keys("jlik")


def test_keys_can_move_the_gap() -> None:
    talk = at_board(ask_keys=True)
    assert talk.type("gap") == [
        "Keys: left a, right d, up w, down s. They move the gap."
    ]
    assert talk.reply.keys == Keys(gap=True)
    assert talk.prompt == PROMPTS["keys"]
    talk.type("")
    assert talk.prompt.startswith("right-d (7), up-w (4)\n")
    assert talk.type("d")[0] == "Moved 7"
    again = at_board(ask_keys=True, keys=Keys(gap=True))
    assert again.type("tile") == [
        "Keys: left a, right d, up w, down s. They move the tile."
    ]


def test_arrow_keys_and_words_are_understood() -> None:
    talk = at_board(ask_keys=True)
    talk.type("arrows")
    assert talk.prompt.startswith("left (7), down (4)\n")
    assert talk.type("left")[0] == "Moved 7"
    assert talk.type("\x1b[D")[0] == "Moved 8"


# --- Moves ----------------------------------------------------------------------------


def test_prompt_lists_only_possible_moves() -> None:
    talk = at_board()
    assert talk.prompt == "left-a (7), down-s (4)\nreset, exit, help: "
    talk.type("a")
    assert talk.prompt == (
        "left-a (8), right-d (7), down-s (5)\nundo, reset, exit, help: "
    )


def test_move_shows_what_moved_board_counts_and_time() -> None:
    talk = at_board()
    talk.type("a")
    assert talk.said == [
        *("Moved 7", ""),
        *("1 2 3", "4 5 6", "7 . 8", ""),
        "Moves 1 (MTM 1), time 0.000",
    ]
    assert talk.type("s")[-1] == "Moves 2 (MTM 2), time 1.000"


def test_refused_move_counts_nothing_and_starts_no_clock() -> None:
    talk = at_board()
    for line in ("zap", "9", "5", "w"):
        assert len(talk.type(line)) == 1
        assert talk.prompt == PROMPTS["move"]
    assert talk.type("")[-1] == "Moves 0 (MTM 0), time 0.000"


def test_single_allows_one_tile_at_a_time() -> None:
    talk = at_board(single=True)
    assert "one tile at a time" in talk.type("8")[0]
    assert talk.type("7")[0] == "Moved 7"


def test_an_empty_line_and_the_word_board_show_the_board_again() -> None:
    talk = at_board(style=Style(boxed=True))
    assert talk.type("")[1:4] == ["+--+--+--+", "|01|02|03|", "+--+--+--+"]
    assert talk.type("board") == talk.type(" ")


def test_undo_reverts_one_slide_and_is_marked() -> None:
    talk = at_board()
    assert talk.type("undo") == ["There is nothing to undo."]
    talk.type("a")
    said = talk.type("undo")
    assert said[0] == "Undid one slide (solo only)"
    assert said[2:5] == ["1 2 3", "4 5 6", ". 7 8"]
    assert said[-1] == "Moves 0 (MTM 0), time 1.000, undone 1"
    assert "undo," not in talk.prompt
    assert "Undone: 1 (with undo it is practice, not a record)" in talk.type("8")


def test_seed_shows_the_command_for_the_board() -> None:
    assert at_board().type("seed")[1] == f'  sliderace solo --scramble "{BOARD}"'
    drawn = Talk(intro=False, size=Size(3, 3), ask_keys=False)
    assert drawn.type("seed")[1].endswith("--size 3x3 --seed " + "01" * 32)


# --- Reset and exit -------------------------------------------------------------------


def test_exit_is_confirmed() -> None:
    talk = at_board()
    for word in ("exit", "x", "EXIT"):
        assert talk.type(word) == []
        assert talk.prompt == PROMPTS["exit"]
        assert talk.type("maybe") == ["'maybe'? Please type y for yes or n for no."]
        assert talk.prompt == PROMPTS["exit"]
        assert talk.type("n")[1] == "1 2 3"
    assert talk.type("exit", "yes") == [GOODBYE]


def test_reset_is_confirmed_and_can_be_cancelled() -> None:
    talk = at_board()
    talk.type("a", "reset")
    assert talk.prompt == PROMPTS["reset"]
    assert talk.type("n")[-1].startswith("Moves 1 ")
    talk.type("reset", "y")
    assert talk.prompt == PROMPTS["which"]
    assert talk.type("b")[-1].startswith("Moves 1 ")


def test_reset_gives_the_same_board_a_new_one_or_new_size_and_keys() -> None:
    talk = at_board()
    talk.type("a", "reset", "y")
    assert talk.type("s")[0] == "3x3 (8-puzzle), MD 2, a given board."
    assert talk.said[2:5] == ["1 2 3", "4 5 6", ". 7 8"]
    assert talk.type("")[-1] == "Moves 0 (MTM 0), time 0.000"
    talk.type("reset", "y", "n")
    assert talk.said[0].startswith("3x3 (8-puzzle), MD ")
    assert "given" not in talk.said[0]
    first = talk.trace["board"]
    assert first not in (BOARD, None)
    talk.type("reset", "y", "n")
    assert talk.trace["board"] != first
    talk.type("reset", "y", "c")
    assert talk.prompt == PROMPTS["size"]
    assert talk.trace["board"] is None
    talk.type("4", "")
    assert talk.said[2].startswith("4x4 (15-puzzle)")


def test_shuffled_boards_stay_easy_and_are_marked() -> None:
    talk = Talk(
        intro=False, ask_keys=False, size=Size(4, 4), origin=Origin("tea", shuffle=30)
    )
    assert talk.said[0].endswith(", easy: 30 moves from solved.")
    first = talk.said
    talk.type("reset", "y", "n")
    assert talk.said[0].endswith(", easy: 30 moves from solved.")
    assert talk.said != first


def test_given_seed_applies_only_to_the_first_board() -> None:
    talk = Talk(intro=False, ask_keys=False, origin=Origin("friday"))
    assert talk.type("3")[2:5] == ["3 . 5", "4 1 8", "7 2 6"]
    assert talk.type("reset", "y", "n")[2:5] != ["3 . 5", "4 1 8", "7 2 6"]


# --- The finish -----------------------------------------------------------------------


def test_solved_board_shows_congratulations_and_figures() -> None:
    talk = at_board()
    talk.type("a")
    assert talk.type("a") == [
        *("Moved 8", ""),
        *("1 2 3", "4 5 6", "7 8 .", ""),
        "Congratulations, the board is solved!",
        "Moves: 2 (MTM 1)",
        "Time: 1.000",
        "TPS: 2.00",
        "MD of the start: 2",
        "Board: a given board",
        "This was practice: it does not count.",
    ]
    assert talk.prompt == PROMPTS["again"]


@pytest.mark.parametrize("word", ["n", "p", "N"])
def test_playing_again_keeps_size_and_keys(word: str) -> None:
    talk = at_board(keys=Keys("jlik"))
    talk.type("8", word)
    assert talk.said[0].startswith("3x3 (8-puzzle), MD ")
    assert {part[-1] for part in talk.prompt.split(" (")[:1]} <= set("jlik")


def test_after_the_finish_same_board_new_size_or_end() -> None:
    talk = typed(at_board(), "8", "s")
    assert talk.trace["board"] == BOARD
    assert typed(at_board(), "8", "c").prompt == PROMPTS["size"]
    for word in ("x", "exit", "q"):
        assert at_board().type("8", word) == [GOODBYE]
    assert at_board().type("8", "undo") == [
        "'undo'? Please type a letter: n, p, s, c or q."
    ]


def test_whole_board_can_be_solved_in_field_notation() -> None:
    talk = Talk(intro=False, ask_keys=False, size=Size(4, 4), origin=Origin("tea"))
    talk.type("board")
    board = parse_board(talk.trace["board"])
    slides = format_tokens(slide for stage in solve(board) for slide in stage)
    assert "Congratulations, the board is solved!" in talk.type(f"={slides}")


def test_numbers_of_other_menus_get_the_letters_of_this_one() -> None:
    """Many players know menus whose answers are 1 and 2, or 3 and 4."""
    letters = {
        "reset": "y for yes or n for no",
        "exit": "y for yes or n for no",
        "which": "a letter: s, n, c or b",
        "again": "a letter: n, p, s, c or q",
    }
    for asked, known in letters.items():
        for number in "1234":
            talk = QUESTIONS[asked]()
            assert talk.type(number) == [f"'{number}'? Please type {known}."]
            assert talk.prompt == PROMPTS[asked]


# --- The trace ------------------------------------------------------------------------


def test_each_line_has_its_line_in_the_trace() -> None:
    talk = at_board()
    talk.type("9")
    assert talk.trace == {
        "at": "move",
        "input": "9",
        "accepted": False,
        "why": "no_such_tile",
        "slides": None,
        "tile": None,
        "from": None,
        "to": None,
        "board": BOARD,
        "md": 2,
        "time_ms": 0,
    }
    talk.type("8")
    assert talk.trace == {
        "at": "move",
        "input": "8",
        "accepted": True,
        "why": None,
        "slides": "L2",
        "tile": 8,
        "from": [3, 3],
        "to": [3, 2],
        "board": "1 2 3/4 5 6/7 8 0",
        "md": 0,
        "time_ms": 0,
    }


def test_trace_is_one_line_of_ascii_for_any_input() -> None:
    talk = Talk()
    talk.type("\u2028\x1b\ud800é\n")
    line = trace_line(talk.reply.trace)
    assert line.isascii()
    assert line.isprintable()
