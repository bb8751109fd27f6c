"""Solo, pictures, help, and the page without a network."""

import pytest
from playwright.sync_api import FilePayload, Page
from tests.browser.conftest import PHONE, SMALL, Pages
from tests.browser.player import (
    fits_screen,
    host,
    own_board,
    press,
    solution,
    solve_by_keys,
    wait_for_board,
)

from sliderace.engine import Size, format_board, scramble, seed_from_text

pytestmark = [pytest.mark.browser, pytest.mark.timeout(90)]

PICTURED = ".board.own.pictured"
FOUR = """() => {
  const time = (ms) => ({ ms, stm: 30, mtm: 25, undone: 0, own: false });
  const times = [600000, 700000, 800000, 900000].map(time);
  localStorage.setItem('sliderace.solo.3x3', JSON.stringify({ times, best: times[0] }));
}"""
"""Four slow solves on earlier days."""
LINES = """() => new Set([...document.querySelectorAll('.bar .button')].map(
  (button) => button.getBoundingClientRect().top)).size"""
READY = "navigator.serviceWorker.ready.then(() => true)"
KEPT = """async () => {
  const names = await caches.keys();
  const kept = await Promise.all(names.map(async (name) =>
    (await (await caches.open(name)).keys()).length));
  return kept.some((many) => many > 30);
}"""


def _play_solo(page: Page, size: str = "3x3") -> None:
    page.goto(f"{page.url.split('?')[0]}?practice")
    page.wait_for_selector("[data-screen=solo] [data-board]")
    page.get_by_label("Size").select_option(size)


def _solve(page: Page) -> None:
    solve_by_keys(page)
    page.wait_for_selector(".banner >> text=Solved in")


def test_solo_by_keyboard(pages: Pages) -> None:
    """A solve is timed, best and averages are stored, and undone slides are marked."""
    page = pages.open()
    page.evaluate(FOUR)
    _play_solo(page)
    _solve(page)
    figures = page.locator(".figures-row dd").all_inner_texts()
    assert figures[:2] == [page.locator(".times .time").first.inner_text(), "11:40.000"]
    assert figures[2] == "\u2013", "there are no twelve yet"
    page.keyboard.press("n")
    board = own_board(page)
    direction, count = board.legal_slides()[0]
    press(page, direction, count)
    for _ in range(count):
        page.keyboard.press("u")
    wait_for_board(page, board)
    _solve(page)
    assert "does not count" in page.locator(".banner").inner_text()
    assert page.locator(".times .uncounted").count() == 1
    page.reload()
    page.wait_for_selector("[data-screen=solo] [data-board]")
    assert page.get_by_label("Size").input_value() == "3x3"
    assert page.locator(".figures-row dd").all_inner_texts() == figures
    assert page.locator(".times li").count() == 6


def test_seed_gives_the_same_board_as_the_engine(pages: Pages) -> None:
    page = pages.open("/?practice", SMALL)
    page.wait_for_selector("[data-board]")
    page.get_by_label("Size").select_option("4x4")
    page.get_by_text("From a seed").click()
    page.get_by_label("The same words").fill("friday")
    page.keyboard.press("Enter")
    page.wait_for_selector(".banner >> text=From a seed")
    expected = scramble(seed_from_text("friday"), Size(4, 4))
    assert format_board(own_board(page)) == format_board(expected)
    assert fits_screen(page)
    assert page.evaluate(LINES) == 1


def test_picture_is_shown_on_the_tiles_and_remembered(pages: Pages) -> None:
    """A built-in or own picture shows in solo and in races; a bad one is refused."""
    page = pages.open("/", PHONE)
    _play_solo(page)
    page.get_by_role("button", name="Picture").click()
    page.get_by_label("Harbour").check(force=True)
    page.wait_for_selector(PICTURED)
    face = page.locator(".board.own .face").first
    image = "face => getComputedStyle(face).backgroundImage"
    assert "harbour.svg" in face.evaluate(image)
    page.get_by_label("Numbers").uncheck(force=True)
    page.wait_for_selector(".board.own.unnumbered")

    broken: FilePayload = {
        "name": "a.png",
        "mimeType": "image/png",
        "buffer": b"no picture",
    }
    page.locator("input[type=file]").set_input_files(broken)
    page.wait_for_selector(".problem >> text=cannot read that file as a picture")
    assert "harbour.svg" in face.evaluate(image), "the old one stays"
    own = face.evaluate(
        """() => {
          const canvas = document.createElement('canvas');
          canvas.width = 90; canvas.height = 60;
          canvas.getContext('2d').fillRect(0, 0, 90, 60);
          return canvas.toDataURL('image/png').split(',')[1];
        }"""
    )
    good = bytes(
        page.evaluate("text => [...atob(text)].map(c => c.charCodeAt(0))", own)
    )
    payload: FilePayload = {"name": "b.png", "mimeType": "image/png", "buffer": good}
    page.locator("input[type=file]").set_input_files(payload)
    page.wait_for_selector(".problem", state="hidden")
    page.wait_for_function(
        "() => getComputedStyle(document.querySelector('.board.own .face'))"
        ".backgroundImage.startsWith('url(\"data:image/jpeg')"
    )
    page.keyboard.press("Escape")
    page.reload()
    page.wait_for_selector(f"{PICTURED}.unnumbered")

    page.goto(pages.address)
    host(page, "Ann")
    page.get_by_role("button", name="Start the race").click()
    page.wait_for_selector(f"[data-screen=race] {PICTURED}")


def test_huge_picture_is_refused_with_a_message(pages: Pages) -> None:
    page = pages.open("/?practice")
    page.get_by_role("button", name="Picture").click()
    page.locator("input[type=file]").wait_for(state="attached")
    page.evaluate(
        """() => {
          const field = document.querySelector('input[type=file]');
          const bag = new DataTransfer();
          bag.items.add(new File([new Uint8Array(30_000_001)], 'big.png'));
          field.files = bag.files;
          field.dispatchEvent(new Event('change'));
        }"""
    )
    page.wait_for_selector(".problem >> text=larger than 30 MB")


def test_help_opens_on_every_screen(pages: Pages) -> None:
    """It opens by button and key, returns the focus, and leaves a race its keys."""
    ann = pages.open()

    def check_help(page: Page) -> None:
        page.get_by_role("button", name="Help").click()
        page.wait_for_selector(".side-panel h2:focus")
        assert page.locator(".tips li").count() >= 5
        page.keyboard.press("Escape")
        page.wait_for_selector(".side-panel", state="detached")
        assert page.evaluate("document.activeElement.getAttribute('aria-label')") == (
            "Help"
        )

    check_help(ann)
    code = host(ann, "Ann")
    check_help(ann)
    door = pages.open(f"/{code}", SMALL)
    door.wait_for_selector("[data-screen=enter]")
    check_help(door)
    door.get_by_role("button", name="Help").click()
    assert fits_screen(door)
    ann.get_by_text("More rules").click()
    ann.get_by_label("Countdown").select_option("3 s")
    ann.get_by_role("button", name="Start the race").click()
    ann.wait_for_selector("[data-screen=race] [data-board]")
    ann.keyboard.press("?")
    ann.wait_for_selector(".side-panel h2:focus")
    board = own_board(ann)
    for direction, count in solution(board):
        press(ann, direction, count)
    ann.wait_for_selector("[data-screen=results]")
    ann.keyboard.press("Escape")
    check_help(ann)
    ann.goto(f"{pages.address}/?practice")
    ann.wait_for_selector("[data-board]")
    check_help(ann)


def test_solo_works_without_a_network(pages: Pages) -> None:
    """Once loaded, the page works offline; online it uses the server again."""
    page = pages.open("/", offline=True)
    assert page.evaluate(READY)
    page.wait_for_function(KEPT)
    page.context.set_offline(True)
    page.reload()
    page.wait_for_selector("[data-screen=home]")
    page.get_by_role("button", name="Play alone").click()
    page.wait_for_selector("[data-screen=solo] [data-board]")
    page.get_by_label("Size").select_option("3x3")
    page.wait_for_selector("text=do not count")
    _solve(page)
    page.get_by_role("button", name="Help").click()
    page.wait_for_selector(".tips")
    page.context.set_offline(False)
    page.goto(pages.address)
    page.wait_for_selector("[data-screen=home]")
    host(page, "Ann")
    # Failed requests are expected here.
    pages.faults[:] = [one for one in pages.faults if "DISCONNECTED" not in one]
