"""Run the command that hosts a race, visit its links, press Ctrl-C.

Usage: smoke.py COMMAND FOLDER; the folder replaces that of the user's data.
"""
# ruff: noqa: INP001, T201

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

LETTERS = "[BCDFGHJKMNPQRSTVWXZ]{3}"
CODE = re.compile(rf"\b{LETTERS}-{LETTERS}\b")
LINK = re.compile(r"http://127\.0\.0\.1:(\d+)/\w*")
STARTS_WITHIN_S = 300
"""Includes the installation."""
ENDS_WITHIN_S = 15


def main(command: str, folder: Path) -> None:
    """Start a host, check that it works, interrupt it, check that it ended."""
    # In the background of a shell, the child would otherwise ignore it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.alarm(STARTS_WITHIN_S)
    private = {f"XDG_{kind}_HOME": str(folder / kind) for kind in ("DATA", "STATE")}
    host = subprocess.Popen(  # noqa: S602
        command,
        shell=True,
        executable="/bin/bash",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **private},
        start_new_session=True,
    )
    try:
        code, port = read_links(host)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz") as answer:
            check(answer.status == 200, "/healthz answers")
        with urllib.request.urlopen(
            f"http://127.0.0.1:{port}/api/rooms/{code}"
        ) as answer:
            check(answer.status == 200, f"room {code} exists")
        os.killpg(host.pid, signal.SIGINT)  # like Ctrl-C in a terminal
        ended = host.wait(ENDS_WITHIN_S)
        check(ended in (0, 130), f"exit code {ended}")
        with socket.socket() as probe:
            check(probe.connect_ex(("127.0.0.1", port)) != 0, "its server ended too")
    finally:
        if host.poll() is None:
            os.killpg(host.pid, signal.SIGKILL)


def read_links(host: subprocess.Popen[str]) -> tuple[str, int]:
    """Read the host's output until it shows code and link."""
    code = link = None
    assert host.stdout is not None  # noqa: S101
    for line in host.stdout:
        print(" |", line, end="")
        code = code or CODE.search(line)
        link = link or LINK.search(line)
        if code and link:
            return code[0].replace("-", ""), int(link[1])
    sys.exit("host ended without a code and a link")


def check(holds: bool, what: str) -> None:
    """Print what was checked; exit if it does not hold."""
    print("ok:" if holds else "FAILED:", what)
    if not holds:
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
