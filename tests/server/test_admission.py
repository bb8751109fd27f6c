"""Requests go in one after the other, and nobody is forgotten in the line."""

from functools import partial

import pytest
from tests.e2e.clocks import HandClock

from sliderace_server.websocket.admission import INTERVAL_MS, MAX_BATCH, AdmissionQueue


class Subscribers:
    """People at a turnstile: who went in, in their order."""

    def __init__(self) -> None:
        self.clock = HandClock()
        self.admission = AdmissionQueue(self.clock)
        self.inside: list[int] = []

    def enqueue(self, *people: int, gone: bool = False) -> None:
        for one in people:
            self.admission.enqueue(partial(self._enter, one, gone=gone))

    def _enter(self, one: int, *, gone: bool) -> bool:
        if not gone:
            self.inside.append(one)
        return not gone


def test_who_comes_alone_does_not_wait() -> None:
    subscribers = Subscribers()
    for one in range(3):
        subscribers.enqueue(one)
        assert subscribers.inside[-1] == one
        subscribers.clock.advance(INTERVAL_MS)


def test_a_crowd_goes_in_one_by_one_in_its_order() -> None:
    subscribers = Subscribers()
    subscribers.enqueue(*range(20))
    for count in range(1, 21):
        assert subscribers.inside == [*range(count)]
        subscribers.clock.advance(INTERVAL_MS)
    subscribers.enqueue(20)
    assert subscribers.inside[-1] == 20, "the line is empty again"


def test_who_comes_late_stands_behind() -> None:
    subscribers = Subscribers()
    subscribers.enqueue(0, 1, 2)
    subscribers.clock.advance(INTERVAL_MS)
    subscribers.enqueue(3)
    assert subscribers.inside == [0, 1]
    subscribers.clock.advance(5 * INTERVAL_MS)
    assert subscribers.inside == [0, 1, 2, 3]


def test_a_busy_server_lets_some_in_together_and_never_all() -> None:
    subscribers = Subscribers()
    subscribers.enqueue(*range(100))
    subscribers.clock.stall(1_000)
    subscribers.clock.advance(0)
    assert len(subscribers.inside) == 1 + MAX_BATCH


def test_who_has_gone_away_takes_nobody_s_turn() -> None:
    subscribers = Subscribers()
    subscribers.enqueue(0)
    subscribers.enqueue(*range(1, 50), gone=True)
    subscribers.enqueue(50)
    subscribers.clock.advance(INTERVAL_MS)
    assert subscribers.inside == [0, 50]


def _stumble() -> bool:
    raise IndexError


def test_who_stumbles_holds_nobody_up() -> None:
    subscribers = Subscribers()
    subscribers.enqueue(0)
    subscribers.admission.enqueue(_stumble)
    subscribers.enqueue(1)
    with pytest.raises(IndexError):
        subscribers.clock.advance(INTERVAL_MS)
    subscribers.clock.advance(INTERVAL_MS)
    assert subscribers.inside == [0, 1]


def test_once_it_is_closed_nobody_goes_in() -> None:
    subscribers = Subscribers()
    subscribers.enqueue(0, 1, 2)
    subscribers.admission.close()
    subscribers.clock.advance(100 * INTERVAL_MS)
    assert subscribers.inside == [0]
