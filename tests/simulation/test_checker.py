"""The checker finds what it is for: each of its rules fails on a planted history."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.checker import RULES, Heard, Seen, Sent, faults

from sliderace.engine import Board, Size, format_board
from sliderace.protocol.room_code import RoomCode
from sliderace.race.log_records import (
    BoardDrawn,
    Finished,
    Postponed,
    RaceCreated,
    RaceStarted,
    Seat,
    Slid,
)
from sliderace.race.rules import Rules
from sliderace_server.room.log_records import (
    Alive,
    Entered,
    EpochBegan,
    Record,
    RoomOpened,
)
from sliderace_server.storage.record_codec import encode

RACE = "KWXTRB-S1-1"
START = Board(Size(2, 2), (1, 0, 3, 2))
AFTER_U = format_board(Board(Size(2, 2), (1, 2, 3, 0)))
SLIDES = [("R", 1, 10), ("L", 1, 20), ("U", 1, 30)]
DONE = Finished(9_000, RACE, Seat(0), 5_000, 4_000, 3_950, 40, 2, 0, 3_950)


def slid(t: int, seq: int, *slides: tuple[str, int, int]) -> Slid:
    return Slid(t, RACE, Seat(0), seq, slides)


def history() -> list[Record]:
    """A short race, with a failure of the server in it."""
    locked = BoardDrawn(
        4_000, RACE, 5_000, "", START.tiles, (Seat(0),), (5_000,), ("",)
    )
    return [
        RoomOpened(0, RoomCode("KWXTRB"), 1, public=False),
        EpochBegan(0, 1, "boot 1", 70_000, 0),
        RaceCreated(0, RACE, Rules(size="2x2"), "", ""),
        Entered(0, 1, "Ann", "player", False, Seat(0), ""),
        locked,
        RaceStarted(5_000, RACE),
        slid(6_000, 1, SLIDES[0]),
        EpochBegan(8_000, 2, "boot 1", 78_000, 0),
        slid(8_500, 2, SLIDES[1]),
        slid(9_000, 3, SLIDES[2]),
        DONE,
        Alive(10_000),
    ]


def story() -> Seen:
    """What Ann's client sent and saw: a connection for each epoch."""
    first = Sent(RACE, 0, {1: SLIDES[0], 2: ("D", 1, 15)})
    second = Sent(RACE, 1, {2: SLIDES[1], 3: SLIDES[2]})
    heard: list[Heard] = [
        ("welcome", 1, 0),
        ("snapshot", 1, 3),
        ("event", 0, 4),
        ("welcome", 1, 0),
        ("event", 0, 5),
        ("welcome", 2, 0),
        ("snapshot", 2, 5),
        ("event", 0, 6),
    ]
    return Seen(1, [first, second], {RACE: 3}, [(RACE, 3, AFTER_U)], [heard])


def of(records: Sequence[Record], *seen: Seen) -> list[str]:
    return faults([encode(record) for record in records], seen)


def with_(old: Record, new: Record) -> list[Record]:
    return [new if record == old else record for record in history()]


def test_an_honest_history_has_no_faults() -> None:
    assert of(history(), story()) == []
    assert of(history()) == []


def test_what_is_no_log_is_said() -> None:
    assert faults([b"nothing"])[0].startswith("log: ")
    assert of(history()[:4] + history()[6:], story())[0].startswith("log: ")


LATE = EpochBegan(8_000, 2, "boot 1", 78_000, 0)

PLANTED: dict[str, tuple[str, Sequence[Record]]] = {
    "a slide is lost": (
        "numbers",
        [one for one in history() if one != slid(8_500, 2, SLIDES[1])],
    ),
    "a slide is there twice": (
        "numbers",
        [*history()[:7], slid(6_000, 1, SLIDES[0]), *history()[7:]],
    ),
    "an illegal slide": (
        "moves",
        with_(slid(9_000, 3, SLIDES[2]), slid(9_000, 3, ("D", 1, 30))),
    ),
    "a slide that nobody sent": (
        "sessions",
        with_(slid(6_000, 1, SLIDES[0]), slid(6_000, 1, ("R", 1, 11))),
    ),
    "a slide of the other tail": (
        "sessions",
        with_(slid(8_500, 2, SLIDES[1]), slid(8_500, 2, ("L", 1, 15))),
    ),
    "more credit than K": ("time", with_(DONE, replace(DONE, official=3_929, e=0))),
    "more time than g": ("time", with_(DONE, replace(DONE, official=4_001))),
    "less than the client's own time": (
        "time",
        with_(DONE, replace(DONE, official=3_940)),
    ),
    "another start than was planned": ("time", with_(DONE, replace(DONE, s=5_010))),
    "another g than its arrival": ("time", with_(DONE, replace(DONE, g=3_990))),
    "credit for no failure": (
        "time",
        [
            replace(LATE, t=4_500, mono_ms=74_500) if one == LATE else one
            for one in with_(DONE, replace(DONE, outage=500))
            if not isinstance(one, RaceStarted) and one != slid(6_000, 1, SLIDES[0])
        ],
    ),
    "room time goes back": ("clock", with_(Alive(10_000), Alive(8_999))),
    "the wall clock within one boot": (
        "clock",
        with_(LATE, replace(LATE, mono_ms=78_001)),
    ),
    "an epoch comes twice": ("epochs", with_(LATE, replace(LATE, epoch=1))),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_log_breaks_its_rule(name: str) -> None:
    rule, records = PLANTED[name]
    assert rule in RULES
    assert any(one.startswith(f"{rule}: ") for one in of(records, story()))


def test_the_last_start_that_was_told_counts() -> None:
    later = Postponed(4_100, RACE, 5_100, (5_100,))
    records = with_(DONE, replace(DONE, s=5_100, g=3_900, official=3_900, e=None))
    records.insert(5, later)
    assert of(records) == []
    records.remove(later)
    assert of(records)[0].startswith("time: ")


def test_friendly_timing_credits_100_ms_more() -> None:
    made = RaceCreated(0, RACE, Rules(size="2x2"), "", "")
    friendly = replace(made, rules=Rules(size="2x2", friendly_timing=True))
    for more, found in ((0, 0), (100, 0), (101, 1)):
        done = replace(DONE, official=3_930 - more, e=0)
        records = [done if one == DONE else one for one in with_(made, friendly)]
        assert len(of(records)) == found


def test_an_ack_that_is_not_in_the_log_is_found() -> None:
    seen = story()
    seen.acked[RACE] = 4
    assert of(history(), seen) == [f"acks: {RACE} seat 0: 4 acked, 3 in the log"]
    seen.acked = {"KWXTRB-S1-2": 1}
    assert of(history(), seen) == ["acks: KWXTRB-S1-2 is not in the log"]


@pytest.mark.parametrize("board", [(RACE, 3, "1 0/3 2"), (RACE, 4, AFTER_U)])
def test_another_board_than_the_clients_is_found(board: tuple[str, int, str]) -> None:
    seen = story()
    seen.boards.append(board)
    assert of(history(), seen)[0].startswith("boards: ")


def test_slides_of_a_fenced_connection_are_found() -> None:
    seen = story()
    seen.sent[0].slides |= {2: SLIDES[1], 3: SLIDES[2]}
    seen.sent[1].slides = {2: ("L", 1, 99)}
    assert of(history(), seen)[0].startswith("sessions: ")


def test_what_was_rejected_counts_no_more() -> None:
    seen = story()
    seen.sent[1].rejected(2)
    assert of(history(), seen)[0].startswith("sessions: ")
    seen.sent[1].add(3, [SLIDES[2]])
    assert of(history(), seen) == []


def test_one_of_two_connections_from_the_same_place_slid_alone() -> None:
    seen = story()
    seen.sent.append(Sent(RACE, 1, {2: ("L", 1, 21)}))
    assert of(history(), seen) == []
    seen.sent[1].slides.pop(3)
    seen.sent[2].add(3, [SLIDES[2]])
    assert of(history(), seen)[0].startswith("sessions: ")


@pytest.mark.parametrize(
    ("rule", "heard"),
    [
        ("offsets", [("welcome", 1, 0), ("snapshot", 1, 3), ("event", 0, 5)]),
        ("offsets", [("welcome", 1, 0), ("snapshot", 1, 3), ("event", 0, 3)]),
        ("offsets", [("welcome", 1, 0), ("event", 0, 1)]),
        ("offsets", [("welcome", 1, 0), ("snapshot", 1, 3), ("snapshot", 1, 2)]),
        (
            "offsets",
            [("welcome", 1, 0), ("snapshot", 1, 3), ("welcome", 2, 0), ("event", 0, 4)],
        ),
        ("epochs", [("welcome", 2, 0), ("welcome", 1, 0)]),
        ("epochs", [("welcome", 2, 0), ("snapshot", 1, 1)]),
    ],
)
def test_a_stream_with_a_hole_or_a_step_back_is_found(
    rule: str, heard: list[Heard]
) -> None:
    seen = story()
    seen.heard.append(heard)
    assert [one.partition(":")[0] for one in of(history(), seen)] == [rule]
