"""The program in a real terminal (tmux)."""

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
from tests.e2e.tmux_pane import TmuxPane, tmux_pane

from sliderace.engine import Board, Direction, Size
from sliderace.solve import solve

pytestmark = pytest.mark.timeout(120)

KEYS: dict[Direction, str] = {"U": "Up", "D": "Down", "L": "Left", "R": "Right"}


def read_board(pane: TmuxPane, side: int) -> Board:
    """Return the board on the screen, if its numbers are shown as text."""
    columns: list[int] = []
    numbers: list[dict[int, int]] = []
    while len(columns) != side:  # a frame may be incomplete
        rows = [
            {match.start(): int(match[0]) for match in re.finditer(r"\d+", line)}
            for line in pane.screen().splitlines()[1:]
            if re.fullmatch(r"[\s\d▀▄▕│]*\d[\s\d▀▄▕│]*", line)
        ]
        numbers = rows[:side]
        columns = sorted({at for row in numbers for at in row})
    tiles = [row.get(column, 0) for row in numbers for column in columns]
    return Board(Size(side, side), tiles)


def test_a_solo_race_can_be_hosted_saved_and_left(tmp_path: Path) -> None:
    with tmux_pane(tmp_path, 40, 15) as pane:
        before = pane.state_at_prompt()
        pane.run(
            *("host", "--size", "3x3", "--name", "Ann", "--port", "0"),
            *("--bind", "127.0.0.1"),
        )
        pane.until("♛ host")
        pane.keys("s")
        pane.until("GO", "0 moves")
        pane.until("0 moves")
        for stage in solve(read_board(pane, 3)):
            for direction, _ in stage:
                pane.keys(KEYS[direction])
        pane.until("1 Ann", "1  Ann")
        screen = pane.until("✓ Checked")
        assert re.search(r"1\s+Ann\s+\d", screen)
        pane.until("Saved: ", key="s")  # at first, keys of the board do nothing
        assert len(list(tmp_path.glob("sliderace-*.json"))) == 1
        pane.keys("q")
        pane.until("Leave the room")
        pane.keys("y")
        pane.until("ended=0")
        assert pane.state_at_prompt() == before


def program_of(pane: TmuxPane) -> int:
    """Return the process id of the program in the pane's shell."""
    shell = pane.tmux("display-message", "-p", "#{pane_pid}").strip()
    found = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", shell],
        check=True,
        capture_output=True,
        text=True,
    )
    return int(found.stdout.split()[0])


@pytest.mark.parametrize(
    ("number", "code"),
    [
        pytest.param(None, 130, id="Ctrl-C"),
        pytest.param(signal.SIGINT, 130, id="SIGINT"),
        pytest.param(signal.SIGTERM, 143, id="SIGTERM"),
        pytest.param(signal.SIGHUP, 129, id="SIGHUP"),
    ],
)
def test_the_terminal_is_restored_however_the_program_ends(
    tmp_path: Path, number: signal.Signals | None, code: int
) -> None:
    with tmux_pane(tmp_path) as pane:
        before = pane.state_at_prompt()
        pane.run("solo")
        pane.until("new board")
        assert pane.state() != before
        if number is None:
            pane.keys("C-c")
        else:
            os.kill(program_of(pane), number)
        pane.until(f"ended={code}")
        assert pane.state_at_prompt() == before


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_the_terminal_is_restored_when_killed_during_a_race(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    with tmux_pane(tmp_path) as pane:
        before = pane.state_at_prompt()
        pane.run(
            *("host", "--size", "3x3", "--name", "Ann", "--port", "0"),
            *("--bind", "127.0.0.1"),
        )
        pane.until("♛ host")
        pane.keys("s")
        pane.until("0 moves")
        pane.keys("Left", "Up", "Right", "Down")
        pane.until("1 move", "2 moves", "3 moves", "4 moves")
        os.kill(program_of(pane), number)
        pane.until(f"ended={code}")
        assert pane.state_at_prompt() == before


def test_many_resizes_and_keys_leave_a_correct_screen(tmp_path: Path) -> None:
    with tmux_pane(tmp_path, 100, 40) as pane:
        pane.run("solo", "--size", "4x4", "--seed", "storm")
        calm = pane.until("new board")
        sizes = [(1, 1), (100, 40), (39, 15), (3, 50), (200, 60), (40, 15), (120, 3)]
        for n, (columns, rows) in enumerate(sizes * 3):
            size = ("-x", str(columns), "-y", str(rows))
            pane.tmux("resize-window", *size)
            pane.keys("Left" if n % 2 else "Right")
        pane.tmux("resize-window", "-x", "100", "-y", "40")
        pane.keys("r")
        pane.until("the first slide starts it")
        pane.until(calm.rstrip())
        pane.keys("q")
        pane.until("ended=0")


def test_the_program_works_at_any_terminal_size(tmp_path: Path) -> None:
    with tmux_pane(tmp_path) as pane:
        pane.run("solo", "--size", "3x3")
        pane.until("new board")
        for size in ((39, 15), (1, 1), (200, 50), (2, 9), (40, 15)):
            columns, rows = map(str, size)
            pane.tmux("resize-window", "-x", columns, "-y", rows)
        pane.until("new board")
        pane.tmux("resize-window", "-x", "30", "-y", "12")
        pane.until("too small")
        pane.tmux("resize-window", "-x", "80", "-y", "24")
        pane.until("new board")
        pane.keys("q")
        pane.until("ended=0")


@pytest.mark.parametrize(
    ("env", "colour"),
    [
        ({"NO_COLOR": "1"}, False),
        ({"TERM": "xterm"}, True),
        ({"TERM": "tmux-256color"}, True),
    ],
)
def test_the_program_works_with_few_colours_and_none(
    tmp_path: Path, env: dict[str, str], colour: bool
) -> None:
    with tmux_pane(tmp_path, 40, 15, **env) as pane:
        pane.run("solo", "--size", "3x3")
        pane.until("new board")
        painted = pane.tmux("capture-pane", "-p", "-e")
        codes = {
            code
            for found in re.findall(r"\x1b\[([\d;]*)m", painted)
            for code in found.split(";")
        }
        coloured = codes - {"", "0", "1", "7", "39", "49"}
        assert bool(coloured) == colour
        if env.get("TERM") == "xterm":
            assert not coloured & {"38", "48"}
        assert sorted(read_board(pane, 3).tiles) == list(range(9))
        pane.keys("C-c")
        pane.until("ended=130")
