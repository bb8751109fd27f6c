r"""Split what a terminal sends into keys, key sequences and pasted text. Pure.

Only the grammar of ECMA-48 decides where a sequence ends. So sequences that nobody
knows are left out as a whole, and none of their characters counts as a key. A slow
connection may deliver a sequence in parts: up to `SPLIT_MS` apart, they are one
sequence.

    ESC [ parameters final     CSI: most keys, the mouse, reports
    ESC O parameters final     SS3: arrows and function keys
    ESC P ... ESC \            a string (also with X ] ^ _): replies; left out
    ESC character              Alt with a key; left out
    ESC, and a pause           the Escape key

A pause makes the difference between the Escape key and a sequence that arrives late.
The caller says how long it may be. If a sequence arrives after that, but within
`SPLIT_MS`, the Escape key has been pressed for nothing, but its rest is still a key.
"""

import re
from typing import Literal, NamedTuple

__all__ = ["SPLIT_MS", "Sequences", "Token", "readable"]

SPLIT_MS = 1_000
"""The longest pause inside a sequence: a lost packet is sent again within that time."""
CHORD_MS = 30
"""A terminal sends Alt and a key in one piece; fingers take longer than this from
Escape to the next key."""
MAX_PASTE = 1 << 16
"""Longer pasted text is cut: it is a mistake in any field that we have."""
MAX_SEQUENCE = 32
"""The library takes longer ones for text."""
MAX_FUNCTION_KEY = 34
"""Higher numbers name no key, and the library takes them for characters."""

ESC = "\x1b"
_PASTE, _PASTED = "\x1b[200~", "\x1b[201~"
_CSI = re.compile(r"\x1b\[[0-?]*[ -/]*([@-~])?")
_SS3 = re.compile(r"\x1bO[0-?]*([@-~])?")
_STRING = re.compile(r"\x1b[PX\]^_][^\x07\x18\x1a\x1b]*(\x1b\\|[\x07\x18\x1a])?")
_INTRODUCERS = "[OPX]^_"


class Token(NamedTuple):
    """A part of the input.

    Attributes:
        kind: ``text``: characters, each a key; ``sequence``: one complete sequence;
            ``escape``: the Escape key; ``paste``: pasted text.
        content: its characters; for ``paste``, without the sequences around it.
    """

    kind: Literal["text", "sequence", "escape", "paste"]
    content: str


_ESCAPE = Token("escape", ESC)


class Sequences:
    """Splits the input; `now` is in ms of any clock."""

    def __init__(self) -> None:
        self._rest = ""
        self._heard_at = 0
        self._escape_sent = False

    def feed(self, data: str, now: int) -> list[Token]:
        """Take what has arrived; return what is complete.

        Args:
            data: one or more characters.
            now: when they arrived.
        """
        tokens: list[Token] = []
        if self._rest == ESC:
            if self._escape_sent and data[0] not in _INTRODUCERS:
                self._rest = ""  # the Escape key had been pressed
            elif now - self._heard_at > CHORD_MS and data[0] not in _INTRODUCERS:
                tokens.append(_ESCAPE)
                self._rest = ""
        self._escape_sent = False
        self._heard_at = now
        self._rest += data
        while self._rest:
            length, token = self._next(self._rest)
            if length == 0:
                break
            self._rest = self._rest[length:]
            if token is not None:
                tokens.append(token)
        return tokens

    def waited(self, now: int, patience_ms: int) -> list[Token]:
        """Return what is complete because nothing has followed it for some time.

        Args:
            now: as in `feed`.
            patience_ms: after this time, ESC alone is the Escape key.
        """
        if not self._rest:
            return []
        waited = now - self._heard_at
        tokens: list[Token] = []
        if self._rest == ESC and not self._escape_sent and waited >= patience_ms:
            self._escape_sent = True
            tokens.append(_ESCAPE)
        if waited >= SPLIT_MS:
            if self._rest.startswith(_PASTE):
                tokens.append(_pasted(self._rest[len(_PASTE) :]))
            self._rest, self._escape_sent = "", False
        return tokens

    def _next(self, rest: str) -> tuple[int, Token | None]:
        """Return the length of the next part and its token, if it has one.

        A length of 0: the part is not complete.
        """
        if rest[0] != ESC:
            end = rest.find(ESC)
            end = len(rest) if end < 0 else end
            return end, Token("text", rest[:end])
        if len(rest) == 1:
            return 0, None
        if rest.startswith(_PASTE):
            end = rest.find(_PASTED)
            if end >= 0:
                return end + len(_PASTED), _pasted(rest[len(_PASTE) : end])
            self._rest = rest[: len(_PASTE) + MAX_PASTE]
            return 0, None
        match rest[1]:
            case "\x1b":
                return 1, _ESCAPE
            case "[":
                return _csi(rest)
            case "O":
                return _complete(rest, _SS3)
            case "P" | "X" | "]" | "^" | "_":
                return _string(rest)
            case _:
                return 2, None


def _complete(rest: str, pattern: re.Pattern[str]) -> tuple[int, Token | None]:
    found = pattern.match(rest)
    end = found.end() if found else 0
    if found and found[1]:
        return end, Token("sequence", found[0])
    return (0, None) if end == len(rest) else (end, None)  # a character breaks it off


def _csi(rest: str) -> tuple[int, Token | None]:
    if rest.startswith("\x1b[["):  # the function keys of a Linux console
        return (4, Token("sequence", rest[:4])) if len(rest) > 3 else (0, None)
    if rest.startswith("\x1b[M"):  # a click as old terminals report it
        return (6, None) if len(rest) > 5 else (0, None)
    return _complete(rest, _CSI)


def _string(rest: str) -> tuple[int, Token | None]:
    found = _STRING.match(rest)
    end = found.end() if found else 0
    if found and found[1]:
        return end, None
    if rest[end:] in ("", ESC):
        return 0, None
    return end, None  # another sequence breaks it off


def _pasted(content: str) -> Token:
    return Token("paste", content[:MAX_PASTE].replace("\0", ""))


_KEY = re.compile(r"\x1b\[([\d:;]*)([u~A-HPQRS])")
_RELEASED = "3"
_RESIZED = re.compile(r"\x1b\[48;([1-9]\d{0,3});([1-9]\d{0,3})(;\d+){2}t")


def readable(sequence: str) -> str:
    """Return a sequence as the library reads it; empty: it means nothing to us.

    The library ends with an error on the event types and alternate keys of the kitty
    protocol, on numbers that are not characters, and on a screen without cells.

    Args:
        sequence: a complete one.
    """
    numbers = re.findall(r"\d+", sequence)
    if len(sequence) > MAX_SEQUENCE or any(len(number) > 7 for number in numbers):
        return ""
    if sequence.startswith("\x1b[48;") and sequence.endswith("t"):
        return sequence if _RESIZED.fullmatch(sequence) else ""
    found = _KEY.fullmatch(sequence)
    if found is None:
        return sequence
    parameters: list[str] = found[1].split(";")
    key, modifiers, typed, *_ = [*parameters, "", "", ""]
    key = key.partition(":")[0]
    modifiers, _, event = modifiers.partition(":")
    codes = [key] if found[2] == "u" else []
    codes += [code for code in typed.split(":") if code]
    if found[2] != "u" and int(key or 1) > MAX_FUNCTION_KEY:
        return ""
    if event == _RELEASED or not all(_is_character(int(code or 1)) for code in codes):
        return ""
    kept = ";".join((key, modifiers, typed)).rstrip(";")
    return f"\x1b[{kept}{found[2]}"


def _is_character(code: int) -> bool:
    return 0 < code < 0xD800 or 0xDFFF < code <= 0x10FFFF
