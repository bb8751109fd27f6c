"""A running race is not left by accident, and there is always a way back."""

import pytest
from tests.browser.conftest import PHONE, Pages
from tests.browser.player import (
    new_room,
    own_board,
    press,
    race_alone,
    solution,
    start,
    wait_for_board,
)

pytestmark = [pytest.mark.browser, pytest.mark.timeout(60)]


def test_back_does_not_leave_a_running_race(pages: Pages) -> None:
    """The board stays, and a note says when one can leave."""
    page, code = race_alone(pages, "Ann", PHONE)
    board = own_board(page)
    for _ in range(2):
        page.go_back()
        page.wait_for_selector(".note >> text=You can leave when the race is over.")
        assert page.url.endswith(f"/{code}")
    direction, _ = board.legal_slides()[0]
    press(page, direction)
    board.slide(direction)
    wait_for_board(page, board)


def test_back_leaves_a_lobby(pages: Pages) -> None:
    page, _ = new_room(pages)
    page.go_back()
    page.wait_for_selector("[data-screen=home]")


def test_start_page_leads_back_to_a_running_race(pages: Pages) -> None:
    """Also after the tab was closed; the seat, the board and the name are kept."""
    page, code = race_alone(pages)
    board = own_board(page)
    direction, _ = solution(board)[0]
    press(page, direction)
    board.slide(direction)
    wait_for_board(page, board)
    context = page.context
    page.close()
    again = pages.tab(context, "/")
    shown = f"{code[:3]}-{code[3:]}"
    again.get_by_role("button", name=f"Return to {shown}, racing now").click()
    wait_for_board(again, board)


def test_start_page_leads_back_to_a_lobby_but_not_to_a_closed_room(
    pages: Pages,
) -> None:
    page, code = new_room(pages)
    page.get_by_role("link", name="sliderace").click()
    page.get_by_role("button", name=f"Return to {code[:3]}-{code[3:]}").click()
    page.wait_for_selector(".lobby")
    for name in ("Leave the room", "Really leave"):
        page.get_by_role("button", name=name).click()
    page.wait_for_selector("[data-screen=home]")
    assert page.get_by_role("button", name="Return to").count() == 0


def test_start_is_possible_again_when_a_change_changes_nothing(pages: Pages) -> None:
    """The server does not answer a rule that is as before."""
    page, _ = new_room(pages)
    button = page.get_by_role("button", name="Start the race")
    disabled_at_once = """(input, button) => {
        input.dispatchEvent(new Event("change", { bubbles: true }));
        return button.disabled;
    }"""
    size = page.get_by_label("3\u00d73")
    assert size.evaluate(disabled_at_once, button.element_handle())
    start(page)
