"""Every rule at its bounds, and the automatic values."""

from dataclasses import asdict, dataclass
from typing import Any

import pytest

from sliderace.race.rules import (
    RANGES,
    Rules,
    RulesError,
    changed,
    default_limit_ms,
)

SPECIAL = {"limit_ms": {-1, 0}, "grace_ms": {-1}}


def bounds() -> list[tuple[str, int, bool]]:
    cases: list[tuple[str, int, bool]] = []
    for field, (low, high) in RANGES.items():
        values = {low - 1, low, low + 1, (low + high) // 2, high - 1, high, high + 1}
        for value in values | {-2, -1, 0}:
            allowed = low <= value <= high or value in SPECIAL.get(field, ())
            cases.append((field, value, allowed))
    return cases


def test_ranges_are_the_agreed_ones() -> None:
    second, hour = 1_000, 3_600_000
    agreed = {
        "every_ms": (10 * second, hour),
        "countdown_ms": (1_500, 60 * second),
        "inspection_ms": (0, 15 * second),
        "limit_ms": (10 * second, 24 * hour),
        "grace_ms": (0, 24 * hour),
        "away_ms": (0, 300 * second),
        "spectator_delay_ms": (0, 300 * second),
    }
    assert agreed == RANGES


def test_defaults_are_the_agreed_ones() -> None:
    assert Rules() == Rules(
        size="4x4",
        start="ready",
        every_ms=60_000,
        countdown_ms=5_000,
        inspection_ms=0,
        limit_ms=-1,
        grace_ms=-1,
        away_ms=60_000,
        open_boards=False,
        spectator_delay_ms=0,
        friendly_timing=False,
    )
    assert len(asdict(Rules())) == 11  # a new rule needs its default above


@pytest.mark.parametrize(("field", "value", "allowed"), bounds())
def test_values_out_of_range_are_refused(field: str, value: int, allowed: bool) -> None:
    fields: dict[str, Any] = {field: value}
    if allowed:
        assert getattr(Rules(**fields), field) == value
    else:
        with pytest.raises(RulesError) as caught:
            Rules(**fields)
        assert (caught.value.field, caught.value.value) == (field, value)


@pytest.mark.parametrize(
    "size", ["", "4", "4x", "x4", "1x4", "4x11", "4x4x4", "04x4", "4X4", " 4x4", "٤x4"]
)
def test_malformed_size_is_refused(size: str) -> None:
    with pytest.raises(RulesError, match="size"):
        Rules(size=size)


def test_width_and_height() -> None:
    rules = Rules(size="10x2")
    assert (rules.width, rules.height) == (10, 2)


def test_unknown_start_is_refused() -> None:
    wrong: Any = "whenever"
    with pytest.raises(RulesError, match="start") as caught:
        Rules(start=wrong)
    assert (caught.value.field, caught.value.value) == ("start", wrong)


@pytest.mark.parametrize(
    ("size", "minutes"),
    [
        ((3, 3), 2),
        ((4, 4), 5),
        ((5, 5), 10),
        ((6, 6), 15),
        ((7, 7), 20),
        ((8, 8), 30),
        ((9, 9), 45),
        ((10, 10), 60),
        ((2, 2), 1),
        ((3, 2), 1),
    ],
)
def test_default_time_limit_of_square_sizes(
    size: tuple[int, int], minutes: int
) -> None:
    assert default_limit_ms(*size) == minutes * 60_000


def test_default_time_limit_of_other_sizes() -> None:
    assert default_limit_ms(5, 4) == default_limit_ms(4, 5) == 313_050


def test_effective_time_limit() -> None:
    assert Rules(limit_ms=0).time_limit_ms is None
    assert Rules(limit_ms=10_000).time_limit_ms == 10_000
    assert Rules(size="3x3").time_limit_ms == 120_000


@pytest.mark.parametrize(
    ("grace_ms", "best_ms", "grace"),
    [
        (-1, 0, 60_000),
        (-1, 20_000, 60_000),
        (-1, 20_001, 60_003),
        (-1, 100_000, 300_000),
        (0, 100_000, 0),
        (5_000, 100_000, 5_000),
    ],
)
def test_grace_time(grace_ms: int, best_ms: int, grace: int) -> None:
    assert Rules(grace_ms=grace_ms).grace_for(best_ms) == grace


@dataclass
class Patch:
    size: str | None = None
    away_ms: int | None = None
    public: bool | None = True


def test_changed_applies_and_checks_a_patch() -> None:
    rules = Rules(grace_ms=7_000)
    assert changed(rules, Patch()) == rules
    assert changed(rules, Patch(size="3x3", away_ms=0)) == Rules(
        size="3x3", away_ms=0, grace_ms=7_000
    )
    with pytest.raises(RulesError, match="away_ms"):
        changed(rules, Patch(away_ms=300_001))
