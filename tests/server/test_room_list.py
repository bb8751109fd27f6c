"""The live list of rooms: everybody has the same list, and a change is encoded once."""

from collections.abc import Callable
from typing import Any, cast

from tests.server.room_fixture import RoomHarness

from sliderace.protocol import messages as m
from sliderace.protocol.codec import encode_event
from sliderace.protocol.limits import MAX_DOWN_BYTES
from sliderace_server.live_room.subscriber import Peer
from sliderace_server.registry.matchmaking import rules_for
from sliderace_server.registry.room_list import BATCH, MAX_ROWS, RoomList, row_of
from sliderace_server.room import Connect, Disconnect, SetBots


class Watcher:
    def __init__(self) -> None:
        self.got: list[m.Rooms] = []

    def send(self, frame: Any) -> None:
        self.got.append(frame)


class Fixture:
    """A lobby, and the rooms that it lists."""

    def __init__(self, *codes: str) -> None:
        self.rows = {code: row(code) for code in codes}
        self.encoded: list[m.Event] = []
        self.due: list[Callable[[], None]] = []
        self.lobby = RoomList(
            self.rows.values, self.frame, lambda _, call: self.due.append(call)
        )

    def frame(self, event: m.Event) -> bytes:
        self.encoded.append(event)
        return cast("bytes", event)  # what watchers are sent

    def watch(self) -> Watcher:
        one = Watcher()
        self.lobby.watch(cast("Peer", one))
        return one

    def leave(self, one: Watcher) -> None:
        self.lobby.leave(cast("Peer", one))


def row(code: str, **more: Any) -> m.RoomRow:
    values: dict[str, Any] = {
        "event": "4x4", "kind": "room", "people": 1, "bots": 0, "phase": "lobby",
        "age_ms": 0,
    }  # fmt: skip
    return m.RoomRow(code, **{**values, **more})


def codes(event: m.Rooms) -> list[str]:
    return [one.code for one in event.rows]


# --- who is sent what -----------------------------------------------------------------


def test_a_newcomer_gets_all_rooms_at_once() -> None:
    lobby = Fixture("AAAAAA", "BBBBBB")
    assert lobby.watch().got == [m.Rooms([row("AAAAAA"), row("BBBBBB")])]
    assert Fixture().watch().got == [m.Rooms([])]


def test_watchers_get_what_has_changed() -> None:
    lobby = Fixture("AAAAAA", "BBBBBB", "CCCCCC")
    ann = lobby.watch()
    lobby.rows["AAAAAA"] = row("AAAAAA", people=2, age_ms=1_000)
    lobby.rows["BBBBBB"] = row("BBBBBB", age_ms=1_000)
    lobby.rows["DDDDDD"] = row("DDDDDD")
    del lobby.rows["CCCCCC"]
    lobby.lobby.update()
    assert codes(ann.got[1]) == ["AAAAAA", "DDDDDD"]
    assert ann.got[1].gone == ["CCCCCC"]
    lobby.lobby.update()
    assert len(ann.got) == 2, "nothing has changed"


def test_a_phase_that_begins_again_is_a_change() -> None:
    lobby = Fixture("AAAAAA")
    lobby.rows["AAAAAA"] = row("AAAAAA", age_ms=5_000)
    ann = lobby.watch()
    lobby.rows["AAAAAA"] = row("AAAAAA", age_ms=6_000)
    lobby.lobby.update()
    assert len(ann.got) == 1
    lobby.rows["AAAAAA"] = row("AAAAAA", age_ms=100)
    lobby.lobby.update()
    assert codes(ann.got[1]) == ["AAAAAA"]


def test_a_second_of_any_number_of_watchers_is_encoded_twice_at_most() -> None:
    lobby = Fixture("AAAAAA")
    watchers = [lobby.watch() for _ in range(BATCH)]
    assert len(lobby.encoded) == 1
    lobby.rows["AAAAAA"] = row("AAAAAA", people=2)
    lobby.lobby.update()
    watchers += [lobby.watch() for _ in range(BATCH)]
    assert len(lobby.encoded) == 3
    assert [len(one.got) for one in watchers] == [2] * BATCH + [1] * BATCH


def change(lobby: Fixture, people: int) -> None:
    lobby.rows["AAAAAA"] = row("AAAAAA", people=people)
    lobby.lobby.update()


def people(one: Watcher) -> list[int]:
    return [event.rows[0].people for event in one.got]


def test_many_watchers_are_sent_a_change_a_few_at_a_time() -> None:
    lobby = Fixture("AAAAAA")
    watchers = [lobby.watch() for _ in range(3 * BATCH)]
    change(lobby, 2)
    told: list[int] = []
    while lobby.due:
        told.append(sum(people(one) == [1, 2] for one in watchers))
        lobby.due.pop(0)()
    assert told == [BATCH, 2 * BATCH]
    assert all(people(one) == [1, 2] for one in watchers)


def test_a_later_change_reaches_nobody_before_the_earlier_one() -> None:
    lobby = Fixture("AAAAAA")
    watchers = [lobby.watch() for _ in range(2 * BATCH)]
    change(lobby, 2)
    late, left = lobby.watch(), watchers.pop()
    lobby.leave(left)
    lobby.lobby.update()
    assert all(people(one) == [1, 2] for one in watchers)
    change(lobby, 3)
    while lobby.due:
        lobby.due.pop(0)()
    assert all(people(one) == [1, 2, 3] for one in watchers)
    assert people(late) == [2, 3]
    assert people(left) == [1]


def test_a_newcomer_has_the_same_list_as_the_others() -> None:
    """Changes since the last update reach it with the next one, and only once."""
    lobby = Fixture("AAAAAA")
    lobby.watch()
    lobby.rows["AAAAAA"] = row("AAAAAA", people=2)
    ben = lobby.watch()
    assert ben.got[0].rows[0].people == 1
    lobby.lobby.update()
    assert ben.got[1].rows[0].people == 2


def test_nothing_is_done_while_nobody_watches() -> None:
    lobby = Fixture("AAAAAA")
    ann = lobby.watch()
    lobby.leave(ann)
    lobby.leave(ann)
    lobby.rows["AAAAAA"] = row("AAAAAA", people=2)
    lobby.lobby.update()
    assert len(lobby.lobby) == 0
    assert len(lobby.encoded) == 1
    assert lobby.watch().got[0].rows[0].people == 2, "the list is not an old one"


def test_a_long_list_is_sent_in_several_events() -> None:
    names = [f"ROOM{number:03}" for number in range(2 * MAX_ROWS + 1)]
    lobby = Fixture(*names)
    ann = lobby.watch()
    assert [len(one.rows) for one in ann.got] == [MAX_ROWS, MAX_ROWS, 1]
    assert [code for one in ann.got for code in codes(one)] == names
    lobby.rows.clear()
    lobby.lobby.update()
    assert ann.got[-1] == m.Rooms([], names)
    full = m.Rooms([row("A" * 6, pace_ms=14_400_000, locked=True)] * MAX_ROWS)
    assert len(encode_event(full)) < MAX_DOWN_BYTES


# --- a row ----------------------------------------------------------------------------


def test_a_row_says_what_a_newcomer_wants_to_know() -> None:
    harness = RoomHarness(rules_for("2x2", 5_000), public=True, kind="quick")
    harness.do(SetBots([m.BotWanted(pace_ms=5_000)], ["bot"]))
    harness.enter("Ann", usual_ms=5_000)
    harness.enter("Ben", usual_ms=9_000)
    harness.enter("Eve", role="spectator", usual_ms=100)
    harness.do(Disconnect(harness.enter("Dan", role="spectator")))
    harness.now = 400
    harness.do(Connect(1))
    assert row_of(harness.state, 1_000) == m.RoomRow(
        "KWXTRB", "2x2", "quick", 3, 1, "countdown", 600, 7_000
    )
    harness.to_phase("racing")
    at = harness.now
    assert row_of(harness.state, at + 250).age_ms == 250


def test_the_age_of_a_phase_survives_a_checkpoint_and_a_kill() -> None:
    harness = RoomHarness(m.RulesPatch(size="2x2"))
    harness.enter("Ann", creator=True)
    harness.enter("Ben")
    harness.start_race(1, 2)
    harness.solve(1)
    harness.solve(2)
    harness.wait(3_000)
    harness.ask(1, m.Rematch(harness.race))
    since = harness.now
    harness.crash(2_000)
    assert row_of(harness.state, since + 5_000).age_ms == 5_000


def test_a_locked_room_says_so() -> None:
    harness = RoomHarness(public=True)
    harness.enter("Ann", creator=True)
    harness.ask(1, m.Lock())
    found = row_of(harness.state, 0)
    assert (found.locked, found.pace_ms, found.kind) == (True, None, "room")
