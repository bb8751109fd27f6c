"""Measure what each flood costs an honest racer, and the server's memory.

`python tests/bench/flood_latency.py` takes five minutes and prints the table of
`docs/operating.md`: round trips during the flood and in the seconds before it, and by
how much the server's memory has grown a few seconds after it.
"""

import asyncio
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.chaos.floods import FLOODS
from tests.chaos.round_trips import flooded, measure, memory, racer
from tests.chaos.server_process import ServerProcess

MEASURE_S = 8.0
REST_S = 2.0
"""Seconds until the connections of a flood have ended."""


async def table_row(server: ServerProcess, kind: str) -> str:
    """Return a row of the table."""
    assert server.process is not None
    pid = server.process.pid
    async with racer(server.port) as ben:
        calm = await measure(ben, MEASURE_S)
        before = memory(pid)
        with flooded(kind, server.port, ben.code):
            wild = await measure(ben, MEASURE_S)
        await asyncio.sleep(REST_S)
        grown = memory(pid) - before
    ratio = wild.quantile(0.99) / calm.quantile(0.99)
    p50s, p99s = (
        f"{calm.quantile(share):.1f} / {wild.quantile(share):.1f}"
        for share in (0.5, 0.99)
    )
    return f"| {kind} | {p50s} | {p99s} | {ratio:.1f} | {grown:+.1f} |"


async def main() -> None:
    print("| flood | p50 calm / flood, ms | p99 calm / flood, ms | ratio | MiB |")
    print("| --- | --- | --- | --- | --- |")
    options = ("--trusted-proxies", "127.0.0.1", "--log-level", "warning")
    with (
        tempfile.TemporaryDirectory() as folder,
        ServerProcess(Path(folder), *options) as server,
    ):
        for kind in sys.argv[1:] or FLOODS:
            print(await table_row(server, kind), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
