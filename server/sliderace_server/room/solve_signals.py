"""What the host alone is shown after a race: how each solve looks. Never a verdict."""

from sliderace.engine import Board
from sliderace.proof.record import WrittenSlide
from sliderace.proof.signals import MIN_INTERVALS, Signal, compared, signals
from sliderace.protocol import messages
from sliderace.race.ranking import standings
from sliderace.race.state import Attempt
from sliderace.texts import text
from sliderace_server.room.state import RoomState

__all__ = ["signals_of"]


def signals_of(state: RoomState) -> messages.Signals | None:
    """The figures of everybody who slid in the race that is over; None: none is."""
    race = state.race
    if race.phase != "results":
        return None
    board = Board(race.size, race.board)
    attempts = (race.attempts[row.seat] for row in standings(race))
    found = [_of(board, attempt) for attempt in attempts if attempt.slides]
    return messages.Signals(race.id, found)


def _of(board: Board, attempt: Attempt) -> messages.SeatSignals:
    slides = [
        WrittenSlide(slide.direction, slide.tiles, slide.stamp, slide.t - attempt.s)
        for slide in attempt.slides
    ]
    figures = compared(signals(board, slides), board.size)
    return messages.SeatSignals(attempt.seat, [_message(one) for one in figures])


def _message(one: Signal) -> messages.Signal:
    note = text(f"signal.note.{one.note}", intervals=MIN_INTERVALS)
    return messages.Signal(one.name, one.value, one.low, one.high, note, one.outside)
