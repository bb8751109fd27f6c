"""Secrets are never sent too early; everything that leaves the server is searched.

Only the test advances the clock, so "before T0" is exact. The values to search for
come from the room itself.
"""

import asyncio
import base64
import contextlib
import hashlib
import logging
from collections.abc import AsyncGenerator
from urllib.request import urlopen

import pytest
from tests.e2e.clocks import ManualClock
from tests.e2e.protocol_client import ProtocolClient, connected, rules

from sliderace.engine import Board, format_board, nonce_commitment
from sliderace.protocol import messages as m
from sliderace.race.state import FREEZE_MS, Race
from sliderace_server.app import Server, running
from sliderace_server.logging import LogFormat
from sliderace_server.settings import ServerSettings

NONCE = bytes(range(200, 216))
PATHS = ("/", "/healthz", "/metrics", "/api/rooms", "/api/races")


def race_of(server: Server, code: str) -> Race:
    actor = server.registry.find(code, "")
    return actor.state.race  # type: ignore[union-attr]


def spellings(race: Race, *, board: bool) -> list[str]:
    """Return the possible spellings of secret, seed and board, in lower case."""
    raw = [bytes.fromhex(text) for text in (race.secret, race.seed) if text]
    texts = [spelt for data in raw for spelt in bytes_spelt(data)]
    if board:
        for tiles in orders(race):
            texts += [*tiles_spelt(tiles), *bytes_spelt(bytes(tiles))]
    assert all(texts)
    return [text.lower() for text in texts]


def bytes_spelt(data: bytes) -> list[str]:
    """Return hex, both kinds of base64, numbers, and Python literals of bytes."""
    codes = [base64.b64encode(data), base64.urlsafe_b64encode(data)]
    numbers = [str(number) for number in data]
    return [
        data.hex(),
        *(code.decode().rstrip("=") for code in codes),
        *(between.join(numbers) for between in (",", ", ", " ")),
        repr(data)[2:-1],
    ]


def orders(race: Race) -> list[list[int]]:
    """Return the board by rows, reversed and by columns, with and without the gap."""
    width, rows = race.size.width, list(race.board)
    columns = [tile for n in range(width) for tile in rows[n::width]]
    ways = [rows, rows[::-1], columns]
    return ways + [[tile for tile in way if tile] for way in ways]


def tiles_spelt(tiles: list[int]) -> list[str]:
    """Return a sequence of tiles with all separators that the project uses."""
    texts = [str(tile) for tile in tiles]
    return [between.join(texts) for between in (" ", ",", ", ", "/", "|", "\n", "")]


def assert_no_secrets(texts: list[str], tainted: list[str]) -> None:
    for text in texts:
        small = text.lower()
        rows = small.replace("/", " ")
        for secret in tainted:
            assert secret not in small
            assert secret not in rows


async def pages(server: Server, code: str) -> list[str]:
    """Fetch everything that is public."""

    def fetch(path: str) -> str:
        with urlopen(f"http://127.0.0.1:{server.port}{path}", timeout=5) as answer:
            return str(answer.read(), "latin-1")

    paths = (*PATHS, f"/{code}", f"/api/rooms/{code}")
    return [await asyncio.to_thread(fetch, path) for path in paths]


async def pry(*curious: ProtocolClient) -> None:
    """Make every client send every request whose answer might contain a board."""
    for one in curious:
        await one.send(m.Resync())
        await one.until(m.Snapshot)
        await one.send(m.Resync(seat=0))
        await one.until(m.Refused)
        await one.send(
            m.Slides(race=one.race, gen=one.gen, seq=1, slides=[("U", 1, 0)])
        )
        await one.until(m.Rejected)


def ready(one: ProtocolClient) -> m.Ready:
    """Make a client ready, with a nonce commitment."""
    bound = nonce_commitment(one.race, one.seat, NONCE)
    return m.Ready(one.race, nonce_commitment=bound)


async def to_the_lock(clock: ManualClock, *friends: ProtocolClient) -> None:
    """Let the countdown continue until roster and board are fixed."""
    for one in friends:
        await one.phase("countdown")
    clock.advance(3_000 - FREEZE_MS)
    for one in friends:
        await one.until(m.RosterEvent)
    for one in friends[:2]:
        await one.send(m.Nonce(one.race, NONCE.hex()))
    for one in friends:
        await one.until(m.PhaseEvent, lambda event: event.roster)


@contextlib.asynccontextmanager
async def a_room(
    clock: ManualClock,
) -> AsyncGenerator[tuple[Server, list[ProtocolClient]]]:
    """Open a room with Ann and Ben, and the spectator Eve; with open boards."""
    settings = ServerSettings(port=0, memory=True, log_level="debug")
    create = m.Create("Ann", rules("3x3", open_boards=True))
    async with (
        running(settings, clock=clock) as server,
        connected(server.port, create) as ann,
        connected(server.port, m.Join(ann.code, "Ben")) as ben,
        connected(server.port, m.Join(ann.code, "Eve", role="spectator")) as eve,
    ):
        yield server, [ann, ben, eve]


async def test_before_t0_nothing_contains_secret_seed_or_board(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    clock = ManualClock()
    async with a_room(clock) as (server, [ann, ben, eve]):
        code = ann.code
        for one in (ann, ben):
            await one.send(ready(one))
        await to_the_lock(clock, ann, ben, eve)
        race = race_of(server, code)
        assert race.drawn
        first = min(attempt.unlocks_at for attempt in race.attempts.values())
        clock.advance(FREEZE_MS - (race.t0 - first) - 1)
        assert set(race.nonces.values()) == {NONCE.hex()}
        resume = m.Resume(code=code, token=ben.token)
        late = m.Join(code=code, name="Late")
        async with (
            connected(server.port, resume) as again,
            connected(server.port, late) as new,
        ):
            await pry(ann, again, eve, new)
            everyone = [ann, ben, eve, again, new]
            texts = [str(frame) for one in everyone for frame in one.frames]
            texts += await pages(server, code)
            texts += [caplog.text, repr(race)]
            assert_no_secrets(texts, spellings(race, board=True))
            # The search works: now all of them have the board.
            board = format_board(Board(race.size, race.board))
            clock.advance(race.t0 - first + 1)
            for one in (ann, again, eve, new):
                await one.until(m.BoardEvent)
                assert one.board == board
                assert board in str(one.frames[-1])


async def test_before_the_results_nothing_contains_secret_or_seed() -> None:
    clock = ManualClock()
    async with a_room(clock) as (server, [ann, ben, eve]):
        await ann.send(ready(ann))
        await ben.send(ready(ben))
        await to_the_lock(clock, ann, ben, eve)
        clock.advance(FREEZE_MS)
        for one in (ann, ben, eve):
            await one.until(m.BoardEvent)
        race = race_of(server, ann.code)
        await ann.solve()
        await ben.solve()
        for one in (ann, ben, eve):
            await one.until(m.Results)
            texts = [str(frame) for frame in one.frames]
            assert_no_secrets(texts[:-1], spellings(race, board=False))
            assert race.secret in texts[-1]
            assert race.seed in texts[-1]


async def test_logs_and_metrics_contain_no_token_nonce_secret_or_board(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Neither before the start nor after the race."""
    caplog.set_level(logging.DEBUG, "sliderace_server")
    clock = ManualClock()
    async with a_room(clock) as (server, [ann, ben, eve]):
        for one in (ann, ben):
            await one.send(ready(one))
        await to_the_lock(clock, ann, ben, eve)
        clock.advance(FREEZE_MS)
        for one in (ann, ben, eve):
            await one.until(m.BoardEvent)
        race = race_of(server, ann.code)
        hidden = [*spellings(race, board=True), NONCE.hex()]
        for one in (ann, ben):
            await one.solve()
        await ann.until(m.Results)
        wrong = m.Resume(code=ann.code, token="5ec7e7" * 5 + "ab")
        right = m.Resume(code=ann.code, token=ben.token)
        async with (
            connected(server.port, right),
            connected(server.port) as intruder,
        ):
            await intruder.send(m.Hello(v=1, enter=wrong))
            assert await intruder.closed() == 4500
        shown = await pages(server, ann.code)
        tokens = [one.token for one in (ann, ben, eve)]
        assert all(tokens)
    hidden += [*tokens, wrong.token]
    hidden += [hashlib.sha256(token.encode()).hexdigest() for token in tokens]
    lines = as_logged(caplog)
    assert f"room={ann.code}" in lines
    assert "conn=1" in lines
    assert_no_secrets([lines, *shown], hidden)


def as_logged(caplog: pytest.LogCaptureFixture) -> str:
    """Return the log with all fields."""
    return "\n".join(LogFormat().format(record) for record in caplog.records)
