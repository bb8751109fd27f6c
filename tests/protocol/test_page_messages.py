"""The page's generated readers and types match the messages."""

import runpy
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import msgspec
import pytest

from sliderace.protocol import page_readers, page_types
from sliderace.protocol.page_readers import readers_file
from sliderace.protocol.page_types import types_file

CORE = Path(__file__).parents[2] / "client" / "sliderace_page" / "core"
FILES: dict[str, tuple[ModuleType, Callable[[], str]]] = {
    "messages.js": (page_readers, readers_file),
    "messages.d.ts": (page_types, types_file),
}


class Odd(msgspec.Struct, tag="odd"):
    """A message with a field type that no message has."""

    body: bytes


class Strange(Odd, tag="strange"):
    """Another message with such a field."""


@pytest.mark.parametrize("name", FILES)
def test_file_is_current(name: str) -> None:
    """If not: python -m sliderace.protocol.MODULE > client/sliderace_page/core/NAME."""
    assert (CORE / name).read_text(encoding="utf-8") == FILES[name][1]()


@pytest.mark.parametrize("name", FILES)
def test_module_prints_the_file(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    module, generate = FILES[name]
    runpy.run_path(str(module.__file__), run_name="__main__")
    assert capsys.readouterr().out == generate()


def test_every_nickname_is_cleaned() -> None:
    """Only the `name` of a signal is read without cleaning."""
    blocks = readers_file().split("\n\n")
    plain = [block for block in blocks if "  name: string" in block]
    assert [block.split()[1] for block in plain] == ["Signal"]
    assert readers_file().count("  name: nickname") == 2


@pytest.mark.parametrize("generate", [readers_file, types_file])
def test_unknown_field_type_is_an_error(
    generate: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_readers, "Event", Odd | Strange)
    monkeypatch.setattr(page_types, "Event", Odd | Strange)
    with pytest.raises(TypeError, match="for BytesType"):
        generate()
