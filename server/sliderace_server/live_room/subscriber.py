"""A subscriber: one connection of a member, as the room knows it."""

from typing import Protocol

from sliderace_server.live_room.latency import LatencyWindow

__all__ = ["Peer", "Subscriber"]


class Peer(Protocol):
    """A connection, as sessions and the shell of a room use it. Nothing here blocks."""

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
        """Send a frame with this turn's write."""
        ...

    def send_urgent(self, frame: bytes) -> None:
        """Send a frame, and everything queued before it, in the next turn."""
        ...

    def send_snapshot(self, frame: bytes) -> None:
        """Send a frame that supersedes all earlier frames."""
        ...

    def dismiss(self, code: int) -> None:
        """Close the connection: it no longer belongs to a member."""
        ...

    def close(self, code: int, reason: str = "") -> None:
        """Send everything queued, then close."""
        ...

    def measure_latency(self) -> None:
        """Start a burst of pings."""
        ...


class Subscriber:
    """What a room keeps for one connection; opaque to all other code.

    A room never uses `peer`: it hands subscribers back to its shell, which sends.

    Attributes:
        peer: the connection.
        member: the member's id; 0 before the connection belongs to one.
        gen: the sequence of slides that counts; +1 with every `rejected`.
        following: it was welcomed and gets the stream.
        behind: it reads too slowly for progress.
        sees: it has been sent everybody's board.
        shown: id of the race whose start board it has been sent, or "".
        resyncing: it has asked for a snapshot and waits for it.
        gone: the connection has ended.
        latency: its round trips.
    """

    __slots__ = (
        "behind",
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
        self.latency = LatencyWindow()
