"""Floods of every kind, and a race beside them: nothing is lost, nobody is held up.

The figures themselves are for `tests/bench/floods.py`; here bounds are wide, since the
machine is shared with the flood.
"""

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.chaos.floods import FLOODS
from tests.chaos.honest import flooded, memory, racer, watch
from tests.chaos.process import ServerProcess

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.timeout(90),
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
]

WATCH_S = 1.0
WORST_S = 5.0
"""Whoever is held up for longer has lost the race."""
GROWN_MIB = 24
"""Of all floods together, on top of the first: a leak in one of them is far more."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    folder = tmp_path_factory.mktemp("flooded")
    options = ("--trusted-proxies", "127.0.0.1", "--log-level", "warning")
    with ServerProcess(folder, *options) as server:
        yield server


async def beside(server: ServerProcess, kind: str) -> None:
    async with racer(server.port) as ben, asyncio.timeout(60):
        with flooded(kind, server.port, ben.code):
            noticed = await watch(ben, WATCH_S)
        assert len(noticed.trips) >= 5
        assert noticed.at(1) < WORST_S * 1_000
        await ben.solve()
        await ben.acked(ben.seq)


@pytest.mark.parametrize("kind", FLOODS)
async def test_a_race_goes_on_beside_a_flood(server: ServerProcess, kind: str) -> None:
    await beside(server, kind)


async def test_no_flood_is_remembered(server: ServerProcess) -> None:
    assert server.process is not None
    pid = server.process.pid
    kinds = ("wrong codes", "handshakes", "20 readers that never read")
    for kind in kinds:
        await beside(server, kind)
    before = memory(pid)
    for kind in kinds:
        await beside(server, kind)
    assert memory(pid) - before < GROWN_MIB
    assert "Traceback" not in Path(server.log).read_text()
