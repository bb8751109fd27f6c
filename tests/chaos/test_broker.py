"""The log is in JetStream; brokers and servers are killed in mid-race."""

import asyncio
import json
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.request import Request, urlopen

import pytest
from tests.chaos.race import Race, running_race
from tests.chaos.server_process import ServerProcess
from tests.e2e.test_proxies import DEPLOY, free_port
from tests.nats_server import Brokers
from tests.postgres import PostgresServer

from sliderace_server.cli import STATE_FILE
from sliderace_server.cluster.connection import connected
from sliderace_server.cluster.jetstream_log import JetStreamLog
from sliderace_server.signing_key import KEY_FILE

T = TypeVar("T")
# Left to the full tier: test_cluster.py kills nodes and brokers in every run.
pytestmark = [pytest.mark.chaos, pytest.mark.soak]


class ClusterServer(ServerProcess):
    """A server whose log is in JetStream."""

    def __init__(self, folder: Path, urls: list[str], results: str, *more: str) -> None:
        place = ("--cluster", ",".join(urls), "--results", results)
        super().__init__(folder, *place, *more)
        self._urls = urls

    def log_of(self, room: str) -> list[bytes]:
        """Return a room's log from the broker; blocks."""
        return self._ask(lambda log: log.read(room))

    def leader_of(self, room: str) -> int:
        """Return the number of the broker that leads a room's stream; blocks."""

        async def find(log: JetStreamLog) -> int:
            found = await log.stream(log.stream_name(room))
            assert found is not None
            return int(found.cluster.leader[1:]) if found.cluster else 0

        return self._ask(find)

    def limit(self, *, full: bool) -> None:
        """Make the streams almost full, or remove their limits; blocks."""

        async def change(log: JetStreamLog) -> None:
            for stream in await log.streams():
                assert stream is not None
                stream.config.max_bytes = stream.state.bytes + 1 if full else -1
                subject = f"$JS.API.STREAM.UPDATE.{stream.config.name}"
                await log.request(subject, stream.config)

        self._ask(change)

    def view_of_brokers(self) -> dict[str, Any]:
        """Return what the server tells `sliderace doctor`; blocks."""
        state = json.loads((self.folder / STATE_FILE).read_text())
        token = {"Authorization": f"Bearer {state['operator_token']}"}
        request = Request(f"{self.url}/healthz", headers=token)  # noqa: S310
        with urlopen(request, timeout=10) as answer:  # noqa: S310
            view: dict[str, Any] = json.load(answer)["operator"]["brokers"]
        return view

    def _ask(self, question: Callable[[JetStreamLog], Awaitable[T]]) -> T:
        async def ask() -> T:
            log = JetStreamLog()
            async with connected(self._urls) as one, log.opened(one):
                return await question(log)

        return asyncio.run(ask())


@pytest.mark.timeout(120)
@pytest.mark.parametrize("count", [1, 3])
async def test_killed_server_and_killed_broker_lose_nothing(
    tmp_path: Path, postgres: PostgresServer, count: int
) -> None:
    results = await postgres.empty_database()
    with (
        Brokers(tmp_path / "broker", count) as brokers,
        ClusterServer(tmp_path / "server", brokers.urls, results) as server,
    ):
        async with running_race(server, size="5x5") as race:
            await race.moved()
            await asyncio.to_thread(server.kill)
            durable = race.acked()
            await asyncio.to_thread(server.start)
            await race.back(durable)
            await race.moved()
            leader = await asyncio.to_thread(server.leader_of, race.code)
            await asyncio.to_thread(brokers.kill, leader)
            durable = race.acked()
            made = [len(one.made) for one in race.racers]
            # The race goes on without acks.
            for one, slides in zip(race.racers, made, strict=True):
                await one.until(lambda o=one, s=slides: len(o.made) > s + 2)  # type: ignore[misc]
            if count == 1:
                assert all(a <= m for a, m in zip(race.acked(), made, strict=True))
                await asyncio.to_thread(brokers.start)
            await race.back(durable)
            await race.moved()
            await race.finish()
        view = await asyncio.to_thread(server.view_of_brokers)
        assert {f"nats://{place}" for place in view["versions"]} == {*brokers.urls}
        assert view["faults"] == {}


USERS = "authorization {{ users: [ {{ user: {}, password: x }} ] }}"


@pytest.mark.timeout(120)
async def test_full_stream_and_revoked_credentials_lose_nothing(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    """The race goes on without acks, and the log says why in one line."""
    results = await postgres.empty_database()
    with Brokers(tmp_path / "broker", more=USERS.format("ann")) as broker:
        urls = [url.replace("//", "//ann:x@") for url in broker.urls]
        with ClusterServer(tmp_path / "server", urls, results) as server:
            async with running_race(server, size="5x5") as race:
                await race.moved()
                await asyncio.to_thread(server.limit, full=True)
                await _without_acks(race)
                await asyncio.to_thread(server.limit, full=False)
                await race.moved()
                await asyncio.to_thread(broker.reload, USERS.format("bob"))
                await _without_acks(race)
                await asyncio.to_thread(broker.reload, USERS.format("ann"))
                await race.moved()
                await race.finish()
            said = server.log.read_text()
            assert said.count("maximum bytes exceeded") == 1
            assert said.count("Authorization Violation") == 1


async def _without_acks(race: Race) -> None:
    """Wait until each racer has five slides that are not acknowledged."""
    for one in race.racers:
        await one.until(lambda o=one: len(o.made) >= o.acked + 5)  # type: ignore[misc]


HTTP = """\
daemon off; master_process off; error_log stderr; pid {folder}/pid; events {{}}
http {{ access_log off; {server} }}
"""


@contextmanager
def proxied(
    program: str, folder: Path, port: int, nodes: Sequence[ServerProcess]
) -> Generator[str, None, None]:
    """Run nginx with the configuration for three nodes; return its address."""
    text = (DEPLOY / "cluster" / "nginx.conf").read_text()
    for name, node in zip("abc", nodes, strict=True):
        text = text.replace(f"{name}.internal:8710", f"127.0.0.1:{node.port}")
    text = re.sub(r"ssl_certificate.*|listen \[.*", "", text)
    text = text.replace("listen 443 ssl", f"listen 127.0.0.1:{port}")
    config = folder / "nginx.conf"
    config.write_text(HTTP.format(folder=folder, server=text))
    command = [program, "-e", "stderr", "-p", str(folder), "-c", str(config)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            while not _listens(port):
                time.sleep(0.01)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def _listens(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.timeout(300)
@pytest.mark.parametrize("upgrade", [False, True])
async def test_three_machines_survive_the_loss_or_upgrade_of_any_node(
    tmp_path: Path, postgres: PostgresServer, nginx: str, *, upgrade: bool
) -> None:
    """As docs/operating.md describes them, but all on this machine."""
    results, port = await postgres.empty_database(), free_port()
    public = ("--public-url", f"http://127.0.0.1:{port}")
    more = (*public, "--trusted-proxies", "127.0.0.1")
    with ExitStack() as stack:
        brokers = stack.enter_context(Brokers(tmp_path / "brokers", 3))
        nodes: list[ClusterServer] = []
        for name in "abc":
            folder = tmp_path / name
            node = ClusterServer(folder, brokers.urls, results, *more, "--node", name)
            if nodes:
                shutil.copy(nodes[0].folder / KEY_FILE, folder)
            nodes.append(node)
            await asyncio.to_thread(stack.enter_context, node)
        url = stack.enter_context(proxied(nginx, tmp_path, port, nodes))
        async with running_race(nodes[0], 3, "5x5", [url] * 3) as race:
            for node in nodes:
                await race.moved()
                if upgrade:
                    node.signal(signal.SIGTERM)
                    assert await asyncio.to_thread(node.end) == 0
                else:
                    await asyncio.to_thread(node.kill)
                await race.back(race.acked())
                await race.moved()
                await asyncio.to_thread(node.start)
            await race.finish()
