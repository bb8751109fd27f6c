"""Canonical JSON: the exact bytes written, and what is refused."""

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
    """Return lists nested this deep."""
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
    # U+1F600 is D83D DE00 in UTF-16, so it sorts before U+E000.
    ({"\ue000": 1, "\U0001f600": 2}, '{"\U0001f600":2,"\ue000":1}'),
    ('"\\/', '"\\"\\\\/"'),
    ("\b\t\n\f\r", '"\\b\\t\\n\\f\\r"'),
    ("\x00\x0b\x1f\x1b", '"\\u0000\\u000b\\u001f\\u001b"'),
    # Nothing else is escaped.
    ("\x7f\x80\u2028\ufeffé\U0001f600", '"\x7f\x80\u2028\ufeffé\U0001f600"'),
    # Composed and decomposed characters stay different.
    (["\u00e9", "e\u0301"], '["\u00e9","e\u0301"]'),
]


@pytest.mark.parametrize(("value", "written"), FORMS)
def test_golden_canonical_forms(value: object, written: str) -> None:
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
def test_other_valid_json_is_read(text: str, value: object) -> None:
    assert decode(text.encode()) == value
    assert decode(encode(value)) == value


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "not_json"),
        (b"{", "not_json"),
        (b"1 2", "not_json"),
        (b"[1,]", "not_json"),
        (b"{'a':1}", "not_json"),
        (b"{1:1}", "not_json"),
        (b"01", "not_json"),
        (b"+1", "not_json"),
        (b'"\n"', "not_json"),
        (b'"\\x41"', "not_json"),
        (b'"\xff"', "unreadable"),
        (b'"\xed\xa0\x80"', "unreadable"),
        (b"\xef\xbb\xbf1", "not_json"),
        ("1".encode("utf-16"), "unreadable"),
        ("[1]".encode("utf-16-le"), "not_json"),
        (b'{"a":1,"a":1}', "duplicate_key"),
        (b'[{"a":{"b":1,"c":2,"\\u0062":3}}]', "duplicate_key"),
        (b"1.0", "not_whole"),
        (b"[1.5]", "not_whole"),
        (b"1e3", "not_whole"),
        (b"1E400", "not_whole"),
        (b"-0.0", "not_whole"),
        (b"NaN", "not_whole"),
        (b"-Infinity", "not_whole"),
        (b"9007199254740992", "too_large"),
        (b"-9007199254740992", "too_large"),
        pytest.param(b"1" * 100_000, "too_large", id="huge"),
        (b'"\\ud800"', "lone_surrogate"),
        (b'"\\ude00\\ud83d"', "lone_surrogate"),
        (b'{"\\udfff":1}', "lone_surrogate"),
        (b"[" * 17 + b"]" * 17, "too_deep"),
        (b'{"a":' * 17 + b"1" + b"}" * 17, "too_deep"),
        pytest.param(b"[" * 100_000, "too_deep", id="abyss"),
    ],
)
def test_ambiguous_or_malformed_json_is_refused(data: bytes, code: str) -> None:
    with pytest.raises(NotCanonical) as caught:
        decode(data)
    assert caught.value.code == code


def test_syntax_error_states_its_position() -> None:
    with pytest.raises(NotCanonical) as caught:
        decode(b"[1,\n 2,]")
    assert caught.value.values == {"line": 2, "column": 4}


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (1.0, "not_whole"),
        (float("nan"), "not_whole"),
        ((1, 2), "wrong_type"),
        (b"a", "wrong_type"),
        ({1}, "wrong_type"),
        ({1: 2}, "wrong_type"),
        ({None: 2}, "wrong_type"),
        (MAX_INTEGER + 1, "too_large"),
        (-MAX_INTEGER - 1, "too_large"),
        pytest.param(10**5_000, "too_large", id="huge"),
        ("\ud800", "lone_surrogate"),
        ("\ud83d\ude00", "lone_surrogate"),
        ({"a": [{"\udc00": 1}]}, "lone_surrogate"),
        (nested(MAX_DEPTH + 1), "too_deep"),
    ],
)
def test_value_without_canonical_form_is_refused(value: object, code: str) -> None:
    with pytest.raises(NotCanonical) as caught:
        encode(value)
    assert caught.value.code == code


def test_cyclic_value_is_refused() -> None:
    value: list[object] = []
    value.append(value)
    with pytest.raises(NotCanonical, match="too_deep"):
        encode(value)


def test_maximum_depth_is_accepted() -> None:
    value = nested(MAX_DEPTH)
    assert decode(encode(value)) == value


def test_encoding_does_not_change_the_value() -> None:
    value = {"b": [{"d": 1, "c": 2}], "a": 1}
    before = json.dumps(value)
    encode(value)
    assert json.dumps(value) == before
