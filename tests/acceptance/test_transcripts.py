r"""Whole sessions, from typed lines to the screen.

Each ``*.txt`` here is a transcript. The first line is the command, the last line the
exit code. Typed lines follow ``> `` (``\e`` is Escape); all other lines are the screen,
without blanks at line ends. Times and speeds may differ.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

SESSIONS = sorted(Path(__file__).parent.glob("*.txt"))
PATIENCE_S = 15.0
TIMES = (
    (re.compile(r"\b(?:\d+:)*\d+\.\d{3}\b"), "0.000"),
    (re.compile(r"TPS: \S+"), "TPS: -"),
)


class Transcript(NamedTuple):
    """A recorded session."""

    command: list[str]
    typed: str
    screen: str
    code: int


def read(path: Path) -> Transcript:
    """Read a transcript from its file."""
    first, *lines, last = path.read_text().splitlines()
    typed = [line[2:] for line in lines if re.match("> |>$", line)]
    shown = [line for line in lines if not re.match("> |>$", line)]
    return Transcript(
        shlex.split(first.removeprefix("$ sliderace")),
        "".join(f"{line}\n" for line in typed).replace("\\e", "\x1b"),
        timeless("\n".join(shown)),
        int(last.removeprefix("exit code ")),
    )


def timeless(text: str) -> str:
    """Return a screen without times and without blanks at line ends."""
    for pattern, instead in TIMES:
        text = pattern.sub(instead, text)
    return "\n".join(line.rstrip() for line in text.splitlines())


def test_at_least_five_sessions_are_recorded() -> None:
    assert len(SESSIONS) >= 5


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
@pytest.mark.timeout(60)
def test_session_matches_its_transcript(path: Path, tmp_path: Path) -> None:
    wanted = read(path)
    folders = {
        f"XDG_{kind}_HOME": str(tmp_path) for kind in ("CONFIG", "DATA", "STATE")
    }
    done = subprocess.run(
        [sys.executable, "-m", "sliderace_client", *wanted.command],
        input=wanted.typed,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=os.environ | folders | {"PYTHONPATH": os.pathsep.join(sys.path)},
        timeout=PATIENCE_S,
        check=False,
    )
    assert timeless(done.stdout) == wanted.screen
    assert done.returncode == wanted.code
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) < 80
