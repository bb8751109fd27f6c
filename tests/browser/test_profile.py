"""The profile: create it, use it on other devices, and delete it."""

import re
import zipfile

import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import PHONE, SMALL, Pages
from tests.browser.player import (
    fits_screen,
    host,
    solve_by_keys,
    start,
    use_short_countdown,
)

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]

STORED = "Object.values(localStorage).join(' ')"


def _create(pages: Pages, name: str) -> Page:
    """Create a profile as a new visitor."""
    page = pages.open("/?profile")
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Create a profile").click()
    page.get_by_role("heading", name=name, exact=True).wait_for()
    return page


def _letters(page: Page) -> str:
    """Request letters for another device."""
    page.get_by_role("button", name="Add a device").click()
    return page.locator(".ticket").inner_text()


def test_profile_is_created_and_renamed(pages: Pages) -> None:
    """A reload finds it again; the wire accepts a hostile name, which stays text."""
    page = _create(pages, "Ann")
    page.get_by_label("Your name").fill("<i>Zoë</i>")
    page.get_by_role("button", name="Change your name").click()
    page.get_by_role("heading", name="<i>Zoë</i>").wait_for()
    page.reload()
    page.get_by_role("heading", name="<i>Zoë</i>").wait_for()
    assert page.locator(".devices li").count() == 1
    assert page.get_by_role("button", name="Remove").count() == 0, "it is the last one"
    page.set_viewport_size({"width": SMALL[0], "height": SMALL[1]})
    assert fits_screen(page)


def test_letters_add_a_device_and_it_can_be_removed(pages: Pages) -> None:
    page = _create(pages, "Ann")
    letters = _letters(page)
    phone = pages.open("/?profile", PHONE)
    field = phone.get_by_label("Letters from the other device")
    field.fill("BBBB-BBBB" if letters != "BBBB-BBBB" else "CCCC-CCCC")
    phone.get_by_role("button", name="Add this device").click()
    expect(phone.locator(".problem:not([hidden])")).to_have_count(1)
    field.fill(letters.lower().replace("-", " "))
    phone.get_by_role("button", name="Add this device").click()
    phone.get_by_role("heading", name="Ann", exact=True).wait_for()
    page.get_by_role("button", name="Done").click()
    expect(page.locator(".devices li")).to_have_count(2)
    other = page.locator(".devices li").last
    other.get_by_role("button", name="Remove").click()
    other.get_by_role("button", name="Really remove it").click()
    expect(page.locator(".devices li")).to_have_count(1)
    phone.reload()
    phone.get_by_role("button", name="Create a profile").wait_for()


def test_qr_code_leads_to_where_another_device_reaches_the_server(
    pages: Pages,
) -> None:
    """A page that was opened on the server's own machine has an address of no use."""
    page = _create(pages, "Ann")
    known = {"rooms": [], "links": ["http://192.0.2.7:8710/race/"]}
    page.route("**/api/rooms", lambda route: route.fulfill(json=known))
    letters = _letters(page).replace("-", "")
    link = page.locator(".qr").get_attribute("data-link")
    assert link == f"http://192.0.2.7:8710/race/?profile#claim={letters}"


def test_qr_code_is_left_out_if_no_other_device_reaches_the_server(
    pages: Pages,
) -> None:
    page = _create(pages, "Ann")
    _letters(page)
    assert page.locator(".qr").count() == 0


def test_link_brings_the_letters_and_loses_them(pages: Pages) -> None:
    """The letters are in the part of the link that no server sees, and then nowhere."""
    letters = _letters(_create(pages, "Ann"))
    phone = pages.open(f"/?profile#claim={letters.replace('-', '')}", PHONE)
    field = phone.get_by_label("Letters from the other device")
    expect(field).to_have_value(letters)
    assert phone.url == f"{pages.address}/?profile"
    phone.get_by_role("button", name="Add this device").click()
    phone.get_by_role("heading", name="Ann", exact=True).wait_for()


def test_key_on_paper_brings_the_profile_back(pages: Pages) -> None:
    page = _create(pages, "Ann")
    assert not page.locator(".key").is_visible()
    page.get_by_text("Show the key of this device").click()
    shown = page.locator(".key")
    expect(shown).to_have_text(re.compile("^(?:[0-9a-f]{4}-){7}[0-9a-f]{4}$"))
    key = shown.inner_text()
    other = pages.open("/?profile")
    other.get_by_text("Use a key that you wrote down").click()
    field = other.get_by_label("Key", exact=True)
    for wrong, why in (
        (key[:-1], "A key has 32 digits"),
        ("0123-4567-89ab-cdef-" * 2, "knows no profile with this key"),
    ):
        field.fill(wrong)
        other.get_by_role("button", name="Use this key").click()
        other.get_by_text(why).wait_for()
        assert "0123456789abcdef" not in other.evaluate(STORED)
    field.fill(key.upper())
    other.get_by_role("button", name="Use this key").click()
    other.get_by_role("heading", name="Ann", exact=True).wait_for()
    other.reload()
    other.get_by_role("heading", name="Ann", exact=True).wait_for()


def test_deletion_waits_and_can_be_cancelled(pages: Pages) -> None:
    page = _create(pages, "Ann")
    page.get_by_role("button", name="Delete this profile").click()
    page.get_by_role("button", name="Really delete it in 72 hours").click()
    page.get_by_text("This profile will be deleted on").wait_for()
    page.reload()
    page.get_by_role("button", name="Keep the profile").click()
    page.get_by_role("button", name="Delete this profile").wait_for()


def test_everything_stored_is_saved_as_a_file(pages: Pages) -> None:
    """The secret that opens it is in no address."""
    page = _create(pages, "Ann")
    with page.expect_download() as started:
        page.get_by_role("button", name="Save everything").click()
    file = started.value
    assert re.fullmatch("sliderace-[A-Z]{8}[.]zip", file.suggested_filename)
    assert file.url.startswith("blob:")
    names = zipfile.ZipFile(file.path()).namelist()
    assert "attempts.csv" in names


def test_this_device_can_leave_the_profile(pages: Pages) -> None:
    """What was the secret is forgotten; the other device keeps the profile."""
    page = _create(pages, "Ann")
    letters = _letters(page)
    phone = pages.open("/?profile", PHONE)
    phone.get_by_label("Letters from the other device").fill(letters)
    phone.get_by_role("button", name="Add this device").click()
    own = phone.locator(".devices li", has_text="this device")
    own.get_by_role("button", name="Remove").click()
    own.get_by_role("button", name="Really remove it here").click()
    phone.get_by_role("button", name="Create a profile").wait_for()
    page.reload()
    expect(page.locator(".devices li")).to_have_count(1)


def test_best_attempt_on_another_device_races_along(pages: Pages) -> None:
    """Its curve comes from the race record, which the profile names."""
    page = _create(pages, "Ann")
    letters = _letters(page)
    other = pages.open("/?profile")
    other.get_by_label("Letters from the other device").fill(letters)
    other.get_by_role("button", name="Add this device").click()
    other.get_by_role("heading", name="Ann", exact=True).wait_for()
    for one in (page, other):
        one.goto(pages.address)
        host(one, "Ann")
        use_short_countdown(one)
        start(one)
        assert one is other or not one.locator(".pace").is_visible()
        if one is page:
            solve_by_keys(one)
            one.wait_for_selector("[data-screen=results] .solves table")
    other.locator(".pace").get_by_text("your best").wait_for()


def test_page_says_what_the_server_stores(pages: Pages) -> None:
    page = pages.open("/?profile", PHONE)
    page.get_by_role("button", name="Privacy").click()
    panel = page.get_by_role("dialog", name="Privacy")
    expect(panel.locator("li")).to_have_count(9)
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    assert fits_screen(page)
