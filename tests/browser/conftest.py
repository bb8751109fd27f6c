"""A real server in its own process, and Chromium pages connected to it."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    sync_playwright,
)
from tests.browser.cuttable_proxy import CuttableProxy, start_proxy
from tests.priority import prefer

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP race.lan 127.0.0.1",
]
UNREACHABLE = re.compile("WebSocket connection|ERR_|Failed to load")
"""Chromium's log messages about an unreachable server."""
BLOCKED = "Service Worker registration blocked by Playwright"
"""A warning on pages that keep nothing for use without a network."""
DESKTOP, PHONE, SMALL = (1440, 900), (390, 844), (320, 568)


@dataclass
class Program:
    """A server or a bot in its own process."""

    process: subprocess.Popen[bytes]
    url: str = ""

    def kill(self) -> None:
        """Kill the process and wait for its end."""
        self.process.kill()
        self.process.wait()


def run_module(*arguments: str, fds: tuple[int, ...] = ()) -> subprocess.Popen[bytes]:
    """Start a module as a program; it inherits the descriptors `fds`."""
    return subprocess.Popen(
        [sys.executable, "-m", *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.DEVNULL,
        pass_fds=fds,
    )


@contextmanager
def start_server(*arguments: str) -> Generator[Program]:
    """Start a server, wait until it is ready, and kill it at the end."""
    reading, writing = os.pipe()
    process = run_module(
        "sliderace_server",
        *("--bind", "127.0.0.1", "--ready-fd", str(writing), "--log-level", "error"),
        *arguments,
        fds=(writing,),
    )
    prefer(process)
    os.close(writing)
    with os.fdopen(reading) as ready:
        line = ready.readline()
    program = Program(process, json.loads(line)["url"] if line else "")
    try:
        yield program
    finally:
        program.kill()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Return the address of a server that stores nothing on disk."""
    with start_server("--memory", "--port", "0") as program:
        yield program.url


@pytest.fixture(scope="package")
def browser(chromium: str) -> Iterator[Browser]:
    """Start Chromium; Playwright's loop must end before the tests of other folders."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield browser
        browser.close()


@dataclass
class Pages:
    """Opens pages, each in its own profile, and collects their errors."""

    browser: Browser
    address: str
    faults: list[str] = field(default_factory=list[str])
    contexts: list[BrowserContext] = field(default_factory=list[BrowserContext])

    def open(
        self,
        path: str = "/",
        size: tuple[int, int] = DESKTOP,
        *,
        scheme: Literal["light", "dark"] = "light",
        offline: bool = False,
    ) -> Page:
        """Open a path as a new visitor; small sizes are phones.

        The page keeps its files for use without a network only if `offline` is set:
        that takes more CPU than the rest of most tests.
        """
        page = self.blank(size, scheme=scheme, offline=offline)
        page.goto(self.address + path)
        return page

    def blank(
        self,
        size: tuple[int, int] = DESKTOP,
        *,
        scheme: Literal["light", "dark"] = "light",
        offline: bool = False,
    ) -> Page:
        """Return an empty page of a new visitor."""
        phone = size[1] < 900
        context = self.browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            has_touch=phone,
            is_mobile=phone,
            color_scheme=scheme,
            service_workers="allow" if offline else "block",
        )
        self.contexts.append(context)
        return self._watched(context)

    def tab(self, context: BrowserContext, path: str) -> Page:
        """Open a path in another tab of the same visitor."""
        page = self._watched(context)
        page.goto(self.address + path)
        return page

    def _watched(self, context: BrowserContext) -> Page:
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", self._console)
        page.on("request", self._request)
        return page

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and message.text != BLOCKED:
            self.faults.append(message.text)

    def _request(self, request: Request) -> None:
        if urlsplit(request.url).netloc != urlsplit(self.address).netloc:
            self.faults.append(f"request to another host: {request.url}")

    def close(self) -> None:
        for context in self.contexts:
            context.close()


@contextmanager
def near_and_far(
    browser: Browser, address: str
) -> Generator[tuple[Pages, Pages, CuttableProxy]]:
    """Open pages that reach a server directly, and others that need a proxy.

    At the end they may have logged nothing but that the server was unreachable.
    """
    with start_proxy(urlsplit(address).port or 0) as proxy:
        near, far = Pages(browser, address), Pages(browser, proxy.url)
        yield near, far, proxy
        far.close()
        near.close()
    faults = near.faults + far.faults
    assert [one for one in faults if not UNREACHABLE.search(one)] == []


@pytest.fixture
def pages(browser: Browser, server: str) -> Iterator[Pages]:
    """Open pages; fail if any of them logged an error."""
    pages = Pages(browser, server)
    yield pages
    pages.close()
    assert pages.faults == []


@pytest.fixture
def bot(server: str) -> Iterator[Callable[..., None]]:
    """Send bots into a room: code, pace in seconds, how many (default 1)."""
    started: list[Program] = []

    def send(code: str, pace_s: float, many: int = 1) -> None:
        command = ["sliderace_client", "bot", code, "--server", server]
        how = ["--pace", str(pace_s), "--races", "1", "--count", str(many)]
        started.append(Program(run_module(*command, *how)))

    yield send
    for program in started:
        program.kill()


@pytest.fixture(scope="session")
def page_folder() -> Path:
    """Return the folder of the page's files."""
    return Path(__file__).parents[2] / "client" / "sliderace_page"


@pytest.fixture(scope="session")
def axe() -> str:
    """Return the source of axe-core, an accessibility checker; never shipped.

    `SLIDERACE_AXE` is the path of its file; `.ci/run` sets it after an npm install.
    """
    file = os.environ.get("SLIDERACE_AXE")
    if not file:
        pytest.skip("axe-core is not here: set SLIDERACE_AXE to its axe.min.js")
    return Path(file).read_text()
