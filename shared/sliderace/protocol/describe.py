"""Writes `docs/protocol.md` from the message types: ``python -m`` this module.

Types, bounds and defaults come from msgspec; the meaning of a message is its docstring,
that of a field the string below it.
"""

import ast
import inspect as source_of
from collections.abc import Iterable, Iterator
from dataclasses import fields as dataclass_fields
from typing import Any, cast, get_args

import msgspec
from msgspec import inspect

from sliderace.protocol import limits, prose
from sliderace.protocol.codes import (
    CLOSE_CODES,
    REFUSALS,
    close_text,
    may_reconnect,
    refusal_text,
)
from sliderace.protocol.commands import RulesPatch
from sliderace.protocol.messages import (
    Command,
    Create,
    Event,
    Hello,
    Join,
    Lane,
    Limits,
    Member,
    MemberLatency,
    Open,
    RaceView,
    Redeem,
    Resume,
    Room,
    SeatNonce,
    SeatProgress,
    SeatSignals,
    Signal,
    Standing,
)
from sliderace.protocol.version import SUBPROTOCOL, VERSION
from sliderace.race.rules import RANGES, Rules

__all__ = ["protocol_page", "words"]

ENTRIES: tuple[type[msgspec.Struct], ...] = (Create, Open, Join, Resume, Redeem)
COMMON = {
    "race": "Id of the race: what `room` tells as `race`.",
    "o": "Place in the room's stream.",
    "v": "Version of the protocol.",
    "code": "The room's six letters; as typed in commands: case, spaces and dashes are "
    "ignored.",
    "name": "Nickname; the server cleans it and makes it unique.",
    "rules": "What is absent stays, or has its default in a new room.",
    "public": "Listed at `/api/rooms`.",
    "seed": "A seed known in advance: 64 hex digits, or any text, which is hashed; "
    "empty: none any more.",
    "role": "Players have a seat; spectators only watch.",
    "on": "False: take it back.",
    "member": "Id of a member.",
    "members": "Everybody in the room.",
    "room": "The room as it is now.",
    "seat": "A player's number in the room; none for spectators.",
    "status": "`dns`: did not start; `dnf`: did not finish.",
    "phase": "Where the room is.",
    "stm": "Tiles moved so far.",
    "seq": "Number of the last slide.",
    "epoch": "Which stream the offsets belong to.",
    "gen": "The series that your next slides belong to.",
    "why": "What happened, or why.",
    "standings": "Best first.",
    "id": "Chosen by the sender.",
    "limits": "What you must keep to.",
}
"""Fields that mean the same wherever nothing else is said."""
PARTS: tuple[type[msgspec.Struct], ...] = (
    Room,
    Member,
    Limits,
    RaceView,
    Lane,
    Standing,
    SeatProgress,
    SeatNonce,
    MemberLatency,
    Signal,
    SeatSignals,
)


def protocol_page() -> str:
    """The text of `docs/protocol.md`."""
    facts = {
        "version": VERSION,
        "subprotocol": SUBPROTOCOL,
        "up": limits.MAX_UP_BYTES,
        "down": limits.MAX_DOWN_BYTES,
        "slides": limits.MAX_SLIDES,
    }
    told = [
        prose.TITLE, prose.CONNECTION, prose.PLAYING, prose.BOARDS, prose.STREAM
    ]  # fmt: skip
    blocks = [
        *(text.format(**facts) for text in told),
        "## Commands",
        "An unknown field is refused, so is anything out of bounds: `bad_message`.",
        _section(Hello),
        "`enter` is one of these objects; its field `as` names it:",
        *(_section(kind) for kind in ENTRIES),
        *(_section(kind) for kind in _kinds(Command) if kind is not Hello),
        _rules(),
        prose.EVENTS,
        *map(_section, _kinds(Event)),
        "## Parts of events",
        *(_section(kind) for kind in PARTS),
        "## Refusals",
        "The codes of `refused` and `rejected`. `retry_ms` says when to try again.",
        _table(("code", "meaning"), [(code, refusal_text(code)) for code in REFUSALS]),
        "## Close codes",
        "Of others: come back after 4000 to 4499, stay away after 4500 to 4999.",
        _table(("code", "meaning", "come back"), _closes()),
    ]
    return "\n\n".join(block.strip() for block in blocks) + "\n"


def _kinds(union: object) -> tuple[type[msgspec.Struct], ...]:
    return get_args(union)


def _section(kind: type[msgspec.Struct]) -> str:
    """One type: its name, what it means, and its fields."""
    config = kind.__struct_config__
    name = str(config.tag or _part_name(kind))
    docs = COMMON | _field_docs(kind)
    rows = [
        (f"`{one.name}`", words(one.type), _default(one), docs[one.name])
        for one in _fields(kind)
    ]
    text = f"### {name}\n\n{_plain(source_of.getdoc(kind) or '')}"
    if not rows:
        return f"{text} No fields."
    return f"{text}\n\n{_table(('field', 'type', 'default', 'meaning'), rows)}"


def _fields(kind: type[msgspec.Struct]) -> tuple[inspect.Field, ...]:
    return cast("inspect.StructType", inspect.type_info(kind)).fields


def _rules() -> str:
    """The rules of a race: as a patch in commands, as a whole in events."""
    docs = _argument_docs(Rules)
    rows = [
        (
            f"`{one.name}`",
            _rule_range(one.name),
            f"`{_json(one.default)}`",
            docs[one.name],
        )
        for one in dataclass_fields(Rules)
    ]
    return (
        "### rules\n\nIn commands only those that are to change; in events all. "
        "Public rooms count down 10000 ms by default.\n\n"
        f"{_table(('field', 'range', 'default', 'meaning'), rows)}"
    )


def _rule_range(name: str) -> str:
    if name in RANGES:
        low, high = RANGES[name]
        special = {"limit_ms": "-1, 0, ", "grace_ms": "-1, "}.get(name, "")
        return f"{special}{low} ... {high}"
    if name == "size":
        return f"`WxH`, sides {limits.MIN_SIDE} ... {limits.MAX_SIDE}"
    kind = next(one.type for one in _fields(RulesPatch) if one.name == name)
    return words(kind).removesuffix(" or null")


def words(kind: inspect.Type) -> str:
    """A type in words.

    Raises:
        TypeError: no message has such a field yet.
    """
    match kind:
        case inspect.IntType():
            return f"integer{_range(kind.ge, kind.le)}"
        case inspect.StrType():
            return f"string{_length(kind)}"
        case inspect.BoolType():
            return "boolean"
        case inspect.NoneType():
            return "null"
        case inspect.LiteralType(values=values):
            return " or ".join(f"`{_json(value)}`" for value in values)
        case inspect.UnionType(types=types):
            return " or ".join(map(words, types))
        case inspect.ListType(item_type=item):
            most = f", {kind.min_length or 0} to {kind.max_length}"
            return f"list of {words(item)}{most if kind.max_length else ''}"
        case inspect.TupleType(item_types=types):
            return f"array [{', '.join(map(words, types))}]"
        case inspect.StructType(cls=cls):
            name = str(cls.__struct_config__.tag or _part_name(cls))
            return f"[{name}](#{name.lower().replace(' ', '-')})"
        case inspect.DataclassType():
            return "[rules](#rules)"
        case _:
            raise TypeError(f"no words for {kind}")


def _part_name(kind: type) -> str:
    return "rules" if kind is RulesPatch else f"part {kind.__name__}"


def _range(low: int | None, high: int | None) -> str:
    if low is None:
        return ""
    most = "" if high == limits.MAX_INTEGER else f" ... {high}"
    return f" {low}{most}" if most else f", {low} or more"


def _length(kind: inspect.StrType) -> str:
    if kind.pattern is not None:
        return f" like `{kind.pattern.replace(chr(92) + 'Z', '$')}`"
    if kind.max_length is not None:
        return f", {kind.min_length or 0} to {kind.max_length} characters"
    return ""


def _default(field: inspect.Field) -> str:
    if field.required:
        return ""
    if field.default is msgspec.NODEFAULT:
        return "`[]`"
    return f"`{_json(field.default)}`"


def _json(value: Any) -> str:  # noqa: ANN401
    return msgspec.json.encode(value).decode()


def _field_docs(kind: type) -> dict[str, str]:
    """Field -> the string that stands below it in the class or a base of it."""
    docs: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if base.__module__.startswith("sliderace."):
            docs |= dict(_strings_below(base))
    return docs


def _strings_below(kind: type) -> Iterator[tuple[str, str]]:
    node = cast("ast.ClassDef", ast.parse(source_of.getsource(kind)).body[0])
    for field, below in zip(node.body, node.body[1:], strict=False):
        match field, below:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                yield name, _plain(" ".join(text.split()))
            case _:
                pass


def _argument_docs(kind: type) -> dict[str, str]:
    """Argument -> its line under ``Args:``."""
    doc = source_of.getdoc(kind) or ""
    lines = doc.partition("Args:\n")[2].partition("\n\n")[0]
    docs: dict[str, str] = {}
    for line in lines.splitlines():
        name, colon, text = line.strip().partition(": ")
        if colon and line.startswith("    ") and not line.startswith("     "):
            docs[name] = text
        else:
            docs[list(docs)[-1]] += f" {line.strip()}"
    return {name: _plain(text) for name, text in docs.items()}


def _plain(text: str) -> str:
    return text.replace("``", "`")


def _closes() -> Iterator[tuple[str, str, str]]:
    for code in CLOSE_CODES:
        yield str(code), close_text(code), "yes" if may_reconnect(code) else "no"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    print(protocol_page(), end="")  # noqa: T201 - a program for the terminal
