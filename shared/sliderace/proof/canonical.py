"""Canonical JSON (RFC 8785): one value has one byte sequence, so it can be signed.

Only what a race record needs: objects, lists, strings, booleans, null and integers that
every JSON reader holds exactly. There are no fractions, so nothing depends on how a
language prints them.
"""

import json
from typing import Final, NoReturn, cast

__all__ = ["MAX_DEPTH", "MAX_INTEGER", "NotCanonical", "decode", "encode"]

MAX_INTEGER: Final = 2**53 - 1
"""The largest integer, of either sign, that every JSON reader holds (RFC 8259)."""
MAX_DEPTH: Final = 16
"""Nested lists and objects; a slide in a signed race record is at depth six."""
MAX_DIGITS: Final = len(str(-MAX_INTEGER))
"""Longer numbers are refused unread: parsing a very long one takes long."""


class NotCanonical(ValueError):
    """A value or a text has no canonical form.

    Attributes:
        code: the reason; the catalogue words it as `check.structure.CODE`.
        values: the placeholders of that text.
    """

    def __init__(self, code: str, **values: int) -> None:
        super().__init__(code, values)
        self.code = code
        self.values = values


def encode(value: object) -> bytes:
    """Return the canonical form of a value.

    >>> encode({"b": [1, True, None], "a": "x"})
    b'{"a":"x","b":[1,true,null]}'

    Args:
        value: dicts with string keys, lists, strings, integers, booleans and None.

    Raises:
        NotCanonical: the value contains any other type, an integer beyond
            `MAX_INTEGER` or a lone surrogate, or nests deeper than `MAX_DEPTH`.
    """
    # What the standard library writes for sorted keys is already the form of RFC 8785:
    # it escapes what must be escaped, in the shortest way, and nothing else.
    text = json.dumps(_sorted(value, 0), ensure_ascii=False, separators=(",", ":"))
    return text.encode()


def decode(data: bytes) -> object:
    """Parse JSON strictly; it need not be in canonical form, but must have one.

    Args:
        data: UTF-8 without a byte order mark.

    Raises:
        NotCanonical: this is not JSON, an object has the same key twice, or the value
            contains what `encode` refuses: fractions, exponents, NaN, large integers,
            lone surrogates, deep nesting.
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
        raise NotCanonical("unreadable") from None
    except json.JSONDecodeError as error:
        raise NotCanonical("not_json", line=error.lineno, column=error.colno) from None
    except RecursionError:
        raise NotCanonical("too_deep") from None
    _sorted(value, 0)
    return value


def _sorted(value: object, depth: int) -> object:
    """Return a copy with sorted keys, or raise if any part has no canonical form."""
    match value:
        case bool() | None:
            return value
        case int():
            if not -MAX_INTEGER <= value <= MAX_INTEGER:
                raise NotCanonical("too_large")
            return value
        case str():
            if not value.isascii():
                _utf16(value)
            return value
        case list() | dict() if depth == MAX_DEPTH:
            raise NotCanonical("too_deep")
        case list():
            items = cast("list[object]", value)
            return [_sorted(item, depth + 1) for item in items]
        case dict():
            fields = cast("dict[object, object]", value)
            return {
                key: _sorted(fields[key], depth + 1)
                for key in sorted(fields, key=_utf16)
            }
        case float():
            raise NotCanonical("not_whole")
        case _:
            raise NotCanonical("wrong_type")


def _utf16(text: object) -> bytes:
    """Return the sort key of an object's key: UTF-16 code units, as in JavaScript."""
    if not isinstance(text, str):
        raise NotCanonical("wrong_type")
    try:
        return text.encode("utf-16-be")
    except UnicodeEncodeError:
        raise NotCanonical("lone_surrogate") from None


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise NotCanonical("duplicate_key")
    return fields


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise NotCanonical("too_large")
    return int(digits)


def _not_whole(_: str) -> NoReturn:
    raise NotCanonical("not_whole")
