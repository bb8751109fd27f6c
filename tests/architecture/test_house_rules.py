"""Rules for all files: places, names, leftovers, tasks, and commit subjects."""

import ast
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
SOURCES = ("shared", "server", "client")
TOP_LEVEL = {
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "LICENSE.txt",
    "README.md",
    "client",
    "docs",
    "pyproject.toml",
    "server",
    "shared",
    "tests",
}
MAX_SERVER_MODULES = 12
"""The maximum at the top level of the server package."""

LEFTOVERS = {
    "a path of one machine": re.compile(
        rb"""(?x) (?<![\w.}/:-]) / (?: work | root | home/[a-z]+ | Users/\w+ ) /
        | (?<![\w.}/:-]) /tmp/ """
    ),
    "a package registry": re.compile(
        rb"py[p]i\.org|python[h]osted\.org|npm[j]s\.(?:org|com)|/simple/?(?:\s|$)"
    ),
    "a merge conflict": re.compile(rb"^(?:<{7}|>{7}) ", re.MULTILINE),
}
"""What no file may contain."""

SHARED_NAMES = {
    "__init__.py": "a package",
    "__main__.py": "what `python -m` runs",
    "app.py": "the parts of a program, put together",
    "apply.py": "what a log record changes: in a race, in a room",
    "commands.py": "commands: on the wire, to a room, of the command line",
    "connection.py": "one connection: the client's end, the server's end, to brokers",
    "deadlines.py": "what happens at which time: in a race, in a room",
    "decide.py": "which log records a command leads to: in a race, in a room",
    "events.py": "events: on the wire, how a room makes them",
    "leaderboards.py": "leaderboards: as a client gets them, in PostgreSQL",
    "limits.py": "limits: of the protocol, of a server",
    "log_records.py": "entries of the log: of a race, of a room",
    "mdns.py": "finding servers on the local network: search, announcement",
    "menu.py": "the first screen: as lines, full-screen",
    "pacing.py": "how often something is sent: by a client, by a server",
    "race.py": "a race that is played: as lines, full-screen",
    "results.py": "finished races: their screen, in PostgreSQL",
    "schema.py": "tables and migrations: SQLite, PostgreSQL",
    "settings.py": "settings: of a player, of a server",
    "solo.py": "solo play: the command, the full-screen game",
    "standings.py": "bests and averages: the rules, in PostgreSQL",
    "state.py": "what is known: of a race, of a room",
    "store.py": "a store: SQLite, PostgreSQL",
}
"""File names that may occur more than once -> what they always mean."""

OWN_TASKS = {
    "server/sliderace_server/cluster/connection.py": "awaited where it is created",
    "server/sliderace_server/cluster/jetstream_log.py": "awaited when it closes",
    "server/sliderace_server/mdns.py": "ends with its context manager",
}
"""Files that may create a task outside a TaskGroup -> why."""

SUBJECTS_SINCE = "2026-11-29T12:00:00+00:00"
"""Older commits did not follow the rule."""
SUBJECT = re.compile(r"[a-z][a-z0-9 /_.,-]*: \S.*")
LONGEST_SUBJECT = 72


def git(*arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=REPOSITORY, capture_output=True, check=True, text=True
    ).stdout


def project_files() -> list[Path]:
    """Return the files that git knows, or those of an unpacked archive."""
    if (REPOSITORY / ".git").exists():
        names = git("ls-files", "-z").split("\0")
        return [file for name in names if (file := REPOSITORY / name).is_file()]
    return [
        file
        for file in REPOSITORY.rglob("*")
        if file.is_file()
        and not any(part.startswith((".", "__pyc")) for part in file.parts)
    ]


FILES = project_files()
MODULES = [
    file
    for file in FILES
    if file.suffix in {".py", ".js", ".mjs"}
    and file.relative_to(REPOSITORY).parts[0] in SOURCES
    and file.parent.name != "page-tests"
]
PYTHON = [file for file in MODULES if file.suffix == ".py"]


def path(file: Path) -> str:
    return file.relative_to(REPOSITORY).as_posix()


def test_project_files_are_found() -> None:
    assert len(PYTHON) > 40


def test_top_level_contains_only_the_agreed_entries() -> None:
    tops = {file.relative_to(REPOSITORY).parts[0] for file in FILES}
    assert {top for top in tops if not top.startswith(".")} <= TOP_LEVEL


def test_server_package_has_few_modules_at_its_top_level() -> None:
    package = REPOSITORY / "server" / "sliderace_server"
    modules = [path(file) for file in PYTHON if file.parent == package]
    assert len(modules) <= MAX_SERVER_MODULES, modules


def test_a_file_name_stands_for_one_thing() -> None:
    places = defaultdict[str, list[str]](list)
    for file in MODULES:
        places[file.name].append(path(file))
    repeated = {name: found for name, found in places.items() if len(found) > 1}
    assert {n: found for n, found in repeated.items() if n not in SHARED_NAMES} == {}
    assert SHARED_NAMES.keys() - repeated.keys() == set(), "no longer repeated"


@pytest.mark.parametrize("what", LEFTOVERS)
def test_no_file_contains_leftovers(what: str) -> None:
    found = [
        f"{path(file)}:{number}: {line.strip()[:80]!r}"
        for file in FILES
        if file.suffix not in {".png", ".jsonl"} and file != Path(__file__)
        for number, line in enumerate(file.read_bytes().splitlines(), 1)
        if LEFTOVERS[what].search(line)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("what", "line"),
    [
        ("a path of one machine", b"see /%s/notes.txt" % b"root"),
        ("a path of one machine", b'open("/%s/x")' % b"tmp"),
        ("a package registry", b"https://py%si.org/project/x" % b"p"),
        ("a merge conflict", b"<<<<<<< HEAD"),
    ],
)
def test_leftovers_are_found(what: str, line: bytes) -> None:
    assert LEFTOVERS[what].search(line)


def calls(file: Path) -> Iterator[str]:
    """Return the dotted names of the functions that a module calls."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func)


def test_every_task_belongs_to_a_task_group() -> None:
    loose = re.compile(r"(asyncio|.*loop(\(\))?)\.(create_task|ensure_future)")
    found = {path(file) for file in PYTHON if any(map(loose.fullmatch, calls(file)))}
    assert found == set(OWN_TASKS)


def test_every_library_module_lists_its_public_names() -> None:
    without = [
        path(file)
        for file in PYTHON
        if file.name not in {"__main__.py", "__init__.py"}
        and "\n__all__ = [" not in file.read_text()
    ]
    assert without == []


@pytest.mark.skipif(
    not (REPOSITORY / ".git").exists(),
    reason="not allowed here: an archive has no history",
)
def test_commit_subjects_are_short_and_name_an_area() -> None:
    log = git("log", "--no-merges", f"--since={SUBJECTS_SINCE}", "--format=%s")
    subjects = log.splitlines()
    assert [one for one in subjects if len(one) > LONGEST_SUBJECT] == []
    assert [one for one in subjects if not SUBJECT.fullmatch(one)] == []
