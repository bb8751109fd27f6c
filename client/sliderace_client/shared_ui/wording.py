"""What happens in a room, in one English line each; and times as people write them."""

from collections.abc import Sequence
from typing import assert_never

from sliderace.protocol.codes import REFUSALS, refusal_text
from sliderace.protocol.messages import (
    Closed,
    Gone,
    LineOf,
    Member,
    MemberEvent,
    PhaseName,
    Refused,
    Standing,
)
from sliderace.protocol.names import clean_name

__all__ = [
    "AGREES",
    "FRIENDLY",
    "LEFT_OUT",
    "UNCHECKED",
    "closed",
    "duration",
    "gone",
    "member",
    "ordinal",
    "out",
    "phase",
    "place",
    "refused",
    "round_trip",
    "standing",
    "stands",
    "why_out",
    "won",
]


def duration(ms: int) -> str:
    """A time as people write it, to the millisecond.

    >>> duration(12_345), duration(62_007), duration(3_661_000)
    ('12.345', '1:02.007', '1:01:01.000')
    """
    minutes, rest = divmod(ms, 60_000)
    if minutes == 0:
        return f"{rest // 1000}.{rest % 1000:03}"
    seconds = f"{rest // 1000:02}.{rest % 1000:03}"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds}" if hours else f"{minutes}:{seconds}"


def ordinal(number: int) -> str:
    """A place in words.

    >>> [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 21, 102)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '21st', '102nd']
    """
    teens = 10 <= number % 100 <= 20
    return f"{number}" + ("th" if teens else _ENDS.get(number % 10, "th"))


def place(number: int, *, final: bool) -> str:
    """A place in words; one that may still be lost is a question.

    >>> place(1, final=False), place(2, final=True)
    ('1st?', '2nd')
    """
    return ordinal(number) + ("" if final else "?")


def round_trip(told: LineOf | None) -> str:
    """How far away somebody is: the round trip, and how much it wavers.

    >>> round_trip(LineOf(1, 23, 4)), round_trip(LineOf(1, 23, 0)), round_trip(None)
    ('23±4 ms', '23 ms', '')
    """
    if told is None:
        return ""
    if told.rtt_ms + told.jitter_ms == 0:
        return "<1 ms"
    wavers = f"±{told.jitter_ms}" if told.jitter_ms else ""
    return f"{told.rtt_ms}{wavers} ms"


_ENDS = {1: "st", 2: "nd", 3: "rd"}

_WHY_OUT = {
    "limit": "time is up",
    "grace": "the grace time is over",
    "away": "away too long",
    "left": "left",
    "kicked": "sent out",
    "called": "the host called time",
}


def stands(status: str) -> str:
    """A status without a time in words; a stranger's word as it is.

    >>> stands("dnf"), stands("forfeited"), stands("dns")
    ('DNF', 'gave up', 'did not start')
    """
    words = {"dnf": "DNF", "forfeited": "gave up", "dns": "did not start"}
    return words.get(status, status)


def why_out(why: str) -> str:
    """Why a racer did not finish; empty where we have no word for it."""
    return _WHY_OUT.get(why, "")


def member(event: MemberEvent) -> str:
    """Somebody came or changed."""
    name, who = event.member.name, event.member
    match event.why:
        case "joined":
            return f"{name} joined{_as(who)}"
        case "ready":
            return f"{name} is ready"
        case "unready":
            return f"{name} is not ready"
        case "connected":
            return f"{name} is back"
        case "disconnected":
            return f"{name} lost the connection"
        case "benched":
            return f"{name} sits out"
        case "unbenched":
            return f"{name} plays again"
        case "role":
            return f"{name} is now a {who.role}"
        case _:
            assert_never(event.why)


def _as(who: Member) -> str:
    if who.role == "spectator":
        return " to watch"
    return " (bot)" if who.bot else ""


def gone(name: str, event: Gone) -> str:
    """Somebody left."""
    match event.why:
        case "left":
            return f"{name} left"
        case "kicked":
            return f"{name} was sent out"
        case "timeout":
            return f"{name} was away too long"
        case _:
            assert_never(event.why)


def out(event: Gone) -> str:
    """Why we are out of the room ourselves."""
    match event.why:
        case "left":
            return "You left the room."
        case "kicked":
            return "The host sent you out."
        case "timeout":
            return "You were away too long."
        case _:
            assert_never(event.why)


def standing(row: Standing) -> str:
    """A racer finished, gave up, came back or is out."""
    match row.status:
        case "finished":
            time = duration(row.time_ms or 0)
            return f"{row.name} finished in {time} ({row.stm} moves)"
        case "racing":
            return f"{row.name} races on"
        case "forfeited":
            return f"{row.name} gave up at {row.high // 10} %"
        case "dns":
            return f"{row.name} did not start"
        case "dnf":
            why = why_out(row.why)
            return f"{row.name} did not finish" + (f": {why}" if why else "")
        case _:
            assert_never(row.status)


def won(names: Sequence[str]) -> str:
    """The first place is final.

    >>> won(["Ada"]), won(["Ada", "Ben", "Cleo"])
    ('Ada has won', 'Ada, Ben and Cleo have won')
    """
    *others, last = names
    if not others:
        return f"{last} has won"
    return f"{', '.join(others)} and {last} have won"


AGREES = "Checked: the race record agrees with what you saw and sent."
"""What a racer's client found by itself."""
UNCHECKED = "Not checked: the server has not given us the race record."
"""What it says where there was nothing to compare."""
FRIENDLY = "friendly timing: up to 100 ms more credit"
"""What the results say of a room that chose it."""
LEFT_OUT = "You were not ready: you watch this race"
"""Why a player is no racer."""


def phase(name: PhaseName, in_ms: int | None) -> str:
    """The race moved on."""
    seconds = -(-(in_ms or 0) // 1000)
    match name:
        case "lobby":
            return "Waiting for players to be ready"
        case "countdown":
            return f"The race starts in {seconds} s"
        case "racing":
            return "Go!"
        case "grace":
            return f"The others have {seconds} s left"
        case "results":
            return "The race is over"
        case "aborted":
            return "The race was called off"
        case "closed":
            return "The room is closed"
        case _:
            assert_never(name)


def closed(event: Closed) -> str:
    """Why there is no room any more."""
    match event.why:
        case "host":
            return "The host closed the room."
        case "timeout":
            return "The room was closed: nobody was in it."
        case _:
            assert_never(event.why)


def refused(event: Refused) -> str:
    """A refusal in our own words; a stranger's only where we have none."""
    if event.code in REFUSALS:
        text = refusal_text(event.code)
    else:
        text = clean_name(event.text[:64]) or "Refused."
    if event.retry_ms >= 1000:
        text += f" Try again in {-(-event.retry_ms // 1000)} s."
    return text
