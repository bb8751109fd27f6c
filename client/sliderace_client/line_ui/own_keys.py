"""Own keys: four characters for left, right, up and down of the tile or the gap."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from sliderace.engine import OPPOSITE, Direction
from sliderace.texts import text
from sliderace_client.line_ui.answers import Refusal

__all__ = ["ARROWS", "RESERVED", "WAYS", "Keys", "keys_of"]

WAYS: Final[Mapping[str, Direction]] = {
    "left": "L",
    "right": "R",
    "up": "U",
    "down": "D",
}
"""The four words, in the order in which own keys are given."""
ARROWS: Final[Mapping[str, str]] = {
    "\x1b[D": "left",
    "\x1bOD": "left",
    "\x1b[C": "right",
    "\x1bOC": "right",
    "\x1b[A": "up",
    "\x1bOA": "up",
    "\x1b[B": "down",
    "\x1bOB": "down",
}
"""The sequences that terminals send for arrow keys."""
PRESETS: Final[Mapping[str, str]] = {"arrows": "", "wasd": "adws", "hjkl": "hlkj"}
RESERVED: Final = "qxnpy?=#,"
"""Characters that mean something else at some prompt."""
COUNT: Final = len(WAYS)


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of one player.

    Args:
        chars: for left, right, up and down; empty: only the arrow keys and words.
        gap: a key is the direction of the gap, not of the tile.
    """

    chars: str = PRESETS["wasd"]
    gap: bool = False

    def meant(self, way: str) -> Direction:
        """Return the tile's direction for ``left``, ``right``, ``up`` or ``down``."""
        return OPPOSITE[WAYS[way]] if self.gap else WAYS[way]

    def direction(self, char: str) -> Direction | None:
        """Return the tile's direction for a character; None if it is not a key."""
        at = self.chars.find(char.lower()) if char else -1
        return None if at < 0 else self.meant(list(WAYS)[at])

    @property
    def have_digits(self) -> bool:
        """Whether a number would be ambiguous."""
        return any(char.isdecimal() for char in self.chars)

    def name(self, way: str) -> str:
        """Return what to type for a way: ``left-a``, or ``left`` with the arrow keys.

        >>> Keys().name("up"), Keys("").name("up")
        ('up-w', 'up')
        """
        return f"{way}-{self.chars[list(WAYS).index(way)]}" if self.chars else way

    def sentence(self) -> str:
        """Return a sentence that explains the keys."""
        if not self.chars:
            return text("keys.arrows_gap") if self.gap else text("keys.arrows_tile")
        chars = dict(zip(WAYS, self.chars, strict=True))
        return text("keys.own_gap" if self.gap else "keys.own_tile", **chars)


def keys_of(typed: str, known: Keys) -> Keys | Refusal:
    """Return the keys that an answer means.

    Args:
        typed: four characters, together or apart, for left, right, up and down; or
            ``arrows``, ``wasd``, ``hjkl``; or ``tile`` or ``gap`` for what they move;
            or nothing.
        known: the keys so far.
    """
    line = typed.rstrip("\r\n")
    word = line.strip().lower()
    if not line:
        return known
    if word in ("tile", "gap"):
        return replace(known, gap=word == "gap")
    if word in PRESETS:
        return replace(known, chars=PRESETS[word])
    chars = "".join(line.split())
    refusal = _refusal(line, chars)
    return refusal or replace(known, chars=chars.lower())


def _refusal(line: str, chars: str) -> Refusal | None:
    """Return why these characters cannot be keys; None if they can."""
    if not all(char.isprintable() and len(char.lower()) == 1 for char in chars):
        return Refusal("keys_unprintable", text("keys.unprintable"))
    if not chars or (len(line) == COUNT and len(chars) < COUNT):
        return Refusal("keys_blank", text("keys.blank"))
    if len(chars) < COUNT:
        return Refusal("keys_too_few", text("keys.too_few", number=len(chars)))
    if len(chars) > COUNT:
        return Refusal("keys_too_many", text("keys.too_many", number=len(chars)))
    if len(set(chars.lower())) < COUNT:
        return Refusal("keys_equal", text("keys.equal"))
    taken = [char for char in chars.lower() if char in RESERVED]
    if taken:
        reserved = " ".join(RESERVED)
        taken_text = text("keys.taken", key=taken[0], reserved=reserved)
        return Refusal("keys_taken", taken_text)
    return None
