"""Settings, lobby extras, the stream view, and moving a seat to another device."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect
from tests.browser.conftest import DESKTOP, PHONE, Pages
from tests.browser.player import (
    fits_screen,
    host,
    make_ready,
    new_guest,
    new_room,
    open_host_form,
    own_board,
    press,
    race_alone,
    start_race_with,
    wait_for_board,
)

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]

CLEAR = "getComputedStyle(document.body).backgroundColor"


def test_stream_view_shows_only_the_leader(pages: Pages) -> None:
    """`?view=stream` has no join form, no controls and no background."""
    ann, code = new_room(pages)
    stream = pages.open(f"/{code}?view=stream")
    stream.wait_for_selector("[data-screen=race]")
    assert stream.evaluate(CLEAR) == "rgba(0, 0, 0, 0)"
    ann.wait_for_selector(".spectators >> text=Stream")
    start_race_with(ann, new_guest(pages, code, "Ben"))
    stream.wait_for_selector(".board-card.big[data-board]")
    box = stream.locator(".board-card.big .board").bounding_box()
    assert box is not None
    assert box["height"] >= 0.6 * DESKTOP[1], "no place is kept for the others"
    for what in ("button", "header", "input"):
        assert stream.locator(f"{what}:visible").count() == 0, what
    board = own_board(ann)
    direction = board.legal_slides()[0][0]
    press(ann, direction)
    board.slide(direction)
    shown = " ".join(map(str, board.tiles))
    stream.wait_for_selector(f".board-card.big[data-board='{shown}']")


def test_stream_view_shows_no_ranks_of_the_last_race(pages: Pages) -> None:
    """After an abort the racers of the next race stand by seat."""
    ann, code = new_room(pages)
    ben = new_guest(pages, code, "Ben")
    stream = pages.open(f"/{code}?view=stream")
    start_race_with(ann, ben)
    stream.wait_for_selector(".lanes.ordered", state="attached")
    ann.get_by_role("button", name="Call off", exact=True).click()
    ann.get_by_role("button", name="Really call off").click()
    ben.wait_for_selector(".lobby")
    make_ready(ann, ben)
    ann.get_by_role("button", name="Start the race").click()
    stream.wait_for_selector(".overlay:not(.over)")
    assert stream.locator(".lanes.ordered").count() == 0


def test_seat_moves_to_another_device(pages: Pages) -> None:
    """A QR code moves it; the first device disconnects; no URL keeps the secret."""
    ann, code = race_alone(pages)
    board = own_board(ann)
    direction = board.legal_slides()[0][0]
    press(ann, direction)
    board.slide(direction)
    ann.get_by_label("Settings").click()
    ann.get_by_role("button", name="another device").click()
    picture = ann.locator(".panel .qr")
    picture.locator("svg").wait_for()
    ticket = urlsplit(picture.get_attribute("data-link") or "").fragment
    kept = "code => localStorage['sliderace.seat.' + code]"
    assert ticket.removeprefix("ticket=") not in ann.evaluate(kept, code)
    phone = pages.open(f"/{code}#{ticket}", PHONE)
    wait_for_board(phone, board)
    assert phone.url == f"{pages.address}/{code}"
    ann.wait_for_selector("text=on another device now")
    eve = pages.open(f"/{code}#{ticket}")
    eve.wait_for_selector("text=used before")
    phone.reload()
    wait_for_board(phone, board)


def test_rules_chosen_at_home_apply_in_the_room(pages: Pages) -> None:
    ann = pages.open()
    open_host_form(ann)
    ann.get_by_text("More rules").click()
    ann.get_by_label("Spectators see boards").select_option("30 s later")
    ann.get_by_label("Open boards").check()
    host(ann, "Ann")
    line = ann.locator(".rule-line").inner_text()
    assert "boards open" in line
    assert "spectators 30 s behind" in line


def test_lobby_offers_auto_ready_sitting_out_and_a_warm_up(pages: Pages) -> None:
    """A player can be ready automatically, sit out, or play a private board."""
    ann = pages.open()
    code = host(ann, "Ann")
    ben = new_guest(pages, code, "Ben")
    ben.get_by_label("Always ready").check()
    ann.wait_for_selector(".member.is-ready >> text=Ben")
    ann.get_by_label(
        "5\u00d75"
    ).check()  # another race: everybody has to get ready again
    ben.wait_for_selector(".rule-line >> text=5\u00d75")
    ann.wait_for_selector(".member.is-ready >> text=Ben")
    ben.get_by_text("Warm up").click()
    expect(ben.get_by_label("Warm-up board")).to_be_in_viewport(ratio=1)
    for key in ("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"):
        ben.keyboard.press(key)
    ben.wait_for_selector(".warmup >> text=/^[1-4] moves?$/")
    ben.get_by_role("button", name="Sit out").click()
    ann.wait_for_selector(".member .badge.bench")
    ben.get_by_role("button", name="Play again").click()
    ann.wait_for_selector(".member.is-ready >> text=Ben")


def test_boards_can_have_any_size(pages: Pages) -> None:
    """From 2x2 to 10x10, square or not: at home, in the lobby, and in practice."""
    ann = pages.open("/", PHONE)
    open_host_form(ann)
    ann.get_by_role("radio", name="Other").check()
    ann.get_by_label("Width").select_option("2")
    ann.get_by_label("Height").select_option("10")
    assert fits_screen(ann)
    ann.get_by_role("button", name="Open a room").click()
    line = ann.locator(".rule-line")
    expect(line).to_contain_text("2\u00d710")
    assert ann.get_by_label("Height").input_value() == "10"
    ann.get_by_text("Warm up").click()
    expect(ann.get_by_label("Warm-up board")).to_be_in_viewport(ratio=1)
    ann.get_by_label("Width").select_option("10")
    expect(line).to_contain_text("10\u00d710")
    assert ann.get_by_label("Height").is_visible()
    ann.get_by_label("2\u00d72").check()
    expect(line).to_contain_text("2\u00d72")
    assert not ann.get_by_label("Height").is_visible()
    ann.goto(f"{pages.address}/?practice")
    ann.get_by_label("Size").select_option("7x2")
    ann.wait_for_selector(".board .tile:nth-child(13)")
    assert ann.locator(".board .tile").count() == 13


def test_phone_has_no_settings_for_mouse_and_keys(pages: Pages) -> None:
    """The QR code that moves the seat is in sight as soon as it is there."""
    page, _ = race_alone(pages, "Ann", PHONE)
    page.set_viewport_size({"width": 844, "height": 390})
    page.get_by_label("Settings").click()
    page.get_by_label("Theme").or_(page.get_by_text("Theme")).first.wait_for()
    for gone in ("Hover", "Keys move the gap", "Your own keys"):
        assert page.get_by_text(gone).count() == 0
    page.get_by_role("button", name="another device").click()
    expect(page.locator(".panel .qr svg")).to_be_in_viewport(ratio=1)
    desk = pages.open()
    desk.get_by_label("Settings").click()
    desk.get_by_text("Your own keys").wait_for()
    assert desk.get_by_text("Hover").count() == 1


def test_settings_suggest_the_name_of_the_start_page(pages: Pages) -> None:
    """A newcomer has one suggested name, wherever it is shown."""
    page = pages.open("/")
    name = page.get_by_label("Your name").input_value()
    page.get_by_label("Settings").click()
    panel = page.locator(".panel").get_by_label("Your name")
    assert panel.input_value() == name


def test_tile_colours_follow_the_setting(pages: Pages) -> None:
    page = pages.open()
    face = page.locator(".board .tile:nth-child(4) .face")  # row 2, column 1
    tone = "face => getComputedStyle(face).backgroundColor"
    seen = {face.evaluate(tone)}
    page.get_by_label("Settings").click()
    for scheme in ("Rows", "Plain"):
        page.get_by_label(scheme).check()
        seen.add(face.evaluate(tone))
    assert len(seen) == 3
    page.keyboard.press("Escape")
    page.reload()
    page.wait_for_selector(".home")
    assert face.evaluate(tone) in seen
    assert page.evaluate("document.documentElement.dataset.scheme") == "mono"
