"""The page's engine passes the same golden data, in node."""

import subprocess
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[2] / "client" / "page-tests"


@pytest.mark.parametrize("name", ["engine", "sha256"])
def test_page_engine_passes(name: str, node: str) -> None:
    run = subprocess.run(
        [node, "--test", str(TESTS / f"{name}.test.mjs")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
