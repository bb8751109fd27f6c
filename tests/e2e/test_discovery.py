"""Discovery on the local network, between two network namespaces."""

import os
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pytest

from sliderace_client.net import mdns as client
from sliderace_server import mdns as server

pytestmark = pytest.mark.timeout(60)
PORT = 18710
SERVER = f"""
import asyncio
from sliderace_server.mdns import advertised

async def main():
    async def answer(reader, writer):
        writer.close()

    async with await asyncio.start_server(answer, "0.0.0.0", {PORT}):
        async with advertised({PORT}, "test"):
            print("ready", flush=True)
            await asyncio.to_thread(input)

asyncio.run(main())
"""
FIND_ALL = """
import asyncio
from sliderace_client.net.mdns import find_servers

print(*asyncio.run(find_servers({timeout})))
"""
FIND_ONE = """
import asyncio
from sliderace_client.net.mdns import find_server

async def has_room(address):
    host, port = address.split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.close()
    return True

print(asyncio.run(find_server(has_room, {timeout})))
"""
HOST = """
import json, subprocess, sys
from sliderace.protocol.messages import RulesPatch
from sliderace_client.local_server import open_room

command = [sys.executable, "-m", "sliderace_server", "--memory", "--ready-fd", "1"]
command += ["--bind", "0.0.0.0", "--port", "0", "--log-level", "warning"]
with subprocess.Popen(command, stdout=subprocess.PIPE) as server:
    port = json.loads(server.stdout.readline())["port"]
    print(port, open_room(f"http://127.0.0.1:{port}", RulesPatch()), flush=True)
    input()
    server.terminate()
"""
LOCATE = """
import asyncio
from sliderace_client.net.locate import NotFound, find

try:
    place = asyncio.run(find("{code}"))
    print(place.server, place.code)
except NotFound as error:
    print(error)
"""
numbers = count()


class Machine(NamedTuple):
    """A network namespace with one address."""

    name: str
    address: str

    @contextmanager
    def python(self, script: str) -> Generator[subprocess.Popen[str], None, None]:
        """Run a script in the namespace until the end of the test."""
        with subprocess.Popen(
            ["ip", "netns", "exec", self.name, sys.executable, "-c", script],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                yield process
            finally:
                process.kill()

    def run(self, script: str) -> str:
        """Return what a script prints; it must print no warnings."""
        with self.python(script) as process:
            output, complaint = process.communicate()
        assert complaint == ""
        assert process.returncode == 0
        return output.strip()


def ip(command: str) -> None:
    subprocess.run(["ip", *command.split()], check=True, capture_output=True)


@contextmanager
def machine(address: str = "") -> Generator[Machine, None, None]:
    """Create a namespace without a network."""
    name = f"sliderace-{os.getpid()}-{next(numbers)}"
    try:
        ip(f"netns add {name}")
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not allowed here: making network namespaces")
    try:
        ip(f"-n {name} link set lo up")
        yield Machine(name, address)
    finally:
        ip(f"netns del {name}")


def plug(one: Machine, two: Machine) -> None:
    """Connect two namespaces."""
    n = next(numbers)
    ends = [f"sr{os.getpid() % 100_000}{side}{n}" for side in "ab"]
    ip(f"link add {ends[0]} type veth peer name {ends[1]}")
    for end, at in zip(ends, (one, two), strict=True):
        ip(f"link set {end} netns {at.name}")
        ip(f"-n {at.name} addr add {at.address}/24 dev {end}")
        ip(f"-n {at.name} link set {end} up")


@pytest.fixture
def lan() -> Generator[tuple[Machine, Machine], None, None]:
    """Create two connected namespaces."""
    with ExitStack() as stack:
        one = stack.enter_context(machine("10.123.45.1"))
        two = stack.enter_context(machine("10.123.45.2"))
        plug(one, two)
        yield one, two


@contextmanager
def running(at: Machine, script: str = SERVER) -> Generator[str, None, None]:
    """Run a server until it is sent a line; yield what it printed when ready."""
    with at.python(script) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        _, complaint = process.communicate("\n")
    assert complaint == ""
    assert process.returncode == 0


def test_a_server_is_found_and_can_be_reached(
    lan: tuple[Machine, Machine],
) -> None:
    here, there = lan
    with running(here):
        found = there.run(FIND_ONE.format(timeout=600))
        assert found == f"{here.address}:{PORT}"
        assert there.run(FIND_ALL.format(timeout=2)) == found
    # After the end it is not found any more.
    assert there.run(FIND_ALL.format(timeout=1)) == ""


def test_a_room_code_alone_finds_a_server_on_the_network(
    lan: tuple[Machine, Machine], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    here, there = lan
    with running(here, HOST) as printed:
        port, code = printed.split()
        place = f"http://{here.address}:{port} {code}"
        assert there.run(LOCATE.format(code=code.lower())) == place
        other = there.run(LOCATE.format(code="BCD-FGH"))
        assert other.startswith("No server nearby has the room")


def test_without_a_server_none_is_found(lan: tuple[Machine, Machine]) -> None:
    _, there = lan
    assert there.run(FIND_ONE.format(timeout=0.5)) == "None"


def test_without_a_network_the_search_ends_at_once() -> None:
    with machine() as alone, running(alone):
        before = time.monotonic()
        assert alone.run(FIND_ALL.format(timeout=600)) == ""
        assert time.monotonic() - before < 10


def test_client_and_server_use_the_same_service_type() -> None:
    assert client.SERVICE == server.SERVICE


@pytest.mark.parametrize("bind", ["127.0.0.1", "::1", "localhost", "203.0.113.9"])
def test_an_unreachable_server_has_no_address(bind: str) -> None:
    assert server.reachable(bind) == []


def test_a_server_on_one_address_advertises_only_that() -> None:
    every = server.reachable("0.0.0.0")
    assert server.reachable("::") == server.reachable("") == every
    assert every == client.lan_addresses()
    for address in every:
        assert server.reachable(address) == [address]
