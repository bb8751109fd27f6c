"""Generate `docs/protocol.md` from the message types; `docs/generate.py` writes it.

Types, bounds and defaults come from msgspec. The meaning of a message is its docstring;
the meaning of a field is the string below it, or else its entry in `COMMON`.
"""

import ast
import inspect as source_of
from collections.abc import Iterable, Iterator
from dataclasses import fields as dataclass_fields
from typing import Any, cast, get_args

import msgspec
from msgspec import inspect

from sliderace.engine import Size, format_board, scramble, seed_from_text
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
    BotWanted,
    Command,
    Create,
    Daily,
    Device,
    Event,
    EventBests,
    Gain,
    Hello,
    HistoryRow,
    Join,
    Lane,
    Limits,
    Lobby,
    Me,
    Member,
    MemberLatency,
    Open,
    Profile,
    Quick,
    RaceView,
    Redeem,
    Refused,
    Rejected,
    Resume,
    Room,
    RoomRow,
    SeatNonce,
    SeatProgress,
    SeatSignals,
    SeriesRow,
    SeriesTable,
    Signal,
    Solo,
    Standing,
)
from sliderace.protocol.version import SUBPROTOCOL, VERSION
from sliderace.race.rules import RANGES, Rules
from sliderace.texts import text

__all__ = ["protocol_page", "words"]

ENTRIES: tuple[type[msgspec.Struct], ...] = (
    Create,
    Open,
    Join,
    Resume,
    Redeem,
    Quick,
    Solo,
    Daily,
    Lobby,
    Me,
)
COMMON = {
    "race": "Id of the race.",
    "o": "Offset in the room's stream.",
    "v": "Version of the protocol.",
    "code": "The room's code: six letters. In commands, case, spaces and dashes are "
    "ignored.",
    "name": "Nickname, at most 20 cells wide (`long_name`); cleaned and made unique.",
    "rules": "Rules that differ from the current ones, or from the defaults.",
    "public": "The room is listed at `/api/rooms`.",
    "seed": "A seed known in advance: 64 hex digits, or any text, which is hashed. The "
    "room makes no claim of fairness.",
    "role": "Players have a seat; spectators only watch.",
    "on": "False takes it back.",
    "member": "Id of the member.",
    "members": "All members of the room.",
    "room": "The room as it is now.",
    "seat": "Number of the seat.",
    "status": "`dnf`: did not finish; `dns`: did not start.",
    "phase": "Phase of the race.",
    "in_ms": "Until this phase ends on its own; null if it does not.",
    "stm": "Moves in the single-tile metric: tiles moved.",
    "seq": "Number of the last slide.",
    "high": "Best progress so far, in thousandths.",
    "epoch": "Epoch of the stream.",
    "why": "The reason.",
    "standings": "One per racer, best first.",
    "limits": "The limits of this connection.",
    "format": "See [a series](#a-series).",
    "wins": "First places.",
    "table": "The series as it is now.",
    "event": "Size of the board, as in `4x4`.",
    "kind": "What kind of room it is.",
    "bots": "Bots in the room.",
    "ticket": "See `ticket`.",
    "device": "Id of the device.",
    "input": "How you slide.",
    "mtm": "Moves in the multi-tile metric: runs in one direction.",
    "single_ms": "Best time; null if there is none yet.",
    "ao5_ms": "Best average of five; null if there is none yet.",
    "value_ms": "The new best.",
    "locked": "New members cannot enter.",
    "bests": "New bests: single, ao5, ao12.",
}
"""The meaning of fields without their own string."""
REFUSAL = {"code": "One of the [refusals](#refusals)."}
"""In these two events a code is not a room's."""
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
    SeriesTable,
    SeriesRow,
    RoomRow,
    Profile,
    Device,
    EventBests,
    HistoryRow,
    Gain,
)


def protocol_page() -> str:
    """Return the text of `docs/protocol.md`."""
    facts = {
        "version": VERSION,
        "subprotocol": SUBPROTOCOL,
        "up": limits.MAX_UP_BYTES,
        "down": limits.MAX_DOWN_BYTES,
        "slides": limits.MAX_SLIDES,
        "drawn": _drawn(),
        "reactions": _reactions(),
    }
    texts = (
        prose.TITLE,
        prose.CONNECTION,
        prose.GROWTH,
        prose.RACE,
        prose.BOARDS,
        prose.STREAM,
    )
    blocks = [
        *(text.format(**facts) for text in texts),
        prose.COMMANDS,
        _section(Hello),
        "`enter` is one of the following ten objects; its field `as` is the type.",
        *(_section(kind) for kind in ENTRIES),
        *(_section(kind) for kind in _kinds(Command) if kind is not Hello),
        _section(BotWanted),
        _rules(),
        prose.EVENTS,
        *map(_section, _kinds(Event)),
        "## Objects in events",
        *(_section(kind) for kind in PARTS),
        "## Refusals",
        "The codes of `refused` and `rejected`.",
        _table(("code", "meaning"), [(code, refusal_text(code)) for code in REFUSALS]),
        "## Close codes",
        "After other codes: reconnect after 4000 to 4499, not after 4500 to 4999.",
        _table(("code", "meaning", "reconnect"), _closes()),
    ]
    return "\n\n".join(block.strip() for block in blocks) + "\n"


SEEDS = (("friday", "3x3"), ("Zoë 4", "4x4"), ("friday", "10x2"), ("AB" * 32, "2x3"))
"""Examples of seeds and board sizes."""


def _drawn() -> str:
    """Return the rows of a table of seeds and their boards."""
    rows: list[str] = []
    for typed, size in SEEDS:
        seed = seed_from_text(typed)
        board = format_board(scramble(seed, Size.parse(size)))
        rows.append(f"| `{typed}` | `{seed.hex()}` | {size} | `{board}` |")
    return "\n".join(rows)


def _reactions() -> str:
    """Return the table of the reactions."""
    rows: list[tuple[str, ...]] = []
    for n in range(1, limits.REACTIONS + 1):
        sign = text(f"reaction.sign_{n}") if n <= limits.REACTION_SIGNS else ""
        rows.append((str(n), sign, text(f"reaction.{n}")))
    return _table(("id", "symbol", "meaning"), rows)


def _kinds(union: object) -> tuple[type[msgspec.Struct], ...]:
    return get_args(union)


def _section(kind: type[msgspec.Struct]) -> str:
    """Return a message or an object: its name, its meaning and its fields."""
    docs = COMMON | (REFUSAL if kind in (Refused, Rejected) else {}) | _field_docs(kind)
    rows = [
        (f"`{one.name}`", words(one.type), _default(one), docs[one.name])
        for one in _fields(kind)
    ]
    text = f"### {_name(kind)}\n\n{_markdown(source_of.getdoc(kind) or '')}"
    if not rows:
        return f"{text} No fields."
    return f"{text}\n\n{_table(('field', 'type', 'default', 'meaning'), rows)}"


def _name(kind: type[msgspec.Struct]) -> str:
    """Return the tag of a message or, of a part of messages, its class and form."""
    config = kind.__struct_config__
    if kind is RulesPatch:
        return "rules"
    form = "array" if config.array_like else "object"
    return str(config.tag or f"{kind.__name__} {form}")


def _fields(kind: type[msgspec.Struct]) -> tuple[inspect.Field, ...]:
    return cast("inspect.StructType", inspect.type_info(kind)).fields


def _rules() -> str:
    """Return the rules of a race: some of them in commands, all in events."""
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
        "### rules\n\nIn commands send only those that change; events contain all. "
        "The default countdown of public rooms is 10000 ms.\n\n"
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
    """Return a type in words.

    Raises:
        TypeError: no message has had such a field so far.
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
            return _either([f"`{_json(value)}`" for value in values])
        case inspect.UnionType(types=types):
            return _either([words(one) for one in types])
        case inspect.ListType(item_type=item):
            low, high = kind.min_length or 0, kind.max_length
            size = f" ({low} to {high})" if high else ""
            is_union = isinstance(item, inspect.UnionType)
            return f"list{size} of {f'({words(item)})' if is_union else words(item)}"
        case inspect.TupleType(item_types=types):
            return f"array [{', '.join(map(words, types))}]"
        case inspect.StructType(cls=cls):
            name = _name(cls)
            return f"[{name}](#{name.lower().replace(' ', '-')})"
        case inspect.DataclassType():
            return "[rules](#rules)"
        case _:
            raise TypeError(f"no words for {kind}")


def _either(options: list[str]) -> str:
    *first, last = options
    return f"{', '.join(first)} or {last}"


def _range(low: int | None, high: int | None) -> str:
    if low is None:
        return ""
    return f" ({low} or more)" if high == limits.MAX_INTEGER else f" ({low} ... {high})"


def _length(kind: inspect.StrType) -> str:
    if kind.pattern is not None:
        return f" like `{kind.pattern.replace(chr(92) + 'Z', '$')}`"
    if kind.max_length is not None:
        return f" ({kind.min_length or 0} to {kind.max_length} characters)"
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
    """Return field -> the string below it, in the class or a base of it."""
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
                yield name, _markdown(" ".join(text.split()))
            case _:
                pass


def _argument_docs(kind: type) -> dict[str, str]:
    """Return argument -> its text under ``Args:``."""
    doc = source_of.getdoc(kind) or ""
    lines = doc.partition("Args:\n")[2].partition("\n\n")[0]
    docs: dict[str, str] = {}
    for line in lines.splitlines():
        name, colon, text = line.strip().partition(": ")
        if colon and line.startswith("    ") and not line.startswith("     "):
            docs[name] = text
        else:
            docs[list(docs)[-1]] += f" {line.strip()}"
    return {name: _markdown(text) for name, text in docs.items()}


def _markdown(text: str) -> str:
    return text.replace("``", "`")


def _closes() -> Iterator[tuple[str, str, str]]:
    for code in CLOSE_CODES:
        yield str(code), close_text(code), "yes" if may_reconnect(code) else "no"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
