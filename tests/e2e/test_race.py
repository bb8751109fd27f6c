"""Whole races over real sockets."""

import asyncio
import contextlib

import pytest

from sliderace.protocol import messages as m
from tests.e2e.talk import QUICK, Talker, a_server, talking


async def test_one_creates_another_joins_and_both_race_to_the_results() -> None:
    async with (
        a_server() as server,
        talking(server.port, m.Create(name="Ann", rules=QUICK)) as ann,
        talking(server.port, m.Join(code=ann.code, name="Ben")) as ben,
    ):
        await ann.say(m.Ready(race=ann.race))
        await ben.say(m.Ready(race=ben.race))
        await asyncio.gather(ann.until(m.BoardEvent), ben.until(m.BoardEvent))
        assert ann.board == ben.board
        await ann.solve()
        await ann.acked(ann.seq)
        await ben.solve()
        mine, theirs = await asyncio.gather(
            ann.until(m.Results), ben.until(m.Results)
        )
        assert mine == theirs
        assert [row.name for row in mine.standings] == ["Ann", "Ben"]
        assert [row.status for row in mine.standings] == ["finished", "finished"]
