"""Large numerals and letters made of pixels, each half a row high."""

from functools import lru_cache

__all__ = ["GLYPHS", "GLYPH_H", "big_size", "big_text", "pixels"]

GLYPHS = {
    "0": "###/# #/# #/# #/###",
    "1": " # /## / # / # /###",
    "2": "###/  #/###/#  /###",
    "3": "###/  #/ ##/  #/###",
    "4": "# #/# #/###/  #/  #",
    "5": "###/#  /###/  #/###",
    "6": "###/#  /###/# #/###",
    "7": "###/  #/  #/  #/  #",
    "8": "###/# #/###/# #/###",
    "9": "###/# #/###/  #/###",
    ":": " /#/ /#/ ",
    ".": " / / / /#",
    "-": "  /  /##/  /  ",
    "!": "#/#/#/ /#",
    "B": "### /#  #/### /#  #/### ",
    "C": " ###/#   /#   /#   / ###",
    "D": "### /#  #/#  #/#  #/### ",
    "F": "####/#   /### /#   /#   ",
    "G": " ###/#   /# ##/#  #/ ###",
    "H": "#  #/#  #/####/#  #/#  #",
    "J": "  ##/   #/   #/#  #/ ## ",
    "K": "#  #/# # /##  /# # /#  #",
    "M": "#   #/## ##/# # #/#   #/#   #",
    "N": "#   #/##  #/# # #/#  ##/#   #",
    "O": " ## /#  #/#  #/#  #/ ## ",
    "P": "### /#  #/### /#   /#   ",
    "Q": " ## /#  #/#  #/# ##/ ###",
    "R": "### /#  #/### /# # /#  #",
    "S": " ###/#   / ## /   #/### ",
    "T": "#####/  #  /  #  /  #  /  #  ",
    "V": "#   #/#   #/ # # / # # /  #  ",
    "W": "#   #/#   #/# # #/## ##/#   #",
    "X": "#   #/ # # /  #  / # # /#   #",
    "Z": "####/   #/ ## /#   /####",
}
"""Five pixels high. All digits are three wide, so that a running clock does not jitter;
the letters are those of room codes and of GO."""
GLYPH_H = 5


def pixels(text: str, scale: int) -> list[str]:
    """Return rows of ``#`` and space; unknown characters are left out."""
    glyphs = [GLYPHS[char].split("/") for char in text if char in GLYPHS]
    rows = [" ".join(glyph[y] for glyph in glyphs) for y in range(GLYPH_H)]
    return ["".join(c * scale for c in row) for row in rows for _ in range(scale)]


def big_size(text: str, scale: int = 1) -> tuple[int, int]:
    """Return the columns and rows of `big_text`."""
    dots = pixels(text, scale)
    return len(dots[0]), (len(dots) + 1) // 2


@lru_cache(maxsize=256)
def big_text(text: str, scale: int = 1) -> tuple[str, ...]:
    """Return large text made of half blocks, one string per row.

    >>> print(*big_text("74"), sep="|")
    ▀▀█ █ █|  █ ▀▀█|  ▀   ▀
    """
    dots = pixels(text, scale)
    if len(dots) % 2:
        dots.append(" " * len(dots[0]))
    halves = {"  ": " ", "# ": "▀", " #": "▄", "##": "█"}
    return tuple(
        "".join(halves[top + bottom] for top, bottom in zip(*pair, strict=True))
        for pair in zip(dots[::2], dots[1::2], strict=True)
    )
