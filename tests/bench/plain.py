"""A server for comparison: `python -m tests.bench.plain PORT`.

It is the simplest possible race server: the websockets library, the json module and our
engine. It checks every move and sends it to all with `broadcast`; it stores, limits and
counts nothing. It speaks just enough of our protocol for the driver.
"""

import argparse
import asyncio
import json
from typing import Any

from websockets.asyncio.server import ServerConnection, broadcast, serve
from websockets.exceptions import ConnectionClosed

from sliderace.engine import Board, Size, format_board, progress_permille, scramble

TICK_S = 0.05
"""Interval of progress with `--tick`, as in the product's large rooms."""


class Room:
    """The members of a room, and each player's board."""

    def __init__(self, tick: float) -> None:
        self.members: set[ServerConnection] = set()
        self.boards: list[Board] = []
        self.start = scramble(bytes(32), Size(4, 4))
        self.pending: dict[int, list[int]] = {}
        self.tick = tick

    def announce(self, step: list[int]) -> None:
        """Send one move to everybody, at once or with the next tick."""
        if not self.tick:
            self._broadcast([step])
            return
        if not self.pending:
            asyncio.get_running_loop().call_later(self.tick, self._send_tick)
        self.pending[step[0]] = step

    def _send_tick(self) -> None:
        self._broadcast(list(self.pending.values()))
        self.pending.clear()

    def _broadcast(self, steps: list[list[int]]) -> None:
        broadcast(self.members, dumps({"t": "progress", "race": "R", "p": steps}))


def dumps(event: object) -> str:
    """Return JSON without spaces, as the product writes it."""
    return json.dumps(event, separators=(",", ":"))


class Plain:
    """The simplest possible race server."""

    def __init__(self, tick: float) -> None:
        self.rooms: dict[str, Room] = {}
        self.tick = tick

    async def handle(self, socket: ServerConnection) -> None:
        """Serve one connection: hello, then slides and pings."""
        hello = json.loads(await socket.recv())["enter"]
        room = self.rooms.setdefault(hello["code"], Room(self.tick))
        room.members.add(socket)
        seat = -1
        if hello["role"] == "player":
            seat = len(room.boards)
            room.boards.append(room.start.copy())
        board = format_board(room.start)
        welcome = {"t": "welcome", "race": "R", "seat": seat, "board": board}
        await socket.send(dumps(welcome))
        try:
            async for text in socket:
                await self.receive(socket, room, seat, json.loads(text))
        except ConnectionClosed:
            pass
        finally:
            room.members.discard(socket)

    async def receive(
        self, socket: ServerConnection, room: Room, seat: int, message: dict[str, Any]
    ) -> None:
        """Check a move, acknowledge it and send it to everybody."""
        if message["t"] == "ping":
            await socket.send(dumps({"t": "pong", "id": message["id"]}))
            return
        board, seq = room.boards[seat], message["seq"]
        for direction, tiles, _ in message["slides"]:
            if not board.try_slide(direction, tiles):
                await socket.send(dumps({"t": "rejected", "seq": seq}))
                return
        await socket.send(dumps({"t": "ack", "race": "R", "seq": seq}))
        room.announce([seat, seq, progress_permille(board.md, 40), seq])


async def main() -> None:
    """Serve until the process is killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("--tick", type=float, default=0)
    args = parser.parse_args()
    server = Plain(args.tick)
    async with serve(
        server.handle, "127.0.0.1", args.port, compression=None, ping_interval=None
    ):
        await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    asyncio.run(main())
