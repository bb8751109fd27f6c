"""What is written to a terminal never waits for it; the newest frame wins."""

import os
import pty
import tty
from collections.abc import Callable, Generator

import pytest

from sliderace_client.tui.terminal_io.output import LIMIT, Outlet

FRAME = "x" * 1000


class Latency:
    """A terminal that reads when the test says so."""

    def __init__(self, encoding: str = "utf-8") -> None:
        self.far, near = pty.openpty()
        tty.setraw(near)
        os.set_blocking(near, False)
        os.set_blocking(self.far, False)
        self.near = near
        self.then: Callable[[], None] | None = None
        self.repaints = 0
        self.outlet = Outlet(near, encoding, self.later, self.caught_up)

    def later(self, then: Callable[[], None] | None) -> None:
        self.then = then

    def caught_up(self) -> None:
        self.repaints += 1
        self.show("newest")

    def show(self, text: str) -> None:
        self.outlet.write(text)
        self.outlet.flush()

    def read(self) -> str:
        """What arrives until nothing more does, while we are told to go on."""
        told = b""
        while True:
            try:
                told += os.read(self.far, 1 << 16)
            except BlockingIOError:
                if self.then is None:
                    return told.decode()
                self.then()

    def close(self) -> None:
        for number in (self.far, self.near):
            if number >= 0:
                os.close(number)


@pytest.fixture
def line() -> Generator[Latency]:
    one = Latency()
    yield one
    one.close()


def test_a_frame_arrives_whole_and_at_once(line: Latency) -> None:
    line.outlet.write("a")
    line.outlet.write("é")
    line.outlet.flush()
    assert line.then is None
    assert line.read() == "aé"


def test_a_stalled_terminal_blocks_nothing_and_gets_the_newest_frame(
    line: Latency,
) -> None:
    for _ in range(2_000):  # two megabytes: no terminal buffers so much
        line.show(FRAME)
    assert line.then is not None
    assert line.outlet.waiting <= LIMIT + len(FRAME)
    told = line.read()
    assert line.repaints == 1
    assert told.endswith("xnewest")
    assert set(told.removesuffix("newest")) == {"x"}
    assert len(told) % len(FRAME) == len("newest")  # whole frames only
    line.show("and on")
    assert line.read() == "and on"


def test_a_slow_terminal_that_keeps_up_misses_nothing(line: Latency) -> None:
    told = ""
    for n in range(300):
        line.show(f"{n}." + FRAME)
        told += line.read()
    assert told == "".join(f"{n}." + FRAME for n in range(300))
    assert line.repaints == 0


def test_a_stalled_terminal_delays_the_end_only_so_long(line: Latency) -> None:
    for _ in range(2_000):
        line.show(FRAME)
    line.outlet.drop()
    assert line.outlet.waiting == 0
    line.outlet.write("good-bye")
    line.outlet.finish(0.05)
    assert line.then is None  # nobody is left to be told


def test_the_last_words_arrive_when_the_terminal_reads(line: Latency) -> None:
    line.outlet.write("good-bye")
    line.outlet.finish(30.0)
    assert line.read() == "good-bye"


def test_a_terminal_that_is_gone_swallows_everything(line: Latency) -> None:
    os.close(line.far)
    line.far = -1
    line.show("x")
    assert line.outlet.gone
    line.show("y")
    assert line.outlet.waiting == 0
    line.outlet.finish(30.0)


def test_signs_that_an_encoding_lacks_have_one_for_one_substitutes() -> None:
    one = Latency("latin-1")
    one.show("é █▀▄ ┌─┐ ▸ ✓ 猫 ◐↯")
    assert os.read(one.far, 100).decode("latin-1") == "é ### +-+ > + ? .!"
    one.close()
