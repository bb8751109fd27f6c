"""A series: the races of one evening in one room, scored under one format.

- ``open`` never ends. It is ranked by wins, then by the best time; a rolling average of
  the last five races stands beside it.
- ``first`` ends when somebody has `n` wins and is `by` wins ahead. A race that nobody
  finishes gives no win; a shared first place gives one to each.
- ``mo3``, ``ao5`` and ``ao12`` end after 3, 5 and 12 races. They are ranked by the
  average (see `sliderace.race.averages`), DNF last, then by the best time.
- ``points`` ends after `n` races. A finisher gets one point for each racer that they
  beat: those who were slower or did not finish. It is ranked by points, then by wins,
  then by the best time.

A racer who misses a race, even before they joined, has a DNS: a DNF in averages, and no
points. People win and score among people; bots take nothing from them. Bots are ranked
below, by what they did among all racers, and never end a series. A race without people
does not count. The race after the end begins the next series of the same format.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple, get_args

from sliderace.race.averages import average, mean

__all__ = [
    "FORMATS",
    "LENGTHS",
    "MAX_SCORES",
    "OPEN",
    "Format",
    "Outcome",
    "Placed",
    "Result",
    "Score",
    "Series",
    "average_of",
    "ranked",
    "renamed",
    "renumbered",
    "scored",
]

Format = Literal["open", "first", "mo3", "ao5", "ao12", "points"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)
Result = int | Literal["dnf", "dns"]
"""Official time in ms, or why there is none. A forfeit is a DNF."""

LENGTHS: Final[dict[Format, tuple[int, int]]] = {"first": (1, 20), "points": (1, 50)}
"""Format -> lowest and highest `n`; the other formats have none."""
MAX_SCORES = 64
"""Racers of one series, including those who left. If there are more, racers who missed
the latest race are dropped first, then the last in the ranking."""
KEPT_RACES = 100
"""Races whose single results are kept; totals count all."""

_AVERAGED: Final[dict[Format, int]] = {"open": 5, "mo3": 3, "ao5": 5, "ao12": 12}
_NEVER = 1 << 62


class Outcome(NamedTuple):
    """How one racer did in one race."""

    member: int
    name: str
    bot: bool
    result: Result


@dataclass(frozen=True, slots=True)
class Score:
    """One racer's score. Checkpoints contain it, so its names must not change.

    Attributes:
        member: id of the member, who may have left since.
        name: their latest nickname.
        bot: declared as a bot.
        races: races that they started.
        wins: first places.
        points: racers they beat, over all races.
        best_ms: their best time; None: they never finished.
        results: of the last `KEPT_RACES` races of the series, oldest first.
    """

    member: int
    name: str
    bot: bool
    races: int = 0
    wins: int = 0
    points: int = 0
    best_ms: int | None = None
    results: tuple[Result, ...] = ()


@dataclass(frozen=True, slots=True)
class Series:
    """A series. Checkpoints contain it, so its names must not change.

    Attributes:
        format: how it is scored and when it ends.
        n: wins or races that end it; 0 if the format has no such number.
        by: wins that the winner of `first` must be ahead.
        races: races so far.
        over: whether it is decided.
        scores: in the order of joining the series.
    """

    format: Format = "open"
    n: int = 0
    by: int = 1
    races: int = 0
    over: bool = False
    scores: tuple[Score, ...] = ()

    @property
    def can_end(self) -> bool:
        """Whether a series of this format ends."""
        return self.format != "open"


OPEN: Final = Series()
"""The series of a new room."""


class Placed(NamedTuple):
    """A place in the ranking: 1, 1, 3 ..., of people and of bots separately."""

    place: int
    score: Score


def scored(series: Series, outcomes: Sequence[Outcome]) -> Series:
    """Return the series after a race.

    Args:
        series: before the race. If it is over, a new one of its format begins.
        outcomes: of all racers, in any order.
    """
    if all(outcome.bot for outcome in outcomes):
        return series
    if series.over:
        series = Series(series.format, series.n, series.by)
    missed: list[Result] = ["dns"] * min(series.races, KEPT_RACES)
    scores = {score.member: score for score in series.scores}
    raced = {outcome.member: outcome for outcome in outcomes}
    for member, name, bot, _ in outcomes:
        scores.setdefault(member, Score(member, name, bot, results=tuple(missed)))
    after = [
        _after(score, raced.get(member), outcomes) for member, score in scores.items()
    ]
    series = replace(series, races=series.races + 1, scores=tuple(after))
    series = replace(series, scores=_kept(series, raced))
    return replace(series, over=_is_over(series))


def renumbered(series: Series, old: int, new: int) -> Series:
    """Return the series after a racer who had left came back with a new member id."""
    scores = (
        replace(score, member=new) if score.member == old else score
        for score in series.scores
    )
    return replace(series, scores=tuple(scores))


def renamed(series: Series, member: int, name: str) -> Series:
    """Return the series after a racer has changed their name."""
    scores = (
        replace(score, name=name) if score.member == member else score
        for score in series.scores
    )
    return replace(series, scores=tuple(scores))


def average_of(series: Series, score: Score) -> int | Literal["dnf"] | None:
    """Return a racer's average in ms; None: the format has none, or it is too early."""
    count = _AVERAGED.get(series.format)
    if count is None or series.races < count:
        return None
    times = [one if isinstance(one, int) else None for one in score.results[-count:]]
    found = mean(times) if series.format == "mo3" else average(times)
    return "dnf" if found is None else found


def ranked(series: Series) -> list[Placed]:
    """Return the table: people, then bots, best first."""
    placed: list[Placed] = []
    for bot in (False, True):
        scores = [score for score in series.scores if score.bot == bot]
        keys = {score.member: _key(series, score) for score in scores}
        scores.sort(key=lambda score: keys[score.member])
        for n, score in enumerate(scores, 1):
            tie = n > 1 and keys[score.member] == keys[scores[n - 2].member]
            placed.append(Placed(placed[-1].place if tie else n, score))
    return placed


def _after(score: Score, outcome: Outcome | None, all_: Iterable[Outcome]) -> Score:
    """Return a racer's score after a race; None: they missed it."""
    result: Result = outcome.result if outcome else "dns"
    score = replace(
        score,
        name=outcome.name if outcome else score.name,
        races=score.races + (result != "dns"),
        results=(*score.results, result)[-KEPT_RACES:],
    )
    if not isinstance(result, int):
        return score
    rivals = [
        one.result if isinstance(one.result, int) else _NEVER
        for one in all_
        if score.bot or not one.bot
    ]
    return replace(
        score,
        wins=score.wins + (min(rivals) == result),
        points=score.points + sum(time > result for time in rivals),
        best_ms=min(result, result if score.best_ms is None else score.best_ms),
    )


def _kept(series: Series, raced: Iterable[int]) -> tuple[Score, ...]:
    """Return the scores that are kept, in their order."""
    members = [score.member for _, score in ranked(series)]
    members.sort(key=lambda member: member not in raced)
    kept = set(members[:MAX_SCORES])
    return tuple(score for score in series.scores if score.member in kept)


def _is_over(series: Series) -> bool:
    match series.format:
        case "open":
            return False
        case "points":
            return series.races >= series.n
        case "first":
            wins = sorted(score.wins for score in series.scores if not score.bot)
            second = wins[-2] if len(wins) > 1 else 0
            return wins[-1] >= series.n and wins[-1] - second >= series.by
        case _:
            return series.races >= _AVERAGED[series.format]


def _key(series: Series, score: Score) -> tuple[int, ...]:
    """Return what a racer is ranked by, lowest first."""
    best = _NEVER if score.best_ms is None else score.best_ms
    match series.format:
        case "open" | "first":
            return -score.wins, best
        case "points":
            return -score.points, -score.wins, best
        case _:
            found = average_of(series, score)
            return found if isinstance(found, int) else _NEVER, best
