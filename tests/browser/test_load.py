"""How much is loaded before a visitor can play, and how soon they see something."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest
from playwright.sync_api import CDPSession, Page
from tests.browser.conftest import Pages
from tests.browser.player import host, start, use_short_countdown

pytestmark = [pytest.mark.browser, pytest.mark.timeout(90)]

IMPORT = re.compile(r'^(?:import|export)\b[^;]*?from "(\.[^"]+)";', re.MULTILINE)
LOADED = re.compile(r'import\("(\.[^"]+)"\)')
LISTED = re.compile(r'"((?:[a-z0-9-]+/)*[a-z0-9-]+\.js)"')
FIRST_LOAD = 95_000
"""Bytes, uncompressed, that a first visit may load."""
PAINT = """() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"""


@dataclass
class Meter:
    """Counts the bytes that one page loads, uncompressed and on the wire."""

    session: CDPSession
    bodies: dict[str, int] = field(default_factory=dict[str, int])
    wire: int = 0
    _urls: dict[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        self.session.on("Network.requestWillBeSent", self._sent)
        self.session.on("Network.dataReceived", self._data)
        self.session.send("Network.enable")  # pyright: ignore[reportUnknownMemberType]

    def _sent(self, event: dict[str, object]) -> None:
        request = event["request"]
        assert isinstance(request, dict)
        self._urls[str(event["requestId"])] = str(request["url"])  # pyright: ignore[reportUnknownArgumentType]

    def _data(self, event: dict[str, int]) -> None:
        url = self._urls.get(str(event["requestId"]), "?")
        self.bodies[url] = self.bodies.get(url, 0) + event["dataLength"]
        self.wire += event["encodedDataLength"]


def _metered(pages: Pages) -> tuple[Page, Meter]:
    page = pages.blank()
    return page, Meter(page.context.new_cdp_session(page))


def test_first_load_is_small(pages: Pages) -> None:
    """The start page and a room's link are usable after at most `FIRST_LOAD` bytes."""
    ann = pages.open("/")
    code = host(ann, "Ann")
    for path, ready in (("/", "Host a race"), (f"/{code}", "Join the race")):
        page, meter = _metered(pages)
        page.goto(pages.address + path, wait_until="networkidle")
        page.get_by_role("button", name=ready).wait_for()
        total = sum(meter.bodies.values())
        print(f"{path}: {total} bytes, {meter.wire} on the wire")
        assert len(meter.bodies) > 10, "nothing is measured"
        assert total < FIRST_LOAD, meter.bodies
        page.wait_for_function(PAINT)
        print("first contentful paint:", page.evaluate(PAINT), "ms")


def test_the_page_can_be_installed_and_previewed(pages: Pages) -> None:
    """A phone can add the page to its home screen; a messenger shows what a link is."""
    page = pages.open("/")
    session = page.context.new_cdp_session(page)
    send = cast("Callable[[str], dict[str, Any]]", getattr(session, "send"))  # noqa: B009 - pyright is strict
    answer = send("Page.getAppManifest")
    manifest = json.loads(answer["data"])
    assert (manifest["name"], answer["errors"]) == ("sliderace", [])
    for icon in manifest["icons"]:
        assert page.request.get(f"{pages.address}/{icon['src']}").ok
    for name in ("og:title", "og:description"):
        assert page.locator(f'meta[property="{name}"]').get_attribute("content")


def test_lobby_fetches_the_race_screen(pages: Pages) -> None:
    """A race then fetches only its pace lane and what the results will need."""
    page, meter = _metered(pages)
    page.goto(pages.address)
    host(page, "Ann")
    use_short_countdown(page)
    page.wait_for_load_state("networkidle")
    assert any(url.endswith("/ui/screens/race.js") for url in meter.bodies)
    before = set(meter.bodies)
    start(page)
    fetched = {url for url in set(meter.bodies) - before if "." in url.rsplit("/")[-1]}
    assert all(
        re.search(
            "pace-|best-curves|gains|results|signals|solve-downloads|race-graph|race-story|replay-t"
            "|core/proof/|ui/svg",
            url,
        )
        for url in fetched
    ), fetched


def _reached(page_folder: Path, module: Path) -> set[Path]:
    """Return a module and all modules that it imports statically."""
    reached: set[Path] = set()
    waiting = [module]
    while waiting:
        one = waiting.pop()
        if one not in reached:
            reached.add(one)
            found = IMPORT.findall(one.read_text())
            waiting += [(one.parent / name).resolve() for name in found]
    return {file.relative_to(page_folder.resolve()) for file in reached}


def test_all_files_of_a_screen_are_listed(page_folder: Path) -> None:
    """All files of a screen are fetched at once, not level by level of imports."""
    folder = page_folder.resolve()
    index = (folder / "index.html").read_text()
    first = set(re.findall(r'"modulepreload" href="([^"]+)"', index)) | {"main.js"}
    entries = ["main.js", "ui/screens/home.js", "ui/screens/enter-room.js"]
    reached = {
        file.as_posix()
        for entry in entries
        for file in _reached(folder, folder / entry)
    }
    assert first == reached
    table = (folder / "ui" / "screen-table.js").read_text()
    room, screens = table.split("export const SCREENS")
    known = first | set(LISTED.findall(room.split("ROOM_MODULES =")[1]))
    for name in ("app/room-session.js", "ui/screen-table.js"):
        needed = {file.as_posix() for file in _reached(folder, folder / name)}
        assert needed <= known | {name}, name
    for name, body in re.findall(r"\n  (\w+): \{(.*?)\n  \},", screens, re.DOTALL):
        (entry,) = LOADED.findall(body)
        listed = set(LISTED.findall(body.split("modules:")[1]))
        module = folder / "ui" / entry
        needed = {file.as_posix() for file in _reached(folder, module)}
        assert needed <= known | listed, name
        assert listed <= needed, f"{name}: listed and not needed"
