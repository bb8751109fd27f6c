"""Playing alone in a room of the server, where every board counts."""

import pytest
from playwright.sync_api import expect
from tests.browser.conftest import DESKTOP, Pages
from tests.browser.player import fits_screen, own_board, solve_by_keys

pytestmark = [pytest.mark.browser, pytest.mark.timeout(90)]

SMALL_PHONE = (360, 740)
DEALT = "[data-screen=solo] .board:not(.placeholder)"
SMALL_BOARD = "localStorage.setItem('sliderace.solo.size', '3x3')"


@pytest.mark.parametrize("size", [DESKTOP, SMALL_PHONE])
def test_boards_follow_each_other_at_once(pages: Pages, size: tuple[int, int]) -> None:
    """N deals the next board; one in hand is given up, and counts as a DNF."""
    page = pages.open("/", size)
    page.evaluate(SMALL_BOARD)
    page.get_by_role("button", name="Play alone").click()
    page.wait_for_selector(DEALT)
    assert fits_screen(page)
    solve_by_keys(page)
    page.wait_for_selector(".banner >> text=Solved in")
    page.get_by_role("button", name="Keep this time").click()
    expect(page.locator(".gain-lines li").first).to_contain_text(
        "First single", timeout=15_000
    )
    page.keyboard.press("n")
    page.wait_for_selector(".board.placeholder")
    page.wait_for_selector(DEALT)
    given_up = own_board(page)
    page.keyboard.press("n")
    page.wait_for_selector(".times .time >> text=DNF")
    page.wait_for_selector(".board.placeholder")
    page.wait_for_selector(DEALT)
    assert own_board(page) != given_up
    solve_by_keys(page)
    page.wait_for_selector(".banner >> text=Solved in")
    assert page.locator(".times li").count() == 3
    assert fits_screen(page)


def test_another_size_and_a_reload(pages: Pages) -> None:
    """Another size takes another room; a reload comes back to the same board."""
    page = pages.open("/")
    page.evaluate(SMALL_BOARD)
    page.get_by_role("button", name="Play alone").click()
    page.wait_for_selector(DEALT)
    page.get_by_label("Size").select_option("4x4")
    page.wait_for_selector("[data-screen=solo] .face >> nth=14")
    page.wait_for_selector(DEALT)
    board = own_board(page)
    assert board.size == (4, 4)
    page.reload()
    page.wait_for_selector(DEALT)
    assert own_board(page) == board
    page.get_by_role("button", name="Back to the start page").click()
    page.wait_for_selector("[data-screen=home]")
    page.get_by_role("button", name="Play alone").click()
    page.wait_for_selector(DEALT)
