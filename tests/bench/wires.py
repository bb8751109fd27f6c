"""How our JSON travels to each kind of server."""

import json
from http.client import HTTPConnection
from typing import Any

__all__ = ["Wire", "wire_of"]


class Wire:
    """Our JSON in WebSocket texts.

    Attributes:
        opcode: the opcode of its frames.
        first: a payload that the client sends after the handshake, if not empty.
        joined: how the server's payload begins after which the client may send
            messages; empty: it may at once.
        then: a payload that the client sends after that, if not empty.
    """

    opcode = 1
    first = joined = then = b""

    def path(self, port: int, enter: dict[str, Any]) -> str:  # noqa: ARG002
        """Return the path of a member's WebSocket."""
        return "/ws"

    def wrap(self, message: bytes) -> bytes:
        """Return a message as a frame's payload."""
        return message


class SocketIo(Wire):
    """Socket.IO 4: a packet of Engine.IO (4) with an event of Socket.IO (2)."""

    first = joined = b"40"

    def path(self, port: int, enter: dict[str, Any]) -> str:  # noqa: ARG002
        return "/socket.io/?EIO=4&transport=websocket"

    def wrap(self, message: bytes) -> bytes:
        return b'42["m",%b]' % message


class Colyseus(Wire):
    """Colyseus 0.16: a seat reserved over HTTP; then typed messages in MessagePack."""

    opcode = 2
    joined = then = b"\x0a"

    def path(self, port: int, enter: dict[str, Any]) -> str:
        server = HTTPConnection("127.0.0.1", port, timeout=20)
        body = json.dumps({"code": enter["code"]})
        head = {"Content-Type": "application/json"}
        server.request("POST", "/matchmake/joinOrCreate/race", body, head)
        seat = json.loads(server.getresponse().read())
        server.close()
        room = seat["room"]
        return f"/{room['processId']}/{room['roomId']}?sessionId={seat['sessionId']}"

    def wrap(self, message: bytes) -> bytes:
        # ROOM_DATA, the type "m", a string with a length of two bytes.
        return b"\x0d\xa1m\xda%b%b" % (len(message).to_bytes(2), message)


_WIRES = {"socket.io": SocketIo(), "colyseus": Colyseus()}


def wire_of(kind: str) -> Wire:
    """Return how messages travel to a kind of server."""
    return _WIRES.get(kind, Wire())
