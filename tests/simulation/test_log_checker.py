"""The log checker finds faults: each of its rules fails on a history that breaks it."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.log_checker import RULES, Observed, Received, Sent, faults

from sliderace.engine import Board, Size, format_board
from sliderace.protocol.room_code import RoomCode
from sliderace.race.log_records import (
    BoardDrawn,
    Finished,
    Postponed,
    RaceCreated,
    RaceEnded,
    RaceStarted,
    RosterFrozen,
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
    """Return the log of a short race during which the server fails once."""
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


def observations() -> Observed:
    """Return what Ann's client sent and received: one connection per epoch."""
    first = Sent(RACE, 0, {1: SLIDES[0], 2: ("D", 1, 15)})
    second = Sent(RACE, 1, {2: SLIDES[1], 3: SLIDES[2]})
    received: list[Received] = [
        ("welcome", 1, 0),
        ("snapshot", 1, 3),
        ("event", 0, 4),
        ("welcome", 1, 0),
        ("event", 0, 5),
        ("welcome", 2, 0),
        ("snapshot", 2, 5),
        ("event", 0, 6),
    ]
    return Observed(1, [first, second], {RACE: 3}, [(RACE, 3, AFTER_U)], [received])


def of(records: Sequence[Record], *observed: Observed) -> list[str]:
    return faults([encode(record) for record in records], observed)


def replacing(old: Record, new: Record) -> list[Record]:
    return [new if record == old else record for record in history()]


def test_correct_history_has_no_faults() -> None:

    assert of(history(), observations()) == []
    assert of(history()) == []


def test_unreadable_or_incomplete_log_is_a_fault() -> None:
    assert faults([b"nothing"])[0].startswith("log: ")
    assert of(history()[:4] + history()[6:], observations())[0].startswith("log: ")


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
        replacing(slid(9_000, 3, SLIDES[2]), slid(9_000, 3, ("D", 1, 30))),
    ),
    "a slide that nobody sent": (
        "sessions",
        replacing(slid(6_000, 1, SLIDES[0]), slid(6_000, 1, ("R", 1, 11))),
    ),
    "a slide of the other tail": (
        "sessions",
        replacing(slid(8_500, 2, SLIDES[1]), slid(8_500, 2, ("L", 1, 15))),
    ),
    "more credit than K": ("time", replacing(DONE, replace(DONE, official=3_929, e=0))),
    "more time than g": ("time", replacing(DONE, replace(DONE, official=4_001))),
    "less than the client's own time": (
        "time",
        replacing(DONE, replace(DONE, official=3_940)),
    ),
    "another start than was planned": ("time", replacing(DONE, replace(DONE, s=5_010))),
    "another g than its arrival": ("time", replacing(DONE, replace(DONE, g=3_990))),
    "credit for no failure": (
        "time",
        [
            replace(LATE, t=4_500, mono_ms=74_500) if one == LATE else one
            for one in replacing(DONE, replace(DONE, outage=500))
            if not isinstance(one, RaceStarted) and one != slid(6_000, 1, SLIDES[0])
        ],
    ),
    "room time goes back": ("clock", replacing(Alive(10_000), Alive(8_999))),
    "the wall clock within one boot": (
        "clock",
        replacing(LATE, replace(LATE, mono_ms=78_001)),
    ),
    "a race without its seed": (
        "record",
        [
            *history()[:4],
            RosterFrozen(3_800, RACE, 5_000, (Seat(0),), ("",)),
            *history()[4:],
            RaceEnded(10_001, RACE),
        ],
    ),
    "an epoch comes twice": ("epochs", replacing(LATE, replace(LATE, epoch=1))),
}


@pytest.mark.parametrize("name", PLANTED)
def test_each_planted_fault_breaks_its_rule(name: str) -> None:
    rule, records = PLANTED[name]
    assert rule in RULES
    assert any(one.startswith(f"{rule}: ") for one in of(records, observations()))


def test_only_the_last_announced_start_counts() -> None:
    later = Postponed(4_100, RACE, 5_100, (5_100,))
    records = replacing(DONE, replace(DONE, s=5_100, g=3_900, official=3_900, e=None))
    records.insert(5, later)
    assert of(records) == []
    records.remove(later)
    assert of(records)[0].startswith("time: ")


def test_friendly_timing_allows_100_ms_more_credit() -> None:
    made = RaceCreated(0, RACE, Rules(size="2x2"), "", "")
    friendly = replace(made, rules=Rules(size="2x2", friendly_timing=True))
    for more, found in ((0, 0), (100, 0), (101, 1)):
        done = replace(DONE, official=3_930 - more, e=0)
        records = [done if one == DONE else one for one in replacing(made, friendly)]
        assert len(of(records)) == found


def test_ack_of_a_slide_missing_from_the_log_is_a_fault() -> None:
    observed = observations()
    observed.acked[RACE] = 4
    assert of(history(), observed) == [f"acks: {RACE} seat 0: 4 acked, 3 in the log"]
    observed.acked = {"KWXTRB-S1-2": 1}
    assert of(history(), observed) == ["acks: KWXTRB-S1-2 is not in the log"]


@pytest.mark.parametrize("board", [(RACE, 3, "1 0/3 2"), (RACE, 4, AFTER_U)])
def test_board_that_differs_from_the_clients_is_a_fault(
    board: tuple[str, int, str],
) -> None:
    observed = observations()
    observed.boards.append(board)
    assert of(history(), observed)[0].startswith("boards: ")


def test_slides_of_a_replaced_connection_in_the_log_are_a_fault() -> None:
    observed = observations()
    observed.sent[0].slides |= {2: SLIDES[1], 3: SLIDES[2]}
    observed.sent[1].slides = {2: ("L", 1, 99)}
    assert of(history(), observed)[0].startswith("sessions: ")


def test_rejected_slides_do_not_count_as_sent() -> None:
    observed = observations()
    observed.sent[1].rejected(2)
    assert of(history(), observed)[0].startswith("sessions: ")
    observed.sent[1].add(3, [SLIDES[2]])
    assert of(history(), observed) == []


def test_only_one_of_two_connections_with_the_same_base_may_slide() -> None:
    observed = observations()
    observed.sent.append(Sent(RACE, 1, {2: ("L", 1, 21)}))
    assert of(history(), observed) == []
    observed.sent[1].slides.pop(3)
    observed.sent[2].add(3, [SLIDES[2]])
    assert of(history(), observed)[0].startswith("sessions: ")


@pytest.mark.parametrize(
    ("rule", "received"),
    [
        ("offsets", [("welcome", 1, 0), ("snapshot", 1, 3), ("event", 0, 5)]),
        ("offsets", [("welcome", 1, 0), ("snapshot", 1, 3), ("event", 0, 3)]),
        ("offsets", [("welcome", 1, 0), ("event", 0, 1)]),
        ("offsets", [("welcome", 1, 0), ("snapshot", 1, 3), ("snapshot", 1, 2)]),
        (
            "offsets",
            [("welcome", 1, 0), ("snapshot", 1, 3), ("welcome", 2, 0), ("event", 0, 4)],
        ),
        (
            "offsets",
            [("welcome", 1, 0), ("snapshot", 1, 3), ("welcome", 1, 0), ("event", 0, 5)],
        ),
        ("epochs", [("welcome", 2, 0), ("welcome", 1, 0)]),
        ("epochs", [("welcome", 2, 0), ("snapshot", 1, 1)]),
    ],
)
def test_stream_with_a_gap_or_a_step_back_is_a_fault(
    rule: str, received: list[Received]
) -> None:
    observed = observations()
    observed.received.append(received)
    assert [one.partition(":")[0] for one in of(history(), observed)] == [rule]


def test_stream_may_repeat_events_on_a_second_connection() -> None:
    """A client that resumes still reads its older connection meanwhile."""
    observed = observations()
    older: list[Received] = [("welcome", 1, 0), ("snapshot", 1, 3), ("event", 0, 4)]
    newer: list[Received] = [("welcome", 1, 0), ("event", 0, 4), ("event", 0, 5)]
    observed.received.append([*older, *newer])
    assert of(history(), observed) == []
    observed.received.append([*older, *newer, ("event", 0, 5)])
    assert len(of(history(), observed)) == 1
