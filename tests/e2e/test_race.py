"""Complete races over real connections."""

import asyncio
import contextlib
import json
from typing import Any
from urllib.request import urlopen

import pytest
from tests.e2e.protocol_client import (
    QUICK,
    connected,
    running_race,
    running_server,
    solution,
)

from sliderace.engine import (
    Size,
    commitment,
    format_board,
    parse_board,
    scramble,
    seed_of,
)
from sliderace.protocol import messages as m


async def test_two_players_race_to_the_results() -> None:
    async with (
        running_server() as server,
        connected(server.port, m.Create(name="Ann", rules=QUICK)) as ann,
        connected(server.port, m.Join(code=ann.code, name="Ben")) as ben,
    ):
        await ann.send(m.Ready(race=ann.race))
        await ben.send(m.Ready(race=ben.race))
        await asyncio.gather(ann.until(m.BoardEvent), ben.until(m.BoardEvent))
        assert ann.board == ben.board
        await ann.solve()
        await ann.acked(ann.seq)
        await ben.solve()
        mine, theirs = await asyncio.gather(ann.until(m.Results), ben.until(m.Results))
        assert mine == theirs
        assert [row.name for row in mine.standings] == ["Ann", "Ben"]
        assert [row.status for row in mine.standings] == ["finished", "finished"]


@pytest.mark.parametrize("count", [1, 3, 16])
async def test_any_number_of_players_and_spectators_see_the_same_results(
    count: int,
) -> None:
    async with running_server() as server, contextlib.AsyncExitStack() as stack:
        create = m.Create(name="Host", rules=QUICK)
        players = [await stack.enter_async_context(connected(server.port, create))]
        code = players[0].code
        for number in range(1, count):
            join = m.Join(code=code, name=f"P{number}")
            players.append(
                await stack.enter_async_context(connected(server.port, join))
            )
        watchers = [
            await stack.enter_async_context(
                connected(server.port, m.Join(code=code, name="W", role="spectator"))
            )
            for _ in range(4)
        ]
        for player in players:
            await player.send(m.Ready(race=player.race))
        await players[0].send(m.Start(race=players[0].race))
        everyone = [*players, *watchers]
        await asyncio.gather(*(one.until(m.BoardEvent) for one in everyone))
        await asyncio.gather(*(player.solve() for player in players))
        results = await asyncio.gather(*(one.until(m.Results) for one in everyone))
        assert len(results[0].standings) == count
        assert all(result == results[0] for result in results)
        assert all(row.status == "finished" for row in results[0].standings)


async def test_a_member_who_joins_during_a_race_sees_it_from_then_on() -> None:
    async with (
        running_server() as server,
        running_race(server.port, 2, limit_ms=0) as (ann, ben),
    ):
        moves = solution(ann.board)
        await ann.send(ann.slides(moves[:1]))
        await ben.until(m.Progress)
        join = m.Join(code=ann.code, name="Eve", role="spectator")
        async with connected(server.port, join) as eve:
            await eve.until(m.Snapshot)
            await ann.send(ann.slides(moves[1:2]))
            received = await eve.until(m.Progress, lambda event: event.p[0].seq == 2)
            assert received.p[0].slides


async def test_a_final_forfeit_opens_the_boards() -> None:
    async with (
        running_server() as server,
        running_race(server.port, 3, limit_ms=0) as (ann, ben, _),
    ):
        await ann.send(m.Forfeit(race=ann.race))
        there = solution(ben.board)[0]
        back = ({"U": "D", "D": "U", "L": "R", "R": "L"}[there[0]], there[1])
        received = None
        while (
            received is None or received.p[0].since < 0
        ):  # the forfeit can be undone for 3 s
            await ben.send(ben.slides([back if ben.seq % 2 else there]))
            received = await ann.until(m.Progress)
        shown = [e for e in ann.received if isinstance(e, m.BoardEvent) and e.seat == 1]
        assert shown


async def test_a_spectator_sees_every_slide_and_a_racer_none() -> None:
    async with running_server() as server, running_race(server.port, 2) as (ann, ben):
        join = m.Join(code=ann.code, name="Eve", role="spectator")
        async with connected(server.port, join) as eve:
            snapshot = await eve.until(m.Snapshot)
            board = parse_board(snapshot.race.lanes[ann.seat].board or "")
            await ann.solve()
            while not board.is_solved:
                received = await eve.until(m.Progress)
                for step in (one for one in received.p if one.seat == ann.seat):
                    assert step.since >= 0
                    for token in step.slides:
                        board.slide(token)
            await ben.until(m.StandingEvent)
            steps = [s for e in ben.received if isinstance(e, m.Progress) for s in e.p]
            assert steps
            assert all(step.since == -1 and not step.slides for step in steps)


async def test_the_winner_sees_the_other_boards_after_finishing() -> None:
    async with running_server() as server, running_race(server.port, 2) as (ann, ben):
        await ann.solve()
        await ann.until(m.StandingEvent)
        move = next(move for move in parse_board(ben.board).legal_slides())
        await ben.send(ben.slides([move]))
        received = await ann.until(
            m.Progress, lambda e: any(s.seat == ben.seat for s in e.p)
        )
        step = next(step for step in received.p if step.seat == ben.seat)
        assert step.slides == f"{move[0]}{move[1] if move[1] > 1 else ''}"


async def test_nobody_gets_a_board_before_the_start() -> None:
    async with (
        running_server() as server,
        connected(server.port, m.Create(name="Ann", rules=QUICK)) as ann,
    ):
        first = await ann.until(m.Snapshot)
        assert first.race.start is None
        await ann.send(m.Start(race=ann.race))
        await ann.until(m.BoardEvent)
        received = [
            event for event in ann.received if not isinstance(event, m.BoardEvent)
        ]
        board = ann.board
        assert all(board not in repr(event) for event in received)


async def test_the_results_open_the_commitment_and_the_record_is_served() -> None:
    async with running_server() as server, running_race(server.port, 1) as (ann,):
        snapshot = next(e for e in ann.received if isinstance(e, m.Snapshot))
        await ann.solve()
        results = await ann.until(m.Results)
        size, secret = Size.parse("3x3"), bytes.fromhex(results.secret or "")
        assert commitment(ann.race, size, secret) == snapshot.room.commitment
        seed = seed_of(ann.race, size, secret)
        assert format_board(scramble(seed, size)) == ann.board == results.board
        file = await asyncio.to_thread(_get, f"{server.url}{results.record}")
        record = file["record"]
        assert record["race"] == results.race
        assert len(record["racers"][0]["slides"]) == ann.seq


async def test_a_rematch_races_on_another_board_in_the_same_room() -> None:
    async with running_server() as server, running_race(server.port, 2) as (ann, ben):
        first, race = ann.board, ann.race
        await asyncio.gather(ann.solve(), ben.solve())
        await asyncio.gather(ann.until(m.Results), ben.until(m.Results))
        for player in (ann, ben):
            await player.send(m.Rematch(race=race))
        await asyncio.gather(ann.until(m.BoardEvent), ben.until(m.BoardEvent))
        assert ann.race != race
        assert ann.board == ben.board != first
        await asyncio.gather(ann.solve(), ben.solve())
        await asyncio.gather(ann.until(m.Results), ben.until(m.Results))


async def test_slides_are_acked_cumulatively() -> None:
    async with running_server() as server, running_race(server.port, 1) as (ann,):
        await ann.solve()
        await ann.until(m.Results)
        acks = [event.seq for event in ann.received if isinstance(event, m.Ack)]
        assert acks == sorted(acks)
        assert acks[-1] == ann.seq


def _get(url: str) -> Any:
    with urlopen(url, timeout=3) as answer:  # noqa: S310
        return json.load(answer)
