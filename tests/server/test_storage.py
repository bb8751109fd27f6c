"""The contract of a store, checked for every adapter."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, closing, suppress
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from sliderace_server.cluster.jetstream_store import JetStreamStore
from sliderace_server.storage import (
    Append,
    AttemptRow,
    Combined,
    Conflict,
    RaceSummary,
    StorageUnavailable,
    Store,
    StoredRace,
    StoreRefused,
    open_store,
)
from sliderace_server.storage.memory import MemoryStore
from sliderace_server.storage.sqlite.schema import check
from sliderace_server.storage.sqlite.store import SqliteStore

ADAPTERS = ["memory", "sqlite"]
LOG_ADAPTERS = [*ADAPTERS, "jetstream"]
ANN = AttemptRow(0, "Ann", "finished", 1, 61_234, 150, 98)
BOB = AttemptRow(2, "Bob \N{SNOWMAN}", "finished", 1, 61_234, 152, 99, bot=True)
CAT = AttemptRow(1, "Cat", "dnf", None, None, 0, 0)


def url(adapter: str, folder: Path) -> str:
    return "memory:" if adapter == "memory" else f"sqlite:{folder / 'rooms.db'}"


def store_of(
    adapter: str, folder: Path, request: pytest.FixtureRequest, prefix: str = ""
) -> Store:
    """Return an empty store, unless its prefix was used before."""
    match adapter:
        case "jetstream":
            urls = request.getfixturevalue("broker").urls
            logs = JetStreamStore(urls, prefix or f"t{next(_PREFIXES)}")
            return Combined(logs, MemoryStore())
        case "sweeping":
            return SqliteStore(folder / "rooms.db", "process", max_dead=0)
        case _:
            return open_store(url(adapter, folder), "process")


_PREFIXES = count()


def race(id_: str, started_ms: int = 0, room: str = "KWXTRB") -> StoredRace:
    rows = (ANN, BOB, CAT)
    return StoredRace(
        RaceSummary(id_, room, started_ms, "4x4", public=False, attempts=rows),
        record=b'{"id":"' + id_.encode() + b'"}',
    )


@pytest.fixture(params=LOG_ADAPTERS)
def closed(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return store_of(request.param, tmp_path, request)


@pytest.fixture
async def store(closed: Store) -> AsyncIterator[Store]:
    async with closed:
        yield closed


async def test_records_are_read_in_order(store: Store) -> None:
    await store.log.append("KWXTRB", 0, [b"one", b"two"])
    await store.log.append("KWXTRB", 2, [b"\x00\xff"])
    assert await store.log.read("KWXTRB") == [b"one", b"two", b"\x00\xff"]
    assert await store.log.read("KWXTRB", after=1) == [b"two", b"\x00\xff"]
    assert await store.log.read("KWXTRB", after=3) == []
    assert await store.log.read("BCDFGH") == []
    (await store.log.read("KWXTRB")).clear()
    assert len(await store.log.read("KWXTRB")) == 3


@pytest.mark.parametrize("expected", [0, 1, 3, 4])
async def test_an_unexpected_length_is_a_conflict(store: Store, expected: int) -> None:
    await store.log.append("KWXTRB", 0, [b"one", b"two"])
    with pytest.raises(Conflict) as caught:
        await store.log.append("KWXTRB", expected, [b"mine"])
    conflict = caught.value
    assert (conflict.room, conflict.expected, conflict.actual) == (
        "KWXTRB",
        expected,
        2,
    )
    assert await store.log.read("KWXTRB") == [b"one", b"two"]


async def test_a_new_room_has_no_records(store: Store) -> None:
    with pytest.raises(Conflict):
        await store.log.append("KWXTRB", 1, [b"one"])
    assert await store.log.rooms() == []


async def test_an_append_without_records_only_compares(store: Store) -> None:
    await store.log.append("KWXTRB", 0, [])
    assert await store.log.rooms() == []
    with pytest.raises(Conflict):
        await store.log.append("KWXTRB", 1, [])


async def test_only_one_of_several_writers_succeeds(store: Store) -> None:
    outcomes = await asyncio.gather(
        *(store.log.append("KWXTRB", 0, [bytes([n])]) for n in range(8)),
        return_exceptions=True,
    )
    assert sum(outcome is None for outcome in outcomes) == 1
    assert sum(isinstance(outcome, Conflict) for outcome in outcomes) == 7
    assert len(await store.log.read("KWXTRB")) == 1


async def test_a_conflict_does_not_affect_other_rooms(store: Store) -> None:
    outcomes = await asyncio.gather(
        store.log.append("BCDFGH", 0, [b"b"]),
        store.log.append("KWXTRB", 7, [b"k"]),
        store.log.append("ZZZZZZ", 0, [b"z"]),
        return_exceptions=True,
    )
    assert [type(outcome) for outcome in outcomes] == [type(None), Conflict, type(None)]
    assert await store.log.rooms() == ["BCDFGH", "ZZZZZZ"]


async def test_one_call_appends_to_many_rooms(store: Store) -> None:
    """Each append is stored completely or not; conflicts are reported per room."""
    await store.log.append("KWXTRB", 0, [b"k"])
    appends = [
        Append("BCDFGH", 0, [b"b", b"bb"]),
        Append("KWXTRB", 0, [b"mine"]),
        Append("ZZZZZZ", 0, []),
        Append("TTTTTT", 0, [b"t"]),
    ]
    first, conflict, *others = await store.log.append_all(appends)
    assert (first, others) == (None, [None, None])
    assert isinstance(conflict, Conflict)
    assert (conflict.room, conflict.expected, conflict.actual) == ("KWXTRB", 0, 1)
    assert await store.log.rooms() == ["BCDFGH", "KWXTRB", "TTTTTT"]
    assert await store.log.read("BCDFGH") == [b"b", b"bb"]
    assert await store.log.read("KWXTRB") == [b"k"]
    assert await store.log.append_all([Append("KWXTRB", 1, [b"kk"])]) == [None]
    assert await store.log.append_all([]) == []


async def test_room_that_occurs_twice_in_a_call_is_compared_twice(store: Store) -> None:
    """Callers should not do this, but it loses nothing."""
    for start in (0, 3):
        appends = [
            Append("KWXTRB", start, [b"a"]),
            Append("KWXTRB", start, [b"mine"]),
            Append("KWXTRB", start + 1, [b"b", b"c"]),
            Append("KWXTRB", start + 3, []),
        ]
        first, conflict, *others = await store.log.append_all(appends)
        assert (first, others) == (None, [None, None])
        assert isinstance(conflict, Conflict)
        assert (conflict.expected, conflict.actual) == (start, start + 1)
    assert await store.log.read("KWXTRB") == [b"a", b"b", b"c"] * 2


async def test_any_number_of_rooms_and_records_of_any_size(store: Store) -> None:
    count = 150  # more than one statement, and not a multiple
    batches = [[b"", b"%d" % n, b"x" * n, b""][: n % 5 or 1] for n in range(count)]
    position = [0] * count
    for _ in range(2):
        appends = [
            Append(f"ROOM{n}", position[n], batch) for n, batch in enumerate(batches)
        ]
        assert await store.log.append_all(appends) == [None] * count
        position = [
            at + len(batch) for at, batch in zip(position, batches, strict=True)
        ]
    for n, batch in enumerate(batches):
        assert await store.log.read(f"ROOM{n}") == batch * 2
    many = [b"%d" % n for n in range(5_000)]
    await store.log.append("KWXTRB", 0, many)
    assert await store.log.read("KWXTRB", 4_998) == many[4_998:]


async def test_any_text_may_be_a_room_code(store: Store) -> None:
    odd = [
        "KWXTRB",
        "kwxtrb",
        "'; DROP TABLE log; --",
        '"]',
        "%",
        " ",
        "Ä\u0308\U0001f388",
    ]
    appends = [Append(room, 0, [room.encode()]) for room in odd]
    assert await store.log.append_all(appends) == [None] * len(odd)
    assert await store.log.rooms() == sorted(odd)
    for room in odd:
        await store.log.append(room, 1, [b"more"])
        assert await store.log.read(room) == [room.encode(), b"more"]
    await store.log.drop("%")
    assert len(await store.log.rooms()) == len(odd) - 1


async def test_a_dropped_room_starts_with_an_empty_log(store: Store) -> None:
    await store.log.append("KWXTRB", 0, [b"old"] * 3)
    await store.log.append("BCDFGH", 0, [b"other"])
    await store.log.drop("KWXTRB")
    await store.log.drop("KWXTRB")
    assert await store.log.rooms() == ["BCDFGH"]
    with pytest.raises(Conflict):  # a late append of its former writer
        await store.log.append("KWXTRB", 3, [b"late"])
    await store.log.append("KWXTRB", 0, [b"new"])
    assert await store.log.read("KWXTRB") == [b"new"]


async def test_the_code_of_a_dropped_room_is_reserved(store: Store) -> None:
    day = 86_400_000
    await store.log.append("KWXTRB", 0, [b"old"])
    await store.log.drop("KWXTRB", now_ms=1_000, reserve_ms=day)
    await store.log.drop(
        "BCDFGH", now_ms=3_000, reserve_ms=day
    )  # with or without a log
    await store.log.drop("ZZZZZZ")
    assert await store.log.reserved_codes(5_000) == {
        "KWXTRB": day - 4_000,
        "BCDFGH": day - 2_000,
    }
    assert await store.log.reserved_codes(day + 1_000) == {"BCDFGH": 2_000}
    await store.log.drop("KWXTRB", now_ms=day + 2_000, reserve_ms=day)
    assert await store.log.reserved_codes(day + 4_000) == {"KWXTRB": day - 2_000}
    assert await store.log.rooms() == []


async def test_trimmed_records_are_removed(store: Store) -> None:
    """Positions still count them, and the last record always stays."""
    log = store.log
    await log.append("KWXTRB", 0, [b"0", b"1", b"2"])
    for n in range(3, 10):
        await log.append("KWXTRB", n, [b"%d" % n])
    for position, first in ((0, 0), (1, 1), (5, 5), (4, 5), (7, 7), (99, 9)):
        await log.trim("KWXTRB", position)
        assert await log.read("KWXTRB") == [b"%d" % n for n in range(first, 10)]
        assert await log.read("KWXTRB", 8) == [b"8", b"9"][-(10 - max(first, 8)) :]
        assert await log.length("KWXTRB") == 10
    await log.append("KWXTRB", 10, [b"10"])
    await log.trim("BCDFGH", 3)
    assert await log.read("KWXTRB") == [b"9", b"10"]
    assert await log.rooms() == ["KWXTRB"]


async def read_slowly(store: Store) -> list[bytes]:
    """Read a log, also on a machine on which a reply takes longer than usual."""
    while True:
        with suppress(StorageUnavailable):
            return await store.log.read("KWXTRB")


async def test_competing_writers_lose_no_records(store: Store) -> None:
    """Each writer appends after what it has read, and reads again after a conflict."""
    stored: dict[int, list[int]] = {}

    async def write(name: int) -> None:
        for number in range(10):
            while True:
                held = await read_slowly(store)
                try:
                    await store.log.append("KWXTRB", len(held), [bytes([name, number])])
                except Conflict:
                    continue
                break
            stored.setdefault(name, []).append(len(held))

    await asyncio.gather(*(write(name) for name in range(5)))
    held = await store.log.read("KWXTRB")
    assert len(held) == 50
    for name, positions in stored.items():
        mine = [held[position] for position in positions]
        assert mine == [bytes([name, number]) for number in range(10)]


async def test_an_append_can_be_read_at_once(store: Store) -> None:
    for length in range(30):
        await store.log.append("KWXTRB", length, [b"%d" % length])
        assert await store.log.read("KWXTRB", length) == [b"%d" % length]
        assert await store.log.rooms() == ["KWXTRB"]


async def test_after_a_lost_answer_the_log_shows_the_outcome(store: Store) -> None:
    """A retried append either succeeds or finds its own records."""
    for arrived in (False, True):
        length = len(await store.log.read("KWXTRB"))
        batch = [b"one", b"two"]
        if arrived:
            await store.log.append("KWXTRB", length, batch)  # its answer is lost
        try:
            await store.log.append("KWXTRB", length, batch)
        except Conflict:
            assert arrived
        assert await store.log.read("KWXTRB", length) == batch


async def test_a_race_can_be_stored_while_its_room_is_dropped(store: Store) -> None:
    await store.log.append("KWXTRB", 0, [b"one"])
    stored = race("KWXTRB-1-1")
    again = asyncio.gather(*(store.results.store(stored) for _ in range(5)))
    await asyncio.gather(again, store.log.drop("KWXTRB"))
    assert await store.results.races(room="KWXTRB") == [stored.summary]
    assert await store.log.rooms() == []


async def test_rooms_are_sorted(store: Store) -> None:
    for room in ("TTTTTT", "BBBBBB", "KKKKKK"):
        await store.log.append(room, 0, [b"x", b"y"])
    assert await store.log.rooms() == ["BBBBBB", "KKKKKK", "TTTTTT"]


async def test_cancelling_the_caller_does_not_undo_an_append(store: Store) -> None:
    await store.log.append("KWXTRB", 0, [b"zero"])
    append = asyncio.create_task(store.log.append("KWXTRB", 1, [b"one"]))
    await asyncio.sleep(0)  # the call has started
    append.cancel()
    await asyncio.wait([append])
    await store.log.append("BCDFGH", 0, [b"after it"])
    assert await store.log.read("KWXTRB") == [b"zero", b"one"]


async def test_a_closed_store_is_unavailable(closed: Store) -> None:
    calls: list[Callable[[], object]] = [
        lambda: closed.log.append("KWXTRB", 0, [b"x"]),
        lambda: closed.log.read("KWXTRB"),
        closed.log.rooms,
        lambda: closed.log.drop("KWXTRB"),
        lambda: closed.log.reserved_codes(0),
        lambda: closed.results.store(race("A")),
        closed.results.races,
        lambda: closed.results.prune(0),
        lambda: closed.results.record("A"),
        lambda: closed.results.summary("A"),
    ]

    async def all_refuse() -> None:
        for call in calls:
            with pytest.raises(StorageUnavailable):
                await call()  # type: ignore[misc]

    await all_refuse()
    async with closed:
        pass
    await all_refuse()


async def test_closing_completes_the_appends_in_progress(closed: Store) -> None:
    async with closed:
        appends = [
            asyncio.create_task(closed.log.append(f"ROOM{n}", 0, [b"x"]))
            for n in range(100)
        ]
        await asyncio.sleep(0)  # the calls have started
    await asyncio.gather(*appends)
    async with closed:
        assert len(await closed.log.rooms()) == 100


ROOMS = st.sampled_from(["BBBBBB", "CCCCCC", "DDDDDD"])
RECORDS = st.lists(st.binary(max_size=4), max_size=3)
OFF = st.sampled_from([0, 0, 0, -1, 1])
"""Error of the length that a writer expects."""
Appending = list[tuple[str, int, list[bytes]]]
Call = Appending | tuple[str, int] | str | None
CALLS: st.SearchStrategy[Call] = st.one_of(
    st.lists(st.tuples(ROOMS, OFF, RECORDS), max_size=4),  # one call, several appends
    st.tuples(ROOMS, st.integers(0, 6)),  # to be trimmed
    ROOMS,  # to be dropped
    st.none(),  # the store is closed and opened again
)


@pytest.mark.parametrize("adapter", [*LOG_ADAPTERS, "sweeping"])
@given(calls=st.lists(CALLS, max_size=12))
def test_a_store_behaves_like_a_list_per_room(
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
    adapter: str,
    calls: list[Call],
) -> None:
    folder = tmp_path_factory.mktemp("model")
    store = store_of(adapter, folder, request, "model")
    asyncio.run(_compare(store, calls))
    for file in folder.glob("*.db"):
        with closing(sqlite3.connect(file)) as db:
            check(db)


async def _compare(store: Store, calls: list[Call]) -> None:
    """Make the same calls to a store and to a dictionary of lists."""
    model: dict[str, list[bytes]] = {}
    removed: dict[str, int] = {}
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(store)
        for room in await store.log.rooms():
            await store.log.drop(room)
        for call in calls:
            match call:
                case str() as room:
                    await store.log.drop(room)
                    model.pop(room, None)
                    removed.pop(room, None)
                case list():
                    await _append_both(store, model, call)
                case (room, position):
                    await store.log.trim(room, position)
                    last = len(model.get(room, ())) - 1
                    removed[room] = max(removed.get(room, 0), min(position, last))
                case _ if store.durability != "none":
                    await stack.aclose()
                    await stack.enter_async_context(store)
                    for room, position in removed.items():
                        await store.log.trim(room, position)
                case _:
                    pass
        assert await store.log.rooms() == sorted(model)
        for room, held in model.items():
            assert await store.log.length(room) == len(held)
            for after in range(len(held) + 2):
                first = max(after, removed.get(room, 0))
                assert await store.log.read(room, after) == held[first:]


async def _append_both(
    store: Store,
    model: dict[str, list[bytes]],
    call: Appending,
) -> None:
    """The same appends to a store and to the model."""
    appends: list[Append] = []
    outcomes: list[bool] = []
    for room, off, records in call:
        held = model.get(room, [])
        expected = max(0, len(held) + off)
        appends.append(Append(room, expected, records))
        outcomes.append(expected == len(held))
        if outcomes[-1] and records:
            model[room] = held + records
    found = await store.log.append_all(appends)
    assert [conflict is None for conflict in found] == outcomes


@pytest.mark.parametrize(
    "unknown", ["", "memory", "memory:x", "sqlite:", "postgres://host/db", "/a/path"]
)
def test_an_unknown_url_is_refused(unknown: str) -> None:
    with pytest.raises(StoreRefused, match="unknown store"):
        open_store(unknown)
