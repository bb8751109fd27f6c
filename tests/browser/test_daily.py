"""The daily boards on the page."""

import pytest
from playwright.sync_api import expect
from tests.browser.conftest import DESKTOP, Pages
from tests.browser.player import fits_screen, own_board, solve_by_keys, wait_for_board

pytestmark = [pytest.mark.browser, pytest.mark.timeout(90)]

SMALL_PHONE = (360, 740)
STORED_MS = 15_000
"""Until a race is stored and has changed the profile, on a busy machine."""
RACING = "[data-screen=race] .stage [data-board]"


@pytest.mark.parametrize("size", [DESKTOP, SMALL_PHONE])
def test_each_daily_board_is_raced_once(pages: Pages, size: tuple[int, int]) -> None:
    """A guest keeps a name first; a race is done, or goes on where it was left."""
    page = pages.open("/", size)
    page.get_by_role("button", name="Daily boards").click()
    boards = page.locator(".daily-board")
    expect(boards.get_by_role("button", name="Race")).to_have_count(3)
    expect(boards.first.get_by_role("button", name="Race")).to_be_disabled()
    assert fits_screen(page)
    page.get_by_role("button", name="Create a profile").click()
    boards.first.get_by_role("button", name="Race").click()
    page.wait_for_selector(RACING)
    solve_by_keys(page)
    page.wait_for_selector("[data-screen=results]")
    expect(page.locator(".gain-lines")).to_contain_text(
        "Daily streak: 1 day", timeout=STORED_MS
    )
    statistics = page.locator(".card.gains a")
    expect(statistics).to_have_attribute("href", ".?statistics=3x3")
    expect(page.locator(".verdict.good").last).to_be_visible()
    expect(page.locator(".verdict").first).to_contain_text("which was fixed when")
    assert not page.get_by_role("button", name="Rematch").is_visible()
    page.get_by_role("button", name="Back to the daily boards").click()
    expect(boards.first).to_contain_text(" s")
    expect(boards.first).to_have_attribute("data-state", "done")
    expect(page.locator(".streak")).to_contain_text("Daily streak: 1 day")
    assert fits_screen(page)
    boards.nth(1).get_by_role("button", name="Race").click()
    page.wait_for_selector(RACING)
    board = own_board(page)
    page.goto(f"{pages.address}/?daily")
    boards.nth(1).get_by_role("button", name="Continue").click()
    page.wait_for_selector(RACING)
    wait_for_board(page, board)
    page.goto(pages.address)
    expect(page.get_by_role("button", name="Daily boards (streak: 1)")).to_be_visible()
