"""A WebSocket that another process of this server has accepted, and that may move on.

Rules:

- Data that other processes have read from it are processed first, as if they had just
  arrived.
- If one of them has answered the request, this process gives the same answer and does
  not send it again. If its answer differs, as a refusal does, it aborts the connection:
  the client would take the answer for a frame.
- Until it is settled that this process serves the connection, it keeps everything that
  arrives, so that yet another process can begin again.
"""

import os
from asyncio import BaseTransport
from collections.abc import Callable
from typing import Any

from websockets.protocol import State

from sliderace_server.websocket.frame_tap import TappedWebSocket

__all__ = ["MAX_KEPT", "PassedWebSocket"]

MAX_KEPT = 32_768
"""Bytes that may arrive before the connection is settled: twice the longest request.
They fit into one message between processes."""


class PassedWebSocket(TappedWebSocket):
    """A server connection of the library whose socket comes from another process.

    Attributes:
        initial: what other processes have read from it.
        answered: whether one of them has answered the request.
        for_address: the address for which it is counted where it was accepted.
        ended: called with that address at its end, unless it has moved on.
    """

    initial = b""
    answered = False
    for_address = ""
    ended: Callable[[str], None]

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401
        super().__init__(*args, **options)
        self._kept = bytearray()
        # An attribute of this object, which costs nothing once it is removed.
        vars(self)["data_received"] = self._keep

    def connection_made(self, transport: BaseTransport) -> None:
        """Count the connection, and process what others have read from it."""
        super().connection_made(transport)
        self._keep(self.initial)

    def _keep(self, data: bytes) -> None:
        if len(self._kept) <= MAX_KEPT:
            self._kept += data
        TappedWebSocket.data_received(self, data)

    def settle(self) -> None:
        """Note that this process serves the connection."""
        if vars(self).pop("data_received", None) is not None:
            self._kept.clear()
            self.transport.set_protocol(self)  # uvloop remembers the method

    def send_data(self) -> None:
        """Send what the library wants to send, except a second answer."""
        if not self.answered:
            super().send_data()
        elif any(self.protocol.data_to_send()):
            self.answered = False
            if self.protocol.state is not State.OPEN:
                self.transport.abort()

    def detach(self) -> tuple[int, bytes, str] | None:
        """Give the connection up for another process.

        Returns:
            A descriptor of its socket, everything that was read from it, and the
            address for which it is counted. None: it is too late.
        """
        transport = self.transport
        if len(self._kept) > MAX_KEPT or transport.get_write_buffer_size():
            return None
        if transport.is_closing() or self.protocol.state is not State.OPEN:
            return None
        try:
            descriptor = os.dup(transport.get_extra_info("socket").fileno())
        except OSError:  # too many files are open
            return None
        self.passed_on = True
        transport.abort()  # this closes our descriptor, but not the connection
        return descriptor, bytes(self._kept), self.for_address

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop counting the connection, here and where it was accepted."""
        super().connection_lost(exc)
        if not self.passed_on:
            self.ended(self.for_address)
