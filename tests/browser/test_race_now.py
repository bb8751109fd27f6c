"""From the start page into a race with people and bots of one's speed."""

import re
import time

import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import Pages
from tests.browser.player import fits_screen, own_board, solve_by_keys

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

SMALL_PHONE = (360, 740)
TO_BOARD_S = 10
"""From the first click of a new person to their first board."""
RACING = "[data-screen=race] .stage [data-board]"
RESULTS = "[data-screen=results]"


def race_now(page: Page, size: str = "3\u00d73") -> None:
    """Enter a race on a 3x3 from the start page, as a new person."""
    page.get_by_role("radio", name=size).check()
    page.get_by_role("button", name="Race now").click()
    page.get_by_role("button", name="Under 20 s").click()


def finish(page: Page) -> None:
    """Solve the board and wait for the results."""
    page.wait_for_selector(RACING)
    solve_by_keys(page)
    page.wait_for_selector(RESULTS, timeout=60_000)


@pytest.mark.slow
def test_new_person_races_three_times_and_keeps_the_time(pages: Pages) -> None:
    """They are asked once how fast they are, and everything else happens by itself."""
    page = pages.open("/", SMALL_PHONE)
    assert fits_screen(page)
    begun = time.monotonic()
    race_now(page)
    page.wait_for_selector(RACING)
    assert time.monotonic() - begun < TO_BOARD_S
    assert page.locator(".lanes .lane").count() == 4, "three bots race along"
    for name in ("Cancel the race", "End the race now"):
        assert not page.get_by_role("button", name=name).is_visible()
    seen: set[str] = set()
    for _ in range(3):
        finish(page)
        seen.add(str(page.locator("a", has_text="Watch again").get_attribute("href")))
        assert fits_screen(page)
        expect(page.locator(".main-actions p")).to_contain_text(
            "The next race starts in"
        )
        assert not page.get_by_role("button", name="Rematch").is_visible()
        if len(seen) < 3:
            page.wait_for_selector("[data-screen=race]", timeout=20_000)
    assert len(seen) == 3
    page.get_by_role("button", name="Keep this time").click()
    expect(page.locator(".gain-lines li").first).to_contain_text(
        "First single", timeout=15_000
    )
    expect(page.locator(".gains")).to_contain_text("This time is kept.")
    assert fits_screen(page)
    page.wait_for_selector("[data-screen=race]", timeout=20_000)
    finish(page)
    assert not page.get_by_role("button", name="Keep this time").is_visible()
    page.get_by_role("button", name="Leave the room").click()
    page.wait_for_selector("[data-screen=home]")
    page.get_by_role("button", name="Race now").click()
    page.wait_for_selector("[data-screen=race]")  # nobody is asked twice


def test_whoever_comes_late_watches_and_warms_up(pages: Pages) -> None:
    """They see the racers, when they can race, and a board to play with."""
    ann = pages.open("/")
    race_now(ann, "4\u00d74")
    ann.wait_for_selector(RACING)
    ben = pages.open("/", SMALL_PHONE)
    ben.get_by_role("button", name=re.compile("Join: 4\u00d74")).first.click()
    ben.wait_for_selector("[data-screen=race] .board-card >> nth=3")
    expect(ben.locator(".banner")).to_contain_text("Next race: \u2264")
    ben.get_by_text("Warm up").click()
    ben.wait_for_selector(".warmup[open] .board")
    expect(ben.get_by_label("Warm-up board")).to_be_in_viewport(ratio=1)
    assert fits_screen(ben)
    solve_by_keys(ann)
    ben.wait_for_selector(RESULTS, timeout=60_000)
    ben.wait_for_selector(RACING, timeout=20_000)
    assert own_board(ben).size == (4, 4)
    assert ben.locator(".warmup").is_hidden()


def test_enter_races_now(pages: Pages) -> None:
    """Where no control has the focus, Enter presses the large button."""
    page = pages.open("/")
    page.wait_for_selector(".race-now")
    page.keyboard.press("Enter")
    page.wait_for_selector(".question h2:focus")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-screen=race]")
