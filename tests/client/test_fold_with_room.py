"""The client model in a real server room, over connections that break.

Whatever fails, once all messages are delivered, player, server and spectator have the
same board, and the server has every slide that the player sees.
"""

from hypothesis import given, strategies as st
from tests.client.connected_room import Action, ConnectedRoom

from sliderace_server import room
from sliderace_server.room import Disconnect

EITHER = st.integers(0, 1)
SLIDE = st.tuples(st.just("slide"), st.integers(0, 5))
MOVE = st.tuples(st.sampled_from(["up", "down"]), EITHER)
WAIT = st.tuples(st.just("wait"), st.integers(1, 60))
BREAK = st.tuples(st.sampled_from(["cut", "reconnect"]), EITHER)
CRASH = st.tuples(st.just("crash"), st.integers(0, 500))
LOSE = st.tuples(st.sampled_from(["lose up", "lose down"]), EITHER)


def actions(*more: st.SearchStrategy[Action]) -> st.SearchStrategy[list[Action]]:
    """Generate mostly slides and deliveries, mixed with actions from `more`."""
    usual = (SLIDE, MOVE, SLIDE, MOVE, WAIT)
    return st.lists(st.one_of(*usual, *more), min_size=30, max_size=90)


@given(actions(BREAK, CRASH))
def test_all_agree_after_cuts_and_crashes(done: list[Action]) -> None:
    connected = ConnectedRoom()
    for kind, number in done:
        connected.act(kind, number)
    connected.settle()
    check(connected)
    assert connected.ann.refusals == 0


@given(actions(LOSE, LOSE, BREAK))
def test_lost_message_is_noticed_with_the_next_one(done: list[Action]) -> None:
    """TCP loses no single message, but a server might."""
    connected = ConnectedRoom()
    for kind, number in done:
        connected.act(kind, number)
    # A missing message is noticed when the next one does not fit.
    connected.settle()
    connected.stage.do(Disconnect(connected.ben))
    if connected.ann.view.racing:
        connected.act("slide", 0)
    connected.settle()
    check(connected)


def check(connected: ConnectedRoom) -> None:
    """Check that server, player and spectator have the same state."""
    ann = room.attempt_of(connected.stage.state, connected.ann.member)
    own, lane = connected.ann.view.attempt, connected.ann.view.lane
    assert ann is not None
    assert own is not None
    assert lane is not None
    assert own.board == ann.board
    assert own.seq == ann.seq == own.acked
    assert own.stm == ann.stm
    assert lane.high == ann.high
    seen = connected.cat.view.lanes[ann.seat]
    assert (seen.seq, seen.high) == (ann.seq, ann.high)
    assert seen.board == ann.board
    assert connected.ann.view.members == connected.cat.view.members
    assert (
        connected.ann.view.phase == connected.cat.view.phase == connected.stage.phase()
    )


def test_connected_room_is_in_a_race() -> None:
    connected = ConnectedRoom()
    for number in (1, 2, 3, 4, 5):
        connected.act("slide", number)
    connected.settle()
    assert connected.ann.view.unacked == 0
    assert len(connected.stage.records) > 5
