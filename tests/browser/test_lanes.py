"""Lanes alone: names in a crowd, and how many are drawn per frame."""

from typing import Any

import pytest
from playwright.sync_api import Page
from tests.browser.conftest import DESKTOP, PHONE, SMALL, Pages
from tests.browser.player import fits_screen

pytestmark = [pytest.mark.browser, pytest.mark.timeout(60)]

MANY = 16
NAME = "Bot Otter"
"""As long as bots' names; the seat number at the end tells them apart."""
SHOW = """async ([many, name]) => {
  const { loadTexts } = await import("./app/load-texts.js");
  await loadTexts();
  const { LaneList } = await import("./ui/parts/lane-list.js");
  const { sheet } = await import("./ui/preload.js");
  await sheet("styles/race.css");
  const race = document.createElement("section");
  const above = document.createElement("div");
  race.className = "race";
  above.className = "above";
  race.append(above);
  document.querySelector("main").replaceChildren(race);
  const lanes = new LaneList();
  above.append(lanes.element);
  const time = (i) => (many > 8 ? 61_500 : 9_500) + i;
  const standing = (i) => ({ time_ms: time(i), credit_ms: 30, outage_ms: 0 });
  lanes.update(Array.from({ length: many }, (_, i) => ({
    lane: {
      seat: i, name: `${name} ${i}`, status: "finished", place: i + 1,
      final: true, time: time(i), high: 1000, standing: standing(i),
    },
    rank: i + 1, mine: i === many - 1, away: false, waiting: false,
    delta: many > 4 ? "+1.204 s" : "",
    latency: { rtt: 30, jitter: 2 },
  })));
  return [...lanes.element.children].map((lane) => Boolean(lane.firstChild));
}"""
ALL = "many => document.querySelectorAll('.lanes > .lane .value').length === many"
SEEN = """part => [...document.querySelectorAll(`.lanes > * ${part}`)].map((one) => {
  const box = one.getBoundingClientRect();
  const lane = one.closest(".lane").getBoundingClientRect();
  const inside = box.width > 0 && box.top >= lane.top && box.bottom <= lane.bottom
    && box.left >= lane.left && box.right <= lane.right
    && one.scrollWidth <= one.clientWidth + 1;
  return inside ? one.innerText : "";
})"""
"""For each lane, the text of a part if all of it is visible, else nothing."""


def _lanes(
    pages: Pages, size: tuple[int, int], many: int, name: str = NAME
) -> tuple[Page, list[bool]]:
    """Return a page with finishers' lanes, and which lanes the first frame drew."""
    page = pages.open("/", size)
    page.wait_for_selector(".home")
    drawn: list[Any] = page.evaluate(SHOW, [many, name])
    page.wait_for_function(ALL, arg=many)
    return page, drawn


def test_four_lanes_are_drawn_per_frame(pages: Pages) -> None:
    """The player's own lane is among the first, and every lane gets drawn."""
    page, drawn = _lanes(pages, PHONE, MANY)
    assert sum(drawn) == 4
    assert drawn[-1], "own lane"
    page.wait_for_selector(f".lane.mine >> text={NAME} {MANY - 1}")


@pytest.mark.parametrize(("size", "name"), [(PHONE, NAME), (SMALL, "Badger")])
def test_sixteen_racers_are_distinguishable_on_a_phone(
    pages: Pages, size: tuple[int, int], name: str
) -> None:
    """Sixteen names and times are fully visible, and the board has room."""
    page, _ = _lanes(pages, size, MANY, name)
    assert page.evaluate(SEEN, ".name") == [f"{name} {i}" for i in range(MANY)]
    times = page.evaluate(SEEN, ".value")
    assert all(time.startswith("\u2713 1:01.5") for time in times)
    height = page.evaluate("document.querySelector('.lanes').offsetHeight")
    assert height <= 270
    assert fits_screen(page)


@pytest.mark.parametrize(
    ("size", "many", "said"),
    [
        (DESKTOP, 4, "credit \u221230 ms"),
        (PHONE, 2, "credit \u221230 ms"),
        (PHONE, 6, "\u221230 ms"),
    ],
)
def test_time_shows_its_credit(
    pages: Pages, size: tuple[int, int], many: int, said: str
) -> None:
    """Even a credit of a few milliseconds shows."""
    page, _ = _lanes(pages, size, many)
    assert page.evaluate(SEEN, ".credit") == [said] * many
