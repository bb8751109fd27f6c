"""Solo play as a dialogue: each typed line gets lines and the next question.

The states are the questions:

- `start`: after the introduction; Enter leads on.
- `size`, then `keys`: whatever the flags did not give. Without anything to ask, a board
  follows at once.
- `move`: a board is being played. `reset` and `exit` ask for a confirmation; `no` leads
  back to the board.
- `which`: after a confirmed reset: the same board, a new one, new size and keys, or
  back to the board.
- `again`: the board is solved; the same choices, or leave.

At every question `help` explains and `q` ends it. Anything that is no answer is refused
in one line, and the question is asked again.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, assert_never

from sliderace.engine import Size, format_board, format_tokens
from sliderace.texts import text
from sliderace_client.line_ui import explanations
from sliderace_client.line_ui.answers import (
    DEFAULT_SIZE,
    Refusal,
    puzzle,
    quoted,
    size_or_default,
    size_question,
    yes_or_no,
)
from sliderace_client.line_ui.board_text import Style
from sliderace_client.line_ui.boards import Origin, board_from
from sliderace_client.line_ui.grammar import Grammar, Move, moved, possible
from sliderace_client.line_ui.own_keys import Keys, keys_of
from sliderace_client.line_ui.practice import Practice

__all__ = ["Reply", "Session", "Trace", "Wanted", "trace_line"]

QUIT: Final = ("q", "quit")
Asking = Literal["start", "size", "keys", "move", "reset", "which", "exit", "again"]
"""The questions."""
Trace = dict[str, Any]
"""The fields of a line in the trace: ``at`` (the question), ``input``, ``accepted``,
``why`` not, ``slides`` (field notation), ``tile``, ``from`` and ``to`` (row and column,
from 1) of the last slide, ``board`` after it, ``md``, ``time_ms``. What does not apply
is null."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The choices given by flags; the session asks for the others.

    Args:
        size: None: asked for.
        keys: those of the last time, or of a flag.
        ask_keys: they may be changed before the first board.
        intro: begin with the introduction.
        origin: of the first board; without seed and board it is a random one.
        style: how boards are written.
        single: tiles move one at a time only.
    """

    size: Size | None = None
    keys: Keys = field(default_factory=Keys)
    ask_keys: bool = True
    intro: bool = True
    origin: Origin = field(default_factory=Origin)
    style: Style = field(default_factory=Style)
    single: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a line.

    Args:
        lines: to show.
        prompt: the next question; empty when it is over.
        page: the lines begin a new page, if the terminal has pages.
        keys: chosen just now, to be remembered.
        trace: what became of the line, for `--trace`.
    """

    lines: tuple[str, ...] = ()
    prompt: str = ""
    page: bool = False
    keys: Keys | None = None
    trace: Trace = field(default_factory=Trace)


class Session:
    """One person who plays one puzzle after another.

    Args:
        wanted: what the flags gave.
        entropy: returns that many random bytes.
    """

    def __init__(self, wanted: Wanted, entropy: Callable[[int], bytes]) -> None:
        self._wanted = wanted
        self._entropy = entropy
        board = wanted.origin.board
        self._size = wanted.size if board is None else board.size
        self._keys = wanted.keys
        self._origin: Origin | None = wanted.origin
        self._ask_keys = wanted.ask_keys
        self._asking: Asking = "start"
        self._game: Practice | None = None

    # --- In and out -------------------------------------------------------------------

    def begin(self) -> Reply:
        """Return the first question."""
        if not self._wanted.intro:
            return self._next()
        lines = explanations.intro(self._size or DEFAULT_SIZE, self._wanted.style)
        return self._ask("start", *lines, page=True)

    def feed(self, line: str, now: int) -> Reply:
        """Take a line.

        Args:
            line: without its line end.
            now: monotonic ms.
        """
        asked, word = self._asking, line.strip().lower()
        if word in QUIT:
            reply = self.leave()
        elif word in ("help", "?"):
            reply = self._ask(asked, *self._help())
        else:
            reply = self._answer(line, word, now)
        trace = {"at": asked, "input": line, "accepted": True, "why": None}
        trace |= _trace_of_moves(()) | _trace_of_game(self._game, now) | reply.trace
        return replace(reply, trace=trace)

    def leave(self) -> Reply:
        """Return the end: at the user's wish, the end of the input, or Ctrl-C."""
        return Reply((text("line.goodbye"),))

    def _ask(self, what: Asking, *lines: str, page: bool = False) -> Reply:
        """Show these lines, then ask."""
        self._asking = what
        return Reply(lines, self._question(), page)

    def _refuse(self, refusal: Refusal) -> Reply:
        """Show a refusal, and ask again."""
        reply = self._ask(self._asking, refusal.text)
        return replace(reply, trace={"accepted": False, "why": refusal.why})

    def _not_an_answer(self, key: str, line: str) -> Reply:
        return self._refuse(Refusal("not_an_answer", text(key, typed=quoted(line))))

    def _question(self) -> str:
        match self._asking:
            case "start":
                return text("solo.start_prompt") + " "
            case "size":
                return text("size.prompt") + " "
            case "keys":
                known = " ".join(self._keys.chars) or "arrows"
                return text("keys.prompt", keys=known) + " "
            case "move":
                return self._move_prompt()
            case "reset":
                return text("solo.reset_prompt") + " "
            case "which":
                return text("solo.which_prompt") + " "
            case "exit":
                return text("solo.exit_prompt") + " "
            case "again":
                return text("solo.again_prompt") + " "
            case _:
                assert_never(self._asking)

    def _answer(self, line: str, word: str, now: int) -> Reply:
        match self._asking:
            case "start" if word:
                return self._not_an_answer("solo.just_enter", line)
            case "start":
                return self._next()
            case "size":
                return self._take_size(line)
            case "keys":
                return self._take_keys(line)
            case "move":
                return self._command(line, word, now)
            case "reset" | "exit":
                return self._confirm(line, now)
            case "which":
                return self._which(line, word, now)
            case "again":
                return self._again(line, word)
            case _:
                assert_never(self._asking)

    # --- Before a board ---------------------------------------------------------------

    def _next(self, *lines: str) -> Reply:
        """Ask for the next missing choice; if there is none, play."""
        if self._size is None:
            return self._ask("size", *size_question())
        if self._ask_keys:
            question = explanations.key_question()
            return self._ask("keys", *question, self._keys.sentence())
        origin = self._origin or Origin(shuffle=self._wanted.origin.shuffle)
        if origin.board is None and not origin.seed:
            origin = replace(origin, seed=self._entropy(32).hex())
        self._origin = None
        return self._play(Practice(board_from(origin, self._size), origin), *lines)

    def _take_size(self, line: str) -> Reply:
        size = size_or_default(line)
        if isinstance(size, Refusal):
            return self._refuse(size)
        self._size = size
        return self._next()

    def _take_keys(self, line: str) -> Reply:
        keys = keys_of(line, self._keys)
        if isinstance(keys, Refusal):
            return self._refuse(keys)
        switched = keys.gap != self._keys.gap or line.strip().lower() in ("tile", "gap")
        self._keys = keys
        if switched:
            return replace(self._ask("keys", keys.sentence()), keys=keys)
        self._ask_keys = False
        return replace(self._next(keys.sentence(), ""), keys=keys)

    def _change(self) -> Reply:
        """Ask for size and keys again."""
        self._size = self._game = None
        self._ask_keys = True
        return self._next()

    def _play(self, game: Practice, *lines: str) -> Reply:
        self._game = game
        size, mark, md = game.board.size, game.origin.mark, game.board.md
        if mark:
            head = text(
                "solo.head_marked", size=size, puzzle=puzzle(size), md=md, mark=mark
            )
        else:
            head = text("solo.head", size=size, puzzle=puzzle(size), md=md)
        return self._ask("move", *lines, head, *self._board(), page=True)

    # --- At a board -------------------------------------------------------------------

    @property
    def _playing(self) -> Practice:
        assert self._game is not None  # noqa: S101 - `move` is asked only with a board
        return self._game

    def _board(self) -> list[str]:
        """Return the board between blank lines."""
        return ["", *self._wanted.style.lines(self._playing.board), ""]

    def _move_prompt(self) -> str:
        game = self._playing
        moves = possible(game.board, self._keys, self._wanted.style)
        words = [*(["undo"] if game.slides else []), "reset", "exit", "help"]
        return f"{moves}\n{', '.join(words)}: "

    def _show(self, now: int, *lines: str) -> Reply:
        """Show the board and the figures so far."""
        status = self._playing.status(now)
        return self._ask("move", *lines, *self._board(), status, page=True)

    def _command(self, line: str, word: str, now: int) -> Reply:
        match word:
            case "" | "board":
                return self._show(now)
            case "reset":
                return self._ask("reset")
            case "exit" | "x":
                return self._ask("exit")
            case "undo" if self._playing.undo():
                return self._show(now, text("solo.took_back"))
            case "undo":
                return self._refuse(
                    Refusal("nothing_to_undo", text("solo.nothing_to_undo"))
                )
            case "seed":
                command = self._playing.origin.command(self._playing.board.size)
                return self._ask("move", text("solo.same_board"), f"  {command}")
            case _:
                return self._slide(line, now)

    def _slide(self, line: str, now: int) -> Reply:
        game, wanted = self._playing, self._wanted
        grammar = Grammar(self._keys, wanted.style, wanted.single)
        moves = grammar.read(line, game.board)
        if isinstance(moves, Refusal):
            return self._refuse(moves)
        for move in moves:
            game.slide(move.slide, now)
        said = moved(moves, wanted.style)
        show = self._finish if game.board.is_solved else self._show
        reply = show(now, said)
        return replace(reply, trace=_trace_of_moves(moves))

    def _finish(self, now: int, said: str) -> Reply:
        lines = [text("solo.solved"), *self._playing.result(now)]
        return self._ask("again", said, *self._board(), *lines, page=True)

    def _confirm(self, line: str, now: int) -> Reply:
        match yes_or_no(line):
            case None:
                return self._not_an_answer("solo.yes_or_no", line)
            case False:
                return self._show(now)
            case True:
                return self.leave() if self._asking == "exit" else self._ask("which")
            case _ as answer:
                assert_never(answer)

    def _which(self, line: str, word: str, now: int) -> Reply:
        if word == "b":
            return self._show(now)
        return self._next_board(word) or self._not_an_answer("solo.which_wrong", line)

    def _again(self, line: str, word: str) -> Reply:
        if word in ("x", "exit"):
            return self.leave()
        return self._next_board(word) or self._not_an_answer("solo.again_wrong", line)

    def _next_board(self, word: str) -> Reply | None:
        """Return the next board as asked for; None if this is no such answer."""
        match word:
            case "s":
                game = self._playing
                return self._play(Practice(game.start, game.origin))
            case "n" | "p":
                return self._next()
            case "c":
                return self._change()
            case _:
                return None

    # --- Help -------------------------------------------------------------------------

    def _help(self) -> list[str]:
        wanted = self._wanted
        lines = explanations.how_to_play(self._keys, wanted.style, single=wanted.single)
        match self._asking:
            case "size":
                return [*lines, "", *size_question()]
            case "keys":
                return [*lines, "", *explanations.key_question()]
            case _:
                return lines


# --- The trace ------------------------------------------------------------------------


def _trace_of_game(game: Practice | None, now: int) -> Trace:
    """Return board, distance and time."""
    if game is None:
        return {"board": None, "md": None, "time_ms": None}
    board = game.board
    return {"board": format_board(board), "md": board.md, "time_ms": game.clock(now)}


def _trace_of_moves(moves: Sequence[Move]) -> Trace:
    """Return the slides of a line, and how the last one's tile moved."""
    if not moves:
        return {"slides": None, "tile": None, "from": None, "to": None}
    last = moves[-1]
    return {
        "slides": format_tokens(move.slide for move in moves),
        "tile": last.tiles[0],
        "from": list(last.start),
        "to": list(last.end),
    }


def trace_line(trace: Trace) -> str:
    """Return a trace as one line of JSON, in ASCII."""
    return json.dumps(trace, ensure_ascii=True)
