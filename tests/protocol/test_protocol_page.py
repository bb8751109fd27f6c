"""docs/protocol.md says what the types say, all of it."""

import re
import runpy
from pathlib import Path
from typing import get_args

import pytest
from msgspec import inspect

from sliderace.protocol import describe, messages as m
from sliderace.protocol.codes import CLOSE_CODES, REFUSALS
from sliderace.protocol.describe import ENTRIES, PARTS, protocol_page, words
from sliderace.race.rules import RANGES

DOCS = Path(__file__).parents[2] / "docs"
KINDS = [*get_args(m.Command), *get_args(m.Event), *ENTRIES, *PARTS]


def test_the_page_is_current() -> None:
    """Else: python -m sliderace.protocol.describe > docs/protocol.md."""
    assert (DOCS / "protocol.md").read_text(encoding="utf-8") == protocol_page()


def test_it_is_written_by_running_its_module(
    capsys: pytest.CaptureFixture[str],
) -> None:
    runpy.run_path(describe.__file__, run_name="__main__")
    assert capsys.readouterr().out == protocol_page()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_message_and_field_is_explained(kind: type) -> None:
    known = inspect.type_info(kind)
    assert isinstance(known, inspect.StructType)
    tag = known.tag or f"part {kind.__name__}"
    page = protocol_page()
    section = page[page.index(f"\n### {tag}\n") :].split("\n### ")[1]
    assert len(section.split("\n")[2]) > 10
    for field in known.fields:
        row = next(line for line in section.splitlines() if f"| `{field.name}`" in line)
        assert len(row.split(" | ")[-1].removesuffix(" |")) > 3, row


def test_every_code_and_range_stands_there() -> None:
    page = protocol_page()
    for code in (*REFUSALS, *map(str, CLOSE_CODES)):
        assert f"\n| {code} | " in page
    for low, high in RANGES.values():
        assert f"{low} ... {high} |" in page


def test_every_link_leads_somewhere() -> None:
    page = protocol_page()
    heads = re.findall(r"^#+ (.*)$", page, re.MULTILINE)
    anchors = {
        re.sub(r"[^a-z0-9_ -]", "", head.lower()).replace(" ", "-") for head in heads
    }
    for target in re.findall(r"\]\(([^)]*)\)", page):
        if target.startswith("#"):
            assert target[1:] in anchors
        else:
            assert (DOCS / target).exists()


def test_tables_are_tables() -> None:
    for block in protocol_page().split("\n\n"):
        if block.startswith("|"):
            assert len({line.count(" | ") for line in block.splitlines()}) == 1


def test_a_type_without_words_is_noticed() -> None:
    with pytest.raises(TypeError, match="no words"):
        words(inspect.BytesType())
