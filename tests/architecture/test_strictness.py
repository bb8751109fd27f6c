"""`tests/conftest.py` enforces its rules."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.timeout(120)  # each test starts pytest, some do so twice
REPOSITORY = Path(__file__).parents[2]


def outcome(folder: Path, test: str, **environment: str) -> dict[str, int]:
    """Run a test module with these rules; return the number of tests per outcome."""
    shutil.copy(REPOSITORY / "tests" / "conftest.py", folder)
    (folder / "test_planted.py").write_text(test)
    config = ["-c", str(REPOSITORY / "pyproject.toml"), "--rootdir", str(REPOSITORY)]
    result = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            *config,
            "-p",
            "no:cacheprovider",
            "-n0",
            str(folder),
        ],
        env={
            **{k: v for k, v in os.environ.items() if k != "SLIDERACE_TIER"},
            "PYTHONPATH": os.pathsep.join([str(REPOSITORY), *sys.path]),
            **environment,
        },
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    last = result.stdout.splitlines()[-1]
    return {what: int(n) for n, what in re.findall(r"(\d+) (\w+)(?= in|,)", last)}


BLOCKING = """
from pathlib import Path
from sliderace_server.storage.sqlite.file_lock import FileLock

async def test_in_the_loop(tmp_path):
    FileLock.acquire(tmp_path / "x").release()

def test_outside(tmp_path):
    FileLock.acquire(tmp_path / "x").release()
"""
SKIPPED = """
import pytest
from conftest import not_allowed

def test_needs_a_program(node_of_another_name):
    pass

def test_needs_a_permission():
    not_allowed("nothing")

@pytest.fixture
def node_of_another_name():
    pytest.skip("not installed")
"""
LOOSE = """
import warnings

def test_warns():
    warnings.warn("old")

async def test_forgets_to_wait():
    async def work():
        pass
    work()
"""
PROFILE = """
from hypothesis import settings

def test_profile():
    assert settings().max_examples == {examples}
    assert settings().stateful_step_count == {steps}
"""


def test_call_that_blocks_the_event_loop_fails(tmp_path: Path) -> None:
    assert outcome(tmp_path, BLOCKING) == {"failed": 1, "passed": 1}


def test_skip_is_a_failure_in_ci(tmp_path: Path) -> None:
    path = {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(REPOSITORY), *sys.path])}
    assert outcome(tmp_path, SKIPPED, **path) == {"skipped": 2}
    ci = outcome(tmp_path, SKIPPED, SLIDERACE_TIER="ci", **path)
    assert ci in ({"failed": 1, "skipped": 1}, {"error": 1, "skipped": 1})


@pytest.mark.parametrize("line", ["pytest.importorskip('no_such_module')"])
def test_skipped_module_is_a_failure_in_ci(tmp_path: Path, line: str) -> None:
    test = f"import pytest\n{line}\n"
    assert outcome(tmp_path, test) == {"skipped": 1}
    assert outcome(tmp_path, test, SLIDERACE_TIER="ci") == {"error": 1}


def test_warnings_are_failures(tmp_path: Path) -> None:
    assert outcome(tmp_path, LOOSE) == {"failed": 2}


def test_the_full_tier_tries_more_examples(tmp_path: Path) -> None:
    test = PROFILE.format(examples=1000, steps=60)
    assert outcome(tmp_path, test, SLIDERACE_TIER="full") == {"passed": 1}
    assert outcome(tmp_path, test, HYPOTHESIS_PROFILE="ci") == {"passed": 1}
    assert outcome(tmp_path, test) == {"failed": 1}
