"""Say in words what is wrong with a message: the field, its value, what is allowed."""

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Final, NamedTuple, cast

from msgspec import inspect

from sliderace.protocol import limits
from sliderace.protocol.commands import RulesPatch
from sliderace.race.rules import RANGES, SPECIAL
from sliderace.texts import text

__all__ = ["MAX_VALUE", "RULES", "Fault", "explained", "rule_text"]

MAX_VALUE: Final = 40
"""Characters of a value that are quoted."""
PATTERNS: Final[Mapping[str, str]] = {
    r"^[A-Z0-9-]{1,32}\Z": "race",
    r"^[0-9a-f]{32}\Z": "hex_32",
    r"^[0-9a-f]{64}\Z": "hex_64",
    r"^(?:[2-9]|10)x(?:[2-9]|10)\Z": "size",
}
"""Pattern -> what the catalogue calls it, `malformed.CALL`."""
RULES: Final = RulesPatch.__struct_fields__
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]")


class Fault(NamedTuple):
    """What is wrong with a message.

    Args:
        text: in English.
        field: its path, such as ``enter.rules.limit_ms``; empty: the whole message.
        value: as JSON, shortened; empty if it is missing.
        is_rule: whether a rule has a value that it cannot have.
    """

    text: str
    field: str = ""
    value: str = ""
    is_rule: bool = False


def explained(kinds: object, message: object, error: str) -> Fault:
    """Return what is wrong with a message.

    Args:
        kinds: the union of the messages that were expected.
        message: the JSON value.
        error: what msgspec says about it.
    """
    fault, _, place = error.partition(" - at `")
    place = place.removeprefix("$").removesuffix("`")
    path = [name or int(index) for name, index in _STEP.findall(place)]
    if named := re.fullmatch(r"Object (missing|contains).* field `(.*)`", fault):
        path.append(named[2])
        key = "missing" if named[1] == "missing" else "unknown_field"
        return Fault(text(f"malformed.{key}", field=_written(path)), _written(path))
    value, kind, is_rule = message, _type(kinds), False
    try:
        for step in path:
            kind, is_rule = _inner(kind, value, step)
            value = cast("Any", value)[step]
    except (LookupError, TypeError):  # the same key twice: these are others
        return Fault(text("refusal.bad_message"), _written(path))
    field, shown = _written(path), _shown(value)
    if field == "t":
        return Fault(text("malformed.unknown_type", value=shown), field, shown)
    allowed = rule_words(str(path[-1])) if is_rule else _words(kind)
    what = field or text("malformed.message")
    wrong = text("malformed.expected", field=what, allowed=allowed, value=shown)
    return Fault(wrong, field, shown, is_rule)


def rule_text(field: str, value: str) -> str:
    """Return why a rule cannot have a value.

    Args:
        field: path of one of `RULES`, such as ``rules.limit_ms``.
        value: the value at fault.
    """
    allowed = rule_words(field.rpartition(".")[2])
    return text("malformed.expected", field=field, allowed=allowed, value=value)


def rule_words(name: str) -> str:
    """Return the values that a rule can have, in words."""
    if name not in RANGES:
        kinds, _ = _inner(_type(RulesPatch), {}, name)
        assert isinstance(kinds, inspect.UnionType)  # noqa: S101 - or null: unchanged
        return _words(kinds.types[0])
    low, high = RANGES[name]
    words = text("malformed.integer", low=low, high=high)
    for special in SPECIAL.get(name, ()):
        words = text("malformed.or", first=words, last=special)
    return words


def _written(path: list[str | int]) -> str:
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(steps).removeprefix(".")


def _shown(value: object) -> str:
    match value:
        case dict():
            return text("malformed.object")
        case list():
            return text("malformed.row", count=len(cast("list[object]", value)))
        case _:
            shown = json.dumps(value, ensure_ascii=False)
            return shown if len(shown) <= MAX_VALUE else f"{shown[: MAX_VALUE - 1]}…"


@cache
def _type(kinds: object) -> inspect.Type:
    return inspect.type_info(kinds)


def _inner(
    kind: inspect.Type, value: object, step: str | int
) -> tuple[inspect.Type, bool]:
    """Return the type of a part, and whether it is a rule."""
    match kind:
        case inspect.UnionType(types=types):
            structs = [one for one in types if isinstance(one, inspect.StructType)]
            if structs and step == structs[0].tag_field:
                return inspect.LiteralType(tuple(one.tag for one in structs)), False
            return _inner(_chosen(types, value), value, step)
        case inspect.StructType(fields=fields, cls=cls):
            named = {one.encode_name: one.type for one in fields}
            return named[str(step)], cls is RulesPatch
        case inspect.ListType(item_type=item):
            return item, False
        case inspect.TupleType(item_types=items) if isinstance(step, int):
            return items[step], False
        case _:
            return inspect.AnyType(), False


def _chosen(types: tuple[inspect.Type, ...], value: object) -> inspect.Type:
    """Return the type of a union that a value claims to be."""
    fields = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    structs = (one for one in types if isinstance(one, inspect.StructType))
    for one in structs:
        if one.tag_field and fields.get(one.tag_field) == one.tag:
            return one
    return next(one for one in types if not isinstance(one, inspect.NoneType))


def _words(kind: inspect.Type) -> str:
    """Return the values of a type, in words."""
    match kind:
        case inspect.IntType(ge=low, le=high):
            high = limits.MAX_INTEGER if high is None else high
            return text("malformed.integer", low=low or 0, high=high)
        case inspect.StrType(pattern=str(pattern)):
            return text(f"malformed.{PATTERNS[pattern]}")
        case inspect.StrType(min_length=low, max_length=high):
            return text("malformed.text", low=low or 0, high=high or 0)
        case inspect.BoolType():
            return text("malformed.boolean")
        case inspect.LiteralType(values=values):
            return text("malformed.one_of", values=", ".join(map(str, values)))
        case inspect.UnionType(types=(one, inspect.NoneType())):
            return text("malformed.or", first=_words(one), last="null")
        case inspect.ListType(min_length=low, max_length=high):
            return text("malformed.items", low=low or 0, high=high or 0)
        case inspect.TupleType(item_types=items):
            return text("malformed.row", count=len(items))
        case _:
            return text("malformed.object")
