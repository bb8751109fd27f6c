"""What decided a race, and the race replayed; the page passes the same vectors."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sliderace.proof.reading import read
from sliderace_client.room.race_replay import Playhead, RaceReplay, moments
from sliderace_client.room.race_story import Curve, curves_of, leads_of, story_of
from sliderace_client.shared_ui.wording import story_text

VECTORS = Path(__file__).parents[2] / "shared" / "vectors"
RECORDS = [
    read(one["record"])
    for one in json.loads((VECTORS / "record-v1.json").read_text("utf-8"))["records"]
]
TABLE = json.loads((VECTORS / "race-story-v1.json").read_text("utf-8"))


def curve(
    seat: int, name: str, time: int | None, photo: bool, points: list[list[int]]
) -> Curve:
    rises = tuple((at, high) for at, high in points)
    return Curve(seat, name, time, photo, rises, rises[-1][0] if rises else 0)


@pytest.mark.parametrize("case", TABLE["cases"], ids=lambda case: case["name"])
def test_story_is_told_as_in_the_table(case: dict[str, Any]) -> None:
    curves = [curve(seat, *racer) for seat, racer in enumerate(case["racers"])]
    story = story_of(curves)
    assert story_text(story) == case["story"]
    assert [[lead.at, lead.seat] for lead in leads_of(curves)] == case["leads"]


@pytest.mark.parametrize("index", range(len(RECORDS)))
def test_curves_of_records_are_as_in_the_table(index: int) -> None:
    found = [
        [one.seat, one.time_ms, one.end_ms, [list(point) for point in one.points]]
        for one in curves_of(RECORDS[index])
    ]
    assert found == TABLE["records"][index]["curves"]
    assert (
        story_text(story_of(curves_of(RECORDS[index])))
        == (TABLE["records"][index]["story"])
    )


def test_nobody_has_a_story_without_racers() -> None:
    assert story_of([]).kind == "nobody"
    assert story_of([curve(0, "Ann", 900, False, []), curve(1, "Ben", 990, False, [])])


# --- Replay ---------------------------------------------------------------------------


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: str(record.race))
def test_replay_ends_as_the_record_says(record: Any) -> None:
    replay = RaceReplay(record)
    assert {lane.status for lane in replay.at(-1).values()} == {"racing"}
    end = replay.at(replay.length)
    for racer in record.racers:
        lane = end[racer.seat]
        assert (lane.status, lane.stm, lane.high) == (
            racer.status,
            racer.stm,
            racer.high,
        )
        assert lane.board is not None
        assert lane.board.is_solved == (racer.status == "finished")
    start = replay.at(0)
    assert all(
        lane.board == record.board
        for lane, racer in zip(start.values(), replay.racers, strict=True)
        if not racer.made(0)
    )


def test_replay_steps_from_slide_to_slide() -> None:
    replay = RaceReplay(RECORDS[0])
    times = sorted({time for racer in replay.racers for time in racer.times})
    t = -1
    seen: list[int] = []
    while t < replay.length:
        t = replay.step(t, 1)
        seen.append(t)
    assert seen == times
    assert replay.step(replay.length, 1) == replay.length
    back = [t]
    while t > times[0]:
        t = replay.step(t, -1)
        back.append(t)
    assert back == times[::-1]
    assert replay.step(times[0], -1) == 0


def test_moments_ascend_and_end_with_the_official_time() -> None:
    for record in RECORDS:
        for racer in record.racers:
            times = moments(racer)
            assert times == sorted(times)
            if racer.finish:
                assert times[-1] == racer.finish.official_ms


def test_an_illegal_slide_ends_a_racers_replay() -> None:
    (record,) = RECORDS[:1]
    racer = record.racers[0]
    impossible = racer.slides[0]._replace(tiles=9)
    bad = replace(racer, slides=(*racer.slides[:2], impossible, *racer.slides[2:]))
    replay = RaceReplay(replace(record, racers=(bad,)))
    assert len(replay.racers[0].times) == 2


def test_playhead_plays_pauses_and_starts_again() -> None:
    head = Playhead(1_000)
    head.advance(100)
    assert head.t == 0
    head.toggle()
    head.speed = 4.0
    head.advance(100)
    assert (head.t, head.playing) == (400, True)
    head.advance(200)
    assert (head.t, head.playing) == (1_000, False)
    head.toggle()
    assert (head.t, head.playing) == (0, True)
    head.toggle()
    head.seek(-5)
    assert (head.t, head.playing) == (0, False)
