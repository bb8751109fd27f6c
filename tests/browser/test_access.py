"""axe-core, an accessibility checker, finds no fault on any screen."""

import json
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page
from tests.browser.conftest import (
    DESKTOP,
    PHONE,
    SMALL,
    Pages,
    near_and_far,
    run_module,
)
from tests.browser.player import (
    end_race,
    give_up,
    host,
    join,
    make_ready,
    solve_by_keys,
    use_short_countdown,
)

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(120)]

RUN = """async (part) => {
  const wcag = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
  const { passes, violations } = await axe.run(part, {
    runOnly: [...wcag, "best-practice"],
    resultTypes: ["violations"],
  });
  return [passes.length, violations.map(({ id, nodes }) =>
    `${id}: ${nodes.map(({ html, any, all, none }) =>
      html.slice(0, 160) + " " + [...any, ...all, ...none].map(
        ({ message }) => message).join("; ")).join(" | ")}`)];
}"""


def _check_sizes(page: Page, screen: str) -> None:
    """Check the page: light at its size, dark on two phones."""
    usual = page.viewport_size
    assert usual is not None
    for width, height in ((usual["width"], usual["height"]), PHONE, SMALL):
        page.set_viewport_size({"width": width, "height": height})
        phone = (width, height) in (PHONE, SMALL)
        page.emulate_media(color_scheme="dark" if phone else "light")
        _check(page, f"{screen}, {width} px")
    page.set_viewport_size(usual)


def _check(page: Page, screen: str, part: str = "html") -> None:
    """Check a part of the page as it is once no animation is running."""
    page.wait_for_function(
        "() => document.getAnimations().every((one) => one.playState !== 'running')"
    )
    found: Any = page.evaluate(RUN, part)
    passes, wrong = found
    assert passes > 3, f"{screen}: nothing was looked at"
    assert wrong == [], f"{screen}: {json.dumps(wrong, indent=1)}"


def _check_all(
    page: Page, screen: str, *sizes: tuple[int, int], dark: bool = True
) -> None:
    """Check the page in one scheme, at these sizes."""
    page.emulate_media(color_scheme="dark" if dark else "light")
    for width, height in sizes:
        page.set_viewport_size({"width": width, "height": height})
        _check(page, f"{screen}, {width} px")


DESK = pytest.param(DESKTOP, "light", id="desk")
PLATE = """() => {
  const plate = document.querySelector('.plate');
  plate.hidden = false;
  ['1st', '12.345 s', '0.3 s ahead of Ben'].forEach((words, part) => {
    plate.firstElementChild.children[part].textContent = words;
  });
}"""
"""Show the plate of a finish: it stands for 1.5 s only, and axe may need longer."""
ON_A_PHONE = pytest.param(PHONE, "dark", id="phone")
EITHER_WAY = ("size", "scheme")


@pytest.mark.parametrize(EITHER_WAY, [DESK])
def test_axe_finds_no_fault_in_a_room(
    pages: Pages, axe: str, size: tuple[int, int], scheme: Literal["light", "dark"]
) -> None:
    ann, ben, sam = (pages.blank(size, scheme=scheme) for _ in range(3))
    for page in (ann, ben, sam):
        page.add_init_script(axe)
        page.emulate_media(reduced_motion="reduce", color_scheme=scheme)
    ann.goto(pages.address)
    ann.get_by_text("More rules").click()
    ann.wait_for_selector(".home .rules-grid select")
    _check_sizes(ann, "home")
    code = host(ann, "Ann")
    use_short_countdown(ann)
    ben.goto(f"{pages.address}/{code}")
    ben.wait_for_selector(".narrow form")
    _check_sizes(ben, "door")
    join(ben, "Ben")
    sam.goto(f"{pages.address}/{code}")
    join(sam, "Sam", watch=True)
    ann.get_by_text("Warm up").click()
    make_ready(ann, ben)
    _check_sizes(ann, "lobby of the host")
    _check_sizes(ben, "lobby of a guest")
    ann.get_by_label("Settings").click()
    ann.wait_for_selector(".panel")
    _check_sizes(ann, "settings")
    ann.get_by_role("button", name="Done").click()
    ann.get_by_role("button", name="Start the race").click()
    ann.wait_for_selector("[data-screen=race]")
    _check_sizes(ann, "countdown")
    ann.wait_for_selector("[data-board]")
    sam.wait_for_selector(".board-card[data-board] >> nth=1")
    _check_sizes(ann, "race")
    _check_sizes(sam, "watching")
    sam.get_by_role("button", name="Leader").click()
    sam.wait_for_selector(".board-card.big")
    _check_sizes(sam, "the leader")
    solve_by_keys(ann)
    ann.wait_for_selector(".board-card >> nth=1")
    _check_sizes(ann, "finished")
    give_up(ben)
    ann.wait_for_selector("[data-screen=results]")
    _check_sizes(ann, "results")
    for summary in ann.locator("[data-screen=results] summary").all():
        summary.click()
    ann.wait_for_selector(".splits tbody tr")
    ann.wait_for_selector(".checks >> text=/results:/")
    _check_sizes(ann, "results, all of it open")
    ben.get_by_role("button", name="Rematch").click()
    ann.wait_for_selector(".main-actions >> text=Ben is ready for the next race")
    _check_sizes(ann, "results, when others have gone on")
    again = ann.get_by_role("link", name="Watch again").get_attribute("href")
    ann.goto(str(again))
    ann.wait_for_selector("[data-screen=replay]")
    _check_sizes(ann, "replay")


@pytest.mark.parametrize(EITHER_WAY, [ON_A_PHONE])
def test_axe_finds_no_fault_in_solo(
    pages: Pages, axe: str, size: tuple[int, int], scheme: Literal["light", "dark"]
) -> None:
    """Solo, help and pictures."""
    page = pages.blank(size, scheme=scheme)
    page.add_init_script(axe)
    page.emulate_media(reduced_motion="reduce", color_scheme=scheme)
    page.goto(f"{pages.address}/?practice")
    page.wait_for_selector("[data-screen=solo] [data-board]")
    page.get_by_text("From a seed").click()
    _check_sizes(page, "practice")
    page.get_by_label("Help").click()
    page.get_by_role("heading", name="How to play").wait_for()
    _check_sizes(page, "help")
    page.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Picture").click()
    page.get_by_label("Harbour").wait_for()
    _check_sizes(page, "pictures")
    page.keyboard.press("Escape")
    page.get_by_label("Size").select_option("3x3")
    page.wait_for_selector(".board.own .tile >> nth=7")
    solve_by_keys(page)
    page.wait_for_selector(".times .time")
    _check_all(page, "a solved board", PHONE, DESKTOP)


def test_axe_finds_no_fault_in_menus_and_messages(
    browser: Browser, server: str, axe: str
) -> None:
    """Also not in a series, on open boards, in a stream, or without a connection."""
    with near_and_far(browser, server) as (near, far, proxy):
        ann, ben, stream = near.blank(), far.blank(PHONE), near.blank()
        for page in (ann, ben, stream):
            page.add_init_script(axe)
            page.emulate_media(reduced_motion="reduce")
        ann.goto(near.address)
        ann.get_by_text("More rules").click()
        ann.get_by_label("Open boards").check()
        code = host(ann, "Ann")
        use_short_countdown(ann)
        ann.get_by_label("Series").select_option("first to 2")
        bot = ("sliderace_client", "bot", code, "--server", server, "--races", "1")
        bots = run_module(*bot, "--count", "14", "--pace", "600")
        try:
            ann.wait_for_selector(".member.is-ready >> nth=13")
            _check_menus(ann)
            ben.goto(f"{far.address}/{code}")
            join(ben, "Ben")
            make_ready(ann, ben)
            stream.goto(f"{near.address}/{code}?view=stream")
            ann.get_by_role("button", name="Start the race").click()
            ann.wait_for_selector("[data-board]")
            stream.wait_for_selector(".board-card.big[data-board]")
            _check(stream, "stream")
            ann.wait_for_selector(".board-card[data-board] >> nth=14")
            _check_all(ann, "open boards of sixteen", DESKTOP, PHONE)
            ann.evaluate(PLATE)
            _check_all(ann, "plate", PHONE, DESKTOP)
            proxy.cut()
            ben.wait_for_selector(".chip.lost")
            _check_all(ben, "lost server", PHONE)
            proxy.mend()
            ben.wait_for_selector(".chip.lost", state="hidden")
            solve_by_keys(ann)
            end_race(ann)
            ann.wait_for_selector("[data-screen=results] .series tbody tr")
            _check_all(ann, "series", DESKTOP, PHONE)
        finally:
            bots.kill()
            bots.wait()
        ann.get_by_role("button", name="Rematch").click()
        ann.get_by_role("button", name="Close the room").click()
        ann.get_by_role("button", name="Close it for everybody").click()
        ben.wait_for_selector("text=This room has closed")
        _check_all(ben, "closed room", PHONE)
        ann.goto(f"{near.address}/BCDFGH")
        ann.wait_for_selector("text=no such room")
        _check_all(ann, "wrong code", DESKTOP)


def _check_menus(page: Page) -> None:
    """Check each menu of the lobby while it is open, and the code of a seat."""
    page.emulate_media(color_scheme="dark")
    for menu in (".speaker", ".add-bot", ".reactions", ".member details"):
        page.locator(f"{menu} > summary").first.click()
        _check(page, f"lobby, {menu}", f"{menu}[open]")
        page.keyboard.press("Escape")
    page.get_by_label("Settings").click()
    page.get_by_role("button", name="another device").click()
    page.locator(".panel .qr svg").wait_for()
    _check_all(page, "the code of a seat", DESKTOP)
    page.get_by_role("button", name="Done").click()
