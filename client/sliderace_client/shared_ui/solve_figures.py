"""Figures of the solves in words, for the host; they are never a verdict."""

from collections.abc import Iterable, Iterator

from sliderace.protocol.messages import SeatSignals, Signal
from sliderace.texts import text

__all__ = ["figures", "human_ranges", "labels", "notes", "sentences"]

NAMES = (
    "tps_milli",
    "peak",
    "cv_milli",
    "pauses",
    "longest_ms",
    "m_md_milli",
    "first_ms",
)
"""Names of the figures on the wire, in the order of the columns."""
MAX_NOTE = 120
"""Longer notes of a server are cut."""
MARK = "*"


def labels() -> list[str]:
    """Return the labels of the figures, in the order of the columns."""
    return [text(f"signal.label.{name}") for name in NAMES]


def _value(name: str, value: int) -> str:
    if name.endswith("_milli"):
        return f"{value / 1000:.2f}"
    return f"{value / 1000:.1f}s" if name.endswith("_ms") else str(value)


def _by_name(solve: SeatSignals) -> dict[str, Signal]:
    return {signal.name: signal for signal in solve.signals}


def figures(solve: SeatSignals) -> list[str]:
    """Return one racer's figures; a star marks those outside the human range."""
    found = _by_name(solve)
    return [_figure(found.get(name)) for name in NAMES]


def _figure(signal: Signal | None) -> str:
    if signal is None or signal.value is None:
        return "-"
    return _value(signal.name, signal.value) + (MARK if signal.outside else "")


def human_ranges(solves: Iterable[SeatSignals]) -> list[str]:
    """Return the known range of human record solvers for each figure, or nothing."""
    known = [_by_name(solve) for solve in solves]
    return [
        next((found for one in known if (found := _range(one.get(name)))), "")
        for name in NAMES
    ]


def _range(signal: Signal | None) -> str:
    if signal is None:
        return ""
    low = "" if signal.low is None else _value(signal.name, signal.low)
    high = "" if signal.high is None else _value(signal.name, signal.high)
    if low and high:
        return f"{low}-{high}"
    return f"≥{low}" if low else f"≤{high}" if high else ""


def notes(solves: Iterable[SeatSignals]) -> list[str]:
    """Return where the ranges come from, or why there is none; each note once."""
    every = [signal for solve in solves for signal in solve.signals]
    about: dict[str, dict[str, None]] = {}
    for signal in every:
        if signal.name in NAMES:
            label = text(f"signal.label.{signal.name}")
            about.setdefault(_printable(signal.note), {})[label] = None
    star = [text("signal.star", mark=MARK)] if any(one.outside for one in every) else []
    return [*star, *(f"{', '.join(names)}: {note}" for note, names in about.items())]


def _printable(note: str) -> str:
    return "".join(char for char in note[:MAX_NOTE] if char.isprintable())


def sentences(solves: Iterable[SeatSignals], names: dict[int, str]) -> Iterator[str]:
    """Yield everything, line by line.

    Args:
        solves: as the server sent them.
        names: of the racers, by seat.
    """
    known = list(solves)
    yield text("signal.heading")
    rows = [(names.get(solve.seat, "?"), figures(solve)) for solve in known]
    for name, values in [*rows, (text("signal.humans"), human_ranges(known))]:
        found = [
            f"{label} {value}"
            for label, value in zip(labels(), values, strict=True)
            if value
        ]
        yield f"{name}: {', '.join(found) or text('signal.note.no_range')}"
    yield from notes(known)
