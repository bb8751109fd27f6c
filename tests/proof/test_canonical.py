"""Canonical JSON: what is written, byte by byte, and what is refused."""

import json
from typing import Any

import pytest

from sliderace.proof.canonical import (
    MAX_DEPTH,
    MAX_INTEGER,
    NotCanonical,
    decode,
    encode,
)


def nested(depth: int) -> list[Any]:
    """As many lists inside each other."""
    value: list[Any] = []
    for _ in range(depth - 1):
        value = [value]
    return value


FORMS: list[tuple[Any, str]] = [
    (None, "null"),
    (True, "true"),
    (False, "false"),
    (0, "0"),
    (-1, "-1"),
    (MAX_INTEGER, "9007199254740991"),
    (-MAX_INTEGER, "-9007199254740991"),
    ("", '""'),
    ([], "[]"),
    ({}, "{}"),
    ([1, [2, {}], "3"], '[1,[2,{}],"3"]'),
    ({"b": 1, "a": {"d": 2, "c": 3}}, '{"a":{"c":3,"d":2},"b":1}'),
    ({"": 1, "a": 2, "A": 3, "1": 4}, '{"":1,"1":4,"A":3,"a":2}'),
    ({"aa": 1, "a": 2, "a\x00": 3}, '{"a":2,"a\\u0000":3,"aa":1}'),
    # U+1F600 is D83D DE00 in UTF-16: in front of U+E000.
    ({"\ue000": 1, "\U0001f600": 2}, '{"\U0001f600":2,"\ue000":1}'),
    ('"\\/', '"\\"\\\\/"'),
    ("\b\t\n\f\r", '"\\b\\t\\n\\f\\r"'),
    ("\x00\x0b\x1f\x1b", '"\\u0000\\u000b\\u001f\\u001b"'),
    # Nothing else is escaped, whatever it looks like.
    ("\x7f\x80\u2028\ufeffé\U0001f600", '"\x7f\x80\u2028\ufeffé\U0001f600"'),
    # Composed and decomposed are two texts.
    (["\u00e9", "e\u0301"], '["\u00e9","e\u0301"]'),
]


@pytest.mark.parametrize(("value", "written"), FORMS)
def test_each_value_has_one_form(value: object, written: str) -> None:
    assert encode(value) == written.encode()
    assert decode(written.encode()) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (' { "b" : [ 1 , 2 ] ,\n\t"a" : null }\r\n', {"a": None, "b": [1, 2]}),
        ('"\\u0041\\/\\ud83d\\ude00"', "A/\U0001f600"),
        ("-0", 0),
    ],
)
def test_other_forms_are_read(text: str, value: object) -> None:
    assert decode(text.encode()) == value
    assert decode(encode(value)) == value


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "no JSON"),
        (b"{", "no JSON"),
        (b"1 2", "no JSON"),
        (b"[1,]", "no JSON"),
        (b"{'a':1}", "no JSON"),
        (b"{1:1}", "no JSON"),
        (b"01", "no JSON"),
        (b"+1", "no JSON"),
        (b'"\n"', "no JSON"),
        (b'"\\x41"', "no JSON"),
        (b'"\xff"', "not UTF-8"),
        (b'"\xed\xa0\x80"', "not UTF-8"),
        (b"\xef\xbb\xbf1", "no JSON"),
        ("1".encode("utf-16"), "not UTF-8"),
        ("[1]".encode("utf-16-le"), "no JSON"),
        (b'{"a":1,"a":1}', "a key comes twice"),
        (b'[{"a":{"b":1,"c":2,"\\u0062":3}}]', "a key comes twice"),
        (b"1.0", "not whole"),
        (b"[1.5]", "not whole"),
        (b"1e3", "not whole"),
        (b"1E400", "not whole"),
        (b"-0.0", "not whole"),
        (b"NaN", "not whole"),
        (b"-Infinity", "not whole"),
        (b"9007199254740992", "too large"),
        (b"-9007199254740992", "too large"),
        pytest.param(b"1" * 100_000, "too large", id="huge"),
        (b'"\\ud800"', "lone surrogate"),
        (b'"\\ude00\\ud83d"', "lone surrogate"),
        (b'{"\\udfff":1}', "lone surrogate"),
        (b"[" * 17 + b"]" * 17, "nested too deeply"),
        (b'{"a":' * 17 + b"1" + b"}" * 17, "nested too deeply"),
        pytest.param(b"[" * 100_000, "nested too deeply", id="abyss"),
    ],
)
def test_what_is_not_clear_is_not_read(data: bytes, why: str) -> None:
    with pytest.raises(NotCanonical, match=why):
        decode(data)


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (1.0, "neither text"),
        (float("nan"), "neither text"),
        ((1, 2), "neither text"),
        (b"a", "neither text"),
        ({1}, "neither text"),
        ({1: 2}, "a key is no text"),
        ({None: 2}, "a key is no text"),
        (MAX_INTEGER + 1, "too large"),
        (-MAX_INTEGER - 1, "too large"),
        pytest.param(10**5_000, "too large", id="huge"),
        ("\ud800", "lone surrogate"),
        ("\ud83d\ude00", "lone surrogate"),
        ({"a": [{"\udc00": 1}]}, "lone surrogate"),
        (nested(MAX_DEPTH + 1), "nested too deeply"),
    ],
)
def test_what_has_no_form_is_not_written(value: object, why: str) -> None:
    with pytest.raises(NotCanonical, match=why):
        encode(value)


def test_what_holds_itself_is_not_written() -> None:
    value: list[object] = []
    value.append(value)
    with pytest.raises(NotCanonical, match="nested too deeply"):
        encode(value)


def test_the_depth_that_is_allowed() -> None:
    value = nested(MAX_DEPTH)
    assert decode(encode(value)) == value


def test_writing_leaves_the_value_alone() -> None:
    value = {"b": [{"d": 1, "c": 2}], "a": 1}
    before = json.dumps(value)
    encode(value)
    assert json.dumps(value) == before
