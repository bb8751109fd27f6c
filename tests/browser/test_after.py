"""After the race: downloads, the replay, and its links."""

import csv
import io
import json
import zlib
from base64 import b64decode
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page
from tests.browser.conftest import DESKTOP, PHONE, SMALL, Pages
from tests.browser.player import (
    fits_screen,
    give_up,
    new_guest,
    new_room,
    own_board,
    press,
    solution,
    start_race_with,
)

from sliderace.engine import Board, format_board, parse_slides, stm
from sliderace.proof.reading import read
from sliderace.proof.slidysim import link_to, solve_of

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]

NAME = "=cmd"
"""A name that a spreadsheet would read as a formula."""
SHOWN = ".film:not([hidden])"


def _race(pages: Pages) -> tuple[Page, Page, Board]:
    """Race; return the page of the winner, of the one who gave up, and the board."""
    ann, code = new_room(pages, NAME)
    ben = new_guest(pages, code, "Ben", PHONE)
    start_race_with(ann, ben)
    board = own_board(ann)
    way = solution(board)
    for direction, count in way:
        press(ann, direction, count)
    for direction, count in way[:3]:
        press(ben, direction, count)
    give_up(ben)
    for page in (ann, ben):
        page.wait_for_selector(".solves:not([hidden])")
    return ann, ben, board


def _download(page: Page, name: str) -> bytes:
    with page.expect_download() as download:
        page.get_by_role("link", name=name).click()
    return Path(download.value.path()).read_bytes()


def _decode_link(link: str) -> Any:
    """Return what slidysim's viewer reads from a link."""
    parts = urlsplit(link)
    assert f"{parts.scheme}://{parts.netloc}{parts.path}" == (
        "https://slidysim.github.io/replay"
    )
    (packed,) = parse_qs(parts.query)["r"]
    return json.loads(zlib.decompress(b64decode(packed)))


def test_race_can_be_downloaded_and_replayed(pages: Pages) -> None:
    """Players get results, downloads and links; anybody can replay all boards."""
    ann, ben, board = _race(pages)
    _check_downloads(ann, ben, board)
    address = ann.get_by_role("link", name="Watch again").get_attribute("href") or ""
    assert urlsplit(address).path.startswith("/replay/")
    _check_replay(pages.open(urlsplit(address).path), board)


def _check_downloads(ann: Page, ben: Page, board: Board) -> None:
    """Check the race record, a CSV file without formulas, and the link to the solve."""
    file = json.loads(_download(ann, "Race record"))
    race = read(file["record"])
    winner, loser = race.racers
    assert winner.finish is not None

    text = _download(ann, "Table").decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["name"] for row in rows] == [f"'{NAME}", "Ben"]
    assert rows[0]["time_ms"] == str(winner.finish.official_ms)
    assert rows[0]["solve_ms"] == str(winner.finish.solve_ms)
    assert [row["stm"] for row in rows] == [str(winner.stm), str(loser.stm)]
    assert (rows[1]["status"], rows[1]["time_ms"]) == ("forfeited", "")

    viewer = ann.get_by_role("link", name="slidysim")
    link = viewer.get_attribute("href") or ""
    expected = solve_of(race.board, winner.slides, winner.finish)
    assert _decode_link(link) == _decode_link(link_to(expected)) == list(expected)
    solved, tps, scramble, times = _decode_link(link)
    assert scramble == format_board(board)
    assert len(times) == winner.stm == stm(parse_slides(solved))
    assert tps == winner.stm * 1_000_000 // winner.finish.solve_ms
    end = board.copy()
    for direction, count in parse_slides(solved):
        end.slide(direction, count)
    assert end.is_solved

    splits = ann.locator(".splits tbody th").all_inner_texts()
    assert splits[0][0] == "1"
    assert splits[-1][-1] == "3"
    ben.wait_for_selector("text=/rows? not reached/")
    assert not ben.get_by_role("link", name="slidysim").is_visible()
    for cell in ("td.solve", "td.mmd", "td.moves"):
        assert ann.locator(f"tr.mine {cell}").inner_text() != ""
    ann.get_by_text("What the columns mean").click()
    ann.wait_for_selector(".legend dd >> text=already subtracted")
    ann.get_by_role("button", name="Verify").click()
    ann.wait_for_selector(".checks >> text=/^ok .* ranking:/")
    ben.set_viewport_size({"width": SMALL[0], "height": SMALL[1]})
    assert fits_screen(ben)


def _check_replay(eve: Page, board: Board) -> None:
    """Replay by keys, by the slider and by playing; and verify the record."""
    eve.wait_for_selector(SHOWN)
    first = eve.locator(".board-card").first
    scrambled = " ".join(map(str, board.tiles))
    assert first.get_attribute("data-board") == scrambled
    solved = " ".join(map(str, Board.solved(board.size).tiles))

    eve.keyboard.press("End")
    eve.wait_for_selector(f".board-card:has(.finished)[data-board='{solved}']")
    assert eve.locator(".board-card .forfeited").inner_text().startswith("Ben")
    eve.keyboard.press("Home")
    eve.wait_for_selector(f".board-card:first-child[data-board='{scrambled}']")
    for _ in range(2):
        eve.keyboard.press(".")
    between = first.get_attribute("data-board")
    eve.keyboard.press(",")
    assert first.get_attribute("data-board") != between
    eve.keyboard.press(".")
    assert first.get_attribute("data-board") == between

    eve.get_by_label("Moment").fill(
        eve.get_by_label("Moment").get_attribute("max") or ""
    )
    eve.wait_for_selector(f"[data-board='{solved}']")
    eve.get_by_label("Speed").select_option("0.5")
    eve.get_by_role("button", name="Play").click()
    eve.wait_for_selector("button:text-is('Pause')")
    eve.wait_for_selector("button:text-is('Play')")
    assert first.get_attribute("data-board") == solved, "it ran to the end"
    eve.get_by_text("Checks of the race record").click()
    eve.wait_for_selector(".checks >> text=/^ok .* ranking:/")
    assert eve.locator(".checks li", has_text="not ok").count() == 0
    for width, height in (SMALL, PHONE, DESKTOP):
        eve.set_viewport_size({"width": width, "height": height})
        assert fits_screen(eve)
        assert eve.get_by_role("button", name="Play").is_visible()


def test_link_to_unknown_race_shows_a_message(pages: Pages) -> None:
    page = pages.blank()
    page.goto(f"{pages.address}/replay/KWXTRB-S1-1")
    page.wait_for_selector("text=There is no such race here")
    page.get_by_role("button", name="Back to the start page").click()
    page.wait_for_selector("[data-screen=home]")
    pages.faults[:] = [one for one in pages.faults if "404" not in one]
