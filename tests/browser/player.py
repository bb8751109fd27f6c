"""What a person does at the page, for tests."""

from playwright.sync_api import Page
from tests.browser.conftest import DESKTOP, Pages

from sliderace.engine import Board, format_board, parse_board
from sliderace_client.bots.solver import solve

__all__ = [
    "ARROWS",
    "alone",
    "board_of",
    "fits",
    "give_up",
    "guest",
    "host",
    "join",
    "opened",
    "own_board",
    "point",
    "press",
    "quick_rules",
    "race",
    "say_ready",
    "sees_own",
    "solution",
    "solve_all",
    "start",
    "tap",
]

ARROWS = {"U": "ArrowUp", "D": "ArrowDown", "L": "ArrowLeft", "R": "ArrowRight"}
FITS = "document.documentElement.scrollWidth <= screen.width"
"""Phones widen `innerWidth` to what does not fit."""


def host(page: Page, name: str, size: str = "3\u00d73") -> str:
    """Open a room from the start page; returns its code."""
    page.get_by_label("Your name").fill(name)
    page.get_by_label(size).check()
    page.get_by_role("button", name="Open a room").click()
    page.wait_for_selector(".lobby")
    return str(page.url.rsplit("/", 1)[-1])


def join(page: Page, name: str, *, watch: bool = False) -> None:
    """Enter the room whose door the page shows."""
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Just watch" if watch else "Join the race").click()
    page.wait_for_selector("[data-screen=lobby], [data-screen=race]")


def quick_rules(page: Page) -> None:
    """Host: the shortest countdown there is."""
    page.get_by_text("More rules").click()
    page.get_by_label("Countdown").select_option("3 s")


def start(page: Page) -> None:
    """Host: start, and wait for the board."""
    page.get_by_role("button", name="Start the race").click()
    page.wait_for_selector("[data-screen=race] [data-board]")


def opened(
    pages: Pages, name: str = "Ann", size: tuple[int, int] = DESKTOP
) -> tuple[Page, str]:
    """A new visitor's page, in a room of 3x3 with the shortest countdown; its code."""
    page = pages.open("/", size)
    code = host(page, name)
    quick_rules(page)
    return page, code


def alone(
    pages: Pages, name: str = "Ann", size: tuple[int, int] = DESKTOP
) -> tuple[Page, str]:
    """A new visitor who races alone, and has the board; the room's code."""
    page, code = opened(pages, name, size)
    start(page)
    return page, code


def guest(
    pages: Pages,
    code: str,
    name: str,
    size: tuple[int, int] = DESKTOP,
    *,
    watch: bool = False,
) -> Page:
    """A new visitor who enters a room."""
    page = pages.open(f"/{code}", size)
    join(page, name, watch=watch)
    return page


def say_ready(page: Page, *guests: Page) -> None:
    """Guests say that they are ready; wait until the host sees that."""
    for one in guests:
        one.get_by_role("button", name="ready").click()
    page.wait_for_selector(f".member.is-ready >> nth={len(guests) - 1}")


def race(page: Page, *guests: Page) -> None:
    """Host: start with these guests, who were not ready; wait for the board."""
    say_ready(page, *guests)
    start(page)


def own_board(page: Page) -> Board:
    """The racer's own board, as the page shows it now.

    After a slide it is a frame or two behind: there `sees_own` is the one to ask.
    """
    shown = page.locator(".stage [data-board]").get_attribute("data-board")
    return parse_board(shown or "")


def sees_own(page: Page, board: Board) -> None:
    """Wait until the racer's page shows this board: at most a frame or two."""
    text = format_board(board)
    page.wait_for_selector(f".stage [data-board='{text}']", state="attached")


def board_of(page: Page, seat: int) -> str:
    """A racer's board on a spectator's page: labels in reading order."""
    card = page.locator(f".board-card[data-seat='{seat}']")
    return card.get_attribute("data-board") or ""


def solution(board: Board) -> list[tuple[str, int]]:
    """Slides that solve a board."""
    return [slide for stage in solve(board) for slide in stage]


def press(page: Page, direction: str, count: int = 1) -> None:
    """Slide by keyboard: one press moves one tile."""
    for _ in range(count):
        page.keyboard.press(ARROWS[direction])


def solve_all(page: Page) -> None:
    """Solve the own board by keyboard."""
    for direction, count in solution(own_board(page)):
        press(page, direction, count)


def give_up(page: Page) -> None:
    """Give up, and mean it."""
    for name in ("Give up", "Really give up"):
        page.get_by_role("button", name=name).click()


def tap(page: Page, cell: int, board: Board) -> None:
    """Tap a tile of the own board."""
    width, height = board.size
    row, column = divmod(cell, width)
    page.touchscreen.tap(*point(page, (column + 0.5) / width, (row + 0.5) / height))


def point(page: Page, across: float, down: float) -> tuple[float, float]:
    """A point of the own board in px, from 0 (left, top) to 1."""
    box = page.locator(".board.own").bounding_box()
    assert box is not None
    return box["x"] + box["width"] * across, box["y"] + box["height"] * down


def fits(page: Page) -> bool:
    """Whether nothing is wider than the screen."""
    return bool(page.evaluate(FITS))
