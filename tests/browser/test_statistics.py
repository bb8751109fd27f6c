"""Statistics and leaderboards, with few, many, failed and hostile attempts."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Request, expect
from tests.browser.conftest import DESKTOP, PHONE, SMALL, Pages
from tests.browser.player import fits_screen
from tests.browser.stored_profiles import (
    EQUAL,
    MANY,
    open_as,
    secret_of,
    stored_server,
)

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(120)]

DRAWN = """() => [...document.querySelectorAll('.chart .picture')]
  .filter((picture) => picture.checkVisibility())
  .map((picture) => picture.outerHTML)"""
DOTS = """() => document.querySelector('.picture path.attempts').getAttribute('d')
  .split('M').length - 1"""
FITTED = """() =>
  [...document.querySelectorAll('.chart .canvas:not([hidden])')].every((one) =>
    one.firstChild.getAttribute('viewBox').split(' ')[2] == one.clientWidth)"""
CLIPPED = """() => {
  const box = (one) => one.getBoundingClientRect();
  return [...document.querySelectorAll('.chart .picture text')].filter((one) => {
    const card = box(one.closest('.chart'));
    return box(one).left < card.left || box(one).right > card.right;
  }).map((one) => one.textContent);
}"""
TOUCHING = """() => {
  const charts = [...document.querySelectorAll('.chart .picture')];
  return charts.flatMap((picture) => {
    const marks = [...picture.querySelectorAll('text.mark')].map((one) =>
      [one.textContent, one.getBoundingClientRect()]);
    return marks.flatMap(([name, a], n) => marks.slice(n + 1)
      .filter(([, b]) => a.top === b.top && a.left < b.right && b.left < a.right)
      .map(([other]) => `${name} ${other}`));
  });
}"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with stored_server(tmp_path_factory.mktemp("store")) as address:
        yield address


@pytest.fixture
def owners(browser: Browser, address: str) -> Iterator[Pages]:
    """Open pages; fail if any of them logged an error."""
    pages = Pages(browser, address)
    yield pages
    pages.close()
    assert pages.faults == []


def _check_drawing(page: Page, charts: int) -> None:
    """Check that so many charts are drawn, completely, at each size of the window."""
    for width, height in (SMALL, PHONE, DESKTOP):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function(FITTED)
        drawn = page.evaluate(DRAWN)
        assert len(drawn) == charts
        for picture in drawn:
            for wrong in ("NaN", "undefined", "Infinity"):
                assert wrong not in picture
        assert page.evaluate(CLIPPED) == []
        assert page.evaluate(TOUCHING) == []
        assert fits_screen(page)


def test_long_history_is_drawn_and_loaded_in_parts(owners: Pages) -> None:
    """The charts show the latest 500 attempts, then all; tables say the same."""
    page = open_as(owners, "many", "?statistics=4x4")
    page.get_by_text("The charts show your latest 500 attempts.").wait_for()
    finished = 500 - 500 // 17
    assert page.evaluate(DOTS) == finished
    page.get_by_text(f"500 attempts, {finished} of them finished").wait_for()
    _check_drawing(page, charts=3)
    table = page.locator(".chart .as-table").first
    table.locator("summary").click()
    assert table.locator("tbody tr").count() == 500
    assert page.locator(".attempts li").count() == 50
    for _ in range(9):
        page.get_by_role("button", name="Show more").click()
    assert page.locator(".attempts li").count() == 500
    page.get_by_role("button", name="Load earlier attempts").click()
    page.get_by_text(f"The charts show all {MANY} attempts.").wait_for()
    assert page.evaluate(DOTS) == MANY - MANY // 17
    assert table.locator("tbody tr").count() == MANY
    assert page.get_by_role("button", name="Load earlier attempts").count() == 0
    _check_drawing(page, charts=3)


def test_attempt_leads_to_its_replay_and_back(owners: Pages) -> None:
    page = open_as(owners, "one", "?statistics")
    link = page.locator(".attempts .when a")
    assert (link.get_attribute("href") or "").startswith("?replay=KWXTRB-SA1B2C-")
    link.click()
    page.wait_for_selector("[data-screen=replay]")
    page.go_back()
    page.locator(".attempts .when a").wait_for()


@pytest.mark.parametrize(
    ("key", "sentence", "charts"),
    [
        ("none", "No attempt counts here yet.", 1),
        ("one", "1 attempt, 1 of them finished; the best took 12.345 s.", 3),
        ("dnf", "You have not finished any of your 20 attempts.", 2),
    ],
)
def test_few_attempts_are_drawn_too(
    owners: Pages, key: str, sentence: str, charts: int
) -> None:
    page = open_as(owners, key, "?statistics=4x4", PHONE, scheme="dark")
    page.get_by_text(sentence).wait_for()
    _check_drawing(page, charts)


def test_nonsense_in_the_address_means_the_event_with_most_attempts(
    owners: Pages,
) -> None:
    page = open_as(owners, "one", "?statistics=99x4")
    page.get_by_text("the best took 12.345 s").wait_for()


def test_attempt_below_the_pointer_is_described(owners: Pages) -> None:
    page = open_as(owners, "one", "?statistics=4x4")
    picture = page.locator(".chart .picture").first
    picture.hover()
    expect(page.locator(".chart .readout").first).to_contain_text(
        "12.345 s, ao5 \u2013"
    )


def test_guest_is_led_to_the_profile(owners: Pages) -> None:
    page = owners.open("/?statistics")
    page.get_by_role("link", name="Go to your profile").click()
    page.get_by_role("button", name="Create a profile").wait_for()


def test_leaderboard_shows_the_best_and_our_own_place(owners: Pages) -> None:
    """The secret is sent in a header to this server, and is in no address."""
    asked: list[Request] = []

    def note(request: Request) -> None:
        asked.append(request)

    page = open_as(owners, "player 109", "?leaderboards")
    page.locator(".places .mine").wait_for()
    page.on("request", note)
    page.get_by_label("Input").select_option("Touch")
    page.get_by_text("Nobody is on this leaderboard yet").or_(
        page.get_by_text("have a place here")
    ).wait_for()
    page.get_by_label("Input").select_option("Any input")
    page.locator(".places .mine").wait_for()
    (last,) = [one for one in asked if "api/boards" in one.url][-1:]
    assert last.headers["authorization"] == f"Bearer {secret_of('player 109')}"
    assert not [one.url for one in asked if secret_of("player 109") in one.url]
    assert "Player 109" in page.locator(".places .mine").inner_text()
    lines = page.locator(".places tbody tr")
    assert lines.nth(100).get_attribute("class") == "gap"
    names = lines.locator(".name").all_inner_texts()
    assert names[-2:] == ["Player 108", "Player 109 you"]
    assert page.get_by_text("you are 115th").is_visible()
    for width, height in (SMALL, PHONE, DESKTOP):
        page.set_viewport_size({"width": width, "height": height})
        assert fits_screen(page)


def test_names_are_text_and_equal_ones_have_an_id(owners: Pages) -> None:
    page = owners.open("/?leaderboards&event=4x4")
    rows = page.locator(".places tbody tr")
    rows.first.wait_for()
    assert rows.first.locator(".name").inner_text() == "<b>Eve</b> x"
    assert page.locator(".places b").count() == 0
    equal = rows.filter(has_text=EQUAL)
    ids = equal.locator(".id").all_inner_texts()
    assert len(set(ids)) == 2
    assert all(len(one) == 8 for one in ids)
    assert equal.locator(".place").all_inner_texts() == ["2", "2"]
    assert rows.first.locator(".id").count() == 0
    assert page.locator(".mine").count() == 0, "a guest has no place"


def test_address_names_the_leaderboard(owners: Pages) -> None:
    """A reload or a sent link shows the same leaderboard."""
    page = owners.open("/?leaderboards")
    page.get_by_label("Result").select_option("Average of 5")
    page.locator(".places tbody tr").first.wait_for()
    assert page.url.endswith("?leaderboards&event=4x4&kind=ao5")
    names = page.locator(".places .name").all_inner_texts()
    page.reload()
    page.locator(".places tbody tr").first.wait_for()
    assert page.locator(".places .name").all_inner_texts() == names == ["Zoë"]
    page.get_by_label("Board size").select_option("6\u00d76")
    page.get_by_text("Nobody is on this leaderboard yet.").wait_for()
    page.get_by_label("When").select_option("Today's daily race")
    page.get_by_text("fixed when the server published its anchor").wait_for()
    page.get_by_text("Nobody is on this leaderboard yet.").wait_for()
    assert page.url.endswith("?leaderboards&event=4x4&span=daily")
    assert page.get_by_label("Board size").input_value() == "4x4", (
        "6x6 has no daily race"
    )
    assert page.get_by_label("Result").input_value() == "single"


def test_first_leaderboard_has_the_size_of_the_start_page(owners: Pages) -> None:
    page = owners.open("/")
    page.get_by_label("5\u00d75").check()
    page.get_by_role("button", name="Profile and leaderboards").click()
    page.get_by_text("Nobody is on this leaderboard yet.").wait_for()
    assert page.get_by_label("Board size").input_value() == "5x5"


def test_figures_keep_words_whole_on_the_smallest_phone(owners: Pages) -> None:
    page = open_as(owners, "many", "?statistics=4x4")
    page.set_viewport_size({"width": SMALL[0], "height": SMALL[1]})
    head = page.locator(".figures-card th[scope=row] >> text=Pauses")
    head.wait_for()
    lines = "one => one.clientHeight / parseFloat(getComputedStyle(one).lineHeight)"
    assert head.evaluate(lines) < 2
    assert fits_screen(page)
