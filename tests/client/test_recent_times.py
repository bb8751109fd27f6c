import json
from pathlib import Path

import pytest

from sliderace_client.shared_ui.recent_times import KEPT, keep_time, usual_ms
from sliderace_client.shared_ui.settings import Settings


def test_usual_time_is_the_median_of_the_latest_ones(tmp_path: Path) -> None:
    for time_ms in (90_000, 30_000, 20_000, 25_000, 24_000, 26_000):
        keep_time("4x4", time_ms, tmp_path)
    keep_time("3x3", 4_000, tmp_path)
    settings = Settings(feel="minute")
    assert usual_ms("4x4", settings, tmp_path) == 25_000
    assert usual_ms("3x3", settings, tmp_path) == 4_000
    stored = json.loads((tmp_path / "recent-times.json").read_text())
    assert len(stored["4x4"]) == KEPT


def test_without_times_the_answer_counts(tmp_path: Path) -> None:
    assert usual_ms("4x4", Settings(), tmp_path) is None
    assert usual_ms("4x4", Settings(feel="minute"), tmp_path) == 40_000
    assert (usual_ms("3x3", Settings(feel="eight"), tmp_path) or 0) < 6_000


@pytest.mark.parametrize(
    "stored",
    ["", "[", "[1]", '{"4x4": 3}', '{"4x4": ["a", -1, 0, null]}', "9" * 20_000],
)
def test_damaged_times_count_as_none(tmp_path: Path, stored: str) -> None:
    (tmp_path / "recent-times.json").write_text(stored)
    assert usual_ms("4x4", Settings(), tmp_path) is None
    keep_time("4x4", 20_000, tmp_path)
    assert usual_ms("4x4", Settings(), tmp_path) == 20_000
