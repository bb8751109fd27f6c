"""The tables after a race, as rows of text: the results, and what solves look like."""

from collections.abc import Mapping, Sequence
from textwrap import wrap

from sliderace.protocol.messages import Results, SeatSignals
from sliderace.texts import text
from sliderace_client.room.lanes import Lane
from sliderace_client.shared_ui import solve_figures
from sliderace_client.shared_ui.render import Look, Row
from sliderace_client.shared_ui.wording import dnf_reason, duration
from sliderace_client.tui.rows import (
    SHORT_WHY,
    fitted,
    line,
    out_text,
    percent,
    tps,
)

__all__ = ["columns", "marks", "result_rows", "signal_rows"]


def columns(texts: Sequence[str], widths: Sequence[int]) -> str:
    """A row of a table: the first two left-aligned, numbers right-aligned."""
    return " ".join(
        fitted(text, width, right=index > 1)
        for index, (text, width) in enumerate(zip(texts, widths, strict=True))
    )


# --- Results --------------------------------------------------------------------------

HEADINGS = ("", "racer", "time", "moves", "TPS", "MTM", "solve", "credit")
WIDTHS: tuple[int, ...] = (2, 16, 15, 5, 6, 5, 10, 9)
LEAST_HEADINGS = 4
"""Place, racer, time and moves are shown at any width; the others where they fit."""
WORDY = 6
"""With more columns, there is room for why somebody did not finish."""
PHOTO, OUTAGE = "≈", "†"
"""Marks of a time; `marks` says what they mean."""


def result_rows(
    lanes: Sequence[Lane], mine: int | None, look: Look, width: int
) -> list[Row]:
    """The results as a table: place, name, official time and what stands beside it."""
    credit = any(lane.standing and lane.standing.credit_ms for lane in lanes)
    shown = len(HEADINGS) if credit else len(HEADINGS) - 1
    widths = list(WIDTHS)
    while shown > LEAST_HEADINGS and sum(widths[:shown]) + shown > width:
        shown -= 1
    widths = widths[:shown]
    spare = width - sum(widths) - shown
    widths[1] = max(6, min(24, widths[1] + spare))
    rows = [line(fitted(columns(HEADINGS[:shown], widths), width), look.soft)]
    marked = max((len(_mark(lane)) for lane in lanes), default=0)
    for lane in lanes:
        own = lane.seat == mine
        colour = look.accent if own else look.ink
        texts = _result(lane, marked)[:shown]
        why = dnf_reason(lane.why) if lane.status == "dnf" and shown > WORDY else ""
        if why:  # in the columns that only a finish fills
            texts[2] = texts[2].replace(f" {SHORT_WHY.get(lane.why, '')}", "", 1)
            told = columns(texts[:LEAST_HEADINGS], widths[:LEAST_HEADINGS])
            text = fitted(f"{told}  {why}", width)
        else:
            text = fitted(columns(texts, widths), width)
        rows.append(line(text, colour, bold=own or lane.place == 1))
    return rows


def _mark(lane: Lane) -> str:
    told = lane.standing
    if told is None or told.time_ms is None:
        return ""
    return PHOTO * told.photo + OUTAGE * (told.outage_ms > 0)


def _result(lane: Lane, marked: int) -> list[str]:
    told = lane.standing
    name = lane.name + (" ⚙" if lane.bot else "")
    place = f"{lane.place}" if lane.place else "-"
    if lane.status != "finished" or told is None or told.time_ms is None:
        why = SHORT_WHY.get(lane.why, "")
        text = f"DNF {why}".strip() if lane.status == "dnf" else ""
        text = text or out_text(lane.status, lane.why) or "racing"
        if lane.status != "dns":
            text += fitted(percent(lane.high), 5, right=True)
        return [place, name, text, str(lane.stm), "", "", "", ""]
    return [
        place,
        name,
        duration(told.time_ms) + fitted(_mark(lane), marked),
        str(told.stm),
        tps(told.stm, told.solve_ms or told.time_ms),
        str(told.mtm),
        "" if told.solve_ms is None else duration(told.solve_ms),
        f"{told.credit_ms} ms" if told.credit_ms else "",
    ]


def marks(results: Results) -> list[str]:
    """What the marks of the times mean, and how they were measured."""
    rows = results.standings
    said: list[str] = []
    if any(row.photo for row in rows):
        said.append(f"{PHOTO} photo finish: so close that the lines may have decided")
    if outage := max((row.outage_ms for row in rows), default=0):
        why = "for a failure of the server"
        said.append(f"{OUTAGE} up to {outage} ms of the credit: {why}")
    if results.friendly_timing:
        said.append(text("results.friendly"))
    return said


# --- Signals --------------------------------------------------------------------------

NAME_W = 14
SIGNAL_WIDTHS = (6, 4, 6, 6, 7, 5, 6)


def signal_rows(
    told: Sequence[SeatSignals], names: Mapping[int, str], look: Look, width: int
) -> list[Row]:
    """What each solve looks like, beside what is known of human record solvers."""
    widths = (0, NAME_W, *SIGNAL_WIDTHS)
    if sum(widths) + len(widths) > width:
        said = list(solve_figures.sentences(told, dict(names)))
        return [
            line(part, look.ink if index else look.accent, bold=not index)
            for index, text in enumerate(said)
            for part in wrap(text, width)
        ]
    heading = columns(("", "racer", *solve_figures.LABELS.values()), widths)
    humans = columns(("", "record solvers", *solve_figures.people(told)), widths)
    rows = [
        line(solve_figures.HEADING, look.accent, bold=True),
        line(""),
        line(heading, look.soft),
    ]
    for one in told:
        texts = ("", names.get(one.seat, "?"), *solve_figures.figures(one))
        rows.append(line(columns(texts, widths), look.ink))
    rows += [line(humans, look.soft), line("")]
    for note in solve_figures.notes(told):
        rows += [line(part, look.soft) for part in wrap(note, width)]
    return rows
