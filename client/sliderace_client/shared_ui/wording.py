"""Texts for events in a room, and times as people write them."""

from collections.abc import Mapping, Sequence
from typing import assert_never

from sliderace.proof.verify import Check
from sliderace.protocol.codes import CLOSE_CODES, REFUSALS, close_text, refusal_text
from sliderace.protocol.explain import RULES, rule_text
from sliderace.protocol.limits import REACTION_SIGNS
from sliderace.protocol.messages import (
    Gain,
    Gains,
    Member,
    MemberEvent,
    MemberLatency,
    Refused,
    RoomRow,
    Standing,
)
from sliderace.protocol.names import BOT_MARK, clean_name
from sliderace.texts import text
from sliderace_client.room.outcomes import (
    BadMessage,
    ConnectionClosed,
    End,
    Ended,
    Fault,
    HostChanged,
    LockChanged,
    MemberGone,
    News,
    Notice,
    PhaseChanged,
    Reaction,
    Remark,
    Renamed,
    SeriesWon,
    SizeChanged,
    Unreached,
    Won,
    WrongNonce,
)
from sliderace_client.room.race_story import Story

__all__ = [
    "check_name",
    "dnf_reason",
    "duration",
    "ending",
    "fault",
    "finding",
    "gains",
    "listed",
    "live_people",
    "live_phase",
    "named",
    "news",
    "ordinal",
    "place",
    "reaction_words",
    "refused",
    "remark",
    "round_trip",
    "status",
    "story_text",
    "verdict",
    "without_level",
]

DNF_REASONS = ("limit", "grace", "away", "left", "kicked", "called")
"""Values of `Standing.why` that the catalogue has texts for."""
LAST_MS = 100
"""A lead taken later than this before the end: tenths of a second would say 0.0."""


# --- Figures --------------------------------------------------------------------------


def duration(ms: int) -> str:
    """Return a time as people write it, to the millisecond.

    >>> duration(12_345), duration(62_007), duration(3_661_000)
    ('12.345', '1:02.007', '1:01:01.000')
    """
    minutes, rest = divmod(ms, 60_000)
    if minutes == 0:
        return f"{rest // 1000}.{rest % 1000:03}"
    seconds = f"{rest // 1000:02}.{rest % 1000:03}"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds}" if hours else f"{minutes}:{seconds}"


_ENDS = {1: "st", 2: "nd", 3: "rd"}


def ordinal(number: int) -> str:
    """Return a place as an ordinal number.

    >>> [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 21, 102)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '21st', '102nd']
    """
    teens = 10 <= number % 100 <= 20
    return f"{number}" + ("th" if teens else _ENDS.get(number % 10, "th"))


def place(number: int, *, final: bool) -> str:
    """Return a place; one that may still be lost gets a question mark.

    >>> place(1, final=False), place(2, final=True)
    ('1st?', '2nd')
    """
    return ordinal(number) + ("" if final else "?")


def round_trip(latency: MemberLatency | None) -> str:
    """Return a member's round trip and its jitter; empty while not measured.

    >>> (
    ...     round_trip(MemberLatency(1, 23, 4)),
    ...     round_trip(MemberLatency(1, 23, 0)),
    ...     round_trip(None),
    ... )
    ('23±4 ms', '23 ms', '')
    """
    if latency is None:
        return ""
    if latency.rtt_ms + latency.jitter_ms == 0:
        return text("latency.least")
    if latency.jitter_ms:
        return text("latency.jitter", rtt=latency.rtt_ms, jitter=latency.jitter_ms)
    return text("latency.rtt", rtt=latency.rtt_ms)


def reaction_words(number: int) -> str:
    """Return a reaction as it is shown beside a name: a symbol or a phrase."""
    sign = number <= REACTION_SIGNS
    return text(f"reaction.sign_{number}" if sign else f"reaction.{number}")


def listed(names: Sequence[str]) -> str:
    """Return one or more names as a list in a sentence.

    >>> listed(["Ada"]), listed(["Ada", "Ben", "Cleo"])
    ('Ada', 'Ada, Ben and Cleo')
    """
    *others, last = names
    return text("list.and", first=", ".join(others), last=last) if others else last


def live_people(row: RoomRow) -> str:
    """Return how many people are in a live room, and how many bots.

    >>> row = RoomRow("KWXTRB", "4x4", "quick", 3, 1, "racing", 9_000)
    >>> live_people(row), live_phase(row, 9_400)
    ('3+1', 'racing 9 s')
    """
    return f"{row.people}+{row.bots}" if row.bots else f"{row.people}"


def live_phase(row: RoomRow, age_ms: int) -> str:
    """Return what happens in a live room, and since when.

    Args:
        row: the room.
        age_ms: since its phase began.
    """
    if row.locked:
        return text("live.locked")
    seconds = age_ms // 1000
    match row.phase:
        case "racing" | "grace" if seconds < 60:
            return text("live.racing_seconds", seconds=seconds)
        case "racing" | "grace":
            return text("live.racing_minutes", minutes=seconds // 60)
        case "countdown":
            return text("live.countdown")
        case _:
            return text("live.waiting")


def named(name: str, *, bot: bool) -> str:
    """Return a name, marked if it is a bot's."""
    marked = not bot or BOT_MARK in name
    return name if marked else text("member.named_bot", name=name)


def without_level(name: str) -> str:
    """Return the short form of a name of a bot of the server; others as they are.

    >>> without_level("\u2699 Wren \u00b7 strong"), without_level("Ann")
    ('\u2699 Wren', 'Ann')
    """
    return name.partition(" \u00b7 ")[0] if name.startswith(BOT_MARK) else name


def status(name: str) -> str:
    """Return the status of a racer who has no time; an unknown one as it is.

    >>> status("dnf"), status("forfeited"), status("dns")
    ('DNF', 'gave up', 'did not start')
    """
    known = ("racing", "dnf", "forfeited", "dns")
    return text(f"status.{name}") if name in known else name


def dnf_reason(why: str) -> str:
    """Return in a few words why a racer did not finish; empty if unknown."""
    return text(f"dnf.{why}") if why in DNF_REASONS else ""


def story_text(story: Story) -> str:
    """Return what decided a race, in one sentence."""
    name = without_level(story.winner)  # a pace beside the times would confuse
    values: dict[str, object] = {"name": name, "gap": _span(story.gap)}
    match story.kind:
        case "nobody" | "tie":
            return text(f"story.{story.kind}")
        case "only":
            return text("story.only", name=name)
        case "late" if story.before < LAST_MS:
            told = text("story.last", **values)
        case "late":
            told = text("story.late", before=_span(story.before, 1), **values)
        case "early":
            told = text("story.early", at=_span(story.at, 1), **values)
        case "middle":
            values |= {"percent": story.high // 10, "count": story.changes}
            told = text("story.middle", at=_span(story.at, 1), **values)
        case _:
            assert_never(story.kind)
    return text("story.photo", story=told) if story.photo else told


def _span(ms: int, digits: int = 3) -> str:
    """Return a time with its unit, if it has less than a minute."""
    shown = duration(ms)
    shown = shown[: len(shown) - 3 + digits]
    return shown if ms >= 60_000 else text("tui.race.seconds", time=shown)


# --- Outcomes -------------------------------------------------------------------------


def news(what: News) -> str:
    """Return a line of news."""
    match what:
        case Notice():
            return text(f"notice.{what}")
        case MemberEvent():
            return _member(what)
        case Reaction():
            words = text(f"reaction.{what.number}")
            return text("news.reacted", name=what.name, reaction=words)
        case Renamed():
            return text("news.renamed", before=what.before, name=what.name)
        case MemberGone():
            return text(f"news.gone_{what.why}", name=what.name)
        case HostChanged():
            return text("news.host", name=what.name)
        case LockChanged():
            return text("news.locked") if what.locked else text("news.unlocked")
        case SizeChanged():
            return text("news.size", size=what.size)
        case PhaseChanged():
            return _phase(what)
        case Standing():
            return _standing(what)
        case Won():
            names = listed([without_level(name) for name in what.names])
            return text("news.won", count=len(what.names), names=names)
        case SeriesWon():
            return text("score.won", count=len(what.names), names=listed(what.names))
        case Gains():
            return gains(what)
        case Refused():
            return refused(what)
        case Fault() | WrongNonce():
            return fault(what)
        case Remark():
            return remark(what)
        case _:
            return ending(what)


def ending(why: Ended) -> str:
    """Return why our stay in a room ended."""
    match why:
        case End():
            return text(f"end.{why}")
        case Refused():
            return refused(why)
        case ConnectionClosed() if why.code in CLOSE_CODES:
            return text("end.connection_closed", why=close_text(why.code))
        case ConnectionClosed():
            return text("end.connection_closed_code", code=why.code)
        case BadMessage():
            return text("end.bad_message", why=why.why)
        case Unreached():
            return text("error.unreachable", server=why.server, why=why.why)
        case _:
            assert_never(why)


def gains(what: Gains) -> str:
    """Return what a race changed in our profile; empty: nothing worth telling.

    >>> best = Gain("ao5", 11_204, 11_514)
    >>> gains(Gains("KWXTRB-SA1B2C-1", True, [best], place=14, of=212))
    'New best ao5, 11.204 (-0.310), 14th of 212'
    """
    if not what.counts:
        return text("gains.not_counted")
    parts = [_gain(gain) for gain in what.bests]
    if parts and what.place is not None:
        place = ordinal(what.place)
        parts[-1] = text("gains.placed", best=parts[-1], place=place, of=what.of)
    if what.streak:
        parts.append(text("gains.streak", count=what.streak))
    return " · ".join(parts)


def _gain(gain: Gain) -> str:
    kind, value = text(f"kind.{gain.kind}"), duration(gain.value_ms)
    if gain.before_ms is None:
        return text("gains.first", kind=kind, value=value)
    by = gain.before_ms - gain.value_ms
    return text("gains.best", kind=kind, value=value, gain=duration(max(0, by)))


def fault(found: Fault | WrongNonce) -> str:
    """Return the text of a fault in results or race record."""
    if isinstance(found, WrongNonce):
        return text("fault.wrong_nonce", seat=found.seat)
    return text(f"fault.{found}")


def check_name(check: Check) -> str:
    """Return the name of a check of the race record."""
    return text(f"check.name.{check.name}")


def verdict(check: Check) -> str:
    """Return the verdict of a check of the race record."""
    return text(f"check.verdict.{check.verdict}")


def finding(check: str, code: str, values: Mapping[str, object]) -> str:
    """Return one finding of a check of the race record."""
    return text(f"check.{check}.{code}", **values)


def remark(found: Remark) -> str:
    """Return the text of a remark."""
    return text(f"remark.{found}")


def refused(event: Refused) -> str:
    """Return the catalogue's text of a refusal; the server's for an unknown code.

    For a rule it says which values are possible.
    """
    rule = event.field.rpartition(".")[2]
    if event.code == "bad_rules" and rule in RULES:
        why = rule_text(event.field, clean_name(event.value) or "?")
    elif event.code in REFUSALS:
        why = refusal_text(event.code)
    else:
        why = clean_name(event.text[:64]) or text("news.refused")
    if event.retry_ms < 1000:
        return why
    return text("news.retry", refusal=why, seconds=_seconds(event.retry_ms))


def _seconds(ms: int) -> int:
    """Return whole seconds, rounded up."""
    return -(-ms // 1000)


def _member(event: MemberEvent) -> str:
    name, member = event.member.name, event.member
    match event.why:
        case "joined":
            return text(_joined(member), name=name)
        case "role" if member.role == "spectator":
            return text("news.now_spectator", name=name)
        case "role":
            return text("news.now_player", name=name)
        case "ready":
            return text("news.ready", name=name)
        case "unready":
            return text("news.unready", name=name)
        case "connected":
            return text("news.connected", name=name)
        case "disconnected":
            return text("news.disconnected", name=name)
        case "benched":
            return text("news.benched", name=name)
        case "unbenched":
            return text("news.unbenched", name=name)
        case "muted" | "unmuted" | "idle":
            return text(f"news.{event.why}", name=name)
        case "renamed":  # with the former name, see `Renamed`
            return ""
        case _:
            assert_never(event.why)


def _joined(member: Member) -> str:
    if member.role == "spectator":
        return "news.joined_to_watch"
    return "news.joined_bot" if member.bot else "news.joined"


def _phase(moved: PhaseChanged) -> str:
    match moved.phase:
        case "countdown":
            return text("news.countdown", seconds=_seconds(moved.in_ms or 0))
        case "grace":
            return text("news.grace", seconds=_seconds(moved.in_ms or 0))
        case "lobby":
            return text("news.lobby")
        case "racing":
            return text("news.go")
        case "results":
            return text("news.over")
        case "aborted":
            return text("news.aborted")
        case "closed":
            return text("news.closed")
        case _:
            assert_never(moved.phase)


def _standing(row: Standing) -> str:
    name = without_level(row.name)
    match row.status:
        case "finished":
            time = duration(row.time_ms or 0)
            return text("news.finished", name=name, time=time, count=row.stm)
        case "racing":
            return text("news.races_on", name=name)
        case "forfeited":
            return text("news.forfeited", name=name, percent=row.high // 10)
        case "dns":
            return text("news.dns", name=name)
        case "dnf" if row.why in DNF_REASONS:
            return text(f"news.dnf_{row.why}", name=name)
        case "dnf":
            return text("news.dnf", name=name)
        case _:
            assert_never(row.status)
