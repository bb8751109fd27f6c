"""Verification survives any value and finds every change of a record."""

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
"""Large Hypothesis profiles take long."""

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
"""Values that only the signature protects, or that matter only together with others;
proof/test_verify has a case for each of the latter."""


def places(value: object, at: Place = ()) -> list[Place]:
    """Return the path of every value in a JSON value, including the root."""
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
    """Return the record with one value changed."""
    record = fresh()
    if not place:
        return value
    look(record, place[:-1])[place[-1]] = value
    return record


def proved(place: Place) -> bool:
    """Return whether every change of the value at `place` must be found."""
    if len(place) == 5 and place[2] == "slides" and place[4] == 0:
        # Other slides of a racer who did not finish can have the same counts.
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
    # A racer's outage counts only if it is in the last interval.
    and (place[-1] != "outages" or place in ((place[-1],), RELOADED_OUTAGES))
]


def near(value: object) -> st.SearchStrategy[object]:
    """Return a strategy of similar values, mostly of the same type."""
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


def checks_of(record: object) -> list[Check]:
    """Verify a record whose forger also signs it."""
    return verify(sealed(record), toy_check)


def all_ok(checks: list[Check]) -> bool:
    return all(check.verdict == "ok" for check in checks)


@given(JSON)
def test_any_file_is_checked_without_an_exception(value: object) -> None:
    assert not all_ok(verify(value, toy_check))
    assert not all_ok(checks_of(value))


@given(st.sampled_from(ALL), JSON)
def test_any_value_in_a_record_is_checked_without_an_exception(
    place: Place, value: object
) -> None:
    checks = checks_of(put(place, value))
    assert checks[0].name == "structure"


@given(st.data())
def test_every_change_of_a_proved_value_is_found(data: st.DataObject) -> None:
    place = data.draw(st.sampled_from(PROVED))
    before = look(fresh(), place)
    after = data.draw(near(before))
    assume(after != before)
    assert not all_ok(checks_of(put(place, after)))


@given(st.data())
def test_missing_or_duplicate_list_item_is_found(data: st.DataObject) -> None:
    record = fresh()
    items = look(record, data.draw(st.sampled_from(LISTS)))
    at = data.draw(st.integers(0, len(items) - 1))
    # Only the signature protects racers after the last place.
    assume(items is not record["racers"] or at < LAST_PLACE)
    before = deepcopy(items)
    if data.draw(st.booleans()):
        del items[at]
    else:
        items.insert(at, deepcopy(items[at]))
    assume(items != before)
    assert not all_ok(checks_of(record))


def test_numbers_with_5000_digits_are_refused() -> None:
    # Python refuses to print integers of more than 4,300 digits.
    for place in ALL:
        for number in (10**5_000, -(10**5_000)):
            assert checks_of(put(place, number))[0].verdict == "wrong"


def test_deep_nesting_is_refused() -> None:
    value: object = []
    for _ in range(100_000):
        value = [value]
    assert not all_ok(checks_of(value))
    assert not all_ok(checks_of(put(("racers", 0, "slides"), value)))
    assert not all_ok(verify(value, toy_check))
