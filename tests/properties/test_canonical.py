"""Canonical JSON: round trips of any value, any bytes, and the same output in node."""

import json
import subprocess
from contextlib import suppress

import pytest
from hypothesis import given, strategies as st

from sliderace.proof.canonical import MAX_INTEGER, NotCanonical, decode, encode

pytestmark = pytest.mark.timeout(600)
"""Large Hypothesis profiles take long."""

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=5)
    ),
    max_leaves=25,
)

NODE = """
const sorted = (value) =>
  Array.isArray(value) ? "[" + value.map(sorted).join() + "]"
  : value === null || typeof value !== "object" ? JSON.stringify(value)
  : "{" + Object.keys(value).sort().map(
      (key) => JSON.stringify(key) + ":" + sorted(value[key])).join() + "}";
const lines = require("fs").readFileSync(0, "utf8").trimEnd().split("\\n");
console.log(lines.map((line) => sorted(JSON.parse(line))).join("\\n"));
"""


@given(VALUES)
def test_decode_inverts_encode(value: object) -> None:
    written = encode(value)
    back = decode(written)
    assert back == value
    assert encode(back) == written


@given(VALUES, st.booleans(), st.sampled_from([None, 1]))
def test_every_json_text_of_a_value_has_the_same_canonical_form(
    value: object, ascii_only: bool, indent: int | None
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert encode(decode(text.encode())) == encode(value)


@given(VALUES, VALUES)
def test_different_values_have_different_forms(one: object, other: object) -> None:
    # Compared as text, since True == 1 in Python.
    same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert (encode(one) == encode(other)) == same


@given(st.binary(max_size=40))
def test_any_bytes_are_decoded_or_refused(data: bytes) -> None:
    with suppress(NotCanonical):
        encode(decode(data))


@given(VALUES, st.data())
def test_any_prefix_is_decoded_or_refused(value: object, data: st.DataObject) -> None:
    written = encode(value)
    with suppress(NotCanonical):
        decode(written[: data.draw(st.integers(0, len(written)))])


def test_node_writes_the_same_bytes(node: str) -> None:
    kept: list[bytes] = []

    @given(VALUES)
    def collect(value: object) -> None:
        kept.append(encode(value))

    collect()
    result = subprocess.run(
        [node, "-e", NODE], input=b"\n".join(kept), capture_output=True, check=True
    )
    assert result.stdout == b"\n".join(kept) + b"\n"
