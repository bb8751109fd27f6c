"""The page's layout, from a large screen to the smallest phone."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page
from tests.browser.conftest import DESKTOP, PHONE, SMALL, Pages
from tests.browser.player import (
    fits_screen,
    give_up,
    host,
    join,
    make_ready,
    new_guest,
    new_room,
    open_host_form,
    own_board,
    press,
    race_alone,
    solve_by_keys,
    start,
    use_short_countdown,
)

from sliderace_client.shared_ui.render import DARK, LAYERS, LIGHT, TILE_INK

pytestmark = [pytest.mark.browser, pytest.mark.timeout(90)]

LONG = "Wilhelmina Constance"
LARGE = (2560, 1440)
HERO = """() => {
  const board = document.querySelector('.board.own');
  board.scrollIntoView({ block: 'nearest' });
  const box = board.getBoundingClientRect();
  const inside = box.top >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
  const share = Math.max(box.width, box.height) / Math.min(innerWidth, innerHeight);
  return inside && share >= 0.6;
}"""
"""Whether the board is fully visible and as wide as 60% of the shorter side."""
WHOLE = """() => {
  const tray = document.querySelector('.stage .tray');
  const { top, bottom } = tray.getBoundingClientRect();
  return scrollY > 0 && top >= 0 && bottom <= innerHeight;
}"""
COLOUR = re.compile(
    r"--([a-z-]+): (?:light-dark\()?(#[0-9a-f]{6})(?:, (#[0-9a-f]{6})\))?;"
)
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


@pytest.mark.slow
@pytest.mark.parametrize(
    "sizes", [(SMALL, (568, 320), (320, 256)), (PHONE,), (DESKTOP, LARGE)]
)
def test_every_screen_fits_without_sideways_scrolling(
    pages: Pages, sizes: tuple[tuple[int, int], ...]
) -> None:
    """No screen scrolls sideways, and the board is the largest element."""

    def all_fit(page: Page, *, hero: bool = False) -> None:
        for width, height in reversed(sizes):
            page.set_viewport_size({"width": width, "height": height})
            assert fits_screen(page)
            if hero:
                page.wait_for_function(HERO)

    page = pages.open("/", sizes[0])
    all_fit(page)
    code = host(page, LONG)
    use_short_countdown(page)
    ben = pages.open(f"/{code}", sizes[0])
    ben.wait_for_selector("[data-screen=enter]")
    all_fit(ben)
    join(ben, LONG)
    make_ready(page, ben)
    all_fit(page)
    all_fit(ben)
    page.get_by_role("button", name="Start the race").click()
    page.wait_for_selector("[data-screen=race]")
    all_fit(page)
    page.wait_for_selector("[data-board]")
    all_fit(page, hero=True)
    solve_by_keys(page)
    page.wait_for_selector(".board-card >> nth=1")
    all_fit(page)
    give_up(ben)
    page.wait_for_selector("[data-screen=results]")
    all_fit(page)


def test_board_stays_large_when_a_phone_rotates(pages: Pages) -> None:
    """The board is large and fully visible both ways, and the race continues."""
    page, _ = race_alone(pages, "Ann", PHONE)
    page.wait_for_function(HERO)
    page.set_viewport_size({"width": PHONE[1], "height": PHONE[0]})
    page.wait_for_function(HERO)
    assert fits_screen(page)


def test_theme_follows_the_system(pages: Pages) -> None:
    """The page's ground and text have the colours of the system's scheme."""
    colours = """(style => [style.backgroundColor, style.color])(
        getComputedStyle(document.body)
    )"""
    light = pages.open(scheme="light").evaluate(colours)
    dark = pages.open(scheme="dark").evaluate(colours)
    assert light == ["rgb(244, 240, 231)", "rgb(43, 34, 27)"]
    assert dark == ["rgb(27, 22, 18)", "rgb(236, 231, 222)"]


def test_theme_can_be_chosen(pages: Pages) -> None:
    """It applies at once, to the browser's own bar too, and is kept."""
    page = pages.open(scheme="light")
    ground = "getComputedStyle(document.body).backgroundColor"
    bar = """[...document.querySelectorAll("meta[name=theme-color]")]
      .find(({ media }) => matchMedia(media).matches).content"""
    dark, light = ["rgb(27, 22, 18)", "#1b1612"], ["rgb(244, 240, 231)", "#f4f0e7"]
    page.get_by_label("Settings").click()
    for choice, expected in (("Dark", dark), ("System", light), ("Light", light)):
        page.get_by_label(choice).check()
        assert [page.evaluate(ground), page.evaluate(bar)] == expected
    page.get_by_label("Dark").check()
    page.reload()
    page.wait_for_selector(".home")
    assert [page.evaluate(ground), page.evaluate(bar)] == dark


def test_forced_colours_leave_edges_and_choices_visible(pages: Pages) -> None:
    """The system replaces backgrounds, so borders and its own colours must say it."""
    page = pages.open()
    page.emulate_media(forced_colors="active")
    page.wait_for_selector(".home .face")
    edge = "one => parseFloat(getComputedStyle(one).borderTopWidth)"
    assert page.locator(".face").first.evaluate(edge) >= 1
    ground = "one => getComputedStyle(one.nextElementSibling).backgroundColor"
    chosen = page.get_by_label("4\u00d74").evaluate(ground)
    assert chosen != page.get_by_label("5\u00d75").evaluate(ground)


def test_page_and_terminal_have_the_same_palette(page_folder: Path) -> None:
    """Compare both themes; `client/test_render.py` checks the colours themselves."""
    sheet = (page_folder / "styles/base.css").read_text()
    found = COLOUR.findall(sheet)
    light = {name: one for name, one, _ in found}
    dark = {name: other or one for name, one, other in found}
    for look, shown in ((LIGHT, light), (DARK, dark)):
        parts = ("ground", "raised", "well", "line", "ink", "soft", "accent", "good")
        for part in (*parts, "bad"):
            assert shown[part] == getattr(look, part), part
    layers = ("amber", "sky", "olive", "orchid", "sage")
    assert tuple(light[name] for name in layers) == LAYERS
    assert light["on-tile"] == TILE_INK


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_tab_order_is_reading_order(pages: Pages, size: tuple[int, int]) -> None:
    """On the start page, Tab moves top to bottom and left to right."""
    page = pages.open("/", size)
    open_host_form(page)
    boxes = page.evaluate(CARDS)
    assert len(boxes) == 2
    assert boxes == sorted(boxes)


def test_layout_does_not_shift_after_the_countdown_starts(pages: Pages) -> None:
    """The countdown fills the board's place; everything else has reserved space."""
    page, _ = new_room(pages, "Ann", PHONE)
    page.get_by_role("button", name="Start the race").click()
    page.wait_for_selector("[data-screen=race] .overlay .number")
    before = page.evaluate(PLACES)
    for inside, outside in zip(before["overlay"], before["board"], strict=True):
        assert abs(inside - outside) <= 20, "the tray's edge"
    assert not page.get_by_role("button", name="Give up").is_visible()
    page.wait_for_selector("[data-board]")
    page.get_by_role("button", name="Give up").wait_for()
    after = page.evaluate(PLACES)
    assert after["board"] == before["board"]
    assert after["lanes"] == before["lanes"]


def test_race_is_not_reloaded_by_a_pull_and_has_edges_in_forced_colours(
    pages: Pages,
) -> None:
    page, _ = race_alone(pages, "Ann", PHONE)
    pull = "getComputedStyle(document.body).overscrollBehaviorY"
    assert page.evaluate(pull) == "none"
    page.emulate_media(forced_colors="active")
    edge = "one => parseFloat(getComputedStyle(one).borderTopWidth)"
    for part in (".lane.mine .well", ".plate > div"):
        assert page.locator(part).evaluate(edge) >= 1, part


def test_tiles_glide_unless_reduced_motion_is_set(pages: Pages) -> None:
    """Tiles glide for 80 to 120 ms, or not at all with reduced motion."""
    glide = "tile => getComputedStyle(tile).transitionDuration"
    page, _ = race_alone(pages)
    tile = page.locator(".board.own .tile").first
    assert 0.08 <= float(tile.evaluate(glide).removesuffix("s")) <= 0.12
    page.emulate_media(reduced_motion="reduce")
    assert tile.evaluate(glide) == "0s"


def test_race_lays_out_only_the_parts_that_change(pages: Pages, tmp_path: Path) -> None:
    """Clock, counts and lanes are laid out separately: the whole page is too slow."""
    page, _ = race_alone(pages, "Ann", PHONE)
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
    assert sum("hud" in root for root in roots) > 5, roots
    assert roots.count("#document") < 5, roots


def test_no_inline_script_and_no_foreign_resource(page_folder: Path) -> None:
    """The page contains nothing that its content security policy would block."""
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
"""The elements that a note covers."""
SEEN = """(button) => {
  const box = button.getBoundingClientRect();
  const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return scrollY === 0 && box.bottom <= innerHeight && button.contains(top);
}"""
CUT = """() => [...document.querySelectorAll('.lane .name')]
  .filter((name) => name.checkVisibility() && name.scrollWidth > name.clientWidth)
  .map((name) => name.textContent)"""


@pytest.mark.slow
def test_full_lobby_and_race_fit_on_a_phone(
    pages: Pages, bot: Callable[[str, float], None]
) -> None:
    """With six players, one button starts, names are whole, and notes cover nothing."""
    ann, code = new_room(pages, "Ann", SMALL)
    ann.get_by_label("3\u00d73").check()
    for _ in range(4):
        bot(code, 40)
    # If bots joined after him, their notes would replace his.
    ann.wait_for_selector(".member >> nth=4", timeout=30_000)
    ben = new_guest(pages, code, "Ben", PHONE)
    ann.wait_for_selector(".note >> text=Ben joined")
    ann.evaluate("scrollTo(0, 0)")
    assert ann.evaluate(HIDDEN) == []
    for page, name in ((ann, "Start the race"), (ben, "I\u2019m ready")):
        page.wait_for_selector(".member.is-ready >> nth=3")
        page.evaluate("scrollTo(0, 0)")
        assert page.get_by_role("button", name=name).evaluate(SEEN)
    assert "boards hidden" in ben.locator(".rule-line").inner_text()
    sealed = ben.locator(".commitment summary")
    assert re.fullmatch(r"Board sealed: [0-9a-f]{8}\u2026", sealed.inner_text())
    sealed.click()
    whole = ben.locator(".commitment code").inner_text()
    assert re.fullmatch("[0-9a-f]{64}", whole)
    assert ann.locator(".dock").get_by_text("Ben is not ready and will watch.").count()
    ann.get_by_role("button", name="Start the race").click()
    ben.wait_for_selector("text=You were not ready")
    ben.wait_for_selector(".board-card[data-board] >> nth=4")
    assert ben.evaluate(CUT) == []
    assert ann.evaluate(CUT) == []
    assert "not ready" in ben.locator(".banner").inner_text()


SIZE = re.compile(r"font-size: ([^;]+);")
TYPE = {f"var(--{name})" for name in ("small", "text", "large", "huge")}
BY_BOARD = re.compile(r"100cqw / var\(--w\)|var\(--(fit|cell)\)")


def test_page_uses_four_type_sizes(page_folder: Path) -> None:
    """Only what stands on a board scales with it: tiles, countdown, place, time.

    On the smallest phone, a table and a sign are smaller: larger words would be cut.
    """
    sheets = {file.name: file.read_text() for file in page_folder.rglob("*.css")}
    screens = re.compile(r":root \{\s*font-size: \d+px;")
    found = [
        (name, size)
        for name, text in sheets.items()
        for size in SIZE.findall(screens.sub("", text))
        if size not in TYPE and not BY_BOARD.search(size)
    ]
    assert sorted(found) == [
        *(("own-screens.css", "0.75rem"), ("race.css", "0.75rem")),
        ("results.css", "0"),  # a heading that is read aloud only
    ]
    assert len(TYPE) == 4


CLASS = re.compile(r"\.(-?[a-z][\w-]*)(?=[^{}]*\{)")


def test_every_class_of_a_style_sheet_is_used(page_folder: Path) -> None:
    """Only `layer0` ... and `row0` ..., `place1` ... are put together from pieces."""
    code = "\n".join(
        file.read_text()
        for file in page_folder.rglob("*")
        if file.suffix in (".js", ".html") and "vendor" not in file.parts
    )
    words = set(re.findall(r"[\w-]+", code))
    pieces = re.compile(r"(layer|level|row|place)\d")
    dead = {
        f"{sheet.name}: {name}"
        for sheet in page_folder.rglob("*.css")
        for name in CLASS.findall(
            re.sub(r"/\*.*?\*/", "", sheet.read_text(), flags=re.DOTALL)
        )
        if name not in words and not pieces.fullmatch(name)
    }
    assert dead == set()


def test_400_percent_shows_the_lobby_and_then_the_whole_board(pages: Pages) -> None:
    """The lobby's bar scrolls with the page, and a race scrolls to the board."""
    page, _ = new_room(pages, "Ann", (320, 256))
    dock = page.locator(".dock")
    assert dock.evaluate("one => getComputedStyle(one).position") == "static"
    start(page)
    page.wait_for_function(WHOLE)
    page.get_by_role("button", name="Call off", exact=True).click()
    page.get_by_role("button", name="Really call off").click()
    page.wait_for_selector(".lobby")
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    assert dock.evaluate("one => getComputedStyle(one).position") == "sticky"
