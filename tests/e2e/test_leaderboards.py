"""Leaderboards and the daily race over HTTP."""

from dataclasses import replace
from typing import Any

import pytest
from tests.e2e.daily_server import (
    DAY,
    NOON_MS,
    SECRETS,
    WallClock,
    add_profile,
    daily_server,
)
from tests.e2e.stores import FaultyStore
from tests.e2e.test_http import Reply, ask

from sliderace.race.daily import (
    DAY_MS,
    EVENTS,
    anchor_of,
    day_start_ms,
    parse_date,
    sealed_until_ms,
)
from sliderace.texts import catalogue, text
from sliderace_server.limits import Limits
from sliderace_server.storage import AttemptRow, RaceSummary, StoredRace

ANN, BEN = "BCDFGHJK", "LMNPQRST"


def bearer(name: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {SECRETS[name]}"}


def attempt(profile: str, time_ms: int, **more: object) -> AttemptRow:
    row = AttemptRow(0, "Name", "finished", 1, time_ms, 90, 60, profile=profile)
    return replace(row, **more)  # type: ignore[arg-type]


def stored(number: int, row: AttemptRow, **more: object) -> StoredRace:
    """Return a stored race of one racer in a solo room."""
    id_ = f"KWXTRB-SA1B2C-{number}"
    summary = RaceSummary(id_, "KWXTRB", NOON_MS, "4x4", False, (row,), kind="solo")
    return StoredRace(replace(summary, **more), b"{}")  # type: ignore[arg-type]


def daily(number: int, row: AttemptRow, day: int = DAY) -> StoredRace:
    return stored(
        number,
        row,
        kind="daily",
        day=day,
        sealed_until_ms=sealed_until_ms(day, "4x4"),
        started_ms=day_start_ms(day) + DAY_MS // 2,
    )


async def put(store: FaultyStore, *races: StoredRace) -> None:
    for race in races:
        await store.results.store(race)


async def board(port: int, query: str, **headers: str) -> dict[str, Any]:
    reply = await ask(port, f"/api/boards?{query}", **headers)
    assert reply.status == 200, reply.body
    assert reply.headers["cache-control"] == "no-store"
    found: dict[str, Any] = reply.json()
    return found


def places(rows: list[dict[str, Any]]) -> list[tuple[int, str, int]]:
    return [(row["place"], row["profile"], row["value_ms"]) for row in rows]


async def test_leaderboard_lists_the_best_of_each_profile() -> None:
    async with daily_server() as (server, store):
        await put(
            store,
            stored(1, attempt(ANN, 9_000, input="keys")),
            stored(2, attempt(ANN, 8_000, input="touch")),
            stored(3, attempt(BEN, 8_500, input="keys")),
        )
        found = await board(server.port, "event=4x4")
        assert places(found["top"]) == [(1, ANN, 8_000), (2, BEN, 8_500)]
        assert found["total"] == 2
        assert (found["own"], found["around"]) == ("", [])
        first = found["top"][0]
        assert (first["name"], first["input"]) == ("Ann", "touch")
        assert (first["race"], first["started_ms"]) == ("KWXTRB-SA1B2C-2", NOON_MS)
        keys = await board(server.port, "event=4x4&input=keys")
        assert places(keys["top"]) == [(1, BEN, 8_500), (2, ANN, 9_000)]
        assert (await board(server.port, "event=5x5"))["total"] == 0
        for query in ("span=day", "span=month", "span=day&date=2026-11-30"):
            assert (await board(server.port, f"event=4x4&{query}"))["total"] == 2
        for query in ("span=day&date=2026-11-29", "span=month&date=2026-10-31"):
            assert (await board(server.port, f"event=4x4&{query}"))["total"] == 0
        assert (await board(server.port, "event=4x4&kind=ao5"))["total"] == 0


async def test_averages_have_leaderboards_of_their_own() -> None:
    async with daily_server() as (server, store):
        await put(store, *(stored(n, attempt(ANN, 9_000 + n)) for n in range(1, 6)))
        found = await board(server.port, "event=4x4&kind=ao5")
        assert places(found["top"]) == [(1, ANN, 9_003)]


async def test_owner_of_a_profile_gets_the_lines_around_it() -> None:
    async with daily_server() as (server, store):
        await put(store, stored(1, attempt(ANN, 9_000)), stored(2, attempt(BEN, 8_000)))
        lower = {"Authorization": f"bearer {SECRETS['Ann']}"}  # any case is right
        found = await board(server.port, "event=4x4", **lower)
        assert found["own"] == ANN
        assert places(found["around"]) == [(1, BEN, 8_000), (2, ANN, 9_000)]


@pytest.mark.parametrize(
    "authorization", ["Bearer " + "0" * 32, "Bearer 1", "Basic x", "Bearer " + "z" * 32]
)
async def test_unknown_secret_is_that_of_a_guest(authorization: str) -> None:
    async with daily_server() as (server, store):
        await put(store, stored(1, attempt(ANN, 9_000)))
        header = {"Authorization": authorization}
        found = await board(server.port, "event=4x4", **header)
        assert (found["own"], found["around"]) == ("", [])
        assert found["total"] == 1


async def test_equal_names_are_told_apart_by_their_ids() -> None:
    async with daily_server() as (server, store):
        await store.standings.rename_profile(BEN, "Ann")
        await put(store, stored(1, attempt(ANN, 9_000)), stored(2, attempt(BEN, 9_000)))
        found = await board(server.port, "event=4x4")
        assert {row["name"] for row in found["top"]} == {"Ann"}
        assert sorted(row["profile"] for row in found["top"]) == [ANN, BEN]
        assert [row["place"] for row in found["top"]] == [1, 1]


@pytest.mark.parametrize(
    "name",
    [
        "<script>alert(1)</script>",
        "\x1b[31mred",
        '"}],"total":9',
        "\u202enna",
        "[link=http://x]a[/link]",
        "a\u0301\u0301\u0301\u0301",
        "\ud800",
    ],
)
async def test_hostile_name_cannot_leave_its_string(name: str) -> None:
    """Clients clean names again; the answer is plain ASCII, whatever they contain."""
    async with daily_server() as (server, store):
        await store.standings.rename_profile(ANN, name)
        await put(store, stored(1, attempt(ANN, 9_000)))
        reply = await ask(server.port, "/api/boards?event=4x4")
        assert reply.body.isascii()
        assert not any(byte < 0x20 for byte in reply.body)
        assert reply.headers["content-type"] == "application/json"
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.json()["top"][0]["name"] == name
        assert len(reply.json()["top"]) == reply.json()["total"] == 1


async def test_hidden_profile_is_on_no_leaderboard() -> None:
    async with daily_server() as (server, store):
        await put(
            store,
            stored(1, attempt(ANN, 8_000)),
            stored(2, attempt(BEN, 9_000)),
            daily(3, attempt(ANN, 7_000)),
        )
        await store.standings.hide(ANN, "a program solved it")
        for query in ("event=4x4", "event=4x4&daily=1"):
            found = await board(server.port, query, **bearer("Ann"))
            assert ANN not in str(found["top"]) + str(found["around"])
            assert "program" not in str(found)
        assert places((await board(server.port, "event=4x4"))["top"]) == [
            (1, BEN, 9_000)
        ]


async def test_daily_leaderboard_contains_profiles_older_than_the_day() -> None:
    """A second profile, created to see the board first, gains nothing today."""
    store = FaultyStore()
    async with store.real:
        await add_profile(store, "Ann", ANN, day_start_ms(DAY) - 1)
        await add_profile(store, "Ben", BEN, day_start_ms(DAY))
    async with daily_server(store=store) as (server, _):
        await put(
            store,
            daily(1, attempt(ANN, 9_000)),
            daily(2, attempt(BEN, 8_000)),
            daily(3, attempt(BEN, 7_000), DAY + 1),
        )
        found = await board(server.port, "event=4x4&daily=1")
        assert places(found["top"]) == [(1, ANN, 9_000)]
        assert (found["daily"], found["span"]) == (True, "day")
        assert found["date"] == "2026-11-30"
        later = await board(server.port, "event=4x4&daily=1&date=2026-12-01")
        assert places(later["top"]) == [(1, BEN, 7_000)]


async def test_leaderboard_states_what_is_proved_and_what_not() -> None:
    async with daily_server() as (server, _):
        plain = (await board(server.port, "event=4x4"))["notes"]
        of_day = (await board(server.port, "event=4x4&daily=1"))["notes"]
    for kind in ("proved", "not_proved"):
        assert plain[kind] == [text(f"board.{kind}.any")]
        assert of_day[kind] == [*plain[kind], text(f"board.{kind}.daily")]
    assert "board.proved.any" in catalogue("common")


@pytest.mark.parametrize(
    ("query", "field", "value", "allowed"),
    [
        ("", "event", "", "2x2 ... 10x10"),
        ("event=4", "event", "4", "2x2 ... 10x10"),
        ("event=11x4", "event", "11x4", "2x2 ... 10x10"),
        ("event=4x4&kind=ao7", "kind", "ao7", "single, ao5, ao12"),
        (
            "event=4x4&input=nose",
            "input",
            "nose",
            "keys, click, hover, touch, typed, mixed",
        ),
        ("event=4x4&span=week", "span", "week", "all, month, day"),
        ("event=4x4&span=daily", "span", "daily", "all, month, day"),
        ("event=4x4&daily=2", "daily", "2", "1"),
        ("event=6x6&daily=1", "event", "6x6", "3x3, 4x4, 5x5"),
        ("event=4x4&daily=1&kind=ao5", "kind", "ao5", "single"),
        ("event=4x4&daily=1&span=all", "span", "all", "day"),
        ("event=4x4&date=2026-02-30", "date", "2026-02-30", "2026-11-30"),
        (
            "event=4x4&kinds=ao5",
            "kinds",
            "ao5",
            "event, date, kind, input, span, daily",
        ),
    ],
)
async def test_bad_parameter_is_named_with_what_is_allowed(
    query: str, field: str, value: str, allowed: str
) -> None:
    async with daily_server() as (server, _):
        reply = await ask(server.port, f"/api/boards?{query}")
    assert reply.status == 400
    assert reply.json() == {
        "error": "bad_parameter",
        "field": field,
        "value": value,
        "allowed": allowed,
    }


async def test_empty_parameter_is_the_default() -> None:
    async with daily_server() as (server, _):
        plain = await board(server.port, "event=4x4")
        query = "event=4x4&kind=&input=&span=&date=&daily="
        assert await board(server.port, query) == plain


async def test_leaderboards_count_as_ten_requests() -> None:
    limits = Limits(pages_per_s=1, pages_burst=30)
    proxies = ("127.0.0.1",)
    async with daily_server(limits=limits, trusted_proxies=proxies) as (server, _):
        away = {"X_Forwarded_For": "192.0.2.7"}
        found = [
            (await ask(server.port, "/api/boards?event=4x4", **away)).status
            for _ in range(5)
        ]
        assert found[:2] == [200, 200]
        assert found[-1] == 429
        other = {"X_Forwarded_For": "192.0.2.8"}
        assert (await ask(server.port, "/api/boards?event=4x4", **other)).status == 200


# --- The daily race -------------------------------------------------------------------


async def view(port: int, **headers: str) -> dict[str, Any]:
    found: dict[str, Any] = (await ask(port, "/api/daily", **headers)).json()
    return found


async def test_anchors_and_the_secret_of_yesterday_are_published() -> None:
    clock = WallClock()
    async with daily_server(clock) as (server, _):
        found = await view(server.port)
        assert (found["date"], found["last_date"]) == ("2026-11-30", "2036-01-08")
        assert 0 < found["ends_ms"] <= DAY_MS // 2
        assert found["own"] is None
        assert [*found["events"]] == [*EVENTS]
        for event, one in found["events"].items():
            assert one["date"] == "2026-11-29"
            day = parse_date(one["date"])
            secret = bytes.fromhex(one["secret"])
            assert anchor_of(secret, event, day).hex() == one["anchor"]
        assert found["events"]["3x3"]["limit_ms"] == 120_000
        clock.set(day_start_ms(DAY + 1) + 200_000)
        later = (await view(server.port))["events"]
    assert [later[event]["date"] for event in EVENTS] == [
        "2026-11-30",
        "2026-11-29",
        "2026-11-29",
    ]
    for event in EVENTS:
        assert later[event]["anchor"] == found["events"][event]["anchor"]


async def test_owner_of_a_profile_sees_streak_and_used_attempts() -> None:
    async with daily_server() as (server, store):
        for day, event in ((DAY, "5x5"), (DAY - 1, "3x3")):
            await store.standings.claim_daily(ANN, event, day, "KWXTRB")
        found = await view(server.port, **bearer("Ann"))
        assert found["own"] == {"streak": 2, "date": "2026-11-30", "events": ["5x5"]}
        found = await view(server.port, **bearer("Ben"))
        assert found["own"] == {"streak": 0, "date": "2026-11-30", "events": []}


async def test_no_secret_is_published_before_the_first_day() -> None:
    async with daily_server(WallClock(1_700_000_000_000)) as (server, _):
        found = await view(server.port)
        assert {one["secret"] for one in found["events"].values()} == {None}
        assert {one["date"] for one in found["events"].values()} == {None}


# --- Sealed records -------------------------------------------------------------------


async def record(port: int, **headers: str) -> Reply:
    return await ask(port, "/api/races/KWXTRB-SA1B2C-1", **headers)


async def test_record_of_a_daily_race_is_sealed_until_its_last_race_is_over() -> None:
    clock = WallClock()
    async with daily_server(clock) as (server, store):
        await put(store, daily(1, attempt(ANN, 9_000)))
        for headers in ({}, bearer("Ben"), {"Authorization": "Bearer 1"}):
            sealed = await record(server.port, **headers)
            assert sealed.status == 403
            assert sealed.json()["error"] == "sealed"
            until = sealed.json()["retry_ms"] + clock.wall_ms()
            assert abs(until - sealed_until_ms(DAY, "4x4")) < 5_000
        head = await ask(server.port, "/api/races/KWXTRB-SA1B2C-1", "HEAD")
        assert head.status == 403
        operator = {"Authorization": f"Bearer {server.operator_token}"}
        assert (await record(server.port, **operator)).status == 403
        own = await record(server.port, **bearer("Ann"))
        assert (own.status, own.body) == (200, b"{}")
        clock.set(sealed_until_ms(DAY, "4x4") - 1_000)
        assert (await record(server.port)).status == 403
        clock.set(sealed_until_ms(DAY, "4x4"))
        assert (await record(server.port)).status == 200


async def test_board_that_was_open_is_not_raced_on_again() -> None:
    """The day does not go back with the clock."""
    clock = WallClock(sealed_until_ms(DAY, "4x4"))
    async with daily_server(clock) as (server, store):
        await put(store, daily(1, attempt(ANN, 9_000)))
        assert (await record(server.port)).status == 200
        clock.set(NOON_MS)
        assert (await view(server.port))["date"] == "2026-12-01"


async def test_other_records_are_not_sealed() -> None:
    async with daily_server() as (server, store):
        await put(store, stored(1, attempt(ANN, 9_000)))
        assert (await record(server.port)).status == 200
        assert (await ask(server.port, "/api/races/KWXTRB-SA1B2C-2")).status == 404
