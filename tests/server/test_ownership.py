"""Which node serves a room, and when another one takes it over."""

from itertools import count

import pytest

from sliderace_server.cluster.ownership import (
    FORGET_MS,
    HEARTBEAT_MS,
    LATE_MS,
    MAX_CALLS,
    MAX_TIMEOUTS,
    SETTLE_MS,
    Call,
    GiveUp,
    Nodes,
    Outcome,
    Search,
    TakeOver,
)

CODE = "KWXTRB"
LONG_AGO = -SETTLE_MS


def three(now: int = 0) -> Nodes:
    """Return what `a` knows about `b` and `c`."""
    nodes = Nodes("a")
    for name in ("b", "c"):
        nodes.heard(name, now, 0.0, draining=False)
    return nodes


def code_of(nodes: Nodes, candidate: str) -> str:
    """Return a code whose candidate is this node."""
    return next(
        code
        for code in map("CODE{}".format, count())
        if nodes.home(code, 0) == candidate
    )


def test_a_new_node_is_noticed_once() -> None:
    nodes = Nodes("a")
    assert nodes.heard("b", 0, 0.0, draining=False)
    assert not nodes.heard("b", 1, 0.0, draining=False)
    nodes.mark_gone("b")
    assert nodes.heard("b", 2, 0.0, draining=False)


def test_a_silent_node_is_late_until_its_next_heartbeat() -> None:
    nodes = three()
    assert nodes.live(LATE_MS - 1) == ["b", "c"]
    nodes.heard("b", LATE_MS, 0.0, draining=False)
    assert nodes.live(LATE_MS) == ["b"]
    assert nodes.late(LATE_MS) == ["c"]
    nodes.heard("c", LATE_MS, 0.0, draining=False)
    assert nodes.late(LATE_MS) == []
    assert nodes.is_late("never heard of", 0)


def test_a_node_is_asked_as_soon_as_a_heartbeat_is_overdue() -> None:
    nodes = three()
    assert nodes.overdue(HEARTBEAT_MS - 1) == []
    nodes.heard("b", 1, 0.0, draining=False)
    assert nodes.overdue(HEARTBEAT_MS) == ["c"]
    assert nodes.live(HEARTBEAT_MS) == ["b", "c"]
    nodes.mark_gone("c")
    assert nodes.overdue(HEARTBEAT_MS) == []


def test_a_lost_node_serves_nothing_and_is_not_asked_again() -> None:
    nodes = three()
    assert nodes.mark_gone("b")
    assert not nodes.mark_gone("b")
    assert not nodes.mark_gone("never heard of")
    nodes.heard("c", 0, 0.0, draining=True)
    assert not nodes.mark_gone("c")  # it has left
    nodes.heard("c", 0, 0.0, draining=False)
    assert nodes.live(0) == ["c"]
    assert nodes.late(LATE_MS) == ["c"]


def test_a_node_that_is_gone_for_long_is_forgotten() -> None:
    nodes = three()
    nodes.mark_gone("b")
    assert nodes.forget(FORGET_MS - 1) == []
    assert nodes.forget(FORGET_MS) == ["b"]  # `c` must be asked first
    assert nodes.forget(FORGET_MS) == []
    assert nodes.late(FORGET_MS) == ["c"]
    assert nodes.is_late("b", FORGET_MS)
    assert nodes.heard("b", FORGET_MS, 0.0, draining=False)


def test_the_largest_difference_of_clocks_counts_but_no_delayed_heartbeat() -> None:
    nodes = Nodes("a")

    def hear(name: str, *ahead_ms: int) -> int:
        for one in ahead_ms:
            nodes.heard(name, 0, 0.0, draining=False, ahead_ms=one)
        return nodes.skew_ms(0)

    assert nodes.skew_ms(0) == 0
    assert hear("b", 3, 900, 2) == 2
    assert hear("c", -40) == 40
    assert hear("b", -900) == 900
    assert hear("b", *[5] * 20) == 40
    assert hear("c", *[700] * 20) == 700  # its clock was set
    assert nodes.skew_ms(LATE_MS) == 0


def test_all_nodes_agree_on_a_home() -> None:
    ours, theirs = three(), Nodes("c")
    for name in ("a", "b"):
        theirs.heard(name, 0, 0.0, draining=False)
    keys = [f"key {n}" for n in range(300)]
    homes = [ours.home(key, 0) for key in keys]
    assert homes == [theirs.home(key, 0) for key in keys]
    assert all(60 < homes.count(name) < 140 for name in "abc")


def test_a_lost_node_moves_only_its_own_keys() -> None:
    nodes = three()
    before = {key: nodes.home(key, 0) for key in map(str, range(100))}
    nodes.mark_gone("b")
    after = {key: nodes.home(key, 0) for key in before}
    assert all(after[key] == home for key, home in before.items() if home != "b")
    assert {after[key] for key, home in before.items() if home == "b"} == {"a", "c"}


def test_a_draining_node_gets_nothing_new() -> None:
    nodes = three()
    nodes.heard("b", 0, 0.0, draining=True)
    nodes.draining = True
    assert {nodes.home(str(n), 0) for n in range(20)} == {"c"}
    nodes.mark_gone("c")
    assert nodes.home(CODE, 0) == "a"  # there is nobody else
    assert nodes.place(0, 0) == "a"


@pytest.mark.parametrize(
    ("own", "other", "draining", "chosen"),
    [(0.5, 0.4, False, "a"), (0.5, 0.2, False, "b"), (0.1, 0.9, True, "b")],
)
def test_a_new_room_goes_to_a_node_with_clearly_less_to_do(
    own: float, other: float, draining: bool, chosen: str
) -> None:
    nodes = Nodes("a")
    nodes.heard("b", 0, other, draining=False)
    nodes.load, nodes.draining = own, draining
    assert nodes.place(0, 7) == chosen


def test_a_room_that_nobody_serves_is_taken_over_by_its_candidate() -> None:
    nodes = three()
    for candidate in "abc":
        search = Search(nodes, code_of(nodes, candidate))
        assert search.first(0) == Call()
        assert search.next(Outcome.NO_RESPONDERS, 1, LONG_AGO) == TakeOver(candidate)


def test_nobody_counts_as_lost_right_after_a_reconnect() -> None:
    search = Search(three(), CODE)
    search.first(0)
    assert search.next(Outcome.NO_RESPONDERS, 100, 0) == Call(SETTLE_MS)
    found = search.next(Outcome.NO_RESPONDERS, SETTLE_MS, 0)
    assert isinstance(found, TakeOver)


def test_the_room_of_a_node_that_is_known_to_be_late_is_taken_over_at_once() -> None:
    nodes = three()
    assert Search(nodes, CODE, "b").first(0) == Call()
    nodes.mark_gone("b")
    assert isinstance(Search(nodes, CODE, "b").first(0), TakeOver)


def test_a_slow_node_keeps_its_room() -> None:
    """As long as all nodes send heartbeats, a single call may time out."""
    search = Search(three(), CODE)
    search.first(0)
    for _ in range(MAX_TIMEOUTS - 1):
        assert search.next(Outcome.TIMED_OUT, 1_000, LONG_AGO) == Call()
    assert isinstance(search.next(Outcome.TIMED_OUT, 1_000, LONG_AGO), TakeOver)


def test_a_call_that_times_out_counts_if_a_node_is_late() -> None:
    search = Search(three(), CODE)
    search.first(0)
    assert search.next(Outcome.TIMED_OUT, LATE_MS, LONG_AGO) == TakeOver("a")


def test_another_candidate_follows_one_that_fails() -> None:
    nodes = three()
    search = Search(nodes, code_of(nodes, "b"))
    search.first(0)
    assert search.next(Outcome.NO_RESPONDERS, 1, LONG_AGO) == TakeOver("b")
    second = search.next(Outcome.TIMED_OUT, 2, LONG_AGO)
    assert second in (TakeOver("a"), TakeOver("c"))
    search.next(Outcome.NO_RESPONDERS, 3, LONG_AGO)
    assert search.next(Outcome.NO_RESPONDERS, 4, LONG_AGO) == TakeOver("a")


def test_a_node_that_gives_the_room_up_is_asked_again() -> None:
    nodes = three()
    search = Search(nodes, code_of(nodes, "b"))
    search.first(0)
    assert search.next(Outcome.NOT_HERE, 1, LONG_AGO) == Call(50)
    assert search.next(Outcome.NO_RESPONDERS, 2, LONG_AGO) == TakeOver("b")
    assert search.next(Outcome.NOT_HERE, 3, LONG_AGO) == Call(50)


def test_without_the_bus_a_search_waits() -> None:
    search = Search(three(), CODE)
    search.first(0)
    assert search.next(Outcome.UNAVAILABLE, 1, LONG_AGO) == Call(SETTLE_MS)


@pytest.mark.parametrize("outcome", [Outcome.NOT_HERE, Outcome.NO_RESPONDERS])
def test_each_search_ends(outcome: Outcome) -> None:
    search = Search(three(), CODE)
    search.first(0)
    steps = [search.next(outcome, 1, LONG_AGO) for _ in range(MAX_CALLS)]
    assert steps[-1] == GiveUp()
    assert GiveUp() not in steps[:-1]
