"""Everybody together through bad conditions: pages, a terminal, a spectator."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page
from tests.browser.conftest import PHONE, Pages, a_server
from tests.browser.line import a_line
from tests.browser.player import (
    guest,
    opened,
    own_board,
    press,
    race,
    sees_own,
    solution,
    start,
)
from tests.e2e.shell import Running, Shell

from sliderace.engine import Board, format_tokens

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(150)]

AWAY_MS = 5_000
EXPECTED = re.compile("WebSocket connection|ERR_|Failed to load")
"""What Chromium itself logs of a server that cannot be reached."""

ROW = re.compile(r" +(\d)\w\w  (\w+)  .*?([\d:]+\.\d{3})  ")
"""A line of a terminal's standings: place, name, time."""


def _podium(page: Page) -> list[list[str]]:
    """Places, names and times as the page's table has them."""
    page.wait_for_selector("[data-screen=results]", timeout=30_000)
    columns = ("td.place", "td.name > span:first-child", "td.time")
    rows = page.locator("table.results tbody tr").all()
    told = ([row.locator(column).inner_text() for column in columns] for row in rows)
    return [[place, name, time.removesuffix(" s")] for place, name, time in told]


def _podium_of(terminal: Running) -> list[list[str]]:
    """The same as three lines of a terminal."""
    terminal.wait_for("The race is over")
    found: list[list[str]] = []
    while len(found) < 3:
        terminal.wait_for("")
        row = re.match(ROW, terminal.output[-1])
        if row:
            found.append([*row.groups()])
    return found


def _play(page: Page, board: Board, slides: list[tuple[str, int]]) -> None:
    """Make slides by keyboard; the page shows each, and `board` follows."""
    for direction, count in slides:
        press(page, direction, count)
        board.slide(direction, count)
    sees_own(page, board)


def _end(page: Page, slides: list[tuple[str, int]]) -> None:
    """Make the last slides of a race: right after them there is no board any more."""
    for direction, count in slides:
        press(page, direction, count)


def test_the_race_goes_on_whatever_happens(browser: Browser, tmp_path: Path) -> None:
    """A reload, five seconds without a network, a server that dies: one podium."""
    database = ("--database", str(tmp_path / "rooms.sqlite"))
    with a_server("--port", "0", *database) as first:
        port = urlsplit(first.url).port or 0
        with a_line(port) as line:
            pages, far = Pages(browser, first.url), Pages(browser, line.url)
            ann, code = opened(pages)
            ben = guest(far, code, "Ben", PHONE)
            sam = guest(pages, code, "Sam", watch=True)
            joining = ("join", code, "--plain", "--name", "Tom", "--server", first.url)
            with Shell(tmp_path).running(*joining) as tom:
                tom.wait_for("You are Tom")
                tom.type("ready")
                ben.get_by_role("button", name="ready").click()
                ann.wait_for_selector(".member.is-ready >> nth=1")
                start(ann)
                board = own_board(ann)
                slides = solution(board)
                a, b = board.copy(), board.copy()
                tom.wait_for("Go!")
                _play(ann, a, slides[:4])
                ann.reload()
                sees_own(ann, a)

                line.cut()
                ben.wait_for_selector(".chip.lost")
                _play(ben, b, slides[:6])
                ben.wait_for_timeout(AWAY_MS)
                line.mend()
                ben.wait_for_selector(".chip.lost", state="hidden", timeout=20_000)

                first.kill()
                ann.wait_for_selector(".chip.lost")
                _play(ann, a, slides[4:8])
                with a_server("--port", str(port), *database):
                    for page in (ann, ben, sam):
                        lost = page.locator(".chip.lost")
                        lost.wait_for(state="hidden", timeout=30_000)
                    tom.wait_for("You are back")
                    _play(ann, a, slides[8:])
                    ann.wait_for_selector(".lane.mine.finished")
                    _play(ben, b, slides[6:])
                    ben.wait_for_selector(".lane.mine.finished")
                    tom.type(f"={format_tokens(slides)}")
                    told = [_podium(page) for page in (ann, ben, sam)]
                    assert told[0] == told[1] == told[2] == _podium_of(tom)
                    names = [row[1] for row in told[0]]
                    assert sorted(names) == ["Ann", "Ben", "Tom"]
                    for page in (ann, ben):
                        page.wait_for_selector(".verdict.good >> text=race record")
                    far.close()
                    pages.close()
    faults = [one for one in pages.faults + far.faults if not EXPECTED.search(one)]
    assert faults == []


WAKE = "document.dispatchEvent(new Event('visibilitychange'))"


def test_a_sleeping_tab_wakes_up(browser: Browser) -> None:
    """The line is dead and nobody said so: the page asks, and comes back with all."""
    with (
        a_server("--memory", "--port", "0") as server,
        a_line(urlsplit(server.url).port or 0) as line,
    ):
        pages, far = Pages(browser, server.url), Pages(browser, line.url)
        ann, code = opened(pages)
        ben = guest(far, code, "Ben", PHONE)
        race(ann, ben)
        board = own_board(ann)
        slides = solution(board)
        own = board.copy()
        _play(ben, own, slides[:2])
        line.swallow()  # half open: no end is heard of, as after a night
        _play(ann, board, slides[:4])
        ben.evaluate(WAKE)  # else it would be 25 s before the page asks by itself
        ben.wait_for_selector(".chip.lost", timeout=20_000)
        _play(ben, own, slides[2:4])
        line.mend()
        ben.evaluate(WAKE)
        ben.wait_for_selector(".chip.lost", state="hidden", timeout=20_000)
        sees_own(ben, own)
        _play(ben, own, slides[4:])
        ann.wait_for_selector(".lane.finished >> text=Ben")
        _end(ann, slides[4:])
        assert _podium(ann) == _podium(ben)
        far.close()
        pages.close()
    faults = [one for one in pages.faults + far.faults if not EXPECTED.search(one)]
    assert faults == []


JUMP = """(ms) => {
  const now = performance.now.bind(performance);
  if (ms > 0) performance.now = () => now() + ms; // back it goes in no browser
  const RealDate = Date;
  globalThis.Date = class extends RealDate {
    constructor(...given) { super(...(given.length ? given : [RealDate.now() + ms])); }
    static now() { return RealDate.now() + ms; }
  };
}"""
DAY_MS = 86_400_000


@pytest.mark.parametrize("jump", [DAY_MS, -DAY_MS], ids=["forth", "back"])
def test_clocks_that_jump_change_no_race(pages: Pages, jump: int) -> None:
    """A day forth or back in mid-race: one slides on, and the server's time counts."""
    ann, code = opened(pages)
    ben = guest(pages, code, "Ben")
    race(ann, ben)
    board = own_board(ann)
    slides = solution(board)
    own = board.copy()
    _play(ann, own, slides[:3])
    ann.evaluate(JUMP, jump)
    _play(ann, own, slides[3:])
    ann.wait_for_selector(".lane.mine.finished")
    _end(ben, slides)
    told = _podium(ann)
    assert told == _podium(ben)
    (time,) = (row[2] for row in told if row[1] == "Ann")
    assert float(time.split(":")[-1]) < 60
    assert time.count(":") <= 1, "minutes at most"
