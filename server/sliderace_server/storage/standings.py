"""What attempts add up to: totals and bests of a profile, streaks, and downtime.

The same fold serves storing a race and recounting everything, so both agree. Attempts
are folded in the order in which they were stored. There are two scopes: a profile's own
bests come from all attempts that count, leaderboards only from those in public races.
An average is one of consecutive attempts in its scope, DNFs included, and belongs to
the time of its last attempt.
"""

from collections.abc import Collection, Iterable, Sequence
from statistics import median
from typing import Final, Literal, NamedTuple

import msgspec

from sliderace.protocol.messages import InputName, KindName
from sliderace.race.averages import average
from sliderace.race.daily import DAY_MS, date_text

__all__ = [
    "ALL_INPUTS",
    "DAY_MS",
    "KINDS",
    "UNKNOWN",
    "Attempt",
    "Best",
    "Folded",
    "Gain",
    "Span",
    "Tally",
    "Totals",
    "days_down",
    "fold",
    "pace",
    "period",
    "streak",
]

KINDS: Final[tuple[KindName, ...]] = ("single", "ao5", "ao12")
_COUNTS: Final = (1, 5, 12)
"""How many attempts each of `KINDS` needs."""
_KEPT: Final = max(_COUNTS)
ALL_INPUTS: Final = ""
"""The input of bests on leaderboards that contain all inputs."""
UNKNOWN: Final = -1
"""A best on a leaderboard that a tally does not contain."""
_NEVER: Final = ((-1, 0),) * 3
"""The latest bests of all times, of a month and of a day, before the first attempt."""
LONG_DOWNTIME_MS: Final = 3_600_000
"""A day on which the server was down for longer breaks nobody's streak."""

Span = Literal["all", "month", "day", "daily"]
Input = InputName | Literal[""]
Result = tuple[int | None, InputName | None]
"""Time, or None for a DNF, and input of an attempt."""


class Attempt(NamedTuple):
    """An attempt of a profile.

    Attributes:
        race: Id of the race.
        started_ms: When the race started, in Unix ms.
        time_ms: Official time; None: a DNF.
        input: How they slid; None: not declared.
        counts: Whether it counts at all.
        public: Whether it counts on leaderboards too.
        daily: The day, since 1970, on whose daily leaderboard it counts; or None.
    """

    race: str
    started_ms: int
    time_ms: int | None
    input: InputName | None
    counts: bool = True
    public: bool = True
    daily: int | None = None


class Totals(msgspec.Struct, frozen=True, array_like=True):
    """What a profile has done in one event and one scope.

    Attributes:
        attempts: Attempts that count.
        finished: How many of them were finished.
        bests: The best of each of `KINDS`.
        race: Race of the best time.
        recent: The latest results.
    """

    attempts: int = 0
    finished: int = 0
    bests: tuple[int | None, ...] = (None, None, None)
    race: str = ""
    recent: tuple[Result, ...] = ()


class Tally(msgspec.Struct, frozen=True, array_like=True):
    """What a profile has done in one event.

    Attributes:
        number: Attempts, including those that do not count.
        own: All that counts.
        shared: What counts on leaderboards; None: the same, as nearly always.
        listed: The latest bests on leaderboards, by kind and input: for all times, and
            for the latest month and day, the period and the value. It tells which
            attempts cannot improve a leaderboard.
    """

    number: int = 0
    own: Totals = Totals()
    shared: Totals | None = None
    listed: dict[str, tuple[tuple[int, int], ...]] = {}

    @property
    def public(self) -> Totals:
        """What counts on leaderboards."""
        return self.shared or self.own

    def listed_best(self, kind: KindName, board: Input, number: int) -> int | None:
        """Return the best on a leaderboard, or `UNKNOWN`; None: there is none.

        Args:
            kind: A single time or an average.
            board: The leaderboard's input, or `ALL_INPUTS`.
            number: See `period`.
        """
        known = self.listed.get(f"{kind} {board}")
        return None if known is None else dict(known).get(number, UNKNOWN)


class Gain(NamedTuple):
    """A new best of a profile; `before_ms` is None if it is the first."""

    kind: KindName
    value_ms: int
    before_ms: int | None


class Best(NamedTuple):
    """A candidate for a leaderboard: it counts if the profile has none as good.

    Attributes:
        kind: A single time or an average.
        input: The leaderboard's input, or `ALL_INPUTS`.
        period: See `period`.
        value_ms: Time or average.
        started_ms: When the race started, in Unix ms.
        race: The race of the time, or the last one of the average.
        used: How they slid; `mixed` for an average of several ways.
        before: The profile's best there so far, or `UNKNOWN`; None: there is none.
    """

    kind: KindName
    input: Input
    period: int
    value_ms: int
    started_ms: int
    race: str
    used: InputName | None
    before: int | None


class Folded(NamedTuple):
    """What an attempt changes: the tally, own bests, and leaderboards."""

    tally: Tally
    gains: Sequence[Gain] = ()
    bests: Sequence[Best] = ()


def fold(tally: Tally, attempt: Attempt) -> Folded:
    """Return what an attempt changes in its profile's tally of the event."""
    number = tally.number + 1
    if not attempt.counts:
        return Folded(msgspec.structs.replace(tally, number=number))
    own, values = _added(tally.own, attempt)
    gains = [
        Gain(kind, value, before)
        for kind, value, before in zip(KINDS, values, tally.own.bests, strict=True)
        if value is not None and (before is None or value < before)
    ]
    if not attempt.public:
        return Folded(Tally(number, own, tally.public, tally.listed), gains)
    public = None
    if tally.shared is not None:
        public, values = _added(tally.shared, attempt)
    listed = dict(tally.listed)
    recent = (public or own).recent
    bests = list(_candidates(recent, values, attempt, listed))
    return Folded(Tally(number, own, public, listed), gains, bests)


def _added(totals: Totals, attempt: Attempt) -> tuple[Totals, Sequence[int | None]]:
    """Return the totals with one more attempt, and its values of all `KINDS`."""
    result: Result = attempt.time_ms, attempt.input
    recent = (*totals.recent, result)[-_KEPT:]
    times = [time for time, _ in recent]
    values = (
        attempt.time_ms,
        average(times[-5:]) if len(times) >= 5 else None,
        average(times) if len(times) == _KEPT else None,
    )
    bests = tuple(map(_better, values, totals.bests))
    after = Totals(
        totals.attempts + 1,
        totals.finished + (attempt.time_ms is not None),
        bests,
        totals.race if bests[0] == totals.bests[0] else attempt.race,
        recent,
    )
    return after, values


def _better(one: int | None, other: int | None) -> int | None:
    return other if one is None or (other is not None and other <= one) else one


def _candidates(
    recent: Sequence[Result],
    values: Sequence[int | None],
    attempt: Attempt,
    listed: dict[str, tuple[tuple[int, int], ...]],
) -> Iterable[Best]:
    """Yield what the attempt may improve on leaderboards; note it in `listed`."""
    after = attempt.started_ms, attempt.race
    periods = _periods(attempt.started_ms // DAY_MS)
    inputs: list[InputName | None] = [one for _, one in recent]
    for kind, count, value in zip(KINDS, _COUNTS, values, strict=True):
        if value is None:
            continue
        used: InputName | None = inputs[-1]
        if inputs[-count:].count(used) < count:
            used = "mixed"
        boards: tuple[Input, ...] = (ALL_INPUTS, used) if used else (ALL_INPUTS,)
        for board in boards:
            if kind == "single" and attempt.daily is not None:
                day = period("daily", attempt.daily)
                yield Best(kind, board, day, value, *after, used, UNKNOWN)
            key = f"{kind} {board}"
            known = listed.get(key, _NEVER)
            latest_day, best_of_day = known[-1]
            if latest_day == periods[-1] and value >= best_of_day:
                continue  # so it is no best of a longer period either
            now = list[tuple[int, int]]()
            for span, (latest, best) in zip(periods, known, strict=True):
                better = span > latest or (span == latest and value < best)
                if better:
                    before = best if span == latest else None
                    yield Best(kind, board, span, value, *after, used, before)
                elif span < latest:  # storing the race took long
                    yield Best(kind, board, span, value, *after, used, UNKNOWN)
                now.append((span, value) if better else (latest, best))
            listed[key] = tuple(now)


def pace(totals: Totals) -> int | None:
    """Return the median of the latest times, in ms; None: there is none."""
    times = [time for time, _ in totals.recent if time is not None]
    return round(median(times)) if times else None


# --- Days ----------------------------------------------------------------------------


def period(span: Span, day: int) -> int:
    """Return the number of a leaderboard's period.

    It is 0 for all times, YYYYMM for a month, YYYYMMDD for a day, and -YYYYMMDD for the
    daily race of a day.

    Args:
        span: What the leaderboard covers.
        day: Any day of it, since 1970 in UTC.
    """
    if span == "daily":
        return -period("day", day)
    return _periods(day)[("all", "month", "day").index(span)]


def _periods(day: int) -> tuple[int, int, int]:
    """Return the periods of all times, of a day's month, and of the day."""
    date = int(date_text(day).replace("-", ""))
    return 0, date // 100, date


def streak(used: Collection[int], down: Collection[int], today: int) -> int:
    """Return how many days in a row have a daily race, up to today or yesterday.

    Args:
        used: Days with a daily race, in any event.
        down: Days that break no streak, see `days_down`.
        today: The day; all days since 1970 in UTC.
    """
    count, day = 0, today
    while day == today or day in used or day in down:
        count += day in used
        day -= 1
    return count


def days_down(outages: Iterable[tuple[int, int]]) -> list[int]:
    """Return the days on which the server was down for more than an hour, in order.

    Args:
        outages: When each began and ended, in Unix ms.
    """
    down: dict[int, int] = {}
    for began, ended in outages:
        for day in range(began // DAY_MS, -(-ended // DAY_MS)):
            within = min(ended, (day + 1) * DAY_MS) - max(began, day * DAY_MS)
            down[day] = down.get(day, 0) + within
    return sorted(day for day, ms in down.items() if ms > LONG_DOWNTIME_MS)
