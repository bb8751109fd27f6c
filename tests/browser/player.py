"""Steps that a person takes on the page, for tests."""

from playwright.sync_api import Page
from tests.browser.conftest import DESKTOP, Pages

from sliderace.engine import Board, format_board, parse_board
from sliderace.solve import solve

__all__ = [
    "ARROWS",
    "board_point",
    "end_race",
    "fits_screen",
    "give_up",
    "host",
    "join",
    "make_ready",
    "new_guest",
    "new_room",
    "open_host_form",
    "own_board",
    "press",
    "race_alone",
    "solution",
    "solve_by_keys",
    "spectated_board",
    "start",
    "start_race_with",
    "tap",
    "use_short_countdown",
    "wait_for_board",
    "wake",
]

ARROWS = {"U": "ArrowUp", "D": "ArrowDown", "L": "ArrowLeft", "R": "ArrowRight"}
FITS = "document.documentElement.scrollWidth <= screen.width"
"""Not `innerWidth`: phones widen it if the content does not fit."""


def open_host_form(page: Page) -> None:
    """On the start page, open the form for a new room, unless it is open."""
    opener = page.get_by_role("button", name="Host a race")
    if opener.get_attribute("aria-expanded") == "false":
        opener.click()
    page.wait_for_selector(".hosting")


def host(page: Page, name: str, size: str = "3\u00d73") -> str:
    """Open a room from the start page; return its code."""
    page.get_by_label("Your name").fill(name)
    open_host_form(page)
    page.locator(".hosting").get_by_label(size).check()
    page.get_by_role("button", name="Open a room").click()
    page.wait_for_selector(".lobby")
    return str(page.url.rsplit("/", 1)[-1])


def join(page: Page, name: str, *, watch: bool = False) -> None:
    """Enter the room whose join form the page shows."""
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Just watch" if watch else "Join the race").click()
    page.wait_for_selector("[data-screen=lobby], [data-screen=race]")


def use_short_countdown(page: Page) -> None:
    """Host: set the shortest countdown."""
    page.get_by_text("More rules").click()
    page.get_by_label("Countdown").select_option("3 s")


def start(page: Page) -> None:
    """Host: start the race and wait for the board."""
    page.get_by_role("button", name="Start the race").click()
    page.wait_for_selector("[data-screen=race] [data-board]")


def new_room(
    pages: Pages, name: str = "Ann", size: tuple[int, int] = DESKTOP
) -> tuple[Page, str]:
    """Open a 3x3 room with the shortest countdown; return its host's page and code."""
    page = pages.open("/", size)
    code = host(page, name)
    use_short_countdown(page)
    return page, code


def race_alone(
    pages: Pages, name: str = "Ann", size: tuple[int, int] = DESKTOP
) -> tuple[Page, str]:
    """Start a race of one new visitor; return their page and the room's code."""
    page, code = new_room(pages, name, size)
    start(page)
    return page, code


def new_guest(
    pages: Pages,
    code: str,
    name: str,
    size: tuple[int, int] = DESKTOP,
    *,
    watch: bool = False,
) -> Page:
    """Enter a room as a new visitor; return the page."""
    page = pages.open(f"/{code}", size)
    join(page, name, watch=watch)
    return page


def make_ready(page: Page, *guests: Page) -> None:
    """Make guests ready; wait until the host sees it."""
    for one in guests:
        one.get_by_role("button", name="ready").click()
    page.wait_for_selector(f".member.is-ready >> nth={len(guests) - 1}")


def start_race_with(page: Page, *guests: Page) -> None:
    """Make these guests ready, start the race as host, and wait for the board."""
    make_ready(page, *guests)
    start(page)


def own_board(page: Page) -> Board:
    """Return the racer's own board, as the page shows it now.

    After a slide it is a frame or two behind; use `wait_for_board` then.
    """
    shown = page.locator(".stage [data-board]").get_attribute("data-board")
    return parse_board(shown or "")


def wait_for_board(page: Page, board: Board) -> None:
    """Wait until the racer's page shows this board; it takes a frame or two."""
    text = format_board(board)
    page.wait_for_selector(f".stage [data-board='{text}']", state="attached")


def spectated_board(page: Page, seat: int) -> str:
    """Return a racer's board on a spectator's page: labels in reading order."""
    card = page.locator(f".board-card[data-seat='{seat}']")
    return card.get_attribute("data-board") or ""


def solution(board: Board) -> list[tuple[str, int]]:
    """Return slides that solve a board."""
    return [slide for stage in solve(board) for slide in stage]


def press(page: Page, direction: str, count: int = 1) -> None:
    """Slide by keyboard; one press moves one tile."""
    for _ in range(count):
        page.keyboard.press(ARROWS[direction])


def solve_by_keys(page: Page) -> None:
    """Solve the player's own board by keyboard."""
    for direction, count in solution(own_board(page)):
        press(page, direction, count)


def give_up(page: Page) -> None:
    """Give up, and confirm it."""
    for name in ("Give up", "Really give up"):
        page.get_by_role("button", name=name).click()


def end_race(page: Page) -> None:
    """Host: end the race for everybody, and confirm it."""
    for name in ("End the race now", "End it for everybody"):
        page.get_by_role("button", name=name).click()


def wake(page: Page) -> None:
    """Let the page doubt its connection now, and not only after 5 s of silence."""
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")


def tap(page: Page, cell: int, board: Board) -> None:
    """Tap a tile of the player's own board."""
    width, height = board.size
    row, column = divmod(cell, width)
    page.touchscreen.tap(
        *board_point(page, (column + 0.5) / width, (row + 0.5) / height)
    )


def board_point(page: Page, across: float, down: float) -> tuple[float, float]:
    """Return a point of the player's own board in px; 0 is left or top."""
    box = page.locator(".board.own").bounding_box()
    assert box is not None
    return box["x"] + box["width"] * across, box["y"] + box["height"] * down


def fits_screen(page: Page) -> bool:
    """Return whether nothing is wider than the screen."""
    return bool(page.evaluate(FITS))
