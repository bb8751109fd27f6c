"""The page's generated readers and types match the messages."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from sliderace.protocol import page_readers, page_types
from sliderace.protocol.page_readers import readers_file
from sliderace.protocol.page_types import types_file

CORE = Path(__file__).parents[2] / "client" / "sliderace_page" / "core"
FILES = {"messages.js": readers_file, "messages.d.ts": types_file}


class Odd(msgspec.Struct, tag="odd"):
    """A message with a field type that no message has."""

    body: bytes


class Strange(Odd, tag="strange"):
    """Another message with such a field."""


@pytest.mark.parametrize("name", FILES)
def test_file_is_current(name: str) -> None:
    """If not, run `python docs/generate.py`."""
    assert (CORE / name).read_text(encoding="utf-8") == FILES[name]()


def test_every_nickname_is_cleaned() -> None:
    """Only the `name` of a signal is read without cleaning."""
    blocks = readers_file().split("\n\n")
    plain = [block for block in blocks if "  name: string" in block]
    assert [block.split()[1] for block in plain] == ["Signal"]
    assert readers_file().count("  name: nickname") == 5


@pytest.mark.parametrize("generate", [readers_file, types_file])
def test_unknown_field_type_is_an_error(
    generate: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_readers, "Event", Odd | Strange)
    monkeypatch.setattr(page_types, "Event", Odd | Strange)
    with pytest.raises(TypeError, match="for BytesType"):
        generate()
