"""Measure starts: `python -m tests.bench.startup [--times N]`.

Medians of the help, a server until it is ready, the terminal's first screen (in a
pseudo-terminal), and the page's first paint in a new Chromium profile.
"""

import argparse
import json
import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from statistics import median

from playwright.sync_api import Browser, sync_playwright
from tests.bench.scenarios import machine
from tests.browser.conftest import FLAGS, start_server

CLIENT = [sys.executable, "-m", "sliderace_client"]
PAINT = (
    "performance.getEntriesByName('first-contentful-paint').map(e => e.startTime)[0]"
)


def seconds(call: Callable[[], object]) -> float:
    """Return how long a call takes."""
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def help_text() -> float:
    """Measure `sliderace --help`."""
    command = [*CLIENT, "--help"]
    return seconds(lambda: subprocess.run(command, check=True, capture_output=True))


def server() -> float:
    """Measure a server from its start until it listens."""
    began = time.perf_counter()
    with (
        tempfile.TemporaryDirectory() as folder,
        start_server("--data", folder, "--port=0"),
    ):
        return time.perf_counter() - began


def screen() -> float:
    """Measure `sliderace solo` until the first board is drawn."""
    began = time.perf_counter()
    child, terminal = pty.fork()
    if child == 0:
        os.environ |= {"TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40"}
        os.execv(sys.executable, [*CLIENT, "solo", "--size", "4x4"])  # noqa: S606
    seen = b""
    while b"15" not in seen and select.select([terminal], [], [], 20)[0]:
        seen += os.read(terminal, 65_536)
    took = time.perf_counter() - began
    os.kill(child, 9)
    os.close(terminal)
    os.waitpid(child, 0)
    return took


def page(browser: Browser, url: str) -> float:
    """Measure the page's first paint, as Chromium reports it."""
    context = browser.new_context()
    try:
        tab = context.new_page()
        tab.goto(url)
        # Polled from here: the page's content security policy forbids `eval`.
        while (painted := tab.evaluate(PAINT)) is None:
            tab.wait_for_timeout(10)
        return float(painted) / 1e3
    finally:
        context.close()


def main() -> None:
    """Print one JSON line."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.startup")
    parser.add_argument("--times", type=int, default=10)
    times = parser.parse_args().times
    line = {"scenario": "startup", **machine()}
    for name, measure in (("help", help_text), ("server", server), ("screen", screen)):
        line[f"{name}_s"] = round(median(measure() for _ in range(times)), 3)
    chromium = shutil.which("chromium")
    if chromium is not None:
        with (
            start_server("--memory", "--port=0") as one,
            sync_playwright() as playwright,
        ):
            browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
            paints = [page(browser, one.url) for _ in range(times)]
            browser.close()
        line["page_s"] = round(median(paints), 3)
    print(json.dumps(line))


if __name__ == "__main__":
    main()
