"""After a power failure, every room recovers from the disk."""

import asyncio
import shutil
from pathlib import Path

from tests.e2e.protocol_client import (
    FastClock,
    ProtocolClient,
    connected,
    running_race,
    running_server,
    solution,
)

from sliderace.protocol import messages as m
from sliderace_server.storage import open_store


def image(path: Path, to: Path) -> Path:
    """Copy the disk as it is now, with half a page of an interrupted commit."""
    to.mkdir()
    shutil.copyfile(path, to / path.name)
    log = to / f"{path.name}-wal"
    shutil.copyfile(f"{path}-wal", log)
    with log.open("ab") as file:
        file.write(bytes(24) + b"\xab" * 2_000)
    return to / path.name


async def seen(port: int, client: ProtocolClient) -> tuple[m.Welcome, m.Snapshot]:
    """Reconnect a member; return the welcome and snapshot."""
    resume = m.Resume(code=client.code, token=client.token)
    async with connected(port, resume) as back:
        welcome = next(e for e in back.received if isinstance(e, m.Welcome))
        return welcome, await back.until(m.Snapshot)


async def test_every_room_recovers_its_last_acknowledged_state(
    tmp_path: Path,
) -> None:
    path, clock = tmp_path / "rooms.db", FastClock()
    settings = m.RulesPatch(size="7x5", open_boards=True, grace_ms=90_000)
    async with (
        running_server(store=open_store(f"sqlite:{path}"), clock=clock) as server,
        running_race(server.port, 2, "3x3", limit_ms=600_000) as (ann, ben),
        connected(server.port, m.Create(name="Cat", rules=settings)) as cat,
        connected(server.port, m.Join(code=cat.code, name="Dan")) as dan,
    ):
        began = clock.now_ms()  # or slightly earlier
        await ann.solve()  # the grace time begins
        await ann.until(m.StandingEvent)
        grace = await ben.phase("grace")
        await ben.send(ben.slides(solution(ben.board)[:3]))
        await ben.acked(3)
        await cat.send(m.Lock())
        await cat.until(m.RoomEvent, lambda e: e.room.locked)
        await dan.send(m.Ready(race=dan.race))
        await cat.until(m.MemberEvent, lambda e: e.member.ready)
        disk = await asyncio.to_thread(image, path, tmp_path / "disk")
        await ben.send(ben.slides(solution(ben.board)[3:5]))
        await ben.acked(5)  # the copied disk does not have it
    async with running_server(
        store=open_store(f"sqlite:{disk}"), clock=clock
    ) as server:
        least = clock.now_ms() - began - 2  # minus rounding
        welcome, snapshot = await seen(server.port, ben)
        assert (welcome.seat, welcome.seq) == (ben.seat, 3)
        assert welcome.epoch > ben.epoch
        assert snapshot.phase == "grace"
        assert grace.in_ms is not None
        assert snapshot.in_ms is not None
        # The remaining time has decreased, but nothing ends within 30 s.
        assert 0 < snapshot.in_ms <= max(grace.in_ms, 30_000)
        assert snapshot.race.start == ann.board
        assert snapshot.race.elapsed_ms is not None
        assert snapshot.race.elapsed_ms >= least
        [first, second] = snapshot.race.standings
        assert (first.status, first.place, second.seat) == ("finished", 1, ben.seat)
        welcome, _ = await seen(server.port, ann)
        assert (welcome.seat, welcome.member) == (ann.seat, ann.member)

        welcome, snapshot = await seen(server.port, dan)
        assert (welcome.seat, welcome.race) == (dan.seat, dan.race)
        assert snapshot.room.locked
        assert snapshot.room.host == cat.member
        assert snapshot.room.rules.size == "7x5"
        assert snapshot.room.rules.open_boards
        assert snapshot.room.rules.grace_ms == 90_000
        assert [one.ready for one in snapshot.members] == [False, True]
        resume = m.Resume(code=ben.code, token=ben.token)
        async with connected(server.port, resume) as back:
            await back.send(back.slides(solution(back.board)))
            results = await back.until(m.Results)
            assert [row.status for row in results.standings] == ["finished"] * 2
