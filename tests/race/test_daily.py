"""Days, and the chain of secrets."""

import json
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from sliderace.engine import Size, format_board, scramble
from sliderace.race.daily import (
    DAYS,
    EVENTS,
    FIRST_DAY,
    LAST_DAY,
    anchor_of,
    chain,
    daily_seed,
    date_text,
    day_of,
    day_start_ms,
    last_open_day,
    latest_ms,
    parse_date,
    sealed_until_ms,
)

VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "shared/vectors/daily-v1.json").read_text("utf-8")
)
ROOT = b"r" * 32


def test_golden_dates_are_read_and_written() -> None:
    for day, text in VECTORS["dates"]:
        assert date_text(day) == text
        assert parse_date(text) == day


@given(st.integers(0, (date.max - date(1970, 1, 1)).days))
def test_dates_are_those_of_the_calendar(day: int) -> None:
    text = (date(1970, 1, 1) + timedelta(day)).isoformat()
    assert date_text(day) == text
    assert parse_date(text) == day


@pytest.mark.parametrize("text", VECTORS["no_dates"])
def test_other_text_is_no_date(text: str) -> None:
    with pytest.raises(ValueError, match="a date is written as 2026-11-30"):
        parse_date(text)


def test_day_begins_and_ends_at_midnight_in_utc() -> None:
    midnight = datetime(2026, 11, 30, tzinfo=UTC)
    ms = round(midnight.timestamp() * 1_000)
    day = parse_date("2026-11-30")
    assert day_start_ms(day) == ms
    assert [day_of(ms + more) for more in (-1, 0, 86_399_999, 86_400_000)] == [
        day - 1,
        day,
        day,
        day + 1,
    ]


@given(st.integers(0, 1 << 50), st.integers(0, 1 << 50))
def test_day_never_goes_back(wall_ms: int, noted_ms: int) -> None:
    """Neither a step of the wall clock nor a restart brings a day again."""
    latest = latest_ms(wall_ms, noted_ms)
    assert day_of(latest) >= day_of(noted_ms)
    assert latest in (wall_ms, noted_ms)
    assert latest >= wall_ms


def test_golden_chains_seeds_and_boards() -> None:
    for case in VECTORS["chains"]:
        event = case["event"]
        links = chain(bytes.fromhex(case["root"]), event)
        assert links[0].hex() == case["anchor"]
        for text, secret, seed, board in case["days"]:
            day = parse_date(text)
            assert links[day - FIRST_DAY + 1].hex() == secret
            assert anchor_of(bytes.fromhex(secret), event, day) == links[0]
            assert daily_seed(bytes.fromhex(secret), event, day).hex() == seed
            drawn = scramble(bytes.fromhex(seed), Size.parse(event))
            assert format_board(drawn) == board


def test_chain_has_a_secret_for_each_day_of_ten_years() -> None:
    """The root is not one of them, or publishing the last one would publish all."""
    links = [chain(ROOT, event) for event in EVENTS]
    assert [len(one) for one in links] == [1 + DAYS] * 3
    assert len({secret for one in links for secret in one} | {ROOT}) == 3 * 3_661 + 1
    assert (date_text(FIRST_DAY), date_text(LAST_DAY)) == ("2026-01-01", "2036-01-08")


def test_each_secret_is_the_hash_of_the_next_one() -> None:
    for event in EVENTS:
        links = [*chain(ROOT, event), ROOT]
        label = f"sliderace/daily/v1\0{event}\0".encode()
        for before, after in pairwise(links):
            assert before == sha256(label + after).digest()


def test_secret_of_another_day_or_event_does_not_fit_the_anchor() -> None:
    links = chain(ROOT, "4x4")
    assert anchor_of(links[5], "4x4", FIRST_DAY + 4) == links[0]
    for event, day in (("4x4", FIRST_DAY + 5), ("3x3", FIRST_DAY + 4)):
        assert anchor_of(links[5], event, day) != links[0]


@pytest.mark.parametrize("day", [FIRST_DAY - 1, LAST_DAY + 1])
def test_days_without_a_daily_race_have_no_anchor(day: int) -> None:
    with pytest.raises(ValueError, match=f"not {day}"):
        anchor_of(ROOT, "4x4", day)


def test_seed_depends_on_day_event_and_secret() -> None:
    seeds = {
        daily_seed(secret, event, day)
        for secret in (ROOT, bytes(32))
        for event in EVENTS
        for day in (FIRST_DAY, FIRST_DAY + 1)
    }
    assert len(seeds) == 12


@pytest.mark.parametrize(
    ("event", "limit_s"), [("3x3", 120), ("4x4", 300), ("5x5", 600)]
)
def test_board_is_sealed_until_the_last_race_of_the_day_must_be_over(
    event: str, limit_s: int
) -> None:
    day = parse_date("2026-11-30")
    midnight = day_start_ms(parse_date("2026-12-01"))
    assert sealed_until_ms(day, event) == midnight + 1_000 * limit_s
    assert last_open_day(event, midnight + 1_000 * limit_s) == day
    assert last_open_day(event, midnight + 1_000 * limit_s - 1) == day - 1
    assert last_open_day(event, midnight) == day - 1


def test_last_board_stays_open_after_its_day() -> None:
    assert last_open_day("3x3", day_start_ms(LAST_DAY + 1_000)) == LAST_DAY + 1
