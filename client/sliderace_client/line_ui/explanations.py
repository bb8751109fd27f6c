"""What line mode says at length: introduction, how to play, and how to do it well."""

from typing import Final

from sliderace.engine import Board, Size
from sliderace_client.line_ui.answers import SIDES, label
from sliderace_client.line_ui.board_text import Style
from sliderace_client.line_ui.own_keys import Keys

__all__ = [
    "GOODBYE",
    "KEY_QUESTION",
    "MENU_HELP",
    "SIZE_QUESTION",
    "TIPS",
    "how_to_move",
    "how_to_play",
    "how_to_race",
    "intro",
]

GOODBYE: Final = "Good-bye."
TIPS: Final = (
    "Strategy:",
    "1. Top row first, then the next. Of the last two rows, the left column first.",
    "2. The last two tiles of a row go in together: put the last but one into the",
    "   corner, the last one below it, the gap beside the corner; then turn them in.",
    "3. Work in sections: what is finished stays, the rest is a smaller puzzle.",
    "4. Look ahead: think where the gap must be next before you move it.",
    "5. Break what is placed only to let a tile by, and put it back at once.",
    "6. The last three tiles only turn in a circle: keep turning until they fit.",
)


def intro(size: Size, style: Style) -> list[str]:
    """A short introduction, with the board solved."""
    return [
        "Sliding tiles: bring them into this order.",
        "",
        *style.lines(Board.solved(size)),
        "",
        "Only a tile in line with the gap can move, and it moves into the gap.",
        "At every question, help explains and q quits.",
    ]


def how_to_move(keys: Keys, style: Style, *, single: bool = False) -> list[str]:
    """How moves are typed, a line each."""
    sign = "#" if keys.have_digits else ""
    what = "the gap" if keys.gap else "the tile"
    four = " ".join(keys.chars) or "arrows"
    more = "one tile at a time" if single else "and all tiles between it and the gap"
    return [
        f"  {four:<8} {what} goes left, right, up, down; several at once, too",
        f"  {sign + style.label(3):<8} slides tile {style.label(3)}, {more}",
        "  2,1      slides the tile in row 2, column 1",
        "  =R2U     field notation: two tiles go right, then one goes up",
    ]


def how_to_play(keys: Keys, style: Style, *, single: bool) -> list[str]:
    """Everything that can be typed alone, and how to get better at it."""
    return [
        "How to play:",
        *how_to_move(keys, style, single=single),
        "  undo     takes back the last slide (solo only; the result says so)",
        "  reset    begins again: same board, new board, or new size and keys",
        "  exit     leaves; q does, too, and does not ask",
        "  board    shows the board again; seed: how to get this board again",
        *TIPS,
    ]


def how_to_race(keys: Keys, style: Style) -> list[str]:
    """Everything that can be typed in a room, and how to get better at it."""
    return [
        "Before a race:",
        "  ready, unready    you will race, or not; start: the host begins it",
        "  who               everybody in the room",
        "In a race:",
        *how_to_move(keys, style),
        "  board             your board again; who watches: board NAME",
        "  standings         who is where",
        "  forfeit           gives up; undo takes that back for 3 s, and no slide",
        "After it: rematch; save (the race record); signals (for the host)",
        "Always: q leaves and keeps your seat for a while; leave gives it up.",
        *TIPS,
    ]


SIZE_QUESTION: Final = (
    "Sizes: " + ", ".join(map(label, SIDES[:4])) + ",",
    "  " + ", ".join(map(label, SIDES[4:])) + ".",
)
"""Short lines: 79 columns suffice."""
KEY_QUESTION: Final = (
    "Keys for left, right, up and down: four characters, such as a d w s; or a",
    "preset: arrows, wasd, hjkl. Type gap or tile to say what they move.",
)
MENU_HELP: Final = (
    "A race: one of you hosts a room and reads out its code, others join; all have",
    "the same board at the same time, and the first to solve it wins. Watching is",
    "free. Solo needs no network. Every command has help: sliderace join --help",
)
