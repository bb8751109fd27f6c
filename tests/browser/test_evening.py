"""An evening in one room: five races, two bots, and somebody who comes late."""

import csv
import io
import urllib.request

import pytest
from playwright.sync_api import Page
from tests.browser.conftest import PHONE, Pages
from tests.browser.player import (
    fits_screen,
    new_guest,
    new_room,
    solve_by_keys,
    start,
)

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]
ROWS = """(rows) => rows.map((row) => [...row.cells].map((cell) => cell.innerText))"""


def test_series_of_an_evening_is_the_same_for_everybody(pages: Pages) -> None:
    """People win a series, even if a bot is faster; the next race begins another."""
    ann, code = new_room(pages)
    ben = new_guest(pages, code, "Ben", PHONE)
    ann.get_by_label("Series").select_option("first to 3")
    for level in ("master", "record"):
        ann.get_by_text("Add a bot").click()
        ann.get_by_role("button", name=level).click()
        ann.locator(".member.is-ready", has_text=level).wait_for()
    ben.get_by_role("button", name="ready").click()
    ann.get_by_text("The others are ready").wait_for()
    start(ann)
    solve_by_keys(ann)
    cat = new_guest(pages, code, "Cat")
    _race(ben)
    for order in ((ben, ann), (ann, ben), (ben, ann), (ann, ben)):
        _rematch(ann, ben, cat)
        _race(*order, cat)
    for page in (ann, ben, cat):
        page.locator(".series h2", has_text="Ann wins the series").wait_for()
        page.locator("h1", has_text="Ann wins the series").wait_for()
        page.locator(".podium .place1", has_text="Ann").get_by_text("3 wins").wait_for()
        assert fits_screen(page)
    people = [["1", "Ann", "5", "3"], ["2", "Ben", "5", "2"], ["3", "Cat", "4", "0"]]
    table = _table(ann)
    assert [row[:4] for row in table[:3]] == people
    assert {row[1].split(" · ")[1] for row in table[3:]} == {"master", "record"}
    assert all("(bot)" not in row[1] for row in table)
    ben.reload()
    ben.locator(".series h2", has_text="Ann wins the series").wait_for()
    assert _table(ben) == _table(cat) == table
    address = ben.locator(".series a").get_attribute("href")
    assert address is not None
    with urllib.request.urlopen(address) as answer:  # noqa: S310
        rows = list(csv.DictReader(io.StringIO(answer.read().decode("utf-8-sig"))))
    for row in rows:
        assert row["place"]
        if row["bot"] == "true":
            row["place"] = ""  # which the page does not show
    columns = ("place", "name", "races", "wins")
    assert [[row[name] for name in columns] for row in rows] == [
        row[:4] for row in table
    ]
    assert rows[2]["race_1"] == "dns"
    _rematch(ann, ben, cat)
    _race(ben, ann, cat)
    for page in (ann, ben):
        page.locator(".series h2", has_text="first to 3").wait_for()
    assert [row[:4] for row in _table(ann)[:2]] == [
        ["1", "Ben", "1", "1"],
        ["2", "Ann", "1", "0"],
    ]


def _race(*order: Page) -> None:
    """Solve the board on these pages, one after the other; wait for the results."""
    for page in order:
        solve_by_keys(page)
        page.wait_for_selector(".plate, [data-screen=results]")
    for page in order:
        page.wait_for_selector("[data-screen=results]", timeout=60_000)


def _rematch(*everybody: Page) -> None:
    for page in everybody:
        page.get_by_role("button", name="Rematch").click(timeout=30_000)
    for page in everybody:
        page.wait_for_selector("[data-screen=race] .stage [data-board]", timeout=30_000)


def _table(page: Page) -> list[list[str]]:
    rows: list[list[str]] = page.locator(".series tbody tr").evaluate_all(ROWS)
    return rows
