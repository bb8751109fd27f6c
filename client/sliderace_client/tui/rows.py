"""What each part of a screen says, as rows of text: pure, and without markup.

Every function takes what it shows, the look, and the width it has; the result fits it.
"""

from collections.abc import Iterable, Mapping, Sequence

from sliderace.protocol.messages import Member, MemberLatency, StatusName
from sliderace.protocol.names import cells
from sliderace.race.rules import Rules
from sliderace_client.room.lanes import Lane
from sliderace_client.shared_ui.render import Look, Paint, Row, Run, big_size, big_text
from sliderace_client.shared_ui.wording import duration, round_trip

__all__ = [
    "SHORT_WHY",
    "banner",
    "bar",
    "clock_text",
    "fitted",
    "lane_rows",
    "line",
    "member_row",
    "minutes",
    "moves",
    "named",
    "out_text",
    "percent",
    "rule_line",
    "tps",
]

WHY_OUT = {
    "limit": "time limit",
    "grace": "grace time over",
    "away": "away too long",
    "left": "left",
    "kicked": "sent out",
    "called": "the host called time",
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
    if rules.friendly_timing:
        parts.append("friendly timing")
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


def named(name: str, told: MemberLatency | None, width: int) -> tuple[str, str]:
    """A name and how far away its bearer is, in `width` cells; the name comes first.

    >>> named("Ada", LineOf(1, 23, 4), 12), named("Annabel", LineOf(1, 23, 4), 12)
    (('Ada', ' 23±4 ms '), ('Annabel', ' 23 ms'))
    """
    short = None if told is None else MemberLatency(told.member, told.rtt_ms, 0)
    texts = [round_trip(told), round_trip(short)] if told is not None else []
    for text in texts:
        spare = width - cells(name) - 1
        if cells(text) <= spare:
            return name, fitted(f" {text}", spare + 1)
    return fitted(name, width), ""


MARK_W = 3
"""Columns of a lane's mark: a place, and a question where it may still be lost."""
SOLVED = 1000
"""Permille of progress that only a solved board has."""


def lane_rows(
    lanes: Sequence[Lane],
    away: Iterable[int],
    mine: int | None,
    look: Look,
    width: int,
    height: int,
    lines: Mapping[int, MemberLatency] | None = None,
    waiting: int = 0,
    drawn: dict[int, Row] | None = None,
) -> list[Row]:
    """One lane per racer, best first; one's own is always among them.

    Args:
        lanes: in order.
        away: member ids whose connection is lost.
        mine: own seat, if any.
        look: colours.
        width: columns.
        height: rows; what does not fit is counted in the last one.
        lines: how far away members are, by their ids.
        waiting: own slides that the server should have stored by now.
        drawn: lanes as they are on the screen, by seat: these stay as they are. Those
            that are missing are drawn, and added.
    """
    best = lanes[0] if lanes else None
    gone = set(away)
    told = lines or {}
    shown = list(lanes)
    if len(shown) > height > 0:
        shown = shown[: height - 1]
        own = [lane for lane in lanes if lane.seat == mine and lane not in shown]
        shown[len(shown) - len(own) :] = own
    drawn = {} if drawn is None else drawn
    for lane in shown:
        if lane.seat not in drawn:
            drawn[lane.seat] = _lane(
                lane,
                None if lane.member in gone else told.get(lane.member or 0),
                look,
                width,
                away=lane.member in gone,
                own=lane.seat == mine,
                best=best,
                waiting=waiting if lane.seat == mine else 0,
            )
    rows = [drawn[lane.seat] for lane in shown]
    if len(lanes) > len(shown) and height > 0:
        rows.append(line(f"  and {len(lanes) - len(shown)} more", look.soft))
    return rows[: max(0, height)]


FAR_MS = 300
"""A round trip and its wavering from which on a line is late."""


def _mark(
    lane: Lane,
    told: MemberLatency | None,
    look: Look,
    *,
    away: bool,
    own: bool,
    waiting: int,
) -> Run:
    """A place, or how the connection is: ● ok, ◐ late, ↯ lost; ▸ is one's own."""
    if lane.place and lane.status == "finished":
        sign, colour = str(lane.place) + ("" if lane.final else "?"), look.soft
    elif lane.status != "racing":
        sign, colour = "", look.soft
    elif away:
        sign, colour = "↯", look.bad
    elif waiting:
        sign, colour = f"◐{min(waiting, 99)}", look.bad
    elif own:
        sign, colour = "▸", look.accent
    elif told is not None and told.rtt_ms + told.jitter_ms >= FAR_MS:
        sign, colour = "◐", look.bad
    else:
        sign, colour = "●", look.good
    return Run(fitted(sign, MARK_W), Paint(colour, bold=True))


def _lane(
    lane: Lane,
    told: MemberLatency | None,
    look: Look,
    width: int,
    *,
    away: bool,
    own: bool,
    best: Lane | None,
    waiting: int,
) -> Row:
    """Mark, name, then progress and how far behind, or how it ended."""
    share = width * 2 // 5 if width >= NAMES_W else width // 3
    name_w = min(20, max(7, share))
    name, far = named(lane.name + (" ⚙" if lane.bot else ""), told, name_w)
    label = (
        _mark(lane, told, look, away=away, own=own, waiting=waiting),
        Run(name, Paint(look.accent if own else look.ink, bold=own)),
        Run(far, Paint(look.soft)),
        Run(" ", Paint()),
    )
    room = width - name_w - MARK_W - 1
    if lane.status == "finished" or (lane.status == "racing" and lane.high == SOLVED):
        done = Run(fitted(_time(lane, best, room), room), Paint(look.good, bold=True))
        return (*label, done)
    if lane.status != "racing":
        text = f"{out_text(lane.status, lane.why)} {percent(lane.high)}"
        return (*label, Run(fitted(text, room), Paint(look.bad)))
    tail = fitted(percent(lane.high), 4, right=True)
    behind = fitted(_behind(lane, best), 5, right=True) if room >= BEHIND_W else ""
    colour = look.accent if own else look.bad if away else look.soft
    progress = bar(lane.high, max(0, room - len(tail) - len(behind)), look, colour)
    ink = Paint(look.bad if away else look.ink)
    return (*label, *progress, Run(tail, ink), Run(behind, Paint(look.soft)))


NAMES_W = 29
"""Columns from which on names have more room than they must."""
BEHIND_W = 13
"""Columns from which on a bar is still one beside percent and delta."""


def _behind(lane: Lane, best: Lane | None) -> str:
    """Percent points behind the leader; empty for the leader."""
    if best is None or best.seat == lane.seat:
        return ""
    lead = SOLVED if best.status == "finished" else best.high
    points = lead // 10 - lane.high // 10
    return f"-{points}" if points > 0 else "="


def _time(lane: Lane, best: Lane | None, width: int) -> str:
    """A finish time, its distance to the first and its credit, as far as they fit."""
    if lane.time_ms is None:
        return "✓ solved"
    text = f"✓ {duration(lane.time_ms)}"
    credit = lane.standing.credit_ms if lane.standing else 0
    first = best.time_ms if best is not None else None
    after = lane.time_ms - first if first is not None else 0
    for more in (
        f" +{duration(after)}" if after > 0 else "",
        f" (-{credit} ms)" if credit else "",
    ):
        if cells(text + more) <= width:
            text += more
    return text


ROOMY_W = 62
"""Columns from which on the longest name and its line stand side by side."""


def member_row(
    member: Member,
    host: int | None,
    me: int | None,
    look: Look,
    width: int,
    *,
    chosen: bool,
    told: MemberLatency | None = None,
) -> Row:
    """One person in the lobby: mark, name, line, ready or not, who they are."""
    own = member.id == me
    tags = [
        word
        for word, holds in (
            ("you", own),
            ("♛ host", member.id == host),
            ("⚙ bot", member.bot),
            ("watch" if own else "watches", member.role == "spectator"),
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
    name_w = min(31 if width >= ROOMY_W else 21, width - 4)
    name, far = named(member.name, told if member.connected else None, name_w)
    back = look.raised if chosen else ""
    row = (
        Run("▸ " if chosen else "  ", Paint(look.accent, bold=True)),
        Run(mark, mark_paint),
        Run(name, Paint(look.ink, bold=own)),
        Run(far, Paint(look.soft)),
        Run(fitted(state, state_w), Paint(look.good if member.ready else look.soft)),
        Run(
            fitted(" ".join(tags), width - 4 - name_w - state_w),
            Paint(look.soft),
        ),
    )
    return tuple(run._replace(paint=run.paint._replace(bg=back)) for run in row)
