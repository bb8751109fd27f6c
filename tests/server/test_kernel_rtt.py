"""The kernel's round trip is read where it is known, and nowhere else."""

import socket
import sys

import pytest

from sliderace_server.websocket.kernel_rtt import kernel_rtt_ms


class Transport:
    """A transport whose socket gives one answer."""

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def get_extra_info(self, name: str, default: object = None) -> object:
        assert name == "socket"
        return self if self.answer is not None else default

    def getsockopt(self, *_: int) -> object:
        if isinstance(self.answer, OSError):
            raise self.answer
        return self.answer


def info(shortest_us: int, size: int = 232) -> bytes:
    whole = bytes(148) + shortest_us.to_bytes(4, sys.byteorder) + bytes(80)
    return whole[:size]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")
@pytest.mark.parametrize(
    ("answer", "rtt_ms"),
    [
        (info(34_567), 35),
        (info(1), 1),
        (info(2_000, 152), 2),
        (info(2_000, 151), None),  # an old kernel
        (info(0), None),
        (info(2**32 - 1), 4_294_968),  # nothing measured yet: it bounds nothing
        (5, None),
        (OSError(), None),
        (None, None),
    ],
)
def test_kernel_round_trip(answer: object, rtt_ms: int | None) -> None:
    assert kernel_rtt_ms(Transport(answer)) == rtt_ms


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")
def test_kernel_measures_a_real_connection() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as client,
    ):
        accepted, _ = server.accept()
        with accepted:
            client.sendall(b"hello")
            assert accepted.recv(5)
            accepted.sendall(b"hello")
            assert client.recv(5)
            raw = accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
            known = kernel_rtt_ms(Transport(raw))
    assert known is not None
    assert 1 <= known < 1_000
