"""Canonical JSON: one value, one row of bytes, so that bytes can be signed.

RFC 8785, limited to what a race record is made of: objects, lists, strings, whole
numbers that every JSON reader holds exactly, booleans and null. There are no fractions,
so nothing rests on how somebody prints them.
"""

import json
from typing import NoReturn, cast

__all__ = ["MAX_DEPTH", "MAX_INTEGER", "NotCanonical", "decode", "encode"]

MAX_INTEGER = 2**53 - 1
"""What every JSON reader holds exactly (RFC 8259), either sign."""
MAX_DEPTH = 16
"""Lists and objects inside each other; a slide in a signed race record is the sixth."""
MAX_DIGITS = len(str(-MAX_INTEGER))
"""Longer is too large: told from the text, since reading it may take long."""


class NotCanonical(ValueError):
    """There is no canonical form of this; the text says why, and quotes nothing."""


def encode(value: object) -> bytes:
    """The canonical form of a value.

    >>> encode({"b": [1, True, None], "a": "x"})
    b'{"a":"x","b":[1,true,null]}'

    Args:
        value: dicts with text keys, lists, texts, integers, booleans and None.

    Raises:
        NotCanonical: it holds something else, an integer beyond `MAX_INTEGER`, a
            surrogate, or nests deeper than `MAX_DEPTH`.
    """
    # What the standard library writes of a sorted value is RFC 8785's form already:
    # it escapes what must be, in the shortest way, and nothing else.
    text = json.dumps(_sorted(value, 0), ensure_ascii=False, separators=(",", ":"))
    return text.encode()


def decode(data: bytes) -> object:
    """Read JSON strictly; it need not be in canonical form, but must have one.

    Args:
        data: UTF-8 without a byte order mark.

    Raises:
        NotCanonical: it is no JSON, a key comes twice in an object, or there is what
            `encode` would refuse: fractions and exponents, NaN, large integers, lone
            surrogates, deep nesting.
    """
    try:
        value: object = json.loads(
            data.decode(),
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_not_whole,
            parse_constant=_not_whole,
        )
    except UnicodeDecodeError:
        raise NotCanonical("no JSON: not UTF-8") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise NotCanonical(f"no JSON: {where}") from None
    except RecursionError:
        raise NotCanonical("nested too deeply") from None
    _sorted(value, 0)
    return value


def _sorted(value: object, depth: int) -> object:
    """A copy whose keys are in order, if all of it may be written."""
    match value:
        case bool() | None:
            return value
        case int():
            if not -MAX_INTEGER <= value <= MAX_INTEGER:
                raise NotCanonical("an integer is too large")
            return value
        case str():
            if not value.isascii():
                _utf16(value)
            return value
        case list() | dict() if depth == MAX_DEPTH:
            raise NotCanonical("nested too deeply")
        case list():
            items = cast("list[object]", value)
            return [_sorted(item, depth + 1) for item in items]
        case dict():
            fields = cast("dict[object, object]", value)
            return {
                key: _sorted(fields[key], depth + 1)
                for key in sorted(fields, key=_utf16)
            }
        case _:
            raise NotCanonical("neither text, integer, boolean, null, list nor object")


def _utf16(text: object) -> bytes:
    """What keys are sorted by: their UTF-16 code units, as JavaScript does."""
    if not isinstance(text, str):
        raise NotCanonical("a key is no text")
    try:
        return text.encode("utf-16-be")
    except UnicodeEncodeError:
        raise NotCanonical("a lone surrogate") from None


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise NotCanonical("a key comes twice in an object")
    return fields


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise NotCanonical("an integer is too large")
    return int(digits)


def _not_whole(_: str) -> NoReturn:
    raise NotCanonical("a number is not whole")
