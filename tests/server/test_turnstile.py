"""Requests go in one after the other, and nobody is forgotten in the line."""

from functools import partial

import pytest
from tests.e2e.clocks import HandClock

from sliderace_server.gateway.turnstile import AT_ONCE, GAP_MS, Turnstile


class Crowd:
    """People at a turnstile: who went in, in their order."""

    def __init__(self) -> None:
        self.clock = HandClock()
        self.turnstile = Turnstile(self.clock)
        self.inside: list[int] = []

    def come(self, *people: int, gone: bool = False) -> None:
        for one in people:
            self.turnstile.come(partial(self._enter, one, gone=gone))

    def _enter(self, one: int, *, gone: bool) -> bool:
        if not gone:
            self.inside.append(one)
        return not gone


def test_who_comes_alone_does_not_wait() -> None:
    crowd = Crowd()
    for one in range(3):
        crowd.come(one)
        assert crowd.inside[-1] == one
        crowd.clock.advance(GAP_MS)


def test_a_crowd_goes_in_one_by_one_in_its_order() -> None:
    crowd = Crowd()
    crowd.come(*range(20))
    for count in range(1, 21):
        assert crowd.inside == [*range(count)]
        crowd.clock.advance(GAP_MS)
    crowd.come(20)
    assert crowd.inside[-1] == 20, "the line is empty again"


def test_who_comes_late_stands_behind() -> None:
    crowd = Crowd()
    crowd.come(0, 1, 2)
    crowd.clock.advance(GAP_MS)
    crowd.come(3)
    assert crowd.inside == [0, 1]
    crowd.clock.advance(5 * GAP_MS)
    assert crowd.inside == [0, 1, 2, 3]


def test_a_busy_server_lets_some_in_together_and_never_all() -> None:
    crowd = Crowd()
    crowd.come(*range(100))
    crowd.clock.stall(1_000)
    crowd.clock.advance(0)
    assert len(crowd.inside) == 1 + AT_ONCE


def test_who_has_gone_away_takes_nobody_s_turn() -> None:
    crowd = Crowd()
    crowd.come(0)
    crowd.come(*range(1, 50), gone=True)
    crowd.come(50)
    crowd.clock.advance(GAP_MS)
    assert crowd.inside == [0, 50]


def _stumble() -> bool:
    raise IndexError


def test_who_stumbles_holds_nobody_up() -> None:
    crowd = Crowd()
    crowd.come(0)
    crowd.turnstile.come(_stumble)
    crowd.come(1)
    with pytest.raises(IndexError):
        crowd.clock.advance(GAP_MS)
    crowd.clock.advance(GAP_MS)
    assert crowd.inside == [0, 1]


def test_once_it_is_closed_nobody_goes_in() -> None:
    crowd = Crowd()
    crowd.come(0, 1, 2)
    crowd.turnstile.close()
    crowd.clock.advance(100 * GAP_MS)
    assert crowd.inside == [0]
