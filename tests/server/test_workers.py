"""Workers: which one gets a connection, and what their channel carries."""

import os
import socket
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from sliderace.protocol.room_code import parse_code
from sliderace_server.http.proxy_headers import ClientAddresses
from sliderace_server.registry.codes_in_use import draw
from sliderace_server.settings import (
    MAX_WORKERS,
    ServerSettings,
    SettingsError,
    load_settings,
)
from sliderace_server.storage.placement import worker_of
from sliderace_server.workers.channel import (
    MAX_WAITING,
    PART_BYTES,
    Arrived,
    Channel,
    Ended,
    Message,
    parts_of,
)
from sliderace_server.workers.routing import MAX_TARGET, parse_head, worker_for

CODE = "KWXTRB"
PARTS = (
    b"GET ~/ws~/api/~rooms/~races~?room=~KWXTRB~%4~ HTTP/1.1~\r\n~:~&~::1~\xff".split(
        b"~"
    )
)
HOME = worker_of(CODE, 4)


# --- routing -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "target",
    [
        "/ws?room=KWXTRB",
        "/ws?x=1&room=kwx-trb",
        "/race/ws?room=KWXTRB",
        "/api/rooms/KWXTRB",
        "/api/rooms/KWXTRB/series.csv",
        "/race/api/rooms/kwxtrb",
        "/api/races/KWXTRB-SA1B2C-3",
        "/api/races?room=KWXTRB",
        "/api/rooms/%4bWXTRB",
    ],
)
def test_a_request_about_a_room_goes_to_its_worker(target: str) -> None:
    for address in ("", "192.0.2.7", "2001:db8::1"):
        assert worker_for(target, "/race", address, 4) == HOME


@pytest.mark.parametrize(
    "target",
    ["/", "/ws", "/ws?room=", "/ws?room=OOPS", "/KWXTRB", "/api/rooms", "", "?"],
)
def test_all_other_requests_of_an_address_go_to_one_worker(target: str) -> None:
    """For IPv6, the /64 counts, as everywhere."""
    here = worker_for("/healthz", "", "2001:db8::1:2:3:4", 4)
    assert worker_for(target, "", "2001:db8::9:9:9:9", 4) == here


def test_a_target_that_takes_long_to_read_is_not_read() -> None:
    """It would keep others from connecting; no client of ours sends one."""
    name_room = f"/ws?room={CODE}&{MAX_TARGET * 'x'}"
    here = worker_for("/healthz", "", "192.0.2.7", 4)
    assert worker_for(name_room, "", "192.0.2.7", 4) == here != HOME


def test_rooms_are_spread_evenly_over_the_workers() -> None:
    codes = [code for code, _ in zip(draw(b"even"), range(8_000), strict=False)]
    counts = Counter(worker_of(code, 4) for code in codes)
    assert all(abs(count - 2_000) < 200 for count in counts.values())
    assert all(parse_code(code) == code for code in codes)


@pytest.mark.parametrize(
    ("head", "target", "forwarded"),
    [
        (b"GET /x?y HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: b", "/x?y", ["b"]),
        (
            b"GET / HTTP/1.1\r\nx-forwarded-for: a\r\nX-FORWARDED-FOR:b, c",
            "/",
            ["a", "b, c"],
        ),
        (b"GET /x", "/x", []),
        (b"GET", "", []),
        (b"", "", []),
        (b"GET /" + 200 * b"\r\na:" + b"\r\nX-Forwarded-For: b", "/", []),
        (b"\xff\0\r\n: x\r\n\r\nno colon", "", []),
    ],
)
def test_the_head_of_a_request_is_read_whatever_it_is(
    head: bytes, target: str, forwarded: list[str]
) -> None:
    found = parse_head(head)
    assert (found.target, found.forwarded) == (target, forwarded)


@given(
    st.lists(st.sampled_from(PARTS) | st.binary(max_size=9)).map(b"".join),
    st.sampled_from(["", "192.0.2.7", "::1", "10.0.0.1"]),
)
def test_no_request_confuses_the_parent(head: bytes, direct: str) -> None:
    """An error would end all workers; a worker refuses malformed requests."""
    found = parse_head(head)
    proxies = ServerSettings(trusted_proxies=("10.0.0.0/8",)).proxies()
    clients = ClientAddresses(proxies, public=False)
    path = found.target.partition("?")[0]
    address = clients.client(direct, path, found.headers, found.forwarded)
    assert 0 <= worker_for(found.target, "/race", address, 3) < 3


# --- settings ------------------------------------------------------------------------


def test_workers_are_a_number_or_one_per_processor() -> None:
    assert ServerSettings().worker_count == 1
    assert ServerSettings(workers="3").worker_count == 3
    assert ServerSettings(workers="auto").worker_count == os.cpu_count()


def test_a_settings_file_may_give_workers_as_a_number(tmp_path: Path) -> None:
    file = tmp_path / "sliderace.toml"
    for value in ("3", '"3"'):
        file.write_text(f"workers = {value}")
        assert load_settings({}, {}, file).worker_count == 3


@pytest.mark.parametrize("workers", ["0", "-1", "65", "two", "", "1.5", "²"])
def test_other_numbers_of_workers_are_refused(workers: str) -> None:
    with pytest.raises(SettingsError) as error:
        ServerSettings(workers=workers)
    allowed = f"auto or an integer from 1 to {MAX_WORKERS}"
    assert str(error.value) == f"workers: must be {allowed}, not {workers!r}"


@pytest.mark.parametrize("other", [{"memory": True}, {"tls_cert": "cert.pem"}])
def test_workers_need_a_file_and_no_tls(other: dict[str, object]) -> None:
    ServerSettings(**other)  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match=f"^workers: .*{next(iter(other))}"):
        ServerSettings(workers="2", **other)  # type: ignore[arg-type]


# --- the channel ---------------------------------------------------------------------


@pytest.fixture
def dropped() -> list[Message]:
    return []


@pytest.fixture
def channels(dropped: list[Message]) -> Iterator[tuple[Channel, Channel]]:
    one, two = Channel(dropped.append), Channel(dropped.append)
    for channel, sock in zip((one, two), pair(), strict=True):
        channel.connect(sock)
    yield one, two
    one.close()
    two.close()


def pair() -> tuple[socket.socket, socket.socket]:
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def received(channel: Channel) -> list[Message]:
    return [message for message, _ in channel.receive()]


def test_a_message_arrives_with_its_descriptor(
    channels: tuple[Channel, Channel],
) -> None:
    one, two = channels
    out, into = os.pipe()
    one.send(Ended("192.0.2.7"))
    one.send(Arrived("192.0.2.7", b"GET"), into)
    (ended, none), (arrived, descriptor) = two.receive()
    assert (ended, none) == (Ended("192.0.2.7"), -1)
    assert arrived == Arrived("192.0.2.7", b"GET")
    os.close(descriptor)
    assert os.read(out, 1) == b""  # nobody else has it
    os.close(out)
    assert received(two) == []


def test_messages_wait_until_the_other_side_takes_them(
    channels: tuple[Channel, Channel],
) -> None:
    one, two = channels
    sent = [Arrived(str(n), bytes(20_000)) for n in range(40)]
    for message in sent:
        one.send(message)
    found, rounds = received(two), 1
    while one.blocked:
        one.flush()
        found += received(two)
        rounds += 1
    assert found == sent
    assert rounds > 2


def test_a_flood_of_messages_is_received_a_few_at_a_time(
    channels: tuple[Channel, Channel],
) -> None:
    one, two = channels
    for _ in range(3):
        one.send(Ended("a"))
    assert [len(list(two.receive(2))) for _ in range(3)] == [2, 1, 0]


def test_waiting_messages_go_to_the_next_process(
    channels: tuple[Channel, Channel],
) -> None:
    one, two = channels
    two.disconnect()
    one.send(Ended("a"))
    with pytest.raises(EOFError):
        received(one)
    one.disconnect()
    one.send(Ended("b"))
    mine, theirs = pair()
    one.connect(mine)
    two.connect(theirs)
    assert received(two) == [Ended("a"), Ended("b")]


def test_a_process_that_takes_nothing_gets_a_limited_number_of_connections(
    dropped: list[Message],
) -> None:
    """Each one that is dropped is reported, so that it no longer counts."""
    channel = Channel(dropped.append)
    ends = [os.pipe() for _ in range(2)]
    channel.send(Arrived("a", b""), ends[0][1])
    for _ in range(MAX_WAITING):
        channel.send(Ended("b"))  # all of these arrive
    channel.send(Arrived("c", b""), ends[1][1])
    assert dropped == [Arrived("c", b"")]
    assert os.read(ends[1][0], 1) == b""
    assert channel.waiting() == [Arrived("a", b"")]
    channel.close()
    for out, _ in ends:
        os.close(out)


@pytest.mark.parametrize("size", [0, 1, PART_BYTES, PART_BYTES + 1, 100_000])
def test_a_report_is_sent_in_parts(size: int) -> None:
    report = os.urandom(size)
    parts = list(parts_of(1, report))
    assert b"".join(part.part for part in parts) == report
    assert [part.last for part in parts] == [False] * (len(parts) - 1) + [True]
    assert {part.worker for part in parts} == {1}
