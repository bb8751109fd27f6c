"""Every bounded field of every command at its bounds, generated from the types."""

from collections.abc import Iterator
from typing import Any, get_args

import msgspec
import pytest
from msgspec import inspect
from tests.protocol.samples import COMMANDS

from sliderace.protocol import messages
from sliderace.protocol.codec import ProtocolError, decode_command
from sliderace.protocol.limits import MAX_UP_BYTES
from sliderace.protocol.version import VERSION


def refused(*values: Any) -> Iterator[tuple[Any, bool]]:
    """Yield values as refused ones."""
    yield from ((value, False) for value in values)


def cases_of(kind: inspect.Type) -> Iterator[tuple[Any, bool]]:
    """Yield values at, inside and outside the bounds of a type, and of wrong types."""
    match kind:
        case inspect.IntType(ge=int(low), le=int(high)):
            middle = (low + high) // 2
            for value in {low - 1, low, low + 1, middle, high - 1, high, high + 1}:
                yield value, low <= value <= high
            yield from refused("1", 1.5, True, [], {})
        case inspect.StrType(max_length=int(high)):
            low = kind.min_length or 0
            sizes = {low - 1, low, low + 1, (low + high) // 2, high - 1, high, high + 1}
            for size in sizes - {-1}:
                yield "A" * size, low <= size <= high
            yield from refused(1, True, [], {})
        case inspect.StrType():
            yield from refused("", "nope", 1, True, [], {})
        case inspect.BoolType():
            yield from ((value, True) for value in (False, True))
            yield from refused(0, 1, "true", [], {})
        case inspect.LiteralType(values=values):
            yield from ((value, True) for value in values)
            yield from refused("", "nope", 0, True, [], {})
        case inspect.UnionType(types=types):
            yield None, inspect.NoneType() in types
            for inner in types:
                if not isinstance(inner, inspect.NoneType):
                    yield from cases_of(inner)
        case _:
            yield from refused(None, 0, True, "x", [0], {"x": 0})


def walk(kind: inspect.Type, at: str, tree: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield path, (container, key) and type of every field below `tree`."""
    if isinstance(kind, inspect.StructType):
        for field in kind.fields:
            if field.encode_name in tree:
                yield f"{at}.{field.encode_name}", (tree, field.encode_name), field.type
                yield from walk(
                    field.type, f"{at}.{field.encode_name}", tree[field.encode_name]
                )
    elif isinstance(kind, inspect.UnionType) and at.endswith(".enter"):
        for inner in kind.types:
            if isinstance(inner, inspect.StructType) and inner.tag == tree["as"]:
                yield from walk(inner, at, tree)
    elif isinstance(kind, inspect.ListType):
        yield from walk(kind.item_type, f"{at}[0]", tree[0])
    elif isinstance(kind, inspect.TupleType):
        for index, inner in enumerate(kind.item_types):
            yield f"{at}[{index}]", (tree, index), inner


def json_of(sample: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(sample))


def fields() -> Iterator[Any]:
    """Yield a sample, the path of one of its fields, and the values to try there."""
    for sample in COMMANDS:
        kind = inspect.type_info(type(sample))
        for at, _, field in walk(kind, type(sample).__name__, json_of(sample)):
            yield pytest.param(sample, at, list(cases_of(field)), id=at)


def answer(sample: Any, at: str, value: Any) -> str:
    """Decode a sample with a value put in; return its type's name, or a code."""
    tree = json_of(sample)
    kind = inspect.type_info(type(sample))
    for path, (container, key), _ in walk(kind, type(sample).__name__, tree):
        if path == at:
            container[key] = value
            break
    try:
        return type(decode_command(msgspec.json.encode(tree))).__name__
    except ProtocolError as error:
        return error.code


@pytest.mark.parametrize(("sample", "at", "cases"), list(fields()))
def test_values_out_of_bounds_are_refused(
    sample: Any, at: str, cases: list[tuple[Any, bool]]
) -> None:
    kind: str = type(sample).__name__
    refusal = "bad_rules" if ".rules." in at else "bad_message"
    for value, allowed in cases:
        other_version = at == "Hello.v" and type(value) is int and value != VERSION
        expected = "version" if other_version else kind if allowed else refusal
        assert answer(sample, at, value) == expected, value


def test_number_of_slides_is_bounded() -> None:
    sample = next(c for c in COMMANDS if isinstance(c, messages.Slides))
    for count, allowed in [(0, False), (1, True), (59, True), (60, True), (61, False)]:
        tree = json_of(sample)
        tree["slides"] = [["U", 1, 0]] * count
        text = msgspec.json.encode(tree)
        assert len(text) <= MAX_UP_BYTES
        if allowed:
            assert isinstance(decode_command(text), messages.Slides)
        else:
            with pytest.raises(ProtocolError):
                decode_command(text)


def test_largest_slides_message_fits_the_size_limit() -> None:
    slides = [["U", 9, 86_400_000]] * 60
    tree = {"t": "slides", "race": "K" * 32, "gen": 10**6, "seq": 10**6}
    text = msgspec.json.encode({**tree, "approx": False, "slides": slides})
    assert isinstance(decode_command(text), messages.Slides)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("race", "A" * 33), ("race", ""), ("race", "ABC\n"), ("race", "abc"),
        ("race", "A_B"), ("race", "Ä"), ("race", 5),
    ],
)  # fmt: skip
def test_malformed_race_ids_are_refused(field: str, value: Any) -> None:
    with pytest.raises(ProtocolError):
        decode_command(msgspec.json.encode({"t": "ready", field: value}))


@pytest.mark.parametrize(
    "token", ["0" * 31, "0" * 33, "A" * 32, "0" * 31 + "\n", "", 0]
)
def test_malformed_tokens_are_refused(token: Any) -> None:
    enter = {"as": "resume", "code": "KWXTRB", "token": token}
    with pytest.raises(ProtocolError):
        decode_command(msgspec.json.encode({"t": "hello", "v": 1, "enter": enter}))


@pytest.mark.parametrize("size", ["1x4", "11x4", "4x11", "4x1", "4x4\n", "04x4", "4X4"])
def test_malformed_sizes_are_refused(size: str) -> None:
    text = msgspec.json.encode({"t": "settings", "rules": {"size": size}})
    with pytest.raises(ProtocolError):
        decode_command(text)


def test_samples_contain_every_command() -> None:
    assert {type(sample) for sample in COMMANDS} == set(get_args(messages.Command))
