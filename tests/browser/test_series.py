"""A series on the page: the host begins it, the lobby and the results show it."""

import csv
import io
import urllib.request

import pytest
from playwright.sync_api import Page
from tests.browser.conftest import PHONE, Pages
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

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(120)]


def test_host_begins_a_series_and_everybody_sees_who_is_ahead(pages: Pages) -> None:
    ann, code = new_room(pages)
    ben = new_guest(pages, code, "Ben", PHONE)
    assert "race 1" not in ann.locator(".rules").inner_text()
    ann.get_by_label("Series").select_option("first to 2")
    for page in (ann, ben):
        page.get_by_text("3\u00d73 \u00b7 first to 2 \u00b7 race 1").wait_for()
    start_race_with(ann, ben)
    _ann_wins(ann, ben)
    for page in (ann, ben):
        page.locator(".series h2", has_text="first to 2").wait_for()
    ann.get_by_role("button", name="Rematch").click()
    ann.get_by_text("\u00b7 race 2 \u00b7 Ann 1, Ben 0").wait_for()
    ben.get_by_role("button", name="Rematch").click()
    for page in (ann, ben):
        page.wait_for_selector("[data-screen=race] .stage [data-board]")
    _ann_wins(ann, ben)
    for page in (ann, ben):
        page.locator(".series h2", has_text="Ann wins the series").wait_for()
        assert fits_screen(page)
    assert ann.locator(".series .mine").inner_text().split()[:2] == ["1", "Ann"]
    address = ann.locator(".series a").get_attribute("href")
    assert address is not None
    with urllib.request.urlopen(address) as answer:  # noqa: S310
        rows = list(csv.DictReader(io.StringIO(answer.read().decode("utf-8-sig"))))
    assert [(row["name"], row["wins"]) for row in rows] == [("Ann", "2"), ("Ben", "0")]


def _ann_wins(ann: Page, ben: Page) -> None:
    for direction, count in solution(own_board(ann)):
        press(ann, direction, count)
    give_up(ben)
