"""The messages between the nodes of a cluster, as MessagePack arrays.

    node.NAME   to one node: the requests Ask, Fetch, Take and Up; the message Down
    cmd.CODE    to the node that serves a room: the request Ask; the message TakenOver
    hb          to all nodes: the message Heartbeat

`Up` and `Down` are in `forwarding`. During an upgrade, nodes of two releases must
understand each other: add fields at the end and with a default, and types with a new
tag.
"""

from collections.abc import Callable
from itertools import islice

import msgspec

from sliderace_server.cluster.forwarding import Down, Up, UpReply
from sliderace_server.http.routes import Answer, Request
from sliderace_server.registry.processes import Report

__all__ = [
    "MAX_PROFILES",
    "MAX_ROWS",
    "Ask",
    "AskReply",
    "Fetch",
    "FetchReply",
    "Heartbeat",
    "Take",
    "TakeReply",
    "TakenOver",
    "bounded",
    "decode_heartbeat",
    "decode_reply",
    "decode_to_node",
    "decode_to_room",
    "encode",
]


MAX_ROWS = 1_500
"""Public rooms in one report: each takes up to 320 bytes, and brokers discard messages
of more than a megabyte."""
MAX_PROFILES = 10_000
"""In each table of a report: each takes about 20 bytes. A node serves fewer players."""


class Ask(msgspec.Struct, array_like=True, tag=3, frozen=True):
    """Are you there? Do you serve this room?"""


class AskReply(msgspec.Struct, array_like=True, tag=2, frozen=True):
    """Reply to `Ask`.

    Attributes:
        name: the node.
        wall_ms: its wall clock.
        key: the public key with which it signs race records.
        serves: whether it serves the room; False if it is about to give it up.
    """

    name: str
    wall_ms: int
    key: str
    serves: bool = True


class Take(msgspec.Struct, array_like=True, tag=4, frozen=True):
    """Take over a room that nobody serves."""

    code: str


class TakeReply(msgspec.Struct, array_like=True, tag=3, frozen=True):
    """Reply to `Take`.

    Attributes:
        serves: whether the node serves the room now.
        exists: whether there is such a room.
    """

    serves: bool
    exists: bool


class Fetch(msgspec.Struct, array_like=True, tag=5, frozen=True):
    """Answer an HTTP request."""

    request: Request


class FetchReply(msgspec.Struct, array_like=True, tag=4, frozen=True):
    """Reply to `Fetch`."""

    answer: Answer


class TakenOver(msgspec.Struct, array_like=True, tag=6, frozen=True):
    """A node has taken the room over; sent to all nodes that still serve it.

    Attributes:
        name: the node.
    """

    name: str


class Heartbeat(msgspec.Struct, array_like=True, frozen=True):
    """The heartbeat of a node, which it sends to all nodes twice a second.

    Attributes:
        name: the node.
        load: share of a core that it uses.
        draining: it takes no more rooms.
        wall_ms: its wall clock.
        report: its report, once a second.
    """

    name: str
    load: float
    draining: bool
    wall_ms: int
    report: Report | None = None


def bounded(report: Report) -> Report:
    """Return as much of a report as fits into one message."""
    return msgspec.structs.replace(
        report,
        rows=report.rows[:MAX_ROWS],
        listings=report.listings[:MAX_ROWS],
        alone=dict(islice(report.alone.items(), MAX_PROFILES)),
        busy=dict(islice(report.busy.items(), MAX_PROFILES)),
    )


_encoder = msgspec.msgpack.Encoder()
encode = _encoder.encode
ToNode = Up | Down | Ask | Take | Fetch
decode_to_node: Callable[[bytes], ToNode] = msgspec.msgpack.Decoder(ToNode).decode
ToRoom = Ask | TakenOver
decode_to_room: Callable[[bytes], ToRoom] = msgspec.msgpack.Decoder(ToRoom).decode
ToCaller = UpReply | AskReply | TakeReply | FetchReply
decode_reply: Callable[[bytes], ToCaller] = msgspec.msgpack.Decoder(ToCaller).decode
decode_heartbeat = msgspec.msgpack.Decoder(Heartbeat).decode
