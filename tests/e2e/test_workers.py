"""A server with two worker processes: any accepts a client, each serves some rooms."""

import asyncio
import contextlib
import json
import os
import re
import resource
import signal
import socket
import struct
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterator
from itertools import count
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from tests.chaos.server_process import ServerProcess
from tests.e2e.protocol_client import (
    RECEIVE_S,
    Entry,
    ProtocolClient,
    eventually,
    rules,
)
from websockets.asyncio.client import connect

from sliderace.protocol import messages as m
from sliderace.protocol.codec import encode_command
from sliderace_server.registry.codes_in_use import draw
from sliderace_server.settings import ServerSettings
from sliderace_server.storage.placement import worker_of
from sliderace_server.websocket import CannotListen
from sliderace_server.workers.listening import listening_sockets

WORKERS = 2
TARGETS = [
    next(code for code in draw(b"targets") if worker_of(code, WORKERS) == worker)
    for worker in range(WORKERS)
]
"""A room code for each worker, which gets the requests that name it."""
SECRETS = (f"{number:032x}" for number in count(1))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    # With mDNS the first worker uses Python's event loop; the other one uses uvloop.
    options = ("--workers", str(WORKERS), "--bind", "0.0.0.0", "--advertise")
    with ServerProcess(tmp_path_factory.mktemp("workers"), *options) as running:
        yield running
        running.signal()
        assert running.end() == 0
        log = running.log.read_text()
        assert "ERROR" not in log.upper().replace("ERROR=", ""), log


@contextlib.asynccontextmanager
async def through(
    server: ServerProcess, worker: int, enter: Entry | m.Me | None = None, **more: Any
) -> AsyncGenerator[ProtocolClient]:
    """Connect to a worker, which may pass the connection on; return after `welcome`."""
    url = f"ws://127.0.0.1:{server.port}/ws?room={TARGETS[worker]}"
    async with connect(url, proxy=None, compression=None, close_timeout=1) as socket:
        client = ProtocolClient(socket)
        if enter is not None:
            await client.send(m.Hello(v=1, enter=enter, **more))
            if not isinstance(enter, m.Me | m.Lobby):
                await client.until(m.Welcome)
        yield client


async def get(server: ServerProcess, path: str, **headers: str) -> Any:
    def ask() -> bytes:
        request = Request(server.url + path, headers=headers)  # noqa: S310 - ours
        with urlopen(request) as answer:  # noqa: S310 - ours
            return bytes(answer.read())

    return json.loads(await asyncio.to_thread(ask))


async def test_a_new_room_belongs_to_the_worker_that_opens_it(
    server: ServerProcess,
) -> None:
    for worker in range(WORKERS):
        async with through(server, worker, m.Create("Ann")) as ann:
            assert worker_of(ann.code, WORKERS) == worker


@pytest.mark.parametrize("worker", range(WORKERS))
async def test_members_meet_whichever_worker_they_connect_to(
    server: ServerProcess, worker: int
) -> None:
    async with through(server, worker, m.Create("Ann", rules())) as ann:
        for other in range(WORKERS):
            async with through(server, other, m.Join(ann.code, f"Ben{other}")) as ben:
                name = f"Ben{other}"
                await ann.until(m.MemberEvent, lambda e, n=name: e.member.name == n)  # type: ignore[misc]
                await ben.sync()
                token = ben.token
            async with through(
                server, 1 - other, m.Resume(ann.code, token, ben.epoch, ben.offset)
            ) as again:
                assert again.member == ben.member
                await again.sync()


async def test_quick_rooms_of_an_event_are_together(server: ServerProcess) -> None:
    async with (
        through(server, 0, m.Quick("5x5", "Ann")) as ann,
        through(server, 1, m.Quick("5x5", "Ben")) as ben,
    ):
        assert ann.code == ben.code


async def profile(server: ServerProcess, worker: int) -> str:
    """Create a profile through a worker; return its secret."""
    secret = next(SECRETS)
    async with through(server, worker, m.Me(), profile=secret) as device:
        await device.until(m.MeEvent)
        await device.send(m.Keep("Ann"))
        kept = await device.until(m.MeEvent)
        assert kept.profile is not None
    return secret


async def test_a_profile_is_managed_through_any_worker(server: ServerProcess) -> None:
    first, second = await profile(server, 0), next(SECRETS)
    async with through(server, 1, m.Me(), profile=first) as device:
        await device.until(m.MeEvent)
        await device.send(m.DeviceTicket())
        ticket = (await device.until(m.Ticket)).ticket
    async with through(server, 0, m.Me(), profile=second) as device:
        await device.until(m.MeEvent)
        await device.send(m.Claim(ticket))
        claimed = (await device.until(m.MeEvent)).profile
        assert claimed is not None
        assert len(claimed.devices) == 2


@pytest.mark.parametrize("kind", ["solo", "daily"])
async def test_a_profile_races_alone_in_one_room(
    server: ServerProcess, kind: str
) -> None:
    secret = await profile(server, 1)
    enter = m.Solo("Ann", rules()) if kind == "solo" else m.Daily("4x4", "Ann")
    async with through(server, 0, enter, profile=secret) as one:
        solo = m.Hello(v=1, enter=m.Solo("Ann", rules()), profile=secret)
        for worker in range(WORKERS):
            async with through(server, worker) as other:
                await other.send(solo)
                assert (await other.until(m.Refused)).code == "busy"
        if kind == "daily":
            async with through(server, 1, enter, profile=secret) as other:
                assert other.code == one.code


async def test_every_worker_answers_for_the_whole_server(server: ServerProcess) -> None:
    """Lists are a second old at most."""
    async with contextlib.AsyncExitStack() as stack:
        enter = m.Create("Ann", public=True)
        rooms = {
            (await stack.enter_async_context(through(server, worker, enter))).code
            for worker in range(WORKERS)
        }
        for worker in range(WORKERS):
            lobby = await stack.enter_async_context(through(server, worker))
            await lobby.send(m.Hello(v=1, enter=m.Lobby(), can=["rooms"]))
            seen: set[str] = set()
            while not rooms <= seen:
                seen |= {row.code for row in (await lobby.until(m.Rooms)).rows}
        for code in rooms:
            assert (await get(server, f"/api/rooms/{code}"))["code"] == code
            assert (await get(server, f"/api/rooms/{code}/series"))["races"] == 0
        listed = (await get(server, "/api/rooms"))["rooms"]
        assert rooms <= {room["code"] for room in listed}
        health = await get(server, "/healthz")
        assert health["rooms"] >= WORKERS
        assert health["connections"] >= WORKERS


async def test_a_request_may_come_in_pieces_and_must_be_complete(
    server: ServerProcess,
) -> None:
    def talk(*parts: bytes) -> bytes:
        with socket.create_connection(("127.0.0.1", server.port), RECEIVE_S) as sock:
            for part in parts:
                sock.sendall(part)
            answer = b""
            with contextlib.suppress(ConnectionError):
                while data := sock.recv(4_096):
                    answer += data
            return answer

    async def answer(*parts: bytes) -> bytes:
        return await asyncio.to_thread(talk, *parts)

    head = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    pieces = [head[at : at + 1] for at in range(len(head))]
    assert (await answer(*pieces)).startswith(b"HTTP/1.1 200 OK")
    too_long = b"GET / HTTP/1.1\r\nX: " + 40_000 * b"x"
    assert (await answer(too_long)).startswith(b"HTTP/1.1 431")
    slow, garbage = await asyncio.gather(answer(head[:-2]), answer(b"\0\r\n\r\n"))
    assert slow == b""  # after the timeout
    assert garbage == b"" or b" 400 " in garbage


async def test_an_address_has_a_limited_number_of_connections(tmp_path: Path) -> None:
    """All workers count together; behind a proxy, the client's address counts."""
    options = ("--trusted-proxies", "127.0.0.1", "--limit", "connections_per_ip=3")
    with ServerProcess(tmp_path, "--workers", "2", *options) as server:
        headers = {"X-Forwarded-For": "203.0.113.7"}
        url = f"ws://127.0.0.1:{server.port}/ws?room="

        def connection(worker: int) -> Any:
            return connect(
                url + TARGETS[worker], additional_headers=headers, proxy=None
            )

        async with connection(0) as one, connection(1), connection(0):
            assert await refused(server, headers)
            passed_on = ProtocolClient(one)
            await passed_on.send(m.Hello(v=1, enter=m.Join(TARGETS[1], "Ann")))
            assert await passed_on.closed() == 4502
            await eventually(lambda: allowed(server, headers))
        # A killed worker's connections do not count any more.
        async with connection(0), connection(0), connection(1) as stays:
            await ProtocolClient(stays).send(m.Hello(v=1, enter=m.Lobby()))
            assert await refused(server, headers)
            os.kill(server.workers()[0], signal.SIGKILL)
            await eventually(lambda: allowed(server, headers))


def limited(folder: Path, **limits: int) -> ServerProcess:
    """Return a server with low limits, whose clients choose their addresses."""
    options = ["--workers", str(WORKERS), "--trusted-proxies", "127.0.0.1"]
    options += [f"--limit={name}={value}" for name, value in limits.items()]
    return ServerProcess(folder, *options)


async def outcome(
    server: ServerProcess, worker: int, enter: Entry, address: str
) -> str:
    """Say hello to a worker; return the code of the refusal, or of the own room."""
    headers = {"X-Forwarded-For": address}
    url = f"ws://127.0.0.1:{server.port}/ws?room={TARGETS[worker]}"
    async with connect(url, proxy=None, additional_headers=headers) as socket:
        client = ProtocolClient(socket)
        await client.send(m.Hello(v=1, enter=enter))
        while True:
            answer = await client.receive()
            if isinstance(answer, m.Welcome | m.Refused | m.Opened):
                return answer.code


ATTACKER, FRIEND = "203.0.113.7", "203.0.113.8"


async def tries_until(attempt: Callable[[], Awaitable[object]], outcome: object) -> int:
    """Repeat an attempt until it has an outcome; return how often it had another."""
    tries = 0
    async with asyncio.timeout(RECEIVE_S):
        while await attempt() != outcome:
            tries += 1
    return tries


async def opened(server: ServerProcess, worker: int) -> str:
    """Open a room in a worker, as a client whose rooms are there."""
    addresses = (f"203.0.113.{number}" for number in count(100))
    opener = next(one for one in addresses if worker_of(one, WORKERS) == worker)
    code = await outcome(server, worker, m.Open(), opener)
    assert worker_of(code, WORKERS) == worker
    return code


async def test_wrong_codes_count_in_all_workers_together(tmp_path: Path) -> None:
    """Or an attacker who names rooms could guess once per worker as often."""
    with limited(tmp_path, failed_joins_per_10_min=3) as server:
        right = m.Join(await opened(server, 1), "Ann", "spectator")
        for _ in range(3):
            wrong = m.Join(TARGETS[0], "Ann")
            assert await outcome(server, 0, wrong, ATTACKER) == "room_unknown"
        await tries_until(lambda: outcome(server, 1, right, ATTACKER), "too_many_tries")
        assert await outcome(server, 1, right, FRIEND) == right.code


async def test_joins_count_in_all_workers_together(tmp_path: Path) -> None:
    """And each only once, although the connections are passed on."""
    with limited(tmp_path, joins_per_min=1, joins_burst=8) as server:
        one, two = [
            m.Join(await opened(server, worker), "Ann", "spectator")
            for worker in range(WORKERS)
        ]
        for _ in range(8):
            assert await outcome(server, 1, one, ATTACKER) == one.code
        more = await tries_until(lambda: outcome(server, 1, two, ATTACKER), "rate")
        assert more < 8
        assert await outcome(server, 1, two, FRIEND) == two.code


async def test_open_rooms_count_in_one_worker_whichever_the_client_names(
    tmp_path: Path,
) -> None:
    with limited(tmp_path, rooms_per_ip=2) as server:
        found = [
            await outcome(server, worker, m.Open(), ATTACKER) for worker in (0, 1, 0, 1)
        ]
    assert found[2:] == ["too_many_rooms"] * 2
    assert len({worker_of(code, WORKERS) for code in found[:2]}) == 1


async def test_requests_count_in_all_workers_together(tmp_path: Path) -> None:
    """A connection that is passed on counts as one."""
    with limited(tmp_path, pages_per_s=1, pages_burst=60) as server:

        async def status(worker: int) -> int:
            path = f"/api/rooms/{TARGETS[worker]}/series"
            try:
                await get(server, path, **{"X-Forwarded-For": ATTACKER})
            except HTTPError as error:
                return error.code
            return 200

        for worker in 20 * (0, 1):
            resume = m.Resume(TARGETS[1 - worker], "0" * 32, 0, 0)
            assert await outcome(server, worker, resume, ATTACKER) == "room_unknown"
        assert await tries_until(lambda: status(0), 429) > 5
        assert await tries_until(lambda: status(1), 429) < 20


async def test_clients_that_close_while_they_are_passed_on_are_no_errors(
    server: ServerProcess,
) -> None:
    """The log is checked at the end of this module. The second worker uses uvloop."""
    hello = encode_command(m.Hello(v=1, enter=m.Join(TARGETS[0], "Ann"))).encode()
    size = len(hello)
    frame = b"\x81" + bytes([0x80 | size]) + bytes(4) + hello
    head = (
        f"GET /ws?room={TARGETS[1]} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    ).encode()

    def close_at_once() -> None:
        for _ in range(100):
            with socket.create_connection(("127.0.0.1", server.port)) as sock:
                sock.sendall(head + frame)
                reset = struct.pack("ii", 1, 0)
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)

    await asyncio.to_thread(close_at_once)
    assert await allowed(server, {})


async def test_processes_that_can_open_no_more_files_refuse_and_recover(
    tmp_path: Path,
) -> None:
    """Connections that are lost do not count, and a killed worker comes back."""
    options = ("--trusted-proxies", "127.0.0.1", "--limit", "connections_per_ip=5")
    headers = {"X-Forwarded-For": "203.0.113.7"}
    with ServerProcess(tmp_path, "--workers", "2", *options) as server:
        assert server.process is not None
        worker, parent = server.workers()[0], server.process.pid
        with few_files(worker, spare=0):
            for _ in range(10):
                with pytest.raises(OSError):  # noqa: PT011 - reset or closed
                    await get(server, f"/api/rooms/{TARGETS[0]}", **headers)
        assert await allowed(server, headers)
        assert 1 <= server.log.read_text().count("cannot accept") < 10
        with few_files(parent, spare=20), contextlib.ExitStack() as flood:
            for _ in range(40):
                place = ("127.0.0.1", server.port)
                sock = flood.enter_context(socket.create_connection(place))
                sock.sendall(b"GET / HTTP/1.1\r\n")
            await eventually(lambda: "cannot accept" in server.log.read_text())
            for _ in range(2):
                os.kill(worker, signal.SIGKILL)
                worker = await eventually(
                    lambda old=worker: restarted(server, old)  # type: ignore[misc]
                )
        await eventually(lambda: allowed(server, headers))
        server.signal()
        assert server.end() == 0


async def test_the_rooms_of_a_killed_worker_are_not_forgotten_until_it_is_back(
    tmp_path: Path,
) -> None:
    """Or a profile could race alone in a second room, or on a daily board again."""
    with ServerProcess(tmp_path, "--workers", "2") as server:

        async def listed() -> list[str]:
            rooms = (await get(server, "/api/rooms"))["rooms"]  # of the first worker
            return [room["code"] for room in rooms]

        async with through(server, 1, m.Create("Ann", public=True)) as ann:
            await eventually(listed)
            for times in (1, 2):  # the second time it comes back after a pause
                worker = server.workers()[1]
                os.kill(worker, signal.SIGKILL)
                await eventually(
                    lambda n=times: server.log.read_text().count("worker ended") == n  # type: ignore[misc]
                )
                assert await listed() == [ann.code]
                await eventually(lambda old=worker: server.workers()[1] != old)  # type: ignore[misc]
        server.signal()
        assert server.end() == 0


async def test_a_worker_that_hangs_leaves_files_for_the_others(tmp_path: Path) -> None:
    """Its connections wait in the parent, but not in all files that it may open."""
    with ServerProcess(tmp_path, "--workers", "2") as server:
        assert server.process is not None
        hung = server.workers()[0]
        os.kill(hung, signal.SIGSTOP)
        request = f"GET /api/rooms/{TARGETS[0]} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"

        def flood(stack: contextlib.ExitStack) -> None:
            for _ in range(600):  # more than the sockets between the processes hold
                place = ("127.0.0.1", server.port)
                sock = stack.enter_context(socket.create_connection(place, RECEIVE_S))
                sock.sendall(request.encode())

        with few_files(server.process.pid, spare=80), contextlib.ExitStack() as stack:
            await asyncio.to_thread(flood, stack)
            with pytest.raises(HTTPError, match="404"):
                await get(server, f"/api/rooms/{TARGETS[1]}")
        os.kill(hung, signal.SIGCONT)
        with pytest.raises(HTTPError, match="404"):
            await get(server, f"/api/rooms/{TARGETS[0]}")
        server.signal()
        assert server.end() == 0


@contextlib.contextmanager
def few_files(process: int, spare: int) -> Generator[None]:
    """Let a process open only a few more files."""
    kind = resource.RLIMIT_NOFILE
    before = resource.prlimit(process, kind)
    files = [int(name) for name in os.listdir(f"/proc/{process}/fd")]  # noqa: PTH208
    resource.prlimit(process, kind, (max(files) + 1 + spare, before[1]))
    yield
    resource.prlimit(process, kind, before)


def restarted(server: ServerProcess, before: int) -> int | None:
    worker = server.workers()[0]
    return worker if worker != before else None


async def refused(server: ServerProcess, headers: dict[str, str]) -> bool:
    return not await allowed(server, headers)


async def allowed(server: ServerProcess, headers: dict[str, str]) -> bool:
    try:
        await get(server, "/healthz", **headers)
    except HTTPError as error:
        if error.code == 429:
            return False
        raise
    return True


async def test_a_worker_that_keeps_ending_is_restarted_after_pauses(
    tmp_path: Path,
) -> None:
    """The first restart is at once."""
    with ServerProcess(tmp_path, "--workers", "2") as server:
        for _ in range(3):
            victim = server.workers()[1]
            os.kill(victim, signal.SIGKILL)
            await eventually(lambda pid=victim: server.workers()[1] != pid)  # type: ignore[misc]
        log = server.log.read_text()
    events = re.findall(r'T..:..:(\S+)Z \w+ "(worker ended|worker started)"', log)
    times = [(float(second), event) for second, event in events[2:]]
    assert [event for _, event in times] == ["worker ended", "worker started"] * 3
    pauses = [
        (b - a) % 60 for (a, _), (b, _) in zip(times[::2], times[1::2], strict=True)
    ]
    assert pauses[1] >= 0.24
    assert pauses[2] >= 0.49


def test_an_error_at_the_start_is_one_line(tmp_path: Path) -> None:
    """Here the database of results does not answer."""
    server = ServerProcess(tmp_path, "--workers", "2")
    server.options += ("--results", "postgresql://127.0.0.1:9/nothing")
    with pytest.raises(AssertionError):
        server.start()
    assert server.end() == 4
    lines = server.log.read_text().splitlines()
    (error,) = (line for line in lines if " info " not in line)
    assert error.startswith("sliderace server: postgresql://127.0.0.1:9/nothing: ")


def test_it_listens_on_all_addresses_with_one_port() -> None:
    sockets = listening_sockets(ServerSettings(bind="::", port=0, data="unused"))
    ports = {sock.getsockname()[1] for sock in sockets}
    families = {sock.family for sock in sockets}
    assert len(ports) == 1
    assert socket.AF_INET in families
    with pytest.raises(CannotListen, match="in use"):
        listening_sockets(ServerSettings(bind="::", port=ports.pop(), data="unused"))
    for sock in sockets:
        sock.close()
