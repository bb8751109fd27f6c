"""axe-core, an accessibility checker, finds no fault on any screen."""

import json
import re
from pathlib import Path
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
    open_host_form,
    solve_by_keys,
    use_short_countdown,
)
from tests.browser.stored_profiles import open_as, stored_server

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

TWO_FRAMES = """() => new Promise((done) =>
  requestAnimationFrame(() => requestAnimationFrame(done)))"""
"""After a change of size, a page measures itself in one frame and adapts in the
next."""


def _check_sizes(page: Page, screen: str, part: str = "html") -> None:
    """Check a part of the page: light at its size, dark on the smallest phone."""
    usual = page.viewport_size
    assert usual is not None
    for width, height in ((usual["width"], usual["height"]), SMALL):
        page.set_viewport_size({"width": width, "height": height})
        small = (width, height) == SMALL
        page.emulate_media(color_scheme="dark" if small else "light")
        _check(page, f"{screen}, {width} px", part)
    page.set_viewport_size(usual)


def _check(page: Page, screen: str, part: str = "html") -> None:
    """Check a part of the page as it is once it is laid out and nothing moves."""
    page.evaluate(TWO_FRAMES)
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
    open_host_form(ann)
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
    _check_sizes(ann, "settings", ".panel")  # which covers parts of the lobby
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


def test_axe_finds_no_fault_in_profile_and_statistics(
    browser: Browser, axe: str, tmp_path: Path
) -> None:
    """Also not in tables on demand, and in the leaderboards with our own line."""
    with stored_server(tmp_path) as address:
        pages = Pages(browser, address)

        def opened(key: str, query: str, ready: str) -> Page:
            page = open_as(pages, key, query)
            page.add_init_script(axe)
            page.emulate_media(reduced_motion="reduce")
            page.reload()
            page.locator(ready).first.wait_for()
            return page

        statistics = opened("many", "?statistics", ".attempts li")
        for summary in statistics.locator(".chart summary").all():
            summary.click()
        statistics.locator(".chart tbody").last.wait_for()
        _check_sizes(statistics, "statistics")
        _check_all(opened("dnf", "?statistics", ".attempts li"), "only DNFs", PHONE)
        _check_sizes(opened("player 109", "?leaderboards", ".mine"), "leaderboards")
        profile = opened("many", "?profile", ".devices li")
        profile.get_by_role("button", name="Add a device").click()
        profile.locator(".ticket").wait_for()
        profile.get_by_text("Show the key of this device").click()
        profile.get_by_role("button", name="Delete this profile").click()
        _check_sizes(profile, "profile")
        profile.get_by_role("button", name="Privacy").click()
        profile.locator(".side-panel li").first.wait_for()
        _check_all(profile, "privacy", PHONE)
        guest = opened("unknown", "?profile", ".profile-cards form")
        guest.get_by_text("Use a key that you wrote down").click()
        _check_sizes(guest, "no profile")
        pages.close()
        assert pages.faults == []


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
        open_host_form(ann)
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


def test_axe_finds_no_fault_in_rooms_of_the_server(pages: Pages, axe: str) -> None:
    """Nor where people race at once, alone, or on the daily boards."""
    ann, ben = pages.blank(), pages.blank(PHONE)
    for page in (ann, ben):
        page.add_init_script(axe)
        page.emulate_media(reduced_motion="reduce")
        page.goto(pages.address)
    ann.get_by_role("button", name="Join a race").click()
    ann.wait_for_selector(".code-input")
    _check_all(ann, "code", DESKTOP, PHONE)
    ann.get_by_role("radio", name="4\u00d74").check()
    ann.get_by_role("button", name="Race now").click()
    ann.wait_for_selector(".question")
    _check_all(ann, "question", DESKTOP, PHONE, dark=False)
    ann.get_by_role("button", name="I am new").click()
    ann.wait_for_selector("[data-screen=race] .stage [data-board]")
    ben.get_by_role("button", name=re.compile("Join: 4\u00d74")).wait_for()
    _check_all(ben, "live rooms", PHONE)
    ben.get_by_role("button", name=re.compile("Join: 4\u00d74")).click()
    ben.wait_for_selector(".board-card[data-board] >> nth=3")
    ben.get_by_text("Warm up").click()
    _check_all(ben, "late comer", PHONE, DESKTOP)
    ben.goto(f"{pages.address}/?daily")
    ben.wait_for_selector(".daily-guest:not([hidden])")
    _check_all(ben, "daily, guest", PHONE, DESKTOP)
    ben.goto(pages.address)
    ben.evaluate("localStorage.setItem('sliderace.solo.size', '3x3')")
    ben.get_by_role("button", name="Play alone").click()
    ben.wait_for_selector("[data-screen=solo] .board:not(.placeholder)")
    _check_all(ben, "alone", PHONE, DESKTOP)
    solve_by_keys(ben)
    ben.get_by_role("button", name="Keep this time").wait_for()
    _check_all(ben, "alone, solved", PHONE, DESKTOP)
    ben.get_by_role("button", name="Keep this time").click()
    ben.wait_for_selector(".gain-lines li")
    _check_all(ben, "new best", PHONE, DESKTOP, dark=False)
    ben.get_by_role("link", name="sliderace").click()
    ben.get_by_role("button", name="Daily boards").click()
    ben.locator(".daily-board .primary:not(:disabled)").first.click()
    ben.wait_for_selector("[data-screen=race] .stage [data-board]")
    solve_by_keys(ben)
    ben.wait_for_selector("[data-screen=results] .gain-lines li")
    _check_all(ben, "daily race", PHONE, DESKTOP)
    ben.get_by_role("button", name="Back to the daily boards").click()
    ben.wait_for_selector("[data-state=done]")
    _check_all(ben, "daily", PHONE, DESKTOP, dark=False)


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
