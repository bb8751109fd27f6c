"""Floods of every kind, and a race beside them: nothing is lost, nobody is held up.

The figures themselves are for `tests/bench/floods.py`; here bounds are wide, since the
machine is shared with the flood.
"""

import sys
from pathlib import Path

import pytest
from tests.chaos.floods import FLOODS
from tests.chaos.honest import flooded, memory, racer, watch
from tests.chaos.process import ServerProcess

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.slow,
    pytest.mark.timeout(240),
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
]

WATCH_S = 1.0
LEAST_TRIPS = 3
"""In that second, on the slowest of machines."""
WORST_S = 5.0
"""Whoever is held up for longer has lost the race."""
GROWN_MIB = 24
"""When some floods come a second time: what is remembered of each would be far more."""
AGAIN = ("wrong codes", "handshakes", "20 readers that never read")


async def test_a_race_goes_on_beside_every_flood(tmp_path: Path) -> None:
    options = ("--trusted-proxies", "127.0.0.1", "--log-level", "warning")
    with ServerProcess(tmp_path, *options) as server:
        assert server.process is not None
        pid = server.process.pid
        before = 0.0
        async with racer(server.port) as ben:
            for kind in (*FLOODS, *AGAIN):
                with flooded(kind, server.port, ben.code):
                    noticed = await watch(ben, WATCH_S)
                assert len(noticed.trips) >= LEAST_TRIPS, kind
                assert noticed.at(1) < WORST_S * 1_000, kind
                if kind == [*FLOODS][-1]:
                    before = memory(pid)
            assert memory(pid) - before < GROWN_MIB
            await ben.solve()
            await ben.acked(ben.seq)
        assert "Traceback" not in server.log.read_text()
