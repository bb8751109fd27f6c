"""The rules of one race: which board, when it starts, how long it runs, who sees what.

Every figure is a room setting; the defaults and ranges stand here and nowhere else.
"""

import math
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, Literal

__all__ = [
    "GRACE_FACTOR",
    "GRACE_FLOOR_MS",
    "RANGES",
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
"""Default time limits: a beginner's solve of each classic size."""

GRACE_FLOOR_MS = 60_000
GRACE_FACTOR = 3
"""After the first finisher the others have the larger of a minute and three times the
winner's time: skill differs nine-fold between friends."""

Start = Literal["ready", "host", "every"]
STARTS: tuple[Start, ...] = ("ready", "host", "every")

RANGES: dict[str, tuple[int, int]] = {
    "every_ms": (10_000, 3_600_000),
    "countdown_ms": (3_000, 60_000),
    "inspection_ms": (0, 15_000),
    "limit_ms": (10_000, 86_400_000),
    "grace_ms": (0, 86_400_000),
    "away_ms": (0, 300_000),
    "spectator_delay_ms": (0, 300_000),
}
"""Field -> lowest and highest value; beside them -1 means "automatic" for `limit_ms`
and `grace_ms`, and 0 means "off" for `limit_ms`."""


class RulesError(ValueError):
    """A rule out of its range.

    Attributes:
        field: name of the rule.
        value: what was given.
    """

    def __init__(self, field: str, value: object, text: str) -> None:
        super().__init__(f"{field}: {text}, got {value!r}")
        self.field = field
        self.value = value


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one race.

    Args:
        size: board size ``WxH``, each side 2 ... 10.
        start: ``ready`` (the host presses start, or all present players are ready),
            ``host`` (only the host's word) or ``every`` (every `every_ms`).
        every_ms: pause between races of an ``every`` room.
        countdown_ms: from the start to T0.
        inspection_ms: how long the shown board stays locked.
        limit_ms: time limit; -1 by size, 0 none.
        grace_ms: time after the first finisher; -1 by the winner's time.
        away_ms: how long a lost connection may last before a DNF.
        open_boards: racers see each other's boards.
        spectator_delay_ms: how much later spectators see boards.
        friendly_timing: more credit for poor lines, see `sliderace.race.timing`.

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
        w, _, h = self.size.partition("x")
        sides = {str(n) for n in range(2, 11)}
        if w not in sides or h not in sides:
            raise RulesError("size", self.size, "must be WxH with sides 2 ... 10")
        if self.start not in STARTS:
            raise RulesError("start", self.start, "must be ready, host or every")
        for field, (low, high) in RANGES.items():
            value = getattr(self, field)
            special = {"limit_ms": (-1, 0), "grace_ms": (-1,)}.get(field, ())
            if value not in special and not low <= value <= high:
                raise RulesError(field, value, f"must be {low} ... {high}")

    @property
    def width(self) -> int:
        """Cells in a row."""
        return int(self.size.partition("x")[0])

    @property
    def height(self) -> int:
        """Rows."""
        return int(self.size.partition("x")[2])

    @property
    def time_limit_ms(self) -> int | None:
        """The time limit in force, counted from each player's start; None: none."""
        if self.limit_ms == -1:
            return _limit_of(self.size)
        return self.limit_ms or None

    def grace_for(self, best_ms: int) -> int:
        """Grace time after a first finisher who took `best_ms`, in ms."""
        if self.grace_ms == -1:
            return max(GRACE_FLOOR_MS, GRACE_FACTOR * best_ms)
        return self.grace_ms


def default_limit_ms(width: int, height: int) -> int:
    """The time limit of a size nobody set: 3.5 s x (w h)^1.5, at least a minute."""
    try:
        return LIMITS_MS[(width, height)]
    except KeyError:
        return max(60_000, round(3_500 * math.pow(width * height, 1.5)))


@cache
def _limit_of(size: str) -> int:
    """The same of a size's name: each slide asks for it."""
    width, _, height = size.partition("x")
    return default_limit_ms(int(width), int(height))


def changed(rules: Rules, patch: object) -> Rules:
    """`rules` with every field of `patch` that is not None.

    Args:
        rules: the rules in force.
        patch: any object with (some of) the fields of `Rules`.

    Raises:
        RulesError: a new value is out of its range.
    """
    new: dict[str, Any] = {
        field.name: value
        for field in fields(rules)
        if (value := getattr(patch, field.name, None)) is not None
    }
    return replace(rules, **new)
