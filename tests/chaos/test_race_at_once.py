"""How soon somebody who wants to race has a board."""

import time
from pathlib import Path

import pytest
from tests.e2e.shell import Shell

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(60)]

COLD_S = 10.0
"""From the command to the board, with the start of a server and its bots."""


def test_board_is_there_within_ten_seconds_of_the_command(tmp_path: Path) -> None:
    began = time.monotonic()
    race = ("race", "3x3", "--plain", "--name", "Ann")
    with Shell(tmp_path).running(*race) as ann:
        ann.wait_for("^Keys: ")
        assert time.monotonic() - began < COLD_S
