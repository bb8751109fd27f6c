"""Generate `core/messages.d.ts`, the page's types; `docs/generate.py` writes it.

They are the types of the events that `core/messages.js` reads, and of the commands that
the page sends. A test compares the file with what is generated here.
"""

import json
from typing import get_args

import msgspec
from msgspec import inspect

from sliderace.protocol.messages import Command, Event
from sliderace.protocol.page_readers import Structure, structures

__all__ = ["types_file"]

HEAD = """\
// The types of all messages, written by sliderace.protocol.page_types: do not edit.
// docs/protocol.md says what they mean.
"""


def types_file() -> str:
    """Return the text of `core/messages.d.ts`."""
    events, commands = get_args(Event), get_args(Command)
    blocks = [
        HEAD,
        *(_structure(kind, is_sent=False) for kind in structures(events)),
        *(_structure(kind, is_sent=True) for kind in structures(commands)),
        _union("ServerEvent", events),
        _union("Command", commands),
        "export const EVENTS: Map<string, (value: unknown) => object>;\n",
    ]
    return "\n".join(blocks)


def _structure(kind: Structure, *, is_sent: bool) -> str:
    """Return the type of a message or a part; readers fill in defaults."""
    fields = "".join(
        f"  {field.encode_name}{'?' if is_sent and not field.required else ''}: "
        f"{'string' if field.name == 'why' else _type(field.type)};\n"
        for field in kind.fields
    )
    return f"export interface {kind.cls.__name__} {{\n{fields}}}\n"


def _union(name: str, messages: tuple[type[msgspec.Struct], ...]) -> str:
    """Return the type of every message of one direction."""
    kinds = "".join(f"\n  | {_tagged(message)}" for message in messages)
    return f"export type {name} ={kinds};\n"


def _tagged(message: type[msgspec.Struct]) -> str:
    config = message.__struct_config__
    return f"({{ {config.tag_field}: {json.dumps(config.tag)} }} & {message.__name__})"


def _type(kind: inspect.Type) -> str:
    """Return a type as TypeScript.

    Raises:
        TypeError: no message has had such a field so far.
    """
    match kind:
        case inspect.IntType():
            return "number"
        case inspect.StrType():
            return "string"
        case inspect.BoolType():
            return "boolean"
        case inspect.NoneType():
            return "null"
        case inspect.LiteralType(values=values):
            return " | ".join(map(json.dumps, values))
        case inspect.UnionType(types=types):
            return " | ".join(map(_type, types))
        case inspect.ListType(item_type=item):
            return f"Array<{_type(item)}>"
        case inspect.TupleType(item_types=types):
            return f"[{', '.join(map(_type, types))}]"
        case inspect.StructType(cls=cls, tag_field="as"):
            return _tagged(cls)  # a way into a room: its tag is a field like any other
        case inspect.StructType() | inspect.DataclassType():
            return kind.cls.__name__
        case _:
            raise TypeError(f"no type for {kind}")
