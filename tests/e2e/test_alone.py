"""Ranked solo: a room for one player, and one such room per profile."""

import pytest
from tests.e2e.protocol_client import connected, eventually, running_server
from tests.e2e.test_http import ask
from tests.e2e.test_profile_entry import SECRET, hello, server_with_ann, welcomed

from sliderace.protocol import messages as m

SOLO = m.Solo("Ann", m.RulesPatch(size="2x2"))


async def test_one_player_races_board_after_board() -> None:
    async with (
        server_with_ann() as (server, _, _),
        connected(server.port) as ann,
    ):
        assert (await welcomed(ann, hello(SOLO))).profile == "ANNSPRFL"
        for number in (1, 2):
            await ann.until(m.BoardEvent)
            await ann.phase("racing")
            await ann.send(m.Input(ann.race, "keys"))
            if number == 1:
                await ann.solve()
            else:
                await ann.send(m.Forfeit(ann.race))
            results = await ann.until(m.Results)
            gains = await ann.until(m.Gains)
            assert gains.race == results.race
            assert gains.counts
            await ann.send(m.Rematch(ann.race))
            await ann.until(m.RoomEvent)
        # Nobody finds the room, in no list and by no code.
        assert server.view.public_rooms() == []
        async with connected(server.port) as ben:
            await ben.send(m.Hello(v=1, enter=m.Join(ann.code, "Ben")))
            assert (await ben.until(m.Refused)).code == "room_locked"
            assert await ben.closed() == 4500


async def test_a_profile_races_alone_in_one_room_at_a_time() -> None:
    async with (
        server_with_ann() as (server, _, _),
        connected(server.port) as ann,
        connected(server.port) as tab,
        connected(server.port) as guest,
    ):
        await welcomed(ann, hello(SOLO))
        await tab.send(hello(SOLO))
        assert (await tab.until(m.Refused)).code == "busy"
        assert await tab.closed() == 4500
        await welcomed(guest, m.Hello(v=1, enter=SOLO))
        # The same seat from another device is the same room.
        async with connected(server.port) as phone:
            await welcomed(phone, hello(m.Resume(ann.code, ann.token)))
            await phone.send(m.Leave())
            await phone.closed()
        async with connected(server.port) as again:
            await welcomed(again, hello(SOLO))


async def test_who_has_closed_the_page_races_alone_again_soon() -> None:
    async with server_with_ann() as (server, _, _):
        async with connected(server.port) as ann:
            await welcomed(ann, hello(SOLO))
        async with connected(server.port) as tab:  # perhaps it only reconnects
            await tab.send(hello(SOLO))
            assert (await tab.until(m.Refused)).code == "busy"
        await eventually(lambda: not server.chosen.races_alone("ANNSPRFL"))
        async with connected(server.port) as again:
            welcome = await welcomed(again, hello(SOLO))
            assert welcome.code != ann.code


async def test_a_guest_who_keeps_a_time_alone_is_busy_too() -> None:
    async with (
        server_with_ann() as (server, _, _),
        connected(server.port) as ann,
        connected(server.port) as tab,
    ):
        await welcomed(ann, m.Hello(v=1, enter=SOLO))
        async with connected(server.port) as again:
            await welcomed(again, hello(m.Resume(ann.code, ann.token)))
            await tab.send(hello(SOLO))
            assert (await tab.until(m.Refused)).code == "busy"


@pytest.mark.parametrize(
    ("rules", "field"),
    [
        (m.RulesPatch(size="2x2", limit_ms=1), "enter.rules.limit_ms"),
        (m.RulesPatch(inspection_ms=99_999), "enter.rules.inspection_ms"),
    ],
)
async def test_bad_rules_are_refused(rules: m.RulesPatch, field: str) -> None:
    async with running_server() as server, connected(server.port) as ann:
        await ann.send(m.Hello(v=1, enter=m.Solo("Ann", rules)))
        refused = await ann.until(m.Refused)
        assert (refused.code, refused.field) == ("bad_rules", field)
        assert server.view.health()["rooms"] == 0


async def test_a_bad_name_opens_no_room() -> None:
    async with running_server() as server, connected(server.port) as ann:
        await ann.send(m.Hello(v=1, enter=m.Solo("\u200b")))
        assert (await ann.until(m.Refused)).code == "bad_name"
        assert server.view.health()["rooms"] == 0


async def test_a_killed_server_knows_who_races_alone() -> None:
    async with server_with_ann() as (server, held, store):
        async with connected(server.port) as ann:
            await welcomed(ann, hello(SOLO))
        await eventually(lambda: server.registry.idle)
    assert await held.real.identify("", 0) is None
    async with running_server(store=store) as server, connected(server.port) as tab:
        await tab.send(hello(SOLO))
        assert (await tab.until(m.Refused)).code == "busy"
        async with connected(server.port) as back:
            welcome = await welcomed(back, hello(m.Resume(ann.code, ann.token)))
            assert welcome.profile == "ANNSPRFL"
        health = await ask(server.port, "/healthz")
        assert SECRET.encode() not in health.body
