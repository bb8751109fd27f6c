"""The live lobby over the wire."""

from tests.e2e.protocol_client import (
    ProtocolClient,
    connected,
    eventually,
    rules,
    running_server,
)

from sliderace.protocol import messages as m
from sliderace_server.app import Server
from sliderace_server.limits import Limits

WATCH = m.Hello(v=1, enter=m.Lobby(), can=["rooms"])


async def watching(client: ProtocolClient) -> m.Rooms:
    await client.send(WATCH)
    return await client.until(m.Rooms)


def watchers(server: Server) -> int:
    return len(server.registry.room_list)


async def test_watchers_see_public_rooms_come_change_and_go() -> None:
    async with running_server() as server, connected(server.port) as watcher:
        assert await watching(watcher) == m.Rooms([])
        public = m.Create("Ann", rules(), public=True)
        async with connected(server.port, public) as ann:
            [row] = (await watcher.until(m.Rooms)).rows
            assert (row.code, row.event, row.people) == (ann.code, "2x2", 1)
            async with connected(server.port, m.Join(ann.code, "Ben")):
                assert (await watcher.until(m.Rooms)).rows[0].people == 2
            await ann.send(m.Close())
            await watcher.until(m.Rooms, lambda one: one.gone == [ann.code])


async def test_rooms_that_are_not_public_are_in_no_list() -> None:
    async with (
        running_server() as server,
        connected(server.port, m.Create("Ann")) as ann,
        connected(server.port, m.Solo("Ben")),
        connected(server.port, m.Quick("3x3", "Cat")) as cat,
        connected(server.port) as watcher,
    ):
        first = await watching(watcher)
        assert [(one.code, one.kind) for one in first.rows] == [(cat.code, "quick")]
        assert first.rows[0].pace_ms
        await ann.send(m.Settings(public=True))
        await watcher.until(m.Rooms, lambda one: kinds(one).get(ann.code) == "room")
        await ann.send(m.Settings(public=False))
        await watcher.until(m.Rooms, lambda one: ann.code in one.gone)


def kinds(event: m.Rooms) -> dict[str, str]:
    return {row.code: row.kind for row in event.rows}


async def test_whoever_watches_is_in_no_room() -> None:
    async with running_server() as server, connected(server.port) as watcher:
        await watching(watcher)
        await watcher.sync()
        await watcher.send(m.Leave())
        refused = await watcher.until(m.Refused)
        assert (refused.of, refused.code) == ("leave", "not_here")
        await watcher.send(WATCH)
        assert (await watcher.until(m.Refused)).code == "bad_message"
        await watcher.send('{"t":"beam"}')
        assert (await watcher.until(m.Refused)).code == "bad_message"
        await watcher.sync()
        assert watchers(server) == 1
        await watcher.socket.close()
        await eventually(lambda: watchers(server) == 0)


async def test_an_address_may_watch_with_so_many_connections() -> None:
    """Here the limit is not lifted for this machine, as behind a proxy."""
    limits = Limits(lobbies_per_ip=1)
    async with running_server(limits, public_url="http://race.example") as server:
        async with connected(server.port) as one, connected(server.port) as two:
            await watching(one)
            await two.send(WATCH)
            refused = await two.until(m.Refused)
            assert refused.code == "rate"
            assert refused.retry_ms > 0
            assert await two.closed() == 4429
            assert watchers(server) == 1
        await eventually(lambda: watchers(server) == 0)
        async with connected(server.port) as three:
            await watching(three)


async def test_watchers_are_told_that_the_server_ends() -> None:
    async with running_server() as server, connected(server.port) as watcher:
        await watching(watcher)
        server.registry.stopping = True
        async with connected(server.port) as late:
            await late.send(WATCH)
            assert (await late.until(m.Refused)).code == "shutting_down"
            assert await late.closed() == 1012
