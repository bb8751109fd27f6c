"""Output never waits for the terminal, and the newest frame wins."""

import os
import pty
import tty
from collections.abc import Callable, Generator

import pytest

from sliderace_client.tui.terminal_io.output import LIMIT, TerminalOutput

FRAME = "x" * 1000


class SlowTerminal:
    """A terminal that reads only when the test calls `read`."""

    def __init__(self, encoding: str = "utf-8") -> None:
        self.far, near = pty.openpty()
        tty.setraw(near)
        os.set_blocking(near, False)
        os.set_blocking(self.far, False)
        self.near = near
        self.callback: Callable[[], None] | None = None
        self.repaints = 0
        self.output = TerminalOutput(
            near, encoding, self.when_writable, self.on_caught_up
        )

    def when_writable(self, callback: Callable[[], None] | None) -> None:
        self.callback = callback

    def on_caught_up(self) -> None:
        self.repaints += 1
        self.show("newest")

    def show(self, text: str) -> None:
        self.output.write(text)
        self.output.flush()

    def read(self) -> str:
        """Read until the output is finished; return the bytes."""
        received = b""
        while True:
            try:
                received += os.read(self.far, 1 << 16)
            except BlockingIOError:
                if self.callback is None:
                    return received.decode()
                self.callback()

    def close(self) -> None:
        for number in (self.far, self.near):
            if number >= 0:
                os.close(number)


@pytest.fixture
def slow() -> Generator[SlowTerminal]:
    one = SlowTerminal()
    yield one
    one.close()


def test_frame_arrives_complete_and_at_once(slow: SlowTerminal) -> None:
    slow.output.write("a")
    slow.output.write("é")
    slow.output.flush()
    assert slow.callback is None
    assert slow.read() == "aé"


def test_stalled_terminal_blocks_nothing_and_gets_the_newest_frame(
    slow: SlowTerminal,
) -> None:
    for _ in range(2_000):  # two megabytes, more than any terminal buffers
        slow.show(FRAME)
    assert slow.callback is not None
    assert slow.output.waiting <= LIMIT + len(FRAME)
    received = slow.read()
    assert slow.repaints == 1
    assert received.endswith("xnewest")
    assert set(received.removesuffix("newest")) == {"x"}
    assert len(received) % len(FRAME) == len("newest")  # whole frames only
    slow.show("and on")
    assert slow.read() == "and on"


def test_terminal_that_keeps_up_misses_nothing(slow: SlowTerminal) -> None:
    received = ""
    for n in range(300):
        slow.show(f"{n}." + FRAME)
        received += slow.read()
    assert received == "".join(f"{n}." + FRAME for n in range(300))
    assert slow.repaints == 0


def test_stalled_terminal_delays_the_end_by_the_timeout_only(
    slow: SlowTerminal,
) -> None:
    for _ in range(2_000):
        slow.show(FRAME)
    slow.output.drop()
    assert slow.output.waiting == 0
    slow.output.write("good-bye")
    slow.output.finish(0.05)
    assert slow.callback is None  # the descriptor is no longer watched


def test_last_output_arrives_when_the_terminal_reads(slow: SlowTerminal) -> None:
    slow.output.write("good-bye")
    slow.output.finish(30.0)
    assert slow.read() == "good-bye"


def test_output_to_a_lost_terminal_is_ignored(slow: SlowTerminal) -> None:
    os.close(slow.far)
    slow.far = -1
    slow.show("x")
    assert slow.output.gone
    slow.show("y")
    assert slow.output.waiting == 0
    slow.output.finish(30.0)


def test_characters_that_an_encoding_lacks_get_substitutes_of_one_cell() -> None:
    one = SlowTerminal("latin-1")
    one.show("é █▀▄ ┌─┐ ▸ ✓ 猫 ◐↯")
    assert os.read(one.far, 100).decode("latin-1") == "é ### +-+ > + ? .!"
    one.close()
