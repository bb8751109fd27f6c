"""The tables after a race, as rows of text: the results, and figures of the solves."""

from collections.abc import Mapping, Sequence
from textwrap import wrap

from sliderace.protocol.messages import Results, SeatSignals
from sliderace.protocol.names import cells
from sliderace.race.ranking import plausible
from sliderace.texts import text
from sliderace_client.room.lanes import Lane
from sliderace_client.shared_ui import solve_figures
from sliderace_client.shared_ui.render import Look, Paint, Row, Run
from sliderace_client.shared_ui.wording import (
    dnf_reason,
    duration,
    status,
    without_level,
)
from sliderace_client.tui.rows import (
    cut,
    fitted,
    marked_name,
    percent,
    racer_name,
    short_out_text,
    text_row,
    tps,
)

__all__ = ["footnotes", "podium_row", "result_rows", "signal_rows", "table_row"]


def table_row(contents: Sequence[str], widths: Sequence[int]) -> str:
    """Return a row of a table: the first two columns left-aligned, the others right."""
    return " ".join(
        fitted(content, width, right=index > 1)
        for index, (content, width) in enumerate(zip(contents, widths, strict=True))
    )


# --- Results --------------------------------------------------------------------------

PODIUM = 3
"""The last place on the podium."""


def podium_row(lanes: Sequence[Lane], mine: int | None, look: Look, width: int) -> Row:
    """Return the first finishers with their times, as many as fit.

    Args:
        lanes: in order; somebody has finished.
        mine: the player's seat, if any.
        look: colours.
        width: columns.
    """
    runs: list[Run] = []
    first = lanes[0].time_ms or 0
    for lane in lanes:
        if lane.time_ms is None or (lane.place or 1) > PODIUM:
            break
        gap = lane.time_ms - first
        time = f"+{duration(gap)}" if gap else duration(lane.time_ms)
        name = without_level(marked_name(lane.name, bot=lane.bot))
        content = f"{lane.place or 1} {name} {time}"
        content = f"   {content}" if runs else cut(content, width)
        width -= cells(content)
        if width < 0:
            break
        own, won = lane.seat == mine, not gap
        colour = look.accent if own else look.good if won else look.ink
        runs.append(Run(content, Paint(colour, bold=own or won)))
    return tuple(runs)


WIDTHS: tuple[int, ...] = (2, 16, 15, 5, 6, 5, 10, 9)
MIN_COLUMNS = 4
"""Place, racer, time and moves are always shown; the others if they fit."""
REASON_COLUMNS = 7
"""With this many columns, those that only a finisher needs have room for a reason."""
PHOTO, OUTAGE = "≈", "†"
"""Marks beside a time; `footnotes` explains them."""


def result_rows(
    lanes: Sequence[Lane], mine: int | None, look: Look, width: int
) -> list[Row]:
    """Return the results as a table.

    Args:
        lanes: in order.
        mine: the player's seat, if any.
        look: colours.
        width: columns of the table.
    """
    headings = [
        "",
        text("tui.table.racer"),
        text("tui.table.time"),
        text("tui.table.moves"),
        text("tui.table.tps"),
        text("tui.table.mtm"),
        text("tui.table.solve"),
        text("tui.table.credit"),
    ]
    credit = any(lane.standing and lane.standing.credit_ms for lane in lanes)
    count = len(headings) if credit else len(headings) - 1
    widths = list(WIDTHS)
    while count > MIN_COLUMNS and sum(widths[:count]) + count > width:
        count -= 1
    widths = widths[:count]
    spare = width - sum(widths) - count
    widths[1] = max(6, min(24, widths[1] + spare))
    heading = fitted(table_row(headings[:count], widths), width)
    rows = [text_row(heading, look.soft)]
    mark_w = max((len(_mark(lane)) for lane in lanes), default=0)
    for lane in lanes:
        own = lane.seat == mine
        reason = dnf_reason(lane.why) if lane.status == "dnf" else ""
        if reason and count >= REASON_COLUMNS:
            ended = status(lane.status) + _progress(lane)
            contents = _first_columns(lane, widths[1], ended)
            row = table_row(contents, widths[:MIN_COLUMNS])
            content = f"{row}  {reason}"
        else:
            content = table_row(_columns(lane, widths[1], mark_w)[:count], widths)
        colour = look.accent if own else look.ink
        bold = own or lane.place == 1
        rows.append(text_row(fitted(content, width), colour, bold=bold))
    return rows


def _mark(lane: Lane) -> str:
    standing = lane.standing
    if standing is None or standing.time_ms is None:
        return ""
    return PHOTO * standing.photo + OUTAGE * (standing.outage_ms > 0)


def _first_columns(lane: Lane, name_w: int, time: str) -> list[str]:
    place = f"{lane.place}" if lane.place else "-"
    return [place, racer_name(lane, name_w), time, str(lane.stm)]


def _progress(lane: Lane) -> str:
    return fitted(percent(lane.high), 5, right=True)


def _columns(lane: Lane, name_w: int, mark_w: int) -> list[str]:
    standing = lane.standing
    if lane.status != "finished" or standing is None or standing.time_ms is None:
        outcome = short_out_text(lane.status, lane.why)
        if lane.status != "dns":
            outcome += _progress(lane)
        return [*_first_columns(lane, name_w, outcome), "", "", "", ""]
    time = duration(standing.time_ms) + fitted(_mark(lane), mark_w)
    solve_ms = plausible(standing.solve_ms, standing.stm)
    return [
        *_first_columns(lane, name_w, time),
        tps(standing.stm, solve_ms),
        str(standing.mtm),
        duration(solve_ms) if solve_ms else "",
        text("tui.table.ms", ms=standing.credit_ms) if standing.credit_ms else "",
    ]


def footnotes(results: Results, late_ms: int) -> list[str]:
    """Return what the marks beside the times mean, and how they were measured.

    Args:
        results: of the race.
        late_ms: how much later than by our own clock our solve counts; 0: it does not.
    """
    rows = results.standings
    notes: list[str] = []
    if any(row.photo for row in rows):
        notes.append(text("tui.table.photo_finish"))
    if outage := max((row.outage_ms for row in rows), default=0):
        notes.append(text("tui.table.outage", ms=outage))
    if results.friendly_timing:
        notes.append(text("results.friendly"))
    if late_ms:
        late = text("tui.race.seconds", time=duration(late_ms))
        notes.append(text("results.late", late=late))
    return notes


# --- Signals --------------------------------------------------------------------------

NAME_W = 14
SIGNAL_WIDTHS = (6, 4, 6, 6, 7, 5, 6)


def signal_rows(
    signals: Sequence[SeatSignals], names: Mapping[int, str], look: Look, width: int
) -> list[Row]:
    """Return figures of each solve, beside those of human record solves.

    Args:
        signals: as the server sent them.
        names: of the racers, by seat.
        look: colours.
        width: columns; if the table does not fit, sentences replace it.
    """
    widths = (0, NAME_W, *SIGNAL_WIDTHS)
    if sum(widths) + len(widths) > width:
        sentences = solve_figures.sentences(signals, dict(names))
        return [
            text_row(part, look.ink if index else look.accent, bold=not index)
            for index, sentence in enumerate(sentences)
            for part in wrap(sentence, width)
        ]
    labels = ("", text("tui.table.racer"), *solve_figures.labels())
    humans = ("", text("signal.humans"), *solve_figures.human_ranges(signals))
    rows = [
        text_row(text("signal.heading"), look.accent, bold=True),
        text_row(""),
        text_row(table_row(labels, widths), look.soft),
    ]
    for one in signals:
        contents = ("", names.get(one.seat, "?"), *solve_figures.figures(one))
        rows.append(text_row(table_row(contents, widths), look.ink))
    rows += [text_row(table_row(humans, widths), look.soft), text_row("")]
    for note in solve_figures.notes(signals):
        rows += [text_row(part, look.soft) for part in wrap(note, width)]
    return rows
