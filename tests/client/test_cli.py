import asyncio
import errno
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import pytest
from click import Group
from tests.client.rooms import COMMITMENT, RACE, SECRET, results
from tests.race.sample import sample_record, sealed
from tests.race.track import RACE_ID

from sliderace.engine import Board, Size, format_board, scramble
from sliderace.proof import canonical
from sliderace_client import exit_codes
from sliderace_client.__main__ import main
from sliderace_client.cli import commands
from sliderace_client.cli.commands import run
from sliderace_client.cli.console import parse_hash_start
from sliderace_client.cli.solo import CLEAR
from sliderace_client.line_ui.typed_input import typed_input as typed_lines
from sliderace_client.net import locate
from sliderace_server.storage import AttemptRow, RaceSummary, StoredRace, open_store

COMMANDS = [
    "boards",
    "bot",
    "daily",
    "doctor",
    "host",
    "join",
    "me",
    "race",
    "results",
    "scramble",
    "solo",
    "verify",
    "watch",
]
OPERATE = ["admin", "backup", "restore", "serve"]
"""Their help comes from the server's program."""
VECTORS = Path(__file__).parents[2] / "shared" / "vectors" / "scramble-v1.jsonl"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user without any files, and without a server."""
    for kind in ("CONFIG", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path))
    monkeypatch.delenv("SLIDERACE_SERVER", raising=False)
    return tmp_path


@pytest.fixture
def typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TextIO]:
    """Standard input; write to it and rewind it."""
    with (tmp_path / "typed").open("w+") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        typed_lines.cache_clear()
        yield stdin
    typed_lines.cache_clear()


Captured = pytest.CaptureFixture[str]


def one_line(capsys: Captured) -> str:
    """Return the single line on stderr, without the program's name."""
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("sliderace: ")
    return err.removeprefix("sliderace: ").rstrip()


def test_admin_without_a_known_command_says_what_is_missing(capsys: Captured) -> None:
    """It must not pass on to `serve`, which would start a server."""
    assert run(["admin"]) == exit_codes.UNKNOWN
    assert one_line(capsys) == "Missing command. See: sliderace admin --help"
    assert run(["admin", "--port", "1"]) == exit_codes.UNKNOWN
    assert "No such option" in one_line(capsys)
    assert run(["admin", "--help"]) == exit_codes.OK
    assert "prune" in capsys.readouterr().out


def test_help_names_every_command_and_every_exit_code(capsys: Captured) -> None:
    assert isinstance(commands.cli, Group)
    assert sorted(commands.cli.commands) == sorted([*COMMANDS, *OPERATE])
    assert run(["--help"]) == exit_codes.OK
    out = capsys.readouterr().out
    assert all(name in out for name in commands.cli.commands)
    codes = {
        value
        for name in exit_codes.__all__
        if isinstance(value := vars(exit_codes)[name], int)
    }
    assert all(f"{code} " in out for code in codes)
    assert "restore: 1 ended in a hurry" in " ".join(out.split())
    assert "..." not in out.split("Commands:")[1]  # no line is cut
    assert run(["--version"]) == exit_codes.OK


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, capsys: Captured) -> None:
    assert run([command, "--help"]) == exit_codes.OK
    assert f"sliderace {command}" in capsys.readouterr().out


def test_help_loads_no_unnecessary_module() -> None:
    """Without these modules it takes 0.1 s, with them 0.5 s."""
    said = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "sliderace_client", "--help"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    ).stderr
    loaded = {line.rpartition("|")[2].strip() for line in said.splitlines()}
    heavy = {"asyncio", "msgspec", "textual", "websockets", "zeroconf", "segno"}
    assert loaded & heavy == set()


@pytest.mark.parametrize(
    "args",
    [
        ["nonsense"],
        ["join"],
        ["join", "KWXTRB", "--nonsense"],
        ["join", "KWXTRB", "--name", "\u200b"],
        ["bot", "KWXTRB", "--count", "0"],
        ["bot", "KWXTRB", "--level", "god"],
        ["bot", "KWXTRB", "--pace", "fast"],
        ["bot", "KWXTRB", "--pace", "0.5"],
        ["bot", "KWXTRB", "--pace", "nan"],
        ["host", "--port", "65536"],
        ["race", "11x4"],
        ["daily", "6x6", "--server", "127.0.0.1:9"],
        ["daily", "x", "--server", "127.0.0.1:9"],
        ["race", "four"],
        ["race", "4x4", "3x3"],
        ["race", "--name", "\u200b"],
        ["host", "--size", "1x1"],
        ["scramble", "--size", "11x4", "--seed", "tea"],
        ["scramble", "--count", "0"],
        ["scramble", "--count", "2", "--seed", "tea"],
        ["scramble", "--nonce", "00"],
        ["scramble", "--seed", "tea", "--secret", "00", "--race-id", RACE],
        ["scramble", "--secret", "00" * 32],
        ["scramble", "--secret", "zz", "--race-id", RACE],
        ["scramble", "--secret", "00", "--race-id", RACE],
        ["scramble", "--secret", "00" * 32, "--race-id", "kwx"],
        ["scramble", "--secret", "00" * 32, "--race-id", RACE, "--nonce", "00"],
        ["solo", "--size", "1"],
        ["solo", "--size", "x"],
        ["solo", "--keys", "abc"],
        ["solo", "--keys", "quip"],
        ["host", "--picture", "nofile.png"],
        ["solo", "--shuffle", "0"],
        ["solo", "--scramble", ""],
        ["solo", "--scramble", "1 2 3/4 5 6/8 7 0"],
        ["solo", "--scramble", "8 2 0/4 6 1/3 7 5", "--seed", "tea"],
        ["solo", "--scramble", "8 2 0/4 6 1/3 7 5", "--shuffle", "3"],
        ["solo", "--scramble", "8 2 0/4 6 1/3 7 5", "--race", "KWXTRB-SA1B2C-1"],
        ["solo", "--scramble", "8 2 0/4 6 1/3 7 5", "--size", "4"],
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(
    args: list[str], capsys: Captured, typed: TextIO
) -> None:
    assert typed.read() == ""
    assert run(args) == exit_codes.UNKNOWN
    assert "--help" in one_line(capsys)


class Interruption:
    """Presses Ctrl-C while a module is loaded."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name == "sliderace_client.cli.commands":
            raise KeyboardInterrupt


def test_ctrl_c_while_the_program_loads_is_exit_code_130(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.delitem(sys.modules, "sliderace_client.cli.commands")
    monkeypatch.delattr("sliderace_client.cli.commands")
    monkeypatch.setattr(sys, "meta_path", [Interruption, *sys.meta_path])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == exit_codes.INTERRUPTED
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("command", ["join", "watch", "bot"])
def test_unreachable_server_is_one_line_and_exit_code_3(
    command: str, capsys: Captured
) -> None:
    assert run([command, "KWXTRB@127.0.0.1:9"]) == exit_codes.UNREACHABLE
    assert "Cannot reach http://127.0.0.1:9" in one_line(capsys)
    assert run([command, "no code"]) == exit_codes.UNREACHABLE
    assert "looks like KWX-TRB" in one_line(capsys)


def test_race_on_a_server_that_cannot_be_used_is_one_line(capsys: Captured) -> None:
    assert run(["race", "--server", "127.0.0.1:9"]) == exit_codes.UNREACHABLE
    assert "Cannot reach http://127.0.0.1:9" in one_line(capsys)
    for command in ("daily", "solo"):
        assert run([command, "--server", "127.0.0.1:9"]) == exit_codes.UNREACHABLE
        assert "Cannot reach http://127.0.0.1:9" in one_line(capsys)
    assert run(["race", "--server", "a b"]) == exit_codes.UNREACHABLE
    assert "is not an address" in one_line(capsys)


# --- scramble ------------------------------------------------------------------------


@pytest.mark.parametrize("line", VECTORS.read_text().splitlines()[::250])
def test_scramble_prints_commitment_seed_and_board(line: str, capsys: Captured) -> None:
    vector = json.loads(line)
    size, race = f"{vector['w']}x{vector['h']}", vector["race"]
    board = format_board(Board(Size.parse(size), vector["board"]))
    nonces = [part for nonce in vector["nonces"] for part in ("--nonce", nonce)]
    args = [
        "--size",
        size,
        "--race-id",
        race,
        "--secret",
        vector["server_seed"],
        *nonces,
    ]
    assert run(["scramble", *args]) == exit_codes.OK
    assert capsys.readouterr().out.splitlines() == [
        vector["commitment"],
        vector["seed"],
        board,
    ]
    assert run(["scramble", "--size", size, "--seed", vector["seed"]]) == exit_codes.OK
    assert capsys.readouterr().out.splitlines() == [vector["seed"], board]


def test_scramble_reproduces_a_race(capsys: Captured) -> None:
    args = ["--size", "3x3", "--race-id", RACE, "--secret", SECRET.hex()]
    assert run(["scramble", *args]) == exit_codes.OK
    out = capsys.readouterr().out.splitlines()
    assert out == [COMMITMENT, results().seed, results().board]


# --- verify --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "no such file"),
        ("{", "is not JSON"),
        ("[" * 5000, "nested too deeply"),
        ('{"key": 1, "key": 1}', "the same key twice"),
        ("[1.5]", "a number that is not an integer"),
    ],
)
def test_unreadable_record_is_exit_code_2(
    text: str | None, why: str, home: Path, capsys: Captured
) -> None:
    path = home / "record.json"
    if text is not None:
        path.write_text(text)
    assert run(["verify", str(path)]) == exit_codes.UNKNOWN
    assert why in one_line(capsys)


def test_first_digits_of_a_commitment_are_enough() -> None:
    assert parse_hash_start("--commitment", " AB12 " * 5 + "\u2026") == "ab12" * 5
    assert parse_hash_start("--commitment", None) == ""


@pytest.mark.parametrize("option", ["--key", "--commitment"])
@pytest.mark.parametrize("value", ["", "ab" * 7, "x" * 64, "ab" * 33])
def test_invalid_hash_is_refused_instead_of_ignored(
    option: str, value: str, home: Path, capsys: Captured
) -> None:
    # An empty value may be an unset variable: it must not count as checked.
    assert run(["verify", str(home), option, value]) == exit_codes.UNKNOWN
    assert option in one_line(capsys)


def test_file_that_is_not_a_record_gives_exit_code_1_and_the_reason(
    home: Path, capsys: Captured
) -> None:
    path = home / "record.json"
    path.write_text('{"format": "\\u001b[2J"}')
    assert run(["verify", str(path)]) == exit_codes.NOT_OK
    out = capsys.readouterr().out
    assert out.startswith("not ok  structure")
    assert "\x1b" not in out
    assert run(["verify", "--steps", str(path)]) == exit_codes.UNKNOWN
    assert "not a race record" in one_line(capsys)


def test_results_without_a_server_is_exit_code_3(capsys: Captured) -> None:
    assert run(["results", "--server", "127.0.0.1:9"]) == exit_codes.UNREACHABLE
    assert "Cannot reach" in one_line(capsys)


@pytest.mark.slow
@pytest.mark.timeout(60)
def test_past_races_are_read_from_the_file_while_no_server_runs(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    """Listed, printed, verified and played again, like those of a running server."""
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))
    monkeypatch.setattr(locate, "DEFAULT_PORT", 9)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    assert run(["results"]) == exit_codes.OK
    assert capsys.readouterr().out == "No races yet.\n"
    folder = home / "data" / "sliderace"
    folder.mkdir(parents=True, exist_ok=True)
    asyncio.run(_store_sample(folder / "sliderace.db"))
    for server in ([], ["--server", "localhost:9"]):
        assert run(["results", *server]) == exit_codes.OK
        assert f"{RACE_ID}  3x2" in capsys.readouterr().out
    assert run(["results", RACE_ID]) == exit_codes.OK
    assert "Replay" not in capsys.readouterr().out
    assert run(["verify", RACE_ID[:6]]) != exit_codes.UNREACHABLE
    assert "ok      board" in capsys.readouterr().out
    assert run(["results", "KWXTRB-Z-9"]) == exit_codes.UNKNOWN
    assert "no race KWXTRB-Z-9" in one_line(capsys)


async def _store_sample(database: Path) -> None:
    rows = (AttemptRow(0, "Ann", "finished", 1, 9_000, 30, 20),)
    summary = RaceSummary(RACE_ID, RACE_ID[:6], 5, "3x2", False, rows)
    record = canonical.encode(sealed(sample_record()))
    async with open_store(f"sqlite:{database}") as store:
        await store.results.store(StoredRace(summary, record))


def test_room_is_read_from_standard_input(typed: TextIO, capsys: Captured) -> None:
    type_in(typed, "\ufeffKWX-TRB@127.0.0.1:9\r\n")
    for command in ("join", "watch", "bot"):
        typed.seek(0)
        typed_lines.cache_clear()
        assert run([command, "-"]) == exit_codes.UNREACHABLE
        assert "Cannot reach http://127.0.0.1:9" in one_line(capsys)
    assert run(["join", "-"]) != exit_codes.OK, "there is no second line"
    assert "room code" in one_line(capsys)


# --- solo ----------------------------------------------------------------------------


def type_in(typed: TextIO, text: str) -> None:
    typed.seek(0)
    typed.truncate()
    typed.write(text)
    typed.seek(0)
    typed_lines.cache_clear()


def test_solo_can_be_played_in_lines(typed: TextIO, capsys: Captured) -> None:
    type_in(typed, "\n\nx 1\n3\nq\n")
    assert run(["solo", "--size", "3", "--seed", "tea"]) == exit_codes.OK
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "Press Enter to start:\n" in out
    assert "\n1 3 .\n7 6 4\n8 5 2\n\nright-d (3), up-w (4)\nreset," in out
    assert "'x' is not a move." in out
    assert "Moved 3\n\n1 . 3\n7 6 4\n8 5 2\n\nMoves 1 (MTM 1)," in out
    assert out.endswith("\nGood-bye.\n")


def test_solo_draws_the_gap_blank_on_request(typed: TextIO, capsys: Captured) -> None:
    type_in(typed, "")
    board = ["--scramble", "1 2 3/4 0 6/7 5 8", "--no-intro", "--keys", "adws"]
    assert run(["solo", "--blank", *board]) == exit_codes.OK
    assert "\n1 2 3\n4   6\n7 5 8\n" in capsys.readouterr().out


def test_solo_ends_with_its_input_and_draws_a_new_board_each_time(
    typed: TextIO, capsys: Captured
) -> None:
    type_in(typed, "")
    boards: set[str] = set()
    for _ in range(3):
        args = ["--size", "10x10", "--no-intro", "--keys", "adws"]
        assert run(["solo", *args]) == exit_codes.OK
        out = capsys.readouterr().out
        assert out.startswith("10x10 (99-puzzle), MD ")
        assert out.endswith("Good-bye.\n")
        boards.add(out)
    assert len(boards) == 3


def test_last_line_counts_without_a_line_end(typed: TextIO, capsys: Captured) -> None:
    type_in(typed, "\n3\r\nadws\nboard\nq")
    assert run(["solo"]) == exit_codes.OK
    assert capsys.readouterr().out.count("Good-bye.") == 1


def test_own_keys_are_stored_for_the_next_time(
    typed: TextIO, home: Path, capsys: Captured
) -> None:
    start = ["solo", "--no-intro", "--scramble", "1 2 3/4 5 6/0 7 8"]
    type_in(typed, "gap\nj l i k\nq\n")
    assert run(start) == exit_codes.OK
    assert (home / "sliderace" / "settings.toml").exists()
    capsys.readouterr()
    type_in(typed, "\nl\n")
    assert run(start) == exit_codes.OK
    out = capsys.readouterr().out
    assert "Keys (Enter: j l i k):\n" in out
    assert "right-l (7), up-i (4)\n" in out
    assert "Moved 7\n" in out
    type_in(typed, "\n")
    assert run([*start, "--move", "tile", "--keys", "4682"]) == exit_codes.OK
    assert "left-4 (7), down-2 (4)\n" in capsys.readouterr().out


def test_stored_keys_that_are_invalid_are_reported(
    typed: TextIO, home: Path, capsys: Captured
) -> None:
    (home / "sliderace").mkdir()
    (home / "sliderace" / "settings.toml").write_text('own_keys = "aaaa"')
    type_in(typed, "q\n")
    assert run(["solo", "--size", "3", "--no-intro"]) == exit_codes.OK
    out, err = capsys.readouterr()
    assert "own_keys" in err
    assert "Keys (Enter: a d w s):" in out


def test_trace_has_a_line_for_each_input(
    typed: TextIO, home: Path, capsys: Captured
) -> None:
    type_in(typed, "9\n7\n8\nq\n")
    path = home / "trace.jsonl"
    board = ["--no-intro", "--keys", "adws", "--scramble", "1 2 3/4 5 6/0 7 8"]
    assert run(["solo", *board, "--trace", str(path)]) == exit_codes.OK
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    assert [entry["input"] for entry in entries] == ["9", "7", "8", "q"]
    assert [entry["why"] for entry in entries] == ["no_such_tile", None, None, None]
    assert [entry["tile"] for entry in entries] == [None, 7, 8, None]
    assert [entry["md"] for entry in entries] == [2, 1, 0, 0]
    assert "Congratulations" in capsys.readouterr().out
    assert run(["solo", *board, "--trace", str(home)]) == exit_codes.UNKNOWN
    assert "Cannot write" in one_line(capsys)


def test_failed_trace_is_reported_once(typed: TextIO, capsys: Captured) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("needs a device that is always full")
    type_in(typed, "7\n8\nq\n")
    board = ["--no-intro", "--keys", "adws", "--scramble", "1 2 3/4 5 6/0 7 8"]
    assert run(["solo", *board, "--trace", str(full)]) == exit_codes.OK
    out, err = capsys.readouterr()
    assert err.count("The trace ends here") == 1
    assert "Congratulations" in out


def test_without_a_terminal_nothing_is_cleared(typed: TextIO, capsys: Captured) -> None:
    type_in(typed, "\n\n\n\n")
    assert run(["solo"]) == exit_codes.OK
    assert CLEAR not in capsys.readouterr().out


def test_closed_input_counts_as_ended(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    typed_lines.cache_clear()
    for args in (["solo"], []):
        assert run(args) == exit_codes.OK
        assert capsys.readouterr().out.endswith("Good-bye.\n")
    typed_lines.cache_clear()


def in_shell(command: str) -> subprocess.CompletedProcess[str]:
    """Run a shell command with `$SLIDERACE`."""
    return subprocess.run(
        ["sh", "-c", command],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env=os.environ
        | {
            "PYTHONPATH": os.pathsep.join(sys.path),
            "SLIDERACE": f"{sys.executable} -m sliderace_client",
        },
    )


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
@pytest.mark.parametrize("outputs", [">&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("command", ["solo", "--help"])
def test_closed_outputs_lead_nowhere(command: str, outputs: str) -> None:
    ended = in_shell(f"$SLIDERACE {command} {outputs}")
    assert (ended.returncode, ended.stderr) == (exit_codes.OK, "")


needs_devices = pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="needs /dev/full and /dev/zero"
)
ONE_ROOM = "KWXTRB@127.0.0.1:9"
"""A room where no server is."""
LONG = "a" * 5_000
BAD_FILES = {
    "/dev": "Cannot read /dev: Is a directory.",
    "/dev/zero": "/dev/zero is longer than a race record can be",
    LONG: "Cannot read aaa",
    "-": "Cannot read standard input: Bad file descriptor.",
}


@needs_devices
@pytest.mark.parametrize("command", ["verify", "results", "solo --race"])
@pytest.mark.parametrize("path", BAD_FILES, ids=lambda path: path[:20])
def test_unreadable_files_are_reported_in_one_line(
    command: str, path: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    """The input is closed, too: then Python has none."""
    monkeypatch.setattr(sys, "stdin", None)
    code = run([*command.split(), path])
    if (command, path) == ("results", "/dev"):  # it may also be a server
        assert code == exit_codes.UNREACHABLE
        assert one_line(capsys) == "'/dev' is not an address."
    else:
        assert code == exit_codes.UNKNOWN
        assert one_line(capsys).startswith(BAD_FILES[path])


@pytest.mark.parametrize("path", [str(Path(__file__).parent), LONG])
def test_file_that_is_not_a_picture_is_reported_in_one_line(
    path: str, capsys: Captured
) -> None:
    assert run(["solo", "--picture", path]) == exit_codes.UNKNOWN
    assert "cannot be read: " in one_line(capsys)


BAD_STREAMS = [
    ("verify - <&-", exit_codes.UNKNOWN, "Cannot read standard input: Bad file"),
    ("verify - 0>/dev/null", exit_codes.UNKNOWN, "Cannot read standard input: Bad"),
    ("verify - </dev/zero", exit_codes.UNKNOWN, "standard input is longer than a race"),
    ("verify - <&- 2>/dev/full", exit_codes.UNKNOWN, ""),
    ("solo --race - <&-", exit_codes.UNKNOWN, "Cannot read standard input: Bad file"),
    ("bot - <&-", exit_codes.UNREACHABLE, "'' is not a room code"),
    *(
        (f"{command} {output}", exit_codes.UNKNOWN, f"Cannot write stdout: {why}.")
        for command in ("solo", "--help")
        for output, why in (
            (">/dev/full", "No space left on device"),
            ("1</dev/null", "Bad file descriptor"),
        )
    ),
    ("solo </dev/zero >/dev/null", exit_codes.OK, "The input ends here: a line is "),
    (f"join {ONE_ROOM} 2>/dev/full", exit_codes.UNREACHABLE, ""),
    (f"join {ONE_ROOM} <&- 2>&-", exit_codes.UNREACHABLE, ""),
]


@needs_devices
@pytest.mark.parametrize(("command", "code", "why"), BAD_STREAMS)
def test_bad_streams_are_one_line(command: str, code: int, why: str) -> None:
    """Closed, full, endless, of the wrong kind: never a traceback."""
    ended = in_shell(f"$SLIDERACE {command}")
    assert ended.returncode == code, ended.stderr
    assert ended.stderr.startswith(f"sliderace: {why}" if why else "")
    assert len(ended.stderr.splitlines()) == bool(why)


@pytest.mark.parametrize("byte", [b"\0", b"[", b"{", b'"', b"1", b" ", b"\n", b"\xff"])
def test_a_megabyte_of_any_byte_is_not_a_record(
    byte: bytes, home: Path, capsys: Captured
) -> None:
    path = home / "record"
    path.write_bytes(byte * 2**20)
    for command in ("verify", "results"):
        assert run([command, str(path)]) == exit_codes.UNKNOWN
        assert "not a race record" in one_line(capsys)


@pytest.mark.skipif(os.name != "posix", reason="needs a named pipe")
def test_a_record_is_read_from_a_pipe(home: Path, capsys: Captured) -> None:
    """As the shell's `<(...)`."""
    pipe = home / "pipe"
    os.mkfifo(pipe)
    record = canonical.encode(sealed(sample_record()))
    writer = threading.Thread(target=pipe.write_bytes, args=(record,))
    writer.start()
    assert run(["results", str(pipe)]) == exit_codes.OK
    writer.join()
    assert RACE_ID in capsys.readouterr().out


@pytest.mark.parametrize(
    ("refused", "said"),
    [
        (
            OSError(errno.EFBIG, "File too large"),
            "Cannot write stdout: File too large.",
        ),
        (OSError(errno.EIO, "I/O error"), "Cannot write stdout: I/O error."),
        (OSError(errno.EMFILE, "Too many"), "The system refuses something: Too many."),
        (OSError(errno.EACCES, "Not allowed", "/x"), "Cannot use /x: Not allowed."),
    ],
)
def test_whatever_the_system_refuses_is_one_line(
    refused: OSError, said: str, monkeypatch: pytest.MonkeyPatch, capfd: Captured
) -> None:
    def refuse(*_: object) -> None:
        raise refused

    monkeypatch.setattr(commands, "menu_in_lines", refuse)
    with Path(os.devnull).open("w") as output:
        monkeypatch.setattr(sys, "stdout", output)
        assert run([]) == exit_codes.UNKNOWN
    assert one_line(capfd) == said


@needs_devices
@pytest.mark.parametrize("command", ["admin races", "serve --help"])
def test_operators_commands_report_a_full_disk_in_one_line(command: str) -> None:
    ended = in_shell(f"$SLIDERACE {command} >/dev/full")
    said = "sliderace server: cannot write stdout: No space left on device\n"
    assert (ended.returncode, ended.stderr) == (4, said)
    piped = in_shell(f"$SLIDERACE {command} | true")
    assert (piped.returncode, piped.stderr) == (0, "")


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
def test_unwritable_home_is_named(tmp_path: Path) -> None:
    """Not only the reason: the user must know which folder to look at."""
    home = tmp_path / "file"
    home.write_text("no folder")
    folders = f"HOME={home} XDG_STATE_HOME={home} XDG_DATA_HOME={home}"
    ended = in_shell(f"{folders} $SLIDERACE host --no-tui --port 0")
    assert ended.returncode == exit_codes.FAILED
    assert ended.stderr.startswith(f"sliderace: Cannot start the server: {home}")
    assert len(ended.stderr.splitlines()) == 1


# --- The menu ------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 3])
def test_scramble_alone_prints_random_boards_with_their_seeds(
    count: int, capsys: Captured
) -> None:
    assert run(["scramble", "--size", "3", "--count", str(count)]) == exit_codes.OK
    lines = capsys.readouterr().out.splitlines()
    assert len(set(lines)) == 2 * count
    for seed, board in zip(lines[::2], lines[1::2], strict=True):
        drawn = scramble(bytes.fromhex(seed), Size(3, 3))
        assert format_board(drawn) == board


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_files_of_windows_programs_are_understood(
    typed: TextIO, capsys: Captured, end: str
) -> None:
    """They begin with a byte order mark, and their lines end with CR and LF."""
    type_in(typed, end.join(("\ufeffs", "", "3", "", "q", "")))
    assert run([]) == exit_codes.OK
    out = capsys.readouterr().out
    assert "Please type one of" not in out
    assert "3x3 (8-puzzle), MD " in out


def test_without_a_terminal_the_menu_is_in_lines(
    typed: TextIO, capsys: Captured
) -> None:
    type_in(typed, "zap\ns\n\n3\n\nq\n")
    assert run([]) == exit_codes.OK
    out = capsys.readouterr().out
    assert out.startswith("sliderace: race friends")
    assert "'zap'? Please type one of r, h, j, w, d, s, m, l, p, q, or help." in out
    assert "3x3 (8-puzzle), MD " in out
    assert out.endswith("Good-bye.\n")
    assert out.count("Good-bye.") == 1


def test_menu_ends_with_its_input(typed: TextIO, capsys: Captured) -> None:
    type_in(typed, "")
    assert run([]) == exit_codes.OK
    assert capsys.readouterr().out.endswith("Good-bye.\n")


def test_failed_command_leads_back_to_the_menu(typed: TextIO, capsys: Captured) -> None:
    type_in(typed, "j\nno code\nq\n")
    assert run([]) == exit_codes.OK
    out, err = capsys.readouterr()
    assert "looks like KWX-TRB" in err
    assert out.count("sliderace: race friends") == 2


def test_damaged_settings_are_reported_and_stop_nothing(
    home: Path, capsys: Captured, typed: TextIO
) -> None:
    assert typed.read() == ""
    (home / "sliderace").mkdir()
    (home / "sliderace" / "settings.toml").write_text("name = ")
    assert run(["join", "no code"]) == exit_codes.UNREACHABLE
    err = capsys.readouterr().err.splitlines()
    assert len(err) == 2
    assert "settings.toml" in err[0]
