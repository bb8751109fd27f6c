"""The parts of the screens as rows of text: pure, and without markup.

Every function takes what it shows, the look, and the width it has; the result fits it.
"""

from functools import lru_cache

import segno

from sliderace.protocol.messages import Member, MemberLatency, StatusName
from sliderace.protocol.names import BOT_MARK, cells
from sliderace.race.ranking import plausible
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
from sliderace_client.shared_ui.wording import (
    duration,
    reaction_words,
    round_trip,
    without_level,
)

__all__ = [
    "clock_text",
    "count_text",
    "cut",
    "fitted",
    "fitted_name",
    "large_message",
    "marked_name",
    "member_row",
    "name_and_latency",
    "out_text",
    "percent",
    "period_text",
    "qr_code_rows",
    "racer_name",
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


def fitted_name(name: str, width: int) -> str:
    """Return a name in exactly `width` cells.

    A bot of the server goes without its level before letters are cut.

    >>> fitted_name("\u2699 Wren \u00b7 strong", 12), fitted_name("Annabel", 5)
    ('\u2699 Wren      ', 'Anna\u2026')
    """
    return fitted(without_level(name) if cells(name) > width else name, width)


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


TPS_FROM_MS = 1_000


def tps(stm: int, ms: int | None) -> str:
    """Format tiles per second with two decimals; a dash if nobody can be so fast."""
    return f"{stm * 1000 / took:.2f}" if (took := plausible(ms, stm)) else "-"


def count_text(stm: int, clock: int | None) -> str:
    """Format the counts of an attempt: tiles moved, and tiles per second.

    In the first second, a single slide would count as thousands per second.
    """
    counts = clock is not None and clock >= TPS_FROM_MS
    return text("tui.counts", count=stm, tps=tps(stm, clock if counts else None))


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
    return f"{name} {BOT_MARK}" if bot and BOT_MARK not in name else name


def racer_name(lane: Lane, width: int) -> str:
    """Fit a racer's name into `width` cells, with their reaction if there is one."""
    name = marked_name(lane.name, bot=lane.bot)
    if lane.reaction is None:
        return fitted_name(name, width)
    words = reaction_words(lane.reaction)
    name = cut(name, max(3, width - cells(words) - 1))
    return fitted(f"{name} {words}", width)


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
    always: bool = False,
    reaction: int | None = None,
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
        reaction: number of the one to be shown; it hides the latency.
        always: whether we get ready for each race at once.
    """
    tags = [
        text(key)
        for key, applies in (
            ("tui.member.you", member.id == me),
            ("tui.member.always_ready", always and member.id == me),
            ("tui.member.host", member.id == host),
            ("tui.member.bot", member.bot and BOT_MARK not in member.name),
            ("member.spectator", member.role == "spectator"),
            ("tui.member.benched", member.benched),
            ("tui.member.muted", member.muted),
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
    if reaction is not None:
        words = f" {reaction_words(reaction)}"
        name = cut(member.name, max(3, name_w - cells(words)))
        latency_text = fitted(words, name_w - cells(name))
    back = look.raised if chosen else ""
    row = (
        Run("▸ " if chosen else "  ", Paint(look.accent, bold=True)),
        Run(mark, mark_paint),
        Run(name, Paint(look.ink, bold=member.id == me)),
        Run(latency_text, Paint(look.soft if reaction is None else look.accent)),
        Run(fitted(state, state_w), Paint(look.good if member.ready else look.soft)),
        Run(
            fitted(", ".join(tags), width - 4 - name_w - state_w),
            Paint(look.soft),
        ),
    )
    return tuple(run._replace(paint=run.paint._replace(bg=back)) for run in row)
