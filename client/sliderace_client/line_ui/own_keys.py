"""Own keys: four characters for left, right, up and down, and what they move."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from sliderace.engine import OPPOSITE, Direction
from sliderace_client.line_ui.answers import Refusal

__all__ = ["ARROWS", "RESERVED", "WAYS", "Keys", "keys_of"]

WAYS: Final[Mapping[str, Direction]] = {
    "left": "L",
    "right": "R",
    "up": "U",
    "down": "D",
}
"""The four words, in the order in which own keys are named."""
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
"""What terminals send for arrow keys."""
PRESETS: Final[Mapping[str, str]] = {"arrows": "", "wasd": "adws", "hjkl": "hlkj"}
RESERVED: Final = "qxnpy?=#,"
"""Characters with a meaning of their own at some prompt."""
COUNT: Final = len(WAYS)


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of one player.

    Args:
        chars: for left, right, up and down; empty: the arrow keys and words alone.
        gap: a key is the way the gap travels, not the tile.
    """

    chars: str = PRESETS["wasd"]
    gap: bool = False

    def meant(self, way: str) -> Direction:
        """The way the tile travels for ``left``, ``right``, ``up`` or ``down``."""
        return OPPOSITE[WAYS[way]] if self.gap else WAYS[way]

    def direction(self, char: str) -> Direction | None:
        """The way the tile travels for a character; None where it is no key."""
        at = self.chars.find(char.lower()) if char else -1
        return None if at < 0 else self.meant(list(WAYS)[at])

    @property
    def have_digits(self) -> bool:
        """Whether a number would be ambiguous."""
        return any(char.isdecimal() for char in self.chars)

    def name(self, way: str) -> str:
        """What to type for a way: ``left-a``, or ``left`` with the arrow keys.

        >>> Keys().name("up"), Keys("").name("up")
        ('up-w', 'up')
        """
        return f"{way}-{self.chars[list(WAYS).index(way)]}" if self.chars else way

    def told(self) -> str:
        """The keys in a sentence."""
        what = "the gap" if self.gap else "the tile"
        if not self.chars:
            text = "arrow keys, or the words left, right, up, down"
            return f"Keys: {text}. They move {what}."
        pairs = ", ".join(
            f"{way} {char}" for way, char in zip(WAYS, self.chars, strict=True)
        )
        return f"Keys: {pairs}. They move {what}."


def keys_of(text: str, known: Keys) -> Keys | Refusal:
    """The keys that are meant by an answer.

    Args:
        text: four characters, together or apart, for left, right, up and down; or
            ``arrows``, ``wasd``, ``hjkl``; or ``tile`` or ``gap`` for what they move;
            or nothing.
        known: what holds so far.
    """
    line = text.rstrip("\r\n")
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
    """What is wrong with these characters as keys, if anything is."""
    if not all(char.isprintable() and len(char.lower()) == 1 for char in chars):
        return Refusal(
            "keys_unprintable",
            "One of these cannot be shown: a key is a letter, a digit or a sign.",
        )
    if not chars or (len(line) == COUNT and len(chars) < COUNT):
        return Refusal("keys_blank", "A blank cannot be a key.")
    if len(chars) != COUNT:
        many = "few" if len(chars) < COUNT else "many"
        text = f"Too {many}: four keys, for left, right, up, down, not {len(chars)}."
        return Refusal(f"keys_too_{many}", text)
    if len(set(chars.lower())) < COUNT:
        return Refusal(
            "keys_equal",
            "Two of these are the same key (a and A are one): all four must differ.",
        )
    taken = [char for char in chars.lower() if char in RESERVED]
    if taken:
        text = f"{taken[0]} has a meaning of its own here; so have {' '.join(RESERVED)}"
        return Refusal("keys_taken", f"{text}: choose another key.")
    return None
