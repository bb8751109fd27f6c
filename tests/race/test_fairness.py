"""What the official time promises over real lines, with the model of docs/fairness.md.

The seed is fixed, so a verdict never depends on luck. The planted rules show that the
model can tell a fair rule from an unfair one.
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

RACES = 4_000
SOUND = [profile for profile in PROFILES if profile is not BAD_MOBILE]
named = partial(pytest.mark.parametrize, ids=lambda value: getattr(value, "name", None))


@named(("profile", "share"), [(LAN, 0.001), (WIFI, 0.03), (MOBILE, 0.05)])
def test_a_slow_line_seldom_loses_a_race_that_it_won_by_50_ms(
    profile: Profile, share: float
) -> None:
    assert wrong_winner(Racer(profile), Racer(LAN), 50, RACES).official <= share


@named("profile", PROFILES)
def test_a_slow_line_wins_no_race_that_it_lost_by_50_ms(profile: Profile) -> None:
    assert wrong_winner(Racer(LAN), Racer(profile), 50, RACES).official <= 0.001


@named("profile", SOUND)
def test_half_of_all_honest_times_are_right_to_a_millisecond(profile: Profile) -> None:
    low, half = spread(errors(Racer(profile), RACES), 0, 50)
    assert low >= -10
    assert -1 <= half <= 1


@named("profile", SOUND)
def test_a_lie_with_honest_pongs_is_worth_60_ms_at_most(profile: Profile) -> None:
    """But for packets that beat the best ping of a minute: 1 race of 1,000."""
    (most,) = spread(gains(Racer(profile), RACES), 99.9)
    assert most <= 60


def test_on_a_line_of_great_jitter_it_may_be_worth_more_but_seldom() -> None:
    usual, seldom = spread(gains(Racer(BAD_MOBILE), RACES), 95, 99)
    assert usual <= 60
    assert seldom <= 100


@pytest.mark.parametrize("friendly", [False, True])
@named("profile", PROFILES)
def test_no_lie_is_worth_more_than_260_ms(profile: Profile, friendly: bool) -> None:
    racer = Racer(profile, friendly=friendly)
    assert max(gains(racer, RACES // 4, WORST_DELAYS)) <= (360 if friendly else 260)


def test_a_liar_gets_nothing_for_longer_delays() -> None:
    racer = Racer(LAN)
    assert max(gains(racer, 500, WORST_DELAYS)) == 260
    assert max(gains(racer, 500, (400.0, 900.0))) == 260


# --- Rules that would be unfair -------------------------------------------------------


def test_arrival_alone_would_let_the_line_decide() -> None:
    assert wrong_winner(Racer(MOBILE), Racer(LAN), 50, 500).arrival > 0.95


def test_a_gathered_solving_slide_would_break_the_promise() -> None:
    gathered = Racer(MOBILE, gather_ms=GATHER_MS)
    assert wrong_winner(gathered, Racer(LAN), 50, RACES).official > 0.05


def test_a_believed_stamp_would_be_worth_anything(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def believed(_g: int, e: int, *_: object, **__: object) -> int:
        return e

    monkeypatch.setattr(fairness, "official_time", believed)
    assert min(gains(Racer(LAN), 10)) > 20_000
    monkeypatch.setattr(fairness, "official_time", official_time)
    assert max(gains(Racer(LAN), 10)) <= 60


# --- The page -------------------------------------------------------------------------


def test_the_page_shows_the_tables_and_keeps_its_words() -> None:
    """Else: python tests/bench/fairness.py."""
    page = PAGE.read_text("utf-8")
    made = filled(page, 20)
    figures = re.compile(r"(?<=\| )-?[\d.]+%?(?= \|)")
    assert figures.sub("*", made) == figures.sub("*", page)
    for racer in RACERS:
        assert page.count(f"\n| {racer.name} | ") >= 2
