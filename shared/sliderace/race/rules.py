"""The rules of one race: board size, start, time limits, who sees what.

Each of them is a room setting. Defaults and ranges are defined here and nowhere else.
"""

import math
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, Literal

from sliderace.engine import BadSize, Size

__all__ = [
    "GRACE_FACTOR",
    "GRACE_FLOOR_MS",
    "RANGES",
    "SPECIAL",
    "STARTS",
    "Rules",
    "RulesError",
    "Start",
    "changed",
    "default_limit_ms",
]

LIMITS_MS = {
    (3, 3): 120_000,
    (4, 4): 300_000,
    (5, 5): 600_000,
    (6, 6): 900_000,
    (7, 7): 1_200_000,
    (8, 8): 1_800_000,
    (9, 9): 2_700_000,
    (10, 10): 3_600_000,
}
"""Default time limits: what a beginner needs for each square size."""

GRACE_FLOOR_MS = 60_000
GRACE_FACTOR = 3
"""By default the grace time is the larger of a minute and three times the winner's
time: skill differs up to nine-fold between friends."""

Start = Literal["ready", "host", "every"]
STARTS: tuple[Start, ...] = ("ready", "host", "every")

RANGES: dict[str, tuple[int, int]] = {
    "every_ms": (10_000, 3_600_000),
    "countdown_ms": (1_500, 60_000),
    "inspection_ms": (0, 15_000),
    "limit_ms": (10_000, 86_400_000),
    "grace_ms": (0, 86_400_000),
    "away_ms": (0, 300_000),
    "spectator_delay_ms": (0, 300_000),
}
"""Field -> lowest and highest value, beside `SPECIAL`."""
SPECIAL: dict[str, tuple[int, ...]] = {"limit_ms": (-1, 0), "grace_ms": (-1,)}
"""Field -> values outside its range: -1 is automatic, 0 is none."""


class RulesError(ValueError):
    """A rule is out of its range.

    Attributes:
        field: name of the rule.
        value: the value at fault.
    """

    def __init__(self, field: str, value: object, text: str) -> None:
        super().__init__(f"{field}: {text}, got {value!r}")
        self.field = field
        self.value = value


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one race.

    Args:
        size: Size of the board, width x height; each side 2 ... 10.
        start: ``ready``: the race starts when the host says so, or when all present
            players are ready; ``host``: only when the host says so; ``every``: by the
            clock, the first race at once. Players are ready from the start then and
            stay ready from race to race; ``ready`` off or ``bench`` sits out.
        every_ms: Pause between the races of an ``every`` room.
        countdown_ms: Length of the countdown.
        inspection_ms: How long racers see the board before it is unlocked.
        limit_ms: Time limit; -1: by board size, 0: none.
        grace_ms: Grace time after the first finisher; -1: by the winner's time.
        away_ms: How long a lost connection may last before a DNF.
        open_boards: Racers see each other's boards.
        spectator_delay_ms: How much later spectators see boards.
        friendly_timing: Extra credit for latency; see [fairness](fairness.md).

    Raises:
        RulesError: a value is out of its range.
    """

    size: str = "4x4"
    start: Start = "ready"
    every_ms: int = 60_000
    countdown_ms: int = 5_000
    inspection_ms: int = 0
    limit_ms: int = -1
    grace_ms: int = -1
    away_ms: int = 60_000
    open_boards: bool = False
    spectator_delay_ms: int = 0
    friendly_timing: bool = False

    def __post_init__(self) -> None:
        try:
            Size.parse(self.size)
        except BadSize as fault:
            raise RulesError("size", self.size, str(fault)) from None
        if self.start not in STARTS:
            raise RulesError("start", self.start, "must be ready, host or every")
        for field, (low, high) in RANGES.items():
            value = getattr(self, field)
            if value not in SPECIAL.get(field, ()) and not low <= value <= high:
                raise RulesError(field, value, f"must be {low} ... {high}")

    @property
    def width(self) -> int:
        """Cells in a row."""
        return Size.parse(self.size).width

    @property
    def height(self) -> int:
        """Rows."""
        return Size.parse(self.size).height

    @property
    def time_limit_ms(self) -> int | None:
        """The effective time limit, from each racer's own start; None: no limit."""
        if self.limit_ms == -1:
            return _limit_of(self.size)
        return self.limit_ms or None

    def grace_for(self, best_ms: int) -> int:
        """Return the grace time after a first finisher who took `best_ms`, in ms."""
        if self.grace_ms == -1:
            return max(GRACE_FLOOR_MS, GRACE_FACTOR * best_ms)
        return self.grace_ms


def default_limit_ms(width: int, height: int) -> int:
    """Return the default time limit of a board size, in ms.

    Sizes that are not in `LIMITS_MS` get 3.5 s x (width x height)^1.5, at least a
    minute.
    """
    try:
        return LIMITS_MS[(width, height)]
    except KeyError:
        return max(60_000, round(3_500 * math.pow(width * height, 1.5)))


@cache
def _limit_of(size: str) -> int:
    """Return the default limit of a size as text; cached for the hot path."""
    return default_limit_ms(*Size.parse(size))


def changed(rules: Rules, patch: object) -> Rules:
    """Return `rules` with every field of `patch` that is not None.

    Args:
        rules: the current rules.
        patch: any object with some of the fields of `Rules`.

    Raises:
        RulesError: a new value is out of its range.
    """
    new: dict[str, Any] = {
        field.name: value
        for field in fields(rules)
        if (value := getattr(patch, field.name, None)) is not None
    }
    return replace(rules, **new)
