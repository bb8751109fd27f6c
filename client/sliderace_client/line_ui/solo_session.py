"""Solo play as a conversation: a line goes in; lines and the next question come out."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final, Literal, assert_never

from sliderace.engine import Size
from sliderace_client.line_ui import explanations
from sliderace_client.line_ui.answers import (
    DEFAULT_SIZE,
    Refusal,
    puzzle,
    shown,
    size_of,
    yes_or_no,
)
from sliderace_client.line_ui.board_text import Style
from sliderace_client.line_ui.boards import Origin, made
from sliderace_client.line_ui.grammar import Grammar, moved, possible
from sliderace_client.line_ui.own_keys import Keys, keys_of
from sliderace_client.line_ui.practice import Practice
from sliderace_client.line_ui.trace import Trace, of_game, of_moves

__all__ = ["Reply", "Session", "Wanted"]

QUIT: Final = ("q", "quit")
Asking = Literal["start", "size", "keys", "move", "reset", "which", "exit", "again"]
"""The questions."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the flags gave; the rest is asked for.

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
    """What is answered.

    Args:
        lines: to be shown.
        prompt: the next question; empty when it is over.
        page: the lines begin a new page, where pages can be turned.
        keys: chosen just now, to be remembered.
        trace: what became of the line, for `--trace`.
    """

    lines: tuple[str, ...] = ()
    prompt: str = ""
    page: bool = False
    keys: Keys | None = None
    trace: Trace = field(default_factory=Trace)


class Session:
    """One person, and one puzzle after the other.

    Args:
        wanted: what the flags gave.
        entropy: gives so many random bytes.
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
        """The first question."""
        if not self._wanted.intro:
            return self._next()
        lines = explanations.intro(self._size or DEFAULT_SIZE, self._wanted.style)
        return self._ask("start", *lines, page=True)

    def feed(self, line: str, now: int) -> Reply:
        """Take a line.

        Args:
            line: without its end.
            now: monotonic ms.
        """
        asked, word = self._asking, line.strip().lower()
        if word in QUIT:
            reply = self.leave()
        elif word in ("help", "?"):
            reply = self._ask(asked, *self._help())
        else:
            reply = self._answered(line, word, now)
        trace = {"at": asked, "input": line, "accepted": True, "why": None}
        trace |= of_moves(()) | of_game(self._game, now) | reply.trace
        return replace(reply, trace=trace)

    def leave(self) -> Reply:
        """The end, also of the input, and after Ctrl-C."""
        return Reply((explanations.GOODBYE,))

    def _ask(self, what: Asking, *lines: str, page: bool = False) -> Reply:
        """Say this, then ask that."""
        self._asking = what
        return Reply(lines, self._question(), page)

    def _refuse(self, refusal: Refusal) -> Reply:
        """Say what is wrong, and ask again."""
        reply = self._ask(self._asking, refusal.text)
        return replace(reply, trace={"accepted": False, "why": refusal.why})

    def _wrong(self, line: str, please: str) -> Reply:
        return self._refuse(Refusal("not_an_answer", f"{shown(line)}? {please}."))

    def _question(self) -> str:
        match self._asking:
            case "start":
                return "Press Enter to start: "
            case "size":
                return "Size (Enter: 4): "
            case "keys":
                return f"Keys (Enter: {' '.join(self._keys.chars) or 'arrows'}): "
            case "move":
                return self._moves()
            case "reset":
                return "Give up this attempt and reset? (y/n): "
            case "which":
                return "s same board, n new board, c change size or keys, b go back: "
            case "exit":
                return "Leave the game? (y/n): "
            case "again":
                return "Again? n or p play, s same board, c change, q or x quit: "
            case _:
                assert_never(self._asking)

    def _answered(self, line: str, word: str, now: int) -> Reply:
        match self._asking:
            case "start":
                return self._wrong(line, "Just press Enter") if word else self._next()
            case "size":
                return self._sized(line)
            case "keys":
                return self._keyed(line)
            case "move":
                return self._command(line, word, now)
            case "reset" | "exit":
                return self._confirmed(line, now)
            case "which":
                return self._which(line, word, now)
            case "again":
                return self._again(line, word)
            case _:
                assert_never(self._asking)

    # --- Before a board ---------------------------------------------------------------

    def _next(self, *lines: str) -> Reply:
        """Ask for what is missing, else play."""
        if self._size is None:
            return self._ask("size", *explanations.SIZE_QUESTION)
        if self._ask_keys:
            return self._ask("keys", *explanations.KEY_QUESTION, self._keys.told())
        origin = self._origin or Origin(shuffle=self._wanted.origin.shuffle)
        if origin.board is None and not origin.seed:
            origin = replace(origin, seed=self._entropy(32).hex())
        self._origin = None
        return self._play(Practice(made(origin, self._size), origin), *lines)

    def _sized(self, line: str) -> Reply:
        size = size_of(line)
        if isinstance(size, Refusal):
            return self._refuse(size)
        self._size = size
        return self._next()

    def _keyed(self, line: str) -> Reply:
        keys = keys_of(line, self._keys)
        if isinstance(keys, Refusal):
            return self._refuse(keys)
        switched = keys.gap != self._keys.gap or line.strip().lower() in ("tile", "gap")
        self._keys = keys
        if switched:
            return replace(self._ask("keys", keys.told()), keys=keys)
        self._ask_keys = False
        return replace(self._next(keys.told(), ""), keys=keys)

    def _change(self) -> Reply:
        """New size, new keys."""
        self._size = self._game = None
        self._ask_keys = True
        return self._next()

    def _play(self, game: Practice, *lines: str) -> Reply:
        self._game = game
        size, mark = game.board.size, game.origin.mark
        kind = f"{size} ({puzzle(size)}), MD {game.board.md}"
        head = f"{kind}, {mark}." if mark else f"{kind}."
        return self._ask("move", *lines, head, *self._board(), page=True)

    # --- At a board -------------------------------------------------------------------

    @property
    def _playing(self) -> Practice:
        assert self._game is not None  # noqa: S101 - asked for moves only with a board
        return self._game

    def _board(self) -> list[str]:
        """The board between blank lines."""
        return ["", *self._wanted.style.lines(self._playing.board), ""]

    def _moves(self) -> str:
        game = self._playing
        moves = possible(game.board, self._keys, self._wanted.style)
        undo = "undo, " if game.slides else ""
        return f"{moves}\n{undo}reset, exit, help: "

    def _show(self, now: int, *lines: str) -> Reply:
        """The board, and how it stands."""
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
            case "undo":
                return self._undo(now)
            case "seed":
                game = self._playing
                again = game.origin.again(game.board.size)
                return self._ask("move", "This board again:", f"  {again}")
            case _:
                return self._slide(line, now)

    def _undo(self, now: int) -> Reply:
        if self._playing.undo():
            return self._show(now, "Took back one slide (solo only)")
        return self._refuse(
            Refusal("nothing_to_undo", "There is nothing to take back.")
        )

    def _slide(self, line: str, now: int) -> Reply:
        game, wanted = self._playing, self._wanted
        grammar = Grammar(self._keys, wanted.style, wanted.single)
        moves = grammar.read(line, game.board)
        if isinstance(moves, Refusal):
            return self._refuse(moves)
        for move in moves:
            game.slide(move.slide, now)
        text = moved(moves, wanted.style)
        reply = (
            self._solved(text, now) if game.board.is_solved else self._show(now, text)
        )
        return replace(reply, trace=of_moves(moves))

    def _solved(self, text: str, now: int) -> Reply:
        lines = ["Congratulations, the board is solved!", *self._playing.result(now)]
        return self._ask("again", text, *self._board(), *lines, page=True)

    def _confirmed(self, line: str, now: int) -> Reply:
        match yes_or_no(line):
            case None:
                return self._wrong(line, "Please answer y or n")
            case False:
                return self._show(now)
            case True:
                return self.leave() if self._asking == "exit" else self._ask("which")
            case _ as answer:
                assert_never(answer)

    def _which(self, line: str, word: str, now: int) -> Reply:
        if word == "b":
            return self._show(now)
        return self._board_by(word) or self._wrong(line, "Please type s, n, c or b")

    def _again(self, line: str, word: str) -> Reply:
        if word in ("x", "exit"):
            return self.leave()
        return self._board_by(word) or self._wrong(line, "Please type n, p, s, c or q")

    def _board_by(self, word: str) -> Reply | None:
        """The next board as asked for; None where this is no such answer."""
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
                return [*lines, "", *explanations.SIZE_QUESTION]
            case "keys":
                return [*lines, "", *explanations.KEY_QUESTION]
            case _:
                return lines
