"""The end of a race: the solved board stays, then come podium, graph and table."""

import pytest
from playwright.sync_api import Browser, Page
from tests.browser.conftest import DESKTOP, PHONE, Pages, near_and_far
from tests.browser.player import (
    end_race,
    fits_screen,
    give_up,
    new_guest,
    new_room,
    own_board,
    press,
    race_alone,
    solution,
    solve_by_keys,
    start_race_with,
)

pytestmark = [pytest.mark.browser, pytest.mark.timeout(90)]

STAND_MS = 1_500
WATCH = """() => {
  window.seen = {};
  const note = () => {
    const now = performance.now();
    const board = document.querySelector('.board.own.solved');
    if (board) seen.solved ??= now;
    const plate = document.querySelector('.plate:not([hidden])');
    if (plate) Object.assign(seen, { plate: seen.plate ?? now, said: plate.innerText });
    const { screen } = document.body.dataset;
    const gone = !board?.checkVisibility();
    if (seen.solved && gone) seen.next ??= now;
    if (screen === 'results') seen.results ??= now;
    requestAnimationFrame(note);
  };
  note();
}"""


ANIMATED = """() => {
  window.animated = [];
  const { animate } = Element.prototype;
  Element.prototype.animate = function (...how) {
    animated.push(this.classList[0]);
    return animate.apply(this, how);
  };
}"""
"""Note what moves: the ring of a winner, a face that swells, the plate."""


PRESS_R = """() => {
  if (seen.next) return false;
  document.activeElement.dispatchEvent(
    new KeyboardEvent('keydown', { key: 'r', code: 'KeyR', bubbles: true }));
  return true;
}"""
"""A real key might arrive when the next screen is there, which takes it as well."""


def _finish(page: Page) -> None:
    """Solve the board, and press arrow keys and `r` until the next screen is there."""
    page.evaluate(WATCH)
    solve_by_keys(page)
    while page.evaluate(PRESS_R):
        page.keyboard.press("ArrowDown")


def _check_stand(page: Page) -> None:
    """The solved board stood, with the time, as long as it should, or longer."""
    seen = page.evaluate("seen")
    assert seen["solved"] + 250 <= seen["plate"] <= seen["next"]
    assert seen["next"] - seen["solved"] >= STAND_MS - 20


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_solved_board_and_time_stay_for_who_plays_alone(
    pages: Pages, size: tuple[int, int]
) -> None:
    """Keys pressed meanwhile neither scroll nor start a rematch."""
    page, _ = race_alone(pages, "Ann", size)
    _finish(page)
    _check_stand(page)
    page.wait_for_selector("[data-screen=results] .results-screen:not(.fresh)")
    assert page.evaluate("scrollY") == 0
    page.keyboard.press("r")
    page.wait_for_selector("[data-screen=lobby]")


def test_solver_without_a_connection_claims_no_place(
    browser: Browser, server: str
) -> None:
    """Nobody knows what the rivals have done meanwhile."""
    with near_and_far(browser, server) as (near, far, proxy):
        ann, code = new_room(near)
        ben = new_guest(far, code, "Ben", PHONE)
        start_race_with(ann, ben)
        slides = solution(own_board(ben))
        for direction, count in slides[:-3]:
            press(ben, direction, count)
        ben.wait_for_selector(".standing >> text=1st")
        proxy.cut()
        ben.wait_for_selector(".chip.lost")
        for direction, count in slides[-3:]:
            press(ben, direction, count)
        ben.wait_for_selector(".plate >> text=Kept here until the server answers")
        assert ben.locator(".standing").inner_text() == ""
        ben.wait_for_selector(".stale .lane:not(.mine)", state="attached")
        proxy.mend()
        ben.wait_for_selector(".lane.mine.finished", timeout=20_000, state="attached")


def test_first_and_last_finisher_see_their_place(pages: Pages) -> None:
    """The first one then watches the others; for the last one the results wait.

    With reduced motion nothing moves, and place and time come no sooner.
    """
    ann, code = new_room(pages)
    ben = new_guest(pages, code, "Ben", PHONE)
    ben.emulate_media(reduced_motion="reduce")
    for page in (ann, ben):
        page.evaluate(ANIMATED)
    start_race_with(ann, ben)
    _finish(ann)
    _check_stand(ann)
    assert {"face", "plate"} <= set(ann.evaluate("animated"))
    ann.wait_for_selector(".board-card.finished .stamp >> text=1st")
    _finish(ben)
    _check_stand(ben)
    assert not {"face", "plate", "ring"} & set(ben.evaluate("animated"))
    said = ben.evaluate("seen.said")
    assert said.startswith("2nd")
    assert "behind Ann, last to finish" in said
    ben.wait_for_selector("[data-screen=results]", timeout=30_000)


def test_winner_is_told_without_moving_the_board(pages: Pages) -> None:
    ann, code = new_room(pages)
    ben = new_guest(pages, code, "Ben")
    start_race_with(ann, ben)
    place = ann.locator(".board.own").bounding_box()
    ann.evaluate(ANIMATED)
    solve_by_keys(ben)
    ann.wait_for_selector(".banner >> text=Ben won")
    assert "ring" in ann.evaluate("animated")
    ann.wait_for_selector(".lane.finished >> text=Ben")
    assert ann.locator(".board.own").bounding_box() == place
    ann.wait_for_selector(".hud-content:not(.news) .deadline >> text=left")
    direction, count = solution(own_board(ann))[0]
    press(ann, direction, count)
    assert ann.locator(".board.own").bounding_box() == place


def test_keys_of_who_was_still_sliding_do_not_reach_the_results(pages: Pages) -> None:
    """When the host ends the race, the last presses scroll nothing."""
    ann, code = new_room(pages)
    ben = new_guest(pages, code, "Ben", PHONE)
    start_race_with(ann, ben)
    solve_by_keys(ann)
    end_race(ann)
    ben.wait_for_selector(".results-screen.fresh")
    for key in ("ArrowDown", "r", " "):
        ben.keyboard.press(key)
    ben.wait_for_selector(".results-screen:not(.fresh)")
    assert ben.evaluate("scrollY") == 0
    assert ben.evaluate("document.body.dataset.screen") == "results"


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_results_show_a_graph_and_what_decided_the_race(
    pages: Pages, size: tuple[int, int]
) -> None:
    ann, code = new_room(pages, "Ann", size)
    ben = new_guest(pages, code, "Ben", size)
    start_race_with(ann, ben)
    solve_by_keys(ann)
    give_up(ben)
    for page, own in ((ann, "best"), (ben, "other")):
        page.wait_for_selector(".story >> text=Ann was the only one to finish.")
        lines = page.locator(".graph path:not(.axis)")
        classes = [line.get_attribute("class") for line in lines.all()]
        assert sorted(map(str, classes)) == sorted(
            ["mine", "best" if own == "other" else "other"]
        )
        assert page.locator(".graph").get_attribute("aria-label")
        assert fits_screen(page)
    assert ann.locator(".results tbody tr").count() == 2


def test_graph_does_not_wait_for_a_record_that_is_not_there(pages: Pages) -> None:
    ann, code = new_room(pages)
    ben = new_guest(pages, code, "Ben", PHONE)
    ben.route("**/api/races/**", lambda route: route.fulfill(status=404))
    start_race_with(ann, ben)
    solve_by_keys(ann)
    give_up(ben)
    ben.wait_for_selector(".story >> text=\u2026")
    ben.wait_for_selector(".results-screen .progress", state="hidden", timeout=20_000)
    ann.wait_for_selector(".story >> text=Ann was the only one to finish.")
    pages.faults[:] = [one for one in pages.faults if "404" not in one]


def test_player_who_leaves_after_the_finish_leaves_at_once(pages: Pages) -> None:
    """The solved board stays for those who stay."""
    ann, code = new_room(pages)
    ben = new_guest(pages, code, "Ben", PHONE)
    start_race_with(ann, ben)
    ann.evaluate(WATCH)
    ann.evaluate("""() => new MutationObserver(() => {
      if (document.body.dataset.screen !== 'race') seen.left ??= performance.now();
    }).observe(document.body, { attributes: true })""")
    slides = solution(own_board(ann))
    for direction, count in slides:
        press(ann, direction, count)
    ann.wait_for_selector(".lane.mine.finished", state="attached")
    ann.go_back()
    ann.wait_for_selector("[data-screen=home]")
    seen = ann.evaluate("seen")
    assert seen["left"] - seen["solved"] < STAND_MS


HEAR = """() => {
  window.tones = [];
  window.gains = [];
  const { start, connect } = OscillatorNode.prototype;
  OscillatorNode.prototype.connect = function (node) {
    gains.push(Math.round(1000 * node.gain.value));
    return connect.call(this, node);
  };
  OscillatorNode.prototype.start = function (at) {
    tones.push(this.frequency.value);
    return start.call(this, at);
  };
}"""
FANFARE = [523, 659, 784, 1047]


def test_sounds_are_off_until_the_speaker_turns_them_on(pages: Pages) -> None:
    """The finish sounds as high as the place is; the volume is kept."""
    ann, code = new_room(pages)
    ben = new_guest(pages, code, "Ben")
    for page in (ann, ben):
        page.evaluate(HEAR)
    ann.locator(".speaker summary").click()
    ann.get_by_role("switch", name="Sounds").check()
    ann.keyboard.press("Escape")
    start_race_with(ann, ben)
    ann.locator(".speaker summary").click()
    assert ann.get_by_role("switch", name="Sounds").is_checked()
    ann.get_by_label("Volume").fill("0.2")
    ann.keyboard.press("Escape")
    assert not ann.get_by_label("Volume").is_visible()
    solve_by_keys(ann)
    ann.wait_for_selector(".plate >> text=1st")
    tones = ann.evaluate("tones")
    assert tones[-4:] == FANFARE
    assert ann.evaluate("gains").pop() == 24, "0.12 at a volume of 0.2"
    assert set(tones[:-4]) == {440, 660, 880}
    solve_by_keys(ben)
    ben.wait_for_selector("[data-screen=results]")
    assert ben.evaluate("tones") == []
    kept = ann.evaluate("JSON.parse(localStorage['sliderace.settings'])")
    assert (kept["sound"], kept["volume"]) == (True, 0.2)


def test_racer_hears_who_overtakes_and_a_shorter_fanfare(pages: Pages) -> None:
    """The lower the place, the shorter: three tones on the podium, two below."""
    ann, code = new_room(pages)
    ben = new_guest(pages, code, "Ben")
    ann.evaluate(HEAR)
    ann.locator(".speaker summary").click()
    ann.get_by_role("switch", name="Sounds").check()
    ann.keyboard.press("Escape")
    start_race_with(ann, ben)
    slides = solution(own_board(ann))
    for direction, count in slides[:-1]:
        press(ann, direction, count)
    ann.wait_for_selector(".standing >> text=1st")
    ann.wait_for_selector(".hud .clock >> text=/^([3-9]|\\d\\d)/")
    solve_by_keys(ben)
    ann.wait_for_selector(".standing >> text=2nd")
    assert ann.evaluate("tones.slice(-2)") == [392, 330]
    press(ann, *slides[-1])
    ann.wait_for_selector(".plate >> text=2nd")
    assert ann.evaluate("tones.slice(-3)") == FANFARE[:3]
    later = """async () => {
      const { play } = await import("./app/sounds.js");
      for (const cue of ["solved", "later", "overtaken"]) play(cue, 0.5);
      return tones.slice(-2);
    }"""
    assert ann.evaluate(later) == FANFARE[:2], "overtaken sounds once in 1.5 s"


def test_who_gives_up_sees_the_boards_of_finishers_and_idle_racers(
    pages: Pages,
) -> None:
    """Also of those who have not moved since, or not at all."""
    ann, code = new_room(pages)
    ben, cleo, dan = (new_guest(pages, code, name) for name in ("Ben", "Cleo", "Dan"))
    start_race_with(ann, ben, cleo, dan)
    start = own_board(dan)
    solve_by_keys(ann)
    board = own_board(ben)
    direction, _ = board.legal_slides()[0]
    press(ben, direction)
    board.slide(direction)
    dan.wait_for_selector(".lane.finished >> text=Ann")
    give_up(dan)
    solved = " ".join(map(str, (*range(1, 9), 0)))
    for name, tiles in (("Ann", solved), ("Ben", board.tiles), ("Cleo", start.tiles)):
        shown = tiles if isinstance(tiles, str) else " ".join(map(str, tiles))
        dan.wait_for_selector(f".board-card[data-board='{shown}'] >> text={name}")


def test_who_plays_alone_has_solved_and_not_won(pages: Pages) -> None:
    """Neither the finish nor the results speak of places."""
    page, _ = race_alone(pages)
    solve_by_keys(page)
    page.wait_for_selector(".plate >> text=Solved!")
    assert page.locator(".standing").inner_text() == ""
    page.wait_for_selector("[data-screen=results]")
    assert page.locator("h1").inner_text() == "Solved!"
