"""Measure what each flood costs an honest racer, and the server's memory.

`python tests/bench/flood_latency.py [KIND ...]` prints the table of
`docs/operating.md`: round trips during the flood and in the seconds before it, and by
how much the server's memory has grown a few seconds after it. Each row is the round
with the median ratio. All floods take 20 minutes; `--rounds` and `--seconds` make it
shorter.

As root on Linux the floods come from another address: from a network namespace, which
the script creates and removes. Elsewhere they pretend to, behind a trusted proxy.
"""

import argparse
import asyncio
import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.chaos.floods import FLOODS
from tests.chaos.round_trips import flooded, measure, memory, racer
from tests.chaos.server_process import ServerProcess

from sliderace_server.registry.codes_in_use import RESERVE_MS, draw

REST_S = 2.0
"""Seconds until the connections of a flood have ended."""
RESERVED = 100_000
"""Codes of rooms that were closed in the last day, for every flood."""
OURS, THEIRS = "10.213.97.1", "10.213.97.2"
"""Addresses of both ends of the link between the namespaces."""


@dataclass(frozen=True)
class Round:
    """What one flood has cost; times in ms, memory in MiB."""

    p50s: tuple[float, float]
    p99s: tuple[float, float]
    grown: float

    @property
    def ratio(self) -> float:
        return self.p99s[1] / self.p99s[0]


@contextlib.contextmanager
def other_address() -> Generator[tuple[str, str], None, None]:
    """Create a namespace; yield its name, and our address there. Empty: not allowed."""
    name, ours, theirs = f"flood-{os.getpid()}", "flood-ours", "flood-theirs"
    if sys.platform != "linux" or os.geteuid() or not shutil.which("ip"):
        yield "", "127.0.0.1"
        return

    def ip(command: str) -> None:
        subprocess.run(["ip", *command.split()], check=True)

    ip(f"netns add {name}")
    try:
        ip(f"link add {ours} type veth peer name {theirs} netns {name}")
        ip(f"addr add {OURS}/24 dev {ours}")
        ip(f"link set {ours} up")
        ip(f"-n {name} addr add {THEIRS}/24 dev {theirs}")
        ip(f"-n {name} link set {theirs} up")
        yield name, OURS
    finally:
        ip(f"netns delete {name}")  # and with it the link


def reserve_codes(database: Path) -> None:
    """Put the codes of closed rooms into the database of a stopped server."""
    until = round(time.time() * 1_000) + RESERVE_MS
    rows = {(code, until) for code in islice(draw(b"reserved"), RESERVED)}
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.executemany("INSERT INTO resting VALUES (?, ?)", rows)


async def one_round(
    server: ServerProcess, kind: str, seconds: float, namespace: str, host: str
) -> Round:
    """Measure one flood once."""
    assert server.process is not None
    pid = server.process.pid
    async with racer(server.port) as ben:
        calm = await measure(ben, seconds)
        before = memory(pid)
        with flooded(kind, server.port, ben.code, namespace, host):
            wild = await measure(ben, seconds)
        await asyncio.sleep(REST_S)
        grown = memory(pid) - before
    return Round(
        (calm.quantile(0.5), wild.quantile(0.5)),
        (calm.quantile(0.99), wild.quantile(0.99)),
        grown,
    )


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", help="default: all")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=8.0)
    given = parser.parse_args()
    print("| flood | p50 calm / flood, ms | p99 calm / flood, ms | ratio | MiB |")
    print("| --- | --- | --- | --- | --- |")
    with other_address() as (namespace, host), tempfile.TemporaryDirectory() as folder:
        options = ["--log-level", "error", "--bind", "0.0.0.0"]
        if not namespace:
            options += ["--trusted-proxies", "127.0.0.1"]
        server = ServerProcess(Path(folder), *options)
        with server:
            server.signal()
            server.end()
            reserve_codes(server.database)
            server.start()
            for kind in given.kinds or FLOODS:
                rounds = [
                    await one_round(server, kind, given.seconds, namespace, host)
                    for _ in range(given.rounds)
                ]
                rounds.sort(key=lambda one: one.ratio)
                row = rounds[len(rounds) // 2]
                p50s = f"{row.p50s[0]:.1f} / {row.p50s[1]:.1f}"
                p99s = f"{row.p99s[0]:.1f} / {row.p99s[1]:.1f}"
                grown = max(one.grown for one in rounds)
                print(
                    f"| {kind} | {p50s} | {p99s} | {row.ratio:.1f} | {grown:+.1f} |",
                    flush=True,
                )


if __name__ == "__main__":
    asyncio.run(main())
