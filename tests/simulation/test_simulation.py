"""Worlds in which everything fails but the promise: nothing acked is ever lost.

In a process of its own: the guard against blocking calls looks at each of the millions
of steps here. `python -m tests.simulation --help` says how to run more.
"""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.tiers import TIER

ROOT = Path(__file__).parents[2]
RIGHT = 95

pytestmark = [
    pytest.mark.simulation,
    pytest.mark.timeout(300 + 60 * TIER.race_hours),
    pytest.mark.skipif(
        find_spec("detangle") is None,
        reason="needs detangle: pip install -e '.[test]'",
    ),
]


def simulated(*arguments: object, what: str = "tests.simulation") -> str:
    """What the command prints; it must succeed."""
    command = [sys.executable, "-m", what, *map(str, arguments)]
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


def test_a_seed_gives_the_same_world_again() -> None:
    assert simulated("--world", 3) == simulated("--world", 3)


def test_the_faster_player_wins_over_any_line() -> None:
    """By 50 ms, one on the spot and one behind a line of 80 ms that wavers."""
    assert int(simulated(what="tests.simulation.lines")) >= RIGHT
