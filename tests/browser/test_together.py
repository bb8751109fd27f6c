"""Pages, a terminal and a spectator in one race under bad conditions."""

import asyncio
import re
import signal
import threading
from collections.abc import Generator
from contextlib import AbstractAsyncContextManager, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page
from tests.browser.conftest import (
    PHONE,
    UNREACHABLE,
    Pages,
    near_and_far,
    start_server,
)
from tests.browser.player import (
    new_guest,
    new_room,
    own_board,
    press,
    solution,
    start,
    start_race_with,
    wait_for_board,
    wake,
)
from tests.chaos.proxy import Conditions, Proxy, proxied
from tests.e2e.shell import Running, Shell

from sliderace.engine import Board, format_tokens

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(150)]

AWAY_MS = 5_000
CONFIRMED_MS = 8_000
"""From the last slide to the confirmed finish, at most, if new connections work: 3.2 s
on a quiet machine. Without a second connection it takes 25 s."""

ROW = re.compile(r" +(\d)\w\w  (\w+)  .*?([\d:]+\.\d{3})  ")
"""One line of the terminal's standings: place, name, time."""


def _podium(page: Page) -> list[list[str]]:
    """Return places, names and times of the page's table."""
    page.wait_for_selector("[data-screen=results]", timeout=30_000)
    columns = ("td.place", "td.name > span:first-child", "td.time")
    rows = page.locator("table.results tbody tr").all()
    cells = ([row.locator(column).inner_text() for column in columns] for row in rows)
    return [[place, name, time.removesuffix(" s")] for place, name, time in cells]


def _podium_of(terminal: Running, many: int = 3) -> list[list[str]]:
    """Return the same from as many lines of a terminal, after the end of the race."""
    found: list[list[str]] = []
    while len(found) < many:
        terminal.wait_for("")
        row = re.match(ROW, terminal.output[-1])
        if row:
            found.append([*row.groups()])
    return found


def _play(page: Page, board: Board, slides: list[tuple[str, int]]) -> None:
    """Make slides by keyboard, on `board` too; wait until the page shows each."""
    for direction, count in slides:
        press(page, direction, count)
        board.slide(direction, count)
    wait_for_board(page, board)


def _end(page: Page, slides: list[tuple[str, int]]) -> None:
    """Make the last slides of a race; after them the page shows no board."""
    for direction, count in slides:
        press(page, direction, count)


def test_race_survives_reload_outage_and_crash(
    browser: Browser, tmp_path: Path
) -> None:
    """Everybody sees the same podium in spite of them."""
    database = ("--database", str(tmp_path / "rooms.sqlite"))
    with start_server("--port", "0", *database) as first:
        port = urlsplit(first.url).port or 0
        with near_and_far(browser, first.url) as (pages, far, proxy):
            ann, code = new_room(pages)
            ben = new_guest(far, code, "Ben", PHONE)
            sam = new_guest(pages, code, "Sam", watch=True)
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
                wait_for_board(ann, a)

                proxy.cut()
                ben.wait_for_selector(".chip.lost")
                _play(ben, b, slides[:6])
                ben.wait_for_timeout(AWAY_MS)
                proxy.mend()
                ben.wait_for_selector(".chip.lost", state="hidden", timeout=20_000)

                first.kill()
                ann.wait_for_selector(".chip.lost")
                _play(ann, a, slides[4:8])
                with start_server("--port", str(port), *database):
                    for page in (ann, ben, sam):
                        lost = page.locator(".chip.lost")
                        lost.wait_for(state="hidden", timeout=30_000)
                    tom.wait_for("You are back")
                    _play(ann, a, slides[8:])
                    ann.wait_for_selector(".lane.mine.finished")
                    _play(ben, b, slides[6:])
                    ben.wait_for_selector(".lane.mine.finished")
                    tom.type(f"={format_tokens(slides)}")
                    podiums = [_podium(page) for page in (ann, ben, sam)]
                    assert podiums[0] == podiums[1] == podiums[2]
                    tom.wait_for("The race is over")
                    assert _podium_of(tom) == podiums[0]
                    names = [row[1] for row in podiums[0]]
                    assert sorted(names) == ["Ann", "Ben", "Tom"]
                    for page in (ann, ben):
                        page.wait_for_selector(".verdict.good >> text=race record")


def test_woken_tab_reconnects_and_catches_up(browser: Browser) -> None:
    """The connection died without a close; the page notices, and gets everything."""
    with (
        start_server("--memory", "--port", "0") as server,
        near_and_far(browser, server.url) as (pages, far, proxy),
    ):
        ann, code = new_room(pages)
        ben = new_guest(far, code, "Ben", PHONE)
        start_race_with(ann, ben)
        board = own_board(ann)
        slides = solution(board)
        own = board.copy()
        _play(ben, own, slides[:2])
        proxy.drop()  # half open, as after a night asleep
        _play(ann, board, slides[:4])
        wake(ben)
        ben.get_by_text("waiting for the server").wait_for()
        ben.get_by_text("reconnecting").wait_for(timeout=20_000)
        _play(ben, own, slides[2:4])
        proxy.mend()
        wake(ben)
        ben.wait_for_selector(".chip.lost", state="hidden", timeout=20_000)
        wait_for_board(ben, own)
        _play(ben, own, slides[4:])
        ann.wait_for_selector(".lane.finished >> text=Ben")
        _end(ann, slides[4:])
        assert _podium(ann) == _podium(ben)


def test_finish_is_confirmed_although_the_connection_is_a_black_hole(
    browser: Browser,
) -> None:
    """The page says that it waits, and opens a second connection by itself."""
    with (
        start_server("--memory", "--port", "0") as server,
        near_and_far(browser, server.url) as (pages, far, proxy),
    ):
        ann, code = new_room(pages)
        ben = new_guest(far, code, "Ben", PHONE)
        start_race_with(ann, ben)
        slides = solution(own_board(ann))
        _play(ben, own_board(ben), slides[:-2])
        proxy.swallow()
        _end(ben, slides[-2:])
        solved = ben.evaluate("performance.now()")
        ben.get_by_text("waiting for the server").wait_for()
        ben.wait_for_selector(":is(.lane, .board-card).mine.finished:visible")
        assert ben.evaluate("performance.now()") - solved <= CONFIRMED_MS
        ben.get_by_text("waiting for the server").wait_for(state="hidden")
        _end(ann, slides)
        podium = _podium(ann)
        assert podium == _podium(ben)
        assert podium[0][1] == "Ben"
    assert pages.faults + far.faults == []


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
def test_jumping_clock_does_not_affect_the_race(pages: Pages, jump: int) -> None:
    """If a device's clock jumps by a day, the racer continues; server time counts."""
    ann, code = new_room(pages)
    ben = new_guest(pages, code, "Ben")
    start_race_with(ann, ben)
    board = own_board(ann)
    slides = solution(board)
    own = board.copy()
    _play(ann, own, slides[:3])
    ann.evaluate(JUMP, jump)
    _play(ann, own, slides[3:])
    ann.wait_for_selector(".lane.mine.finished")
    _end(ben, slides)
    podium = _podium(ann)
    assert podium == _podium(ben)
    (time,) = (row[2] for row in podium if row[1] == "Ann")
    assert float(time.split(":")[-1]) < 60
    assert time.count(":") <= 1, "minutes at most"


HALF_OPEN_MS, STALL_MS = 60_000, 5_000


@contextmanager
def _bad_network(port: int, seed: int) -> Generator[tuple[Proxy, str]]:
    """Run a proxy in a thread: a round trip of 150 ms, and 2 % of packets lost."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    conditions = Conditions(delay=0.065, jitter=0.02, loss=0.02)
    proxy: AbstractAsyncContextManager[tuple[Proxy, str]]
    proxy = proxied(port, conditions, seed)
    try:
        starting = proxy.__aenter__()
        yield asyncio.run_coroutine_threadsafe(starting, loop).result()
    finally:
        ending = proxy.__aexit__(None, None, None)
        asyncio.run_coroutine_threadsafe(ending, loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_evening_over_a_bad_connection_ends_with_trusted_results(
    browser: Browser, tmp_path: Path
) -> None:
    """Ann is at the page and Ben in a terminal; both have a bad connection.

    In the second race Ben's connection is half open for a minute, in the third the
    server stands still for 5 s around both finishes.
    """
    database = ("--database", str(tmp_path / "rooms.sqlite"))
    with (
        start_server("--port", "0", *database) as server,
        _bad_network(urlsplit(server.url).port or 0, 1) as (_, for_ann),
        _bad_network(urlsplit(server.url).port or 0, 2) as (bens, for_ben),
    ):
        shell, pages = Shell(tmp_path), Pages(browser, for_ann)
        ann, code = new_room(pages)
        joining = ("join", code, "--plain", "--name", "Ben", "--server", for_ben)
        with shell.running(*joining) as ben:
            ben.wait_for("^Type ready to race")
            for race in range(1, 5):
                ben.type("ready")
                ann.wait_for_selector(".member.is-ready" if race == 1 else ".results")
                if race == 1:
                    start(ann)
                else:
                    ann.get_by_role("button", name="Rematch").click(timeout=30_000)
                    board = "[data-screen=race] .stage [data-board]"
                    ann.wait_for_selector(board, timeout=60_000)
                ben.wait_for("; help$")
                slides = solution(own_board(ann))
                bens.conditions.silent = race == 2
                first, last = slides[:-2], slides[-2:]
                _play(ann, own_board(ann), first)
                ben.type(f"={format_tokens(first)}")
                if race == 3:
                    ann.wait_for_timeout(1_000)  # their first slides arrive
                    server.process.send_signal(signal.SIGSTOP)
                _end(ann, last)
                ben.type(f"={format_tokens(last)}")
                ann.wait_for_timeout({2: HALF_OPEN_MS, 3: STALL_MS}.get(race, 0))
                server.process.send_signal(signal.SIGCONT)
                bens.conditions.silent = False
                podium = _podium(ann)
                names = [row[1] for row in podium]
                assert sorted(names) == ["Ann", "Ben"]
                ben.wait_for("^The race is over$")
                if race == 2:  # away for longer than the grace time
                    ben.wait_for("^  1st  Ann ")
                    ben.wait_for("^  2nd  Ben  DNF ")
                else:
                    assert _podium_of(ben, 2) == podium
                ben.wait_for("^Checked: ")
                ann.wait_for_selector(".verdict.good >> text=race record")
        listed = shell.run("results", code, "--server", server.url)
        ids = re.findall(rf"{code}-\w+-\d", listed.stdout)
        assert len(ids) == 4
        for race_id in ids:
            assert shell.run("verify", f"{server.url}/replay/{race_id}").returncode == 0
        pages.close()
    assert [one for one in pages.faults if not UNREACHABLE.search(one)] == []
