"""The example client of the documentation races a bot."""

import asyncio
import importlib.util
from pathlib import Path
from typing import Any

from tests.e2e.protocol_client import running_server

from sliderace.protocol import messages as m
from sliderace_client.bots.bot import Bot, Skill
from sliderace_client.net.connection import Client

DOCS = Path(__file__).parents[2] / "docs"


def example() -> Any:
    spec = importlib.util.spec_from_file_location("example", DOCS / "example_client.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


async def test_the_example_client_races_a_bot() -> None:
    client = example()
    async with running_server() as server, asyncio.TaskGroup() as tasks:
        opening = Client(server.url, m.Open(m.RulesPatch(size="2x3")))
        await opening.run()
        code = opening.view.code
        address = f"{server.url.replace('http', 'ws', 1)}/ws"
        racing = tasks.create_task(client.play(address, code))
        bot = tasks.create_task(
            Bot(server.url, code, "Robo", skill=Skill(pace_ms=800), races=1).run()
        )
        standings = await racing
        await bot
    assert [row["place"] for row in standings] in ([1, 2], [1, 1])
    assert {row["name"] for row in standings} == {"Example", "Robo"}
    assert {row["status"] for row in standings} == {"finished"}


def test_the_example_client_has_at_most_sixty_lines() -> None:
    text = (DOCS / "example_client.py").read_text(encoding="utf-8")
    assert sum(bool(line.strip()) for line in text.splitlines()) <= 60
