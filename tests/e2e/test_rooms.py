"""Joining, leaving, kicking and reconnecting; how connections end."""

import asyncio
import contextlib

from tests.e2e.protocol_client import (
    QUICK,
    connected,
    running_race,
    running_server,
    solution,
)

from sliderace.engine import parse_board
from sliderace.protocol import messages as m


async def test_an_opened_room_is_hosted_by_the_first_player() -> None:
    async with running_server() as server, connected(server.port) as opener:
        await opener.send(m.Hello(v=1, enter=m.Open(rules=QUICK)))
        opened = await opener.until(m.Opened)
        assert opened.link == f"http://127.0.0.1:{server.port}/{opened.code}"
        assert await opener.closed() == 1000
        async with connected(server.port, m.Join(code=opened.code, name="Ann")) as ann:
            snapshot = await ann.until(m.Snapshot)
            assert snapshot.room.host == ann.member
            assert snapshot.room.rules.size == "2x2"


async def test_links_use_the_public_address() -> None:
    async with (
        running_server(public_url="https://race.example") as server,
        connected(server.port) as opener,
    ):
        await opener.send(m.Hello(v=1, enter=m.Open()))
        opened = await opener.until(m.Opened)
        assert opened.link == f"https://race.example/{opened.code}"


async def test_a_kicked_member_is_disconnected_and_cannot_come_back() -> None:
    async with (
        running_server() as server,
        running_race(server.port, 3, "3x3") as (ann, ben, cat),
    ):
        await ann.send(m.Kick(member=ben.member))
        gone = await ben.until(m.Gone)
        assert (gone.member, gone.why) == (ben.member, "kicked")
        assert await ben.closed() == 4501
        out = await cat.until(m.StandingEvent)
        assert (out.standing.seat, out.standing.why) == (ben.seat, "kicked")
        assert (await cat.until(m.Gone)).member == ben.member
        async with connected(server.port) as again:
            resume = m.Resume(code=ann.code, token=ben.token)
            await again.send(m.Hello(v=1, enter=resume))
            assert (await again.until(m.Refused)).code == "kicked"
            assert await again.closed() == 4501
        async with connected(server.port) as again:
            await again.send(m.Hello(v=1, enter=m.Join(code=ann.code, name="player 2")))
            assert (await again.until(m.Refused)).code == "kicked"
            assert await again.closed() == 4501
        await cat.solve()
        await cat.acked(cat.seq)


async def test_a_leaving_member_is_closed_normally() -> None:
    async with (
        running_server() as server,
        connected(server.port, m.Create(name="Ann")) as ann,
        connected(server.port, m.Join(code=ann.code, name="Ben")) as ben,
    ):
        await ben.send(m.Leave())
        assert await ben.closed() == 1000
        gone = await ann.until(m.Gone)
        assert (gone.member, gone.why) == (ben.member, "left")


async def test_a_member_kicked_while_away_cannot_come_back() -> None:
    async with (
        running_server() as server,
        connected(server.port, m.Create(name="Ann")) as ann,
        connected(server.port, m.Join(code=ann.code, name="Ben")) as ben,
    ):
        ben.socket.transport.abort()
        await ann.until(m.MemberEvent, lambda e: e.why == "disconnected")
        await ann.send(m.Kick(member=ben.member))
        assert (await ann.until(m.Gone)).why == "kicked"


async def test_a_snapshot_can_be_requested_at_any_time() -> None:
    async with (
        running_server() as server,
        running_race(server.port, 2, "3x3") as (ann, ben),
    ):
        moves = solution(ann.board)
        await ann.send(ann.slides(moves[:3]))
        await ann.send(m.Resync())
        await ann.send(ann.slides(moves[3:5]))
        snapshot = await ann.until(m.Snapshot)
        lane = snapshot.race.lanes[ann.seat]
        assert snapshot.race.start == ann.board
        assert lane.seq in (3, 5)
        assert snapshot.race.lanes[ben.seat].board is None
        await ann.acked(5)
        await ben.solve()
        received = await ann.until(m.StandingEvent)
        assert received.o > snapshot.o


async def test_a_spectator_who_reconnects_gets_every_board() -> None:
    async with (
        running_server() as server,
        running_race(server.port, 2, "3x3") as (ann, ben),
    ):
        join = m.Join(code=ann.code, name="Eve", role="spectator")
        async with connected(server.port, join) as eve:
            await eve.until(m.Snapshot)
        moves = solution(ben.board)[:4]
        await ben.send(ben.slides(moves))
        await ben.acked(4)
        resume = m.Resume(
            code=ann.code, token=eve.token, epoch=eve.epoch, offset=eve.offset
        )
        async with connected(server.port, resume) as again:
            snapshot = await again.until(m.Snapshot)
            board = parse_board(ben.board)
            for move in moves:
                board.slide(*move)
            lane = snapshot.race.lanes[ben.seat]
            assert parse_board(lane.board or "") == board


async def test_a_racer_who_missed_the_start_gets_the_board() -> None:
    async with (
        running_server() as server,
        connected(server.port, m.Create(name="Ann", rules=QUICK)) as ann,
        connected(server.port, m.Join(code=ann.code, name="Ben")) as ben,
    ):
        await ben.until(m.Snapshot)
        for one in (ann, ben):
            await one.send(m.Ready(race=one.race))
        await ben.until(m.PhaseEvent, lambda e: e.roster)
        ben.socket.transport.abort()
        await ann.until(m.BoardEvent)
        resume = m.Resume(
            code=ben.code, token=ben.token, epoch=ben.epoch, offset=ben.offset
        )
        async with connected(server.port, resume) as again:
            snapshot = await again.until(m.Snapshot)
            assert snapshot.race.start == ann.board == again.board
            await again.solve()
            received = await ann.until(m.StandingEvent)
            assert received.standing.seat == ben.seat


async def test_with_open_boards_racers_see_each_other() -> None:
    async with (
        running_server() as server,
        running_race(server.port, 2, "3x3", open_boards=True) as (ann, ben),
    ):
        move = solution(ben.board)[0]
        await ben.send(ben.slides([move]))
        received = await ann.until(m.Progress)
        assert (received.p[0].since, received.p[0].slides) == (0, move[0])


async def test_messages_sent_just_before_closing_count() -> None:
    async with (
        running_server() as server,
        running_race(server.port, 2, "3x3") as (ann, ben),
    ):
        for move in solution(ben.board):
            await ben.send(ben.slides([move]))
        ben.socket.transport.write_eof()
        received = await ann.until(m.StandingEvent)
        assert (received.standing.seat, received.standing.status) == (
            ben.seat,
            "finished",
        )


async def test_bots_are_labelled_everywhere() -> None:
    async with (
        running_server() as server,
        connected(server.port, m.Create(name="Ann")) as ann,
        connected(server.port, m.Join(code=ann.code, name="R2", bot=True)),
    ):
        joined = await ann.until(m.MemberEvent, lambda e: e.why == "joined")
        assert joined.member.bot


async def test_eight_racers_and_twenty_spectators_agree_on_the_results() -> None:
    async with (
        running_server() as server,
        running_race(server.port, 8, "4x4") as racers,
        contextlib.AsyncExitStack() as stack,
    ):
        join = m.Join(code=racers[0].code, name="Eve", role="spectator")
        watchers = [
            await stack.enter_async_context(connected(server.port, join))
            for _ in range(20)
        ]
        everyone = [*racers, *watchers]
        results = await asyncio.gather(
            *(racer.solve() for racer in racers),
            *(one.until(m.Results) for one in everyone),
        )
        received = [one for one in results if one is not None]
        assert len(received) == 28
        assert [row.status for row in received[0].standings] == ["finished"] * 8
        assert all(one == received[0] for one in received)


async def test_a_series_is_sent_only_to_clients_that_list_it() -> None:
    async with (
        running_server() as server,
        connected(server.port, m.Create(name="Ann", rules=QUICK)) as ann,
        connected(server.port) as ben,
    ):
        join = m.Join(code=ann.code, name="Ben")
        await ben.send(m.Hello(v=1, enter=join, can=["later", "series"]))
        assert "series" in (await ben.until(m.Welcome)).features
        await ben.until(m.Snapshot)
        await ann.send(m.Series("first", 3))
        table = (await ben.until(m.SeriesEvent)).table
        assert (table.format, table.n, table.rows) == ("first", 3, [])
        await ann.send(m.Lock())
        await ann.until(m.RoomEvent)
        assert not any(isinstance(event, m.SeriesEvent) for event in ann.received)
        offset = (await ben.until(m.RoomEvent)).o
        assert ann.offset == offset


async def test_reactions_are_sent_only_to_clients_that_list_them() -> None:
    """A refused one is sent to nobody and says why."""
    async with (
        running_server() as server,
        connected(server.port, m.Create(name="Ann", rules=QUICK)) as ann,
        connected(server.port) as ben,
    ):
        join = m.Join(code=ann.code, name="Ben")
        await ben.send(m.Hello(v=1, enter=join, can=["reacted"]))
        assert "reactions" in (await ben.until(m.Welcome)).features
        await ben.until(m.Snapshot)
        offset = ben.offset
        await ann.send('{"t":"react","id":17}')
        refused = await ann.until(m.Refused)
        assert (refused.code, refused.field, refused.value) == (
            "bad_message",
            "id",
            "17",
        )
        assert "16" in refused.text
        await ann.send(m.React(9))
        assert await ben.until(m.Reacted) == m.Reacted(ann.member, 9)
        await ben.sync()
        await ann.sync()
        assert ben.offset == offset
        assert len([one for one in ben.received if isinstance(one, m.Reacted)]) == 1
        assert not any(isinstance(one, m.Reacted) for one in ann.received)
