"""The panel beside the board in a race: clock, place, and one row for each racer.

A row has, from the left: rank, arrow, name, activity icon, slides made, and a value.
The slides give way to names of up to 13 letters.
The bar of a row is its background: as far as the racer's best progress. The activity
icon is one small square that goes round with each slide, so that everybody can see who
is at work, but not how near they are.

Pure; every function returns rows that fit the width it is given.
"""

from collections.abc import Collection, Mapping, MutableMapping, Sequence
from typing import NamedTuple

from sliderace.protocol.names import cells
from sliderace.texts import text
from sliderace_client.room.lanes import Lane
from sliderace_client.room.leaderboard import Leaderboard, excerpt
from sliderace_client.room.pace_curve import gap_to, high_at
from sliderace_client.shared_ui.render import Look, Paint, Row, Run, big_text, mixed
from sliderace_client.shared_ui.wording import duration, ordinal, without_level
from sliderace_client.tui.rows import (
    clock_text,
    fitted,
    percent,
    racer_name,
    text_row,
)

__all__ = [
    "Racers",
    "figure_rows",
    "finish_card",
    "news_text",
    "pace_row",
    "place_text",
    "racer_rows",
]

ICONS = "▘▝▗▖"
"""One for each slide, clockwise."""
RANK_W = 3
"""Columns of the rank and the arrow."""
NAME_W, COUNT_W, VALUE_W = 13, 4, 7
"""Columns of the longest random name, and the least of the slides and of the value."""
MINUTE_MS = 60_000
MIN_SLOTS = 5
"""Rows from which on the leaderboard keeps one to count those who are hidden."""
SOLVED = 1000
"""Permille of progress that only a solved board has."""


class Racers(NamedTuple):
    """What is known of all racers at one moment.

    Attributes:
        lanes: by seat.
        board: in which order they are shown, and their marks.
        mine: our own seat, if any.
        away: ids of members who are disconnected.
        now: ms, as `board` counts them.
        heard: the server has been heard lately; otherwise nobody knows who leads.
    """

    lanes: Mapping[int, Lane]
    board: Leaderboard
    mine: int | None
    away: Collection[int]
    now: int
    heard: bool = True

    @property
    def first(self) -> Lane | None:
        """Who leads, or has won."""
        truth = self.board.truth
        return self.lanes.get(truth[0]) if truth and self.board.ordered else None

    @property
    def winner(self) -> Lane | None:
        """Who has won; None while nobody has finished."""
        first = self.first
        return first if first is not None and first.status == "finished" else None


def racer_rows(
    racers: Racers,
    look: Look,
    width: int,
    slots: int,
    cache: MutableMapping[int, Row] | None = None,
) -> list[Row]:
    """Return the leaderboard; the leader and our own row are always in it.

    Args:
        racers: everybody.
        look: colours.
        width: columns.
        slots: rows; if there are more racers, the last one counts the others.
        cache: rows by seat: those in it are used as they are, others are added.
    """
    order = racers.board.order
    if not order or slots <= 0:
        return []
    mine = order.index(racers.mine) if racers.mine in order else 0
    between = behind = 0
    if slots >= MIN_SLOTS:
        ranks, between, behind = excerpt(len(order), slots, mine)
    else:
        near = sorted(range(len(order)), key=lambda rank: abs(rank - mine))
        ranks = sorted(list(dict.fromkeys([mine, 0, *near]))[:slots])
    cache = {} if cache is None else cache
    widths = _widths(racers, width)
    for rank in ranks:
        if order[rank] not in cache:
            cache[order[rank]] = _row(racers, rank, look, width, widths)
    rows = [cache[order[rank]] for rank in ranks]
    if between + behind:
        rows.append(text_row(fitted(_hidden_text(between, behind), width), look.soft))
    return rows


def _hidden_text(between: int, behind: int) -> str:
    if not between:
        return "   " + text("tui.lanes.behind", n=behind)
    if not behind:
        return "   " + text("tui.lanes.between", n=between)
    return "   " + text("tui.lanes.between_and_behind", between=between, behind=behind)


def _widths(racers: Racers, width: int) -> tuple[int, int, int]:
    """Return the columns of name, slides and value."""
    lanes = racers.lanes.values()
    values = (_value(racers, lane)[0] for lane in lanes)
    value_w = max([VALUE_W, *(cells(value) + 1 for value in values)])
    count_w = max(COUNT_W, len(str(max(lane.stm for lane in lanes))) + 1)
    both = max(0, width - RANK_W - 2 - value_w)
    name_w = max(0, both - count_w)
    if name_w < NAME_W and any(cells(lane.name) > name_w for lane in lanes):
        return both, 0, value_w
    return name_w, count_w, value_w


def _row(
    racers: Racers, rank: int, look: Look, width: int, widths: tuple[int, int, int]
) -> Row:
    seat = racers.board.order[rank]
    lane = racers.lanes[seat]
    own, done = seat == racers.mine, lane.status == "finished" or lane.high == SOLVED
    works = lane.status == "racing" and not done and lane.member not in racers.away
    name_w, count_w, value_w = widths
    value, kind = _value(racers, lane)
    colour = {"good": look.good, "bad": look.bad, "soft": look.soft}.get(kind, look.ink)
    icon = "✓" if done else ICONS[lane.stm % len(ICONS)] if works else " "
    icon_colour = look.good if done else look.ink
    count_colour = look.ink if own else look.soft  # as the counts: fewer bytes
    name = racer_name(lane, name_w)
    body = [
        Run(f"{name} ", Paint(look.accent if own else look.ink, bold=own)),
        Run(icon, Paint(icon_colour, bold=done)),
        Run(fitted(str(lane.stm), count_w, right=True), Paint(count_colour)),
        Run(fitted(value, value_w, right=True), Paint(colour, bold=True)),
    ]
    high = SOLVED if done else lane.high
    filled = high * (width - RANK_W) // SOLVED
    background = _bar_colour(look, own=own, done=done)
    body = _with_bar(body, filled, background)
    flashes = racers.board.flashes(seat, racers.now)
    row = (*_rank(racers, lane, look, own=own), *body)
    if flashes:
        row = tuple(Run(run.text, run.paint._replace(reverse=True)) for run in row)
    return row


def pace_row(curve: Sequence[int], high: int, ms: int, look: Look, width: int) -> Row:
    """Return the lane of our best attempt, and how far we are behind it or ahead.

    Args:
        curve: of the best attempt.
        high: our progress, permille.
        ms: our time.
        look: colours.
        width: columns.
    """
    gap = gap_to(curve, high, ms)
    seconds = f"{abs(gap) / 1000:.1f}"
    value = text("pace.gap", sign="+" if gap >= 0 else "-", seconds=seconds)
    name = text("pace.best", time=duration(curve[-1]))
    name_w = max(0, width - RANK_W - cells(value) - 1)
    body = [
        Run(fitted(name, name_w), Paint(look.soft)),
        Run(f" {value}", Paint(look.bad if gap > 0 else look.good)),
    ]
    filled = high_at(curve, ms) * (width - RANK_W) // SOLVED
    background = _bar_colour(look, own=False, done=False)
    return (Run(" " * RANK_W, Paint()), *_with_bar(body, filled, background))


def _rank(racers: Racers, lane: Lane, look: Look, *, own: bool) -> tuple[Run, Run]:
    """Return rank and arrow; a place that may still be lost has a question mark."""
    shown = racers.board.rank(lane.seat)
    arrow = racers.board.arrow(lane.seat, racers.now)
    sign = {"up": "▲", "down": "▼"}.get(arrow, " ")
    if sign == " " and lane.status == "finished" and not lane.final:
        sign = "?"
    colour = {"up": look.good, "down": look.bad}.get(arrow, look.soft)
    rank_paint = Paint(look.accent if own else look.soft, bold=own)
    if own and not shown:
        shown = "▸"
    return Run(fitted(shown, 2, right=True), rank_paint), Run(sign, Paint(colour))


_OUT = {
    "dnf": "tui.lanes.dnf",
    "forfeited": "tui.lanes.forfeited",
    "dns": "tui.lanes.dns",
}


def _value(racers: Racers, lane: Lane) -> tuple[str, str]:
    """Return what the last column says, and whether that is good, bad or neither."""
    first = racers.first
    if lane.status == "finished" and lane.time_ms is not None:
        if first is None or first.time_ms in (None, lane.time_ms):
            return duration(lane.time_ms), "good"
        gap = lane.time_ms - (first.time_ms or 0)
        return f"+{duration(gap) if gap < MINUTE_MS else clock_text(gap)}", "good"
    if lane.status == "racing" and lane.high == SOLVED:
        return text("tui.lanes.solved"), "good"
    if lane.status != "racing":
        return text(_OUT.get(lane.status, "tui.lanes.solved")), "soft"
    if lane.member in racers.away:
        return text("tui.lanes.away"), "bad"
    if first is None or first.seat == lane.seat or first.status == "finished":
        return percent(lane.high), ""
    points = first.high // 10 - lane.high // 10
    return (f"-{points}%" if points > 0 else text("tui.lanes.level")), ""


def _bar_colour(look: Look, *, own: bool, done: bool) -> str:
    """Return the background of a bar; empty: it is underlined instead."""
    if look.flat:
        return ""
    if done:
        return mixed(look.good, look.raised, 0.25)
    if own:
        return mixed(look.accent, look.raised, 0.25)
    return mixed(look.soft, look.raised, 0.22)


def _with_bar(runs: Sequence[Run], filled: int, background: str) -> list[Run]:
    """Mark the first `filled` cells as done."""
    marked: list[Run] = []
    for run in runs:
        done, rest = _cut(run.text, filled)
        filled -= cells(done)
        if done:
            paint = run.paint._replace(bg=background, underline=not background)
            marked.append(Run(done, paint))
        if rest:
            filled = 0
            marked.append(Run(rest, run.paint))
    return marked


def _cut(content: str, width: int) -> tuple[str, str]:
    """Cut text after `width` cells; a wide character is not cut."""
    if content.isascii():
        return content[: max(0, width)], content[max(0, width) :]
    end, used = 0, 0
    for end, char in enumerate(content):
        used += cells(char)
        if used > width:
            return content[:end], content[end:]
    return content, ""


# --- Clock and place ------------------------------------------------------------------


def figure_rows(
    clock: str,
    place: str,
    counts: str,
    look: Look,
    width: int,
    scale: int,
    colour: str,
) -> list[Row]:
    """Return clock, place and counts.

    Args:
        clock: what it shows.
        place: such as "6th of 16"; empty for none.
        counts: progress, moves and tiles per second.
        look: colours.
        width: columns.
        scale: of the clock; 0: it is as small as other text.
        colour: of the clock.
    """
    own = Paint(look.accent, bold=True)
    if scale == 0:
        left = max(0, width - cells(place))
        line = (Run(fitted(clock, left), Paint(colour, bold=True)), Run(place, own))
        return [line, text_row(fitted(counts, width), look.ink)]
    rows: list[Row] = [
        text_row(row, colour, bold=True) for row in big_text(clock, scale)
    ]
    left = max(0, width - cells(place))
    paint = Paint(look.ink)
    return [*rows, (Run(fitted(counts, left), paint), Run(place, own))]


def place_text(racers: Racers) -> str:
    """Return our own place among the racers, or how many there are."""
    count, mine, order = len(racers.lanes), racers.mine, racers.board.order
    if mine is None or mine not in racers.lanes or count < 2:
        return ""
    lane = racers.lanes[mine]
    ordered = racers.board.ordered and (racers.heard or lane.status == "finished")
    if not ordered or lane.status not in ("racing", "finished"):
        return text("tui.race.of", count=count)
    place = lane.place if lane.status == "finished" else order.index(mine) + 1
    return text("tui.race.place_of", place=ordinal(place or 1), count=count)


def news_text(racers: Racers) -> tuple[str, bool]:
    """Return who leads or has won, and whether it is won; empty: nothing to say."""
    first = racers.first
    if first is None or len(racers.lanes) < 2:
        return "", False
    name = without_level(first.name)
    if first.status == "finished" and first.time_ms is not None:
        if first.seat == racers.mine:
            return text("tui.race.you_won"), True
        time = duration(first.time_ms)
        return text("tui.race.won", name=name, time=time), True
    if first.status != "racing" or not first.high or not racers.heard:
        return "", False
    if first.seat == racers.mine:
        return text("tui.race.you_lead"), False
    return text("tui.race.leads", name=name), False


# --- The own finish -------------------------------------------------------------------

CARD_W = 27


def finish_card(racers: Racers, time: str, look: Look) -> list[Row]:
    """Return the card that is shown on the board when we have finished.

    Args:
        racers: everybody.
        time: ours, as text.
        look: colours.
    """
    lane = racers.lanes.get(racers.mine if racers.mine is not None else -1)
    known = lane is not None and lane.status == "finished" and bool(lane.place)
    alone = len(racers.lanes) < 2
    place = ordinal(lane.place or 1).upper() if lane and known and not alone else ""
    large = big_text(place) if place else ("", text("tui.race.solved_short"), "")
    moves = text("tui.race.moves", count=lane.stm if lane else 0)
    behind = _behind_text(racers, lane) if lane and known and not alone else ""
    lines = ["", *large, "", time, behind, moves]
    frame = Paint(look.good, look.raised, bold=True)
    inner = CARD_W - 2
    rows: list[Row] = [(Run("╭" + "─" * inner + "╮", frame),)]
    for line in lines:
        content = fitted(line, min(inner, cells(line)))
        left = (inner - cells(content)) // 2
        body = " " * left + content + " " * (inner - left - cells(content))
        rows.append((Run(f"│{body}│", frame),))
    return [*rows, (Run("╰" + "─" * inner + "╯", frame),)]


def _behind_text(racers: Racers, lane: Lane) -> str:
    """Return the distance to the racer before us."""
    order = [one for one in map(racers.lanes.get, racers.board.truth) if one]
    ahead = [
        one
        for one in order
        if one.status == "finished" and (one.time_ms or 0) < (lane.time_ms or 0)
    ]
    if not ahead:
        return text("tui.race.you_won")
    gap = duration((lane.time_ms or 0) - (ahead[-1].time_ms or 0))
    return text("tui.race.behind", gap=gap, name=without_level(ahead[-1].name))
