"""The parts of the screens as rows of text: pure, and without markup.

Every function takes what it shows, the look, and the width it has; the result fits it.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import segno

from sliderace.protocol.messages import Member, MemberLatency, StatusName
from sliderace.protocol.names import cells
from sliderace.race.rules import Rules
from sliderace.texts import text
from sliderace_client.room.lanes import Lane
from sliderace_client.shared_ui import wording
from sliderace_client.shared_ui.render import (
    Look,
    Paint,
    Row,
    Run,
    big_size,
    big_text,
    qr_rows,
)
from sliderace_client.shared_ui.wording import duration, round_trip

__all__ = [
    "bar",
    "clock_text",
    "count_text",
    "cut",
    "fitted",
    "lane_rows",
    "large_message",
    "marked_name",
    "member_row",
    "name_and_latency",
    "out_text",
    "percent",
    "period_text",
    "qr_code_rows",
    "rules_text",
    "short_out_text",
    "text_row",
    "tps",
]


# --- Text -----------------------------------------------------------------------------


def fitted(content: str, width: int, *, right: bool = False) -> str:
    """Return text in exactly `width` cells: padded, or cut with an ellipsis.

    >>> fitted("Annabel", 5), fitted("Ann", 5, right=True)
    ('Anna…', '  Ann')
    """
    if width <= 0:
        return ""
    if cells(content) > width:
        kept = ""
        for char in content:
            if cells(kept + char) > width - 1:
                break
            kept += char
        content = kept + "…"
    space = " " * (width - cells(content))
    return space + content if right else content + space


def cut(content: str, width: int) -> str:
    """Return text in at most `width` cells, cut with an ellipsis.

    >>> cut("Annabel", 5), cut("Ann", 5)
    ('Anna…', 'Ann')
    """
    return content if cells(content) <= width else fitted(content, width)


def text_row(content: str, fg: str = "", *, bold: bool = False) -> Row:
    """Return one row in one paint."""
    return (Run(content, Paint(fg, bold=bold)),)


def clock_text(ms: int) -> str:
    """Format a running clock, in tenths of a second.

    >>> clock_text(41_380), clock_text(62_007), clock_text(3_661_000)
    ('41.3', '1:02.0', '1:01:01.0')
    """
    return duration(ms)[:-2]


def period_text(ms: int) -> str:
    """Format a limit or a delay.

    >>> period_text(300_000), period_text(90_000), period_text(3_600_000)
    ('5 min', '90 s', '1 h')
    """
    if ms % 3_600_000 == 0:
        return text("tui.period.hours", n=ms // 3_600_000)
    if ms % 60_000 == 0:
        return text("tui.period.minutes", n=ms // 60_000)
    return text("tui.period.seconds", n=f"{ms / 1000:g}")


def tps(stm: int, ms: int | None) -> str:
    """Format tiles per second with two decimals; a dash before the clock runs."""
    return f"{stm * 1000 / ms:.2f}" if ms else "-"


def count_text(stm: int, clock: int | None) -> str:
    """Format the counts of an attempt: tiles moved, and tiles per second."""
    return text("tui.counts", count=stm, tps=tps(stm, clock))


def rules_text(rules: Rules, *, seed_known: bool = False) -> str:
    """List the rules in one line, omitting defaults.

    >>> rules_text(Rules())
    '4x4, 5 min, boards hidden'
    """
    limit = rules.time_limit_ms
    parts = [rules.size, period_text(limit) if limit else text("rules.no_limit")]
    parts.append(
        text("rules.boards_open") if rules.open_boards else text("rules.boards_hidden")
    )
    if rules.start == "host":
        parts.append(text("rules.host_starts"))
    if rules.start == "every":
        parts.append(text("rules.starts_every", time=period_text(rules.every_ms)))
    if rules.inspection_ms:
        period = period_text(rules.inspection_ms)
        parts.append(text("rules.to_inspect", time=period))
    if rules.spectator_delay_ms:
        period = period_text(rules.spectator_delay_ms)
        parts.append(text("rules.spectators_behind", time=period))
    if rules.friendly_timing:
        parts.append(text("rules.friendly_timing"))
    if seed_known:
        parts.append(text("race.seed_known"))
    return ", ".join(parts)


def large_message(content: str, colour: str, columns: int, rows: int) -> list[Row]:
    """Return a word or a number in numerals as large as the space allows."""
    scale = 1
    while (
        big_size(content, scale + 1)[0] <= columns - 4
        and big_size(content, scale + 1)[1] <= rows - 2
        and scale < 3  # larger is not easier to read
    ):
        scale += 1
    return [(Run(row, Paint(colour)),) for row in big_text(content, scale)]


QR_BACKGROUND, QR_INK = "#ffffff", "#000000"
"""Scanners need the highest contrast, dark on light, whatever the theme."""


@lru_cache(maxsize=8)
def qr_code_rows(link: str) -> list[Row]:
    """Return the QR code of a link in half blocks, with its quiet zone."""
    code = segno.make(link, error="l", micro=False)
    matrix = [list(row) for row in code.matrix_iter(border=2)]
    return [(Run(row, Paint(QR_INK, QR_BACKGROUND)),) for row in qr_rows(matrix)]


# --- Racers ---------------------------------------------------------------------------


def bar(permille: int, width: int, look: Look, colour: str) -> Row:
    """Return a progress bar, exact to an eighth of a cell."""
    if look.mono:
        full = permille * width // 1000
        return (Run("█" * full + "·" * (width - full), Paint()),)
    eighths = permille * width * 8 // 1000
    full, rest = divmod(eighths, 8)
    part = " ▏▎▍▌▋▊▉"[rest] if rest else ""
    empty = " " * (width - full - len(part))
    return (Run("█" * full + part + empty, Paint(colour, look.well)),)


def percent(permille: int) -> str:
    """Format progress as a whole percentage, never rounded up."""
    return f"{permille // 10}%"


_DNF_SHORT = {
    "limit": "tui.dnf_short.limit",
    "grace": "tui.dnf_short.grace",
    "away": "tui.dnf_short.away",
    "left": "tui.dnf_short.left",
    "kicked": "tui.dnf_short.kicked",
    "called": "tui.dnf_short.called",
}


def out_text(status: StatusName, why: str) -> str:
    """Return how a racer ended without finishing."""
    reason = wording.dnf_reason(why) if status == "dnf" else ""
    return text("tui.dnf", reason=reason) if reason else wording.status(status)


def short_out_text(status: StatusName, why: str) -> str:
    """Return the same as `out_text`, short enough for a column of a table."""
    short = status == "dnf" and why in _DNF_SHORT
    return text(_DNF_SHORT[why]) if short else wording.status(status)


def marked_name(name: str, *, bot: bool) -> str:
    """Return a name, with a mark if it is a bot's."""
    return f"{name} ⚙" if bot else name


def name_and_latency(
    name: str, latency: MemberLatency | None, width: int
) -> tuple[str, str]:
    """Fit a name and its member's latency into `width` cells; the name has priority.

    >>> name_and_latency("Ada", MemberLatency(1, 23, 4), 12)
    ('Ada', ' 23±4 ms ')
    >>> name_and_latency("Annabel", MemberLatency(1, 23, 4), 13)
    ('Annabel', ' 23 ms')
    """
    if latency is not None:
        without_jitter = MemberLatency(latency.member, latency.rtt_ms, 0)
        spare = width - cells(name) - 1
        for content in (round_trip(latency), round_trip(without_jitter)):
            if cells(content) <= spare:
                return name, fitted(f" {content}", spare + 1)
    return fitted(name, width), ""


MARK_W = 3
"""Columns of a lane's mark: a place, with a question mark while it can be lost."""
SOLVED = 1000
"""Permille of progress that only a solved board has."""


def lane_rows(
    lanes: Sequence[Lane],
    away: Iterable[int],
    mine: int | None,
    look: Look,
    width: int,
    height: int,
    latencies: Mapping[int, MemberLatency] | None = None,
    late: int = 0,
    cache: dict[int, Row] | None = None,
) -> list[Row]:
    """Return one row per racer, best first; the player's own is always among them.

    Args:
        lanes: in order.
        away: ids of members who are disconnected.
        mine: the player's seat, if any.
        look: colours.
        width: columns.
        height: rows; if there are more racers, the last row counts the others.
        latencies: by member id.
        late: slides of the player that the server should have stored by now.
        cache: rows by seat; a row that is in it is used as it is, and a new one is
            added.
    """
    best = lanes[0] if lanes else None
    away = set(away)
    latencies = latencies or {}
    cache = {} if cache is None else cache
    shown = list(lanes)
    if len(shown) > height > 0:
        shown = shown[: height - 1]
        own = [lane for lane in lanes if lane.seat == mine and lane not in shown]
        shown[len(shown) - len(own) :] = own
    for lane in shown:
        if lane.seat not in cache:
            cache[lane.seat] = _lane(
                lane,
                None if lane.member in away else latencies.get(lane.member or 0),
                look,
                width,
                away=lane.member in away,
                own=lane.seat == mine,
                best=best,
                late=late if lane.seat == mine else 0,
            )
    rows = [cache[lane.seat] for lane in shown]
    if len(lanes) > len(shown) and height > 0:
        more = text("tui.lanes.more", n=len(lanes) - len(shown))
        rows.append(text_row(f"  {more}", look.soft))
    return rows[: max(0, height)]


HIGH_LATENCY_MS = 300
"""From this sum of round trip and jitter on, a connection is marked as slow."""


def _mark(
    lane: Lane,
    latency: MemberLatency | None,
    look: Look,
    *,
    away: bool,
    own: bool,
    late: int,
) -> Run:
    """Return a place, or the connection: ● good, ◐ slow, ↯ lost; ▸ is the player."""
    if lane.place and lane.status == "finished":
        sign, colour = str(lane.place) + ("" if lane.final else "?"), look.soft
    elif lane.status != "racing":
        sign, colour = "", look.soft
    elif away:
        sign, colour = "↯", look.bad
    elif late:
        sign, colour = f"◐{min(late, 99)}", look.bad
    elif own:
        sign, colour = "▸", look.accent
    elif latency is not None and latency.rtt_ms + latency.jitter_ms >= HIGH_LATENCY_MS:
        sign, colour = "◐", look.bad
    else:
        sign, colour = "●", look.good
    return Run(fitted(sign, MARK_W), Paint(colour, bold=True))


def _lane(
    lane: Lane,
    latency: MemberLatency | None,
    look: Look,
    width: int,
    *,
    away: bool,
    own: bool,
    best: Lane | None,
    late: int,
) -> Row:
    """Return mark, name and latency; then progress and distance, or how it ended."""
    share = width * 2 // 5 if width >= LONG_NAMES_W else width // 3
    name_w = min(20, max(7, share))
    shown_name = marked_name(lane.name, bot=lane.bot)
    name, latency_text = name_and_latency(shown_name, latency, name_w)
    label = (
        _mark(lane, latency, look, away=away, own=own, late=late),
        Run(name, Paint(look.accent if own else look.ink, bold=own)),
        Run(latency_text, Paint(look.soft)),
        Run(" ", Paint()),
    )
    rest = width - name_w - MARK_W - 1
    if lane.status == "finished" or (lane.status == "racing" and lane.high == SOLVED):
        result = fitted(_finish_text(lane, best, rest), rest)
        return (*label, Run(result, Paint(look.good, bold=True)))
    if lane.status != "racing":
        result = f"{out_text(lane.status, lane.why)} {percent(lane.high)}"
        if cells(result) > rest:
            result = f"{short_out_text(lane.status, lane.why)} {percent(lane.high)}"
        return (*label, Run(fitted(result, rest), Paint(look.bad)))
    tail = fitted(percent(lane.high), 4, right=True)
    distance = fitted(_distance(lane, best), 5, right=True) if rest >= BAR_W else ""
    colour = look.accent if own else look.bad if away else look.soft
    progress = bar(lane.high, max(0, rest - len(tail) - len(distance)), look, colour)
    ink = Paint(look.bad if away else look.ink)
    return (*label, *progress, Run(tail, ink), Run(distance, Paint(look.soft)))


LONG_NAMES_W = 29
"""From this width on, names get a larger share of a lane."""
BAR_W = 13
"""From this width on, a bar still has room beside percentage and distance."""


def _distance(lane: Lane, best: Lane | None) -> str:
    """Return the percentage points behind the leader; empty for the leader."""
    if best is None or best.seat == lane.seat:
        return ""
    lead = SOLVED if best.status == "finished" else best.high
    points = lead // 10 - lane.high // 10
    return f"-{points}" if points > 0 else "="


def _finish_text(lane: Lane, best: Lane | None, width: int) -> str:
    """Return a time, and its distance to the best and its credit if they fit."""
    if lane.time_ms is None:
        return text("tui.lanes.solved")
    content = f"✓ {duration(lane.time_ms)}"
    credit = lane.standing.credit_ms if lane.standing else 0
    first = best.time_ms if best is not None else None
    after = lane.time_ms - first if first is not None else 0
    for more in (
        f" +{duration(after)}" if after > 0 else "",
        f" {text('tui.lanes.credit', ms=credit)}" if credit else "",
    ):
        if cells(content + more) <= width:
            content += more
    return content


# --- Members --------------------------------------------------------------------------

WIDE_W = 62
"""From this width on, even the longest name fits beside its latency."""
STATE_FROM = 50
"""From this width on, a column shows readiness; narrower rows have only the mark."""


def member_row(
    member: Member,
    host: int | None,
    me: int | None,
    look: Look,
    width: int,
    *,
    chosen: bool,
    latency: MemberLatency | None = None,
) -> Row:
    """Return one member in the lobby: mark, name, latency, ready or not, who they are.

    Args:
        member: whom to show.
        host: member id of the host.
        me: own member id.
        look: colours.
        width: columns.
        chosen: whether the cursor is on this row.
        latency: of this member, if known.
    """
    tags = [
        text(key)
        for key, applies in (
            ("tui.member.you", member.id == me),
            ("tui.member.host", member.id == host),
            ("tui.member.bot", member.bot),
            ("member.spectator", member.role == "spectator"),
            ("tui.member.benched", member.benched),
            ("tui.member.reconnecting", not member.connected),
        )
        if applies
    ]
    plays = member.role == "player" and not member.benched
    mark, mark_paint = "  ", Paint(look.soft)
    if plays:
        mark = "✓ " if member.ready else "· "
        mark_paint = Paint(look.good if member.ready else look.soft, bold=member.ready)
    key = "member.ready" if member.ready else "member.not_ready"
    state = text(key) if plays else ""
    state_w = 10 if width >= STATE_FROM else 0
    name_w = min(31 if width >= WIDE_W else 21, width - 4)
    name, latency_text = name_and_latency(
        member.name, latency if member.connected else None, name_w
    )
    back = look.raised if chosen else ""
    row = (
        Run("▸ " if chosen else "  ", Paint(look.accent, bold=True)),
        Run(mark, mark_paint),
        Run(name, Paint(look.ink, bold=member.id == me)),
        Run(latency_text, Paint(look.soft)),
        Run(fitted(state, state_w), Paint(look.good if member.ready else look.soft)),
        Run(
            fitted(", ".join(tags), width - 4 - name_w - state_w),
            Paint(look.soft),
        ),
    )
    return tuple(run._replace(paint=run.paint._replace(bg=back)) for run in row)
