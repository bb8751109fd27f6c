"""Our best attempts, as they are stored; and the lane that they draw in a race."""

import asyncio
import json
from pathlib import Path

import pytest
from tests.client.offline import (
    OfflineClient,
    app_in_race,
    app_of,
    screen,
    settle,
    wait_for_text,
)
from tests.client.rooms import START, standing

from sliderace.protocol import messages as m
from sliderace_client.shared_ui.best_curves import best_curve, keep_best_curve
from sliderace_client.shared_ui.settings import Settings

EVEN = [(n + 1) * 200 for n in range(64)]
FASTER = [(n + 1) * 100 for n in range(64)]


def test_the_best_curve_of_each_size_is_kept(tmp_path: Path) -> None:
    assert best_curve("3x3", tmp_path) is None
    assert keep_best_curve("3x3", EVEN, tmp_path)
    assert keep_best_curve("4x4", EVEN, tmp_path)
    assert keep_best_curve("3x3", FASTER, tmp_path)
    assert not keep_best_curve("3x3", EVEN, tmp_path)
    assert best_curve("3x3", tmp_path) == FASTER
    assert best_curve("4x4", tmp_path) == EVEN


@pytest.mark.parametrize(
    "stored",
    [
        "",
        "[]",
        "{",
        "[" * 5_000,
        json.dumps({"3x3": EVEN[::-1]}),
        json.dumps({"3x3": EVEN[1:]}),
        json.dumps({"3x3": EVEN}) + " " * 70_000,
    ],
)
def test_malformed_files_are_ignored_and_replaced(tmp_path: Path, stored: str) -> None:
    (tmp_path / "best-curves.json").write_text(stored)
    assert best_curve("3x3", tmp_path) is None
    assert keep_best_curve("3x3", EVEN, tmp_path)
    assert best_curve("3x3", tmp_path) == EVEN


@pytest.fixture
def stored_best(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    keep_best_curve("3x3", EVEN)


@pytest.mark.usefixtures("stored_best")
@pytest.mark.parametrize("size", [(80, 24), (100, 32)])
async def test_our_best_attempt_races_along(size: tuple[int, int]) -> None:
    client = OfflineClient()
    async with app_in_race(client, START, size) as pilot:
        await wait_for_text(pilot, "◌ your best 12.800")
        while not client.paints:  # the clock starts with the paint
            await settle(pilot)
        client.room.now += 1_000
        await wait_for_text(pilot, "+1.0 s")
        app = app_of(pilot)
        app.settings = Settings(pace="off")
        await settle(pilot)
        assert "your best" not in screen(pilot)


@pytest.mark.usefixtures("stored_best")
async def test_a_better_attempt_becomes_the_best_one() -> None:
    client = OfflineClient()
    async with app_in_race(client, "1 2 3/4 5 6/7 0 8") as pilot:
        client.painted()
        client.room.now += 900
        client.slide("L")
        finished = standing(0, "finished", time_ms=900, place=1)
        client.receive(m.StandingEvent(0, client.view.race, finished))
        while await asyncio.to_thread(best_curve, "3x3") == EVEN:
            await settle(pilot)
        assert await asyncio.to_thread(best_curve, "3x3") == [900] * 64
