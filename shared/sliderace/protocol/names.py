"""Nicknames: cleaned by the server and again by every client.

A cleaned name is one line of visible text of limited width. It cannot break a table,
and it cannot hide or imitate anything with invisible characters. New names use letters
of one script, so that nobody can imitate "Ann" with a Cyrillic A.
"""

import unicodedata
from collections.abc import Collection

from wcwidth import wcswidth, wcwidth

from sliderace.protocol.limits import MAX_NAME_CELLS

__all__ = [
    "BOT_MARK",
    "cells",
    "clean_name",
    "make_unique",
    "name_fault",
    "same_name",
    "typed_fault",
    "typed_name",
    "uses_one_script",
]

MAX_MARKS = 2
"""Characters without a width per letter, such as combining marks: enough for names in
every living script, in NFC."""
MAX_BYTES = 128
"""In UTF-8. Marks take no cells, so without this limit a full room, its results and
its series would not fit into a message."""

BOT_MARK = "\u2699"
"""Begins the names of the server's own bots."""
_BOT_MARKS = str.maketrans("", "", f"{BOT_MARK}\u26ed\u26ee")
"""The mark, and the other gears that look like it."""
_KEPT = frozenset("LMNPS")
"""Letters, marks, numbers, punctuation and symbols. This excludes control, format
(bidi, zero-width, tags), surrogate, private-use and unassigned characters."""

_INVISIBLE = frozenset(
    map(
        chr,
        [
            0x034F,  # combining grapheme joiner
            *range(0x115F, 0x1161),  # Hangul fillers
            *range(0x17B4, 0x17B6),  # Khmer inherent vowels
            *range(0x180B, 0x1810),  # Mongolian variation selectors
            0x2800,  # blank braille pattern
            0x3164,  # Hangul filler
            *range(0xFE00, 0xFE10),  # variation selectors
            0xFFA0,  # half-width Hangul filler
            *range(0xFFFC, 0xFFFE),  # replacement characters
            0x1D159,  # musical null note head
            *range(0xE0100, 0xE01F0),  # variation selectors supplement
        ],
    )
)
"""Characters that are invisible although their category is letter, mark or symbol."""


SCRIPTS = {
    "latin": "41-2af 1d00-1d25 1d2c-1dbf 1e00-1eff 2183-2184 2c60-2c7f a720-a7ff "
    "ab30-ab64 ab66-ab6f",
    "greek": "370-3ff 1d26-1d2a 1f00-1fff ab65-ab65",
    "cyrillic": "400-52f 1c80-1c8f 1d2b-1d2b 2de0-2dff a640-a69f",
    "armenian": "530-58f",
    "hebrew": "590-5ff",
    "arabic": "600-6ff 750-77f 870-8ff",
    "devanagari": "900-97f",
    "bengali": "980-9ff",
    "gurmukhi": "a00-a7f",
    "gujarati": "a80-aff",
    "oriya": "b00-b7f",
    "tamil": "b80-bff",
    "telugu": "c00-c7f",
    "kannada": "c80-cff",
    "malayalam": "d00-d7f",
    "sinhala": "d80-dff",
    "thai": "e00-e7f",
    "lao": "e80-eff",
    "tibetan": "f00-fff",
    "burmese": "1000-109f a9e0-a9ff aa60-aa7f",
    "georgian": "10a0-10ff 1c90-1cbf 2d00-2d2f",
    "ethiopic": "1200-139f 2d80-2ddf ab00-ab2f",
    "cherokee": "13a0-13ff ab70-abbf",
    "khmer": "1780-17ff",
    "mongolian": "1800-18af",
    "east_asian": "1100-11ff 3005-3007 3040-318f 31a0-31bf 31f0-31ff 3400-4dbf "
    "4e00-9fff a960-a97f ac00-d7ff f900-faff 20000-3ffff",
}
"""Script -> its ranges of characters, in hex. Chinese, Japanese and Korean names mix
the East Asian ones. Letters of all other scripts count as one more script."""


def clean_name(text: str) -> str | None:
    r"""Return `text` as a nickname that is safe to show; None if nothing is left.

    Cleaning a clean name does not change it.

    >>> clean_name("  Ann\t\u202eB  ")
    'Ann B'
    >>> clean_name("\u200b") is None
    True
    """
    return _fitted(_visible(text), MAX_NAME_CELLS) or None


def _visible(text: str) -> str:
    """Return text as one line without characters that cannot be seen."""
    spaced = "".join(" " if char.isspace() else char for char in text)
    kept = "".join(char for char in spaced if _is_kept(char))
    return unicodedata.normalize("NFC", " ".join(kept.split()))


def typed_name(text: str) -> str:
    r"""Return what somebody typed as a nickname; empty if nothing is left.

    It has at most `MAX_BYTES`. Nobody can type the mark of the server's own bots.

    >>> typed_name("\u2699 Otter \u00b7 club")
    'Otter · club'
    """
    name = clean_name(text.translate(_BOT_MARKS)) or ""
    return name.encode()[:MAX_BYTES].decode(errors="ignore").strip()


def make_unique(name: str, taken: Collection[str]) -> str:
    """Return `name`, with a number if it looks like a name in `taken`.

    Args:
        name: a cleaned name.
        taken: the cleaned names in use.

    >>> make_unique("Ann", ["ann", "Ann 2"])
    'Ann 3'
    """
    keys = {_key(other) for other in taken}
    unique, number = name, 1
    while _key(unique) in keys:
        number += 1
        suffix = f" {number}"
        unique = _fitted(name, MAX_NAME_CELLS - len(suffix)) + suffix
    return unique


def name_fault(name: str | None) -> str:
    r"""Return the refusal code of a cleaned name that nobody may choose, or nothing.

    >>> name_fault("Ann"), name_fault("\u0410nn"), name_fault("")
    ('', 'mixed_name', 'bad_name')
    """
    if not name:
        return "bad_name"
    return "" if uses_one_script(name) else "mixed_name"


def typed_fault(text: str) -> str:
    """Return the refusal code of what somebody typed as a nickname, or nothing.

    >>> typed_fault("x" * 20), typed_fault("x" * 21), typed_fault(" " * 21)
    ('', 'long_name', 'bad_name')
    """
    if cells(_visible(text)) > MAX_NAME_CELLS:
        return "long_name"
    return name_fault(typed_name(text))


def uses_one_script(name: str) -> bool:
    r"""Return whether the letters of a cleaned name belong to one script.

    Digits, marks, symbols and letter-like signs go with any script.

    >>> uses_one_script("Ann 2"), uses_one_script("\u0410nn")
    (True, False)
    """
    if name.isascii():
        return True
    letters = filter(_is_letter, unicodedata.normalize("NFKC", name))
    return len(set(map(_script, letters))) < 2


def same_name(one: str, other: str) -> bool:
    """Return whether two cleaned names look the same.

    >>> same_name("Ann", "ANN"), same_name("Ann", "Ann 2")
    (True, False)
    """
    return _key(one) == _key(other)


def cells(text: str) -> int:
    r"""Return the width of `text` in terminal cells; control characters have none.

    >>> cells("Ann"), cells("\u732b"), cells("e\u0301"), cells("\U0001f1eb\U0001f1ee")
    (3, 2, 1, 2)
    """
    if text.isascii() and text.isprintable():
        return len(text)
    width = wcswidth(text)
    return width if width >= 0 else sum(max(0, wcwidth(char)) for char in text)


def _is_kept(char: str) -> bool:
    if char in _INVISIBLE:
        return False
    return char == " " or unicodedata.category(char)[0] in _KEPT


def _fitted(name: str, width: int) -> str:
    """Return the longest prefix that fits, with at most `MAX_MARKS` per letter."""
    if name.isascii():
        return name[:width].strip()
    kept, used = "", 0
    marks = MAX_MARKS  # a mark needs a letter before it
    for char in name:
        if char == " " and not kept:
            continue  # the marks before it were dropped
        grown = cells(kept + char)
        if grown > width:
            break
        marks = marks + 1 if grown == used else 0
        if marks <= MAX_MARKS:
            kept, used = kept + char, grown
    return unicodedata.normalize("NFC", kept).strip()


def _is_letter(char: str) -> bool:
    return unicodedata.category(char) in ("Ll", "Lo", "Lt", "Lu")


_RANGES = [
    (int(first, 16), int(last, 16), script)
    for script, ranges in SCRIPTS.items()
    for first, last in (one.split("-") for one in ranges.split())
]


def _script(letter: str) -> str:
    """Return the script of a letter; empty if it is not in `SCRIPTS`."""
    point = ord(letter)
    found = (script for first, last, script in _RANGES if first <= point <= last)
    return next(found, "")


_LOOKALIKES = str.maketrans(
    "авекмнорстухіјѕһԁԛԝ" + "αβεζηικμνορτυχ", "abekmhopctyxijshdqw" + "abezhikmvoptyx"
)
"""Cyrillic and Greek letters -> Latin ones that look the same in either case."""


def _key(name: str) -> str:
    """Return a key that is equal for names that look the same in some case."""
    if name.isascii():  # fast, since a newcomer is compared with a whole large room
        return name.lower()
    return unicodedata.normalize("NFKC", name).casefold().translate(_LOOKALIKES)
