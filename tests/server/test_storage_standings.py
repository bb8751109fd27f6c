"""The contract of profiles and leaderboards, checked for every adapter."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.server.test_storage_results import RESULTS_ADAPTERS, results_store

from sliderace_server.storage import (
    DAY_MS,
    AttemptGains,
    AttemptRow,
    BoardQuery,
    GainRow,
    ProfileRow,
    RaceSummary,
    ResultsStore,
    StorageUnavailable,
    StoredRace,
    hide,
)
from sliderace_server.storage.ports import ALIVE_GAP_MS, KEY_USE_MS, MAX_KEYS
from sliderace_server.storage.sqlite.store import SqliteStore

HOUR = 3_600_000
DAY = 20_787
"""30 November 2026."""
NOON = DAY * DAY_MS + DAY_MS // 2
ANN, BEN, CAT = "ANNANNAN", "BENBENBE", "CATCATCA"


@pytest.fixture(params=RESULTS_ADAPTERS)
async def store(
    request: pytest.FixtureRequest, tmp_path: Path
) -> AsyncIterator[ResultsStore]:
    async with await results_store(request.param, tmp_path, request) as opened:
        yield opened


async def create(
    store: ResultsStore, *profiles: str, at_ms: int = NOON - 9 * DAY_MS
) -> None:
    for one in profiles:
        row = ProfileRow(one, one.title(), at_ms)
        assert await store.standings.create_profile(row, f"key of {one}", "phone")


def row(seat: int, profile: str | None, time_ms: int | None = 9_000) -> AttemptRow:
    status = "dnf" if time_ms is None else "finished"
    return AttemptRow(
        seat,
        f"P{seat}",
        status,
        seat + 1,
        time_ms,
        90,
        60,
        profile=profile,
        input="keys",
    )


def race(
    number: int, *rows: AttemptRow, at_ms: int = NOON, **more: object
) -> StoredRace:
    values: dict[str, object] = {"size": "4x4", "public": True, **more}
    race_id = f"KWXTRB-S0-{number}"
    summary = RaceSummary(race_id, "KWXTRB", at_ms, attempts=rows, **values)  # type: ignore[arg-type]
    return StoredRace(summary, b"{}")


async def store_times(
    store: ResultsStore,
    profile: str,
    *times: int | None,
    first: int = 1,
    **more: object,
) -> list[AttemptGains]:
    """Store a race of one for each time; return their gains."""
    found: list[AttemptGains] = []
    for number, ms in enumerate(times, first):
        stored = race(number, row(0, profile, ms), **more)  # type: ignore[arg-type]
        found += await store.results.store(stored)
    return found


async def places(store: ResultsStore, **query: object) -> list[tuple[int, str, int]]:
    """Return place, profile and value of a leaderboard's rows."""
    board = await store.standings.board(BoardQuery("4x4", **query))  # type: ignore[arg-type]
    assert board.total == len(board.top)
    return [(one.place, one.profile, one.value_ms) for one in board.top]


# --- profiles ------------------------------------------------------------------------


async def test_a_key_identifies_its_profile(store: ResultsStore) -> None:
    await create(store, ANN, BEN)
    found = await store.standings.identify(f"key of {BEN}", NOON)
    assert found == (ProfileRow(BEN, "Benbenbe", NOON - 9 * DAY_MS), 1)
    assert await store.standings.identify("key of nobody", NOON) is None
    assert await store.standings.profile(BEN) == ProfileRow(
        BEN, "Benbenbe", NOON - 9 * DAY_MS
    )
    assert await store.standings.profile(CAT) is None


async def test_an_id_or_a_key_that_exists_creates_nothing(store: ResultsStore) -> None:
    await create(store, ANN)
    standings = store.standings
    assert not await standings.create_profile(ProfileRow(ANN, "X", 1), "new", "pad")
    taken = f"key of {ANN}"
    assert not await standings.create_profile(ProfileRow(BEN, "X", 1), taken, "pad")
    assert await standings.identify("new", NOON) is None
    assert await standings.keys(BEN) == []
    await create(store, BEN)


async def test_devices_are_added_and_revoked(store: ResultsStore) -> None:
    await create(store, ANN, BEN)
    standings = store.standings
    assert await standings.add_key(ANN, "second", "tablet", NOON)
    assert not await standings.add_key(ANN, "second", "tablet", NOON)
    assert not await standings.add_key(ANN, f"key of {BEN}", "tablet", NOON)
    assert not await standings.add_key(CAT, "third", "tablet", NOON)
    assert [(key.id, key.name) for key in await standings.keys(ANN)] == [
        (1, "phone"),
        (2, "tablet"),
    ]
    assert await standings.revoke_key(ANN, 2)
    assert not await standings.revoke_key(ANN, 2)
    assert not await standings.revoke_key(CAT, 1)
    assert await standings.identify("second", NOON) is None
    assert await standings.add_key(ANN, "third", "desk", NOON)
    assert [key.id for key in await standings.keys(ANN)] == [1, 3]  # never given again
    assert await standings.identify("third", NOON) == (
        ProfileRow(ANN, "Annannan", NOON - 9 * DAY_MS),
        3,
    )


async def test_a_profile_has_a_limited_number_of_devices(store: ResultsStore) -> None:
    await create(store, ANN)
    added = [
        await store.standings.add_key(ANN, f"key {n}", "x", NOON)
        for n in range(MAX_KEYS + 1)
    ]
    assert added == [True] * (MAX_KEYS - 1) + [False] * 2


async def test_the_last_use_of_a_device_is_noted_about_once_an_hour(
    store: ResultsStore,
) -> None:
    await create(store, ANN, at_ms=NOON)
    for later, used in ((KEY_USE_MS - 1, 0), (KEY_USE_MS, KEY_USE_MS)):
        await store.standings.identify(f"key of {ANN}", NOON + later)
        (key,) = await store.standings.keys(ANN)
        assert (key.added_ms, key.used_ms) == (NOON, NOON + used)


async def test_a_profile_can_be_renamed(store: ResultsStore) -> None:
    """Leaderboards show the new name; races keep the nickname."""
    await create(store, ANN)
    await store_times(store, ANN, 9_000)
    await store.standings.rename_profile(ANN, "Zoë")
    board = await store.standings.board(BoardQuery("4x4"))
    assert board.top[0].name == "Zoë"
    [summary] = await store.results.races()
    assert summary.attempts[0].name == "P0"


async def test_deletion_waits_for_its_time(store: ResultsStore) -> None:
    await create(store, ANN, BEN, CAT)
    standings = store.standings
    for profile, at_ms in ((ANN, NOON + 2), (BEN, NOON + 1), (CAT, NOON)):
        await standings.set_forget(profile, at_ms)
    await standings.set_forget(CAT, None)
    assert await standings.due_to_forget(NOON) == []
    assert await standings.due_to_forget(NOON + 2) == [BEN, ANN]
    found = await standings.identify(f"key of {ANN}", NOON)
    assert found is not None
    assert found[0].forget_at_ms == NOON + 2


async def test_a_deleted_profile_leaves_no_trace(store: ResultsStore) -> None:
    await create(store, ANN, BEN)
    standings = store.standings
    bot = replace(row(1, None), bot=True)
    await store.results.store(race(1, row(0, ANN)))
    await store.results.store(race(2, row(0, ANN), bot))
    await store.results.store(race(3, row(0, ANN, 8_000), row(1, BEN), row(2, None)))
    await store.results.store(race(4, row(0, BEN)))
    await standings.claim_daily(ANN, "4x4", DAY, "KWXTRB")
    assert await standings.races_with_others(ANN) == [("KWXTRB-S0-3", 0)]
    assert await standings.races_with_others(BEN) == [("KWXTRB-S0-3", 1)]
    await standings.replace_record("KWXTRB-S0-3", b'{"redacted":true}')
    await standings.delete_profile(ANN)
    await standings.delete_profile(ANN)
    assert await standings.identify(f"key of {ANN}", NOON) is None
    assert await standings.keys(ANN) == []
    assert await standings.tallies(ANN) == []
    assert await standings.history(ANN, "4x4", None, 9) == []
    assert await standings.dailies(ANN, 0) == []
    assert await places(store) == [(1, BEN, 9_000)]
    shared, own = sorted(await store.results.races(), key=lambda one: one.id)
    assert (shared.id, own.id) == ("KWXTRB-S0-3", "KWXTRB-S0-4")
    names = [(one.name, one.profile) for one in shared.attempts]
    assert names == [("deleted", None), ("P1", BEN), ("P2", None)]
    assert await store.results.record(shared.id) == b'{"redacted":true}'
    assert await store.results.record("KWXTRB-S0-1") is None
    await create(store, ANN)
    assert await standings.tallies(ANN) == []


# --- attempts ------------------------------------------------------------------------


async def test_a_stored_race_gains_bests(store: ResultsStore) -> None:
    await create(store, ANN, BEN)
    gains = await store.results.store(race(1, row(0, ANN), row(1, BEN, 9_500)))
    first = (GainRow("single", 9_000, None),)
    assert gains == [
        AttemptGains(ANN, 0, True, first, 1, 2),
        AttemptGains(BEN, 1, True, (GainRow("single", 9_500, None),), 2, 2),
    ]
    gains = await store.results.store(race(2, row(0, ANN, None), row(1, BEN, 8_000)))
    assert gains == [
        AttemptGains(ANN, 0, True, (), 2, 2),
        AttemptGains(BEN, 1, True, (GainRow("single", 8_000, 9_500),), 1, 2),
    ]


async def test_a_race_that_is_stored_again_gains_nothing(store: ResultsStore) -> None:
    await create(store, ANN)
    once = race(1, row(0, ANN))
    await store.results.store(once)
    assert await store.results.store(once) == []
    (tally,) = await store.standings.tallies(ANN)
    assert tally.attempts == 1


async def test_an_attempt_of_an_unknown_profile_is_a_guests(
    store: ResultsStore,
) -> None:
    assert await store.results.store(race(1, row(0, ANN))) == []
    [summary] = await store.results.races()
    assert summary.attempts == (row(0, None),)


async def test_a_stored_race_keeps_everything_about_its_attempts(
    store: ResultsStore,
) -> None:
    await create(store, ANN)
    full = replace(
        row(0, ANN), input="touch", counts=False, solve_ms=8_400, first_ms=350, pauses=2
    )
    guest = replace(row(1, None, None), input=None)
    stored = race(
        1,
        full,
        guest,
        kind="daily",
        md=38,
        sealed_until_ms=NOON + 5,
        day=DAY,
        public=False,
    )
    await store.results.store(stored)
    assert await store.results.races() == [stored.summary]


async def test_tallies_have_one_row_per_event(store: ResultsStore) -> None:
    await create(store, ANN)
    await store_times(store, ANN, 9_000, None, 7_000, 8_000, 6_000)
    for number, size in ((11, "10x10"), (12, "3x3")):
        await store.results.store(race(number, row(0, ANN, 2_000), size=size))
    tallies = await store.standings.tallies(ANN)
    assert [one.event for one in tallies] == ["3x3", "4x4", "10x10"]
    one = tallies[1]
    assert (one.attempts, one.finished, one.race) == (5, 4, "KWXTRB-S0-5")
    assert (one.single_ms, one.ao5_ms, one.ao12_ms) == (6_000, 8_000, None)
    assert one.pace_ms == 7_500
    assert await store.standings.tallies(BEN) == []


async def test_history_comes_in_pages_latest_first(store: ResultsStore) -> None:
    await create(store, ANN, BEN)
    for number in range(1, 8):
        rows = (row(0, BEN, 5_000), row(3, ANN, 9_000 + number))
        await store.results.store(race(number, *rows, at_ms=NOON + number, md=number))
    standings = store.standings
    page = await standings.history(ANN, "4x4", None, 3)
    assert [one.race[-1] for one in page] == ["7", "6", "5"]
    assert (page[0].started_ms, page[0].kind, page[0].md) == (NOON + 7, "room", 7)
    assert page[0].row == row(3, ANN, 9_007)
    rest = await standings.history(ANN, "4x4", page[-1].race, 9)
    assert [one.race[-1] for one in rest] == ["4", "3", "2", "1"]
    assert await standings.history(ANN, "4x4", "unknown", 9) == []
    assert await standings.history(ANN, "3x3", None, 9) == []
    assert await standings.history(CAT, "4x4", None, 9) == []


async def test_a_profile_may_have_two_seats_in_a_race(store: ResultsStore) -> None:
    await create(store, ANN)
    gains = await store.results.store(race(1, row(0, ANN), row(1, ANN, 8_000)))
    assert [one.bests for one in gains] == [
        (GainRow("single", 9_000, None),),
        (GainRow("single", 8_000, 9_000),),
    ]
    page = await store.standings.history(ANN, "4x4", None, 9)
    assert [one.row.seat for one in page] == [1, 0]


# --- credit --------------------------------------------------------------------------


async def test_a_guests_attempt_can_be_credited_once(store: ResultsStore) -> None:
    await create(store, ANN, BEN)
    await store.results.store(race(1, row(0, None), row(1, BEN, 9_500)))
    standings = store.standings
    gains = await standings.credit("KWXTRB-S0-1", 0, ANN)
    assert gains is not None
    assert gains == AttemptGains(ANN, 0, True, (GainRow("single", 9_000, None),), 1, 2)
    again = await standings.credit("KWXTRB-S0-1", 0, ANN)
    assert again == replace(gains, bests=())
    assert await standings.credit("KWXTRB-S0-1", 0, BEN) is None
    (tally,) = await standings.tallies(ANN)
    assert tally.attempts == 1
    assert await places(store) == [(1, ANN, 9_000), (2, BEN, 9_500)]
    [summary] = await store.results.races()
    assert summary.attempts[0] == row(0, ANN)


async def test_only_a_guests_attempt_can_be_credited(store: ResultsStore) -> None:
    await create(store, ANN)
    bot = replace(row(1, None), bot=True)
    await store.results.store(race(1, row(0, None), bot))
    credit = store.standings.credit
    assert await credit("KWXTRB-S0-1", 1, ANN) is None
    assert await credit("KWXTRB-S0-1", 2, ANN) is None
    assert await credit("KWXTRB-S0-2", 0, ANN) is None
    assert await credit("KWXTRB-S0-1", 0, BEN) is None
    assert await store.standings.tallies(ANN) == []


async def test_only_a_first_attempt_counts_if_it_is_credited(
    store: ResultsStore,
) -> None:
    """Or people could race as guests and keep only their good attempts."""
    await create(store, ANN)
    for number in range(1, 7):
        await store.results.store(race(number, row(0, None, 5_000)))
        gains = await store.standings.credit(f"KWXTRB-S0-{number}", 0, ANN)
        assert gains is not None
        assert gains.counts is (number == 1)
    for _ in range(2):
        (tally,) = await store.standings.tallies(ANN)
        assert (tally.attempts, tally.single_ms, tally.ao5_ms) == (1, 5_000, None)
        page = await store.standings.history(ANN, "4x4", None, 9)
        assert [one.row.counts for one in page] == [False] * 5 + [True]
        await store.standings.recount()


async def test_a_credited_attempt_comes_after_those_that_were_stored_before(
    store: ResultsStore,
) -> None:
    await create(store, ANN)
    await store.results.store(race(1, row(0, None, 5_000), at_ms=NOON))
    await store_times(store, ANN, *[9_000] * 5, first=2, at_ms=NOON + HOUR)
    await store.standings.credit("KWXTRB-S0-1", 0, ANN)
    page = await store.standings.history(ANN, "4x4", None, 9)
    assert [one.race[-1] for one in page] == list("165432")


# --- leaderboards --------------------------------------------------------------------


async def test_equal_times_share_a_place(store: ResultsStore) -> None:
    await create(store, ANN, BEN, CAT)
    for number, (profile, ms) in enumerate(
        ((CAT, 9_000), (BEN, 8_000), (ANN, 8_000)), 1
    ):
        await store_times(store, profile, ms, first=number, at_ms=NOON + number)
    assert await places(store) == [(1, BEN, 8_000), (1, ANN, 8_000), (3, CAT, 9_000)]


async def test_leaderboards_differ_by_kind_input_and_span(store: ResultsStore) -> None:
    await create(store, ANN, BEN)
    await store_times(store, ANN, *[9_000] * 12, at_ms=NOON - DAY_MS)
    touch = replace(row(0, BEN, 8_000), input="touch")
    await store.results.store(race(20, touch))
    assert await places(store) == [(1, BEN, 8_000), (2, ANN, 9_000)]
    assert await places(store, input="keys") == [(1, ANN, 9_000)]
    assert await places(store, input="touch") == [(1, BEN, 8_000)]
    for kind in ("ao5", "ao12"):
        assert await places(store, kind=kind) == [(1, ANN, 9_000)]
    assert len(await places(store, span="month", day=DAY)) == 2
    assert await places(store, span="month", day=DAY + 1) == []
    assert await places(store, span="day", day=DAY) == [(1, BEN, 8_000)]
    assert await places(store, span="day", day=DAY - 1) == [(1, ANN, 9_000)]
    assert (await store.standings.board(BoardQuery("3x3"))).total == 0


async def test_only_public_races_are_on_leaderboards(store: ResultsStore) -> None:
    await create(store, ANN)
    await store.results.store(race(1, row(0, ANN, 5_000), public=False))
    assert await places(store) == []
    for number, kind in enumerate(("quick", "solo", "daily"), 2):
        quick = kind == "quick"
        rows = row(0, ANN, 9_000 - number)
        await store.results.store(race(number, rows, kind=kind, public=quick, day=DAY))
        assert await places(store) == [(1, ANN, 9_000 - number)]
    (tally,) = await store.standings.tallies(ANN)
    assert (tally.attempts, tally.single_ms) == (4, 5_000)
    (tally,) = await store.standings.tallies(ANN, public_only=True)
    assert (tally.attempts, tally.single_ms, tally.race[-1]) == (3, 8_996, "4")
    await store.results.store(race(9, row(1, ANN), public=False, size="3x3"))
    assert len(await store.standings.tallies(ANN)) == 2
    assert len(await store.standings.tallies(ANN, public_only=True)) == 1


async def test_private_gains_have_no_place(store: ResultsStore) -> None:
    await create(store, ANN)
    await store_times(store, ANN, 9_000)
    (gains,) = await store.results.store(race(2, row(0, ANN, 5_000), public=False))
    assert gains.bests == (GainRow("single", 5_000, 9_000),)
    assert (gains.place, gains.total) == (None, 0)


async def test_bots_and_attempts_that_do_not_count_are_on_no_leaderboard(
    store: ResultsStore,
) -> None:
    await create(store, ANN, BEN)
    bot = replace(row(0, ANN, 1_000), bot=True)
    known = replace(row(1, BEN, 2_000), counts=False)
    gains = await store.results.store(race(1, bot, known))
    assert [(one.counts, one.bests, one.place) for one in gains] == [
        (False, (), None),
        (False, (), None),
    ]
    assert await places(store) == []
    assert await places(store, input="keys") == []
    (entry,) = await store.standings.history(BEN, "4x4", None, 9)
    assert not entry.row.counts
    assert [one.attempts for one in await store.standings.tallies(BEN)] == [0]


async def test_a_leaderboard_shows_the_lines_around_a_profile(
    store: ResultsStore,
) -> None:
    names = [f"PROFIL{a}{b}" for a in "BCDF" for b in "BCDFG"]
    await create(store, *names)
    for n, name in enumerate(names):
        await store_times(store, name, 9_000 + n // 2, first=n, at_ms=NOON + n)
    board = await store.standings.board(BoardQuery("4x4"), names[10], limit=3)
    assert board.total == 20
    assert [one.place for one in board.top] == [1, 1, 3]
    around = [(one.place, one.profile) for one in board.around]
    expected = [(9, 8), (9, 9), (11, 10), (11, 11), (13, 12)]
    assert around == [(place, names[n]) for place, n in expected]
    for n, size in ((0, 3), (1, 4), (19, 3)):
        board = await store.standings.board(BoardQuery("4x4"), names[n], limit=1)
        assert len(board.around) == size
        assert names[n] in [one.profile for one in board.around]
        assert len(board.top) == 1
    assert (await store.standings.board(BoardQuery("4x4"), ANN)).around == ()
    assert board.top[0].race == "KWXTRB-S0-0"
    assert (board.top[0].started_ms, board.top[0].input) == (NOON, "keys")


async def test_a_hidden_profile_is_on_no_leaderboard_until_it_is_shown(
    store: ResultsStore,
) -> None:
    await create(store, ANN, BEN, CAT)
    for number, (profile, ms) in enumerate(((ANN, 7_000), (BEN, 8_000), (CAT, 9_000))):
        await store_times(store, profile, ms, first=number)
    standings = store.standings
    assert await standings.hide(ANN, "used a program")
    assert not await standings.hide("NOBODYXX", "used a program")
    assert await places(store) == [(1, BEN, 8_000), (2, CAT, 9_000)]
    around = await standings.board(BoardQuery("4x4"), CAT)
    assert [one.place for one in around.around] == [1, 2]
    assert (await standings.board(BoardQuery("4x4"), ANN)).around == ()
    (gains,) = await store.results.store(race(8, row(0, CAT, 9_100)))
    assert (gains.place, gains.total) == (2, 2)
    (gains,) = await store.results.store(race(9, row(0, ANN, 6_000)))
    assert gains.bests == (GainRow("single", 6_000, 7_000),)
    assert (gains.place, gains.total) == (None, 2)
    assert await standings.hide(ANN, None)
    assert (await places(store))[0] == (1, ANN, 6_000)


async def test_an_operator_hides_a_profile_that_is_racing(tmp_path: Path) -> None:
    """Leaderboards and the running server show it at once."""
    path = tmp_path / "rooms.db"
    async with SqliteStore(path) as store:
        await create(store, ANN, BEN)
        await store_times(store, ANN, 9_000, first=1)
        assert await asyncio.to_thread(hide, path, ANN, "used a program")
        with pytest.raises(ValueError, match="too large"):
            await store.results.store(race(9, replace(row(0, BEN), stm=1 << 64)))
        await store_times(store, BEN, 9_500, first=2)
        (gains,) = await store_times(store, ANN, 8_000, first=3)
        assert gains.bests == (GainRow("single", 8_000, 9_000),)
        assert (gains.place, gains.total) == (None, 1)
        assert await places(store) == [(1, BEN, 9_500)]
        assert await asyncio.to_thread(hide, path, ANN, None)
        (gains,) = await store_times(store, BEN, 9_000, first=4)
        assert (gains.place, gains.total) == (2, 2)


async def test_attempts_that_are_stored_late_keep_one_row_for_each_profile(
    store: ResultsStore,
) -> None:
    """Races that began before midnight may be stored after others of the next day."""
    await create(store, ANN)
    for number, (ms, day) in enumerate(
        ((9_000, DAY), (8_000, DAY + 1), (8_500, DAY), (8_700, DAY), (8_400, DAY))
    ):
        await store_times(store, ANN, ms, first=number, at_ms=day * DAY_MS)
    assert await places(store) == [(1, ANN, 8_000)]
    for span in ("day", "month"):
        assert await places(store, span=span, day=DAY) == [(1, ANN, 8_400)]
        assert await places(store, span=span, day=DAY + 1) == [(1, ANN, 8_000)]
        query = BoardQuery("4x4", span=span, day=DAY)
        (own,) = (await store.standings.board(query, ANN)).around
        assert (own.place, own.value_ms) == (1, 8_400)


async def test_only_profiles_older_than_the_day_are_on_its_daily_leaderboard(
    store: ResultsStore,
) -> None:
    await create(store, ANN, at_ms=DAY * DAY_MS - 1)
    await create(store, BEN, at_ms=DAY * DAY_MS)
    for number, profile in enumerate((ANN, BEN)):
        stored = race(number, row(0, profile), kind="daily", day=DAY, public=False)
        await store.results.store(stored)
    assert await places(store, span="daily", day=DAY) == [(1, ANN, 9_000)]
    assert await places(store, span="daily", day=DAY + 1) == []
    assert len(await places(store, span="day", day=DAY)) == 2


# --- pruning -------------------------------------------------------------------------


async def test_pruning_keeps_the_attempts_of_profiles(store: ResultsStore) -> None:
    await create(store, ANN)
    await store.results.store(race(1, row(0, ANN), row(1, None), at_ms=NOON))
    await store.results.store(race(2, row(0, None), at_ms=NOON))
    await store.results.store(race(3, row(0, ANN, 8_000), at_ms=NOON + 1))
    standings = store.standings
    before = await standings.tallies(ANN), await places(store)
    assert await store.results.prune(NOON + 1) == 2
    assert await store.results.prune(NOON + 1) == 0
    assert [one.id for one in await store.results.races()] == ["KWXTRB-S0-3"]
    assert await store.results.record("KWXTRB-S0-1") is None
    assert await store.results.record("KWXTRB-S0-2") is None
    assert len(await standings.history(ANN, "4x4", None, 9)) == 2
    assert await standings.credit("KWXTRB-S0-1", 1, ANN) is None
    assert (await standings.tallies(ANN), await places(store)) == before
    assert await standings.recount() == 2
    assert (await standings.tallies(ANN), await places(store)) == before
    await standings.delete_profile(ANN)
    assert await store.results.races() == []


# --- days ----------------------------------------------------------------------------


async def test_the_try_of_a_day_is_used_up_once(store: ResultsStore) -> None:
    await create(store, ANN, BEN)
    claim = store.standings.claim_daily
    assert await claim(ANN, "4x4", DAY, "ROOM1") == "ROOM1"
    assert await claim(ANN, "4x4", DAY, "ROOM2") == "ROOM1"
    assert await claim(ANN, "3x3", DAY, "ROOM3") == "ROOM3"
    assert await claim(ANN, "4x4", DAY + 1, "ROOM4") == "ROOM4"
    assert await claim(BEN, "4x4", DAY, "ROOM5") == "ROOM5"
    assert await store.standings.dailies(ANN, DAY) == [
        (DAY + 1, "4x4", "ROOM4"),
        (DAY, "3x3", "ROOM3"),
        (DAY, "4x4", "ROOM1"),
    ]
    assert await store.standings.dailies(ANN, DAY + 1) == [(DAY + 1, "4x4", "ROOM4")]
    with pytest.raises(ValueError, match="unknown profile"):
        await claim(CAT, "4x4", DAY, "ROOM6")


async def test_only_the_room_of_a_try_gives_it_back(store: ResultsStore) -> None:
    await create(store, ANN)
    standings = store.standings
    await standings.claim_daily(ANN, "4x4", DAY, "ROOM1")
    await standings.release_daily(ANN, "4x4", DAY, "ROOM2")
    assert await standings.claim_daily(ANN, "4x4", DAY, "ROOM2") == "ROOM1"
    await standings.release_daily(ANN, "4x4", DAY, "ROOM1")
    assert await standings.claim_daily(ANN, "4x4", DAY, "ROOM2") == "ROOM2"


async def test_a_gap_between_signs_of_life_is_downtime(store: ResultsStore) -> None:
    note = store.standings.note_alive
    now = NOON
    await note(now)
    for _ in range(30):
        now += ALIVE_GAP_MS
        await note(now)
    assert await store.standings.down_days(0) == []
    day = now // DAY_MS
    assert await note(now + 2 * HOUR) == now + 2 * HOUR
    assert await note(now + HOUR) == now + 2 * HOUR  # the clock was set back
    assert await note(now + HOUR + 1) == now + 2 * HOUR
    assert await store.standings.down_days(0) == [day]
    assert await store.standings.down_days(day + 1) == []


# --- everything ----------------------------------------------------------------------


async def test_a_closed_store_answers_nothing_about_profiles(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    for adapter in RESULTS_ADAPTERS:
        standings = (await results_store(adapter, tmp_path, request)).standings
        calls = [
            standings.create_profile(ProfileRow(ANN, "Ann", 1), "key", "phone"),
            standings.identify("key", 1),
            standings.profile(ANN),
            standings.keys(ANN),
            standings.add_key(ANN, "key", "phone", 1),
            standings.revoke_key(ANN, 1),
            standings.rename_profile(ANN, "Ann"),
            standings.set_forget(ANN, 1),
            standings.due_to_forget(1),
            standings.races_with_others(ANN),
            standings.replace_record("R", b"{}"),
            standings.delete_profile(ANN),
            standings.tallies(ANN),
            standings.history(ANN, "4x4", None, 1),
            standings.credit("R", 0, ANN),
            standings.board(BoardQuery("4x4")),
            standings.hide(ANN, "why"),
            standings.recount(),
            standings.claim_daily(ANN, "4x4", DAY, "ROOM"),
            standings.release_daily(ANN, "4x4", DAY, "ROOM"),
            standings.dailies(ANN, 0),
            standings.note_alive(1),
            standings.down_days(0),
        ]
        for call in calls:
            with pytest.raises(StorageUnavailable):
                await call
