"""The code for Windows, as far as other systems can test it."""

import asyncio
import os
import pty
import signal
import subprocess
import sys
import termios
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sliderace_client.line_ui.typed_input import TypedInput
from sliderace_client.net.seats import claim
from sliderace_client.platform import (
    WINDOWS,
    can_clear,
    detached_flags,
    encoding_of,
    handle_signals,
    run_in_place,
)
from sliderace_client.shared_ui.settings import load
from sliderace_client.tui.app import driver_class


class LoopOfWindows(asyncio.SelectorEventLoop):
    """An event loop that accepts no signal handlers."""

    def add_signal_handler(
        self, sig: int, callback: Callable[..., object], *args: object
    ) -> None:
        raise NotImplementedError


@contextmanager
def as_before(*numbers: signal.Signals) -> Generator[None]:
    before = [(number, signal.getsignal(number)) for number in numbers]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)


@pytest.mark.parametrize("make", [asyncio.SelectorEventLoop, LoopOfWindows])
def test_signal_reaches_a_loop_without_signal_handlers(
    make: type[asyncio.AbstractEventLoop],
) -> None:
    async def listen() -> signal.Signals:
        loop = asyncio.get_running_loop()
        heard = loop.create_future()
        handle_signals(heard.set_result, loop, ("SIGUSR1", "SIGBREAK", "SIGNONE"))
        os.kill(os.getpid(), signal.SIGUSR1)
        received: signal.Signals = await heard
        return received

    with as_before(signal.SIGUSR1), asyncio.Runner(loop_factory=make) as actor:
        assert actor.run(listen()) is signal.SIGUSR1


def test_detached_child_gets_no_ctrl_c() -> None:
    assert detached_flags(WINDOWS) == 0x200 | 0x800_0000
    assert detached_flags("linux") == detached_flags("darwin") == 0


def test_ctrl_c_is_handled_by_the_program_run_in_place(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs.py"
    theirs.write_text(
        "import os, signal, sys, time\n"
        "signal.signal(signal.SIGINT, lambda *_: sys.exit(7))\n"
        "os.killpg(0, signal.SIGINT)\n"
        "time.sleep(60)\n"
    )
    code = (
        "import sys; from sliderace_client.platform import run_in_place as run; "
        "sys.exit(run([sys.executable, sys.argv[1]]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(theirs)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        start_new_session=True,
        check=False,
        timeout=15,
    )
    assert done.returncode == 7
    assert run_in_place([sys.executable, "-c", "raise SystemExit(3)"]) == 3


def test_windows_console_without_term_can_be_cleared() -> None:
    assert can_clear({}, WINDOWS)
    assert not can_clear({}, "linux")
    assert not can_clear({"TERM": "dumb"}, WINDOWS)
    assert can_clear({"TERM": "vt100"}, "linux")


def test_full_screen_uses_the_library_driver_in_a_windows_console() -> None:
    assert driver_class(WINDOWS) is None
    assert driver_class("linux") is not None


@contextmanager
def console(typed_in: bytes) -> Generator[TypedInput]:
    """Imitate a Windows console with a user who types."""
    ours, its = pty.openpty()
    modes = termios.tcgetattr(its)
    modes[3] &= ~termios.ISIG  # Ctrl-Z suspends nothing there
    termios.tcsetattr(its, termios.TCSANOW, modes)
    source = TypedInput(its, WINDOWS)
    os.write(ours, typed_in)
    try:
        yield source
    finally:
        os.close(ours)
        os.close(its)


def test_ctrl_z_ends_the_input_of_a_windows_console() -> None:
    with console(b"one\n\x1a\n") as source:
        assert source.is_terminal
        assert source.read() == "one"
        assert source.read() is None
        assert source.read() is None


def test_empty_read_from_a_windows_console_is_ctrl_c() -> None:
    with console(
        b"one\n\x04"
    ) as source:  # Ctrl-D ends the input here, but not on Windows
        assert source.read() == "one"
        with pytest.raises(KeyboardInterrupt):
            source.read()
    with console(b"\x04") as source:
        assert source.read_while(lambda: True) is None  # a thread is not interrupted


def test_pipe_is_not_a_console() -> None:
    read, write = os.pipe()
    os.write(write, b"a\x1ab\r\n")
    os.close(write)
    source = TypedInput(read, WINDOWS)
    assert source.read() == "a\x1ab"
    assert source.read() is None
    assert encoding_of(read, WINDOWS) == encoding_of(None, WINDOWS) == "utf-8"
    os.close(read)


def test_settings_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(b'\xef\xbb\xbfname = "Ann"\r\nkeys = "gap"\r\n')
    settings, complaints = load(path, {})
    assert (settings.name, settings.keys, complaints) == ("Ann", "gap", [])


def test_seat_is_deleted_even_if_an_open_file_cannot_be_removed(
    tmp_path: Path,
) -> None:
    seat = claim("KWXTRB", "Ann", tmp_path)
    assert seat is not None
    seat.keep("0" * 32, "Ann")
    (path,) = tmp_path.iterdir()
    second = tmp_path / "second"
    os.link(path, second)  # it stays when the first name is removed
    seat.release()
    kept = claim("KWXTRB", "Ann", tmp_path)
    assert kept is not None
    kept.forget()
    kept.release()
    assert second.read_bytes() == b""
