"""Leaderboards and the daily race over HTTP: parameters in, JSON values out. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple, get_args
from urllib.parse import parse_qsl

from sliderace.engine import BadSize, Size
from sliderace.engine.board import MAX_SIDE, MIN_SIDE
from sliderace.protocol.messages import InputName, KindName
from sliderace.race.daily import EVENTS, date_text, parse_date
from sliderace.texts import text
from sliderace_server.storage import Board, BoardQuery

__all__ = ["BadParameter", "board_json", "board_query"]

_SPANS = ("all", "month", "day")
_ALLOWED: Mapping[str, Sequence[str]] = {
    "kind": get_args(KindName),
    "input": get_args(InputName),
    "span": _SPANS,
    "daily": ("1",),
}
"""Parameter -> its values; `event` and `date` have forms of their own."""
_SIZES = f"{MIN_SIDE}x{MIN_SIDE} ... {MAX_SIDE}x{MAX_SIDE}"


class BadParameter(NamedTuple):
    """A parameter of a query that is missing or cannot have its value."""

    field: str
    value: str
    allowed: str

    def json(self) -> dict[str, str]:
        """Return what the client is told."""
        return {"error": "bad_parameter", **self._asdict()}


def board_query(query: str, today: int) -> BoardQuery | BadParameter:
    """Return the leaderboard that a query names.

    Args:
        query: such as ``event=4x4&kind=ao5``; an empty value is the same as none.
        today: days since 1970 in UTC.
    """
    given = dict(parse_qsl(query, keep_blank_values=False))
    for name, value in given.items():
        if name not in (*_ALLOWED, "event", "date"):
            return BadParameter(name, value, ", ".join(("event", "date", *_ALLOWED)))
        if value not in _ALLOWED.get(name, (value,)):
            return BadParameter(name, value, ", ".join(_ALLOWED[name]))
    try:
        day = parse_date(given["date"]) if "date" in given else today
    except ValueError:
        return BadParameter("date", given["date"], date_text(today))
    event, daily = given.get("event", ""), "daily" in given
    if daily and event not in EVENTS:
        return BadParameter("event", event, ", ".join(EVENTS))
    try:
        Size.parse(event)
    except BadSize:
        return BadParameter("event", event, _SIZES)
    if daily:
        for name, only in (("kind", "single"), ("span", "day")):
            if given.get(name, only) != only:
                return BadParameter(name, given[name], only)
        given["span"] = "daily"
    return BoardQuery(
        event,
        given.get("kind", "single"),  # type: ignore[arg-type]  # checked above
        given.get("input"),  # type: ignore[arg-type]
        given.get("span", "all"),  # type: ignore[arg-type]
        day,
    )


def board_json(query: BoardQuery, board: Board, own: str | None) -> dict[str, Any]:
    """Return a leaderboard as JSON values.

    Args:
        query: which leaderboard.
        board: its rows; names are not escaped.
        own: public id of the profile that asks, or None.
    """
    daily = query.span == "daily"
    kinds = ("any", "daily") if daily else ("any",)
    return {
        "event": query.event,
        "kind": query.kind,
        "input": query.input,
        "span": "day" if daily else query.span,
        "date": date_text(query.day),
        "daily": daily,
        "total": board.total,
        "top": [asdict(row) for row in board.top],
        "around": [asdict(row) for row in board.around],
        "own": own or "",
        "notes": {
            "proved": [text(f"board.proved.{kind}") for kind in kinds],
            "not_proved": [text(f"board.not_proved.{kind}") for kind in kinds],
        },
    }
