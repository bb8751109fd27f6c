"""No value whatsoever makes verification fail, and no change of meaning escapes it."""

import json
from collections.abc import Iterable
from copy import deepcopy
from functools import cache
from typing import Any, cast

import pytest
from hypothesis import assume, given, strategies as st
from tests.race.sample import RELOADED, TWIN, sample_record, sealed, toy_check

from sliderace.proof.verify import Check, verify

Place = tuple[str | int, ...]

pytestmark = pytest.mark.timeout(600)
"""For the larger profiles."""

HOSTILE = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=20)
    | st.sampled_from(
        [10**400, -(10**400), "\ud800", "x" * 10_000, 2**53, "\u0661x\u0662"]
    )
)
JSON = st.recursive(
    HOSTILE,
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(st.text(max_size=8), inner, max_size=5)
    ),
    max_leaves=20,
)

LAST_FINISHER, LAST_PLACE = 3, 5
"""Indices of racers in the record."""

UNPROVABLE = (
    ("software",),
    ("started_ms",),
    ("ended_ms",),
    ("rules", "*"),
    ("outages", "*", 1),
    ("racers", "*", "seat"),
    ("racers", "*", "name"),
    ("racers", "*", "bot"),
    ("racers", TWIN, "nonce_commitment"),
    ("racers", "*", "approx"),
    ("racers", "*", "status"),
    ("racers", "*", "why"),
    ("racers", "*", "finish", "rtt_ms"),
    ("racers", "*", "finish", "jitter_ms"),
    ("racers", "*", "finish", "outage_ms"),
    ("racers", "*", "outages", "*", 1),
    ("racers", "*", "slides", "*", 2),
    ("racers", "*", "slides", "*", 3),
)
"""What only the signature protects, or what matters only together with others (each
of those has its own case in race/test_verify)."""


def places(value: object, at: Place = ()) -> list[Place]:
    """Every place in a JSON value, the root's included."""
    inner: Iterable[tuple[str | int, object]]
    match value:
        case dict():
            inner = cast("dict[str, object]", value).items()
        case list():
            inner = enumerate(cast("list[object]", value))
        case _:
            return [at]
    return [at, *(place for key, one in inner for place in places(one, (*at, key)))]


@cache
def original() -> str:
    return json.dumps(sample_record())


def fresh() -> dict[str, Any]:
    record: dict[str, Any] = json.loads(original())
    return record


ALL = places(fresh())


def look(record: dict[str, Any], place: Place) -> Any:
    inner: Any = record
    for key in place:
        inner = inner[key]
    return inner


def put(place: Place, value: object) -> object:
    """The record with one value changed."""
    record = fresh()
    if not place:
        return value
    look(record, place[:-1])[place[-1]] = value
    return record


def proved(place: Place) -> bool:
    """A single value whose every change must be found."""
    if len(place) == 5 and place[2] == "slides" and place[4] == 0:
        # Who did not finish may have gone another way, with the same counts.
        return int(place[1]) <= LAST_FINISHER
    if isinstance(look(fresh(), place), dict | list):
        return False
    return not any(
        len(place) == len(pattern)
        and all(part in ("*", key) for part, key in zip(pattern, place, strict=True))
        for pattern in UNPROVABLE
    )


RELOADED_OUTAGES = ("racers", RELOADED, "outages")
PROVED = [place for place in ALL if proved(place)]
LISTS = [
    place
    for place in ALL
    if (value := look(fresh(), place))
    and isinstance(value, list)
    # An outage that a racer met counts only where it fell into the last interval.
    and (place[-1] != "outages" or place in ((place[-1],), RELOADED_OUTAGES))
]


def near(value: object) -> st.SearchStrategy[object]:
    """Values like this one, most of them of its type."""
    match value:
        case bool():
            return st.just(not value)
        case int():
            steps = st.integers(1, 2_000)
            return steps.map(value.__add__) | steps.map(value.__sub__) | st.none()
        case str() if len(value) in (32, 64):
            digits = st.sampled_from("0123456789abcdef")
            return st.tuples(st.integers(0, len(value) - 1), digits).map(
                lambda change: value[: change[0]] + change[1] + value[change[0] + 1 :]
            )
        case str():
            return st.sampled_from(["U", "D", "L", "R", "1 2 3/4 0 5", "X-1", ""])
        case _:
            return st.integers(0, 10_000)


def judged(record: object) -> list[Check]:
    """What is found where the liar signs the lie, too."""
    return verify(sealed(record), toy_check)


def all_ok(checks: list[Check]) -> bool:
    return all(check.verdict == "ok" for check in checks)


@given(JSON)
def test_any_value_is_answered(value: object) -> None:
    assert not all_ok(verify(value, toy_check))
    assert not all_ok(judged(value))


@given(st.sampled_from(ALL), JSON)
def test_any_value_anywhere_in_a_record_is_answered(
    place: Place, value: object
) -> None:
    checks = judged(put(place, value))
    assert checks[0].name == "structure"


@given(st.data())
def test_every_change_of_meaning_is_found(data: st.DataObject) -> None:
    place = data.draw(st.sampled_from(PROVED))
    before = look(fresh(), place)
    after = data.draw(near(before))
    assume(after != before)
    assert not all_ok(judged(put(place, after)))


@given(st.data())
def test_a_list_with_one_item_less_or_twice_is_found(data: st.DataObject) -> None:
    record = fresh()
    items = look(record, data.draw(st.sampled_from(LISTS)))
    at = data.draw(st.integers(0, len(items) - 1))
    # Whoever has no place behind him could be left out: only the signature would tell.
    assume(items is not record["racers"] or at < LAST_PLACE)
    before = deepcopy(items)
    if data.draw(st.booleans()):
        del items[at]
    else:
        items.insert(at, deepcopy(items[at]))
    assume(items != before)
    assert not all_ok(judged(record))


def test_numbers_too_long_to_print_are_answered() -> None:
    # Python refuses to write integers of more than 4,300 digits as text.
    for place in ALL:
        for number in (10**5_000, -(10**5_000)):
            assert judged(put(place, number))[0].verdict == "wrong"


def test_nothing_nests_deep_enough() -> None:
    value: object = []
    for _ in range(100_000):
        value = [value]
    assert not all_ok(judged(value))
    assert not all_ok(judged(put(("racers", 0, "slides"), value)))
    assert not all_ok(verify(value, toy_check))
