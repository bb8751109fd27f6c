"""An older copy of the store was put in place: nobody is told nonsense."""

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
    """How a member comes back with what it heard last."""
    token = token or who.token
    return m.Resume(who.code, token, epoch=who.epoch, offset=who.offset)


async def copied(store: FaultyStore, code: str, length: int) -> FaultyStore:
    """What a backup of that time holds."""
    async with store:
        log = await store.log.read(code)
    copy = FaultyStore()
    async with copy:
        await copy.log.append(code, 0, log[:length])
    return copy


@pytest.mark.parametrize("ahead", [False, True])
async def test_who_heard_what_is_undone_gets_a_snapshot(ahead: bool) -> None:
    """However many events there were then, and have been since."""
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
        if not ahead:  # the stream is as long as it was before
            for ready in (True, False):
                await other.send(m.Ready(race=other.race, on=ready))
                assert (await other.until(m.MemberEvent)).member.ready == ready
        async with connected(server.port, back(lost, ann.token)) as again:
            assert again.epoch > lost.epoch
            told = await again.receive()
            assert isinstance(told, m.Snapshot)
            assert not told.room.locked


async def test_slides_that_were_undone_can_be_made_again() -> None:
    """The welcome counts from the copy, and a race that had ended goes on."""
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
