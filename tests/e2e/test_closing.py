"""The fate of a race whose room closes or that is aborted."""

import json

import pytest
from tests.e2e.protocol_client import eventually, running_race, running_server, solution
from tests.e2e.stores import FaultyStore

from sliderace.proof.verify import verify
from sliderace.protocol import messages as m
from sliderace_client.net.signature import check_signature


@pytest.mark.parametrize("stored_at_once", [True, False])
async def test_a_room_closed_during_a_race_leaves_a_race_record(
    stored_at_once: bool,
) -> None:
    """Even if the server stops before the record is stored."""
    store = FaultyStore()
    if not stored_at_once:
        store.results_unblocked.clear()
    async with (
        running_server(store=store) as server,
        running_race(server.port, 2) as (ann, ben),
    ):
        await ben.solve()
        await ben.acked(ben.seq)
        await ann.send(m.Close())
        assert await ann.closed() == await ben.closed() == 4502
        results = next(e for e in ben.received if isinstance(e, m.Results))
        assert [row.status for row in results.standings] == ["finished", "dnf"]
        if stored_at_once:
            await eventually(lambda: store.results.record(ann.race))
    store.results_unblocked.set()
    async with running_server(store=store):
        record = await eventually(lambda: store.results.record(ann.race))
        checks = verify(json.loads(record), check_signature)
        assert {check.verdict for check in checks} == {"ok"}
        await eventually(lambda: _no_rooms(store))


async def test_a_race_counts_as_running_until_its_end_is_sent() -> None:
    """A server that ends after the last race waits for its results to be stored."""
    store = FaultyStore()
    async with (
        running_server(store=store) as server,
        running_race(server.port, 2) as (ann, ben),
    ):
        await ben.send(m.Forfeit(race=ben.race))
        await ann.until(m.StandingEvent)
        store.unblocked.clear()
        await ann.solve()
        registry, code = server.registry, ann.code
        await eventually(lambda: server.view.listing(code)["phase"] == "results")  # type: ignore[index]
        assert registry.racing
        store.unblocked.set()
        await ann.until(m.Results)
        await eventually(lambda: not registry.racing)
        store.full = True
        await ann.send(m.Rematch(race=ann.race))
        await eventually(lambda: registry.failing)
        assert not registry.racing


async def _no_rooms(store: FaultyStore) -> bool:
    return not await store.log.rooms()


async def test_an_aborted_race_leaves_no_record() -> None:
    """It has no results, and its board is not used again."""
    store = FaultyStore()
    async with (
        running_server(store=store) as server,
        running_race(server.port, 2) as (ann, ben),
    ):
        await ben.send(ben.slides(solution(ben.board)[:1]))
        await ben.acked(1)
        race, board = ann.race, ann.board
        await ann.send(m.Abort(race=race))
        called_off = await ben.phase("aborted")
        assert called_off.why == "host"
        await ann.until(m.RoomEvent, lambda e: e.room.race != race)
        for one in (ann, ben):
            await one.sync()
            assert one.race != race
            await one.send(m.Ready(race=one.race))
        for one in (ann, ben):
            await one.until(m.BoardEvent)
        assert ann.board == ben.board != board
        assert not [e for e in ann.received if isinstance(e, m.Results)]
        await ann.send(m.Close())
        await ann.closed()
        await eventually(lambda: _no_rooms(store))
        assert await store.results.record(race) is None
