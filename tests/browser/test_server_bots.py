"""The host adds bots of the server on the page."""

import pytest
from tests.browser.conftest import Pages
from tests.browser.player import give_up, new_guest, new_room

pytestmark = [pytest.mark.browser, pytest.mark.timeout(90)]


def test_host_adds_a_bot_and_removes_it(pages: Pages) -> None:
    ann, code = new_room(pages)
    ann.get_by_text("Add a bot").click()
    ann.get_by_role("button", name="record").click()
    bot = ann.locator(".member", has_text="⚙")
    bot.get_by_text("✓ ready").wait_for()
    assert "· record" in bot.inner_text()
    assert bot.locator(".badge.bot").count() == 0, "the name says it"
    ben = new_guest(pages, code, "Ben")
    ben.locator(".member", has_text="⚙").wait_for()
    assert not ben.get_by_text("Add a bot").is_visible()
    bot.get_by_label("Options for").click()
    for name in ("Remove", "Really remove?"):
        bot.get_by_role("button", name=name).click()
    bot.wait_for(state="detached")


def test_bot_races_and_is_marked_in_the_results(pages: Pages) -> None:
    ann, _ = new_room(pages)
    ann.get_by_text("Add a bot").click()
    ann.get_by_role("button", name="record").click()
    ann.locator(".member", has_text="✓ ready").first.wait_for()
    ann.get_by_role("button", name="Start the race").click()
    ann.wait_for_selector("[data-screen=race] [data-board]")
    give_up(ann)
    ann.wait_for_selector("[data-screen=results]")
    row = ann.locator("tr.finished", has_text="· record")
    assert "⚙" in row.inner_text()
