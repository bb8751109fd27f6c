"""Before its moment nobody is told secret, seed or board: a search of all that leaves.

The clock stands still but for the test, so "before T0" is exact; and the search knows
what to look for, because it asks the room itself.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator
from urllib.request import urlopen

import pytest
from tests.e2e.clocks import HandClock
from tests.e2e.talk import Talker, rules, talking

from sliderace.engine import Board, format_board
from sliderace.protocol import messages as m
from sliderace.race.state import LOCK_MS, Race
from sliderace_server.config import Config
from sliderace_server.server import Server, running

PATHS = ("/", "/healthz", "/metrics", "/api/rooms", "/api/races")


def race_of(server: Server, code: str) -> Race:
    runner = server.hub.find(code, "")
    return runner.state.race  # type: ignore[union-attr]


def spellings(race: Race, *, board: bool) -> list[str]:
    """How secret, seed and board would look if they were told."""
    texts = [race.secret, race.seed]
    if board:
        tiles = [str(tile) for tile in race.board]
        texts += [format_board(Board(race.size, race.board))]
        texts += [", ".join(tiles), ",".join(tiles), " ".join(tiles)]
    assert all(texts)
    return texts


def assert_untold(said: list[str], tainted: list[str]) -> None:
    for text in said:
        for secret in tainted:
            assert secret not in text.lower()


async def pages(server: Server, code: str) -> list[str]:
    """What anybody may fetch."""

    def fetch(path: str) -> str:
        with urlopen(f"http://127.0.0.1:{server.port}{path}", timeout=5) as answer:
            return str(answer.read(), "latin-1")

    paths = (*PATHS, f"/{code}", f"/api/rooms/{code}")
    return [await asyncio.to_thread(fetch, path) for path in paths]


async def pry(*curious: Talker) -> None:
    """Everybody asks for everything that might hold a board."""
    for one in curious:
        await one.say(m.Resync())
        await one.until(m.Snapshot)
        await one.say(m.Resync(seat=0))
        await one.until(m.Refused)
        await one.say(m.Slides(race=one.race, gen=one.gen, seq=1, slides=[("U", 1, 0)]))
        await one.until(m.Rejected)


async def to_the_lock(clock: HandClock, *friends: Talker) -> None:
    """The countdown has begun: let it go on until roster and board are fixed."""
    for one in friends:
        await one.phase("countdown")
    clock.advance(3_000 - LOCK_MS)
    for one in friends:
        await one.until(m.PhaseEvent, lambda event: event.roster)


@contextlib.asynccontextmanager
async def a_room(clock: HandClock) -> AsyncGenerator[tuple[Server, list[Talker]]]:
    """Ann and Ben, who will race, and Eve, who watches; boards are open to all."""
    config = Config(port=0, memory=True, log_level="debug")
    create = m.Create("Ann", rules("3x3", open_boards=True))
    async with (
        running(config, clock=clock) as server,
        talking(server.port, create) as ann,
        talking(server.port, m.Join(ann.code, "Ben")) as ben,
        talking(server.port, m.Join(ann.code, "Eve", role="spectator")) as eve,
    ):
        yield server, [ann, ben, eve]


async def test_before_t0_nobody_is_told_secret_seed_or_board(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    clock = HandClock()
    async with a_room(clock) as (server, [ann, ben, eve]):
        code = ann.code
        for one in (ann, ben):
            await one.say(m.Ready(race=one.race))
        await to_the_lock(clock, ann, ben, eve)
        clock.advance(LOCK_MS - 1)
        race = race_of(server, code)
        assert race.locked
        resume = m.Resume(code=code, token=ben.token)
        late = m.Join(code=code, name="Late")
        async with (
            talking(server.port, resume) as again,
            talking(server.port, late) as new,
        ):
            await pry(ann, again, eve, new)
            everybody = [ann, ben, eve, again, new]
            said = [str(frame) for one in everybody for frame in one.frames]
            said += await pages(server, code)
            said += [caplog.text, repr(race)]
            assert_untold(said, spellings(race, board=True))
            # The search is no idle one: a millisecond later all of them have the board.
            board = format_board(Board(race.size, race.board))
            clock.advance(1)
            for one in (ann, again, eve, new):
                await one.until(m.BoardEvent)
                assert one.board == board
                assert board in str(one.frames[-1])


async def test_until_the_results_nobody_is_told_secret_or_seed() -> None:
    clock = HandClock()
    async with a_room(clock) as (server, [ann, ben, eve]):
        await ann.say(m.Start(race=ann.race))
        await to_the_lock(clock, ann, ben, eve)
        clock.advance(LOCK_MS)
        for one in (ann, ben, eve):
            await one.until(m.BoardEvent)
        race = race_of(server, ann.code)
        await ann.solve()
        for one in (ann, ben, eve):
            await one.until(m.Results)
            said = [str(frame) for frame in one.frames]
            assert_untold(said[:-1], spellings(race, board=False))
            assert all(secret in said[-1] for secret in spellings(race, board=False))
