"""The board is the largest thing on the screen, and nothing moves it during a race."""

from typing import Any

import pytest
from playwright.sync_api import Page
from tests.browser.conftest import PHONE, Pages, run_module
from tests.browser.player import (
    fits_screen,
    host,
    new_guest,
    new_room,
    open_host_form,
    own_board,
    press,
    solution,
    solve_by_keys,
    start_race_with,
    use_short_countdown,
)

pytestmark = [pytest.mark.browser, pytest.mark.timeout(90)]

SHARES = {(1440, 900): 45, (1024, 700): 54, (844, 390): 42, PHONE: 40, (360, 640): 48}
"""Least percentage of the screen that the board takes, with any number of racers."""
STACKED = (320, 256)
"""At 400 % the page scrolls, and one part stands below the other."""
ENLARGED = [(720, 450), (512, 350), (320, 568), STACKED]
"""Screens at 200 %, and the smallest phone."""
TRAY = """() => {
  const tray = document.querySelector('.stage .tray');
  tray.scrollIntoView({ block: 'nearest' });
  const box = tray.getBoundingClientRect();
  const inside = box.left >= 0 && box.top >= 0
    && box.right <= innerWidth && box.bottom <= innerHeight;
  const share = 100 * box.width * box.height / innerWidth / innerHeight;
  return [inside, share, Math.round(box.width)];
}"""
TRAYS = """() => {
  const boxes = [...document.querySelectorAll('.board-card .tray')]
    .map((tray) => tray.getBoundingClientRect());
  const inside = boxes.every(({ left, top, right, bottom }) =>
    left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight);
  const area = boxes.reduce((sum, { width, height }) => sum + width * height, 0);
  const widths = boxes.map(({ width }) => Math.round(width)).sort((a, b) => b - a);
  return [inside, 100 * area / innerWidth / innerHeight, widths];
}"""
SCROLLS = "document.documentElement.scrollHeight > innerHeight + 1"
OWN = """() => {
  const box = document.querySelector('.lane.mine').getBoundingClientRect();
  const list = document.querySelector('.lanes').getBoundingClientRect();
  return box.top >= list.top && box.bottom <= list.bottom + 1 && box.height >= 20
    && box.left >= 0 && box.right <= innerWidth;
}"""
SHIFTS = """() => {
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries())
      window.shifts.push([value, ...sources.map(({ node }) => node?.className)]);
  }).observe({ type: "layout-shift" });
}"""
LAID_OUT = """([width, height]) => innerWidth === width && innerHeight === height
  && [...document.querySelectorAll('.lanes, .area')].some((one) => one.clientHeight)
  && document.getAnimations().every(({ playState }) => playState !== "running")"""


def _resize(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.wait_for_function(LAID_OUT, arg=[*size])


def _board_widths(page: Page) -> dict[tuple[int, int], int]:
    """Check the layout at every size; return how wide the board is."""
    widths: dict[tuple[int, int], int] = {}
    for size in (*SHARES, *ENLARGED):
        _resize(page, size)
        inside, share, widths[size] = page.evaluate(TRAY)
        assert inside, size
        assert share >= SHARES.get(size, 0), size
        assert page.evaluate(OWN), f"own row at {size}"
        assert fits_screen(page), size
        assert page.evaluate(SCROLLS) == (size == STACKED), size
    assert widths[STACKED] >= 0.9 * STACKED[1]
    return widths


def test_board_has_the_same_large_size_with_two_and_sixteen_racers(
    pages: Pages, server: str
) -> None:
    """The own row is visible, and nothing scrolls, at every size."""
    seen: list[dict[tuple[int, int], int]] = []
    for many in (1, 15):
        page, code = new_room(pages)
        bot = ("sliderace_client", "bot", code, "--server", server, "--races", "1")
        bots = run_module(*bot, "--count", str(many), "--pace", "600")
        try:
            page.wait_for_selector(f".member.is-ready >> nth={many - 1}")
            page.get_by_role("button", name="Start the race").click()
            page.wait_for_selector("[data-board]")
            seen.append(_board_widths(page))
        finally:
            bots.kill()
            bots.wait()
    assert seen[0] == seen[1]


def test_spectator_sees_six_whole_boards_on_most_of_the_screen(
    pages: Pages, server: str
) -> None:
    """A pinned board is larger than the others, and they stay whole."""
    ann, code = new_room(pages)
    bot = ("sliderace_client", "bot", code, "--server", server, "--races", "1")
    bots = run_module(*bot, "--count", "5", "--pace", "600")
    try:
        ann.wait_for_selector(".member.is-ready >> nth=4")
        eve = new_guest(pages, code, "Eve", watch=True)
        ann.get_by_role("button", name="Start the race").click()
        eve.wait_for_selector(".board-card[data-board] >> nth=5")
        for size, least in (((1440, 900), 60), ((844, 390), 34)):
            _resize(eve, size)
            eve.wait_for_function(
                f"""(least) => {{
              const [inside, share] = ({TRAYS})();
              return inside && share >= least;
            }}""",
                arg=least,
            )
        _resize(eve, (1440, 900))
        eve.locator(".board-card .pin").nth(3).click()
        eve.wait_for_selector(".board-card.big >> nth=0")
        _resize(eve, (1440, 900))
        inside, _, widths = eve.evaluate(TRAYS)
        assert inside
        assert widths[0] >= 1.6 * widths[1], widths
        assert not eve.evaluate(SCROLLS)
        eve.locator(".reactions summary").click()
        for size in ((1440, 900), (844, 390)):
            _resize(eve, size)
            menu = eve.locator(".reactions .choices").bounding_box()
            assert menu is not None
            assert 0 <= menu["y"] <= size[1] - menu["height"], size
            assert 0 <= menu["x"] <= size[0] - menu["width"], size
    finally:
        bots.kill()
        bots.wait()


def test_open_boards_leave_the_own_board_large(pages: Pages) -> None:
    """Those of others stand beside it on a wide screen, and below it on others."""
    ann = pages.open()
    open_host_form(ann)
    ann.get_by_text("More rules").click()
    ann.get_by_label("Open boards").check()
    code = host(ann, "Ann")
    use_short_countdown(ann)
    ben = new_guest(pages, code, "Ben")
    start_race_with(ann, ben)
    ann.wait_for_selector(".board-card >> text=Ben")
    for size, least in SHARES.items():
        _resize(ann, size)
        inside, share, _ = ann.evaluate(TRAY)
        assert inside, size
        assert share >= least - 5, size
        assert ann.evaluate(OWN), size
        assert fits_screen(ann), size
    assert not ann.locator(".cameras").is_visible()


@pytest.mark.parametrize("size", [(1440, 900), PHONE])
def test_nothing_shifts_from_the_countdown_to_the_results(
    pages: Pages, size: tuple[int, int]
) -> None:
    """Slides, overtaking, the winner's moment and the own finish move nothing else."""
    ann, code = new_room(pages, "Ann", size)
    ben = new_guest(pages, code, "Ben", size)
    for page in (ann, ben):
        page.evaluate(
            """shifts => new MutationObserver((_, observer) => {
              if (document.body.dataset.screen !== "race") return;
              observer.disconnect();
              requestAnimationFrame(() => requestAnimationFrame(eval(shifts)));
            }).observe(document.body, { attributes: true })""".replace(
                "eval(shifts)", SHIFTS
            ),
            None,
        )
    start_race_with(ann, ben)
    solve_by_keys(ben)
    ann.wait_for_selector(".banner >> text=Ben won")
    slides = solution(own_board(ann))
    for direction, count in slides[:-1]:
        press(ann, direction, count)
    ben.wait_for_selector(".board-card.finished")
    watched: list[Any] = ben.evaluate("shifts.splice(0)")
    press(ann, *slides[-1])
    ann.wait_for_selector(".plate >> text=2nd")
    played: list[Any] = ann.evaluate("shifts")
    assert played == []
    assert watched == []
    ann.wait_for_selector("[data-screen=results]")
