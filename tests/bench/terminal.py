"""Measure the full-screen client: `python tests/bench/terminal.py`.

A pseudo-terminal of 100x40 shows a race of six lanes without a server. Figures are
medians. The time of a key ends with the last byte that it causes.
"""

import argparse
import asyncio
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from statistics import median
from typing import NoReturn

ROOT = Path(__file__).parents[2]
PARTS = [str(ROOT), *(str(ROOT / part) for part in ("shared", "server", "client"))]
COLUMNS, ROWS = 100, 40
KEYS = 200
SILENCE_S = 0.12
"""After this many seconds without output, a key's effect is fully painted."""
PER_S = 20
BUSY_S = 10
RUNS = 5
BOARD = "5 1 2 3/9 6 7 4/13 10 11 8/0 14 15 12"


# --- The measured program -------------------------------------------------------------


def race(*, busy: bool) -> int:
    """Show a race of six until killed; nothing changes unless `busy`."""
    sys.path[0] = str(ROOT)  # for the tests; the rest is installed or in PYTHONPATH
    from tests.client import offline, rooms  # noqa: PLC0415 - the parent needs neither

    from sliderace.protocol import messages as m  # noqa: PLC0415
    from sliderace.race.rules import Rules  # noqa: PLC0415
    from sliderace_client.net.connection import Ending  # noqa: PLC0415

    class Seat(offline.OfflineClient):
        async def run(self) -> Ending:
            self.race(BOARD, roster=tuple(range(6)))
            began, seq = time.monotonic(), 0
            while busy:
                await asyncio.sleep(1 / PER_S)
                self.room.now = 1_000_000 + int(1000 * (time.monotonic() - began))
                seq += 1
                steps = [m.SeatProgress(n, seq, seq * n // 5, seq) for n in range(1, 6)]
                self.receive(m.Progress(rooms.RACE, steps))
            return await super().run()

    seat = Seat(
        room=rooms.room(rules=Rules("4x4")),
        members=[rooms.member(n + 1, n, f"Racer {n}") for n in range(6)],
    )
    offline.make_app(seat).run()
    return 0


class Screen:
    """A program in a pseudo-terminal."""

    def __init__(self, *command: str) -> None:
        self.began = time.perf_counter()
        self.pid, self.fd = pty.fork()
        if not self.pid:
            _become(command)
        size = struct.pack("HHHH", ROWS, COLUMNS, 0, 0)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, size)

    def quiet(self, silence: float = SILENCE_S) -> tuple[bytes, float]:
        """Return the output until a pause, and the time of the last byte."""
        output, last = b"", time.perf_counter()
        while select.select([self.fd], [], [], silence)[0]:
            output += os.read(self.fd, 1 << 16)
            last = time.perf_counter()
        return output, last

    def until(self, word: bytes) -> float:
        """Return the seconds from the start of the program until it writes a word."""
        output = b""
        while word not in output:
            output += os.read(self.fd, 1 << 16)
        return time.perf_counter() - self.began

    def cpu(self) -> float:
        """Return the seconds of CPU time so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self) -> None:
        """End the program."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def _become(command: tuple[str, ...]) -> NoReturn:
    home = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
    env = os.environ | home | {"PYTHONPATH": os.pathsep.join(PARTS[1:])}
    time.sleep(0.05)  # until the size is set
    os.execve(sys.executable, [sys.executable, *command], env)  # noqa: S606


# --- The figures ----------------------------------------------------------------------


def keys() -> None:
    """Print the time and bytes of a key that slides a tile."""
    screen = Screen(__file__, "--race")
    screen.until(b"give up")
    screen.quiet(1.0)
    times: list[float] = []
    sizes: list[int] = []
    for n in range(KEYS):
        pressed = time.perf_counter()
        os.write(screen.fd, b"da"[n % 2 : n % 2 + 1] if n else b"a")
        output, last = screen.quiet()
        times.append(last - pressed)
        sizes.append(len(output))
    screen.end()
    worst = sorted(times)[len(times) * 95 // 100]
    print(
        f"key to last byte   {median(times) * 1000:8.2f} ms   95 %: {worst * 1e3:.2f}"
    )
    print(f"bytes of a key     {median(sizes):8.0f}      most: {max(sizes)}")


def busy() -> None:
    """Print the CPU time with a running clock and five rivals, 20 updates/s."""
    screen = Screen(__file__, "--busy")
    screen.until(b"give up")
    screen.quiet(0.02)
    before, size, end = screen.cpu(), 0, time.perf_counter() + BUSY_S
    while (left := end - time.perf_counter()) > 0:
        if select.select([screen.fd], [], [], left)[0]:
            size += len(os.read(screen.fd, 1 << 16))
    used = screen.cpu() - before
    screen.end()
    print(f"{PER_S} updates a second {100 * used / BUSY_S:6.1f} %    of one core")
    print(f"                   {size / BUSY_S:8.0f} bytes/s")


def starts() -> None:
    """Print how long a start takes."""
    command = [sys.executable, "-m", "sliderace_client", "--help"]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(PARTS[1:])}
    waits: list[float] = []
    for _ in range(RUNS):
        began = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=env)
        waits.append(time.perf_counter() - began)
    print(f"sliderace --help   {median(waits) * 1000:8.0f} ms")
    for name, word in (("solo", b"new board"), ("", b"Settings")):
        waits.clear()
        for _ in range(RUNS):
            screen = Screen("-m", "sliderace_client", *name.split())
            waits.append(screen.until(word) - 0.05)
            screen.end()
        print(f"sliderace {name:8} {median(waits) * 1000:8.0f} ms   to its screen")


def main() -> int:
    """Print all figures, or run as the measured program."""
    known = argparse.ArgumentParser(description=__doc__)
    known.add_argument("--race", action="store_true", help=argparse.SUPPRESS)
    known.add_argument("--busy", action="store_true", help=argparse.SUPPRESS)
    asked = known.parse_args()
    if asked.race or asked.busy:
        return race(busy=asked.busy)
    print(f"{COLUMNS}x{ROWS}, six lanes, 4x4, {os.cpu_count()} cores")
    keys()
    busy()
    starts()
    return 0


if __name__ == "__main__":
    sys.exit(main())
