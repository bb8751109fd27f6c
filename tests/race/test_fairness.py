"""What docs/fairness.md promises, tested with its model of real connections.

The seed is fixed, so no result depends on luck. Tests with unfair rules show that the
model finds them.
"""

import re
from functools import partial

import pytest
from tests.bench import fairness
from tests.bench.fairness import (
    BAD_MOBILE,
    GATHER_MS,
    LAN,
    MOBILE,
    PAGE,
    PROFILES,
    RACERS,
    WIFI,
    WORST_DELAYS,
    Profile,
    Racer,
    errors,
    filled,
    gains,
    spread,
    wrong_winner,
)

from sliderace.race.timing import official_time

RACES = 2_000
pytestmark = pytest.mark.no_cover  # millions of packets
NORMAL = [profile for profile in PROFILES if profile is not BAD_MOBILE]
named = partial(pytest.mark.parametrize, ids=lambda value: getattr(value, "name", None))


@named(("profile", "share"), [(LAN, 0.001), (WIFI, 0.03), (MOBILE, 0.05)])
def test_slow_connection_rarely_loses_a_race_won_by_50_ms(
    profile: Profile, share: float
) -> None:
    assert wrong_winner(Racer(profile), Racer(LAN), 50, RACES).official <= share


@named("profile", PROFILES)
def test_slow_connection_never_wins_a_race_lost_by_50_ms(profile: Profile) -> None:
    assert wrong_winner(Racer(LAN), Racer(profile), 50, RACES).official <= 0.001


@named("profile", NORMAL)
def test_median_error_of_honest_times_is_a_millisecond(profile: Profile) -> None:
    low, half = spread(errors(Racer(profile), RACES), 0, 50)
    assert low >= -10
    assert -1 <= half <= 1


@named("profile", NORMAL)
def test_lie_with_honest_pongs_gains_at_most_60_ms(profile: Profile) -> None:
    """In 1 race of 1,000 a packet beats the best ping of a minute."""
    (most,) = spread(gains(Racer(profile), RACES), 99.9)
    assert most <= 60


def test_lie_over_a_jittery_connection_rarely_gains_more() -> None:
    usual, rare = spread(gains(Racer(BAD_MOBILE), RACES), 95, 99)
    assert usual <= 60
    assert rare <= 100


@pytest.mark.parametrize("friendly", [False, True])
@named("profile", PROFILES)
def test_no_lie_gains_more_than_260_ms(profile: Profile, friendly: bool) -> None:
    racer = Racer(profile, friendly=friendly, direct=False)
    assert max(gains(racer, RACES // 4, WORST_DELAYS)) <= (360 if friendly else 260)


@pytest.mark.parametrize("delays", [WORST_DELAYS, (250.0,), (40.0, 90.0)])
@pytest.mark.parametrize("friendly", [False, True])
@named("profile", NORMAL)
def test_late_pongs_on_a_direct_connection_gain_at_most_80_ms(
    profile: Profile, friendly: bool, delays: tuple[float, ...]
) -> None:
    racer = Racer(profile, friendly=friendly)
    (most,) = spread(gains(racer, RACES // 4, delays), 99.9)
    assert most <= (180 if friendly else 80)


def test_longer_faked_delays_gain_nothing() -> None:
    racer = Racer(LAN, direct=False)
    assert max(gains(racer, 500, WORST_DELAYS)) == 260
    assert max(gains(racer, 500, (400.0, 900.0))) == 260


# --- Rules that would be unfair -------------------------------------------------------


def test_ranking_by_arrival_would_let_latency_decide() -> None:
    assert wrong_winner(Racer(MOBILE), Racer(LAN), 50, 500).arrival > 0.95


def test_delaying_the_solving_slide_would_break_the_promise() -> None:
    gathered = Racer(MOBILE, gather_ms=GATHER_MS)
    assert wrong_winner(gathered, Racer(LAN), 50, RACES).official > 0.05


def test_trusting_timestamps_would_allow_any_lie(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def trusting(_g: int, e: int, *_: object, **__: object) -> int:
        return e

    monkeypatch.setattr(fairness, "official_time", trusting)
    assert min(gains(Racer(LAN), 10)) > 20_000
    monkeypatch.setattr(fairness, "official_time", official_time)
    assert max(gains(Racer(LAN), 10)) <= 60


# --- The document ---------------------------------------------------------------------


def test_fairness_page_shows_the_figures_of_the_model() -> None:
    """If not: python tests/bench/fairness.py."""
    page = PAGE.read_text("utf-8")
    made = filled(page, 20)
    figures = re.compile(r"(?<=\| )-?[\d.]+%?(?= \|)")
    assert figures.sub("*", made) == figures.sub("*", page)
    for racer in RACERS:
        assert page.count(f"\n| {racer.name} | ") >= 2
