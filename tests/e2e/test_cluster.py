"""Nodes of a cluster: one serves a room, and members connect to any node."""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from tests.e2e.cluster_nodes import nodes
from tests.e2e.daily_server import SECRETS, WallClock, add_profile
from tests.e2e.owners import owning
from tests.e2e.protocol_client import (
    ProtocolClient,
    connected,
    eventually,
    player_names,
    rules,
)
from tests.e2e.stores import FaultyStore
from websockets.exceptions import ConnectionClosed

from sliderace.engine import parse_board
from sliderace.protocol import messages as m
from sliderace_server.app import Server
from sliderace_server.cluster.node import MAX_SKEW_MS
from sliderace_server.cluster.ownership import FORGET_MS, HEARTBEAT_MS
from sliderace_server.limits import Limits
from sliderace_server.room.state import RoomLimits
from sliderace_server.storage import StoreRefused


@contextlib.asynccontextmanager
async def race_through(
    ports: Sequence[int], size: str = "2x2"
) -> AsyncGenerator[list[ProtocolClient]]:
    """Start a race of players at different nodes; the first one is the host."""
    async with contextlib.AsyncExitStack() as stack:
        players: list[ProtocolClient] = []
        for port, name in zip(ports, player_names(len(ports)), strict=True):
            enter = (
                m.Join(players[0].code, name)
                if players
                else m.Create(name, rules=rules(size))
            )
            players.append(await stack.enter_async_context(connected(port, enter)))
        for player in players:
            await player.send(m.Ready(player.race))
        for player in players:
            await player.until(m.BoardEvent)
        for player in players:
            await player.phase("racing")
        yield players


async def test_players_race_through_different_nodes(tmp_path: Path) -> None:
    async with nodes(tmp_path, "a", "b") as cluster:
        a, b = cluster.servers["a"], cluster.servers["b"]
        async with race_through([a.port, b.port]) as (ann, ben):
            assert a.registry.has(ann.code)
            assert not b.registry.has(ann.code)
            await asyncio.gather(ann.solve(), ben.solve())
            results = [await one.until(m.Results) for one in (ann, ben)]
        assert results[0] == results[1]
        assert {row.status for row in results[0].standings} == {"finished"}


async def test_a_node_that_stops_hands_its_rooms_to_the_next_one(
    tmp_path: Path,
) -> None:
    async with nodes(tmp_path, "a", "b") as cluster:
        a, b = cluster.servers["a"], cluster.servers["b"]
        async with race_through([a.port, b.port], "3x3") as (_, ben):
            await ben.send(ben.slides([_any(ben.board)]))
            await ben.acked(1)
            await cluster.stop("a")
            assert await ben.closed() == 1012
        assert not b.metrics.counts["nodes_lost"]
        resume = m.Resume(ben.code, ben.token, ben.epoch, ben.offset)
        async with connected(b.port) as again:
            await again.send(m.Hello(v=1, enter=resume))
            welcome = await again.until(m.Welcome)
            assert b.registry.has(ben.code)
            assert welcome.seq == 1
            assert welcome.epoch > ben.epoch
            await again.solve()
            assert (await again.until(m.Ack, lambda ack: ack.seq > 1)).race == ben.race


async def test_a_restarted_node_takes_no_room_from_another(tmp_path: Path) -> None:
    async with nodes(tmp_path, "a", "b") as cluster:
        a = cluster.servers["a"]
        async with connected(a.port, m.Create("Ann")) as ann:
            await cluster.stop("b")
            c = await cluster.start("c")
            async with connected(c.port, m.Join(ann.code, "Ben")):
                pass
            assert a.registry.has(ann.code)
            await ann.sync()


async def test_a_node_that_was_lost_for_a_while_serves_again(tmp_path: Path) -> None:
    async with nodes(tmp_path, "a", "b") as cluster:
        a, b = cluster.servers["a"], cluster.servers["b"]
        async with connected(a.port, m.Create("Ann")) as ann:
            async with connected(b.port, m.Join(ann.code, "Ben")) as ben:
                cluster.lost.add("a")
                assert await ben.closed() == 1012
            assert b.metrics.counts["nodes_lost"][""] == 1
            cluster.lost.clear()
            seen = cluster.clusters["b"].nodes
            await eventually(lambda: seen.live(_now(b)) == ["a"])
            async with connected(a.port, m.Create("Cat")) as cat:
                join = m.Join(cat.code, "Dan")
                async with connected(b.port) as dan:  # who may learn of the gap
                    await dan.send(m.Hello(v=1, enter=join))
                    with contextlib.suppress(ConnectionClosed):
                        await dan.until(m.Welcome)
                async with connected(b.port, join) as dan:
                    await dan.sync()


class _LateClock(WallClock):
    """A clock that a test puts forward."""

    later_ms = 0

    def now_ms(self) -> int:
        return super().now_ms() + self.later_ms


async def test_a_node_that_is_gone_for_long_is_forgotten_and_may_return(
    tmp_path: Path,
) -> None:
    async with nodes(tmp_path, "a") as cluster:
        clock = _LateClock(cluster.clock.wall_ms(), factor=3)
        a, b = cluster.servers["a"], await cluster.start("b", clock)
        ours, theirs = cluster.clusters["b"], cluster.clusters["a"]
        async with (
            connected(a.port, m.Create("Ann")) as ann,
            connected(b.port, m.Create("Cat")) as cat,
        ):
            async with (
                connected(b.port, m.Join(ann.code, "Ben")) as ben,
                connected(a.port, m.Join(cat.code, "Dan")) as dan,
            ):
                cluster.silent.add("a")
                assert [await one.closed() for one in (ben, dan)] == [1012, 1012]
            clock.later_ms = FORGET_MS
            await eventually(lambda: not ours.links)
            cluster.silent.clear()
            await eventually(lambda: not len(theirs.links["b"].serving))
            join = m.Join(cat.code, "Fay")
            async with connected(a.port) as fay:  # who learns of the new link
                await fay.send(m.Hello(v=1, enter=join))
                assert await fay.closed() == 1012
            async with (
                connected(a.port, join) as fay,
                connected(a.port, m.Create("Gil")) as gil,
                connected(b.port, m.Join(gil.code, "Hal")) as hal,
            ):
                await fay.sync()
                await hal.sync()


class _StoppedClock(WallClock):
    """A clock that a test stops; timers still fire."""

    stopped_ms: int | None = None

    def now_ms(self) -> int:
        return super().now_ms() if self.stopped_ms is None else self.stopped_ms


async def test_a_killed_node_is_missed_before_it_is_late(tmp_path: Path) -> None:
    """Spectators send nothing, so no message to it fails."""
    async with nodes(tmp_path) as cluster:
        bus, clock = cluster.broker.connect("a"), _StoppedClock(factor=3)
        await cluster.start("a", clock, bus=bus)
        b = await cluster.start("b", clock)
        await eventually(lambda: cluster.clusters["b"].nodes.live(_now(b)))
        bus.close()
        clock.stopped_ms = clock.now_ms() + HEARTBEAT_MS
        await eventually(lambda: b.metrics.counts["nodes_lost"][""] == 1)


async def test_a_member_who_leaves_while_a_node_stalls_has_left(tmp_path: Path) -> None:
    """The node never noticed that others considered it lost."""
    async with nodes(tmp_path, "a", "b") as cluster:
        a, b = cluster.servers["a"], cluster.servers["b"]
        async with connected(a.port, m.Create("Ann")) as ann:
            async with connected(b.port, m.Join(ann.code, "Ben")) as ben:
                cluster.silent.add("a")
                assert await ben.closed() == 1012
            cluster.silent.clear()
            await ann.until(
                m.MemberEvent,
                lambda e: e.member.name == "Ben" and not e.member.connected,
            )


async def test_a_malformed_message_to_another_node_is_only_refused(
    tmp_path: Path,
) -> None:
    async with nodes(tmp_path, "a", "b") as cluster:
        a, b = cluster.servers["a"], cluster.servers["b"]
        async with (
            connected(a.port, m.Create("Ann")) as ann,
            connected(b.port, m.Join(ann.code, "Ben")) as ben,
        ):
            await ben.send('{"t":"nope"}')
            assert (await ben.until(m.Refused)).code == "bad_message"
            await ben.sync()


def _now(server: Server) -> int:
    return server.registry.services.clock.now_ms()


async def test_a_node_that_differs_from_the_others_or_hears_none_is_refused(
    tmp_path: Path,
) -> None:
    async with nodes(tmp_path / "same", "a") as cluster:
        late = WallClock(cluster.clock.wall_ms() - 5_000, factor=3)
        with pytest.raises(StoreRefused, match="the clock differs from that of node a"):
            await cluster.start("b", late)
        with pytest.raises(StoreRefused, match="another key"):
            await cluster.start("c", folder=tmp_path / "other")
        bus = cluster.broker.connect("e")
        bus.close()
        with pytest.raises(StoreRefused, match="the brokers do not answer"):
            await cluster.start("e", bus=bus)
        await cluster.start("d")


async def test_a_node_with_other_settings_is_reported_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with nodes(tmp_path, "a", "b") as cluster:
        limits = Limits(joins_per_min=5, room=RoomLimits(players=4))
        await cluster.start("c", limits=limits)
        # Two at the new node, and one at each of the others.
        await eventually(lambda: caplog.text.count("has other settings") == 4)
        for one in cluster.clusters.values():
            assert one.other_settings() == ["joins_per_min", "players"]
        await cluster.stop("c")
        await eventually(lambda: cluster.clusters["a"].other_settings() == [])
        assert caplog.text.count("has other settings") == 4


async def test_nodes_notice_that_a_clock_was_set(tmp_path: Path) -> None:
    async with nodes(tmp_path, "a") as cluster:
        clock = WallClock(cluster.clock.wall_ms(), factor=3)
        await cluster.start("b", clock)
        a, b = (cluster.clusters[name] for name in "ab")
        await eventually(lambda: a.nodes.live(_now(cluster.servers["a"])))
        clock.set(clock.wall_ms() + 60_000)
        await eventually(lambda: min(a.skew_ms(), b.skew_ms()) > MAX_SKEW_MS)


async def test_a_node_that_was_wrongly_considered_lost_gives_its_room_up(
    tmp_path: Path,
) -> None:
    """Nothing happens in the room, so no append would tell the node."""
    async with nodes(tmp_path, "a", "b") as cluster:
        a, b = cluster.servers["a"], cluster.servers["b"]
        async with connected(a.port, m.Create("Ann")) as ann:
            cluster.lost.add("a")
            async with connected(b.port, m.Join(ann.code, "Ben")):
                cluster.lost.clear()
                assert await ann.closed() == 1012
                assert b.registry.has(ann.code)
                assert not a.registry.has(ann.code)


async def test_the_candidate_takes_a_room_over_whichever_node_asks(
    tmp_path: Path,
) -> None:
    async with nodes(tmp_path, "a", "b", "c") as cluster:
        a, b, c = (cluster.servers[name] for name in "abc")
        known = cluster.clusters["b"].nodes
        code = token = ""
        while not code or known.home(code, _now(b), ["a"]) != "c":
            async with connected(a.port, m.Create("Ann")) as ann:
                code, token = ann.code, ann.token
        await cluster.stop("a")
        async with connected(b.port) as again:
            await again.send(m.Hello(v=1, enter=m.Resume(code, token, 0, 0)))
            await again.until(m.Welcome)
            assert c.registry.has(code)


async def test_a_room_that_nobody_asks_for_is_continued(tmp_path: Path) -> None:
    """Or nothing would ever happen in it, not even its end."""
    async with nodes(tmp_path, "a", "b") as cluster:
        async with connected(cluster.servers["a"].port, m.Create("Ann")) as ann:
            code = ann.code
        await cluster.stop("a")
        await cluster.clusters["b"].sweep()
        assert cluster.servers["b"].registry.has(code)


async def test_a_room_that_cannot_be_read_keeps_no_other_room_waiting(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It is reported once, and continued as soon as somebody has repaired its log."""
    store = FaultyStore()
    async with nodes(tmp_path, "a", "b", store=store) as cluster:
        a, b = cluster.servers["a"], cluster.servers["b"]
        async with (
            connected(a.port, m.Create("Ann")) as ann,
            connected(a.port, m.Create("Ben")) as ben,
        ):
            damaged, other = sorted([ann.code, ben.code])
        await cluster.stop("a")
        store.damaged.add(damaged)
        for _ in range(2):
            await cluster.clusters["b"].sweep()
        assert list(b.registry.rooms) == [other]
        assert "rooms_unreadable" in b.registry.problems()
        assert caplog.text.count("cannot recover: its log is damaged") == 1
        store.damaged.clear()
        await cluster.clusters["b"].sweep()
        assert sorted(b.registry.rooms) == [damaged, other]
        assert b.registry.problems() == []


async def test_an_unknown_room_is_refused(tmp_path: Path) -> None:
    async with (
        nodes(tmp_path, "a", "b") as cluster,
        connected(cluster.servers["b"].port) as ann,
    ):
        await ann.send(m.Hello(v=1, enter=m.Join("KWXTRB", "Ann")))
        assert (await ann.until(m.Refused)).code == "room_unknown"


async def test_each_node_answers_for_all_rooms(tmp_path: Path) -> None:
    async with nodes(tmp_path, "a", "b") as cluster:
        a, b = cluster.servers["a"], cluster.servers["b"]
        async with connected(a.port, m.Create("Ann", public=True)) as ann:
            found = await asyncio.to_thread(_get, b, f"/api/rooms/{ann.code}")
            assert found["code"] == ann.code
            await eventually(
                lambda: [row["code"] for row in b.view.public_rooms()] == [ann.code]
            )


async def test_a_race_record_is_at_all_nodes(tmp_path: Path) -> None:
    async with nodes(tmp_path, "a", "b") as cluster:
        a, b = cluster.servers["a"], cluster.servers["b"]
        async with race_through([a.port, b.port]) as players:
            await asyncio.gather(*(one.solve() for one in players))
            record = (await players[0].until(m.Results)).record
            found = await asyncio.to_thread(_get, b, record)
        assert found["record"]["race"] == players[0].race
        races = f"/api/races?room={players[0].code}"
        listed = await eventually(lambda: asyncio.to_thread(_races, b, races))
        assert [race["id"] for race in listed] == [players[0].race]


async def test_the_lobby_lists_rooms_of_all_nodes(tmp_path: Path) -> None:
    async with nodes(tmp_path, "a", "b") as cluster:
        a, b = cluster.servers["a"], cluster.servers["b"]
        async with connected(b.port) as watcher:
            await watcher.send(m.Hello(v=1, enter=m.Lobby(), can=["rooms"]))
            async with connected(a.port, m.Create("Ann", public=True)) as ann:
                rooms = await watcher.until(m.Rooms, lambda event: event.rows)
                assert [row.code for row in rooms.rows] == [ann.code]
                await ann.send(m.Close())
                await watcher.until(m.Rooms, lambda event: event.gone == [ann.code])


async def test_a_node_that_drains_lets_others_open_rooms(tmp_path: Path) -> None:
    async with nodes(tmp_path, "a", "b") as cluster:
        a, b = cluster.servers["a"], cluster.servers["b"]
        cluster.clusters["a"].drain()
        async with connected(a.port, m.Create("Ann")) as ann:
            assert b.registry.has(ann.code)
        async with connected(a.port) as opener:
            await opener.send(m.Hello(v=1, enter=m.Open()))
            opened = await opener.until(m.Opened)
            assert b.registry.has(opened.code)
            assert opened.link == f"http://127.0.0.1:{a.port}/{opened.code}"
            assert await opener.closed() == 1000


async def test_wrong_codes_count_at_the_node_of_the_client(tmp_path: Path) -> None:
    limits = Limits(failed_joins_per_10_min=2)
    behind_proxy: dict[str, Any] = {"trusted_proxies": ("127.0.0.1",), "limits": limits}
    async with nodes(tmp_path, "a", "b", **behind_proxy) as cluster:
        a, b = cluster.servers["a"], cluster.servers["b"]
        async with connected(a.port, m.Create("Ann")) as ann:
            seen: list[str] = []
            for code in ("KWXTRB", "KWXTRC", ann.code):
                headers = {"X-Forwarded-For": "10.0.0.7"}
                async with connected(b.port, additional_headers=headers) as guest:
                    await guest.send(m.Hello(v=1, enter=m.Join(code, "Ben")))
                    seen.append((await guest.until(m.Refused)).code)
        assert seen == ["room_unknown", "room_unknown", "too_many_tries"]


async def test_an_attempt_of_the_day_is_used_up_at_all_nodes(tmp_path: Path) -> None:
    async with nodes(tmp_path, "a", "b") as cluster:
        a, b = cluster.servers["a"], cluster.servers["b"]
        await add_profile(cluster.store, "Ann", "BCDFGHJK")
        daily = m.Hello(v=1, enter=m.Daily("3x3", "Ann"), profile=SECRETS["Ann"])

        async def code_at(server: Server) -> str:
            async with connected(server.port) as ann:
                await ann.send(daily)
                return (await ann.until(m.Welcome)).code

        code = await code_at(a)
        assert await code_at(b) == code
        home, other = ("a", "b") if a.registry.has(code) else ("b", "a")
        await cluster.stop(home)
        assert await code_at(cluster.servers[other]) == code


async def test_a_profile_is_managed_through_any_node(tmp_path: Path) -> None:
    async with nodes(tmp_path, "a", "b") as cluster:
        a, b = cluster.servers["a"], cluster.servers["b"]
        async with owning(a.port, "phone") as phone:
            assert phone.first is None
            made = await phone.profile(m.Keep("Ann"))
            ticket = await phone.ticket()
        async with owning(b.port, "phone") as phone:
            assert phone.first is not None
            assert phone.first.id == made.id
        async with owning(b.port, "laptop") as laptop:
            assert (await laptop.profile(m.Claim(ticket))).id == made.id


async def test_all_quick_races_of_an_event_are_at_one_node(tmp_path: Path) -> None:
    async with nodes(tmp_path, "a", "b") as cluster:
        a, b = cluster.servers["a"], cluster.servers["b"]
        async with (
            connected(a.port, m.Quick("4x4", "Ann")) as ann,
            connected(b.port, m.Quick("4x4", "Ben")) as ben,
        ):
            assert ann.code == ben.code


def _get(server: Server, path: str) -> dict[str, Any]:
    """Return what a node answers; blocks."""
    with urlopen(f"http://127.0.0.1:{server.port}{path}") as answer:
        return json.load(answer)  # type: ignore[no-any-return]


def _races(server: Server, path: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = _get(server, path)["races"]
    return found


def _any(board: str) -> tuple[str, int]:
    """Return a legal slide."""
    return parse_board(board).legal_slides()[0]
