"""After an older backup is restored, clients get a consistent state."""

import pytest
from tests.e2e.protocol_client import (
    FastClock,
    ProtocolClient,
    connected,
    running_race,
    running_server,
    solution,
)
from tests.e2e.stores import FaultyStore

from sliderace.protocol import messages as m


def back(who: ProtocolClient, token: str = "") -> m.Resume:
    """Return a resume command from the last event that a client got."""
    token = token or who.token
    return m.Resume(who.code, token, epoch=who.epoch, offset=who.offset)


async def copied(store: FaultyStore, code: str, length: int) -> FaultyStore:
    """Return a copy of a store."""
    async with store:
        log = await store.log.read(code)
    copy = FaultyStore()
    async with copy:
        await copy.log.append(code, 0, log[:length])
    return copy


@pytest.mark.parametrize("ahead", [False, True])
async def test_a_client_ahead_of_a_restored_log_gets_a_snapshot(ahead: bool) -> None:
    """Whatever the number of events before and after the backup."""
    store, clock = FaultyStore(), FastClock()
    async with (
        running_server(store=store, clock=clock) as server,
        connected(server.port, m.Create(name="Ann")) as ann,
        connected(server.port, m.Join(code=ann.code, name="Ben")) as ben,
    ):
        await ben.until(m.Snapshot)
        await ann.sync()
    async with store:
        length = len(await store.log.read(ann.code))
    async with (
        running_server(store=store, clock=clock) as server,
        connected(server.port, back(ann)) as lost,
    ):
        for on in (True, False, True) if ahead else (True,):
            await lost.send(m.Lock(on=on))
            assert (await lost.until(m.RoomEvent)).room.locked == on
    restored = await copied(store, ann.code, length)
    async with (
        running_server(store=restored, clock=clock) as server,
        connected(server.port, back(ben)) as other,
    ):
        await other.until(m.Snapshot)
        if not ahead:  # the stream has the same length as before
            for ready in (True, False):
                await other.send(m.Ready(race=other.race, on=ready))
                assert (await other.until(m.MemberEvent)).member.ready == ready
        async with connected(server.port, back(lost, ann.token)) as again:
            assert again.epoch > lost.epoch
            received = await again.receive()
            assert isinstance(received, m.Snapshot)
            assert not received.room.locked


async def test_slides_lost_by_a_restore_can_be_made_again() -> None:
    """The welcome contains the state of the backup; a finished race is running
    again."""
    store, clock = FaultyStore(), FastClock()
    async with (
        running_server(store=store, clock=clock) as server,
        running_race(server.port, 1, "3x3") as (ann,),
    ):
        moves = solution(ann.board)
        await ann.send(ann.slides(moves[:4]))
        await ann.acked(4)
        length = len(await store.log.read(ann.code))
        await ann.send(ann.slides(moves[4:]))
        await ann.until(m.Results)
    restored = await copied(store, ann.code, length)
    async with (
        running_server(store=restored, clock=clock) as server,
        connected(server.port, back(ann)) as again,
    ):
        assert again.seq == 4
        assert (await again.until(m.Snapshot)).phase == "racing"
        await again.send(again.slides(moves[4:]))
        results = await again.until(m.Results)
        assert [row.status for row in results.standings] == ["finished"]
