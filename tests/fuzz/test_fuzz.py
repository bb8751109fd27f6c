"""Mutated frames, into the decoder and into a server beside an honest race."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncGenerator

import pytest
from tests.e2e.protocol_client import (
    ProtocolClient,
    connected,
    running_race,
    running_server,
)
from tests.fuzz.decoder import CODES, decode_mutated
from tests.fuzz.frames import REAL, mutated
from tests.log_checker import Observed, Sent, faults
from tests.tiers import TIER
from websockets.exceptions import ConnectionClosed

from sliderace.protocol import messages as m
from sliderace.protocol.codec import decode_command
from sliderace_server.limits import Limits
from sliderace_server.storage.memory import MemoryStore

SENT = TIER.frames // 10
"""Fewer frames over a socket than into the decoder: they take ten times as long."""
LIMITS = Limits(
    messages_per_s=1_000_000, messages_burst=1_000_000, tiles_per_s=1_000_000,
    tiles_burst=1_000_000, pages_burst=1_000_000,
)  # fmt: skip
"""High enough that every frame is parsed."""
IN_FLIGHT = 200
"""Frames that the attacker sends before it reads the answers."""


def test_unmutated_frames_are_decoded() -> None:
    assert all(decode_command(frame) for frame in REAL)


@pytest.mark.timeout(300 + TIER.frames // 10_000)
def test_any_frame_is_a_message_or_the_documented_error() -> None:
    outcomes = decode_mutated(TIER.frames, seed=1)
    assert outcomes.total() == TIER.frames
    assert outcomes.keys() == {"ok", *CODES}
    assert outcomes["ok"] > TIER.frames / 100


@pytest.mark.timeout(300 + TIER.frames // 10_000)
async def test_mutated_frames_do_not_disturb_an_honest_race() -> None:
    asyncio.get_running_loop().set_debug(False)  # debug mode is ten times slower
    store = MemoryStore()
    async with (
        running_server(LIMITS, store=store) as server,
        running_race(server.port, 2, "3x3", limit_ms=0) as (ann, ben),
    ):
        attack = asyncio.create_task(_attack(server.port))
        played = 0
        sent = Sent(ann.race, 0)
        while not attack.done():
            slides = ann.slides([_back_and_forth(ann, played)])
            sent.add(slides.seq, slides.slides)
            await ann.send(slides)
            await ann.acked(ann.seq)
            played += 1
        closes = attack.result()
        assert played > 20
        assert closes.keys() <= {1000, 1007, 1009, 4500, 4501, 4502, 4504}
        await ben.sync()
        assert server.view.health()["status"] == "ok"
        observed = Observed(ann.member, [sent], {ann.race: ann.seq})
        assert faults(await store.log.read(ann.code), [observed]) == []
        assert server.metrics.counts["refusals"]["bad_message"] > SENT / 4


def _back_and_forth(one: ProtocolClient, n: int) -> tuple[str, int]:
    """Return one of two legal slides that undo each other."""
    gap = one.board.replace("/", " ").split().index("0")
    there, back = ("R", "L") if gap % 3 else ("L", "R")
    return (back if n % 2 else there, 1)


async def _attack(port: int) -> Counter[int]:
    """Send all frames, on as many connections as it takes; return the close codes."""
    frames, sent = mutated(SENT, seed=2), 0
    closes = Counter[int]()
    while sent < SENT:
        async with _inside(port) as stranger:
            try:
                for frame in frames:
                    sent += 1
                    await stranger.send(frame.decode("utf-8", "replace"))
                    if sent % IN_FLIGHT == 0:
                        await stranger.sync()
            except ConnectionClosed:
                pass
        closes[stranger.socket.close_code or 0] += 1
    return closes


@contextlib.asynccontextmanager
async def _inside(port: int) -> AsyncGenerator[ProtocolClient, None]:
    """Connect and create a room, so that a bad frame does not close the connection."""
    async with connected(port, m.Create(name="Eve")) as stranger:
        yield stranger
