"""A race in line mode: Ann races a bot, Wil watches, both see the right lines."""

import json
import re
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.e2e.shell import HOST, WAIT_S, Running, Shell, code_of

from sliderace.engine import format_tokens, parse_board
from sliderace.solve import solve
from sliderace_client import exit_codes

pytestmark = pytest.mark.timeout(90)

START = "1 3 0/7 6 4/8 5 2"
"""The board of the seed "tea"."""
AFTER_3 = "1 0 3/7 6 4/8 5 2"


@pytest.fixture
def people(tmp_path: Path) -> Iterator["People"]:
    with ExitStack() as commands:
        yield People(Shell(tmp_path), commands)


class People:
    """The people in one room, each at a client in line mode."""

    def __init__(self, shell: Shell, commands: ExitStack) -> None:
        self._shell, self._commands = shell, commands
        self.home = shell.home
        options = ("--size", "3x3", "--seed", "tea", "--bind", "127.0.0.1")
        self.host = self._run("host", "--no-tui", "--port", "0", *options)
        self.code = code_of(self.host)

    def _run(self, *args: str) -> Running:
        return self._commands.enter_context(self._shell.running(*args))

    def join(self, name: str) -> Running:
        return self._run("join", self.code, "--plain", "--name", name)

    def watch(self, name: str) -> Running:
        return self._run("watch", self.code, "--plain", "--name", name)

    def bot(self, pace_s: float) -> Running:
        return self._run("bot", self.code, "--races", "1", "--pace", str(pace_s))


def solution(board: str) -> str:
    stages = solve(parse_board(board))
    return "=" + format_tokens(slide for stage in stages for slide in stage)


def reads(who: Running, *lines: str) -> None:
    """Check that these lines are printed, one directly after another."""
    who.wait_for(f"^{re.escape(lines[0])}$")
    for line in lines[1:]:
        who.wait_for("")
        assert who.output[-1] == line


def test_whole_race_against_a_bot(people: People) -> None:
    wil, ann = people.watch("Wil"), people.join("Ann")
    wil.wait_for("^Type help for everything you can type, or q to leave.$")
    ann.wait_for("^Type ready to race, help for everything")
    ann.type("table")
    ann.wait_for("^No race has ended yet.$")
    ann.type("series seven")
    ann.wait_for("^Type series and a format: ")
    ann.type("series first 21")
    ann.wait_for("^A series ends after 1 to 20 wins, or after 1 to 50 races")
    ann.type("series first 2")
    ann.type("?")
    reads(ann, "What you can type:")
    ann.wait_for("^  a d w s   move a tile left")
    ann.wait_for("^6. ")
    ann.type("9")
    ann.wait_for("'9' is not known here. Type help for what is.")
    ann.type("name \u200b")
    ann.wait_for("^That nickname cannot be shown. Please choose another.$")
    ann.type("name ANNE")
    ann.wait_for("^Ann is now called ANNE$")
    ann.type("name Ann")
    ann.wait_for("^ANNE is now called Ann$")
    ann.type("react")
    ann.wait_for("^   9  Good luck$")
    ann.type("react 9")
    wil.wait_for("^Ann: Good luck$")
    ann.type("who")
    ann.wait_for(r"^Ann  not ready")
    ann.type("READY")
    ann.wait_for("Ann is ready")
    bot = people.bot(20)
    # The board is shown with the keys and the possible moves.
    reads(ann, "Keys: left a, right d, up w, down s. They move the tile.", "", "1 3 .")
    ann.wait_for(r"^right-d \(3\), up-w \(4\); help$")
    reads(wil, "1 3 .", "7 6 4", "8 5 2")
    # The grammar is that of solo, with the same moves and refusals.
    ann.type("3")
    reads(ann, "Moved 3", "", "1 . 3", "7 6 4", "8 5 2", "")
    ann.wait_for(r"^Moves 1 \(MTM 1\), time \d")
    ann.type("9")
    reads(ann, "There is no tile 9. Tiles are 1 to 8.")
    ann.type("down")
    reads(ann, "No tile can go down; the gap is in the top row.")
    ann.type("aa")
    ann.wait_for("^Nothing moved. Move 2: No tile can go left; the gap is in the last")
    ann.type("undo")
    ann.wait_for("^A race has no undo")
    # Rivals are reported between prompts; spectators read about everybody.
    ann.wait_for(r"^Bot \w+ \d+%$")
    wil.wait_for(r"Ann \d+%")
    # The finish is announced at once; then the race is over for all.
    ann.type(solution(AFTER_3))
    ann.wait_for(r"^Moved \d+ tiles$")
    reads(ann, "1 2 3", "4 5 6", "7 8 .")
    for who in (ann, wil):
        who.wait_for(r"^Ann finished in \d+\.\d{3} \(\d+ moves\)$")
    wil.type("board ann")
    reads(wil, "Ann, 100%:", "", "1 2 3", "4 5 6", "7 8 .")
    wil.type("board nobody")
    wil.wait_for("^There is no such board")
    bot.wait_for("The race is over")
    for who in (ann, wil):
        who.wait_for("^The race is over$")
        who.wait_for(r"^ +1st  Ann ")
        who.wait_for(r"^ +2nd  Bot ")
    ann.wait_for("^Checked: ")
    ann.type("save")
    saved = Path(ann.wait_for(r"^Saved: (.+)$"))
    assert saved.parent.samefile(people.home)
    assert json.loads(saved.read_text())["record"]["race"].startswith(people.code)
    # Only the host sees what the solves look like.
    ann.type("signals")
    ann.wait_for("^Signals, never verdicts")
    ann.wait_for(r"^Ann: TPS \d")
    ann.wait_for(r"^Bot \w+ \(bot\): TPS \d")
    ann.wait_for(r"^record solvers: ")
    # Everybody sees the score of the evening; bots stand below.
    for who in (ann, wil):
        who.type("table")
        who.wait_for(r"^3x3 · first to 2 · race 2 · Ann 1$")
        who.wait_for(r"^   racer +races  wins +best$")
        who.wait_for(r"^1  Ann +1     1  +\d+\.\d{3}$")
        who.wait_for(r"^   Bot \w+ \(bot\)  +1     0  +\d+\.\d{3}$")
    wil.type("signals")
    wil.wait_for("^There are no signals. The host gets them after a race.$")
    ann.type("q")
    ann.wait_for("^Your seat is kept for a while; come back with:  sliderace join")
    ann.wait_for("^Good-bye.$")
    assert ann.process.wait(WAIT_S) == exit_codes.OK
    wil.type("quit")
    reads(wil, "Good-bye.")
    assert wil.process.wait(WAIT_S) == exit_codes.OK


def test_ready_and_rematch_both_lead_to_the_next_race(people: People) -> None:
    ann, ben = people.join("Ann"), people.join("Ben")
    for who in (ann, ben):
        who.wait_for("^Type ready to race")
    ann.type("ready")
    ben.wait_for("^Ann is ready$")
    ben.type("rematch")
    ann.wait_for("^Ben is ready$")
    for who in (ann, ben):
        who.wait_for(r"; help$")
    ben.type("forfeit")
    ann.type(solution(START))
    for who in (ann, ben):
        who.wait_for("^The race is over$")
    ann.type("ready")
    ben.wait_for("^Ann is ready$")
    ben.type("rematch")
    ann.wait_for("^Ben is ready$")
    for who in (ann, ben):
        who.wait_for("^The race starts in ")
    assert not any("not possible now" in line for line in ann.output + ben.output)


def test_host_can_play_in_lines_with_their_own_keys(
    tmp_path: Path,
) -> None:
    shell = Shell(tmp_path)
    solo = ("solo", "--no-intro", "--scramble", START)
    assert "left j, right l" in shell.run(*solo, typed="gap\nj l i k\nq\n").stdout
    lines = ("--plain", "--size", "3x3", "--seed", "tea")
    with shell.running(*HOST[:1], *lines, *HOST[4:]) as host:
        code_of(host)
        host.wait_for("You are ")
        host.type("start")
        reads(host, "Keys: left j, right l, up i, down k. They move the gap.")
        host.wait_for(r"^left-j \(3\), down-k \(4\); help$")
        host.type("j")
        host.wait_for("^Moved 3$")
        host.type("")
        reads(host, "1 . 3", "7 6 4", "8 5 2")
        host.type(solution(AFTER_3))
        host.wait_for("The race is over")
        assert host.interrupt() == exit_codes.INTERRUPTED
        host.wait_for("Good-bye")


def test_ctrl_c_prints_a_good_bye_and_keeps_the_seat(people: People) -> None:
    ann = people.join("Ann")
    ann.wait_for("You are Ann")
    ann.process.send_signal(signal.SIGINT)
    ann.wait_for("^Your seat is kept for a while")
    ann.wait_for("^Good-bye.$")
    assert ann.process.wait(WAIT_S) == exit_codes.INTERRUPTED
