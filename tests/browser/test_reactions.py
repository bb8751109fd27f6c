"""Nicknames, reactions and the pace lane on the page."""

import pytest
from playwright.sync_api import Page
from tests.browser.conftest import DESKTOP, PHONE, Pages
from tests.browser.player import (
    fits_screen,
    new_guest,
    new_room,
    race_alone,
    solve_by_keys,
    start,
)

pytestmark = [pytest.mark.browser, pytest.mark.timeout(90)]
SAID = "[data-said='Good luck']"


def test_players_change_their_nickname_in_the_lobby_and_in_the_settings(
    pages: Pages,
) -> None:
    ann, code = new_room(pages)
    ben = new_guest(pages, code, "Ben")
    ben.get_by_label("Options for Ben").click()
    ben.locator(".member").get_by_label("Your name").fill("Zoe")
    ben.get_by_role("button", name="Change your name").click()
    ann.locator(".member").get_by_text("Zoe", exact=True).wait_for()
    ann.get_by_text("Ben is now called Zoe").wait_for()
    ben.get_by_role("button", name="Settings").click()
    panel = ben.locator(".panel")
    assert panel.get_by_label("Your name").input_value() == "Zoe"
    panel.get_by_label("Your name").fill("Zola")
    panel.get_by_role("button", name="Change your name").click()
    ann.locator(".member").get_by_text("Zola", exact=True).wait_for()
    assert ben.evaluate("localStorage['sliderace.name']") == "Zola"


def test_reaction_stands_beside_the_name_until_it_is_hidden(pages: Pages) -> None:
    ann, code = new_room(pages)
    ben = new_guest(pages, code, "Ben", PHONE)
    ben.get_by_text("React", exact=True).click()
    assert fits_screen(ben)
    ben.get_by_role("button", name="Good luck").click()
    ann.locator(SAID).wait_for()
    ann.get_by_label("Options for Ben").click()
    ann.get_by_role("button", name="Hide their reactions").click()
    ann.locator(SAID).wait_for(state="detached")
    ann.get_by_label("Options for Ben").click()
    ann.get_by_role("button", name="Mute").click()
    ben.get_by_text("muted").wait_for()
    assert not ben.get_by_text("React", exact=True).is_visible()


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_spectators_react_to_each_other_during_a_race(
    pages: Pages, size: tuple[int, int]
) -> None:
    """A racer is shown nothing of it."""
    ann, code = new_room(pages)
    eve = new_guest(pages, code, "Eve", size, watch=True)
    gus = new_guest(pages, code, "Gus", watch=True)
    start(ann)
    eve.get_by_text("React", exact=True).click()
    eve.get_by_role("button", name="Nice board").click()
    gus.get_by_text("Eve: Nice board").wait_for()
    assert not ann.get_by_text("Nice board").is_visible()
    assert not ann.get_by_text("React", exact=True).is_visible()


HIDDEN = """(choices) => choices.filter((one) => {
  const { left, top, width, height } = one.getBoundingClientRect();
  return document.elementFromPoint(left + width / 2, top + height / 2) !== one;
}).length"""


def test_menu_of_reactions_fits_into_the_window_on_every_screen(pages: Pages) -> None:
    ann, code = new_room(pages)
    watching = [
        new_guest(pages, code, name, size, watch=True)
        for name, size in (("Ben", PHONE), ("Cat", DESKTOP))
    ]
    start(ann)
    for page in watching:
        page.wait_for_selector("[data-screen=race] .board-card")
        _menu_is_whole(page)
    solve_by_keys(ann)
    for page in (ann, *watching):
        page.wait_for_selector("[data-screen=results]")
        _menu_is_whole(page)


def _menu_is_whole(page: Page) -> None:
    page.get_by_text("React", exact=True).click()
    choices = page.locator(".reactions[open] .choices .button")
    choices.first.wait_for()
    assert choices.evaluate_all(HIDDEN) == 0
    page.keyboard.press("Escape")


CURVES = "JSON.parse(localStorage['sliderace.best-curves'] ?? '{}')['3x3']"


def test_best_attempt_races_along_in_the_next_race(pages: Pages) -> None:
    ann, _ = race_alone(pages)
    assert not ann.locator(".pace").is_visible()
    solve_by_keys(ann)
    ann.wait_for_selector("[data-screen=results]")
    best = ann.evaluate(CURVES)
    assert len(best) == 64
    ann.get_by_text("React", exact=True).click()
    ann.get_by_role("button", name="Well played").click()
    ann.locator(".results [data-said='Well played']").wait_for()
    ann.get_by_role("button", name="Rematch").click()
    start(ann)
    ann.locator(".pace").get_by_text("your best").wait_for()
    assert fits_screen(ann)
    ann.get_by_role("button", name="Settings").click()
    ann.get_by_label("My best attempt").click()
    ann.locator(".pace").wait_for(state="hidden")
