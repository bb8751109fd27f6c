"""A subscriber: one connection of a member, as the room knows it."""

from typing import Protocol

from sliderace_server.live_room.latency import LatencyWindow

__all__ = ["Peer", "Subscriber"]


class Peer(Protocol):
    """A connection, as sessions and a room's actor use it. No method blocks."""

    @property
    def id(self) -> int:
        """Identifies the connection in the log."""
        ...

    @property
    def address(self) -> str:
        """The client's IP address; empty on this machine."""
        ...

    @property
    def host(self) -> str:
        """The Host header of the client's request."""
        ...

    def send(self, frame: bytes) -> None:
        """Send a frame with the next write."""
        ...

    def send_urgent(self, frame: bytes) -> None:
        """Send a frame, and everything queued before it, in the next turn."""
        ...

    def send_snapshot(self, frame: bytes) -> None:
        """Send a frame that supersedes all earlier frames."""
        ...

    def dismiss(self, code: int) -> None:
        """Close the connection, which no longer belongs to a member."""
        ...

    def close(self, code: int, reason: str = "") -> None:
        """Send everything queued, then close."""
        ...

    def measure_latency(self) -> None:
        """Start a burst of pings."""
        ...


class Subscriber:
    """A room's state for one connection; opaque to all other code.

    A room never uses `peer`: it returns subscribers to its actor, which sends.

    Attributes:
        peer: the connection.
        member: the member's id; 0 before the connection belongs to one.
        gen: the sequence of slides that is accepted; +1 with every `rejected`.
        following: it has been sent its welcome and gets the stream.
        behind: it reads too slowly for progress.
        sees: it has been sent the boards of others.
        shown: id of the race whose start board it has been sent, or "".
        resyncing: it has requested a snapshot that is not sent yet.
        gone: the connection has ended.
        can: types of events that its client understands beyond the first set.
        latency: its round trips.
    """

    __slots__ = (
        "behind",
        "can",
        "following",
        "gen",
        "gone",
        "latency",
        "member",
        "peer",
        "resyncing",
        "sees",
        "shown",
    )

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.member = 0
        self.gen = 0
        self.following = False
        self.behind = False
        self.sees = False
        self.shown = ""
        self.resyncing = False
        self.gone = False
        self.can: frozenset[str] = frozenset()
        self.latency = LatencyWindow()
