"""The page and a real server: whole races, by keyboard, mouse and touch."""

import json
from collections.abc import Callable
from contextlib import suppress

import pytest
from playwright.sync_api import Page, TimeoutError as TimedOut, WebSocketRoute
from tests.browser.conftest import PHONE, SMALL, Pages
from tests.browser.player import (
    ARROWS,
    board_point,
    fits_screen,
    give_up,
    host,
    new_guest,
    new_room,
    own_board,
    press,
    race_alone,
    solution,
    spectated_board,
    start,
    start_race_with,
    tap,
    use_short_countdown,
    wait_for_board,
)

from sliderace.engine import Board, format_board

pytestmark = [pytest.mark.browser, pytest.mark.timeout(90)]

TREMBLES = """() => {
  const board = document.querySelector('.board.own');
  const animate = board.animate.bind(board);
  board.animate = (...given) => (window.trembled = animate(...given));
}"""


def _rows(page: Page) -> list[list[str]]:
    """Return places, names and times of the result table."""
    columns = ("td.place", "td.name > span:first-child", "td.time")
    rows = page.locator("table.results tbody tr").all()
    return [[row.locator(column).inner_text() for column in columns] for row in rows]


def _cell_to_click(board: Board, direction: str, count: int) -> int:
    """Return the farthest tile of a slide; a click on it moves all tiles in between."""
    width = board.size.width
    step = {"U": width, "D": -width, "L": 1, "R": -1}[direction]
    return int(board.gap) + step * count


def _look_around(page: Page) -> None:
    """As a spectator, show one racer, the full screen, and all racers again."""
    page.get_by_label("Watch Ben closely").click()
    page.wait_for_selector(".board-card.big >> text=Ben")
    page.get_by_role("button", name="Full screen").click()
    page.wait_for_selector(".spectator-boards:fullscreen .board-card.big")
    assert page.locator(".board-card:not(.big):visible").count() == 0
    page.evaluate("document.exitFullscreen()")
    page.get_by_role("button", name="All", exact=True).click()
    page.wait_for_selector(".board-card.big", state="detached")


def test_two_players_a_bot_and_a_spectator(
    pages: Pages, bot: Callable[[str, float], None]
) -> None:
    """The spectator sees every move, and everybody sees the same results."""
    ann, code = new_room(pages)
    ben = new_guest(pages, code, "Ben", PHONE)
    sam = new_guest(pages, code, "Sam", watch=True)
    bot(code, 12)
    ben.get_by_role("button", name="ready").click()
    ann.wait_for_selector(".member.is-ready >> nth=1")
    start(ann)
    sam.wait_for_selector(".board-card >> nth=2")
    _look_around(sam)

    board = own_board(ann)
    assert own_board(ben) == board, "identical boards"
    for direction, count in solution(board):
        press(ann, direction, count)
        board.slide(direction, count)
        wait_for_board(ann, board)
        shown = " ".join(map(str, board.tiles))
        sam.wait_for_selector(f".board-card[data-seat='0'][data-board='{shown}']")
    ann.wait_for_selector(".lane.mine.finished")

    board = own_board(ben)
    for direction, count in solution(board):
        tap(ben, _cell_to_click(board, direction, count), board)
        board.slide(direction, count)
        wait_for_board(ben, board)
    everyone = [ann, ben, sam]
    for page in everyone:
        page.wait_for_selector("[data-screen=results]", timeout=30_000)
    tables = [_rows(page) for page in everyone]
    assert tables[0] == tables[1] == tables[2]
    assert len(tables[0]) == 3
    (place,) = (row[0] for row in tables[0] if row[1] == "Ann")
    said = (
        "won" if place == "1" else "You came"
    )  # slow, as a bot does not wait for a slow machine
    assert said in ann.locator("h1").inner_text()
    assert "board follows" in sam.locator(".verdict.good").inner_text()
    for page in (ann, ben):
        page.wait_for_selector(".verdict.good >> text=race record matches")
    assert sam.get_by_text("race record matches").count() == 0
    for page in everyone:
        page.get_by_text("How the board was made").click()
        page.wait_for_selector(".checks >> text=/^(ok|cannot be known) .* signature:/")
        page.wait_for_selector(".checks >> text=/^ok .* ranking:/")
        page.wait_for_selector(".checks >> text=/^ok .* results:/")
        assert "not ok" not in page.locator(".checks").inner_text()
    assert fits_screen(ben)
    assert "nonces of 3 players" in sam.locator(".verdict.good").inner_text()

    ann.keyboard.press("r")
    ben.wait_for_selector(
        ".main-actions >> text=Ann is ready for the next race (1 of 2)"
    )
    ben.get_by_role("button", name="Back to the room").click()
    ben.wait_for_selector("[data-screen=lobby]")
    assert "ready" in ben.locator(".member.is-ready").first.inner_text()


def test_host_sees_signals_and_everybody_sees_friendly_timing(pages: Pages) -> None:
    """The lobby shows latency, the results the rule; signals are no verdict."""
    ann, code = new_room(pages)
    ann.get_by_label("Friendly timing").check()
    ben = new_guest(pages, code, "Ben", PHONE)
    ben.wait_for_selector(".rule-line >> text=friendly timing")
    for page in (ann, ben):
        page.wait_for_selector(".member .latency >> nth=1 >> text=/^<?\\d+.* ms$/")
    start_race_with(ann, ben)
    slides = solution(own_board(ann))
    for direction, count in slides:
        press(ann, direction, count)
    give_up(ben)
    for page in (ann, ben):
        page.wait_for_selector("text=Friendly timing: up to 100 ms")
    ann.get_by_text("never verdicts").click()
    ann.wait_for_selector(".figures th >> text=Unevenness")
    ann.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    assert fits_screen(ann)
    assert not ben.get_by_text("never verdicts").is_visible()


def test_race_works_by_keyboard_alone(pages: Pages) -> None:
    """No step from the start page to the rematch needs a mouse."""
    page = pages.open()
    page.get_by_label("Your name").focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("Kim")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # Host a race
    size = page.locator(".hosting input[type=radio]:focus")
    page.wait_for_selector(".hosting")
    for _ in range(20):
        if size.count():
            break
        page.keyboard.press("Tab")
    page.keyboard.press("ArrowLeft")
    assert page.locator(".hosting").get_by_label("3\u00d73").is_checked()
    page.keyboard.press("Enter")
    page.wait_for_selector(".lobby")
    button = page.get_by_role("button", name="Start the race")
    for _ in range(40):
        if button.evaluate("element => element === document.activeElement"):
            break
        page.keyboard.press("Tab")
    outline = button.evaluate("element => getComputedStyle(element).outlineWidth")
    assert outline == "3px", "the focus is seen"
    page.keyboard.press("Enter")
    page.wait_for_selector(".stage [data-board]")
    page.wait_for_selector("[role=application]:focus")
    keys = {
        "U": ("ArrowUp", "w", "k"),
        "D": ("ArrowDown", "s", "j"),
        "L": ("ArrowLeft", "a", "h"),
        "R": ("ArrowRight", "d", "l"),
    }
    number = 0
    for direction, count in solution(own_board(page)):
        for _ in range(count):
            page.keyboard.press(keys[direction][number % 3])
            number += 1
    page.wait_for_selector("[data-screen=results]")
    lobby = page.locator("[data-screen=lobby]")
    while not lobby.count():  # right after the race, keys do nothing
        page.keyboard.press("r")
        with suppress(TimedOut):
            lobby.wait_for(timeout=1_000)


def test_racer_can_reload_and_win(pages: Pages) -> None:
    """The reloaded tab resumes the race with the same board and clock."""
    ann, code = new_room(pages)
    ben = new_guest(pages, code, "Ben")
    start_race_with(ann, ben)
    board = own_board(ann)
    slides = solution(board)
    half = len(slides) // 2
    for direction, count in slides[:half]:
        press(ann, direction, count)
        board.slide(direction, count)
    wait_for_board(ann, board)
    ann.wait_for_timeout(300)  # long enough for the clock to show a difference
    ann.reload()
    wait_for_board(ann, board)
    assert float(ann.locator(".clock").inner_text().removesuffix(" s")) >= 0.3
    for direction, count in slides[half:]:
        press(ann, direction, count)
    ann.wait_for_selector(".lane.mine.finished")
    ben.wait_for_selector(".lane.finished >> text=Ann")


def test_slides_right_before_a_reload_are_not_lost(pages: Pages) -> None:
    """Slides are batched for a moment; a reload sends the batch first."""
    ann, code = new_room(pages)
    ben = new_guest(pages, code, "Ben")
    start_race_with(ann, ben)
    board = own_board(ann)
    keys: list[str] = []
    for direction, count in solution(board)[:4]:
        board.slide(direction, count)
        keys += [ARROWS[direction]] * count
    ann.evaluate(
        """keys => {
            window.setTimeout = () => 0; // what gathers would wait for ever
            const last = document.activeElement;
            for (const key of keys)
                last.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
            location.reload();
        }""",
        keys,
    )
    wait_for_board(ann, board)


def test_swipes_slide_tiles_on_a_phone(pages: Pages) -> None:
    """A swipe to the left moves a tile left, and the page does not scroll."""
    page, _ = race_alone(pages, "Swen", SMALL)
    board = own_board(page)
    x, y = board_point(page, 0.5, 0.5)
    session = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        at = [{"x": x, "y": y} for x, y in points]
        event = {"type": kind, "touchPoints": at}
        session.send("Input.dispatchTouchEvent", event)  # pyright: ignore[reportUnknownMemberType]

    moves = {"U": (0, -60), "D": (0, 60), "L": (-60, 0), "R": (60, 0)}
    for direction, _ in board.legal_slides()[:2]:
        expected = board.copy()
        expected.try_slide(direction)
        dx, dy = moves[direction]
        touch("touchStart", (x, y))
        touch("touchMove", (x + dx / 2, y + dy / 2))
        touch("touchMove", (x + dx, y + dy))
        touch("touchEnd")
        wait_for_board(page, expected)
        board = expected
    assert page.evaluate("scrollX === 0 && scrollY === 0")


def test_typing_moves_no_tile(pages: Pages) -> None:
    """Letters in a text field, held keys and shortcuts move no tile."""
    page, _ = race_alone(pages, "Kim")
    before = own_board(page)
    key = before.legal_slides()[0][0]
    arrow = {"U": "ArrowUp", "D": "ArrowDown", "L": "ArrowLeft", "R": "ArrowRight"}[key]
    page.keyboard.press(f"Control+{arrow}")
    assert own_board(page) == before
    page.evaluate(
        "key => { const field = document.createElement('input');"
        " document.body.append(field); field.focus(); }",
        arrow,
    )
    page.keyboard.press(arrow)
    page.wait_for_timeout(100)
    assert own_board(page) == before
    page.evaluate("document.querySelector('body > input').remove()")
    page.keyboard.down(arrow)
    page.keyboard.down(arrow)
    page.keyboard.down(arrow)
    page.keyboard.up(arrow)
    once = before.copy()
    once.slide(key)
    page.wait_for_timeout(100)
    wait_for_board(page, once)


def test_giving_up_can_be_undone(pages: Pages) -> None:
    """A forfeit needs confirmation, and can be undone within three seconds."""
    ann, code = new_room(pages)
    sam = new_guest(pages, code, "Sam", watch=True)
    start(ann)
    ann.get_by_role("button", name="Give up").click()
    assert ann.locator(".lane.forfeited").count() == 0
    ann.get_by_role("button", name="Really give up").click()
    sam.wait_for_selector(".board-card.forfeited")
    ann.get_by_role("button", name="Undo").click()
    sam.wait_for_selector(".board-card.racing")
    direction, count = solution(own_board(ann))[0]
    board = own_board(ann)
    press(ann, direction, count)
    board.slide(direction, count)
    wait_for_board(ann, board)


def test_rejected_slide_is_undone_with_a_message(pages: Pages) -> None:
    """If the server rejects a slide, the board reverts, shakes and shows a message."""
    page = pages.blank()
    said: list[str] = []
    lines: list[WebSocketRoute] = []

    def carry(line: WebSocketRoute) -> None:
        server = line.connect_to_server()

        def up(text: str | bytes) -> None:
            said.append(str(text))
            server.send(text)

        line.on_message(up)
        lines.append(line)

    page.route_web_socket("**/ws*", carry)
    page.goto(pages.address)
    host(page, "Kim")
    use_short_countdown(page)
    start(page)
    first = own_board(page)
    board = first.copy()
    direction, _ = board.legal_slides()[0]
    page.evaluate(TREMBLES)
    press(page, direction)
    board.slide(direction)
    wait_for_board(page, board)
    slides = next(json.loads(text) for text in said if '"slides"' in text)
    refused = {"t": "rejected", "race": slides["race"], "gen": 1, "seq": 0}
    word = {"code": "too_many_tiles", "board": format_board(first)}
    lines[-1].send(json.dumps(refused | word))
    wait_for_board(page, first)
    page.wait_for_function("() => window.trembled")
    page.wait_for_selector("[aria-live] >> text=Taken back", state="attached")


def test_announced_start_disappears_while_the_digits_count_down(pages: Pages) -> None:
    """A user who reads the page by cursor must not find a time that has passed."""
    page, _ = new_room(pages)
    page.get_by_role("button", name="Start the race").click()
    said = page.locator("[aria-live] >> text=The race starts in 3 s")
    said.wait_for(state="attached")
    said.wait_for(state="detached")
    assert page.locator(".stage [data-board]").count() == 0


def test_screen_reader_can_read_the_board(pages: Pages) -> None:
    """The board is a grid, and after a pause a live region announces changes."""
    page, _ = race_alone(pages, "Kim")
    page.wait_for_selector("[role=gridcell]", state="attached")
    board = own_board(page)
    cells = page.locator("[role=grid] [role=gridcell]").all_inner_texts()
    assert cells == ["gap" if tile == 0 else str(tile) for tile in board.tiles]
    direction, count = board.legal_slides()[0]
    press(page, direction, count)
    board.slide(direction, count)
    row, column = divmod(int(board.gap), 3)
    said = f"gap is in row {row + 1}, column {column + 1}"
    page.wait_for_selector(f"[aria-live] >> text={said}", state="attached")
    cells = page.locator("[role=grid] [role=gridcell]").all_inner_texts()
    assert cells == ["gap" if tile == 0 else str(tile) for tile in board.tiles]


def test_latecomer_watches_and_plays_in_the_next_race(pages: Pages) -> None:
    """A player who joins during a race sees the current boards."""
    ann, code = race_alone(pages)
    board = own_board(ann)
    slides = solution(board)
    for direction, count in slides[:-1]:
        press(ann, direction, count)
        board.slide(direction, count)
    late = new_guest(pages, code, "Lou")
    late.wait_for_selector(".board-card[data-board]")
    shown = " ".join(map(str, board.tiles))
    late.wait_for_selector(f".board-card[data-board='{shown}']")
    assert spectated_board(late, 0) == shown
    press(ann, *slides[-1])
    late.wait_for_selector("[data-screen=results]")
    late.get_by_role("button", name="Rematch").click()
    ann.wait_for_selector(
        ".main-actions >> text=Lou is ready for the next race (1 of 2)"
    )
