"""The planted bugs match the sources, and tests catch a sample of them."""

from pathlib import Path

import pytest
from tests.mutants.__main__ import ROOT, caught, copied, planted
from tests.mutants.bugs import BUGS, Bug

SAMPLE = [bug for bug in BUGS if not bug.is_simulated][:: len(BUGS) // 3]
"""A few, to see that planting works; `python tests/mutants` plants all."""


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_bug_fits_the_sources(bug: Bug) -> None:
    assert planted(bug, ROOT) != (ROOT / bug.file).read_text("utf-8")
    if not bug.is_simulated:
        for test in bug.test.split():
            assert (ROOT / test.partition("::")[0]).exists(), test


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("bug", SAMPLE, ids=lambda bug: bug.name)
def test_planted_bug_is_caught(bug: Bug, tmp_path: Path) -> None:
    assert caught(bug, copied(tmp_path))
