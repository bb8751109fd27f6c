"""What a racer notices while somebody floods the server."""

import asyncio
import contextlib
import os
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Generator
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.protocol_client import ProtocolClient, running_race

from sliderace.engine import parse_board
from sliderace.protocol import messages as m

__all__ = ["Noticed", "flooded", "memory", "racer", "watch"]

ROOT = Path(__file__).parents[2]
STEP_S = 0.02
"""Between two round trips: fifty a second are within the limits."""
MOVE_EACH = 10
"""Of so many round trips one is a slide that must become durable."""
BACK = {"U": "D", "D": "U", "L": "R", "R": "L"}


@dataclass(frozen=True)
class Noticed:
    """Round trips of one racer, ms, in ascending order."""

    trips: list[float]

    def at(self, share: float) -> float:
        """The round trip that this share of all does not exceed."""
        return self.trips[min(len(self.trips) - 1, int(share * len(self.trips)))]


@contextlib.asynccontextmanager
async def racer(port: int) -> AsyncGenerator[ProtocolClient, None]:
    """Ben, in a race with Ann that takes as long as one likes."""
    async with running_race(port, 2, "4x4", limit_ms=0) as (_, ben):
        yield ben


async def watch(ben: ProtocolClient, seconds: float) -> Noticed:
    """Race on for so long; every slide must be acked, none refused."""
    direction, tiles = parse_board(ben.board).legal_slides()[0]
    trips = list[float]()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        began = time.perf_counter()
        if len(trips) % MOVE_EACH:
            await ben.sync()
        else:
            moves = [(direction, tiles), (BACK[direction], tiles)]
            await ben.send(ben.slides(moves))
            await ben.acked(ben.seq)
        trips.append((time.perf_counter() - began) * 1_000)
        await asyncio.sleep(STEP_S)
    assert not [e for e in ben.received if isinstance(e, m.Refused | m.Rejected)]
    ben.received.clear()
    ben.frames.clear()
    return Noticed(sorted(trips))


@contextlib.contextmanager
def flooded(kind: str, port: int, code: str) -> Generator[None]:
    """A flood is under way, in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.chaos.floods", kind, str(port), code],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        with process.stdout as said:
            assert said.readline() == b"begun\n", f"{kind} did not begin"
        yield
        assert process.poll() is None, f"{kind} ended by itself"
    finally:
        process.kill()
        process.wait()


def memory(pid: int) -> float:
    """MiB that a process really uses now."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
