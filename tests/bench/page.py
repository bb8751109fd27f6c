"""From a key to the board on the screen, in Chromium: `python -m tests.bench.page`.

The real page races alone against the real server. Chromium's own trace says when a key
reached the page, when its handler was done and when the next picture was painted. Only
that last part waits for the screen's next frame (16.7 ms apart); the server's answer
is waited for by nobody.
"""

import json
import shutil
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Page, sync_playwright
from tests.bench.scenarios import machine, quantiles
from tests.browser.conftest import DESKTOP, FLAGS, a_server
from tests.browser.player import ARROWS, host, own_board, quick_rules, start

from sliderace.engine import Board

KEYS = 200
BETWEEN_MS = 37
"""Not a multiple of the screen's frame: keys meet every moment of it."""
CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline"]


def slide_to_and_fro(page: Page, board: Board) -> None:
    """Press a key and its opposite, over and over."""
    direction, _ = board.legal_slides()[0]
    back = {"U": "D", "D": "U", "L": "R", "R": "L"}[direction]
    for n in range(KEYS):
        page.keyboard.press(ARROWS[back if n % 2 else direction])
        page.wait_for_timeout(BETWEEN_MS)


def delays(trace: list[dict[str, Any]]) -> tuple[list[float], list[float]]:
    """Per key, in s: until its handler was done, and until the picture was painted."""
    keys = [
        event
        for event in trace
        if event["name"] == "EventDispatch"
        and event["args"]["data"]["type"] == "keydown"
    ]
    paints = sorted(
        event["ts"] + event.get("dur", 0)
        for event in trace
        if event["name"] in ("Paint", "Commit")
    )
    handled = [event["dur"] / 1e6 for event in keys]
    painted = [
        (paint - event["ts"]) / 1e6
        for event in keys
        for paint in islice((one for one in paints if one > event["ts"]), 1)
    ]
    return handled, painted


def main() -> None:
    """Print one JSON line."""
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("no chromium on this machine")
    with (
        TemporaryDirectory() as folder,
        a_server("--memory", "--port", "0") as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        width, height = DESKTOP
        page = browser.new_page(viewport={"width": width, "height": height})
        page.goto(server.url)
        host(page, "Ann", "4\u00d74")
        quick_rules(page)
        start(page)
        page.wait_for_timeout(500)
        path = Path(folder) / "trace.json"
        browser.start_tracing(page=page, path=path, categories=CATEGORIES)
        slide_to_and_fro(page, own_board(page))
        browser.stop_tracing()
        browser.close()
        trace = json.loads(path.read_text())["traceEvents"]
    handled, painted = delays(trace)
    line = {"scenario": "page", **machine(), "keys": len(handled)}
    line |= {**quantiles(handled, "handled"), **quantiles(painted, "painted")}
    print(json.dumps(line))


if __name__ == "__main__":
    main()
