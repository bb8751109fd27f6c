"""A server for a day, and a server under load: nothing is lost or left over.

Run it with `pytest -m soak`; the variable SLIDERACE_SOAK_S sets the seconds of load.
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
from tests.chaos.server_process import ServerProcess
from tests.log_checker import Observed, Sent, faults
from tests.server.sync_queries import asynchronous, run
from tests.soak.load_client import LoadClient, connect_to

from sliderace.engine import Direction, parse_board
from sliderace.protocol import messages as m
from sliderace_server.storage.sqlite.queries import read, rooms

ROOT = Path(__file__).parents[2]
ROOMS = int(os.environ.get("SLIDERACE_SOAK_ROOMS", "200"))
PLAYERS = 4
SECONDS = int(os.environ.get("SLIDERACE_SOAK_S", "60"))
PER_S = 5
RULES = m.RulesPatch(size="4x4", countdown_ms=3_000, limit_ms=0)
OPPOSITE: dict[str, Direction] = {"U": "D", "D": "U", "L": "R", "R": "L"}

pytestmark = [pytest.mark.soak, pytest.mark.timeout(600 + 4 * SECONDS)]


def test_nothing_is_left_over_after_a_day() -> None:
    pytest.importorskip("detangle", reason="needs detangle: pip install -e '.[test]'")
    command = [sys.executable, "-m", "tests.soak.day"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr


class Player:
    """A player who slides a tile back and forth; the log checker gets all slides."""

    def __init__(self, client: LoadClient, race: str, board: str) -> None:
        welcome = next(e for e in client.events if isinstance(e, m.Welcome))
        self.client, self.race, self.seq = client, race, 0
        self.direction: Direction = parse_board(board).legal_slides()[0][0]
        self.sent = Sent(race, 0)
        self.observed = Observed(welcome.member, [self.sent])

    def is_acked(self) -> bool:
        return self.client.acked == self.seq

    def slide(self, stamp: int) -> None:
        self.seq += 1
        slide = (self.direction, 1, stamp)
        self.direction = OPPOSITE[self.direction]
        self.sent.add(self.seq, [slide])
        self.client.send(m.Slides(self.race, 0, self.seq, [slide]))


async def _room(port: int) -> tuple[str, list[Player]]:
    host = await connect_to(port, m.Create(name="Ann", rules=RULES))
    welcome = await host.wait_for(m.Welcome)
    friends = [
        await connect_to(port, m.Join(code=welcome.code, name=f"Player {number}"))
        for number in range(1, PLAYERS)
    ]
    clients = [host, *friends]
    for client in clients:
        client.send(m.Ready(race=welcome.race))
    boards = [(await client.wait_for(m.BoardEvent)).board for client in clients]
    await asyncio.gather(
        *(client.until(partial(_is_racing, client)) for client in clients)
    )
    players = [
        Player(client, welcome.race, board)
        for client, board in zip(clients, boards, strict=True)
    ]
    return welcome.code, players


def _is_racing(client: LoadClient) -> bool:
    return any(
        isinstance(e, m.PhaseEvent) and e.phase == "racing" for e in client.events
    )


async def _play(rooms: dict[str, list[Player]]) -> float:
    """Send every player's slides on schedule; return how many seconds it took."""
    players = [player for room in rooms.values() for player in room]
    began = time.monotonic()
    for turn in range(SECONDS * PER_S):
        for number, player in enumerate(players):
            if number % 40 == 0:
                due = began + (turn + number / len(players)) / PER_S
                await asyncio.sleep(max(0.0, due - time.monotonic()))
            player.slide(turn)
    for player in players:
        await player.client.until(player.is_acked)
        player.observed.acked[player.race] = player.client.acked
    return time.monotonic() - began


def _open_files(process: int) -> int:
    return len(list(Path(f"/proc/{process}/fd").iterdir()))


async def test_no_slide_of_200_busy_rooms_is_lost(tmp_path: Path) -> None:
    asyncio.get_running_loop().set_debug(False)
    limits = ["--limit", "connections_per_ip=100000", "--limit", "rooms_per_ip=100000"]
    with ServerProcess(tmp_path, *limits) as server:
        assert server.process is not None
        files = _open_files(server.process.pid)
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
                player.client.close()
        while _open_files(server.process.pid) > files:
            await asyncio.sleep(0.1)
        server.signal()
        server.end()
    logs = await asyncio.to_thread(_logs, tmp_path / "sliderace.db")
    for code, records in logs.items():
        players = rooms.pop(code)
        assert faults(records, [player.observed for player in players]) == []
        assert all(player.client.acked == SECONDS * PER_S for player in players)
    assert not rooms


def _logs(database: Path) -> dict[str, list[bytes]]:
    connection = sqlite3.connect(database)
    try:
        db = asynchronous(connection)
        return {room: run(read(db, room, 0)) for room in run(rooms(db))}
    finally:
        connection.close()
