"""The leaderboards of a server: fetched, and as rows of text."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Final, Literal
from urllib.parse import urlencode

import msgspec

from sliderace.protocol.messages import InputName, KindName
from sliderace.protocol.names import clean_name
from sliderace.race.daily import EVENTS
from sliderace.texts import text
from sliderace_client.net.http import Unreachable, get
from sliderace_client.own_profile import own_secret
from sliderace_client.shared_ui.profile_text import day_text
from sliderace_client.shared_ui.wording import duration, ordinal

__all__ = [
    "INPUTS",
    "KINDS",
    "SPANS",
    "BoardQuery",
    "BoardRow",
    "Leaderboard",
    "Span",
    "claims",
    "fetch",
    "row_cells",
    "title",
    "total_text",
    "usable",
]

Span = Literal["all", "month", "day", "daily"]
KINDS: Final[tuple[KindName, ...]] = ("single", "ao5", "ao12")
SPANS: Final[tuple[Span, ...]] = ("all", "month", "day", "daily")
INPUTS: Final[tuple[InputName | None, ...]] = (
    *(None, "keys", "click", "hover", "touch", "typed", "mixed"),
)
"""What each filter can be, the default first; None: any input."""


@dataclass(frozen=True, slots=True)
class BoardQuery:
    """Which leaderboard.

    Args:
        event: size of the board.
        kind: a single time or an average.
        span: all time, or the current month or day in UTC; `daily`: the daily race of
            today, which has only single times.
        input: only attempts with this input; None: any.
    """

    event: str = "4x4"
    kind: KindName = "single"
    span: Span = "all"
    input: InputName | None = None


class BoardRow(msgspec.Struct, frozen=True):
    """A line of a leaderboard.

    Args:
        place: 1, 1, 3 ...
        profile: public id.
        name: of the profile, cleaned.
        value_ms: time or average.
        race: of the time, or the last one of the average.
        started_ms: Unix time of that race.
        input: as the racer declared it.
    """

    place: int
    profile: str
    name: str
    value_ms: int
    race: str
    started_ms: int
    input: str | None = None


class Leaderboard(msgspec.Struct, frozen=True):
    """The best rows, and our own with its neighbours.

    Args:
        total: how many profiles have a place.
        top: the best rows.
        around: our own row and its neighbours; empty if we have no place.
        own: our public id; empty: we are a guest.
    """

    total: int
    top: list[BoardRow]
    around: list[BoardRow] = []
    own: str = ""

    @property
    def rows(self) -> list[BoardRow | None]:
        """All rows in order; None is a gap between them."""
        known = {row.profile for row in self.top}
        below = [row for row in self.around if row.profile not in known]
        if not below:
            return [*self.top]
        gap = [] if below[0].place <= len(self.top) + 1 else [None]
        return [*self.top, *gap, *below]

    @property
    def own_row(self) -> BoardRow | None:
        """Our own row; None: we have no place."""
        found = [row for row in (*self.top, *self.around) if row.profile == self.own]
        return found[0] if found else None


def fetch(server: str, query: BoardQuery) -> Leaderboard:
    """Return a leaderboard of a server. This blocks.

    Raises:
        Unreachable: the server does not answer, or has no leaderboards; the message is
            for the user.
    """
    reply = get(server, _path(query), token=own_secret(server) or "")
    try:
        if reply.status == HTTPStatus.OK:
            return _cleaned(msgspec.json.decode(reply.body, type=Leaderboard))
    except msgspec.DecodeError:
        pass
    raise Unreachable(text("leaderboards.none_here"))


def _path(query: BoardQuery) -> str:
    wanted = {"event": query.event}
    if query.span == "daily":
        wanted["daily"] = "1"
    else:
        wanted |= {"kind": query.kind, "span": query.span}
    if query.input is not None:
        wanted["input"] = query.input
    return f"/api/boards?{urlencode(wanted)}"


def usable(query: BoardQuery) -> BoardQuery:
    """Return the query, or the nearest one that a server can answer."""
    if query.span != "daily":
        return query
    event = query.event if query.event in EVENTS else BoardQuery().event
    return replace(query, event=event, kind="single")


def claims(query: BoardQuery) -> list[str]:
    """Return what a leaderboard proves, and what it does not."""
    kinds = ("any", "daily") if query.span == "daily" else ("any",)
    told = ("proved", "not_proved")
    return [text(f"board.{claim}.{kind}") for kind in kinds for claim in told]


def _cleaned(board: Leaderboard) -> Leaderboard:
    def clean(rows: list[BoardRow]) -> list[BoardRow]:
        return [
            msgspec.structs.replace(row, name=clean_name(row.name) or "?")
            for row in rows
        ]

    return msgspec.structs.replace(
        board, top=clean(board.top), around=clean(board.around)
    )


def title(query: BoardQuery) -> str:
    """Return which leaderboard it is: ``4x4 · Average of 5 · All time · Any input``."""
    return " · ".join(
        [
            query.event,
            text(f"leaderboards.kind_{query.kind}"),
            text(f"leaderboards.span_{query.span}"),
            text(f"leaderboards.input_{query.input or 'any'}"),
        ]
    )


def total_text(board: Leaderboard) -> str:
    """Return how many have a place, and which one is ours."""
    own = board.own_row
    if not board.total:
        return text("leaderboards.empty")
    if own is None:
        return text("leaderboards.total", count=board.total)
    place = ordinal(own.place)
    return text("leaderboards.total_own", count=board.total, place=place)


def row_cells(rows: Sequence[BoardRow | None], own: str) -> list[list[str]]:
    """Return headings and rows: place, name, time, day, input.

    A name that several profiles have is followed by the public id.

    Args:
        rows: None is a gap.
        own: public id of our profile, which is marked.
    """
    known = [row for row in rows if row is not None]
    first = {row.name: row.profile for row in reversed(known)}
    shared = {row.name for row in known if first[row.name] != row.profile}
    columns = ("place", "name", "time", "day", "input")
    cells = [[text(f"leaderboards.column.{column}") for column in columns]]
    for row in rows:
        if row is None:
            cells.append(["…", "", "", "", ""])
            continue
        name = f"{row.name} ({row.profile})" if row.name in shared else row.name
        cells.append(
            [
                str(row.place),
                text("leaderboards.you", name=name) if row.profile == own else name,
                duration(row.value_ms),
                day_text(row.started_ms),
                _input(row.input),
            ]
        )
    return cells


def _input(name: str | None) -> str:
    return text(f"input_kind.{name}") if name in INPUTS and name else "-"
