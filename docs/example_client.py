"""A whole client of `sliderace.v1` for small boards: python example_client.py URL CODE.

Written from docs/protocol.md alone. It joins a room, races until it has seen one race's
results, and prints them. The solver is a plain search: fine for 2x2, 2x3 and 3x3.
"""

import asyncio
import json
import sys
from collections import deque

from websockets.asyncio.client import connect

STEPS = {"U": (0, 1), "D": (0, -1), "L": (1, 0), "R": (-1, 0)}  # gap -> tile that moves


def solve(text: str) -> str:
    """The shortest way home as directions, by breadth-first search."""
    rows = [row.split() for row in text.split("/")]
    width, tiles = len(rows[0]), tuple(int(tile) for row in rows for tile in row)
    home = (*range(1, len(tiles)), 0)
    seen, queue = {tiles: ""}, deque([tiles])
    while home not in seen:
        now = queue.popleft()
        x, y = now.index(0) % width, now.index(0) // width
        for name, (dx, dy) in STEPS.items():
            if 0 <= x + dx < width and 0 <= y + dy < len(rows):
                board, gap, tile = list(now), y * width + x, (y + dy) * width + x + dx
                board[gap], board[tile] = board[tile], 0
                if tuple(board) not in seen:
                    seen[tuple(board)] = seen[now] + name
                    queue.append(tuple(board))
    return seen[home]


async def play(url: str, code: str, name: str = "Example") -> list[dict]:
    """Join the room, play one race, and return its standings."""
    async with connect(url, proxy=None, compression=None) as socket:

        async def say(kind: str, **fields: object) -> None:
            await socket.send(json.dumps({"t": kind, **fields}))

        enter = {"as": "join", "code": code, "name": name, "bot": True}
        await say("hello", v=1, enter=enter, client="example 1")
        async for message in socket:
            match event := json.loads(message):
                case {"t": "snapshot", "phase": "lobby", "room": {"race": race}}:
                    await say("ready", race=race)
                case {"t": "room", "why": "settings" | "race", "room": {"race": race}}:
                    await say("ready", race=race)
                case {"t": "board", "seat": None, "race": race, "board": board}:
                    await asyncio.sleep(event["in_ms"] / 1000)
                    slides = [[way, 1, 100 * n] for n, way in enumerate(solve(board))]
                    await say("slides", race=race, gen=0, seq=1, slides=slides)
                case {"t": "results", "standings": standings}:
                    return standings
                case {"t": "refused" | "rejected", "code": reason}:
                    raise SystemExit(reason)
    raise SystemExit("the server ended the connection")


if __name__ == "__main__":
    for row in asyncio.run(play(sys.argv[1], sys.argv[2])):
        print(row["place"], row["name"], row["status"], row["time_ms"])
