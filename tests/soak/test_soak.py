"""A server for a day, and a server under load: nothing is lost, nothing left over.

Not part of a plain `pytest`: `pytest -m soak`, with `SLIDERACE_SOAK_S=600` for longer.
"""

import asyncio
import os
import sqlite3
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from tests.chaos.process import ServerProcess
from tests.checker import Seen, Sent, faults
from tests.soak.wire import Wire, dial

from sliderace.engine import Direction, parse_board
from sliderace.protocol import messages as m
from sliderace_server.storage.sqlite.queries import read, rooms

ROOT = Path(__file__).parents[2]
ROOMS = int(os.environ.get("SLIDERACE_SOAK_ROOMS", "200"))
PLAYERS = 4
SECONDS = int(os.environ.get("SLIDERACE_SOAK_S", "60"))
PER_S = 5
RULES = m.RulesPatch(size="4x4", countdown_ms=3_000, limit_ms=0)
BACK: dict[str, Direction] = {"U": "D", "D": "U", "L": "R", "R": "L"}

pytestmark = [pytest.mark.soak, pytest.mark.timeout(600 + 4 * SECONDS)]


def test_after_a_day_everything_is_as_it_was() -> None:
    pytest.importorskip("detangle", reason="needs detangle: pip install -e '.[test]'")
    command = [sys.executable, "-m", "tests.soak.day"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr


class Player:
    """To and fro, five times a second; what was sent is kept for the checker."""

    def __init__(self, wire: Wire, race: str, board: str) -> None:
        welcome = next(e for e in wire.events if isinstance(e, m.Welcome))
        self.wire, self.race, self.seq = wire, race, 0
        self.way: Direction = parse_board(board).legal_slides()[0][0]
        self.sent = Sent(race, 0)
        self.seen = Seen(welcome.member, [self.sent])

    def is_acked(self) -> bool:
        return self.wire.acked == self.seq

    def slide(self, stamp: int) -> None:
        self.seq += 1
        slide = (self.way, 1, stamp)
        self.way = BACK[self.way]
        self.sent.add(self.seq, [slide])
        self.wire.send(m.Slides(self.race, 0, self.seq, [slide]))


async def _room(port: int) -> tuple[str, list[Player]]:
    host = await dial(port, m.Create(name="Ann", rules=RULES))
    welcome = await host.hear(m.Welcome)
    friends = [
        await dial(port, m.Join(code=welcome.code, name=f"Player {number}"))
        for number in range(1, PLAYERS)
    ]
    wires = [host, *friends]
    for wire in wires:
        wire.send(m.Ready(race=welcome.race))
    boards = [(await wire.hear(m.BoardEvent)).board for wire in wires]
    await asyncio.gather(*(wire.until(partial(_runs, wire)) for wire in wires))
    players = [
        Player(wire, welcome.race, board)
        for wire, board in zip(wires, boards, strict=True)
    ]
    return welcome.code, players


def _runs(wire: Wire) -> bool:
    return any(isinstance(e, m.PhaseEvent) and e.phase == "racing" for e in wire.events)


async def _play(rooms: dict[str, list[Player]]) -> float:
    """Everybody's slides, each at its moment; the seconds that it took."""
    players = [player for room in rooms.values() for player in room]
    began = time.monotonic()
    for turn in range(SECONDS * PER_S):
        for number, player in enumerate(players):
            if number % 40 == 0:
                due = began + (turn + number / len(players)) / PER_S
                await asyncio.sleep(max(0.0, due - time.monotonic()))
            player.slide(turn)
    for player in players:
        await player.wire.until(player.is_acked)
        player.seen.acked[player.race] = player.wire.acked
    return time.monotonic() - began


def _handles(process: int) -> int:
    return len(list(Path(f"/proc/{process}/fd").iterdir()))


async def test_two_hundred_rooms_play_and_nothing_is_lost(tmp_path: Path) -> None:
    asyncio.get_running_loop().set_debug(False)
    limits = ["--limit", "connections_per_ip=100000", "--limit", "rooms_per_ip=100000"]
    with ServerProcess(tmp_path, *limits) as server:
        assert server.process is not None
        handles = _handles(server.process.pid)
        rooms: dict[str, list[Player]] = {}
        while len(rooms) < ROOMS:
            few = min(20, ROOMS - len(rooms))
            rooms |= dict(
                await asyncio.gather(*(_room(server.port) for _ in range(few)))
            )
        took = await _play(rooms)
        slides = sum(one.seq for room in rooms.values() for one in room)
        print(f"{len(rooms)} rooms, {slides} slides in {took:.1f} s")
        for room in rooms.values():
            for player in room:
                player.wire.close()
        while _handles(server.process.pid) > handles:
            await asyncio.sleep(0.1)
        server.signal()
        server.end()
    logs = await asyncio.to_thread(_logs, tmp_path / "sliderace.db")
    for code, records in logs.items():
        players = rooms.pop(code)
        assert faults(records, [player.seen for player in players]) == []
        assert all(player.wire.acked == SECONDS * PER_S for player in players)
    assert not rooms


def _logs(database: Path) -> dict[str, list[bytes]]:
    connection = sqlite3.connect(database)
    try:
        return {room: read(connection, room, 0) for room in rooms(connection)}
    finally:
        connection.close()
