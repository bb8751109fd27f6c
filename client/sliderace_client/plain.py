"""Playing line by line: over a slow line, with a screen reader, in a pipe.

Numbers are tiles, letters are keys (``w a s d``); everything else is a word.
"""

import asyncio
import os
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress

from sliderace.engine import Board, Direction, IllegalSlide
from sliderace.protocol import messages as m
from sliderace.protocol.room_code import format_code
from sliderace_client import exits, figures
from sliderace_client.attempt import Attempt
from sliderace_client.connection import Client, Ending
from sliderace_client.keymap import direction_of
from sliderace_client.model import Note
from sliderace_client.phrases import duration, phase, place, round_trip
from sliderace_client.seats import SeatFile

__all__ = ["back_line", "board_lines", "ending_code", "moves_of", "race", "solo"]

OVER = phase("results", None)
Say = Callable[[str], None]
QUIT = ("q", "quit")
SOLO_HELP = "tile numbers or w a s d move, q quits"
RACE_HELP = (
    "ready, unready, start, rematch, forfeit, undo, who, standings, board, signals, "
    "leave, q; "
    "in the race: tile numbers or w a s d"
)


def board_lines(board: Board) -> list[str]:
    """The board, aligned; a dot for the gap."""
    width = len(str(board.size.cells - 1))
    tiles = [str(tile) if tile else "." for tile in board.tiles]
    return [
        " ".join(f"{tile:>{width}}" for tile in tiles[start : start + board.size.width])
        for start in range(0, len(tiles), board.size.width)
    ]


def _ways(board: Board) -> str:
    """What can be moved: each tile in line with the gap."""
    tiles = [
        board.tile_at(cell)
        for cell in range(board.size.cells)
        if _slide_of(board, str(board.tile_at(cell)))
    ]
    return "moves: " + " ".join(map(str, sorted(tiles)))


def _slide_of(board: Board, word: str) -> tuple[Direction, int] | None:
    """The slide a word stands for; None where it is none, or not possible."""
    if word.isdecimal() and word.isascii():
        try:
            return board.slide_of_tile(int(word))
        except IllegalSlide:
            return None
    way = direction_of(word) if len(word) == 1 else None
    if way is not None and (way, 1) in board.legal_slides():
        return way, 1
    return None


def moves_of(line: str) -> list[str]:
    """The words of a line; letters may stand together: ``wasd``.

    >>> moves_of("wwa 12 Q")
    ['w', 'w', 'a', '12', 'q']
    """
    words: list[str] = []
    for word in line.lower().split():
        words += word if set(word) <= set("wasd") else [word]
    return words


# --- Solo ----------------------------------------------------------------------------


def solo(
    board: Board,
    lines: Iterable[str],
    say: Say,
    now: Callable[[], int],
) -> int:
    """Solve a board alone; the clock runs from the first move.

    Args:
        board: to be solved.
        lines: what the user types.
        say: shows a line.
        now: monotonic ms.

    Returns:
        The exit code: leaving is no failure.
    """
    attempt: Attempt | None = None
    say(SOLO_HELP)
    _show(board, say)
    for line in lines:
        for word in moves_of(line):
            if word in QUIT:
                return exits.OK
            slide = _slide_of(board, word)
            if slide is None:
                say(f"{word!r:.20} cannot move")
                continue
            moment = now()
            attempt = attempt or Attempt("SOLO", board, moment)
            attempt.slide(*slide, moment)
            board = attempt.board
        if attempt is not None and board.is_solved:
            time = duration(attempt.slides[-1][2])
            say(f"Solved in {time}: {attempt.stm} moves (MTM {attempt.mtm}).")
            return exits.OK
        _show(board, say)
        if attempt is not None:
            say(f"{attempt.stm} moves, {duration(now() - attempt.zero)}")
    return exits.OK


def _show(board: Board, say: Say) -> None:
    for row in board_lines(board):
        say(row)
    say(_ways(board))


# --- A race --------------------------------------------------------------------------


async def race(
    server: str,
    enter: m.Join,
    *,
    seat: SeatFile | None,
    typed: int,
    say: Say,
    back: str = "",
) -> int:
    """Be in a room, line by line, until it is over for us or the input ends.

    Args:
        server: base address.
        enter: how to enter.
        seat: where the seat's token is kept.
        typed: descriptor of what the user types; its end means to go, if it is a
            terminal's.
        say: shows a line.
        back: the command that enters again; said where we go and the seat is kept.

    Returns:
        The exit code.
    """
    table = _Table(server, enter, seat, say)
    lines: asyncio.Queue[str | None] = asyncio.Queue()
    _read_in_thread(typed, asyncio.get_running_loop(), lines)
    try:
        async with asyncio.TaskGroup() as tasks:
            living = tasks.create_task(table.client.run())
            listening = tasks.create_task(table.listen(lines))
            await asyncio.wait([living, listening], return_when=asyncio.FIRST_COMPLETED)
            stopped = not living.done()
            living.cancel()
            listening.cancel()
    finally:  # Ctrl-C comes this way too
        model = table.client.model
        if back and model.welcomed and not model.ended:
            say(back_line(back))
    return exits.OK if stopped else ending_code(living.result(), say)


def _read_in_thread(
    typed: int, loop: asyncio.AbstractEventLoop, lines: "asyncio.Queue[str | None]"
) -> None:
    """Hand over what is typed; a thread of its own, as a read cannot be called off.

    It reads the bare descriptor: a thread that waits inside ``sys.stdin`` holds a lock
    that the interpreter wants at its end.
    """

    def tell(line: str | None) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody listens any more
            loop.call_soon_threadsafe(lines.put_nowait, line)

    def read() -> None:
        rest = b""
        while data := os.read(typed, 4096):
            *whole, rest = (rest + data).split(b"\n")
            for line in whole:
                tell(line.decode("utf-8", "replace"))
        if os.isatty(typed):
            tell(None)

    threading.Thread(target=read, daemon=True).start()


class _Table:
    """A room told and played in lines."""

    def __init__(
        self,
        server: str,
        enter: m.Join,
        seat: SeatFile | None,
        say: Say,
    ) -> None:
        self._say = say
        self._shown = ""
        self._greeted = False
        self.client = Client(
            server,
            enter,
            seat=seat,
            on_change=self._look,
            on_note=self._note,
        )

    def _look(self) -> None:
        """Tell what is new and needs more than its note."""
        model = self.client.model
        if model.room is not None and model.myself is not None and not self._greeted:
            self._greeted = True
            shown, size = format_code(model.room.code), model.room.rules.size
            self._say(f"Room {shown}, {size}. You are {model.myself.name}.")
            self._say(RACE_HELP)
        if model.racing and model.board is not None and model.race != self._shown:
            self._shown = model.race
            self.client.painted()
            _show(model.board, self._say)

    def _note(self, note: Note) -> None:
        self._say(note.text)
        if note.text == OVER:
            self._standings()
            self._marks()

    async def listen(self, lines: "asyncio.Queue[str | None]") -> None:
        """Do what is typed, until that means to go."""
        while (line := await lines.get()) is not None:
            for word in moves_of(line):
                if word in QUIT:
                    return
                self._do(word)

    def _do(self, word: str) -> None:
        model = self.client.model
        asked = self._command(word)
        if asked is not None:
            if not self.client.ask(asked):
                self._say("there is no connection at the moment")
        elif word in (shown := self._shows()):
            shown[word]()
        elif model.racing and model.board and (slide := _slide_of(model.board, word)):
            self.client.slide(*slide)
            self._board()
        else:
            self._say(f"{word!r:.20}: not now; {RACE_HELP}")

    def _shows(self) -> dict[str, Callable[[], None]]:
        return {
            "who": self._who,
            "standings": self._standings,
            "board": self._board,
            "signals": self._signals,
        }

    def _command(self, word: str) -> m.Command | None:
        race = self.client.model.race
        commands: dict[str, m.Command] = {
            "ready": m.Ready(race),
            "unready": m.Ready(race, on=False),
            "start": m.Start(race),
            "rematch": m.Rematch(race),
            "forfeit": m.Forfeit(race),
            "undo": m.Undo(race),
            "leave": m.Leave(),
        }
        return commands.get(word) if race else None

    def _board(self) -> None:
        model = self.client.model
        if model.board is not None and not model.done:
            _show(model.board, self._say)

    def _who(self) -> None:
        model = self.client.model
        for member in model.members.values():
            far = round_trip(model.lines.get(member.id)) if member.connected else "away"
            state = "ready" if member.ready else "not ready"
            state = "spectator" if member.role == "spectator" else state
            words = [member.name, "bot" if member.bot else "", state, far]
            self._say("  ".join(filter(None, words)))

    def _standings(self) -> None:
        model = self.client.model
        for lane in model.order():
            shown = place(lane.place, final=lane.final) if lane.place else "-"
            time = (
                lane.status.upper() if lane.time_ms is None else duration(lane.time_ms)
            )
            far = round_trip(model.lines.get(lane.member or 0))
            words = [lane.name, far, time, f"{lane.high // 10} %"]
            self._say(f"{shown:>5}  " + "  ".join(filter(None, words)))

    def _marks(self) -> None:
        """What stands beside the times of the results."""
        results = self.client.model.results
        for row in results.standings if results else ():
            if row.photo:
                self._say(f"{row.name}: photo finish, the lines may have decided")
            if row.outage_ms:
                self._say(f"{row.name}: {row.outage_ms} ms credit for a server failure")
        if results is not None and results.friendly_timing:
            self._say("friendly timing: up to 100 ms more credit")

    def _signals(self) -> None:
        model = self.client.model
        if model.signals is None:
            self._say("no signals: the host has them after a race")
            return
        names = {
            lane.seat: lane.name + (" (bot)" if lane.bot else "")
            for lane in model.lanes.values()
        }
        for text in figures.sentences(model.signals.signals, names):
            self._say(text)


def back_line(command: str) -> str:
    """How to return into a room that goes on without us."""
    return f"Your seat is kept for a while; come back with:  {command}"


def ending_code(ending: Ending, say: Say) -> int:
    """Say why the room is over for us; the exit code for it."""
    say(ending.text)
    if not ending.reached:
        return exits.UNREACHABLE
    if ending.refused is not None:
        missing = ending.refused.code in ("room_unknown", "bad_code")
        return exits.UNREACHABLE if missing else exits.REFUSED
    return exits.OK
