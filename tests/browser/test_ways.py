"""Every input method slides tiles, and no slide is lost."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page
from tests.browser.conftest import PHONE, Pages
from tests.browser.player import (
    ARROWS,
    board_point,
    host,
    join,
    own_board,
    race_alone,
    solution,
    start,
    use_short_countdown,
    wait_for_board,
)

from sliderace.engine import Board

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(120)]

STEPS = {"U": (0, 1), "D": (0, -1), "L": (1, 0), "R": (-1, 0)}
"""Direction -> offset of the tile that slides, relative to the gap."""
OWN = {"U": "i", "D": "k", "L": "j", "R": "n"}
OWN_SHOWN = ", ".join(
    f"{sign} {OWN[direction].upper()}"
    for sign, direction in zip("\u2191\u2193\u2190\u2192", "UDLR", strict=True)
)
GAP_KEYS = "Arrow keys, W A S D or h j k l move the gap that way."
OTHER = {"U": "D", "D": "U", "L": "R", "R": "L"}


def _centre(page: Page, board: Board, cell: int) -> tuple[float, float]:
    width, height = board.size
    row, column = divmod(cell, width)
    return board_point(page, (column + 0.5) / width, (row + 0.5) / height)


def _beside(board: Board, direction: str, count: int = 1) -> int:
    across, down = STEPS[direction]
    return int(board.gap) + count * (across + down * board.size.width)


def _own_keys(page: Page, direction: str, count: int, _: Board) -> None:
    """Return custom keys that move the gap."""
    for _number in range(count):
        page.keyboard.press(OWN[OTHER[direction]])


def _click(page: Page, direction: str, count: int, board: Board) -> None:
    page.mouse.click(*_centre(page, board, _beside(board, direction, count)))


def _drag(page: Page, direction: str, count: int, board: Board) -> None:
    """Drag the farthest tile of a slide to its place; it pushes the others."""
    away, near = _beside(board, direction, count), _beside(board, direction, count - 1)
    begin, end = _centre(page, board, away), _centre(page, board, near)
    page.mouse.move(*begin)
    page.mouse.down()
    page.mouse.move(*end, steps=4)
    page.mouse.up()


def _hover(page: Page, direction: str, count: int, board: Board) -> None:
    page.mouse.move(*_centre(page, board, int(board.gap)))
    page.mouse.move(*_centre(page, board, _beside(board, direction, count)))


def _swipe(page: Page, direction: str, count: int, _: Board) -> None:
    """Swipe below the board, as swipes count anywhere."""
    session = page.context.new_cdp_session(page)
    across, down = STEPS[direction]
    x, y = page.evaluate("[innerWidth / 2, innerHeight - 90]")

    def touch(kind: str, *points: tuple[float, float]) -> None:
        at = [{"x": x, "y": y} for x, y in points]
        event = {"type": kind, "touchPoints": at}
        session.send("Input.dispatchTouchEvent", event)  # pyright: ignore[reportUnknownMemberType]

    for _number in range(count):
        touch("touchStart", (x, y))
        touch("touchMove", (x - 30 * across, y - 30 * down))
        touch("touchMove", (x - 70 * across, y - 70 * down))
        touch("touchEnd")
    session.detach()


WAYS: dict[str, Callable[[Page, str, int, Board], None]] = {
    "Keys": _own_keys,
    "Click": _click,
    "Drag": _drag,
    "Hover": _hover,
    "Swipe": _swipe,
}


def _change_settings(page: Page, *, hover: bool = False, keys: bool = False) -> None:
    """Choose a setting in the panel."""
    page.get_by_label("Settings").click()
    if hover:
        page.locator(".panel").get_by_label("Hover").check()
    if keys:
        page.get_by_label("Keys move the gap").check()
        for direction, word in zip(
            "UDLR", ("Up", "Down", "Left", "Right"), strict=True
        ):
            page.get_by_role("button", name=f"{word}:").click()
            page.keyboard.press(OWN[direction])
            page.wait_for_selector(f"text={word}: {OWN[direction].upper()}")
    page.get_by_role("button", name="Done").click()


def _check_help(page: Page) -> None:
    """The help names the player's own keys, and says that keys move the gap."""
    page.get_by_label("Help").click()
    page.wait_for_selector(".keys-list")
    said = page.locator(".side-panel").inner_text()
    for part in (OWN_SHOWN, "move the gap that way", "arrow up moves the gap up"):
        assert part in said
    page.get_by_role("button", name="Close", exact=True).click()


def test_every_input_method_can_solve_a_board(pages: Pages) -> None:
    """Five players race with custom gap keys, clicks, drags, hover and swipes."""
    first, *others = WAYS
    racers = {first: pages.open()}
    code = host(racers[first], first)
    use_short_countdown(racers[first])
    for name in others:
        page = pages.open(f"/{code}", *([PHONE] if name == "Swipe" else []))
        join(page, name)
        page.get_by_role("button", name="ready").click()
        racers[name] = page
    _change_settings(racers["Keys"], keys=True)
    _change_settings(racers["Hover"], hover=True)
    racers[first].wait_for_selector(".member.is-ready >> nth=3")
    racers[first].bring_to_front()
    _check_help(racers[first])
    start(racers[first])
    hint = racers[first].locator(".hint").text_content()
    assert hint == f"{GAP_KEYS} Your own keys: {OWN_SHOWN}. Or click a tile."
    label = (
        racers[first].locator(".race [role=application]").get_attribute("aria-label")
    )
    assert label == f"Your board. {GAP_KEYS} Your own keys: {OWN_SHOWN}."
    for name, slide in WAYS.items():
        page = racers[name]
        page.bring_to_front()
        page.wait_for_selector(".stage [data-board]")
        board = own_board(page)
        for direction, count in solution(board):
            slide(page, direction, count, board)
            board.slide(direction, count)
            if not board.is_solved:
                wait_for_board(page, board)
    for page in racers.values():
        page.wait_for_selector("[data-screen=results]")
        assert page.locator("table.results .finished").count() == len(WAYS)


def test_two_hundred_hover_moves_all_arrive(pages: Pages) -> None:
    """They come as fast as a mouse moves; a reload shows what the server has."""
    page = pages.open()
    host(page, "Swift", "4\u00d74")
    use_short_countdown(page)
    _change_settings(page, hover=True)
    start(page)
    board = own_board(page)
    here = int(board.gap)
    there = _beside(board, board.legal_slides()[0][0])
    spots = [_centre(page, board, cell) for cell in (here, there)]
    page.mouse.move(*spots[0])
    begun = page.evaluate("performance.now()")
    for number in range(200):
        page.mouse.move(*spots[(number + 1) % 2])
    print("200 moves in", page.evaluate("performance.now()") - begun, "ms")
    page.wait_for_selector(".counts >> text=200 moves")
    wait_for_board(page, board)
    page.wait_for_timeout(500)  # until the last batch is sent
    page.reload()
    wait_for_board(page, board)
    page.wait_for_selector(".counts >> text=200 moves")


NINETY = """([there, back]) => {
  const begun = performance.now();
  return new Promise((done) => {
    let made = 0;
    const step = () => {
      while (made < 90 && performance.now() - begun >= made * 10) {
        const key = made % 2 ? back : there;
        document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        made += 1;
      }
      if (made < 90) setTimeout(step);
      else done(performance.now() - begun);
    };
    step();
  });
}"""
"""One key every 10 ms; after a late timer, the missed keys follow at once."""


def test_ninety_tiles_per_second_all_arrive_in_order(pages: Pages) -> None:
    """No slide is rejected; a reload shows what the server has."""
    page, _ = race_alone(pages)
    board = own_board(page)
    there = board.legal_slides()[0][0]
    back = {"U": "D", "D": "U", "L": "R", "R": "L"}[there]
    took = page.evaluate(NINETY, [ARROWS[there], ARROWS[back]])
    print("90 tiles in", took, "ms")
    page.wait_for_selector(".counts >> text=90 moves")
    wait_for_board(page, board)
    page.wait_for_timeout(500)  # until the last batch is sent
    page.reload()
    wait_for_board(page, board)
    page.wait_for_selector(".counts >> text=90 moves")


def test_immovable_tile_shakes(pages: Pages) -> None:
    """The board does not change, and the tile shakes for a moment."""
    page, _ = race_alone(pages)
    board = own_board(page)
    slides = [
        _beside(board, direction, count) for direction, count in board.legal_slides()
    ]
    stuck = next(cell for cell in range(9) if cell not in [*slides, board.gap])
    face = f".board.own .tile:nth-child({board.tiles[stuck]}) .face"
    page.mouse.click(*_centre(page, board, stuck))
    assert page.locator(face).evaluate("face => face.getAnimations().length > 0")
    assert own_board(page) == board
    page.wait_for_selector(".counts >> text=0 moves")
