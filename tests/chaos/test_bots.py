"""The process of the server's bots is killed or stopped, and so is their server."""

import asyncio
import contextlib
import os
import re
import signal
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.chaos.server_process import ServerProcess
from tests.e2e.protocol_client import ProtocolClient, connected, eventually, rules

from sliderace.protocol import messages as m
from sliderace_server.registry.bot_process import RESTARTS

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(120)]

STARTED = re.compile(r"\"bots started\" pid=(\d+)")
WANTED = m.Bots([m.BotWanted("casual"), m.BotWanted("beginner")])
"""Slow enough to be racing still when a new process has started."""


def pids(server: ServerProcess) -> list[int]:
    """Return the ids of all processes of bots so far."""
    return [int(pid) for pid in STARTED.findall(server.log.read_text())]


async def other_pid(server: ServerProcess, before: list[int]) -> int:
    """Wait for the next process of bots."""
    return int(
        (await eventually(lambda: asyncio.to_thread(pids_after, server, before)))[0]
    )


def pids_after(server: ServerProcess, before: list[int]) -> list[int]:
    return pids(server)[len(before) :]


def exists(pid: int) -> bool:
    with contextlib.suppress(OSError):
        os.kill(pid, 0)
        return True
    return False


@contextlib.asynccontextmanager
async def racing(
    server: ServerProcess, **more: int
) -> AsyncGenerator[ProtocolClient, None]:
    """Start a race of Ann and two bots, which have begun to slide."""
    create = m.Create("Ann", rules("3x3", **more))
    async with connected(server.port, create) as ann:
        await ann.send(WANTED)
        for _ in WANTED.want:
            await ann.until(m.MemberEvent, lambda one: one.member.ready)
        await ann.send(m.Ready(ann.race))
        await ann.phase("racing")
        await ann.until(m.Progress)
        yield ann


def has_finished(event: m.StandingEvent) -> bool:
    return event.standing.status == "finished"


def statuses(results: m.Results) -> list[str]:
    return [row.status for row in results.standings if row.bot]


@pytest.mark.slow
async def test_bots_play_on_after_their_process_is_killed(tmp_path: Path) -> None:
    with ServerProcess(tmp_path) as server:
        async with racing(server) as ann:
            before = await asyncio.to_thread(pids, server)
            os.kill(before[0], signal.SIGKILL)
            await other_pid(server, before)
            await ann.send(m.Forfeit(ann.race))
            async with asyncio.timeout(60):
                results = await ann.until(m.Results)
    assert statuses(results) == ["finished"] * 2


@pytest.mark.slow
async def test_nobody_waits_for_bots_whose_process_is_stopped(tmp_path: Path) -> None:
    """They do not finish, by the time limit; Ann's slides are stored as ever."""
    with ServerProcess(tmp_path) as server:
        async with racing(server, limit_ms=10_000) as ann:
            [pid] = await asyncio.to_thread(pids, server)
            os.kill(pid, signal.SIGSTOP)
            await ann.solve()
            await ann.acked(ann.seq)
            results = await ann.until(m.Results)
            assert statuses(results) == ["dnf"] * 2
            assert [row.why for row in results.standings if row.bot] == ["limit"] * 2
            server.signal()
            assert await asyncio.to_thread(server.end) == 0
    assert not exists(pid)


@pytest.mark.slow
async def test_bots_survive_a_killed_server(tmp_path: Path) -> None:
    with ServerProcess(tmp_path) as server:
        async with racing(server) as ann:
            before = await asyncio.to_thread(pids, server)
            await asyncio.to_thread(server.kill)
            await eventually(lambda: not exists(before[0]))
            await asyncio.to_thread(server.start)
            await other_pid(server, before)
            async with (
                connected(server.port, m.Resume(ann.code, ann.token)) as again,
                asyncio.timeout(60),
            ):
                for _ in WANTED.want:
                    await again.until(m.StandingEvent, has_finished)


@pytest.mark.slow
async def test_bots_are_refused_after_their_process_has_ended_too_often(
    tmp_path: Path,
) -> None:
    with ServerProcess(tmp_path) as server:
        async with connected(server.port, m.Create("Ann", rules("3x3"))) as ann:
            await ann.send(WANTED)
            before: list[int] = []
            for _ in range(RESTARTS + 1):
                pid = await other_pid(server, before)
                before = await asyncio.to_thread(pids, server)
                os.kill(pid, signal.SIGKILL)
            await eventually(
                lambda: asyncio.to_thread(
                    lambda: "ended too often" in server.log.read_text()
                )
            )
            await ann.send(m.Bots([m.BotWanted("expert")]))
            refused = await ann.until(m.Refused)
            assert refused.code == "bots_unavailable"
            assert 0 < refused.retry_ms <= 60_000
            assert len(await asyncio.to_thread(pids, server)) == RESTARTS + 1
            await ann.send(m.Bots([]))
            await ann.until(m.Gone)
