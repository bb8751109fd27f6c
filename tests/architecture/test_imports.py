"""The import contracts of `pyproject.toml` hold, and each of them can fail."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[2]
SOURCES = ("shared", "server", "client")
CONFIG: dict[str, Any] = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
CONTRACTS = CONFIG["tool"]["importlinter"]["contracts"]

PLANTS = [
    ("layers", "shared/sliderace/engine/board.py", "import sliderace.race.rules"),
    ("layers", "shared/sliderace/race/rules.py", "import sliderace.protocol.limits"),
    ("layers", "shared/sliderace/protocol/limits.py", "import sliderace_server.room"),
    (
        "layers",
        "server/sliderace_server/room/state.py",
        "import sliderace_client.room.fold",
    ),
    ("layers", "client/sliderace_client/room/fold.py", "import sliderace_server.room"),
    (
        "layers",
        "client/sliderace_page/__init__.py",
        "import sliderace_client.room.fold",
    ),
    ("library", "shared/sliderace/newcomer.py", ""),
    ("library", "shared/sliderace/race/rules.py", "import sliderace.protocol.limits"),
    ("server", "server/sliderace_server/newcomer.py", ""),
    (
        "server",
        "server/sliderace_server/http/routes.py",
        "import sliderace_server.registry",
    ),
    (
        "server",
        "server/sliderace_server/room/state.py",
        "import sliderace_server.registry.rooms",
    ),
    (
        "server",
        "server/sliderace_server/registry/rooms.py",
        "import sliderace_server.websocket",
    ),
    (
        "server",
        "server/sliderace_server/room/state.py",
        "import sliderace_server.storage",
    ),
    ("client", "client/sliderace_client/newcomer.py", ""),
    (
        "client",
        "client/sliderace_client/room/fold.py",
        "import sliderace_client.net.connection",
    ),
    (
        "client",
        "client/sliderace_client/net/connection.py",
        "import sliderace_client.tui",
    ),
    ("cycles", "shared/sliderace/engine/moves.py", "import sliderace.engine.board"),
    (
        "cycles",
        "server/sliderace_server/room/state.py",
        "import sliderace_server.room.apply",
    ),
    ("pure", "shared/sliderace/engine/board.py", "import random"),
    ("pure", "shared/sliderace/solve/planner.py", "import random"),
    ("pure", "shared/sliderace/race/decide.py", "import time"),
    ("pure", "shared/sliderace/protocol/codec.py", "import socket"),
    ("pure", "server/sliderace_server/room/decide.py", "import asyncio"),
    ("pure", "server/sliderace_server/live_room/history.py", "import logging"),
    ("pure", "client/sliderace_client/room/fold.py", "import time"),
    (
        "pure",
        "client/sliderace_client/shared_ui/wording.py",
        "import sliderace_client.shared_ui.settings",
    ),
    ("engine", "shared/sliderace/engine/notation.py", "import msgspec"),
    ("engine", "shared/sliderace/proof/record.py", "import msgspec"),
    ("pure", "shared/sliderace/proof/signed.py", "import cryptography"),
    ("websockets", "server/sliderace_server/websocket/session.py", "import websockets"),
    ("websockets", "client/sliderace_client/bots/bot.py", "import websockets"),
    ("sqlite", "server/sliderace_server/registry/rooms.py", "import sqlite3"),
    ("sqlite", "server/sliderace_server/storage/memory.py", "import aiosqlite"),
    ("postgresql", "server/sliderace_server/storage/__init__.py", "import asyncpg"),
    ("nats", "server/sliderace_server/registry/rooms.py", "import nats"),
    ("textual", "client/sliderace_client/shared_ui/render.py", "import textual"),
    ("textual", "client/sliderace_client/bots/bot.py", "import rich"),
    (
        "keys",
        "server/sliderace_server/registry/results_writer.py",
        "import cryptography",
    ),
    ("keys", "client/sliderace_client/race_records.py", "import cryptography"),
    ("mdns", "server/sliderace_server/websocket/session.py", "import zeroconf"),
]
"""Contract, file, and a line that breaks the contract in that file. If the line is "",
the file is new and not assigned to a layer."""


def lint(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run import-linter over the sources in a folder."""
    paths = [str(folder / source) for source in SOURCES]
    return subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-logo", *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_contracts_hold() -> None:
    result = lint(REPOSITORY, "--no-cache")
    assert result.returncode == 0, result.stdout + result.stderr


def test_each_contract_has_a_planted_import() -> None:
    planted = {contract for contract, _, _ in PLANTS}
    assert planted == {contract["id"] for contract in CONTRACTS}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a copy of the Python sources."""
    folder = tmp_path_factory.mktemp("copy")
    for source in SOURCES:
        ignore = shutil.ignore_patterns("__pycache__", "node_modules", "page-tests")
        shutil.copytree(REPOSITORY / source, folder / source, ignore=ignore)
    shutil.copy(REPOSITORY / "pyproject.toml", folder)
    return folder


@pytest.mark.parametrize(("contract", "file", "line"), PLANTS)
def test_a_planted_import_breaks_its_contract(
    copy: Path, contract: str, file: str, line: str
) -> None:
    path = copy / file
    before = path.read_text() if path.exists() else None
    assert (before is None) == (line == "")
    path.write_text(f"{before or ''}\n{line}\n")
    try:
        result = lint(copy, "--no-cache", "--contract", contract)
    finally:
        if before is None:
            path.unlink()
        else:
            path.write_text(before)
    assert result.returncode == 1, result.stdout + result.stderr
    assert "1 broken" in result.stdout
    assert line.removeprefix("import ").partition(".")[0] in result.stdout
