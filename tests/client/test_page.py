"""The page's own tests pass in Node; most of them read the same vectors as Python's."""

import re
import subprocess
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "client" / "page-tests"
FILES = sorted(file.name for file in FOLDER.glob("*.test.mjs"))


def test_page_tests_are_found() -> None:
    assert {"engine.test.mjs", "sha256.test.mjs", "verify.test.mjs"} < {*FILES}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("file", FILES)
def test_page_module_passes_its_tests(file: str, node: str) -> None:
    run = subprocess.run(
        [node, "--test", "--test-reporter=tap", str(FOLDER / file)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert re.search(r"^# pass [1-9]", run.stdout, re.MULTILINE)
    assert re.search(r"^# skipped 0$", run.stdout, re.MULTILINE)
