"""Racers who share a place stand on equally high steps, on phones too."""

from typing import Any

import pytest
from tests.browser.conftest import DESKTOP, SMALL, Pages
from tests.browser.player import fits_screen

pytestmark = [pytest.mark.browser, pytest.mark.timeout(60)]

SHOW = """async (places) => {
  const { loadTexts } = await import("./app/load-texts.js");
  await loadTexts();
  const { Podium } = await import("./ui/parts/results-table.js");
  const { sheet } = await import("./ui/preload.js");
  await sheet("styles/results.css");
  const podium = new Podium();
  podium.update(places.map(([name, place, time_ms]) =>
    ({ name, place, time_ms, status: place ? "finished" : "forfeited" })));
  document.querySelector("main").replaceChildren(podium.element);
  return [...podium.element.children].map((step) => ({
    text: step.innerText.split(/\\s*\\n\\s*/).filter(Boolean),
    high: Math.round(step.querySelector(".block").getBoundingClientRect().height),
  }));
}"""


def _podium(pages: Pages, size: tuple[int, int], *places: object) -> list[Any]:
    page = pages.open("/", size)
    page.emulate_media(reduced_motion="reduce")  # otherwise the steps are still growing
    page.wait_for_selector(".home")
    shown: list[Any] = page.evaluate(SHOW, places)
    assert fits_screen(page)
    return shown


@pytest.mark.parametrize("size", [SMALL, DESKTOP])
def test_tied_racers_have_equally_high_steps(
    pages: Pages, size: tuple[int, int]
) -> None:
    """Places 1, 1, 3: the first two are marked as tied, and nobody is second."""
    ann, ben, cat = _podium(
        pages,
        size,
        ("Ann Wonderland-Winner", 1, 9_000),
        ("Ben Wonderland-Winner", 1, 9_000),
        ("Cat", 3, 9_001),
        ("Dan", None, None),
    )
    assert ann["text"][1:] == ben["text"][1:] == ["9.000 s", "1", "tie"]
    assert cat["text"] == ["Cat", "9.001 s", "3"]
    assert ann["high"] == ben["high"] > cat["high"] > 0


def test_podium_has_four_steps_on_a_tie_for_third(pages: Pages) -> None:
    """A tie for third place adds a fourth step."""
    steps = _podium(
        pages, SMALL, ("A", 1, 1_000), ("B", 2, 2_000), ("C", 3, 3_000), ("D", 3, 3_000)
    )
    assert [step["text"][2:] for step in steps] == [
        ["1"],
        ["2"],
        ["3", "tie"],
        ["3", "tie"],
    ]
    assert steps[0]["high"] > steps[1]["high"] > steps[2]["high"] == steps[3]["high"]
