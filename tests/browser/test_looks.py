"""How the page fits: from a large screen down to the smallest phone."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page
from tests.browser.conftest import DESKTOP, PHONE, SMALL, Pages
from tests.browser.player import (
    alone,
    fits,
    give_up,
    guest,
    host,
    join,
    opened,
    own_board,
    press,
    quick_rules,
    say_ready,
    solve_all,
)

from sliderace_client.shared_ui.render import DARK, LAYERS, LIGHT, TILE_INK

pytestmark = [pytest.mark.browser, pytest.mark.timeout(90)]

LONG = "Wilhelmina Constance"
LARGE = (2560, 1440)
HERO = """() => {
  const box = document.querySelector('.board.own').getBoundingClientRect();
  const inside = box.top >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
  const share = Math.max(box.width, box.height) / Math.min(innerWidth, innerHeight);
  return inside && share >= 0.6;
}"""
"""The board's side is that part of the screen's shorter one, and it is fully seen."""
COLOUR = re.compile(r"--([a-z-]+): (#[0-9a-f]{6});")
CARDS = """() => [...document.querySelectorAll('.home form.card')].map((card) => {
  const box = card.getBoundingClientRect();
  return [Math.round(box.top), Math.round(box.left)];
})"""
PLACES = """() => Object.fromEntries(
  [["overlay", ".overlay"], ["board", ".board.own"], ["lanes", ".lanes"]].map(
    ([name, part]) => {
      const box = document.querySelector(part)?.getBoundingClientRect();
      return [name, box && [box.left, box.top, box.right, box.bottom].map(Math.round)];
    }))"""
GIVE_UP = """() => [...document.querySelectorAll('.bar button')]
  .find((one) => one.textContent === 'Give up').offsetWidth"""


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(SMALL, (568, 320)), (PHONE,), (DESKTOP, LARGE)])
def test_every_screen_fits(pages: Pages, sizes: tuple[tuple[int, int], ...]) -> None:
    """No sideways scrolling anywhere; the board is the hero."""

    def all_fit(page: Page, *, hero: bool = False) -> None:
        for width, height in reversed(sizes):
            page.set_viewport_size({"width": width, "height": height})
            assert fits(page)
            if hero:
                page.wait_for_function(HERO)

    page = pages.open("/", sizes[0])
    all_fit(page)
    code = host(page, LONG)
    quick_rules(page)
    ben = pages.open(f"/{code}", sizes[0])
    ben.wait_for_selector("[data-screen=enter]")
    all_fit(ben)
    join(ben, LONG)
    say_ready(page, ben)
    all_fit(page)
    all_fit(ben)
    page.get_by_role("button", name="Start the race").click()
    page.wait_for_selector("[data-screen=race]")
    all_fit(page)
    page.wait_for_selector("[data-board]")
    all_fit(page, hero=True)
    solve_all(page)
    page.wait_for_selector(".board-card >> nth=1")
    all_fit(page)
    give_up(ben)
    page.wait_for_selector("[data-screen=results]")
    all_fit(page)


def test_a_phone_can_be_turned(pages: Pages) -> None:
    """The board stays whole and large both ways, and the race goes on."""
    page, _ = alone(pages, "Ann", PHONE)
    page.wait_for_function(HERO)
    page.set_viewport_size({"width": PHONE[1], "height": PHONE[0]})
    page.wait_for_function(HERO)
    assert fits(page)


def test_light_and_dark(pages: Pages) -> None:
    """The system's wish is followed; text keeps its contrast on both grounds."""
    colours = """(style => [style.backgroundColor, style.color])(
        getComputedStyle(document.body)
    )"""
    light = pages.open(scheme="light").evaluate(colours)
    dark = pages.open(scheme="dark").evaluate(colours)
    assert light == ["rgb(244, 240, 231)", "rgb(43, 34, 27)"]
    assert dark == ["rgb(27, 22, 18)", "rgb(236, 231, 222)"]


def test_page_and_terminal_have_one_palette(page_folder: Path) -> None:
    """By both grounds; `client/test_render.py` says what the colours promise."""
    sheet = (page_folder / "styles/base.css").read_text()
    light, dark = (dict(COLOUR.findall(part)) for part in sheet.split("@media")[:2])
    for look, told in ((LIGHT, light), (DARK, dark)):
        parts = ("ground", "raised", "well", "line", "ink", "soft", "accent", "good")
        for part in (*parts, "bad"):
            assert told[part] == getattr(look, part), part
    layers = ("amber", "sky", "olive", "orchid", "sage")
    assert tuple(light[name] for name in layers) == LAYERS
    assert light["on-tile"] == TILE_INK


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_tab_goes_as_one_reads(pages: Pages, size: tuple[int, int]) -> None:
    """At home, from the top to the bottom, and what is beside it from left to right."""
    page = pages.open("/", size)
    page.wait_for_selector(".home .hosting")
    boxes = page.evaluate(CARDS)
    assert len(boxes) == 2
    assert boxes == sorted(boxes)


def test_nothing_moves_from_the_countdown_on(pages: Pages) -> None:
    """It fills the board's own place, and all that the race needs has its own."""
    page, _ = opened(pages, "Ann", PHONE)
    page.get_by_role("button", name="Start the race").click()
    page.wait_for_selector("[data-screen=race] .overlay .number")
    before = page.evaluate(PLACES)
    for inside, outside in zip(before["overlay"], before["board"], strict=True):
        assert abs(inside - outside) <= 20, "the tray's edge"
    assert not page.get_by_role("button", name="Give up").is_visible()
    assert page.evaluate(GIVE_UP) > 0
    page.wait_for_selector("[data-board]")
    page.get_by_role("button", name="Give up").wait_for()
    after = page.evaluate(PLACES)
    assert after["board"] == before["board"]
    assert after["lanes"] == before["lanes"]


def test_motion(pages: Pages) -> None:
    """Tiles glide for 80 to 120 ms, or not at all where that is wished."""
    glide = "tile => getComputedStyle(tile).transitionDuration"
    page, _ = alone(pages)
    tile = page.locator(".board.own .tile").first
    assert 0.08 <= float(tile.evaluate(glide).removesuffix("s")) <= 0.12
    page.emulate_media(reduced_motion="reduce")
    assert tile.evaluate(glide) == "0s"


def test_a_race_lays_out_only_what_changes(pages: Pages, tmp_path: Path) -> None:
    """Clock, counts and lane each by itself: a slow phone has no time for the page."""
    page, _ = alone(pages, "Ann", PHONE)
    there = own_board(page).legal_slides()[0][0]
    back = {"U": "D", "D": "U", "L": "R", "R": "L"}[there]
    path = tmp_path / "trace.json"
    timeline = ["devtools.timeline", "disabled-by-default-devtools.timeline"]
    pages.browser.start_tracing(page=page, path=path, categories=timeline)
    for _ in range(10):
        press(page, there)
        press(page, back)
        page.wait_for_timeout(100)  # a tenth of a second on the clock
    page.wait_for_selector(".counts >> text=20 moves")
    pages.browser.stop_tracing()
    events = json.loads(path.read_text())["traceEvents"]
    layouts = [one["args"]["endData"] for one in events if one["name"] == "Layout"]
    roots = [root["nodeName"] for one in layouts for root in one["layoutRoots"]]
    assert sum("clock-row" in root for root in roots) > 5, roots
    assert roots.count("#document") < 5, roots


def test_nothing_is_inline_and_nothing_foreign(page_folder: Path) -> None:
    """What the content security policy will not run is not there to begin with."""
    index = (page_folder / "index.html").read_text()
    assert "<style" not in index
    assert "style=" not in index
    assert "onclick" not in index
    assert index.count("<script") == 1
    assert "http" not in index
    for file in page_folder.rglob("*.js"):
        text = file.read_text()
        assert "innerHTML" not in text, file.name
        assert "eval(" not in text, file.name


HIDDEN = """() => [...document.querySelectorAll('.note')].flatMap((note) => {
  const box = note.getBoundingClientRect();
  const parts = document.querySelectorAll('main *, .brand, .chip:not([hidden])');
  return [...parts].filter((part) => {
    const other = part.getBoundingClientRect();
    return part.checkVisibility() && other.width && other.height
      && box.left < other.right && other.left < box.right
      && box.top < other.bottom && other.top < box.bottom;
  }).map((part) => part.className);
})"""
"""What lies under a note."""
SEEN = """(button) => {
  const box = button.getBoundingClientRect();
  const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return scrollY === 0 && box.bottom <= innerHeight && button.contains(top);
}"""
CUT = """() => [...document.querySelectorAll('.lane .name')]
  .filter((name) => name.checkVisibility() && name.scrollWidth > name.clientWidth)
  .map((name) => name.textContent)"""


@pytest.mark.slow
def test_a_full_lobby_and_its_race_on_a_phone(
    pages: Pages, bot: Callable[[str, float], None]
) -> None:
    """Six players: one button away from the race, every name whole, notes apart."""
    ann, code = opened(pages, "Ann", SMALL)
    ann.get_by_label("3\u00d73").check()
    for _ in range(4):
        bot(code, 1.0)
    # Bots that come behind him would take the place of his note.
    ann.wait_for_selector(".member >> nth=4", timeout=30_000)
    ben = guest(pages, code, "Ben", PHONE)
    ann.wait_for_selector(".note >> text=Ben joined")
    ann.evaluate("scrollTo(0, 0)")
    assert ann.evaluate(HIDDEN) == []
    for page, name in ((ann, "Start the race"), (ben, "I\u2019m ready")):
        page.wait_for_selector(".member.is-ready >> nth=3")
        page.evaluate("scrollTo(0, 0)")
        assert page.get_by_role("button", name=name).evaluate(SEEN)
    assert "boards hidden" in ben.locator(".rule-line").inner_text()
    assert "Board sealed: " in ben.locator(".commitment").inner_text()
    assert ann.locator(".dock").get_by_text("Ben is not ready and will watch.").count()
    ann.get_by_role("button", name="Start the race").click()
    ben.wait_for_selector("text=You were not ready")
    ben.wait_for_selector(".board-card[data-board] >> nth=4")
    assert ben.evaluate(CUT) == []
    assert ann.evaluate(CUT) == []
    assert "not ready" in ben.locator(".banner").inner_text()


SIZE = re.compile(r"font-size: ([^;]+);")
TYPE = {f"var(--{name})" for name in ("small", "text", "large", "huge")}
BY_BOARD = re.compile(r"100cqw / var\(--w\)|var\(--wide\)")


def test_there_are_four_type_sizes(page_folder: Path) -> None:
    """Numerals of tiles and countdown grow with the board; all else is one of four."""
    sheets = {file.name: file.read_text() for file in page_folder.rglob("*.css")}
    screens = re.compile(r":root \{\s*font-size: \d+px;")
    found = [
        (name, size)
        for name, text in sheets.items()
        for size in SIZE.findall(screens.sub("", text))
        if size not in TYPE and not BY_BOARD.search(size)
    ]
    assert found == [("results.css", "0")], "a heading that is read aloud only"
    assert len(TYPE) == 4
