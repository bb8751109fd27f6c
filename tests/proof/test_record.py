"""Record content, its documentation, and strict reading."""

import re
from collections import Counter
from copy import deepcopy
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, cast

import pytest
from tests.race.sample import (
    BACK_MS,
    DOWN_MS,
    INSPECTION_MS,
    KEY,
    UP_MS,
    daily_record,
    sample_race,
    sample_record,
    sealed,
    toy_check,
)
from tests.race.track import ANN, SECRET, T0, Track

from sliderace.proof import reading
from sliderace.proof.reading import MAX_SLIDES, BadRecord, read
from sliderace.proof.record import (
    Player,
    WrittenDaily,
    WrittenFinish,
    WrittenRace,
    WrittenRacer,
    WrittenSlide,
    build,
)
from sliderace.proof.verify import verify
from sliderace.race import decide
from sliderace.race.apply import recovered
from sliderace.race.rules import Rules

PAGE = Path(__file__).parents[2] / "docs" / "race-record.md"
Place = tuple[str | int, ...]


def put(record: dict[str, Any], place: Place, value: object) -> dict[str, Any]:
    """Return a copy of a record with one value changed."""
    copy = deepcopy(record)
    inner: Any = copy
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return copy


def fault(record: object) -> tuple[str, str]:
    """Return path and code of a record's fault."""
    with pytest.raises(BadRecord) as caught:
        read(record)
    return caught.value.where, caught.value.code


def test_sample_record_content() -> None:
    record = sample_record()
    assert record["ended_ms"] == INSPECTION_MS + 20_000
    assert record["secret"] == SECRET.hex()
    ann = record["racers"][0]
    assert ann["finish"] == {
        "g_ms": 9_000,
        "e_ms": 8_930,
        "rtt_ms": 80,
        "jitter_ms": 20,
        "outage_ms": 0,
        "official_ms": 8_930,
        "credit_ms": 70,
        "solve_ms": 8_930,
        "photo": True,
    }
    assert ann["slides"][2] == ["U", 1, 0, 4_100]
    assert [(one["name"], one["place"]) for one in record["racers"]] == [
        ("Ann", 1),
        ("Ben", 1),
        ("Cat", 1),
        ("Dan", 4),
        ("Eva", 5),
        ("Fay", 6),
        ("Gil", None),
    ]
    assert [one["lead_ms"] for one in record["racers"]] == [40, 40, 0, 40, 0, 0, 0]
    assert [one["status"] for one in record["racers"][4:]] == [
        "dnf",
        "forfeited",
        "dns",
    ]


def test_racers_left_out_of_the_seed_are_listed() -> None:
    racers = sample_record()["racers"]
    assert [one["nonce"] is None for one in racers] == [False] * 2 + [True, False] + (
        [True] * 3
    )
    bound = [one["nonce_commitment"] for one in racers]
    assert [one is None for one in bound] == [False] * 4 + [True] * 3


def test_outage_is_recorded_for_the_race_and_each_racer() -> None:
    record = sample_record()
    assert record["outages"] == [[INSPECTION_MS + DOWN_MS, INSPECTION_MS + UP_MS]]
    back = [[DOWN_MS, BACK_MS]]
    never_back = [[DOWN_MS, UP_MS + 3_000]]
    led = [[DOWN_MS + 40, BACK_MS + 40]]
    expected = [led, led, back, led, never_back, back, never_back]
    assert [one["outages"] for one in record["racers"]] == expected
    assert record["racers"][3]["finish"]["outage_ms"] == BACK_MS - DOWN_MS


def test_return_after_two_outages_ends_both() -> None:
    track = Track().start(ANN)
    recovered(track.race, T0 + 1_000, T0 + 1_200)
    recovered(track.race, T0 + 2_000, T0 + 2_500)
    track.do(decide.reconnected(track.race, ANN, T0 + 3_000))
    track.solve(ANN, T0 + 8_000)
    record = build(track.race, {ANN: Player("Ann")}, started_ms=0, software="")
    (ann,) = cast("list[dict[str, Any]]", record["racers"])
    assert ann["outages"] == [[1_000, 3_000], [2_000, 3_000]]
    assert ann["finish"]["outage_ms"] == 2_000
    checks = verify(sealed(record), toy_check)
    assert {check.verdict for check in checks} == {"ok"}


def test_outage_before_the_unlock_is_clipped_to_it() -> None:
    track = Track(Rules(size="3x2", inspection_ms=INSPECTION_MS)).start(ANN)
    recovered(track.race, T0 + 500, T0 + 900)
    track.do(decide.reconnected(track.race, ANN, T0 + 1_000))
    recovered(track.race, T0 + 1_500, T0 + 2_400)
    track.do(decide.reconnected(track.race, ANN, T0 + 2_500))
    track.solve(ANN, T0 + INSPECTION_MS + 5_000)
    record = build(track.race, {ANN: Player("Ann")}, started_ms=0, software="")
    assert record["outages"] == [[500, 900], [1_500, 2_400]]
    (ann,) = cast("list[dict[str, object]]", record["racers"])
    assert ann["outages"] == [[0, 0], [0, 500]]
    checks = verify(sealed(record), toy_check)
    assert {check.verdict for check in checks} == {"ok"}


def test_known_seed_leaves_the_secret_out() -> None:
    record = sample_record("ab" * 32)
    assert (record["seed_known"], record["secret"]) == (True, None)
    assert record["seed"] == "ab" * 32
    assert {one["nonce_commitment"] for one in record["racers"]} == {None}


def test_race_without_results_has_no_record() -> None:
    track = Track().start(ANN)
    with pytest.raises(ValueError, match="no results"):
        build(track.race, {ANN: Player("Ann")}, started_ms=0, software="")
    track.do(decide.abort(track.race, 9_000))
    with pytest.raises(ValueError, match="no results"):
        build(track.race, {ANN: Player("Ann")}, started_ms=0, software="")


def test_record_needs_a_name_per_seat() -> None:
    with pytest.raises(KeyError):
        build(sample_race().race, {}, started_ms=0, software="")


def test_docs_explain_exactly_the_fields() -> None:
    """If not, change the rows of the tables in docs/race-record.md."""
    named = re.findall(
        r"^\| `(\w+)` \| [a-z ]+ \| ", PAGE.read_text("utf-8"), re.MULTILINE
    )
    kinds = (WrittenRace, WrittenRacer, WrittenFinish, WrittenDaily, Rules)
    known = [field.name for kind in kinds for field in fields(kind)]
    file = ["record", "key", "signature"]
    assert Counter(named) == Counter([*file, *known, *WrittenSlide._fields])


def test_docs_explain_every_check() -> None:
    table = PAGE.read_text("utf-8").partition("| check |")[2]
    named = re.findall(r"^\| `(\w+)` \| ", table, re.MULTILINE)
    file = sealed(sample_record())
    checks = verify(file, None, key=KEY, promised="00" * 32)
    daily = verify(sealed(daily_record()), None, key=KEY, promised="00" * 32)
    names = [check.name for check in checks]
    names.insert(names.index("seed") + 1, "anchor")
    assert named == names
    left_out = {"commitment", "nonces"}
    assert [check.name for check in daily] == [
        name for name in named if name not in left_out
    ]


def test_record_of_a_daily_race_has_the_secret_of_its_day() -> None:
    record = daily_record()
    assert record["daily"] == {"date": "2026-11-30", "secret": SECRET.hex()}
    assert (record["seed_known"], record["secret"]) == (True, None)
    assert "daily" not in sample_record()


def test_every_rule_is_read_back() -> None:
    """A rule that the reader ignored would come back as its default."""
    changed = Rules(
        size="3x2",
        start="host",
        every_ms=10_000,
        countdown_ms=3_000,
        inspection_ms=1_000,
        limit_ms=60_000,
        grace_ms=1_000,
        away_ms=0,
        open_boards=True,
        spectator_delay_ms=1_000,
        friendly_timing=True,
    )
    same = [
        one.name for one in fields(Rules) if getattr(changed, one.name) == one.default
    ]
    assert same == []
    record = sample_record()
    record["rules"] = asdict(changed)
    assert read(record).rules == changed


def test_read_returns_what_was_built() -> None:
    race = read(sample_record())
    assert race.rules == sample_race().race.rules
    assert race.racers[0].slides[0] == ("D", 1, 0, 700)
    assert race.racers[0].outages == ((DOWN_MS + 40, BACK_MS + 40),)
    assert race.racers[4].finish is None
    assert str(race.board.size) == "3x2"


@pytest.mark.parametrize("value", [None, 1, "x", [], [1], True, 1.5])
def test_record_must_be_an_object(value: object) -> None:
    assert fault(value) == ("record", "not_object")


def test_number_of_slides_is_bounded() -> None:
    slides = [["U", 1, 0, 0]] * (MAX_SLIDES + 1)
    record = put(sample_record(), ("racers", 4, "slides"), slides)
    assert fault(record) == ("record.racers[4].slides", "too_long")


def test_missing_and_unknown_fields_are_refused() -> None:
    record = sample_record()
    for place in (), ("rules",), ("racers", 3), ("racers", 3, "finish"):
        inner: Any = record
        for key in place:
            inner = inner[key]
        for name in [*inner]:
            less = deepcopy(inner)
            del less[name]
            changed = put(record, place, less) if place else less
            where, code = fault(changed)
            assert where.endswith(f".{name}")
            assert code == "missing"
        more = {**inner, "more": 1}
        changed = put(record, place, more) if place else more
        assert fault(changed)[1] == "unknown_fields"


def test_bad_record_is_a_value_error() -> None:
    assert issubclass(reading.BadRecord, ValueError)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": 1}, "{...}"),
        ([1], "[...]"),
        (2**53, "..."),
        (-7, "-7"),
        (None, "null"),
        ("x", '"x"'),
        ("y" * 60, '"' + "y" * 39 + "..."),
    ],
)
def test_value_at_fault_is_shown_shortly(value: object, text: str) -> None:
    assert reading.shown(value) == text


def test_rule_at_fault_is_named_with_its_value_and_range() -> None:
    record = put(sample_record(), ("rules", "limit_ms"), 9_999)
    with pytest.raises(reading.BadRecord) as caught:
        reading.read(record)
    assert caught.value.values == {
        "where": "record.rules.limit_ms",
        "value": "9999",
        "allowed": "10000 ... 86400000, -1, 0",
    }
