"""From a key to the board on the screen, in Chromium: `python -m tests.bench.page`.

The real page races alone against the real server. Chromium's own trace says when a key
reached the page, when its handler was done and when the next picture was painted. Only
that last part waits for the screen's next frame: of a screen with 60 in a second, keys
that come at any moment wait for 0 to 16.7 ms, whatever a page does. So its own part is
told too: its handler, and from that frame's beginning until the picture is painted. The
server's answer is waited for by nobody.
"""

import json
import shutil
from bisect import bisect_left
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
PARTS = ("handled", "waited", "own", "painted")
CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline"]


def slide_to_and_fro(page: Page, board: Board) -> None:
    """Press a key and its opposite, over and over."""
    direction, _ = board.legal_slides()[0]
    back = {"U": "D", "D": "U", "L": "R", "R": "L"}[direction]
    for n in range(KEYS):
        page.keyboard.press(ARROWS[back if n % 2 else direction])
        page.wait_for_timeout(BETWEEN_MS)


def _next(moments: list[float], after: float) -> float:
    """The first of them from that moment on; they are in order."""
    return moments[bisect_left(moments, after)]


def delays(trace: list[dict[str, Any]]) -> dict[str, list[float]]:
    """Per key, in s: handler, waiting for a frame, the page's own part, all of it."""
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
    line = {"scenario": "page", **machine(), "keys": KEYS}
    for name, seconds in delays(trace).items():
        line |= quantiles(seconds, name)
    print(json.dumps(line))


if __name__ == "__main__":
    main()
