"""Room codes as people type them."""

import pytest
from hypothesis import given, strategies as st

from sliderace.protocol.room_code import ALPHABET, LENGTH, format_code, parse_code


@pytest.mark.parametrize(
    "text", ["KWXTRB", "kwxtrb", "KWX-TRB", " kwx trb\n", "k-w-x-t-r-b", "KWX\u2013TRB"]
)
def test_case_spaces_and_dashes_are_ignored(text: str) -> None:
    assert parse_code(text) == "KWXTRB"


@pytest.mark.parametrize(
    "text",
    ["", "KWXTR", "KWXTRBB", "KWXTRA", "KWXTRL", "KWXTR1", "KWX_TRB", "\u041aWXTRB"],
)
def test_malformed_codes_are_refused(text: str) -> None:
    assert parse_code(text) is None


@given(st.text(alphabet=ALPHABET, min_size=LENGTH, max_size=LENGTH))
def test_parse_code_inverts_format_code(code: str) -> None:
    assert parse_code(format_code(code)) == code
    assert parse_code(format_code(code).lower()) == code


@given(st.text(max_size=12))
def test_any_text_is_a_code_or_none(text: str) -> None:
    assert parse_code(text) in {None, *([parse_code(text)])}


def test_alphabet_has_no_vowels_digits_or_lookalikes() -> None:
    assert len(set(ALPHABET)) == len(ALPHABET) == 19
    assert not set(ALPHABET) & set("AEIOUYL0123456789")
