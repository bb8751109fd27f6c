"""Any change to a signed record is refused."""

import json
import random
from functools import cache
from typing import Any, cast

import pytest
from hypothesis import given, strategies as st
from tests.properties.test_race_record import JSON, look, places
from tests.race.sample import sample_record

from sliderace.proof.canonical import NotCanonical, decode, encode
from sliderace.proof.signed import seal
from sliderace.proof.verify import Check, verify
from sliderace_client.net.signature import check_signature
from sliderace_server.signing_key import new_key

pytestmark = pytest.mark.timeout(600)
"""Large Hypothesis profiles take long."""

CHANGES = 1_000
KEY = new_key()


@cache
def original() -> bytes:
    return seal(sample_record(), KEY.public, KEY.sign)


PLACES = [place for place in places(decode(original())) if place]
OBJECTS = [
    place
    for place in [(), *PLACES]
    if isinstance(look(json.loads(original()), place), dict)
]
STRANGE: list[object] = json.loads(
    '[null, true, false, 0, 1, -1, 10, 9007199254740991, 9007199254740992, 1.0, "", '
    '"0", "a\\n", "\\ud800", [], {}, [[]], {"": null}]'
)


def checks_of(data: bytes) -> list[Check] | None:
    """Verify these bytes; None: they cannot be decoded."""
    try:
        file = decode(data)
    except NotCanonical:
        return None
    return verify(file, check_signature)


def assert_refused_if_changed(data: bytes) -> bool:
    """Assert that changed content is refused; return whether it was changed."""
    checks = checks_of(data)
    if checks is None:
        return True
    changed = encode(decode(data)) != original()
    good = all(check.verdict == "ok" for check in checks)
    assert good != changed, data
    return changed


def test_original_passes() -> None:
    assert not assert_refused_if_changed(original())
    loose = json.dumps(json.loads(original()), indent=2).encode()
    assert not assert_refused_if_changed(loose)


def test_thousand_changes_of_bytes_are_refused() -> None:
    chance = random.Random(1)  # noqa: S311 - the same each time
    changed = 0
    for _ in range(CHANGES):
        data = bytearray(original())
        at = chance.randrange(len(data))
        match chance.randrange(6):
            case 0:
                data[at] ^= 1 << chance.randrange(8)
            case 1:
                del data[at]
            case 2:
                data.insert(at, chance.choice(b' \n"\\{}[],:0123456789abcdef-e.'))
            case 3:
                data[at] = chance.choice(b"0123456789abcdefUDLR")
            case 4:
                end = at + chance.randrange(40)
                data[at:at] = data[at:end]
            case _:
                del data[at : at + chance.randrange(40)]
        changed += assert_refused_if_changed(bytes(data))
    assert changed > CHANGES * 0.8


def test_thousand_changes_of_values_are_refused() -> None:
    chance = random.Random(2)  # noqa: S311 - the same each time
    changed = 0
    for _ in range(CHANGES):
        file = cast("dict[str, Any]", decode(original()))
        *path, last = chance.choice(PLACES)
        holder = look(file, tuple(path))
        holder[last] = near(holder[last], chance)
        changed += assert_refused_if_changed(json.dumps(file).encode())
    assert changed > CHANGES * 0.8


def near(value: object, chance: random.Random) -> object:
    """Return another value, usually a plausible one."""
    match chance.randrange(3), value:
        case 0, _:
            return chance.choice(STRANGE)
        case _, bool():
            return not value
        case _, int():
            return value + chance.choice((-1, 1, 2, 100))
        case _, str() if value:
            at = chance.randrange(len(value))
            return value[:at] + chance.choice("0123456789abcdefULX") + value[at + 1 :]
        case _, list() if value:
            items = cast("list[object]", value)
            return chance.sample(items, chance.randint(1, len(items)))
        case _:
            return chance.choice(STRANGE)


def test_thousand_changes_of_fields_are_refused() -> None:
    chance = random.Random(3)  # noqa: S311 - the same each time
    changed = 0
    for _ in range(CHANGES):
        file = cast("dict[str, Any]", decode(original()))
        fields = look(file, chance.choice(OBJECTS))
        name = chance.choice([*fields])
        match chance.randrange(4):
            case 0:
                del fields[name]
            case 1:
                more = chance.choice(["x", "\n", "\u0000", "_ms"])
                fields[name + more] = fields[name]
            case 2:
                fields[chance.choice([name.upper(), name[1:]])] = fields.pop(name)
            case _:
                other = chance.choice([*fields])
                fields[name], fields[other] = fields[other], fields[name]
        changed += assert_refused_if_changed(json.dumps(file).encode())
    assert changed > CHANGES * 0.7


def test_duplicate_field_is_not_decoded() -> None:
    data = original()
    for name in ("record", "key", "signature", "seat", "official_ms"):
        text = f'"{name}":'.encode()
        assert checks_of(data.replace(text, text + b"0," + text, 1)) is None


@given(st.sampled_from(PLACES), JSON)
def test_any_value_in_a_signed_record_is_refused(
    place: tuple[str | int, ...], value: object
) -> None:
    file = cast("dict[str, Any]", decode(original()))
    look(file, place[:-1])[place[-1]] = value
    checks = verify(file, check_signature)
    try:
        same = encode(file) == original()
    except NotCanonical:
        same = False
    assert all(check.verdict == "ok" for check in checks) == same


@given(st.binary(min_size=64, max_size=64))
def test_other_signatures_are_refused(signature: bytes) -> None:
    file = cast("dict[str, Any]", decode(original()))
    file["signature"] = signature.hex()
    assert_refused_if_changed(encode(file))


@given(st.binary(min_size=32, max_size=32))
def test_other_keys_are_refused(key: bytes) -> None:
    file = cast("dict[str, Any]", decode(original()))
    file["key"] = key.hex()
    assert_refused_if_changed(encode(file))
