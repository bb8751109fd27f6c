"""What stays of a race when its room closes, and of one that was called off."""

import json

import pytest
from tests.e2e.stores import MoodyStore
from tests.e2e.talk import a_race, a_server, eventually, solution

from sliderace.proof.verify import verify
from sliderace.protocol import messages as m
from sliderace_client.net.signature import check_signature


@pytest.mark.parametrize("stored_at_once", [True, False])
async def test_a_room_closed_in_mid_race_leaves_its_record(
    stored_at_once: bool,
) -> None:
    """Also where the server ends before it is stored."""
    store = MoodyStore()
    if not stored_at_once:
        store.results_flowing.clear()
    async with a_server(store=store) as server, a_race(server.port, 2) as (ann, ben):
        await ben.solve()
        await ben.acked(ben.seq)
        await ann.say(m.Close())
        assert await ann.closed() == await ben.closed() == 4502
        results = next(e for e in ben.heard if isinstance(e, m.Results))
        assert [row.status for row in results.standings] == ["finished", "dnf"]
        if stored_at_once:
            await eventually(lambda: store.results.record(ann.race))
    store.results_flowing.set()
    async with a_server(store=store):
        record = await eventually(lambda: store.results.record(ann.race))
        checks = verify(json.loads(record), check_signature)
        assert {check.verdict for check in checks} == {"ok"}
        await eventually(lambda: _no_rooms(store))


async def test_a_race_is_over_when_its_end_is_told() -> None:
    """A server that ends after the last race waits for its results to be stored."""
    store = MoodyStore()
    async with a_server(store=store) as server, a_race(server.port, 2) as (ann, ben):
        await ben.say(m.Forfeit(race=ben.race))
        await ann.until(m.StandingEvent)
        store.flowing.clear()
        await ann.solve()
        registry, code = server.registry, ann.code
        await eventually(lambda: registry.listing(code)["phase"] == "results")  # type: ignore[index]
        assert registry.racing
        store.flowing.set()
        await ann.until(m.Results)
        await eventually(lambda: not registry.racing)
        store.full = True
        await ann.say(m.Rematch(race=ann.race))
        await eventually(lambda: registry.failing)
        assert not registry.racing


async def _no_rooms(store: MoodyStore) -> bool:
    return not await store.log.rooms()


async def test_a_race_that_is_called_off_leaves_nothing() -> None:
    """Nobody won it: no results, no record; and its board is never raced again."""
    store = MoodyStore()
    async with a_server(store=store) as server, a_race(server.port, 2) as (ann, ben):
        await ben.say(ben.slides(solution(ben.board)[:1]))
        await ben.acked(1)
        race, board = ann.race, ann.board
        await ann.say(m.Abort(race=race))
        called_off = await ben.phase("aborted")
        assert called_off.why == "host"
        await ann.until(m.RoomEvent, lambda e: e.room.race != race)
        for one in (ann, ben):
            await one.aside()
            assert one.race != race
            await one.say(m.Ready(race=one.race))
        for one in (ann, ben):
            await one.until(m.BoardEvent)
        assert ann.board == ben.board != board
        assert not [e for e in ann.heard if isinstance(e, m.Results)]
        await ann.say(m.Close())
        await ann.closed()
        await eventually(lambda: _no_rooms(store))
        assert await store.results.record(race) is None
