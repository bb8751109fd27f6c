"""What a record holds; that its page names every field; that reading is strict."""

import re
from copy import deepcopy
from dataclasses import fields
from pathlib import Path
from typing import Any, cast

import pytest
from tests.race.sample import (
    BACK_MS,
    DOWN_MS,
    INSPECTION_MS,
    KEY,
    UP_MS,
    sample_race,
    sample_record,
    sealed,
    toy_check,
)
from tests.race.track import ANN, SECRET, T0, Track

from sliderace.proof import reading
from sliderace.proof.reading import MAX_INTEGER, MAX_SLIDES, BadRecord, read
from sliderace.proof.record import (
    Player,
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
    """A copy of a record with one value changed."""
    copy = deepcopy(record)
    inner: Any = copy
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return copy


def fault(record: object) -> str:
    with pytest.raises(BadRecord) as caught:
        read(record)
    return str(caught.value)


def test_record_of_the_sample() -> None:
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


def test_who_has_no_part_in_the_seed_is_listed() -> None:
    racers = sample_record()["racers"]
    assert [one["nonce"] is None for one in racers] == [False] * 2 + [True, False] + (
        [True] * 3
    )
    bound = [one["nonce_commitment"] for one in racers]
    assert [one is None for one in bound] == [False] * 4 + [True] * 3


def test_an_outage_is_told_of_the_race_and_of_each_racer() -> None:
    record = sample_record()
    assert record["outages"] == [[INSPECTION_MS + DOWN_MS, INSPECTION_MS + UP_MS]]
    back = [[DOWN_MS, BACK_MS]]
    never_back = [[DOWN_MS, UP_MS + 8_000]]
    led = [[DOWN_MS + 40, BACK_MS + 40]]
    expected = [led, led, back, led, never_back, back, never_back]
    assert [one["outages"] for one in record["racers"]] == expected
    assert record["racers"][3]["finish"]["outage_ms"] == BACK_MS - DOWN_MS


def test_who_comes_back_after_a_second_failure_comes_back_from_both() -> None:
    track = Track().start(ANN)
    recovered(track.race, T0 + 1_000, T0 + 1_200)
    recovered(track.race, T0 + 2_000, T0 + 2_500)
    track.do(decide.returned(track.race, ANN, T0 + 3_000))
    track.solve(ANN, T0 + 8_000)
    record = build(track.race, {ANN: Player("Ann")}, started_ms=0, software="")
    (ann,) = cast("list[dict[str, Any]]", record["racers"])
    assert ann["outages"] == [[1_000, 3_000], [2_000, 3_000]]
    assert ann["finish"]["outage_ms"] == 2_000
    checks = verify(sealed(record), toy_check)
    assert {check.verdict for check in checks} == {"ok"}


def test_what_came_before_the_board_was_unlocked_counts_from_then() -> None:
    track = Track(Rules(size="3x2", inspection_ms=INSPECTION_MS)).start(ANN)
    recovered(track.race, T0 + 500, T0 + 900)
    track.do(decide.returned(track.race, ANN, T0 + 1_000))
    recovered(track.race, T0 + 1_500, T0 + 2_400)
    track.do(decide.returned(track.race, ANN, T0 + 2_500))
    track.solve(ANN, T0 + INSPECTION_MS + 5_000)
    record = build(track.race, {ANN: Player("Ann")}, started_ms=0, software="")
    assert record["outages"] == [[500, 900], [1_500, 2_400]]
    (ann,) = cast("list[dict[str, object]]", record["racers"])
    assert ann["outages"] == [[0, 0], [0, 500]]
    checks = verify(sealed(record), toy_check)
    assert {check.verdict for check in checks} == {"ok"}


def test_a_known_seed_keeps_the_secret() -> None:
    record = sample_record("ab" * 32)
    assert (record["seed_known"], record["secret"]) == (True, None)
    assert record["seed"] == "ab" * 32
    assert {one["nonce_commitment"] for one in record["racers"]} == {None}


def test_no_record_without_results() -> None:
    track = Track().start(ANN)
    with pytest.raises(ValueError, match="no results"):
        build(track.race, {ANN: Player("Ann")}, started_ms=0, software="")
    track.do(decide.abort(track.race, 9_000))
    with pytest.raises(ValueError, match="no results"):
        build(track.race, {ANN: Player("Ann")}, started_ms=0, software="")


def test_no_record_without_names() -> None:
    with pytest.raises(KeyError):
        build(sample_race().race, {}, started_ms=0, software="")


def test_the_page_explains_every_field_and_no_other() -> None:
    named = re.findall(
        r"^\| `(\w+)` \| [a-z ]+ \| ", PAGE.read_text("utf-8"), re.MULTILINE
    )
    kinds = (WrittenRace, WrittenRacer, WrittenFinish, Rules)
    known = [field.name for kind in kinds for field in fields(kind)]
    file = ["record", "key", "signature"]
    assert sorted(named) == sorted([*file, *known, *WrittenSlide._fields])


def test_the_page_explains_every_check() -> None:
    table = PAGE.read_text("utf-8").partition("| check |")[2]
    named = re.findall(r"^\| `(\w+)` \| ", table, re.MULTILINE)
    file = sealed(sample_record())
    checks = verify(file, None, key=KEY, promised="00" * 32)
    assert named == [check.name for check in checks]


def test_reading_gives_back_what_was_written() -> None:
    race = read(sample_record())
    assert race.rules == sample_race().race.rules
    assert race.racers[0].slides[0] == ("D", 1, 0, 700)
    assert race.racers[0].outages == ((DOWN_MS + 40, BACK_MS + 40),)
    assert race.racers[4].finish is None
    assert str(race.board.size) == "3x2"


@pytest.mark.parametrize("value", [None, 1, "x", [], [1], True, 1.5])
def test_a_record_is_an_object(value: object) -> None:
    assert fault(value) == "record: not an object"


@pytest.mark.parametrize(
    ("place", "value", "text"),
    [
        (("format",), "other", "record.format: not one of"),
        (("version",), 2, "record.version"),
        (("version",), True, "record.version"),
        (("software",), "a\nb", "record.software: not a short line"),
        (("software",), "x" * 101, "record.software: not a short line"),
        (("race",), "kwx", "record.race: not of the form"),
        (("race",), "A\n", "record.race"),
        (("race",), 7, "record.race: not a text"),
        (("started_ms",), -1, "record.started_ms: not a whole number"),
        (("ended_ms",), MAX_INTEGER + 1, "record.ended_ms"),
        (("ended_ms",), 1.0, "record.ended_ms"),
        (("seed_known",), 0, "record.seed_known: neither"),
        (("seed_known",), True, "record.secret: told exactly"),
        (("secret",), None, "record.secret: told exactly"),
        (("secret",), "zz", "record.secret: not of the form"),
        (("commitment",), "A" * 64, "record.commitment"),
        (("outages",), None, "record.outages: not a list"),
        (("outages",), [[0, 0]] * 1_001, "record.outages: more than 1000"),
        (("outages", 0), 7, "record.outages[0]: not a list"),
        (("outages", 0), [1, 2, 3], "record.outages[0]: not [from_ms, until_ms]"),
        (("outages", 0), [-1, 2], "record.outages[0].from_ms: not a whole"),
        (("outages", 0), [1, True], "record.outages[0].until_ms: not a whole"),
        (("board",), "1 2/3 x", "record.board: not a row"),
        (("board",), "4 3 5/0 2 1 ", "record.board: not written"),
        (("board",), "04 3 5/0 2 1", "record.board: not written"),
        (("board",), "1 2/3 0", "record.board: its size is not 3x2"),
        (("rules",), [], "record.rules: not an object"),
        (("rules", "size"), "2x3", "record.board: its size is not 2x3"),
        (("rules", "size"), "1x3", "record.rules.size: out of range"),
        (("rules", "start"), "never", "record.rules.start"),
        (("rules", "away_ms"), 300_001, "record.rules.away_ms: out of range"),
        (("rules", "friendly_timing"), 1, "record.rules.friendly_timing: neither"),
        (("rules", "limit_ms"), -2, "record.rules.limit_ms: not a whole"),
        (("racers",), {}, "record.racers: not a list"),
        (("racers", 0), 1, "record.racers[0]: not an object"),
        (("racers", 1, "seat"), 0, "record.racers: a seat comes twice"),
        (("racers", 1, "seat"), 255, "record.racers[1].seat"),
        (("racers", 1, "name"), "\u202eneB", "record.racers[1].name"),
        (("racers", 1, "nonce"), "AB" * 16, "record.racers[1].nonce: not of"),
        (("racers", 1, "nonce"), "", "record.racers[1].nonce: not of"),
        (("racers", 1, "nonce_commitment"), "ab" * 31, "record.racers[1].nonce_com"),
        (("racers", 1, "lead_ms"), 101, "record.racers[1].lead_ms: not a whole"),
        (("racers", 1, "lead_ms"), -1, "record.racers[1].lead_ms: not a whole"),
        (("racers", 1, "outages"), {}, "record.racers[1].outages: not a list"),
        (("racers", 1, "outages", 0), [0], "record.racers[1].outages[0]: not ["),
        (("racers", 1, "finish", "photo"), None, "record.racers[1].finish.photo"),
        (("racers", 1, "status"), "racing", "record.racers[1].status"),
        (("racers", 1, "why"), "bored", "record.racers[1].why"),
        (("racers", 1, "place"), 0, "record.racers[1].place"),
        (("racers", 1, "high"), 1_001, "record.racers[1].high"),
        (("racers", 1, "finish"), [], "record.racers[1].finish: not an object"),
        (("racers", 1, "finish", "g_ms"), None, "record.racers[1].finish.g_ms"),
        (("racers", 1, "finish", "e_ms"), "1", "record.racers[1].finish.e_ms"),
        (("racers", 1, "slides"), None, "record.racers[1].slides: not a list"),
        (("racers", 1, "slides", 3), "U", "record.racers[1].slides[3]: not a list"),
        (("racers", 1, "slides", 3), ["U", 1, 0], "record.racers[1].slides[3]: not ["),
        (("racers", 1, "slides", 3, 0), "X", "record.racers[1].slides[3].direction"),
        (("racers", 1, "slides", 3, 0), [], "record.racers[1].slides[3].direction"),
        (("racers", 1, "slides", 3, 1), 0, "record.racers[1].slides[3].tiles"),
        (("racers", 1, "slides", 3, 1), 10, "record.racers[1].slides[3].tiles"),
        (("racers", 1, "slides", 3, 2), -1, "record.racers[1].slides[3].stamp_ms"),
        (("racers", 1, "slides", 3, 3), True, "record.racers[1].slides[3].received"),
    ],
)
def test_faults_are_named(place: Place, value: object, text: str) -> None:
    assert fault(put(sample_record(), place, value)).startswith(text)


def test_no_endless_list_of_slides() -> None:
    slides = [["U", 1, 0, 0]] * (MAX_SLIDES + 1)
    record = put(sample_record(), ("racers", 4, "slides"), slides)
    assert fault(record) == f"record.racers[4].slides: more than {MAX_SLIDES}"


def test_every_field_is_needed_and_no_other_is_known() -> None:
    record = sample_record()
    for place in (), ("rules",), ("racers", 3), ("racers", 3, "finish"):
        inner: Any = record
        for key in place:
            inner = inner[key]
        for name in [*inner]:
            less = deepcopy(inner)
            del less[name]
            changed = put(record, place, less) if place else less
            assert fault(changed).endswith(f".{name}: missing")
        more = {**inner, "more": 1}
        changed = put(record, place, more) if place else more
        assert fault(changed).endswith("has unknown fields")


def test_the_faults_of_reading_are_value_errors() -> None:
    assert issubclass(reading.BadRecord, ValueError)
