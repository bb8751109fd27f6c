"""The list of live rooms that a lobby sends."""

from typing import Any

import pytest

from sliderace.protocol import messages as m
from sliderace_client.room.live_rooms import MAX_ROOMS, LiveRooms
from sliderace_client.shared_ui.wording import live_people, live_phase


def row(code: str, **more: Any) -> m.RoomRow:
    known: dict[str, Any] = {
        "event": "4x4",
        "kind": "quick",
        "people": 1,
        "bots": 0,
        "phase": "racing",
        "age_ms": 0,
    }
    return m.RoomRow(code=code, **(known | more))


def codes(rooms: LiveRooms, event: str = "") -> list[str]:
    return [room.row.code for room in rooms.listed(event)]


def test_rooms_come_change_and_go() -> None:
    rooms = LiveRooms()
    known = [rooms.known]
    rooms.receive(m.Rooms([row("KWXTRB", age_ms=4_000), row("BCDFGH")]), 10_000)
    assert [*known, rooms.known] == [False, True]
    assert [room.since for room in rooms.listed()] == [10_000, 6_000]
    rooms.receive(m.Rooms([row("KWXTRB", people=3)], gone=["BCDFGH", "CCCCCC"]), 11_000)
    assert [(one.row.people, one.since) for one in rooms.listed()] == [(3, 11_000)]


def test_rooms_that_a_player_would_rather_enter_come_first() -> None:
    rooms = LiveRooms()
    listed = [
        row("BBBBBB", locked=True, people=9),
        row("CCCCCC", event="3x3", people=5),
        row("DDDDDD", people=2),
        row("FFFFFF", people=4),
        row("GGGGGG", people=2),
    ]
    rooms.receive(m.Rooms(listed), 0)
    assert codes(rooms, "4x4") == ["FFFFFF", "DDDDDD", "GGGGGG", "CCCCCC", "BBBBBB"]
    assert codes(rooms) == ["CCCCCC", "FFFFFF", "DDDDDD", "GGGGGG", "BBBBBB"]


@pytest.mark.parametrize(
    "wrong",
    [row("kwxtrb"), row("KWX-TRB"), row("\x1b[2J"), row("BCDFGH", event="4 x 4")],
)
def test_rows_that_cannot_be_shown_are_left_out(wrong: m.RoomRow) -> None:
    rooms = LiveRooms()
    rooms.receive(m.Rooms([wrong, row("KWXTRB")]), 0)
    assert codes(rooms) == ["KWXTRB"]


def test_a_hostile_list_does_not_grow_for_ever() -> None:
    letters = "BCDFGHJKMN"
    many = [
        row("".join(letters[int(digit)] for digit in f"{n:06}"))
        for n in range(MAX_ROOMS + 5)
    ]
    rooms = LiveRooms()
    rooms.receive(m.Rooms(many), 0)
    assert len(rooms.listed()) == MAX_ROOMS
    rooms.receive(m.Rooms([row("BBBBBB", people=7)]), 0)
    assert rooms.listed()[0].row.people == 7


@pytest.mark.parametrize(
    ("more", "age_ms", "words"),
    [
        ({"phase": "racing"}, 59_999, "racing 59 s"),
        ({"phase": "grace"}, 60_000, "racing 1 min"),
        ({"phase": "countdown"}, 0, "about to start"),
        ({"phase": "lobby"}, 0, "between races"),
        ({"phase": "results"}, 0, "between races"),
        ({"locked": True}, 0, "locked"),
    ],
)
def test_words_say_what_happens_in_a_room(
    more: dict[str, Any], age_ms: int, words: str
) -> None:
    assert live_phase(row("KWXTRB", **more), age_ms) == words


def test_bots_are_counted_beside_people() -> None:
    assert live_people(row("KWXTRB", people=2)) == "2"
    assert live_people(row("KWXTRB", people=2, bots=2)) == "2+2"
