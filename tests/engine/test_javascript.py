"""The page's engine, in node: the same golden data as here."""

import subprocess
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[2] / "client" / "page-tests"


@pytest.mark.parametrize("name", ["engine", "sha256"])
def test_javascript(name: str, node: str) -> None:
    run = subprocess.run(
        [node, "--test", str(TESTS / f"{name}.test.mjs")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
