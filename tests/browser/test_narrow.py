"""Text is not cut off where there is little room."""

import pytest
from playwright.sync_api import Browser
from tests.browser.conftest import (
    DESKTOP,
    PHONE,
    SMALL,
    UNREACHABLE,
    Pages,
    run_module,
    start_server,
)
from tests.browser.player import (
    end_race,
    fits_screen,
    give_up,
    join,
    new_guest,
    new_room,
    race_alone,
    solve_by_keys,
    start_race_with,
)

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]

CUT = """parts => [...document.querySelectorAll(parts)]
  .filter(part => {
    const text = document.createRange();
    text.selectNodeContents(part);
    const wide = (one) => one.getBoundingClientRect().width;
    const hair = wide(text) - wide(part);
    const cut = part.matches('.name') && hair > 0.01;
    return cut || part.scrollWidth > part.clientWidth || !part.clientWidth;
  })
  .map(part => part.className + ' ' + part.textContent)"""
"""The elements that are wider than their container, or invisible."""
LANES = ".lane .name, .lane .value"
CARDS = ".board-card .name, .board-card .value:not(:empty)"
HEIGHTS = """() => [...new Set([...document.querySelectorAll('.lane')]
  .map(lane => Math.round(lane.getBoundingClientRect().height)))]"""
IN_ORDER = """() => {
  const lanes = [...document.querySelectorAll('.lanes .lane')].map((lane) => {
    const { top, left } = lane.getBoundingClientRect();
    return { top, left, done: lane.classList.contains('finished') };
  }).sort((a, b) => a.top - b.top || a.left - b.left);
  const apart = new Set(lanes.map(({ top, left }) => `${top} ${left}`)).size;
  const first = lanes.findIndex(({ done }) => !done);
  return apart === lanes.length && lanes.slice(first).every(({ done }) => !done);
}"""
"""Whether lanes do not overlap, and finishers come first."""


def test_ten_lanes_keep_names_and_times(pages: Pages, server: str) -> None:
    """Nothing is cut off in the rows of ten racers, in the race and while watching."""
    ann, code = new_room(pages)
    ben = pages.open(f"/{code}", PHONE)
    join(ben, "Wilhelmina Constance", watch=True)
    bot = ("sliderace_client", "bot", code, "--server", server, "--races", "1")
    fast = run_module(*bot, "--count", "5", "--pace", "1")
    slow = run_module(*bot, "--count", "4", "--pace", "600")
    try:
        ann.wait_for_selector(".member.is-ready >> nth=8")
        ann.get_by_role("button", name="Start the race").click()
        ann.wait_for_selector(".lane >> nth=9")
        (before,) = ann.evaluate(HEIGHTS)
        ann.wait_for_selector(".stage [data-board]")
        ann.wait_for_selector(".lane.finished >> nth=4", timeout=30_000)
        assert ann.evaluate(CUT, LANES) == []
        assert ann.evaluate(HEIGHTS) == [before]
        ann.wait_for_function(IN_ORDER)
        solve_by_keys(ann)
        ann.wait_for_selector(".board-card.finished >> nth=5")
        ben.wait_for_selector(".board-card.finished >> nth=5")
        assert ann.evaluate(CUT, CARDS) == []
        for page in (ann, ben):
            assert fits_screen(page)
    finally:
        for program in (fast, slow):
            program.kill()
            program.wait()


def test_smallest_phone_keeps_clock_and_time_left_apart(pages: Pages) -> None:
    """Whoever gave up watches the others, who have little time left."""
    ann, code = new_room(pages)
    ben = new_guest(pages, code, "Ben", SMALL)
    start_race_with(ann, ben)
    solve_by_keys(ann)
    ben.wait_for_selector(".deadline >> text=left")
    give_up(ben)
    ben.wait_for_selector(".spectating .deadline >> text=left")
    clock, left, buttons = (
        ben.locator(part).bounding_box() for part in (".clock", ".deadline", ".cameras")
    )
    assert clock
    assert left
    assert buttons
    assert clock["y"] + clock["height"] <= left["y"]
    assert left["x"] + left["width"] <= buttons["x"]


def test_series_keeps_names_whole_on_the_smallest_phone(pages: Pages) -> None:
    ann, code = new_room(pages, "Wilhelmina Constance")
    ben = new_guest(pages, code, "Ben", SMALL)
    start_race_with(ann, ben)
    solve_by_keys(ann)
    give_up(ben)
    name = ben.locator(".series td >> text=Wilhelmina")
    name.wait_for()
    lines = "one => one.clientHeight / parseFloat(getComputedStyle(one).lineHeight)"
    assert name.evaluate(lines) < 3
    assert fits_screen(ben)


def test_dnf_reason_stays_in_its_column(pages: Pages) -> None:
    """On a desktop and on phones, the reason is not cut off."""
    ann, code = new_room(pages)
    ben = new_guest(pages, code, "Ben", PHONE)
    start_race_with(ann, ben)
    solve_by_keys(ann)
    end_race(ann)
    ben.wait_for_selector("[data-screen=results]")
    cells = ".results td, .results .time small, .card:has(> .results)"
    for page, size in ((ann, DESKTOP), (ben, PHONE), (ben, SMALL)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        assert "stopped by the host" in page.locator(".results .dnf .time").inner_text()
        filled = ", ".join(f"{cell}:not(:empty)" for cell in cells.split(", "))
        assert page.evaluate(CUT, filled) == []
        assert fits_screen(page)


@pytest.mark.parametrize("size", [PHONE, SMALL])
def test_lost_server_leaves_the_header_intact(
    browser: Browser, size: tuple[int, int]
) -> None:
    """Help and settings stay reachable; no rematch is offered without a server."""
    with start_server("--memory", "--port", "0") as server:
        pages = Pages(browser, server.url)
        ann, _ = race_alone(pages, "Ann", size)
        solve_by_keys(ann)
        ann.wait_for_selector("[data-screen=results]")
        server.kill()
        ann.wait_for_selector(".chip.lost >> text=not answering", timeout=20_000)
        assert ann.evaluate(CUT, ".top, .chip.lost") == []
        assert fits_screen(ann)
        assert ann.get_by_role("button", name="Rematch").is_disabled()
        pages.close()
        assert [one for one in pages.faults if not UNREACHABLE.search(one)] == []
