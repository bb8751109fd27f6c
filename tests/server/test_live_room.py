"""A running room without an event loop: which events each member gets, and when."""

from typing import Any, TypeVar, cast

import pytest
from tests.server.recording_subscriber import FixedLatency
from tests.server.room_fixture import solution

from sliderace.engine import Board
from sliderace.protocol import messages as m
from sliderace.protocol.room_code import RoomCode
from sliderace.race.log_records import BoardDrawn, RosterFrozen, Seat, Slid
from sliderace.race.refusal import Refusal
from sliderace.race.state import BOARD_DURABLE_MS, FREEZE_MS, UNDO_MS
from sliderace.race.timing import Latency
from sliderace_server import room
from sliderace_server.live_room.live_room import LiveRoom, LiveRoomSettings, Outputs
from sliderace_server.live_room.subscriber import Peer, Subscriber
from sliderace_server.pacing import PACES
from sliderace_server.room import RoomLimits
from sliderace_server.room.log_records import (
    Alive,
    Checkpoint,
    Connected,
    Disconnected,
    Record,
    WallClockSet,
)

CODE = RoomCode("KWXTRB")
E = TypeVar("E", bound=m.Event)
PLAYER_TICK, SPECTATOR_TICK = 50, 225


class Connection:
    """A connection whose methods must not be called."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"a room used {name}")


def new_subscriber() -> Subscriber:
    return Subscriber(cast("Peer", Connection()))


class Shell:
    """A room, its clock, its log, and what every subscriber was sent.

    Args:
        durable: commit everything after each step.
        rules: rules of the room.
    """

    def __init__(
        self,
        *,
        durable: bool = True,
        small_room: int = 16,
        limits: RoomLimits | None = None,
        **rules: Any,
    ) -> None:
        self.durable = durable
        self.now = 1_000
        self.log: list[Record] = []
        self.sent: dict[Subscriber, list[m.Event]] = {}
        self.closed: dict[Subscriber, list[int]] = {}
        self.outputs: list[Outputs] = []
        self.wake_at: int | None = None
        settings = LiveRoomSettings(
            limits=limits or RoomLimits(),
            announced=m.Limits(60, 120, 160, 320, 60, 33, 2048),
            version="test",
            small_room=small_room,
            player_tick_ms=PLAYER_TICK,
            spectator_tick_ms=SPECTATOR_TICK,
        )
        given: dict[str, Any] = {"size": "2x2", "countdown_ms": 3_000, **rules}
        patch = m.RulesPatch(**given)
        epoch = room.first_epoch("boot", self.now, self.wall())
        opened = room.open_room(CODE, 1_700_000_000, m.Open(patch), epoch, bytes(32))
        state = room.fold(opened)
        self.room = LiveRoom(settings, state, 0, opened, self.now, bytes(32))
        self.take()

    def wall(self) -> int:
        return 1_700_000_000_000 + self.now

    def take(self, *, commit: bool | None = None) -> Outputs:
        """Record the room's outputs, as its actor would."""
        out = self.room.take(self.now)
        self.outputs.append(out)
        self.log += out.records
        self.wake_at = out.wake_at
        for event, targets in out.sends:
            for one in targets:
                self.sent.setdefault(one, []).append(event)
        for one, code in out.closes:
            self.closed.setdefault(one, []).append(code)
        if out.records and (self.durable if commit is None else commit):
            self.commit()
        return out

    def commit(self, count: int | None = None) -> None:
        """Make all records durable, or so many more."""
        to = len(self.log) if count is None else self.room.durable + count
        self.room.committed(to, self.now)
        self.take()

    def wait(self, ms: int) -> None:
        """Let time pass, with a tick at each deadline."""
        until = self.now + ms
        while self.wake_at is not None and self.wake_at <= until:
            self.now = max(self.now, self.wake_at)
            self.room.tick(self.now, bytes(32))
            self.take()
        self.now = until

    def enter(self, name: str, **more: Any) -> Subscriber:
        one = new_subscriber()
        enter = room.Enter(name, f"hash of {name}", **more)
        assert self.room.subscribe(one, enter, self.now, bytes(32), token="t") is None
        self.take()
        return one

    def resume(
        self, member: int, seen: tuple[int, int] = (0, 0), *can: str
    ) -> Subscriber:
        one = new_subscriber()
        one.can = frozenset(can)
        connect = room.Connect(member)
        self.room.subscribe(one, connect, self.now, bytes(32), seen=seen)
        self.take()
        return one

    def leave(self, one: Subscriber) -> None:
        self.room.unsubscribe(one, self.now, bytes(32))
        self.take()

    def ask(self, one: Subscriber, message: room.WireCommand) -> None:
        self.room.receive(one, message, self.now, bytes(32))
        self.take()

    def resync(self, one: Subscriber, seat: int | None = None) -> None:
        self.room.resync(one, m.Resync(seat), self.now, bytes(32))
        self.take()

    def slides(self, one: Subscriber, count: int = 1, seq: int = 0) -> m.Slides:
        """Return the next slides of a solution, as a message."""
        attempt = room.attempt_of(self.room.state, one.member)
        assert attempt is not None
        way = [(d, 1, 7) for d in solution(attempt.board)[:count]]
        return m.Slides(self.race, one.gen, seq or attempt.seq + 1, way)

    def slide(self, one: Subscriber, count: int = 1) -> m.Slides:
        message = self.slides(one, count)
        self.room.slide(one, message, self.now)
        self.take()
        return message

    def solve(self, one: Subscriber) -> None:
        self.slide(one, 60)

    def start(self, *players: Subscriber) -> None:
        """Start a race of these players; the first is the host."""
        for one in players:
            self.ask(one, m.Ready(self.race))
        if self.room.state.phase == "lobby":
            self.ask(players[0], m.Start(self.race))
        self.wait(3_000)
        assert self.room.state.phase == "racing"

    @property
    def race(self) -> str:
        return self.room.state.race.id

    def got(self, one: Subscriber, kind: type[E]) -> list[E]:
        return [event for event in self.sent.get(one, ()) if isinstance(event, kind)]

    def kinds(self, one: Subscriber) -> list[type[m.Event]]:
        return [type(event) for event in self.sent.get(one, ())]

    def clear(self) -> None:
        self.sent.clear()
        self.closed.clear()


def board_of(shell: Shell) -> Board:
    return Board(shell.room.state.race.size, shell.room.state.race.board)


def offsets(events: list[m.Event]) -> list[int]:
    return [o for event in events if (o := getattr(event, "o", 0))]


def two(shell: Shell) -> tuple[Subscriber, Subscriber]:
    return shell.enter("Ann", creator=True), shell.enter("Ben")


# --- Welcomes ------------------------------------------------------------------------


def test_nothing_reaches_a_subscriber_before_its_welcome() -> None:
    shell = Shell()
    ann, _ = two(shell)
    shell.start(ann)
    shell.durable = False
    eve = shell.enter("Eve", role="spectator")
    shell.wait(200)
    for _ in range(3):
        shell.slide(ann)
        shell.ask(ann, m.Lock())
        shell.ask(ann, m.Lock(on=False))
        shell.wait(200)
    assert shell.got(ann, m.Progress)
    assert shell.kinds(eve) == []
    shell.commit()
    assert shell.kinds(eve)[:2] == [m.Welcome, m.Snapshot]


def test_busy_room_sends_a_welcome_at_its_position_in_the_log() -> None:
    shell = Shell()
    ann, _ = two(shell)
    shell.durable = False

    def stay_busy() -> None:
        """Keep the room ahead of its durable log."""
        for n in range(8):
            shell.ask(ann, m.Lock(on=n % 2 == 0))
            if n > 2:
                shell.commit(1)
            assert not shell.room.idle

    stay_busy()
    eve = shell.enter("Eve")
    entered = shell.room.applied
    stay_busy()
    assert shell.room.durable >= entered
    welcome, snapshot, *later = shell.sent[eve]
    assert isinstance(welcome, m.Welcome)
    assert isinstance(snapshot, m.Snapshot)
    assert not snapshot.room.locked
    assert offsets(later)[0] == snapshot.o + 1
    shell.commit()
    events = shell.sent[eve][2:]
    assert offsets(events) == [*range(snapshot.o + 1, shell.room.state.offset + 1)]


def test_welcome_waits_until_its_content_is_durable() -> None:
    shell = Shell(durable=False)
    shell.commit()
    ann = shell.enter("Ann", creator=True)
    assert shell.kinds(ann) == []
    shell.commit(1)
    assert shell.kinds(ann) == []
    shell.commit()
    assert shell.kinds(ann)[0] is m.Welcome


def test_a_member_who_left_before_the_welcome_is_sent_nothing() -> None:
    shell = Shell(durable=False)
    ann = shell.enter("Ann", creator=True)
    shell.leave(ann)
    shell.commit()
    assert shell.kinds(ann) == []
    assert shell.room.connections == 0


def test_a_refused_member_does_not_subscribe() -> None:
    shell = Shell()
    ann, _ = two(shell)
    shell.ask(ann, m.Lock())
    eve = new_subscriber()
    outcome = shell.room.subscribe(eve, room.Enter("Eve", "h"), shell.now, bytes(32))
    assert outcome == Refusal("room_locked")
    assert eve.member == 0
    assert shell.room.connections == 2


def test_slides_between_view_and_welcome_are_sent_and_acked_after_it() -> None:
    shell = Shell(size="3x2")
    ann, ben = two(shell)
    shell.start(ann, ben)
    shell.durable = False
    shell.slide(ben)
    again = shell.resume(ann.member)
    shell.slide(again)
    shell.slide(ben)
    shell.wait(100)
    assert shell.kinds(again) == []
    shell.commit()
    events = shell.sent[again]
    assert [type(event) for event in events[:2]] == [m.Welcome, m.Snapshot]
    assert shell.got(again, m.Ack) == [m.Ack(shell.race, 1)]
    [progress] = shell.got(again, m.Progress)
    assert {(step.seat, step.seq) for step in progress.p} == {(0, 1), (1, 2)}


def test_short_absence_is_followed_by_the_missed_events() -> None:
    shell = Shell()
    ann, ben = two(shell)
    epoch = shell.room.state.epoch.epoch
    seen = shell.room.state.offset
    shell.leave(ben)
    shell.ask(ann, m.Lock())
    again = shell.resume(ben.member, (epoch, seen))
    kinds = shell.kinds(again)
    assert kinds == [m.Welcome, m.MemberEvent, m.RoomEvent, m.MemberEvent]
    assert offsets(shell.sent[again]) == [seen + 1, seen + 2, seen + 3]


@pytest.mark.parametrize("seen", [(0, 3), (1, 99)])
def test_another_epoch_or_a_future_offset_gets_a_snapshot(
    seen: tuple[int, int],
) -> None:
    shell = Shell()
    ann, _ = two(shell)
    again = shell.resume(ann.member, seen)
    assert shell.kinds(again)[:2] == [m.Welcome, m.Snapshot]


def test_absence_over_a_new_phase_needs_a_snapshot() -> None:
    shell = Shell()
    ann, ben = two(shell)
    seen = shell.room.state.epoch.epoch, shell.room.state.offset
    shell.start(ann, ben)
    again = shell.resume(ben.member, seen)
    assert shell.kinds(again)[:2] == [m.Welcome, m.Snapshot]


def test_a_racer_who_finishes_before_their_welcome_is_sent_all_boards() -> None:
    shell = Shell(size="3x2")
    ann, ben = two(shell)
    shell.start(ann, ben)
    shell.durable = False
    shell.slide(ben)
    again = shell.resume(ann.member)
    shell.solve(again)
    shell.slide(ben)
    shell.wait(20)
    shell.commit()
    boards = {event.seat: event.seq for event in shell.got(again, m.BoardEvent)}
    assert boards.keys() == {0, 1}
    assert shell.got(again, m.StandingEvent)


def test_welcome_from_the_last_race_is_followed_by_the_new_race() -> None:
    shell = Shell()
    ann, ben, eve = racing(shell)
    shell.solve(ann)
    shell.solve(ben)
    race = shell.race
    shell.durable = False
    shell.ask(ann, m.Lock())
    again = shell.resume(eve.member)
    shell.ask(ann, m.Rematch(race))
    shell.commit()
    [snapshot] = shell.got(again, m.Snapshot)
    assert snapshot.race.id == race
    assert shell.got(again, m.RoomEvent)[-1].room.race == shell.race
    assert shell.got(again, m.Progress) == []


def test_room_closed_before_a_welcome_still_sends_it() -> None:
    shell = Shell()
    ann, _ = two(shell)
    shell.durable = False
    eve = shell.enter("Eve")
    shell.ask(ann, m.Close())
    shell.commit()
    assert shell.kinds(eve) == [m.Welcome, m.Snapshot, m.Closed]
    assert shell.closed[eve] == [4502]


def test_opened_event_is_sent_once_the_room_is_durable() -> None:
    shell = Shell(durable=False)
    stranger, gone = new_subscriber(), new_subscriber()
    for one in (stranger, gone):
        shell.room.notify(one, m.Opened(CODE, "link"), 1000)
    shell.leave(gone)
    assert shell.sent == {}
    shell.commit()
    assert shell.sent == {stranger: [m.Opened(CODE, "link")]}
    assert shell.closed == {stranger: [1000]}


# --- The fence -----------------------------------------------------------------------


def test_only_commands_of_the_newest_connection_count() -> None:
    shell = Shell(size="3x2")
    ann, ben = two(shell)
    shell.start(ann, ben)
    new = shell.resume(ann.member)
    assert shell.closed == {ann: [4503]}
    applied = shell.room.applied
    shell.clear()
    shell.slide(ann)
    shell.ask(ann, m.Forfeit(shell.race))
    shell.resync(ann)
    shell.resync(ann, 0)
    shell.leave(ann)
    assert shell.room.applied == applied
    assert shell.sent == {}
    shell.slide(new)
    assert shell.room.applied == applied + 1


def test_outputs_are_taken_once() -> None:
    shell = Shell()
    ann, _ = two(shell)
    shell.ask(ann, m.Lock())
    first, second = shell.take(), shell.take()
    for out in (first, second):
        assert (out.records, out.sends, out.closes) == ([], [], [])
    assert len(shell.log) == shell.room.applied


def test_slides_of_an_older_sequence_are_dropped() -> None:
    shell = Shell(size="3x2")
    ann, ben = two(shell)
    shell.start(ann, ben)
    gap = shell.slides(ann, seq=7)
    shell.room.slide(ann, gap, shell.now)
    shell.room.slide(ann, gap, shell.now)
    shell.take()
    [rejected] = shell.got(ann, m.Rejected)
    assert (rejected.gen, rejected.seq, rejected.code) == (1, 0, "gap")


# --- Acks ----------------------------------------------------------------------------


def test_acks_wait_for_the_commit_of_their_slides() -> None:
    shell = Shell(size="3x2")
    ann, ben = two(shell)
    shell.start(ann, ben)
    shell.durable = False
    shell.slide(ann)
    shell.slide(ann)
    shell.slide(ben)
    shell.commit(1)
    assert shell.got(ann, m.Ack) == [m.Ack(shell.race, 1)]
    assert shell.got(ben, m.Ack) == []
    shell.commit()
    assert shell.got(ann, m.Ack) == [m.Ack(shell.race, 1), m.Ack(shell.race, 2)]
    assert shell.got(ben, m.Ack) == [m.Ack(shell.race, 1)]


def test_a_commit_acks_each_racer_once() -> None:
    shell = Shell(size="3x2")
    ann, ben = two(shell)
    shell.start(ann, ben)
    shell.durable = False
    for _ in range(3):
        shell.slide(ann)
    shell.commit()
    assert shell.got(ann, m.Ack) == [m.Ack(shell.race, 3)]


def test_slides_that_are_sent_again_are_acked_again_once_durable() -> None:
    shell = Shell(size="3x2")
    ann, ben = two(shell)
    shell.start(ann, ben)
    shell.durable = False
    message = shell.slide(ann)
    shell.room.slide(ann, message, shell.now)
    shell.take()
    assert shell.got(ann, m.Ack) == []
    shell.commit()
    shell.room.slide(ann, message, shell.now)
    shell.take()
    assert shell.got(ann, m.Ack) == [m.Ack(shell.race, 1)] * 2


def test_slides_of_a_disconnected_racer_are_stored_without_an_ack() -> None:
    shell = Shell(size="3x2")
    ann, ben = two(shell)
    shell.start(ann, ben)
    shell.durable = False
    shell.slide(ben)
    shell.leave(ben)
    shell.commit()
    assert shell.got(ben, m.Ack) == []
    assert [one.seq for one in shell.log if isinstance(one, Slid)] == [1]


def test_illegal_and_misplaced_slides_are_refused() -> None:
    shell = Shell(size="3x2")
    ann, ben = two(shell)
    eve = shell.enter("Eve", role="spectator")
    shell.start(ann, ben)
    legal = shell.slides(ann).slides
    shell.ask(ann, m.Start(shell.race))  # a second click is not refused
    shell.ask(ben, m.Start(shell.race))
    assert [one.code for one in shell.got(ben, m.Refused)] == ["not_host"]
    shell.clear()
    shell.room.slide(eve, m.Slides(shell.race, 0, 1, legal), shell.now)
    shell.room.slide(ann, m.Slides("another", 0, 1, legal), shell.now)
    shell.room.slide(ben, m.Slides(shell.race, 0, 1, [("U", 9, 1)]), shell.now)
    shell.take()
    assert [one.code for one in shell.got(eve, m.Rejected)] == ["not_racing"]
    assert [one.code for one in shell.got(ann, m.Refused)] == ["wrong_race"]
    assert [one.code for one in shell.got(ben, m.Rejected)] == ["illegal"]
    assert ann.gen == 0


def test_slides_before_a_race_are_refused() -> None:
    shell = Shell(size="3x2")
    ann, _ = two(shell)
    shell.clear()
    shell.room.slide(ann, m.Slides(shell.race, 0, 1, [("U", 1, 1)]), shell.now)
    shell.take()
    assert [one.code for one in shell.got(ann, m.Rejected)] == ["not_racing"]


def test_slides_may_also_come_as_a_command() -> None:
    shell = Shell(size="3x2")
    ann, ben = two(shell)
    shell.start(ann, ben)
    shell.ask(ann, shell.slides(ann))
    assert shell.got(ann, m.Ack) == [m.Ack(shell.race, 1)]


# --- Progress ------------------------------------------------------------------------


def racing(shell: Shell) -> tuple[Subscriber, Subscriber, Subscriber]:
    """Start a race of Ann and Ben; Eve is a spectator."""
    ann, ben = two(shell)
    eve = shell.enter("Eve", role="spectator")
    shell.start(ann, ben)
    shell.wait(1_000)
    shell.clear()
    return ann, ben, eve


def test_an_idle_small_room_sends_slides_at_once_and_then_collects_them() -> None:
    shell = Shell(size="3x2")
    ann, ben, eve = racing(shell)
    shell.slide(ann)
    assert [step.seq for step in shell.got(eve, m.Progress)[0].p] == [1]
    shell.wait(2)
    shell.slide(ann)
    shell.slide(ben)
    assert len(shell.got(eve, m.Progress)) == 1
    shell.wait(8)
    assert len(shell.got(eve, m.Progress)) == 2
    steps = shell.got(eve, m.Progress)[1].p
    assert [(one.seat, one.since, one.seq) for one in steps] == [(0, 1, 2), (1, 0, 1)]
    assert [one.slides for one in shell.got(ben, m.Progress)[1].p] == ["", ""]


@pytest.mark.parametrize("level", [1, 2, 3])
def test_a_busy_small_room_collects_for_longer(level: int) -> None:
    shell = Shell(size="3x2")
    ann, _, eve = racing(shell)
    shell.room.load(level)
    shell.now += 3
    shell.slide(ann)
    shell.slide(ann)
    period = round(PACES[level].small_room * PLAYER_TICK)
    shell.wait(period - 1)
    assert len(shell.got(eve, m.Progress)) == 1
    shell.wait(5)  # the grid
    assert len(shell.got(eve, m.Progress)) == 2


def test_ticks_of_large_rooms_are_staggered() -> None:
    shell = Shell(size="3x2", small_room=2)
    ann, ben, eve = racing(shell)
    moments: dict[Subscriber, list[int]] = {ben: [], eve: []}
    for _ in range(120):
        for one in (ann, ben):
            attempt = room.attempt_of(shell.room.state, one.member)
            assert attempt is not None
            direction, tiles = attempt.board.legal_slides()[0]
            way = m.Slides(
                shell.race, one.gen, attempt.seq + 1, [(direction, tiles, 7)]
            )
            shell.room.slide(one, way, shell.now)
        shell.take()
        before = {one: len(shell.got(one, m.Progress)) for one in moments}
        shell.wait(5)
        for one, times in moments.items():
            if len(shell.got(one, m.Progress)) > before[one]:
                times.append(shell.now)
    assert {b - a for a, b in zip(moments[ben], moments[ben][1:], strict=False)} == {50}
    assert {b - a for a, b in zip(moments[eve], moments[eve][1:], strict=False)} == {
        225
    }


def test_with_open_boards_racers_are_sent_boards_at_the_players_pace() -> None:
    shell = Shell(size="3x2", small_room=2, open_boards=True)
    ann, ben, _ = racing(shell)
    shell.slide(ann)
    shell.wait(PLAYER_TICK)
    [progress] = shell.got(ben, m.Progress)
    assert progress.p[0].slides


def test_a_racer_who_is_out_is_sent_the_boards_and_every_slide_from_then_on() -> None:
    shell = Shell(size="3x2")
    ann, ben, _ = racing(shell)
    shell.slide(ann)
    shell.ask(ben, m.Forfeit(shell.race))
    shell.wait(UNDO_MS)
    shell.slide(ann)
    shell.wait(50)
    boards = [(event.seat, event.seq) for event in shell.got(ben, m.BoardEvent)]
    assert boards == [(0, 2), (1, 0)]
    shell.slide(ann)
    shell.wait(50)
    step = shell.got(ben, m.Progress)[-1].p[0]
    assert (step.since, step.seq) == (2, 3)
    assert step.slides


def test_slides_are_sent_before_the_events_they_cause() -> None:
    shell = Shell(size="3x2")
    ann, _, eve = racing(shell)
    shell.slide(ann)  # immediately, so the solving slides would wait
    shell.solve(ann)
    kinds = shell.kinds(eve)
    assert kinds.index(m.StandingEvent) > len(kinds) - 1 - kinds[::-1].index(m.Progress)


def test_progress_needs_an_audience() -> None:
    shell = Shell(size="3x2")
    ann, ben = two(shell)
    shell.start(ann, ben)
    shell.clear()
    shell.slide(ann)
    watching = [
        event
        for out in shell.outputs
        for event, _ in out.sends
        if isinstance(event, m.Progress) and event.p[0].slides
    ]
    assert watching == []


# --- Slow readers --------------------------------------------------------------------


def test_a_slow_reader_gets_no_progress_and_then_the_newest_boards() -> None:
    shell = Shell(size="3x2")
    ann, ben, eve = racing(shell)
    shell.room.set_behind(eve, shell.now, behind=True)
    for _ in range(3):
        shell.slide(ann)
        shell.wait(20)
    shell.ask(ann, m.Lock())
    assert shell.kinds(eve) == [m.RoomEvent]
    shell.room.set_behind(eve, shell.now, behind=False)
    shell.take()
    boards = {event.seat: event.seq for event in shell.got(eve, m.BoardEvent)}
    assert boards == {0: 3, 1: 0}
    shell.slide(ben)
    shell.wait(20)
    assert [step.seat for step in shell.got(eve, m.Progress)[-1].p] == [1]


def test_a_racer_who_has_caught_up_gets_progress_without_boards() -> None:
    shell = Shell(size="3x2")
    ann, ben, _ = racing(shell)
    shell.room.set_behind(ben, shell.now, behind=True)
    shell.slide(ann)
    shell.wait(20)
    assert shell.got(ben, m.Progress) == []
    shell.room.set_behind(ben, shell.now, behind=False)
    shell.take()
    assert shell.got(ben, m.BoardEvent) == []
    [progress] = shell.got(ben, m.Progress)
    first, _ = progress.p
    assert (first.seat, first.seq, first.slides) == (0, 1, "")


def test_slow_connection_without_welcome_or_seat_is_sent_nothing() -> None:
    shell = Shell(durable=False)
    ann = shell.enter("Ann", creator=True)
    shell.room.set_behind(ann, shell.now, behind=True)
    shell.commit()
    assert shell.got(ann, m.Snapshot)
    shell.room.set_behind(ann, shell.now, behind=False)
    again = shell.resume(ann.member)
    shell.room.set_behind(ann, shell.now, behind=True)
    shell.room.set_behind(ann, shell.now, behind=False)
    shell.take()
    assert shell.room.connections == 1
    assert again.behind is False


def test_slow_reader_gets_no_boards_when_visibility_changes() -> None:
    shell = Shell(size="3x2", spectator_delay_ms=500)
    ann, ben, eve = racing(shell)
    for one in (ben, eve):
        shell.room.set_behind(one, shell.now, behind=True)
    shell.ask(ben, m.Forfeit(shell.race))
    shell.wait(UNDO_MS)
    shell.slide(ann)
    shell.wait(1_000)
    assert shell.got(ben, m.Progress) == shell.got(eve, m.Progress) == []


# --- The spectator delay -------------------------------------------------------------


def test_delayed_spectators_see_slides_later_and_the_boards_at_the_end() -> None:
    shell = Shell(size="3x2", spectator_delay_ms=2_000)
    ann, ben, eve = racing(shell)
    shell.slide(ann)
    shell.wait(1_500)
    assert shell.got(eve, m.Progress) == []
    shell.wait(1_000)
    [progress] = shell.got(eve, m.Progress)
    assert [(one.seat, one.since, one.seq) for one in progress.p] == [(0, 0, 1)]
    assert [event.seat for event in shell.got(eve, m.BoardEvent)] == [None]
    for one in (ann, ben):
        shell.solve(one)
    solved = {event.seat for event in shell.got(eve, m.BoardEvent)}
    assert solved == {None, 0, 1}


def test_delayed_race_may_end_during_a_pending_welcome() -> None:
    shell = Shell(size="3x2", spectator_delay_ms=2_000)
    ann, ben, _ = racing(shell)
    shell.durable = False
    late = shell.enter("Late", role="spectator")
    for one in (ann, ben):
        shell.solve(one)
    assert shell.kinds(late) == []
    shell.commit()
    assert shell.kinds(late)[:2] == [m.Welcome, m.Snapshot]


def test_delayed_racer_who_is_out_gets_the_boards_after_the_delay() -> None:
    shell = Shell(size="3x2", spectator_delay_ms=500)
    ann, ben, _ = racing(shell)
    shell.ask(ben, m.Forfeit(shell.race))
    shell.wait(UNDO_MS)
    shell.slide(ann)
    shell.wait(1_000)
    assert {event.seat for event in shell.got(ben, m.BoardEvent)} == {0, 1}
    assert shell.got(ben, m.Progress)[-1].p[0].seq == 1


def test_resync_of_a_delayed_spectator_gets_the_delayed_board() -> None:
    shell = Shell(size="3x2", spectator_delay_ms=2_000)
    ann, _, eve = racing(shell)
    shell.wait(1_500)
    shell.slide(ann)
    shell.clear()
    shell.resync(eve, 0)
    assert [event.seq for event in shell.got(eve, m.BoardEvent)] == [0]
    shell.resync(eve)
    [snapshot] = shell.got(eve, m.Snapshot)
    assert [lane.seq for lane in snapshot.race.lanes] == [0, 0]


# --- Resync --------------------------------------------------------------------------


def test_a_resync_is_answered_once_with_everything_durable() -> None:
    shell = Shell(size="3x2")
    ann, _, _ = racing(shell)
    shell.durable = False
    shell.slide(ann)
    shell.resync(ann)
    shell.resync(ann)
    assert shell.got(ann, m.Snapshot) == []
    shell.commit()
    [snapshot] = shell.got(ann, m.Snapshot)
    assert snapshot.race.lanes[0].seq == 1
    assert snapshot.race.elapsed_ms is not None
    assert shell.got(ann, m.Ack)[-1] == m.Ack(shell.race, 1)
    shell.resync(ann)
    assert len(shell.got(ann, m.Snapshot)) == 2


def test_resync_of_a_hidden_board_is_refused() -> None:
    shell = Shell(size="3x2")
    ann, _, _ = racing(shell)
    shell.resync(ann, 1)
    assert [event.code for event in shell.got(ann, m.Refused)] == ["too_early"]


# --- The start -----------------------------------------------------------------------


def test_a_start_that_is_not_durable_in_time_is_postponed() -> None:
    shell = Shell()
    ann, ben = two(shell)
    for one in (ann, ben):
        shell.ask(one, m.Ready(shell.race))
    shell.durable = False
    shell.wait(3_000 - FREEZE_MS)
    assert isinstance(shell.log[-1], RosterFrozen | BoardDrawn)
    t0 = shell.room.state.race.t0
    shell.wait(FREEZE_MS - BOARD_DURABLE_MS)
    assert shell.room.state.race.t0 > t0
    assert sum(out.postponed for out in shell.outputs) == 1
    assert shell.got(ann, m.BoardEvent) == []
    shell.commit()
    shell.durable = True
    shell.wait(3_000)
    assert shell.room.state.phase == "racing"
    assert len(shell.got(ann, m.BoardEvent)) == 1


@pytest.mark.parametrize("durable", [True, False])
def test_a_start_after_a_stall_needs_to_be_durable(durable: bool) -> None:
    shell = Shell()
    ann, ben = two(shell)
    for one in (ann, ben):
        shell.ask(one, m.Ready(shell.race))
    shell.durable = durable
    shell.wait(3_000 - FREEZE_MS + 10)
    since = shell.now
    shell.now += FREEZE_MS + 500
    shell.room.stalled(since, shell.now, bytes(32))
    shell.take()
    assert shell.got(ann, m.BoardEvent) == []
    shell.commit()
    shell.durable = True
    shell.wait(3_000)
    assert shell.room.state.race.running
    assert len(shell.got(ann, m.BoardEvent)) == 1


def test_a_room_that_is_over_notes_no_stall() -> None:
    shell = Shell()
    shell.room.freeze()
    shell.room.stalled(shell.now, shell.now + 500, bytes(32))
    shell.take()
    assert shell.room.idle


def test_latencies_of_players_are_measured_when_a_countdown_starts() -> None:
    shell = Shell()
    ann, ben = two(shell)
    shell.enter("Eve", role="spectator")
    for one in (ann, ben):
        shell.ask(one, m.Ready(shell.race))
    assert [out.measure for out in shell.outputs if out.measure] == [[ann, ben]]


def test_latency_of_a_spectator_who_becomes_a_player_is_measured() -> None:
    """As a spectator they were pinged too rarely for an official time."""
    shell = Shell()
    ann, _ = two(shell)
    eve = shell.enter("Eve", role="spectator")
    shell.ask(eve, m.Role("player"))
    shell.ask(ann, m.Role("spectator"))
    assert [out.measure for out in shell.outputs if out.measure] == [[eve]]


def test_a_tick_that_comes_too_early_changes_nothing() -> None:
    shell = Shell()
    ann, ben = two(shell)
    for one in (ann, ben):
        shell.ask(one, m.Ready(shell.race))
    due, before = shell.wake_at, len(shell.log)
    assert due is not None
    shell.room._due["room"] = shell.room.room_time(shell.now)  # pyright: ignore[reportPrivateUsage]
    shell.room.tick(shell.now, bytes(32))
    shell.take()
    assert (shell.wake_at, len(shell.log)) == (due, before)


# --- The end of a race ---------------------------------------------------------------


def test_a_race_has_results_once_its_end_is_durable() -> None:
    shell = Shell()
    ann, ben, eve = racing(shell)
    shell.durable = False
    race = shell.race
    shell.solve(ann)
    shell.solve(ben)
    assert [out.results for out in shell.outputs if out.results] == []
    shell.ask(ann, m.Rematch(race))
    assert shell.race != race
    shell.commit()
    [[state]] = [out.results for out in shell.outputs if out.results]
    assert (state.race.id, state.race.phase) == (race, "results")
    assert shell.got(eve, m.Results)[0].race == race


def wins_of(event: m.SeriesEvent) -> list[tuple[str, int]]:
    return [(row.name, row.wins) for row in event.table.rows]


def test_series_follows_the_results_for_clients_that_understand_it() -> None:
    """Others get everything else, and their stream has no gap."""
    shell = Shell()
    ann, ben = two(shell)
    ben.can = frozenset({"series"})
    shell.start(ann, ben)
    shell.solve(ben)
    shell.wait(1_000)
    shell.durable = False
    shell.solve(ann)
    assert shell.got(ben, m.SeriesEvent) == []
    shell.commit()
    [event] = shell.got(ben, m.SeriesEvent)
    assert wins_of(event) == [("Ben", 1), ("Ann", 0)]
    kinds = shell.kinds(ben)
    assert kinds.index(m.SeriesEvent) == kinds.index(m.Results) + 1
    assert shell.got(ann, m.SeriesEvent) == []
    streams = [offsets(shell.sent[one]) for one in (ann, ben)]
    assert streams[0][-1] == streams[1][-1] == shell.room.state.offset
    assert streams[1] == [*range(streams[1][0], streams[1][-1] + 1)]


def test_a_new_series_is_sent_once_it_is_durable() -> None:
    shell = Shell()
    ann, _ = two(shell)
    ann.can = frozenset({"series"})
    shell.durable = False
    shell.ask(ann, m.Series("first", 3))
    assert shell.got(ann, m.SeriesEvent) == []
    shell.commit()
    table = m.SeriesTable("first", 3, 1, 0, over=False, rows=[])
    assert shell.got(ann, m.SeriesEvent) == [m.SeriesEvent(table)]


def test_member_who_returns_without_a_snapshot_is_sent_the_series() -> None:
    shell = Shell()
    ann, ben = two(shell)
    seen = shell.room.state.epoch.epoch, shell.room.state.offset
    shell.leave(ben)
    shell.ask(ann, m.Series("first", 3))
    again = shell.resume(ben.member, seen, "series")
    assert m.Snapshot not in shell.kinds(again)
    [event] = shell.got(again, m.SeriesEvent)
    assert (event.table.format, event.table.n) == ("first", 3)
    assert shell.got(shell.resume(ben.member, seen), m.SeriesEvent) == []
    anew = shell.resume(ben.member, (0, 0), "series")
    [snapshot] = shell.got(anew, m.Snapshot)
    assert snapshot.series == event.table
    assert shell.got(anew, m.SeriesEvent) == []


def test_only_the_host_gets_the_signals_of_a_race() -> None:
    shell = Shell()
    ann, ben, eve = racing(shell)
    shell.solve(ann)
    shell.solve(ben)
    assert len(shell.got(ann, m.Signals)) == 1
    shell.ask(ann, m.HandOver(ben.member))
    assert len(shell.got(ben, m.Signals)) == 1
    assert shell.got(eve, m.Signals) == []
    again = shell.resume(ben.member)
    assert len(shell.got(again, m.Signals)) == 1


def test_checkpoint_allows_older_records_to_be_removed() -> None:
    shell = Shell()
    ann, ben, _ = racing(shell)
    for one in (ann, ben):
        shell.solve(one)
    shell.ask(ann, m.Rematch(shell.race))
    positions = [out.checkpoint for out in shell.outputs if out.checkpoint is not None]
    assert len(positions) == 1
    rest = shell.log[positions[0] :]
    assert isinstance(rest[0], Checkpoint)
    assert room.fold(rest) == room.fold(shell.log) == shell.room.state
    shell.start(ann, ben)
    shell.slide(ann)
    assert room.fold(shell.log[positions[0] :]) == shell.room.state


def test_new_settings_make_a_new_race_without_a_checkpoint() -> None:
    shell = Shell()
    ann, ben = two(shell)
    race = shell.race
    shell.ask(ann, m.Settings(rules=m.RulesPatch(size="3x3")))
    assert shell.race != race
    assert not any(isinstance(record, Checkpoint) for record in shell.log)
    assert shell.got(ben, m.RoomEvent)


# --- Members who go ------------------------------------------------------------------


def test_removed_member_gets_the_reason_and_is_disconnected() -> None:
    shell = Shell()
    ann, ben = two(shell)
    eve = shell.enter("Eve", role="spectator")
    shell.durable = False
    shell.ask(ann, m.Kick(ben.member))
    shell.resync(ben)
    assert shell.closed == {}
    shell.commit()
    assert shell.kinds(ben)[-1] is m.Gone
    assert shell.closed == {ben: [4501]}
    shell.ask(eve, m.Leave())
    shell.leave(eve)  # before that is durable
    shell.commit()
    assert eve not in shell.closed
    shell.leave(ben)


def test_member_disconnected_for_too_long_is_removed() -> None:
    shell = Shell(limits=RoomLimits(member_ttl_ms=5_000))
    ann, ben = two(shell)
    shell.leave(ben)
    shell.wait(5_000)
    assert shell.kinds(ann)[-1] is m.Gone
    assert ben not in shell.closed


def test_closed_room_sends_closed_and_ends() -> None:
    shell = Shell()
    ann, ben = two(shell)
    shell.ask(ann, m.Close())
    assert shell.kinds(ben)[-1] is m.Closed
    assert shell.closed == {ann: [4502], ben: [4502]}
    assert shell.room.ended
    assert shell.wake_at is None
    shell.leave(ann)
    assert shell.room.idle


# --- The log -------------------------------------------------------------------------


def test_a_room_that_was_never_stored_is_refused() -> None:
    shell = Shell(durable=False)
    stranger, gone = new_subscriber(), new_subscriber()
    ann = shell.enter("Ann", creator=True)
    for one in (stranger, gone):
        shell.room.notify(one, m.Opened(CODE, "link"), 1000)
    shell.leave(gone)
    shell.room.append_failed(shell.now, bytes(32))
    shell.take()
    for one in (ann, stranger):
        [refused] = shell.got(one, m.Refused)
        assert refused.code == "storage_unavailable"
        assert shell.closed[one] == [1013]
    assert gone not in shell.sent
    assert shell.room.ended
    shell.room.log_lost()
    assert shell.room.subscribe(
        new_subscriber(), room.Enter("Ben", "h"), shell.now, bytes(32)
    ) == Refusal("room_unknown")


def test_newcomers_who_cannot_be_stored_are_refused_at_once() -> None:
    """They leave no trace; members who resume or move to another device wait."""
    shell = Shell()
    ann, ben = two(shell)
    shell.durable = False
    eve = shell.enter("Eve")
    phone, moved = new_subscriber(), room.Connect(ben.member, "hash of a new token")
    shell.room.subscribe(phone, moved, shell.now, bytes(32), token="a" * 32)
    shell.take()
    shell.room.append_failed(shell.now, bytes(32))
    shell.take()
    [refused] = shell.got(eve, m.Refused)
    assert (refused.of, refused.code) == ("hello", "storage_unavailable")
    assert shell.closed[eve] == [1013]
    assert not shell.got(phone, m.Refused)
    assert phone not in shell.closed
    shell.leave(eve)
    shell.commit()
    assert shell.got(phone, m.Welcome)
    assert not shell.got(eve, m.Welcome)
    assert [one.name for one in shell.room.state.members.values()] == ["Ann", "Ben"]
    assert shell.kinds(ann)[-1] is m.Gone


def test_running_room_survives_failing_storage() -> None:
    shell = Shell(size="3x2")
    ann, ben, _ = racing(shell)
    shell.durable = False
    shell.slide(ann)
    shell.room.append_failed(shell.now, bytes(32))
    shell.take()
    assert shell.got(ben, m.Progress)
    assert shell.got(ann, m.Ack) == []
    shell.commit()
    assert shell.got(ann, m.Ack)


def test_a_room_that_lost_its_log_closes_all_connections_and_takes_no_slides() -> None:
    shell = Shell(size="3x2")
    ann, ben, _ = racing(shell)
    shell.room.log_lost()
    shell.take()
    assert shell.closed[ann] == shell.closed[ben] == [1012]
    applied = shell.room.applied
    shell.slide(ann)
    assert shell.room.applied == applied


def test_frozen_room_only_sends_what_was_decided() -> None:
    shell = Shell(size="3x2")
    ann, ben, _ = racing(shell)
    shell.durable = False
    shell.slide(ann)
    shell.ask(ann, m.Lock())
    shell.room.freeze()
    applied = shell.room.applied
    shell.slide(ann)
    shell.leave(ben)
    shell.commit()
    assert shell.room.applied == applied
    assert shell.got(ann, m.Ack) == [m.Ack(shell.race, 1)]
    assert shell.got(ann, m.Rejected) == []  # another node may still accept the slide
    assert not shell.room.ended
    late = shell.resume(ben.member)
    assert shell.wake_at is None
    assert late.member == ben.member


# --- The clock -----------------------------------------------------------------------


def test_quiet_race_gets_keep_alive_records() -> None:
    shell = Shell(size="3x2")
    racing(shell)
    for _ in range(3):
        shell.wait(room.KEEP_ALIVE_MS)
        shell.room.beat(shell.wall(), shell.now, bytes(32))
        shell.take()
    assert sum(isinstance(record, Alive) for record in shell.log) == 3
    shell.room.beat(shell.wall(), shell.now, bytes(32))
    shell.take()
    assert sum(isinstance(record, Alive) for record in shell.log) == 3


def test_setting_the_wall_clock_is_recorded() -> None:
    shell = Shell()
    shell.room.beat(shell.wall() + 3_600_000, shell.now, bytes(32))
    shell.take()
    assert isinstance(shell.log[-1], WallClockSet)


def test_slides_count_from_the_last_record_at_the_earliest() -> None:
    """They may arrive before it and be handled after it."""
    shell = Shell(size="3x2")
    ann, _, _ = racing(shell)
    shell.wait(room.KEEP_ALIVE_MS)
    shell.room.beat(shell.wall(), shell.now, bytes(32))
    shell.take()
    shell.room.slide(ann, shell.slides(ann), shell.now - 3)
    shell.take()
    slid = shell.log[-1]
    assert isinstance(slid, Slid)
    assert slid.t == shell.room.room_time(shell.now)


def test_recovered_race_keeps_its_spectator_delay() -> None:
    shell = Shell(size="3x2", spectator_delay_ms=2_000)
    ann, _, eve = racing(shell)
    shell.slide(ann)
    state = room.fold(shell.log)
    epoch = room.next_epoch(state, "boot", shell.now + 500, shell.wall() + 500)
    state = room.apply(state, epoch)
    settings = shell.room._settings  # pyright: ignore[reportPrivateUsage]
    shell.now += 500
    shell.room = LiveRoom(
        settings, state, len(shell.log), [epoch], shell.now, bytes(32)
    )
    shell.take()
    again = shell.resume(eve.member)
    shell.wait(4_000)
    assert shell.got(again, m.Progress)[-1].p[0].seq == 1


# --- Latency -------------------------------------------------------------------------


def test_changed_latencies_are_sent_to_all_and_known_ones_to_newcomers() -> None:
    shell = Shell()
    ann, ben = two(shell)
    shell.wait(2_000)
    assert shell.got(ann, m.LatencyEvent) == []
    ann.latency = FixedLatency(Latency(23, 4, 8))
    shell.wait(2_000)
    event = m.LatencyEvent([m.MemberLatency(1, 23, 4)])
    assert shell.got(ann, m.LatencyEvent) == shell.got(ben, m.LatencyEvent) == [event]
    eve = shell.enter("Eve")
    assert shell.got(eve, m.LatencyEvent) == [event]


def test_only_latencies_of_players_are_sent_and_not_too_often() -> None:
    shell = Shell()
    ann, ben = two(shell)
    eve = shell.enter("Eve", role="spectator")
    for one in (ann, ben, eve):
        one.latency = FixedLatency(Latency(23, 4, 8))
    shell.wait(2_000)
    latencies = [m.MemberLatency(1, 23, 4), m.MemberLatency(2, 23, 4)]
    assert shell.got(eve, m.LatencyEvent) == [m.LatencyEvent(latencies)]
    ann.latency = FixedLatency(Latency(80, 9, 5))
    shell.wait(1_900)
    assert len(shell.got(eve, m.LatencyEvent)) == 1
    shell.wait(100)
    assert len(shell.got(eve, m.LatencyEvent)) == 2


def test_an_empty_room_reports_no_latencies() -> None:
    shell = Shell()
    ann, ben = two(shell)
    shell.leave(ann)
    shell.leave(ben)
    shell.wait(10_000)
    assert "latency" not in shell.room._due  # pyright: ignore[reportPrivateUsage]
    assert [type(one) for one in shell.log[-2:]] == [Disconnected, Disconnected]
    shell.resume(ann.member)
    assert isinstance(shell.log[-1], Connected)
    assert "latency" in shell.room._due  # pyright: ignore[reportPrivateUsage]


def test_seats_are_numbers() -> None:
    shell = Shell()
    ann, ben = two(shell)
    shell.start(ann, ben)
    assert [*shell.room.state.race.attempts] == [Seat(0), Seat(1)]
    assert board_of(shell) == shell.room.state.race.attempts[Seat(0)].board


def test_nothing_is_sent_after_closed() -> None:
    shell = Shell()
    ann, ben, _ = racing(shell)
    shell.solve(ann)
    shell.solve(ben)
    shell.durable = False
    again = shell.resume(ann.member)
    shell.ask(again, m.Close())
    shell.commit()
    assert shell.kinds(again)[-1] is m.Closed


# --- reactions -----------------------------------------------------------------------


def with_reactions(shell: Shell, *names: str, **more: Any) -> list[Subscriber]:
    people = [shell.enter(name, **more) for name in names]
    for one in people:
        one.can = frozenset(["reacted"])
    return people


def react(shell: Shell, one: Subscriber, number: int = 9) -> list[m.Event]:
    """React; return what the sender is sent."""
    before = len(shell.sent[one])
    shell.room.react(one, m.React(number), shell.now, bytes(32))
    shell.take()
    return shell.sent[one][before:]


def reactions(shell: Shell, *people: Subscriber) -> list[int]:
    """Return how many reactions each of them has been sent."""
    return [len(shell.got(one, m.Reacted)) for one in people]


def test_reaction_reaches_everybody_who_understands_it_and_never_the_log() -> None:
    shell = Shell()
    ann, ben = with_reactions(shell, "Ann", "Ben")
    old = shell.enter("Old")
    logged, offset = len(shell.log), shell.room.state.offset
    assert react(shell, ann) == [m.Reacted(ann.member, 9)]
    assert shell.got(ben, m.Reacted) == [m.Reacted(ann.member, 9)]
    assert reactions(shell, ann, ben, old) == [1, 1, 0]
    assert (len(shell.log), shell.room.state.offset) == (logged, offset)
    assert shell.room.idle


def test_reaction_needs_no_log() -> None:
    shell = Shell()
    ann, ben = with_reactions(shell, "Ann", "Ben")
    shell.durable = False
    shell.ask(ann, m.Ready(shell.race))
    react(shell, ann)
    assert reactions(shell, ann, ben) == [1, 1]


def test_fourth_reaction_in_two_seconds_is_refused_with_the_time_to_wait() -> None:
    shell = Shell()
    ann, ben = with_reactions(shell, "Ann", "Ben")
    for _ in range(3):
        react(shell, ann)
    shell.now += 500
    (refused,) = react(shell, ann)
    assert isinstance(refused, m.Refused)
    assert (refused.of, refused.code, refused.retry_ms) == ("react", "rate", 1_500)
    assert reactions(shell, ann, ben) == [3, 3]
    react(shell, ben)
    assert reactions(shell, ann, ben) == [4, 4], "the limit is one for each member"
    shell.now += 1_500
    react(shell, ann)
    assert reactions(shell, ann, ben) == [5, 5]


def test_new_connection_does_not_lift_the_limit() -> None:
    shell = Shell()
    (ann,) = with_reactions(shell, "Ann")
    for _ in range(3):
        react(shell, ann)
    again = shell.resume(ann.member, (0, 0), "reacted")
    (refused,) = react(shell, again)
    assert isinstance(refused, m.Refused)
    assert react(shell, ann) == [], "a replaced connection is ignored"


def test_racers_neither_react_nor_see_reactions_until_the_winner_is_known() -> None:
    shell = Shell()
    ann, ben, cat = with_reactions(shell, "Ann", "Ben", "Cat")
    eve, gus = with_reactions(shell, "Eve", "Gus", role="spectator")
    shell.start(ann, ben, cat)
    (refused,) = react(shell, ann)
    assert isinstance(refused, m.Refused)
    assert (refused.of, refused.code) == ("react", "racing")
    react(shell, eve)
    assert reactions(shell, ann, ben, cat, eve, gus) == [0, 0, 0, 1, 1]
    shell.solve(ann)
    react(shell, ann)
    assert reactions(shell, ann, ben, cat, eve, gus) == [1, 0, 0, 2, 2]
    shell.wait(1_000)
    assert shell.got(ben, m.WinnerEvent)
    react(shell, gus)
    assert reactions(shell, ann, ben, cat, eve, gus) == [2, 1, 1, 3, 3]
    (refused,) = react(shell, ben)
    assert isinstance(refused, m.Refused)
    assert refused.code == "racing"


def test_forfeit_that_can_be_undone_is_still_a_race() -> None:
    shell = Shell()
    ann, ben = with_reactions(shell, "Ann", "Ben")
    shell.start(ann, ben)
    shell.ask(ann, m.Forfeit(shell.race))
    (refused,) = react(shell, ann)
    assert isinstance(refused, m.Refused)
    shell.wait(3_000)
    assert react(shell, ann) == [m.Reacted(ann.member, 9)]
    assert reactions(shell, ben) == [0]


def test_players_may_react_in_the_countdown() -> None:
    shell = Shell()
    ann, ben = with_reactions(shell, "Ann", "Ben")
    for one in (ann, ben):
        shell.ask(one, m.Ready(shell.race))
    shell.wait(2_500)
    assert shell.room.state.phase == "countdown"
    react(shell, ann)
    assert reactions(shell, ann, ben) == [1, 1]


def test_reactions_of_a_muted_member_are_refused() -> None:
    shell = Shell()
    ann, ben = with_reactions(shell, "Ann", "Ben")
    shell.ask(ann, m.Mute(ben.member))
    (refused,) = react(shell, ben)
    assert isinstance(refused, m.Refused)
    assert (refused.of, refused.code) == ("react", "muted")
    shell.ask(ann, m.Mute(ben.member, on=False))
    react(shell, ben)
    assert reactions(shell, ann, ben) == [1, 1]


def test_reaction_skips_a_member_who_reads_too_slowly() -> None:
    shell = Shell()
    ann, ben = with_reactions(shell, "Ann", "Ben")
    shell.room.set_behind(ben, shell.now, behind=True)
    react(shell, ann)
    assert reactions(shell, ann, ben) == [1, 0]


def test_reaction_in_a_closed_room_is_refused() -> None:
    shell = Shell()
    ann, ben = with_reactions(shell, "Ann", "Ben")
    shell.durable = False
    shell.ask(ann, m.Close())
    (refused,) = react(shell, ben)
    assert isinstance(refused, m.Refused)
    assert refused.code == "room_unknown"
    shell.room.freeze()
    (refused,) = react(shell, ben)
    assert isinstance(refused, m.Refused)
    assert refused.code == "room_unknown"


# --- Bots of the server ---------------------------------------------------------------


def test_bots_of_the_server_get_everything_but_progress() -> None:
    shell = Shell()
    ann, ben = two(shell)
    want = m.Bots([m.BotWanted("club"), m.BotWanted("club")])
    shell.room.receive(ann, want, shell.now, bytes(32), ["hash 3", "hash 4"])
    shell.take()
    bot, other = shell.resume(3), shell.resume(4)
    shell.start(ann, ben)
    shell.slide(ann)
    shell.slide(other)
    shell.wait(1_000)
    assert {step.seat for one in shell.got(ben, m.Progress) for step in one.p} == {0, 3}
    assert shell.got(bot, m.Progress) == []
    shell.solve(bot)
    assert shell.got(bot, m.Ack)
    assert shell.got(bot, m.BoardEvent)
    assert shell.got(bot, m.StandingEvent)
    assert shell.got(bot, m.Progress) == []


# --- Profiles ------------------------------------------------------------------------

GAINS = m.Gains("KWXTRB-S0-1", counts=True)


def test_only_the_owner_of_a_profile_is_told_what_has_changed_in_it() -> None:
    shell = Shell()
    ann = shell.enter("Ann", creator=True, profile="ANNSPRFL")
    ben, cat = shell.enter("Ben", profile="BENSPRFL"), shell.enter("Cat")
    for one in (ann, ben, cat):
        one.can = frozenset({"gains"})
    shell.room.tell_gains("ANNSPRFL", GAINS)
    shell.take()
    assert [shell.got(one, m.Gains) for one in (ann, ben, cat)] == [[GAINS], [], []]
    ann.can = frozenset()
    shell.room.tell_gains("ANNSPRFL", GAINS)
    shell.take()
    assert len(shell.got(ann, m.Gains)) == 1, "its client does not know them"


def test_gains_follow_a_welcome_that_still_waits() -> None:
    """The attempt is credited when its racer comes back with a new profile."""
    shell = Shell(durable=False)
    shell.enter("Ann", creator=True)
    shell.commit()
    one = new_subscriber()
    one.can = frozenset({"gains"})
    back = room.Connect(1, profile="ANNSPRFL")
    shell.room.subscribe(one, back, shell.now, bytes(32))
    shell.room.tell_gains("ANNSPRFL", GAINS)
    shell.take()
    assert shell.kinds(one) == []
    shell.room.append_failed(shell.now, bytes(32))
    shell.commit()
    kinds = shell.kinds(one)
    assert kinds.index(m.Welcome) < kinds.index(m.Gains)


def test_somebody_who_has_left_gets_no_gains() -> None:
    shell = Shell(durable=False)
    ann, _ = two(shell)
    shell.commit()
    ben = shell.enter("Ben 2", profile="BENSPRFL")
    ben.can = frozenset({"gains"})
    shell.commit()
    shell.ask(ben, m.Leave())
    shell.room.tell_gains("BENSPRFL", GAINS)
    shell.commit()
    assert shell.got(ben, m.Gains) == shell.got(ann, m.Gains) == []


def test_gains_of_a_room_whose_first_records_cannot_be_stored_are_dropped() -> None:
    shell = Shell(durable=False)
    ann = shell.enter("Ann", creator=True, profile="ANNSPRFL")
    shell.room.tell_gains("ANNSPRFL", GAINS)
    shell.room.append_failed(shell.now, bytes(32))
    shell.take()
    assert shell.closed[ann] == [1013]
    assert shell.got(ann, m.Gains) == []


def test_the_server_chooses_the_bots_of_a_room() -> None:
    shell = Shell()
    ann = shell.enter("Ann")
    shell.room.set_bots([m.BotWanted("club")], ["hash"], shell.now, bytes(32))
    shell.take()
    [joined] = [one for one in shell.got(ann, m.MemberEvent) if one.why == "joined"]
    assert (joined.member.bot, joined.member.level) == (True, "club")
