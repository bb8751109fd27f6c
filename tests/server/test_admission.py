"""Admission control: one request per interval, in FIFO order."""

from functools import partial

import pytest
from tests.e2e.clocks import ManualClock

from sliderace_server.websocket.admission import INTERVAL_MS, MAX_BATCH, AdmissionQueue


class Requests:
    """Numbered requests; records the order in which they are admitted."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.admission = AdmissionQueue(self.clock)
        self.admitted: list[int] = []

    def arrive(self, *numbers: int, disconnected: bool = False) -> None:
        for number in numbers:
            admit = partial(self._admit, number, disconnected=disconnected)
            self.admission.enqueue(admit)

    def _admit(self, number: int, *, disconnected: bool) -> bool:
        if not disconnected:
            self.admitted.append(number)
        return not disconnected


def test_a_single_request_is_admitted_at_once() -> None:
    requests = Requests()
    for one in range(3):
        requests.arrive(one)
        assert requests.admitted[-1] == one
        requests.clock.advance(INTERVAL_MS)


def test_requests_are_admitted_one_per_interval_in_fifo_order() -> None:
    requests = Requests()
    requests.arrive(*range(20))
    for count in range(1, 21):
        assert requests.admitted == [*range(count)]
        requests.clock.advance(INTERVAL_MS)
    requests.arrive(20)
    assert requests.admitted[-1] == 20, "the queue is empty again"


def test_a_later_request_waits_behind_earlier_ones() -> None:
    requests = Requests()
    requests.arrive(0, 1, 2)
    requests.clock.advance(INTERVAL_MS)
    requests.arrive(3)
    assert requests.admitted == [0, 1]
    requests.clock.advance(5 * INTERVAL_MS)
    assert requests.admitted == [0, 1, 2, 3]


def test_after_a_slow_turn_at_most_one_batch_is_admitted() -> None:
    requests = Requests()
    requests.arrive(*range(100))
    requests.clock.stall(1_000)
    requests.clock.advance(0)
    assert len(requests.admitted) == 1 + MAX_BATCH


def test_a_disconnected_client_uses_up_no_interval() -> None:
    requests = Requests()
    requests.arrive(0)
    requests.arrive(*range(1, 50), disconnected=True)
    requests.arrive(50)
    requests.clock.advance(INTERVAL_MS)
    assert requests.admitted == [0, 50]


def _fail() -> bool:
    raise IndexError


def test_an_exception_in_one_request_does_not_block_the_others() -> None:
    requests = Requests()
    requests.arrive(0)
    requests.admission.enqueue(_fail)
    requests.arrive(1)
    with pytest.raises(IndexError):
        requests.clock.advance(INTERVAL_MS)
    requests.clock.advance(INTERVAL_MS)
    assert requests.admitted == [0, 1]


def test_a_closed_queue_admits_nothing() -> None:
    requests = Requests()
    requests.arrive(0, 1, 2)
    requests.admission.close()
    requests.clock.advance(100 * INTERVAL_MS)
    assert requests.admitted == [0]
