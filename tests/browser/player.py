"""What a person does at the page, for tests."""

from playwright.sync_api import Page

from sliderace.engine import Board, format_board, parse_board
from sliderace_client.solver import solve

__all__ = [
    "ARROWS",
    "board_of",
    "fits",
    "host",
    "join",
    "own_board",
    "point",
    "press",
    "quick_rules",
    "sees_own",
    "solution",
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


def own_board(page: Page) -> Board:
    """The racer's own board, as the page shows it."""
    shown = page.locator(".stage [data-board]").get_attribute("data-board")
    return parse_board(shown or "")


def sees_own(page: Page, board: Board) -> None:
    """Wait until the racer's page shows this board: at most a frame or two."""
    text = format_board(board)
    page.wait_for_selector(f".stage [data-board='{text}']", state="attached")


def board_of(page: Page, seat: int) -> str:
    """A racer's board on a spectator's page: labels in reading order."""
    card = page.locator(f".watched[data-seat='{seat}']")
    return card.get_attribute("data-board") or ""


def solution(board: Board) -> list[tuple[str, int]]:
    """Slides that solve a board."""
    return [slide for stage in solve(board) for slide in stage]


def press(page: Page, direction: str, count: int = 1) -> None:
    """Slide by keyboard: one press moves one tile."""
    for _ in range(count):
        page.keyboard.press(ARROWS[direction])


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
