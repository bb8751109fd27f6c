"""What solves look like, for a host who wonders: figures in words, never a verdict."""

from collections.abc import Iterable, Iterator

from sliderace.protocol.messages import SeatSignals, Signal

__all__ = ["HEADING", "LABELS", "figures", "notes", "people", "sentences"]

HEADING = "Signals, never verdicts: they prove nothing, for or against anybody."
LABELS = {
    "tps_milli": "TPS",
    "peak": "peak",
    "cv_milli": "CV",
    "pauses": "pauses",
    "longest_ms": "longest",
    "m_md_milli": "M/MD",
    "first_ms": "first",
}
"""Names on the wire, in the order of the columns."""
MAX_NOTE = 120
"""Longer notes of a stranger's server are cut."""
MARK = "*"
MARKED = f"{MARK} no record solve of a human looks like that; it proves nothing"


def _text(name: str, value: int) -> str:
    if name.endswith("_milli"):
        return f"{value / 1000:.2f}"
    return f"{value / 1000:.1f}s" if name.endswith("_ms") else str(value)


def _by_name(told: SeatSignals) -> dict[str, Signal]:
    return {signal.name: signal for signal in told.signals}


def figures(told: SeatSignals) -> list[str]:
    """One racer's figures, one a label; a star marks what is outside of its range."""
    found = _by_name(told)
    return [_figure(found.get(name)) for name in LABELS]


def _figure(signal: Signal | None) -> str:
    if signal is None or signal.value is None:
        return "-"
    return _text(signal.name, signal.value) + (MARK if signal.outside else "")


def people(told: Iterable[SeatSignals]) -> list[str]:
    """The range that is known of human record solvers, one a label."""
    known = [_by_name(one) for one in told]
    return [
        next((text for one in known if (text := _range(one.get(name)))), "")
        for name in LABELS
    ]


def _range(signal: Signal | None) -> str:
    if signal is None:
        return ""
    low = "" if signal.low is None else _text(signal.name, signal.low)
    high = "" if signal.high is None else _text(signal.name, signal.high)
    if low and high:
        return f"{low}-{high}"
    return f"≥{low}" if low else f"≤{high}" if high else ""


def notes(told: Iterable[SeatSignals]) -> list[str]:
    """Where the ranges come from, or why there is none; each once."""
    every = [signal for one in told for signal in one.signals]
    about: dict[str, dict[str, None]] = {}
    for signal in every:
        if signal.name in LABELS:
            about.setdefault(_safe(signal.note), {})[LABELS[signal.name]] = None
    marked = [MARKED] if any(signal.outside for signal in every) else []
    return [
        *marked,
        *(f"{', '.join(labels)}: {text}" for text, labels in about.items()),
    ]


def _safe(text: str) -> str:
    return "".join(char for char in text[:MAX_NOTE] if char.isprintable())


def sentences(told: Iterable[SeatSignals], names: dict[int, str]) -> Iterator[str]:
    """All of it, a line each.

    Args:
        told: as the server sent it.
        names: of the racers, by seat.
    """
    known = list(told)
    yield HEADING
    rows = [(names.get(one.seat, "?"), figures(one)) for one in known]
    for name, values in [*rows, ("record solvers", people(known))]:
        said = [
            f"{label} {text}"
            for label, text in zip(LABELS.values(), values, strict=True)
            if text
        ]
        yield f"{name}: {', '.join(said) or 'no range is known'}"
    yield from notes(known)
