"""Generate `core/messages.js`, the page's readers; `docs/generate.py` writes it.

The page checks every field of an event on arrival. A test compares the file with what
is generated here.
"""

import json
from collections.abc import Iterable
from typing import TypeAlias, get_args

import msgspec
from msgspec import inspect

from sliderace.protocol.messages import Event, Signal

__all__ = ["Structure", "readers_file", "structures"]

HEAD = """\
// The readers of all events, written by sliderace.protocol.page_readers: do not edit.

import {
  among,
  boolean,
  integer,
  list,
  natural,
  nickname,
  nullable,
  object,
  or,
  string,
  tuple,
} from "./readers.js";
"""

Structure: TypeAlias = inspect.StructType | inspect.DataclassType
"""A message or a part of one."""


def structures(messages: Iterable[type]) -> list[Structure]:
    """Return messages and all their parts, each after its own parts."""
    found: dict[type, Structure] = {}
    for message in messages:
        _collect(inspect.type_info(message), found)
    return list(found.values())


def _collect(kind: inspect.Type, found: dict[type, Structure]) -> None:
    match kind:
        case inspect.StructType() | inspect.DataclassType():
            for field in kind.fields:
                _collect(field.type, found)
            found.setdefault(kind.cls, kind)
        case inspect.ListType(item_type=item):
            _collect(item, found)
        case inspect.UnionType(types=types):
            for one in types:
                _collect(one, found)
        case _:
            pass


def readers_file() -> str:
    """Return the text of `core/messages.js`."""
    events: tuple[type[msgspec.Struct], ...] = get_args(Event)
    tags = "".join(
        f"    {event.__struct_config__.tag}: {event.__name__},\n" for event in events
    )
    table = (
        "/** Type of an event -> its reader. */\n"
        f"export const EVENTS = new Map(\n  Object.entries({{\n{tags}  }}),\n);\n"
    )
    return "\n".join([HEAD, *map(_structure, structures(events)), table])


def _structure(kind: Structure) -> str:
    is_array = isinstance(kind, inspect.StructType) and kind.array_like
    fields = "".join(
        f"  {field.encode_name}: {_field(kind.cls, field)},\n" for field in kind.fields
    )
    form = "tuple" if is_array else "object"
    return f"const {kind.cls.__name__} = {form}({{\n{fields}}});\n"


def _field(cls: type, field: inspect.Field) -> str:
    """Return the reader of a field, as JavaScript."""
    reader = _reader(field.type)
    if field.name == "name" and cls is not Signal:
        reader = "nickname"
    if field.name == "why":  # clients only word it: a new reason is not an error
        reader = "string"
    if field.required:
        return reader
    if field.default is msgspec.NODEFAULT:
        return f"or({reader}, [])"
    if isinstance(field.default, int) and field.default < 0:
        reader = "integer"  # all other integers are at least 0
    return f"or({reader}, {json.dumps(field.default)})"


def _reader(kind: inspect.Type) -> str:
    """Return the reader of a type, as JavaScript.

    Raises:
        TypeError: no event has had such a field so far.
    """
    match kind:
        case inspect.IntType():
            return "natural"
        case inspect.StrType():
            return "string"
        case inspect.BoolType():
            return "boolean"
        case inspect.LiteralType(values=values):
            return f"among({', '.join(map(json.dumps, values))})"
        case inspect.UnionType(types=(one, inspect.NoneType())):
            return f"nullable({_reader(one)})"
        case inspect.ListType(item_type=item):
            return f"list({_reader(item)})"
        case inspect.StructType() | inspect.DataclassType():
            return kind.cls.__name__
        case _:
            raise TypeError(f"no reader for {kind}")
