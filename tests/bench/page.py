"""Time from a key to the painted board in Chromium: `python -m tests.bench.page`.

The real page plays a race on the real server. Chromium's trace says when a key reached
the page, when its handler returned and when the next frame was painted. Before that
frame, every page waits 0 to 16.7 ms on a screen with 60 Hz. The page's own part is
therefore also printed: the handler, and the frame from its beginning to the paint. The
page never waits for the server's answer.
"""

import json
import shutil
from bisect import bisect_left
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Page, sync_playwright
from tests.bench.scenarios import machine, quantiles
from tests.browser.conftest import DESKTOP, FLAGS, start_server
from tests.browser.player import ARROWS, host, own_board, start, use_short_countdown

from sliderace.engine import Board

KEYS = 200
BETWEEN_MS = 37
"""Between keys; no multiple of a frame, so that keys arrive at any time within one."""
PARTS = ("handled", "waited", "own", "painted")
CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline"]


def slide_back_and_forth(page: Page, board: Board) -> None:
    """Press a key and its opposite in turn."""
    direction, _ = board.legal_slides()[0]
    back = {"U": "D", "D": "U", "L": "R", "R": "L"}[direction]
    for n in range(KEYS):
        page.keyboard.press(ARROWS[back if n % 2 else direction])
        page.wait_for_timeout(BETWEEN_MS)


def _next(moments: list[float], after: float) -> float:
    """Return the first of the sorted moments that is not before `after`."""
    return moments[bisect_left(moments, after)]


def delays(trace: list[dict[str, Any]]) -> dict[str, list[float]]:
    """Return per key, in s: handler, wait for a frame, the page's own part, total."""
    keys = [
        event
        for event in trace
        if event["name"] == "EventDispatch"
        and event["args"]["data"]["type"] == "keydown"
    ]
    own = {(key["pid"], key["tid"]) for key in keys}
    mine = [one for one in trace if (one["pid"], one["tid"]) in own]
    frames = sorted(one["ts"] for one in mine if one["name"] == "FireAnimationFrame")
    paints = sorted(
        one["ts"] + one.get("dur", 0)
        for one in mine
        if one["name"] in ("Paint", "Commit")
    )
    found: dict[str, list[float]] = {name: [] for name in PARTS}
    for key in keys:
        pressed, handled = key["ts"], key["ts"] + key["dur"]
        frame = _next(frames, handled)
        painted = _next(paints, frame)
        parts = (handled - pressed, frame - handled, painted - frame)
        for name, us in zip(
            PARTS,
            (parts[0], parts[1], parts[0] + parts[2], painted - pressed),
            strict=True,
        ):
            found[name].append(us / 1e6)
    return found


def main() -> None:
    """Print one JSON line."""
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("no chromium on this machine")
    with (
        TemporaryDirectory() as folder,
        start_server("--memory", "--port", "0") as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        width, height = DESKTOP
        page = browser.new_page(viewport={"width": width, "height": height})
        page.goto(server.url)
        host(page, "Ann", "4\u00d74")
        use_short_countdown(page)
        start(page)
        page.wait_for_timeout(500)
        path = Path(folder) / "trace.json"
        browser.start_tracing(page=page, path=path, categories=CATEGORIES)
        slide_back_and_forth(page, own_board(page))
        browser.stop_tracing()
        browser.close()
        trace = json.loads(path.read_text())["traceEvents"]
    line = {"scenario": "page", **machine(), "keys": KEYS}
    for name, seconds in delays(trace).items():
        line |= quantiles(seconds, name)
    print(json.dumps(line))


if __name__ == "__main__":
    main()
