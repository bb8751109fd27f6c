"""Lanes by themselves: who is who in a crowd, and how many are drawn at once."""

from typing import Any

import pytest
from playwright.sync_api import Page
from tests.browser.conftest import DESKTOP, PHONE, SMALL, Pages
from tests.browser.player import fits

pytestmark = [pytest.mark.browser, pytest.mark.timeout(60)]

MANY = 16
NAME = "Bot Otter"
"""As long as names of bots are; who has the seat behind it, is told by its end."""
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
"""What can be read of a part of each lane: all of it, or nothing."""


def _lanes(
    pages: Pages, size: tuple[int, int], many: int, name: str = NAME
) -> tuple[Page, list[bool]]:
    """A page with lanes of some who finished, and which were drawn at once."""
    page = pages.open("/", size)
    page.wait_for_selector(".home")
    drawn: list[Any] = page.evaluate(SHOW, [many, name])
    page.wait_for_function(ALL, arg=many)
    return page, drawn


def test_four_lanes_are_drawn_in_a_frame(pages: Pages) -> None:
    """One's own is among the first, and all have their turn."""
    page, drawn = _lanes(pages, PHONE, MANY)
    assert sum(drawn) == 4
    assert drawn[-1], "one's own"
    page.wait_for_selector(f".lane.mine >> text={NAME} {MANY - 1}")


@pytest.mark.parametrize(("size", "name"), [(PHONE, NAME), (SMALL, "Badger")])
def test_a_crowd_on_a_phone_can_be_told_apart(
    pages: Pages, size: tuple[int, int], name: str
) -> None:
    """Sixteen names and times are whole, and leave the board its place."""
    page, _ = _lanes(pages, size, MANY, name)
    assert page.evaluate(SEEN, ".name") == [f"{name} {i}" for i in range(MANY)]
    times = page.evaluate(SEEN, ".value")
    assert all(time.startswith("\u2713 1:01.5") for time in times)
    height = page.evaluate("document.querySelector('.lanes').offsetHeight")
    assert height <= 270
    assert fits(page)


@pytest.mark.parametrize(
    ("size", "many", "said"),
    [
        (DESKTOP, 4, "credit \u221230 ms"),
        (PHONE, 2, "credit \u221230 ms"),
        (PHONE, 6, "\u221230 ms"),
    ],
)
def test_a_time_tells_its_credit(
    pages: Pages, size: tuple[int, int], many: int, said: str
) -> None:
    """Even one of a few milliseconds."""
    page, _ = _lanes(pages, size, many)
    assert page.evaluate(SEEN, ".credit") == [said] * many
