"""The operating system's own measurement of a connection's round trip.

A program can answer our pings late, but the acknowledgements of its kernel come at
once. Only Linux tells.
"""

import socket
import sys
from typing import Any, Protocol

__all__ = ["kernel_rtt_ms"]

_MIN_RTT = slice(148, 152)
"""Where `struct tcp_info` of Linux has `tcpi_min_rtt`, a u32 in us (since 4.6)."""
_SIZE = 256
"""More than any kernel returns up to that field."""


class _Transport(Protocol):
    def get_extra_info(self, name: str, default: object = None) -> Any:  # noqa: ANN401
        """Return a fact about the transport."""
        ...


def kernel_rtt_ms(transport: _Transport) -> int | None:
    """Return the shortest round trip of the last minutes, in ms; None: unknown."""
    connected = transport.get_extra_info("socket")
    if sys.platform != "linux" or connected is None:
        return None
    try:
        info = connected.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _SIZE)
    except OSError:
        return None
    if not isinstance(info, bytes) or len(info) < _MIN_RTT.stop:
        return None  # an old kernel, or no kernel's socket at all
    shortest_us = int.from_bytes(info[_MIN_RTT], sys.byteorder)
    return -(-shortest_us // 1_000) if shortest_us else None
