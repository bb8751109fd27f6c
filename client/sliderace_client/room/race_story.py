"""A race told from its record: everybody's progress over time, and what decided it.

The page has the same (`core/race-story.js`); ``shared/vectors/race-story-v1.json``
tests both.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from sliderace.proof.record import WrittenRace
from sliderace_client.room.race_replay import RaceReplay

__all__ = ["Curve", "Lead", "Story", "curves_of", "leads_of", "story_of"]

LATE_MS = 1_500
"""A lead taken this shortly before the end decided the race."""
EARLY = 0.1
"""Share of the race in which the lead changes too often to be told."""


class Curve(NamedTuple):
    """A racer's best progress over time.

    Attributes:
        seat: the racer's.
        name: safe to show.
        time_ms: official time; None: did not finish.
        photo: the finish was too close to another to tell.
        points: ms and permille of each rise.
        end_ms: of the last slide or of the finish.
    """

    seat: int
    name: str
    time_ms: int | None
    photo: bool
    points: tuple[tuple[int, int], ...]
    end_ms: int


class Lead(NamedTuple):
    """A change of the lead: when, to whom, and how far they were, in permille."""

    at: int
    seat: int
    high: int


class Story(NamedTuple):
    """What decided a race.

    Attributes:
        kind: ``nobody`` or ``only`` one finished; a ``tie``; or the winner took the
            lead for good ``late``, ``early`` or in the ``middle``.
        winner: name.
        gap: ms to the second.
        photo: it was a photo finish.
        at: ms when the winner took the lead for good.
        before: ms from then to the end.
        high: progress then, in permille.
        changes: how often the lead changed.
    """

    kind: Literal["nobody", "only", "tie", "late", "early", "middle"]
    winner: str = ""
    gap: int = 0
    photo: bool = False
    at: int = 0
    before: int = 0
    high: int = 0
    changes: int = 0


def curves_of(record: WrittenRace) -> list[Curve]:
    """Return everybody's curve, best first, as in the results."""
    replay = RaceReplay(record)
    curves: list[Curve] = []
    for standing, racer in zip(replay.standings, replay.racers, strict=True):
        points = tuple(
            (at, after)
            for at, before, after in zip(
                racer.times, racer.high, racer.high[1:], strict=False
            )
            if after > before
        )
        time = standing.time_ms
        end = (racer.times[-1] if racer.times else 0) if time is None else time
        curves.append(
            Curve(standing.seat, standing.name, time, standing.photo, points, end)
        )
    return curves


def leads_of(curves: Sequence[Curve]) -> list[Lead]:
    """Return who led, from when on."""
    rises = sorted(
        (Lead(at, curve.seat, high) for curve in curves for at, high in curve.points),
        key=lambda rise: rise.at,
    )
    leads: list[Lead] = []
    best = 0
    for rise in rises:
        if rise.high > best:
            best = rise.high
            if not leads or leads[-1].seat != rise.seat:
                leads.append(rise)
    return leads


def story_of(curves: Sequence[Curve]) -> Story:
    """Return what decided a race.

    Args:
        curves: best first.
    """
    first = curves[0] if curves else None
    if first is None or first.time_ms is None:
        return Story("nobody")
    second = curves[1].time_ms if len(curves) > 1 else None
    if second is None:
        return Story("only", first.name)
    gap, leads = second - first.time_ms, leads_of(curves)
    if gap == 0:
        return Story("tie")
    own = [lead for lead in leads if lead.seat == first.seat]
    at, high = (own[-1].at, own[-1].high) if own else (0, 0)
    before = max(0, first.time_ms - at)
    changes = sum(lead.at > first.time_ms * EARLY for lead in leads)
    kind: Literal["late", "early", "middle"] = "middle" if changes > 1 else "early"
    if before < LATE_MS:
        kind = "late"
    return Story(kind, first.name, gap, first.photo, at, before, high, changes)
