"""Joining, seats and lost connections on the page."""

import re
import signal
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser
from tests.browser.conftest import PHONE, Pages, start_server
from tests.browser.player import (
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
    solution,
    solve_by_keys,
    start,
    start_race_with,
    use_short_countdown,
    wait_for_board,
)

pytestmark = [pytest.mark.browser, pytest.mark.timeout(90)]

EXPECTED = re.compile("404|WebSocket connection|ERR_CONNECTION|Failed to load")
"""Chromium's log messages about an unknown room and a lost server."""


def _ignore_expected(pages: Pages) -> None:
    """Drop the errors that the test caused on purpose."""
    pages.faults[:] = [fault for fault in pages.faults if not EXPECTED.search(fault)]


def test_code_can_be_typed_in_any_form(pages: Pages) -> None:
    ann = pages.open()
    code = host(ann, "Ann")
    ben = pages.open()
    ben.get_by_role("button", name="Join a race").click()
    ben.get_by_label("Room code").fill("LOVELY")
    ben.keyboard.press("Enter")
    assert "six letters" in ben.get_by_role("alert").inner_text()
    ben.get_by_label("Room code").fill(f" {code[:3].lower()}-{code[3:].lower()} ")
    ben.keyboard.press("Enter")
    ben.wait_for_selector("[data-screen=enter]")
    join(ben, "Ben")
    ann.wait_for_selector(".member >> text=Ben")


def test_wrong_code_shows_a_message_on_the_start_page(pages: Pages) -> None:
    page = pages.open("/BCDFGH")
    page.wait_for_selector("text=no such room")
    page.get_by_role("button", name="Back to the start page").click()
    page.wait_for_selector("[data-screen=home]")
    assert urlsplit(page.url).path == "/"
    _ignore_expected(pages)


def test_list_of_public_rooms_is_brought_up_to_date(pages: Pages) -> None:
    """A room that opens while somebody looks appears; one that closes disappears."""
    eve, ann = pages.open(), pages.open()
    eve.wait_for_selector(".home")
    open_host_form(ann)
    ann.get_by_label("Public room").check()
    code = host(ann, "Ann")
    listed = eve.locator(".rooms").get_by_text(f"{code[:3]}-{code[3:]}")
    listed.wait_for()
    for name in ("Close the room", "Close it for everybody"):
        ann.get_by_role("button", name=name).click()
    listed.wait_for(state="detached")


def test_locked_room_refuses_and_kicked_player_leaves(pages: Pages) -> None:
    ann = pages.open()
    code = host(ann, "Ann")
    ben = new_guest(pages, code, "Ben")
    ann.get_by_label("Locked").check()
    cleo = pages.open(f"/{code}")
    cleo.get_by_role("button", name="Join the race").click()
    cleo.wait_for_selector("text=The host has locked the room")
    ann.get_by_label("Options for Ben").click()
    ann.get_by_role("button", name="Remove").click()
    sure = "Really remove? They stay out until you lock and unlock the room"
    ann.get_by_role("button", name=sure).click()
    ben.wait_for_selector("text=The host removed you")
    ann.wait_for_selector(".players h2 >> text=1 player")
    ben.reload()
    ben.wait_for_selector("[data-screen=enter]")
    assert ben.get_by_role("button", name="Continue").count() == 0


def test_new_tab_can_take_over_the_seat(pages: Pages) -> None:
    """The new tab asks first; the old one says it was replaced, and can reconnect."""
    ann = pages.open()
    code = host(ann, "Ann")
    other = pages.tab(ann.context, f"/{code}")
    other.get_by_role("button", name="Continue as Ann").click()
    other.wait_for_selector(".lobby .badge.you")
    ann.wait_for_selector("text=another tab")
    ann.get_by_role("button", name="Play here instead").click()
    ann.wait_for_selector(".lobby .badge.you")
    other.wait_for_selector("text=another tab")


def test_host_controls_reach_everybody_at_once(pages: Pages) -> None:
    """Size, rules, bench and a new host show at once on all pages."""
    ann = pages.open()
    code = host(ann, "Ann")
    ben = new_guest(pages, code, "Ben")
    ann.get_by_label("5\u00d75").check()
    ben.wait_for_selector(".rule-line >> text=5\u00d75")
    ann.get_by_text("More rules").click()
    ann.get_by_label("Open boards").check()
    ben.wait_for_selector(".rule-line >> text=boards open")
    ann.get_by_label("Options for Ben").click()
    ann.locator(".menu[open]").get_by_role("button", name="Sit out").click()
    ben.get_by_role("button", name="Play again").click()
    ann.wait_for_selector(".member .ready >> nth=1 >> text=not ready")
    ann.get_by_label("Options for Ben").click()
    ann.get_by_role("button", name="Make host").click()
    ben.wait_for_selector("role=button[name='Start the race']")
    ann.wait_for_selector("role=button[name='Start the race']", state="detached")


def test_changed_rule_stays_until_the_server_answers(browser: Browser) -> None:
    """A switch does not jump back before the answer, but does if refused."""
    with start_server("--memory", "--port", "0") as server:
        pages = Pages(browser, server.url)
        ann = pages.open()
        code = host(ann, "Ann")
        ben = new_guest(pages, code, "Ben")
        server.process.send_signal(signal.SIGSTOP)
        ann.get_by_label("5\u00d75").check()
        ann.wait_for_timeout(200)
        assert ann.get_by_label("5\u00d75").is_checked()
        server.process.send_signal(signal.SIGCONT)
        ben.wait_for_selector(".rule-line >> text=5\u00d75")
        ann.get_by_text("More rules").click()
        server.process.send_signal(signal.SIGSTOP)
        ann.get_by_role("button", name="Start the race").click()
        ann.get_by_label("6\u00d76").check()
        server.process.send_signal(signal.SIGCONT)
        ann.wait_for_selector(".note.bad", state="attached")
        assert ann.locator("[data-screen=race]").count() == 1
        pages.close()
    assert pages.faults == []


def test_names_are_shown_as_plain_text(pages: Pages) -> None:
    ann = pages.open()
    code = host(ann, "<b onclick=x>A")
    assert ann.locator(".member .name").inner_text() == "<b onclick=x>A"
    assert ann.locator(".member b").count() == 0
    ben = pages.open(f"/{code}")
    join(ben, "\u202eB\u200be\u0000n")
    ann.wait_for_selector(".member .name >> text=/^Ben$/")


def test_player_can_leave_and_host_can_close_the_room(pages: Pages) -> None:
    ann = pages.open()
    code = host(ann, "Ann")
    ben = new_guest(pages, code, "Ben")
    ann.get_by_role("button", name="Close the room").click()
    ann.get_by_role("button", name="Close it for everybody").click()
    ann.wait_for_selector("[data-screen=home]")
    ben.wait_for_selector("text=This room has closed")


def test_race_survives_a_killed_server(browser: Browser, tmp_path: Path) -> None:
    """A racer continues offline; a restarted server on the same port has the race."""
    database = ("--database", str(tmp_path / "rooms.sqlite"))
    with start_server("--port", "0", *database) as first:
        pages = Pages(browser, first.url)
        ann, _ = race_alone(pages)
        board = own_board(ann)
        slides = solution(board)
        for direction, count in slides[:4]:
            press(ann, direction, count)
        first.kill()
        ann.wait_for_selector(".chip.lost")
        for direction, count in slides[4:8]:
            press(ann, direction, count)
        for direction, count in slides[:8]:
            board.slide(direction, count)
        wait_for_board(ann, board)
        with start_server("--port", str(urlsplit(first.url).port), *database):
            ann.wait_for_selector(".chip.lost", state="hidden", timeout=20_000)
            wait_for_board(ann, board)
            for direction, count in slides[8:]:
                press(ann, direction, count)
            ann.wait_for_selector("[data-screen=results]")
            assert ann.locator("h1").inner_text() == "Solved!"
        pages.close()
    _ignore_expected(pages)
    assert pages.faults == []


def test_page_works_without_tls_on_the_local_network(browser: Browser) -> None:
    """Browsers offer no clipboard, crypto or UUIDs there; the page needs none."""
    with start_server("--memory", "--port", "0", "--hosts", "race.lan") as server:
        address = f"http://race.lan:{urlsplit(server.url).port}"
        pages = Pages(browser, address)
        ann = pages.open()
        assert ann.evaluate("[isSecureContext, typeof crypto.subtle]") == [
            False,
            "undefined",
        ]
        code = host(ann, "Ann")
        assert ann.locator(".link").inner_text() == f"{address[7:]}/{code}"
        ann.wait_for_selector(".qr svg[role=img]")
        ann.get_by_role("button", name="Copy link").click()
        ann.wait_for_selector("text=Link copied")
        ann.keyboard.press("Tab")
        ben = new_guest(pages, code, "Ben", PHONE)
        assert not ben.locator(".qr").is_visible()
        ben.get_by_role("button", name="QR code").click()
        assert ben.locator(".qr").is_visible()
        ben.context.close()
        use_short_countdown(ann)
        start(ann)
        solve_by_keys(ann)
        ann.wait_for_selector(".verdict.good")
        ann.locator("summary", has_text="How the board was made").click()
        ann.wait_for_selector(".checks >> text=/^cannot be known .* signature:/")
        pages.close()
    assert pages.faults == []


def test_lost_server_shows_a_message(browser: Browser) -> None:
    with start_server("--memory", "--port", "0") as server:
        pages = Pages(browser, server.url)
        ann = pages.open(size=PHONE)
        host(ann, "Ann")
        start(ann)
        one_line = ann.locator(".top").bounding_box()
        server.kill()
        ann.wait_for_selector(".chip.lost >> text=not answering", timeout=20_000)
        assert ann.locator(".top").bounding_box() == one_line
        pages.close()


def test_page_works_below_a_path(browser: Browser) -> None:
    options = ("--memory", "--port", "0", "--base-path", "/race")
    with start_server(*options) as server:
        pages = Pages(browser, server.url)
        ann = pages.open()
        code = host(ann, "Ann")
        assert urlsplit(ann.url).path == f"/race/{code}"
        new_guest(pages, code, "Ben")
        use_short_countdown(ann)
        start(ann)
        board = own_board(ann)
        for direction, count in solution(board):
            press(ann, direction, count)
        ann.wait_for_selector("[data-screen=results]", timeout=30_000)
        ann.reload()
        ann.wait_for_selector("[data-screen=results]")
        pages.close()
        assert pages.faults == []


SHARED = """() => {
  window.shared = [];
  navigator.share = async ({ url }) => {
    window.shared.push(url);
    if (window.refusal) throw new DOMException("", window.refusal);
  };
}"""
"""The share API of phones, which Chromium lacks here."""


def test_share_button_shares_the_link_or_copies_it(pages: Pages) -> None:
    """If the user cancels the phone's share sheet, no message appears."""
    page = pages.blank()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.add_init_script(f"({SHARED})()")
    page.goto(pages.address)
    code = host(page, "Ann")
    link = page.locator(".link").inner_text()
    assert link.endswith(f"/{code}")
    share = page.get_by_role("button", name="Share")
    share.click()
    page.evaluate("window.refusal = 'AbortError'")
    share.click()
    page.wait_for_function("() => window.shared.length === 2")
    page.wait_for_timeout(100)
    assert page.locator(".note:has-text('copied')").count() == 0
    page.evaluate("window.refusal = 'NotAllowedError'")
    share.click()
    page.wait_for_selector(".note >> text=Link copied")
    asked = page.evaluate("window.shared")
    assert [url.split("//")[1] for url in asked] == [link] * 3
    assert page.evaluate("navigator.clipboard.readText()") == asked[0]


def test_spectating_player_can_join_the_next_race(pages: Pages) -> None:
    """They get ready on the results screen; a latecomer sees why they watch."""
    ann, code = race_alone(pages)
    sam = new_guest(pages, code, "Sam", watch=True)
    ben = new_guest(pages, code, "Ben", PHONE)
    ben.wait_for_selector(".banner >> text=play in the next")
    give_up(ann)
    sam.wait_for_selector("[data-screen=results]")
    assert not sam.get_by_role("button", name="Rematch").is_visible()
    sam.get_by_role("button", name="Play in the next race").click()
    sam.get_by_role("button", name="Rematch").click()
    sam.wait_for_selector("[data-screen=lobby] .member.is-ready")


def test_others_rematch_does_not_close_the_results(pages: Pages) -> None:
    """They show who is ready until the player decides to close them."""
    ann, code = new_room(pages)
    ben = new_guest(pages, code, "Ben", PHONE)
    eve = new_guest(pages, code, "Eve", watch=True)
    start_race_with(ann, ben)
    for page in (ann, ben):
        give_up(page)
    for page in (ann, ben, eve):
        page.wait_for_selector("[data-screen=results]")
        assert not page.get_by_role("button", name="Back to the room").is_visible()
    ben.get_by_text("How the board was made").click()
    ann.get_by_role("button", name="Rematch").click()
    ann.wait_for_selector("[data-screen=lobby] .member.is-ready")
    for page in (ben, eve):
        page.wait_for_selector(
            ".main-actions >> text=Ann is ready for the next race (1 of 2)"
        )
        assert page.locator("[data-screen=results]").is_visible()
    ben.wait_for_selector(".checks >> text=/^ok .* ranking:/")
    eve.get_by_role("button", name="Back to the room").click()
    eve.wait_for_selector("[data-screen=lobby]")
    ben.get_by_role("button", name="Rematch").click()
    ann.wait_for_selector("[data-screen=race] .lane >> text=Ben")


def test_next_countdown_closes_the_results(pages: Pages) -> None:
    """No player misses a start because of the results; auto-ready players race."""
    ann, code = new_room(pages)
    ben, cleo = (new_guest(pages, code, name) for name in ("Ben", "Cleo"))
    ben.get_by_label("Always ready").check()
    make_ready(ann, cleo)
    ann.wait_for_selector(".member.is-ready >> nth=1")
    start(ann)
    for page in (ann, ben, cleo):
        give_up(page)
    for page in (ben, cleo):
        page.wait_for_selector("[data-screen=results]")
    ann.get_by_role("button", name="Rematch").click()
    for page in (ben, cleo):
        page.wait_for_selector(".main-actions >> text=ready for the next race (2 of 3)")
        assert page.locator("[data-screen=results]").is_visible()
    start(ann)
    ben.wait_for_selector("[data-screen=race] .lane.mine >> text=Ben")
    cleo.wait_for_selector("[data-screen=race] .banner >> text=You were not ready")
