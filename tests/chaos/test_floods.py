"""During every kind of flood, a race loses nothing and is not held up.

The bounds are wide, because the flood runs on the same machine.
`tests/bench/flood_latency.py` measures the figures.
"""

import sys
from pathlib import Path

import pytest
from tests.chaos.floods import FLOODS
from tests.chaos.round_trips import flooded, measure, memory, racer
from tests.chaos.server_process import ServerProcess

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.slow,
    pytest.mark.timeout(240),
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
]

MEASURE_S = 1.0
MIN_TRIPS = 3
"""Least number of round trips in a second, even on a slow machine."""
WORST_S = 5.0
"""Longest round trip that is accepted."""
GROWN_MIB = 24
"""Most growth when floods are repeated; remembering each client would take far more."""
AGAIN = ("wrong codes", "handshakes", "spectators that never read")


async def test_race_continues_during_every_flood(tmp_path: Path) -> None:
    options = ("--trusted-proxies", "127.0.0.1", "--log-level", "warning")
    with ServerProcess(tmp_path, *options) as server:
        assert server.process is not None
        pid = server.process.pid
        before = 0.0
        async with racer(server.port) as ben:
            for kind in (*FLOODS, *AGAIN):
                with flooded(kind, server.port, ben.code):
                    round_trips = await measure(ben, MEASURE_S)
                assert len(round_trips.values) >= MIN_TRIPS, kind
                assert round_trips.quantile(1) < WORST_S * 1_000, kind
                if kind == [*FLOODS][-1]:
                    before = memory(pid)
            assert memory(pid) - before < GROWN_MIB
            await ben.solve()
            await ben.acked(ben.seq)
        assert "Traceback" not in server.log.read_text()
