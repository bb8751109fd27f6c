"""Whatever fails, nothing that was acknowledged is lost.

The simulation is a separate process: here, the guard against blocking calls would
look at each of its millions of steps.
"""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.tiers import TIER

ROOT = Path(__file__).parents[2]
MIN_RIGHT = 95
"""Least number of races, of 100, that the faster player must win."""

pytestmark = [
    pytest.mark.simulation,
    pytest.mark.timeout(300 + 60 * TIER.race_hours + TIER.cluster_races),
    pytest.mark.skipif(
        find_spec("detangle") is None,
        reason="needs detangle: pip install -e '.[test]'",
    ),
]


def simulated(*arguments: object, module: str = "tests.simulation") -> str:
    """Run a module; return what it prints."""
    command = [sys.executable, "-m", module, *map(str, arguments)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_nothing_acknowledged_is_lost_while_everything_fails() -> None:
    printed = simulated("--hours", TIER.race_hours, "--crashes", TIER.crashes)
    print(printed)
    figures = dict(line.split() for line in printed.splitlines())
    assert float(figures["race_hours"]) >= TIER.race_hours
    assert int(figures["crashes"]) >= TIER.crashes
    assert int(figures["acked"]) > 0


def test_nodes_that_crash_or_are_partitioned_lose_nothing() -> None:
    """They also stop as by SIGSTOP, drain, and lose their broker or the database."""
    printed = simulated("--nodes", 3, "--races", TIER.cluster_races)
    print(printed)
    figures = dict(line.split() for line in printed.splitlines())
    assert int(figures["races"]) >= TIER.cluster_races
    for failure in ("crashes", "stops", "partitions", "outages", "conflicts"):
        assert int(figures[failure]) > 0, failure
    assert int(figures["acked"]) > 0


@pytest.mark.parametrize("nodes", [1, 3])
def test_a_seed_always_gives_the_same_run(nodes: int) -> None:
    first = simulated("--replay", 3, "--nodes", nodes)
    assert simulated("--replay", 3, "--nodes", nodes) == first


def test_faster_player_wins_whatever_the_latency() -> None:
    """By 50 ms; one player is near the server, the other has an RTT of 80 ms."""
    assert int(simulated(module="tests.simulation.latency")) >= MIN_RIGHT
