"""The client model against the server's real room, over a line that cuts and loses.

Whatever happens on the line: once it is quiet, player and server have the same board,
the server has every slide the player still sees, and a spectator sees the same.
"""

from hypothesis import given, strategies as st
from tests.client.world import Action, World

from sliderace_server import room
from sliderace_server.room import Disconnect

EITHER = st.integers(0, 1)
SLIDE = st.tuples(st.just("slide"), st.integers(0, 5))
MOVE = st.tuples(st.sampled_from(["up", "down"]), EITHER)
WAIT = st.tuples(st.just("wait"), st.integers(1, 60))
BREAK = st.tuples(st.sampled_from(["cut", "back"]), EITHER)
CRASH = st.tuples(st.just("crash"), st.integers(0, 500))
LOSE = st.tuples(st.sampled_from(["lose up", "lose down"]), EITHER)


def actions(*more: st.SearchStrategy[Action]) -> st.SearchStrategy[list[Action]]:
    """Mostly slides and their way to the server; in between what `more` says."""
    usual = (SLIDE, MOVE, SLIDE, MOVE, WAIT)
    return st.lists(st.one_of(*usual, *more), min_size=30, max_size=90)


@given(actions(BREAK, CRASH))
def test_whatever_the_line_does_all_agree_in_the_end(done: list[Action]) -> None:
    world = World()
    for kind, number in done:
        world.act(kind, number)
    world.settle()
    check(world)
    assert world.ann.refusals == 0


@given(actions(LOSE, LOSE, BREAK))
def test_what_is_lost_in_silence_is_noticed_with_the_next(done: list[Action]) -> None:
    """No line of today loses single messages; a server of tomorrow might."""
    world = World()
    for kind, number in done:
        world.act(kind, number)
    world.settle()  # what is still missing shows when the next does not fit
    world.stage.do(Disconnect(world.ben))
    if world.ann.view.racing:
        world.act("slide", 0)
    world.settle()
    check(world)


def check(world: World) -> None:
    """Everybody sees the same."""
    ann = room.attempt_of(world.stage.state, world.ann.member)
    own, lane = world.ann.view.attempt, world.ann.view.lane
    assert ann is not None
    assert own is not None
    assert lane is not None
    assert own.board == ann.board
    assert own.seq == ann.seq == own.acked
    assert own.stm == ann.stm
    assert lane.high == ann.high
    seen = world.cat.view.lanes[ann.seat]
    assert (seen.seq, seen.high) == (ann.seq, ann.high)
    assert seen.board == ann.board
    assert world.ann.view.members == world.cat.view.members
    assert world.ann.view.phase == world.cat.view.phase == world.stage.phase()


def test_the_world_of_this_test_is_a_race() -> None:
    world = World()
    for number in (1, 2, 3, 4, 5):
        world.act("slide", number)
    world.settle()
    assert world.ann.view.unacked == 0
    assert len(world.stage.records) > 5
