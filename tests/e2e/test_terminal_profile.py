"""A new person in plain mode: from nothing to a new best, and to a second device."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.acceptance.test_race import solution
from tests.e2e.shell import HOST, Running, Shell
from tests.e2e.tmux_pane import tmux_pane

from sliderace_client import exit_codes

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

SLOW_S = 2.0
"""The first race takes at least so long, so that a later one is a new best."""


@pytest.fixture
def host(tmp_path: Path) -> Iterator[tuple[Running, Shell]]:
    (tmp_path / "host").mkdir()
    shell = Shell(tmp_path / "host")
    with shell.running(*HOST, "--public") as running:
        yield running, shell


def home(tmp_path: Path, name: str) -> Shell:
    (tmp_path / name).mkdir()
    return Shell(tmp_path / name)


def board(who: Running) -> str:
    """Wait for a board of 2x2 tiles, and return it as text."""
    first = who.wait_for(r"^([1-3.] [1-3.])$")
    second = who.wait_for(r"^([1-3.] [1-3.])$")
    return f"{first}/{second}".replace(".", "0")


def begin(who: Running) -> str:
    who.type("ready")
    who.wait_for("^Ann is ready$")
    who.type("start")
    who.wait_for("^Keys: ")
    return board(who)


def finish(who: Running, now: str) -> None:
    who.type(solution(now))
    who.wait_for("^The race is over$")


def race_slowly(who: Running) -> None:
    """Slide to and fro for a while, and then solve the board."""
    now, passed = begin(who), 0.0
    while passed < SLOW_S:
        ways = (one for one in "URDL" if is_possible(now, one))
        way = next(one for one in ways if f"={one}" != solution(now))
        who.type(f"={way}")
        now = board(who)
        passed = float(who.wait_for(r"^Moves \d+ \(MTM \d+\), time (.*)$"))
    finish(who, now)


def is_possible(now: str, way: str) -> bool:
    gap = now.replace("/", " ").split().index("0")
    return {"U": gap < 2, "D": gap >= 2, "L": gap % 2 == 0, "R": gap % 2 == 1}[way]


def secret_of(shell: Shell) -> str:
    """Return the secret that this user keeps, and check who may read it."""
    (file,) = shell.home.rglob("profiles.json")
    assert file.stat().st_mode & 0o077 == 0
    (profile,) = json.loads(file.read_text()).values()
    return str(profile["secret"])


def test_new_person_gets_a_new_best_and_moves_to_a_second_device(
    tmp_path: Path, host: tuple[Running, Shell]
) -> None:
    server, operator = host
    where = server.wait_for(r"sliderace join ([A-Z]{6}@127\.0\.0\.1:\d+)")
    address = where.partition("@")[2]
    first, second = home(tmp_path, "first"), home(tmp_path, "second")
    outputs: list[str] = []

    def me(who: Shell, *args: str, typed: str = "") -> str:
        done = who.run("me", "--server", address, *args, typed=typed)
        assert (done.returncode, done.stderr) == (exit_codes.OK, "")
        if args[:1] != ("key",):
            outputs.append(done.stdout)
        return done.stdout

    with first.running("join", where, "--plain", "--name", "Ann") as ann:
        ann.wait_for("^Type ready to race")
        race_slowly(ann)
        ann.wait_for("^To keep this time and your later ones, type keep.$")
        ann.type("keep")
        ann.wait_for("^Your times are kept from now on, Ann.$")
        ann.wait_for(r"^First single, \d+\.\d{3}, 1st of 1$")
        finish(ann, begin(ann))
        ann.wait_for(r"^New best single, \d+\.\d{3} \(-\d+\.\d{3}\), 1st of 1$")
        finish(ann, begin(ann))
        ann.type("keep")
        ann.wait_for("^Your times are kept already.$")
        ann.type("leave")
        assert ann.wait_for_exit() == exit_codes.OK
        outputs += ann.output

    assert re.search(r"^2x2 +3 +3 +0\.\d{3} +- +-$", me(first), re.MULTILINE)
    top = first.run("boards", "2x2", "--server", address)
    assert "1 player has a place here; you are 1st." in top.stdout
    assert re.search(
        r"^1 +Ann \(you\) +0\.\d{3} +\d+-\d+-\d+ +typed$", top.stdout, re.MULTILINE
    )
    outputs.append(top.stdout)

    ticket = re.search(r"claim ([A-Z]{4}-[A-Z]{4})$", me(first, "ticket"), re.MULTILINE)
    assert ticket is not None
    assert "2x2" in me(second, "claim", ticket[1])
    devices = json.loads(me(second, "--json"))["devices"]
    assert [device["id"] for device in devices] == [1, 2]
    used = second.run("me", "--server", address, "claim", "BCDF-GHJK")
    assert used.returncode == exit_codes.REFUSED, "this device has the profile already"
    assert "Anna" in me(second, "rename", "Anna")
    assert "Anna" in me(first)

    key = me(second, "key").splitlines()[-1]
    assert key.replace("-", "") == secret_of(second) != secret_of(first)
    third = home(tmp_path, "third")
    assert "Anna" in me(third, "key", "--enter", typed=f"{key}\n")
    wrong = third.run("me", "--server", address, "key", "--enter", typed="12-34\n")
    assert wrong.returncode == exit_codes.UNKNOWN
    assert wrong.stderr.startswith("sliderace: A key has 32 digits")

    archive = tmp_path / "all.zip"
    assert f"Saved: {archive}" in me(first, "export", str(archive))
    assert archive.read_bytes().startswith(b"PK")
    phone = first.run("me", "--server", address, "revoke", "phone")
    assert "phone is not the number of a device. Type a number" in phone.stderr
    for name in ("", "x" * 21):
        bad = first.run("me", "--server", address, "rename", name)
        assert f"Invalid value for '{name}': " in bad.stderr
    me(first, "revoke", "2")
    gone = second.run("me", "--server", address)
    assert gone.returncode == exit_codes.REFUSED
    assert "no longer knows your profile" in gone.stderr

    assert "This profile will be deleted on" in me(first, "forget")
    assert "will be deleted" not in me(first, "forget", "--cancel")
    me(first, "forget")

    secrets = {secret_of(first), secret_of(second)}
    outputs += [*server.output, used.stdout, used.stderr, gone.stderr, wrong.stderr]
    for secret in secrets:
        hidden = "-".join(secret[n : n + 4] for n in range(0, 32, 4))
        told = "\n".join(outputs)
        assert secret not in told
        assert hidden not in told
        for file in operator.home.rglob("*"):
            assert not file.is_file() or secret.encode() not in file.read_bytes(), file


CYCLE = ("Right", "Down", "Left", "Up")
"""Keys that lead the gap of a 2x2 board round and round: they solve it."""


def test_guest_keeps_a_time_on_the_full_screen(tmp_path: Path) -> None:
    with tmux_pane(tmp_path) as pane:
        options = ("--size", "2x2", "--public", "--name", "Ann", "--port", "0")
        pane.run("host", *options, "--bind", "127.0.0.1")
        pane.until("♛ host")
        pane.keys("s")
        pane.until("0 moves")
        while "keep this time" not in (screen := pane.until("moves", "keep this time")):
            assert "ended=" not in screen
            pane.keys(*CYCLE)
        while "★ First single, " not in pane.until(
            "★ First single, ", "keep this time"
        ):
            pane.keys("k")  # at first the results take no key of the board
        pane.keys("q")
        pane.until("Leave the room")
        pane.keys("y")
        pane.until("ended=0")
    (file,) = tmp_path.rglob("profiles.json")
    assert json.loads(file.read_text())
