"""Round trips of an honest racer while the server is flooded."""

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

__all__ = ["RoundTrips", "flooded", "measure", "memory", "racer"]

ROOT = Path(__file__).parents[2]
STEP_S = 0.02
"""Seconds between two round trips; 50 per second are below the limits."""
SLIDE_EVERY = 10
"""One of this many round trips is a slide that must become durable."""
OPPOSITE = {"U": "D", "D": "U", "L": "R", "R": "L"}


@dataclass(frozen=True)
class RoundTrips:
    """Sorted round trips of one racer, in ms."""

    values: list[float]

    def quantile(self, share: float) -> float:
        """Return a quantile of the round trips."""
        return self.values[min(len(self.values) - 1, int(share * len(self.values)))]


@contextlib.asynccontextmanager
async def racer(port: int) -> AsyncGenerator[ProtocolClient, None]:
    """Start a race of Ann and Ben without a time limit; yield Ben."""
    async with running_race(port, 2, "4x4", limit_ms=0) as (_, ben):
        yield ben


async def measure(ben: ProtocolClient, seconds: float) -> RoundTrips:
    """Race for so many seconds; every slide must be acknowledged."""
    direction, tiles = parse_board(ben.board).legal_slides()[0]
    trips = list[float]()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        began = time.perf_counter()
        if len(trips) % SLIDE_EVERY:
            await ben.sync()
        else:
            moves = [(direction, tiles), (OPPOSITE[direction], tiles)]
            await ben.send(ben.slides(moves))
            await ben.acked(ben.seq)
        trips.append((time.perf_counter() - began) * 1_000)
        await asyncio.sleep(STEP_S)
    assert not [e for e in ben.received if isinstance(e, m.Refused | m.Rejected)]
    ben.received.clear()
    ben.frames.clear()
    return RoundTrips(sorted(trips))


@contextlib.contextmanager
def flooded(
    kind: str, port: int, code: str, namespace: str = "", host: str = "127.0.0.1"
) -> Generator[None]:
    """Flood the server from another process inside the `with` block.

    Args:
        kind: the flood.
        port: the server's port.
        code: the racer's room.
        namespace: the network namespace of the process; empty: ours.
        host: the server's address there.
    """
    inside = ["ip", "netns", "exec", namespace] if namespace else []
    program = [sys.executable, "-m", "tests.chaos.floods", kind, str(port), code]
    process = subprocess.Popen(
        [*inside, *program],
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "FLOOD_HOST": host,
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        with process.stdout as output:
            assert output.readline() == b"begun\n", f"{kind} did not begin"
        yield
        assert process.poll() is None, f"{kind} ended too soon"
    finally:
        process.kill()
        process.wait()


def memory(pid: int) -> float:
    """Return the resident memory of a process, in MiB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
