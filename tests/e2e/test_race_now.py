"""Race now, from the command line to a result, with real servers and their bots."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.acceptance.test_at_a_terminal import at_terminal
from tests.acceptance.test_race import solution
from tests.e2e.shell import Running, Shell

from sliderace_client import exit_codes

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.fixture
def server(shell: Shell) -> Iterator[str]:
    """The address of a running server with bots."""
    with shell.running("serve", "--memory", "--port", "0") as serve:
        yield serve.wait_for(r"listening.*?(127\.0\.0\.1:\d+)")


def read_board(who: Running, rows: int) -> str:
    """Wait for our board; return it as text."""
    who.wait_for("^Keys: ")
    who.wait_for("^$")
    lines = [who.wait_for("^.*$") for _ in range(rows)]
    return "/".join(" ".join(line.split()).replace(".", "0") for line in lines)


def test_race_starts_a_server_and_leads_to_a_result_against_bots(shell: Shell) -> None:
    with shell.running("race", "3x3", "--plain", "--name", "Ann") as ann:
        ann.wait_for("^Room ...-..., 3x3. You are Ann.$")
        board = read_board(ann, 3)
        ann.wait_for("^Go!$")
        ann.type(solution(board))
        ann.wait_for(r"^Ann finished in \d")
        ann.wait_for("^The race is over$")
        ann.wait_for(r"^ +1st  Ann ")
        ann.wait_for("^ +2nd  \u2699 ")
        ann.wait_for(r"^The next race starts in 1[0-2] s\.$")
        ann.type("start")
        ann.wait_for("^'start' is not known here.")
        ann.wait_for("^Go!$")
        ann.type("q")
        assert ann.wait_for_exit() == exit_codes.OK
        assert not any("come back" in line for line in ann.output)


def test_two_people_of_one_speed_meet_and_the_second_one_waits(
    shell: Shell, server: str, tmp_path: Path
) -> None:
    race = ("race", "3x3", "--plain", "--server", server, "--name")
    other = Shell(tmp_path / "other")
    other.home.mkdir()
    with shell.running(*race, "Ann") as ann:
        code = ann.wait_for("^Room (...-...), 3x3. You are Ann.$")
        board = read_board(ann, 3)
        ann.wait_for("^Go!$")
        with other.running(*race, "Ben") as ben:
            ben.wait_for(f"^Room {code}, 3x3. You are Ben.$")
            ben.wait_for("^This race has begun without you. You are in the next one.$")
            ann.wait_for("^Ben joined$")
            ann.type(solution(board))
            ben.wait_for(r"^Ann finished in \d")
            ben.wait_for("^Go!$")
            ben.type("q")
            ben.wait_for("^You left the room.$")
            assert ben.wait_for_exit() == exit_codes.OK


def test_a_newcomer_is_asked_once_and_races(tmp_path: Path, server: str) -> None:
    (tmp_path / "new").mkdir()
    race = ("race", "3x3", "--plain", "--server", server)
    with at_terminal(tmp_path / "new", *race, term="dumb") as terminal:
        terminal.until(b"Your nickname, which the others see (Enter: ")
        terminal.type(b"Zed\n")
        terminal.until(b"How fast are you on a 4x4 board?")
        terminal.until(b"4  under 8 seconds")
        terminal.until(b"Your choice (Enter: 1): ")
        terminal.type(b"9\n")
        terminal.until(b"'9'? Please type a number from 1 to 4.")
        terminal.type(b"2\n")
        terminal.until(b"You are Zed.")
        terminal.until(b"Go!")
        terminal.type(b"help\n")
        asked = terminal.until(b"Strategy:")
        assert b"  forfeit " in asked
        assert b"  start " not in asked
        terminal.type(b"forfeit\n")
        terminal.until(b"Zed gave up")
        terminal.type(b"q\n")
        assert terminal.ends() == exit_codes.OK
    with at_terminal(tmp_path / "new", *race, term="dumb") as terminal:
        terminal.until(b"You are Zed.")
        assert b"How fast" not in terminal.sent
        terminal.type(b"q\n")
        assert terminal.ends() == exit_codes.OK
    settings = (tmp_path / "new" / "sliderace" / "settings.toml").read_text()
    assert re.findall(r'^feel = "(\w+)"$', settings, re.MULTILINE) == ["minute"]


def test_boards_alone_count_and_follow_one_another(shell: Shell, server: str) -> None:
    solo = ("solo", "--size", "2x2", "--plain", "--server", server, "--name", "Ann")
    with shell.running(*solo) as ann:
        ann.wait_for("^You play 2x2 alone, as Ann. Every board counts.$")
        board = read_board(ann, 2)
        ann.wait_for("^Go!$")
        ann.type(solution(board))
        ann.wait_for("^The race is over$")
        ann.wait_for(r"^1 board, best \d\.\d{3}, ao5 -$")
        ann.wait_for("^Type next for the next board")
        ann.type("next")
        read_board(ann, 2)
        ann.wait_for("^Go!$")
        ann.type("next")
        ann.wait_for("^Ann gave up at ")
        ann.wait_for("^2 boards, ")
        ann.wait_for("^The race starts in ")
        ann.type("start")
        ann.wait_for("^'start' is not known here.")
        ann.type("q")
        ann.wait_for("^You left the room.$")
        assert ann.wait_for_exit() == exit_codes.OK


def test_practice_does_not_count_and_needs_no_server(shell: Shell) -> None:
    board = ("--scramble", "1 2/0 3", "--keys", "adws", "--no-intro")
    done = shell.run("solo", "--practice", *board, typed="a\nq\n")
    assert done.returncode == exit_codes.OK
    assert "This was practice: it does not count.\n" in done.stdout


def test_daily_board_is_raced_on_once(shell: Shell, server: str) -> None:
    daily = ("daily", "3x3", "--plain", "--server", server, "--name", "Ann")
    shown = shell.run("daily", "--server", server)
    assert "  3x3  open\n" in shown.stdout
    assert shown.stdout.endswith("sliderace daily 4x4\n")
    guest = shell.run(*daily)
    assert guest.returncode == exit_codes.REFUSED
    assert guest.stderr.count("\n") == 1
    assert f"sliderace me --server http://{server} keep\n" in guest.stderr
    own = shell.run("daily", "3x3", "--name", "Ann")
    assert own.returncode == exit_codes.REFUSED
    assert "run sliderace daily 3x3 in a terminal, and answer y." in own.stderr
    assert shell.run("me", "--server", server, "keep", "Ann").returncode == 0
    with shell.running(*daily) as ann:
        ann.wait_for(r"^This is the 3x3 board of \d{4}-\d\d-\d\d. You are Ann.$")
        board = read_board(ann, 3)
        ann.wait_for("^Go!$")
        ann.interrupt()
        ann.wait_for("come back with:  sliderace daily 3x3 --server ")
    assert "  3x3  running" in shell.run("daily", "--server", server).stdout
    with shell.running(*daily) as ann:
        assert read_board(ann, 3) == board
        ann.type(solution(board))
        ann.wait_for("^The race is over$")
        ann.wait_for("^Checked: the race record agrees")
        ann.type("q")
        assert ann.wait_for_exit() == exit_codes.OK
        assert not any("come back" in line for line in ann.output)
    again = shell.run(*daily)
    assert again.returncode == exit_codes.OK
    assert re.search(r"^  3x3  done in \d+\.\d{3}$", again.stdout, re.MULTILINE)
