"""Nicknames become one visible line of limited width, or nothing."""

import json
import unicodedata
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, strategies as st

from sliderace.protocol.limits import MAX_NAME_CELLS
from sliderace.protocol.names import (
    SCRIPTS,
    cells,
    clean_name,
    make_unique,
    name_fault,
    same_name,
    typed_name,
    uses_one_script,
)

VECTORS = Path(__file__).parents[2] / "shared" / "vectors" / "names-v1.json"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Ann", "Ann"),
        ("  Ann  Lee ", "Ann Lee"),
        ("Ann\nLee\tX", "Ann Lee X"),
        ("A\u00a0B\u3000C", "A B C"),
        ("\x1b[31mred\x07", "[31mred"),
        ("a\u202eb\u2066c\u200d\u200bd\ufeff", "abcd"),
        ("e\u0301", "é"),
        ("e\u0301\u0302\u0303", "é\u0302\u0303"),
        ("x\u0301\u0302\u0303\u0304y", "x\u0301\u0302y"),
        ("\u0301Ann", "Ann"),
        ("\U000e0041\U000e0042A", "A"),
        ("\ud800A", "A"),
        ("\ue000A\U0010ffff", "A"),
        ("❤\ufe0f", "❤"),
        ("<b>&amp;</b>", "<b>&amp;</b>"),
        ("[bold]x", "[bold]x"),
        ("猫" * 11, "猫" * 10),
        ("x" * 19 + "猫", "x" * 19),
        ("\U0001f1eb\U0001f1ee" * 11, "\U0001f1eb\U0001f1ee" * 10),
        ("\U0001f44d\U0001f3fd" * 11, "\U0001f44d\U0001f3fd" * 10),
        ("\u1161\u1161Ann", "Ann"),
        ("x\u1161\u1161\u1161", "x\u1161\u1161"),
        ("\u0301 \u0301Ann", "Ann"),
        ("x" * 19 + " y", "x" * 19),
        ("x" * 21, "x" * 20),
        ("שלום", "שלום"),
    ],
)
def test_clean_name(text: str, name: str) -> None:
    assert clean_name(text) == name


def test_a_typed_name_of_letters_with_marks_is_cut_by_its_bytes() -> None:
    syllable = "\u0e01\u0e37\u0e48"  # Thai, with two marks: nine bytes
    assert typed_name(syllable * 14) == syllable * 14
    assert typed_name(syllable * 15) == syllable * 14


@pytest.mark.parametrize(
    "text", ["", " ", "\n", "\u200b", "\u3164", "\u2800", "\u0301\u0302", "\U000e0041"]
)
def test_invisible_text_is_not_a_name(text: str) -> None:
    assert clean_name(text) is None


@given(st.text(max_size=40))
@example("\u09c7\u0301\u0302\u09be")
@example("\u1100" * 10 + "\u1161\u11a8")
def test_clean_name_is_safe_and_stable(text: str) -> None:
    name = clean_name(text)
    if name is None:
        return
    assert clean_name(name) == name
    assert 1 <= cells(name) <= MAX_NAME_CELLS
    assert name == name.strip() == unicodedata.normalize("NFC", name)
    assert name.isprintable()
    categories = [unicodedata.category(char) for char in name]
    assert not {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"} & set(categories)
    assert not categories[0].startswith("M")
    marks = "".join("m" if category[0] == "M" else "-" for category in categories)
    assert "mmm" not in marks


@given(st.text(max_size=30), st.lists(st.text(max_size=30), max_size=5))
def test_unique_names_differ_in_more_than_case(text: str, others: list[str]) -> None:
    name = clean_name(text) or "x"
    taken = [clean_name(other) or "y" for other in others] + [name.upper()]
    unique = make_unique(name, taken)
    assert unique.casefold() not in {other.casefold() for other in taken}
    assert cells(unique) <= MAX_NAME_CELLS
    assert clean_name(unique) == unique


def test_taken_names_get_a_number() -> None:
    assert make_unique("Ann", []) == "Ann"
    assert make_unique("Ann", ["Ben"]) == "Ann"
    assert make_unique("Ann", ["ANN"]) == "Ann 2"
    assert make_unique("Ann", ["Ann", "ann 2"]) == "Ann 3"
    assert make_unique("x" * 20, ["x" * 20]) == "x" * 18 + " 2"
    assert make_unique("猫" * 10, ["猫" * 10]) == "猫" * 9 + " 2"
    assert make_unique("\uff21nn", ["Ann"]) == "\uff21nn 2"


@pytest.mark.parametrize(
    ("text", "width"),
    [
        *(("", 0), ("Ann", 3), ("猫", 2), ("\uff21", 2), ("e\u0301", 1)),
        *(("\U0001f1eb\U0001f1ee", 2), ("\U0001f44d\U0001f3fd", 2)),
        *(("\n", 0), ("猫\x1b[2J", 5)),
    ],
)
def test_width_in_cells(text: str, width: int) -> None:
    assert cells(text) == width


# --- scripts -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "fine"), json.loads(VECTORS.read_text("utf-8"))["one_script"]
)
def test_the_letters_of_a_name_belong_to_one_script(name: str, *, fine: bool) -> None:
    """The page reads the same vectors."""
    assert uses_one_script(name) == fine
    assert name_fault(name) == ("" if fine else "mixed_name")


def test_scripts_do_not_overlap() -> None:
    ends = sorted(
        tuple(int(end, 16) for end in one.split("-"))
        for ranges in SCRIPTS.values()
        for one in ranges.split()
    )
    assert all(first <= last for first, last in ends)
    assert all(one[1] < other[0] for one, other in pairwise(ends))


@pytest.mark.parametrize("script", ["LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "HEBREW"])
def test_every_letter_of_a_script_is_in_its_ranges(script: str) -> None:
    letters = [
        char
        for char in map(chr, range(0x10000))
        if unicodedata.category(char) in ("Ll", "Lo", "Lt", "Lu")
        and unicodedata.name(char).startswith(f"{script} ")
        and unicodedata.normalize("NFKC", char) == char
    ]
    assert len(letters) > 20
    for letter in letters:
        assert uses_one_script(f"{letter}{letters[0]}"), letter


def test_a_name_that_looks_like_another_one_gets_a_number() -> None:
    """Even if all of its letters are of another script."""
    for other in ("\u0412\u0410\u041a\u0415", "\u0392\u0391\u039a\u0395"):
        assert make_unique(other, ["Bake"]) == f"{other} 2"
        assert same_name(other, "BAKE")
    assert make_unique("Анна", ["Anna"]) == "Анна"


def test_a_name_needs_letters_of_some_kind() -> None:
    assert name_fault("") == "bad_name"
    assert name_fault(None) == "bad_name"
