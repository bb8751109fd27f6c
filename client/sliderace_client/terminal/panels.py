"""What each part of a screen says, as rows of text: pure, and without markup.

Every function takes what it shows, the look, and the width it has; the result fits it.
"""

from collections.abc import Iterable, Sequence

from sliderace.protocol.messages import Member, StatusName
from sliderace.protocol.names import cells
from sliderace.race.rules import Rules
from sliderace_client.lanes import Lane
from sliderace_client.phrases import duration
from sliderace_client.render import Look, Paint, Row, Run, big_size, big_text

__all__ = [
    "banner",
    "bar",
    "clock_text",
    "columns",
    "fitted",
    "lane_rows",
    "line",
    "member_row",
    "minutes",
    "moves",
    "result_rows",
    "rule_line",
    "tps",
]

WHY_OUT = {
    "limit": "time limit",
    "grace": "grace time over",
    "away": "away too long",
    "left": "left",
    "kicked": "sent out",
    "called": "time was called",
}
"""Why a racer is DNF, in words."""
SHORT_WHY = WHY_OUT | {
    "limit": "limit",
    "grace": "grace",
    "away": "away",
    "called": "called",
}
"""The same for a column of a table."""


# --- Text -----------------------------------------------------------------------------


def fitted(text: str, width: int, *, right: bool = False) -> str:
    """`text` in exactly `width` cells: padded, or cut with an ellipsis.

    >>> fitted("Annabel", 5), fitted("Ann", 5, right=True)
    ('Anna…', '  Ann')
    """
    if width <= 0:
        return ""
    if cells(text) > width:
        kept = ""
        for char in text:
            if cells(kept + char) > width - 1:
                break
            kept += char
        text = kept + "…"
    space = " " * (width - cells(text))
    return space + text if right else text + space


def line(text: str, fg: str = "", *, bold: bool = False) -> Row:
    """One row in one paint."""
    return (Run(text, Paint(fg, bold=bold)),)


def clock_text(ms: int) -> str:
    """A running clock, in tenths.

    >>> clock_text(41_380), clock_text(62_007), clock_text(3_661_000)
    ('41.3', '1:02.0', '1:01:01.0')
    """
    return duration(ms)[:-2]


def minutes(ms: int) -> str:
    """A limit in words.

    >>> minutes(300_000), minutes(90_000), minutes(3_600_000)
    ('5 min', '90 s', '1 h')
    """
    if ms % 3_600_000 == 0:
        return f"{ms // 3_600_000} h"
    if ms % 60_000 == 0:
        return f"{ms // 60_000} min"
    return f"{ms / 1000:g} s"


def tps(stm: int, ms: int | None) -> str:
    """Tiles per second, two decimals; a dash before the clock runs."""
    return f"{stm * 1000 / ms:.2f}" if ms else "-"


def moves(count: int) -> str:
    """How many tiles were moved."""
    return f"{count} move" if count == 1 else f"{count} moves"


def rule_line(rules: Rules, *, seed_known: bool = False) -> str:
    """The rules in one line; what is as usual is left out.

    >>> rule_line(Rules())
    '4x4, 5 min, boards hidden'
    """
    limit = rules.time_limit_ms
    parts = [rules.size, minutes(limit) if limit else "no time limit"]
    parts.append("boards open" if rules.open_boards else "boards hidden")
    if rules.start == "host":
        parts.append("the host starts")
    if rules.start == "every":
        parts.append(f"a race every {minutes(rules.every_ms)}")
    if rules.inspection_ms:
        parts.append(f"{minutes(rules.inspection_ms)} inspection")
    if rules.spectator_delay_ms:
        parts.append(f"spectators {minutes(rules.spectator_delay_ms)} behind")
    if seed_known:
        parts.append("seed known in advance")
    return ", ".join(parts)


def banner(text: str, colour: str, columns: int, rows: int) -> list[Row]:
    """Large numerals as large as they fit."""
    scale = 1
    while (
        big_size(text, scale + 1)[0] <= columns - 4
        and big_size(text, scale + 1)[1] <= rows - 2
        and scale < 3  # larger than that is no clearer, only louder
    ):
        scale += 1
    return [(Run(row, Paint(colour)),) for row in big_text(text, scale)]


# --- People ---------------------------------------------------------------------------


def bar(permille: int, width: int, look: Look, colour: str) -> Row:
    """Progress; the last eighth of a cell is drawn too."""
    if look.mono:
        full = permille * width // 1000
        return (Run("█" * full + "·" * (width - full), Paint()),)
    eighths = permille * width * 8 // 1000
    full, rest = divmod(eighths, 8)
    part = " ▏▎▍▌▋▊▉"[rest] if rest else ""
    empty = " " * (width - full - len(part))
    return (Run("█" * full + part + empty, Paint(colour, look.well)),)


def percent(permille: int) -> str:
    """Whole percent, never rounded up."""
    return f"{permille // 10}%"


def out_text(status: StatusName, why: str) -> str:
    """A status in words."""
    match status:
        case "dnf":
            return f"DNF ({WHY_OUT[why]})" if why in WHY_OUT else "DNF"
        case "forfeited":
            return "gave up"
        case "dns":
            return "did not start"
        case _:
            return ""


SOLVED = 1000
"""Permille of progress that only a solved board has."""


def lane_rows(
    lanes: Sequence[Lane],
    away: Iterable[int],
    mine: int | None,
    look: Look,
    width: int,
    height: int,
) -> list[Row]:
    """One lane per racer, best first; one's own is always among them.

    Args:
        lanes: in order.
        away: member ids whose connection is lost.
        mine: own seat, if any.
        look: colours.
        width: columns.
        height: rows; what does not fit is counted in the last one.
    """
    gone = set(away)
    shown = list(lanes)
    if len(shown) > height > 0:
        shown = shown[: height - 1]
        own = [lane for lane in lanes if lane.seat == mine and lane not in shown]
        shown[len(shown) - len(own) :] = own
    rows = [
        _lane(lane, lane.member in gone, lane.seat == mine, look, width)
        for lane in shown
    ]
    if len(lanes) > len(shown) and height > 0:
        rows.append(line(f"  and {len(lanes) - len(shown)} more", look.soft))
    return rows[: max(0, height)]


def _lane(lane: Lane, away: bool, own: bool, look: Look, width: int) -> Row:
    """Mark, name, then progress, or how it ended. The mark is place, ↯ or ▸."""
    name_w = min(20, max(7, width * 2 // 5))
    mark, mark_colour = ("▸", look.accent) if own else ("", look.soft)
    if away and lane.status == "racing":
        mark, mark_colour = "↯", look.bad
    if lane.place and lane.status == "finished":
        mark = str(lane.place)
    name = lane.name + (" ⚙" if lane.bot else "")
    label = (
        Run(fitted(mark, 2), Paint(mark_colour, bold=True)),
        Run(fitted(name, name_w), Paint(look.accent if own else look.ink, bold=own)),
        Run(" ", Paint()),
    )
    room = width - name_w - 3
    if lane.status == "finished" or (lane.status == "racing" and lane.high == SOLVED):
        time = "solved" if lane.time_ms is None else duration(lane.time_ms)
        done = Run(fitted(f"✓ {time}", room), Paint(look.good, bold=True))
        return (*label, done)
    if lane.status != "racing":
        text = f"{out_text(lane.status, lane.why)} {percent(lane.high)}"
        return (*label, Run(fitted(text, room), Paint(look.bad)))
    tail = fitted(percent(lane.high), 5, right=True)
    colour = look.accent if own else look.bad if away else look.soft
    progress = bar(lane.high, max(0, room - len(tail)), look, colour)
    return (*label, *progress, Run(tail, Paint(look.bad if away else look.ink)))


def member_row(
    member: Member,
    host: int | None,
    me: int | None,
    look: Look,
    width: int,
    *,
    chosen: bool,
) -> Row:
    """One person in the lobby: mark, name, who they are, ready or not."""
    own = member.id == me
    tags = [
        word
        for word, holds in (
            ("you", own),
            ("♛ host", member.id == host),
            ("⚙ bot", member.bot),
            ("watches", member.role == "spectator"),
            ("benched", member.benched),
            ("↯ reconnecting", not member.connected),
        )
        if holds
    ]
    plays = member.role == "player" and not member.benched
    mark, mark_paint = "  ", Paint(look.soft)
    if plays:
        mark = "✓ " if member.ready else "· "
        mark_paint = Paint(look.good if member.ready else look.soft, bold=member.ready)
    state = ("ready" if member.ready else "not ready") if plays else ""
    state_w = 10 if width >= 50 else 0
    name_w = min(21, width - 4)
    back = look.raised if chosen else ""
    row = (
        Run("▸ " if chosen else "  ", Paint(look.accent, bold=True)),
        Run(mark, mark_paint),
        Run(fitted(member.name, name_w), Paint(look.ink, bold=own)),
        Run(fitted(state, state_w), Paint(look.good if member.ready else look.soft)),
        Run(
            fitted(" ".join(tags), width - 4 - name_w - state_w),
            Paint(look.soft),
        ),
    )
    return tuple(run._replace(paint=run.paint._replace(bg=back)) for run in row)


# --- Results --------------------------------------------------------------------------


def columns(texts: Sequence[str], widths: Sequence[int]) -> str:
    """A row of a table: the first two left-aligned, numbers right-aligned."""
    return " ".join(
        fitted(text, width, right=index > 1)
        for index, (text, width) in enumerate(zip(texts, widths, strict=True))
    )


HEADINGS = ("", "racer", "time", "moves", "TPS", "MTM", "solve", "credit")
WIDTHS: tuple[int, ...] = (2, 16, 15, 5, 6, 5, 10, 7)
LEAST_HEADINGS = 4
"""Place, racer, time and moves are shown at any width; the others where they fit."""


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
    for lane in lanes:
        own = lane.seat == mine
        colour = look.accent if own else look.ink
        texts = _result(lane)[:shown]
        text = fitted(columns(texts, widths), width)
        rows.append(line(text, colour, bold=own or lane.place == 1))
    return rows


def _result(lane: Lane) -> list[str]:
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
        duration(told.time_ms),
        str(told.stm),
        tps(told.stm, told.solve_ms or told.time_ms),
        str(told.mtm),
        "" if told.solve_ms is None else duration(told.solve_ms),
        f"{told.credit_ms} ms" if told.credit_ms else "",
    ]
