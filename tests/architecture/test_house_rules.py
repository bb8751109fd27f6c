"""What holds for every file: length, place, names that must not slip in, tasks."""

import ast
import os
import re
import subprocess
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

SLIPS = {
    "a path of somebody's machine": re.compile(
        rb"""(?x) (?<![\w.}/:-]) / (?: work | root | home/[a-z]+ | Users/\w+ ) /
        | (?<![\w.}/:-]) /tmp/ """
    ),
    "a package registry": re.compile(
        rb"py[p]i\.org|python[h]osted\.org|npm[j]s\.(?:org|com)|/simple/?(?:\s|$)"
    ),
    "a merge's leftovers": re.compile(rb"^(?:<{7}|>{7}) ", re.MULTILINE),
}
"""What must not stand in a file of the project."""

OWN_TASKS = {
    "server/sliderace_server/mdns.py": "ends with its context manager",
    "server/sliderace_server/storage/sqlite/connection.py": "never cancelled",
}
"""Where a task is no TaskGroup's, and why."""


def committed() -> list[Path]:
    """The project's files: those git knows, or those of an unpacked archive."""
    if (REPOSITORY / ".git").exists():
        names = subprocess.run(
            ["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, check=True
        ).stdout.split(b"\0")
        files = [REPOSITORY / os.fsdecode(name) for name in names if name]
        return [file for file in files if file.is_file()]
    return [
        file
        for file in REPOSITORY.rglob("*")
        if file.is_file()
        and not any(part.startswith((".", "__pyc")) for part in file.parts)
    ]


FILES = committed()
MODULES = [
    file
    for file in FILES
    if file.suffix in {".py", ".js", ".mjs"}
    and file.relative_to(REPOSITORY).parts[0] in SOURCES
    and file.parent.name != "page-tests"
]
PYTHON = [file for file in MODULES if file.suffix == ".py"]


def name(file: Path) -> str:
    return file.relative_to(REPOSITORY).as_posix()


def test_there_are_files() -> None:
    assert len(PYTHON) > 40


def test_the_top_level_holds_nothing_else() -> None:
    tops = {file.relative_to(REPOSITORY).parts[0] for file in FILES}
    assert {top for top in tops if not top.startswith(".")} <= TOP_LEVEL


@pytest.mark.parametrize("what", SLIPS)
def test_nothing_slipped_in(what: str) -> None:
    found = [
        f"{name(file)}:{number}: {line.strip()[:80]!r}"
        for file in FILES
        if file.suffix not in {".png", ".jsonl"} and file != Path(__file__)
        for number, line in enumerate(file.read_bytes().splitlines(), 1)
        if SLIPS[what].search(line)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("what", "line"),
    [
        ("a path of somebody's machine", b"see /%s/notes.txt" % b"root"),
        ("a path of somebody's machine", b'open("/%s/x")' % b"tmp"),
        ("a package registry", b"https://py%si.org/project/x" % b"p"),
        ("a merge's leftovers", b"<<<<<<< HEAD"),
    ],
)
def test_a_slip_is_seen(what: str, line: bytes) -> None:
    assert SLIPS[what].search(line)


def calls(file: Path) -> Iterator[str]:
    """The dotted names of what a module calls."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func)


def test_tasks_belong_to_groups() -> None:
    loose = re.compile(r"(asyncio|.*loop(\(\))?)\.(create_task|ensure_future)")
    found = {name(file) for file in PYTHON if any(map(loose.fullmatch, calls(file)))}
    assert found == set(OWN_TASKS)


def test_library_modules_say_what_they_offer() -> None:
    silent = [
        name(file)
        for file in PYTHON
        if file.name not in {"__main__.py", "__init__.py"}
        and "\n__all__ = [" not in file.read_text()
    ]
    assert silent == []


def test_the_list_of_promises_names_tests_that_exist() -> None:
    tests = REPOSITORY / "tests"
    sources = "\n".join(file.read_text() for file in tests.rglob("test_*.py"))
    defined = set(re.findall(r"def (test_\w+)\(", sources))
    named = set(re.findall(r"`(test_\w+)`", (tests / "README.md").read_text()))
    assert len(named) > 100
    assert named - defined == set()
