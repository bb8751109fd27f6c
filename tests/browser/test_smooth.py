"""How smooth a full race is on a slow phone: figures, run on demand.

pytest -m bench -s tests/browser/test_smooth.py
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page
from tests.browser.conftest import PHONE, Pages
from tests.browser.player import host, own_board, press, quick_rules

pytestmark = [pytest.mark.browser, pytest.mark.bench, pytest.mark.timeout(180)]

LANES = 16
SLOWER = 4
"""A phone's processor beside a desk's: Chromium makes itself so much slower."""
LONG_MS = 50
KEYS = 80
BETWEEN_MS = 25
DRAWN = """() => {
  window.drawn = [];
  addEventListener("keydown", () => {
    const begun = performance.now();
    requestAnimationFrame(() => setTimeout(
      () => window.drawn.push(performance.now() - begun)));
  }, true);
}"""
CATEGORIES = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"]


@dataclass(frozen=True, slots=True)
class Task:
    """One piece of work of the page's own thread, and what most of it was."""

    at_ms: float
    wall_ms: float
    cpu_ms: float
    """Of this thread alone: others on the machine do not count."""
    parts: str


def _thread(event: dict[str, Any]) -> tuple[int, int]:
    return event["pid"], event["tid"]


def _tasks(trace: list[dict[str, Any]]) -> list[Task]:
    """What the thread did that heard the keys."""
    own = next(_thread(one) for one in trace if one["name"] == "EventDispatch")
    spans = [one for one in trace if one["ph"] == "X" and _thread(one) == own]
    runs = [one for one in spans if one["name"] == "RunTask"]
    begun = min(one["ts"] for one in runs)
    return [
        Task(
            (run["ts"] - begun) / 1_000,
            run["dur"] / 1_000,
            run.get("tdur", 0) / 1_000,
            _parts(run, spans) if run["dur"] > LONG_MS * 1_000 else "",
        )
        for run in runs
    ]


def _parts(run: dict[str, Any], spans: list[dict[str, Any]]) -> str:
    """The costliest parts of a task, by name."""
    end = run["ts"] + run["dur"]
    inside = [one for one in spans if run["ts"] <= one["ts"] < end]
    named = [one for one in inside if "RunTask" not in one["name"]]
    named.sort(key=lambda one: one["dur"], reverse=True)
    return ", ".join(f"{one['name']} {one['dur'] / 1_000:.0f}" for one in named[:4])


def _play(page: Page) -> None:
    """To and fro, as fast as a quick hand."""
    there = own_board(page).legal_slides()[0][0]
    back = {"U": "D", "D": "U", "L": "R", "R": "L"}[there]
    for n in range(KEYS):
        press(page, back if n % 2 else there)
        page.wait_for_timeout(BETWEEN_MS)


def test_sixteen_lanes_on_a_slow_phone(
    pages: Pages, bot: Callable[[str, float, int], None], tmp_path: Path
) -> None:
    """No task takes more than 50 ms, from the board's first moment on."""
    page = pages.open("/", PHONE)
    code = host(page, "Ann", "6\u00d76")
    quick_rules(page)
    bot(code, 10.0, LANES - 1)
    page.wait_for_selector(f".member.is-ready >> nth={LANES - 2}", timeout=60_000)
    page.get_by_role("button", name="Start the race").click()
    page.wait_for_selector(f".lane >> nth={LANES - 1}")
    session = page.context.new_cdp_session(page)
    rate = {"rate": SLOWER}
    session.send("Emulation.setCPUThrottlingRate", rate)  # pyright: ignore[reportUnknownMemberType]
    page.evaluate(DRAWN)
    path = tmp_path / "trace.json"
    pages.browser.start_tracing(page=page, path=path, categories=CATEGORIES)
    page.wait_for_selector(".stage [data-board]")
    _play(page)
    pages.browser.stop_tracing()
    tasks = _tasks(json.loads(path.read_text())["traceEvents"])
    drawn = sorted(page.evaluate("window.drawn"))
    middle, worst = drawn[len(drawn) // 2], drawn[-1]
    print(
        f"\n{len(tasks)} tasks; longest: wall {max(t.wall_ms for t in tasks):.0f} ms,"
    )
    print(f"on the processor {max(t.cpu_ms for t in tasks):.0f} ms")
    print(f"key to drawn: {middle:.0f} ms, at worst {worst:.0f} ms")
    for task in tasks:
        if task.wall_ms > LONG_MS:
            print(f"at {task.at_ms:.0f}: {task.wall_ms:.0f} ms", end=", ")
            print(f"{task.cpu_ms:.0f} on the processor: {task.parts}")
    assert len(drawn) == KEYS
    assert [task for task in tasks if task.cpu_ms > LONG_MS] == []
