"""docs/protocol.md explains every message as the types define it."""

import json
import re
from pathlib import Path
from typing import get_args

import pytest
from msgspec import inspect
from tests.race.test_ranking import row

from sliderace.protocol import messages as m
from sliderace.protocol.codes import CLOSE_CODES, REFUSALS
from sliderace.protocol.describe import ENTRIES, PARTS, protocol_page, words
from sliderace.race.ranking import rank
from sliderace.race.rules import RANGES

DOCS = Path(__file__).parents[2] / "docs"
PAGE = protocol_page()
KINDS = [*get_args(m.Command), *get_args(m.Event), *ENTRIES, *PARTS]


def test_page_is_current() -> None:
    """If not, run `python docs/generate.py`."""
    assert (DOCS / "protocol.md").read_text(encoding="utf-8") == PAGE


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_message_and_field_is_explained(kind: type) -> None:
    known = inspect.type_info(kind)
    assert isinstance(known, inspect.StructType)
    form = "array" if known.array_like else "object"
    name = known.tag or f"{kind.__name__} {form}"
    part = PAGE.index("\n## Events\n") if kind in get_args(m.Event) else 0
    section = PAGE[PAGE.index(f"\n### {name}\n", part) :].split("\n### ")[1]
    assert len(section.split("\n")[2]) > 10
    for field in known.fields:
        row = next(line for line in section.splitlines() if f"| `{field.name}`" in line)
        assert len(row.split(" | ")[-1].removesuffix(" |")) > 3, row


def test_every_code_and_range_is_listed() -> None:
    for code in (*REFUSALS, *map(str, CLOSE_CODES)):
        assert f"\n| {code} | " in PAGE
    for low, high in RANGES.values():
        assert f"{low} ... {high} |" in PAGE


def test_rule_for_places_is_stated_and_true() -> None:
    """A changed place is not sent again, so clients have to know it."""
    rule = "a finisher's place is 1 + the number of finishers with a smaller `time_ms`."
    assert f"Until the results, {rule}" in PAGE
    times = (5_000, 4_000, 5_000, 6_000)
    rows = rank(row(seat, "finished", time) for seat, time in enumerate(times))
    for one in rows:
        assert one.place == 1 + sum(time < times[one.seat] for time in times)


def test_example_race_consists_of_real_messages() -> None:
    kinds = {
        (mark, kind.__struct_config__.tag): kind.__struct_fields__
        for mark, union in ((">", m.Command), ("<", m.Event))
        for kind in get_args(union)
    }
    block = PAGE.split("```\n")[1]
    for line in block.splitlines():
        message = json.loads(line[2:].replace(", ...", ""))
        fields = kinds[line[0], message.pop("t")]
        assert message.keys() <= {*fields}, line


def anchors(text: str) -> set[str]:
    heads = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {
        re.sub(r"[^a-z0-9_ -]", "", head.lower()).replace(" ", "-") for head in heads
    }


@pytest.mark.parametrize("name", ["protocol.md", "race-record.md"])
def test_links_resolve(name: str) -> None:
    page = (DOCS / name).read_text("utf-8")
    for target in re.findall(r"\]\(([^)]*)\)", page):
        file, _, anchor = target.partition("#")
        assert (DOCS / (file or name)).exists()
        if anchor:
            assert anchor in anchors((DOCS / (file or name)).read_text("utf-8")), target


def test_table_rows_have_equal_length() -> None:
    for block in PAGE.split("\n\n"):
        if block.startswith("|"):
            assert len({line.count(" | ") for line in block.splitlines()}) == 1


def test_unknown_field_type_is_an_error() -> None:
    with pytest.raises(TypeError, match="no words"):
        words(inspect.BytesType())
