"""What all rooms of a server share: settings, clock, store, the loop's services."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, get_args

from sliderace.protocol.codec import event_bytes
from sliderace.protocol.messages import Event, Limits
from sliderace.race.timing import Latency
from sliderace_server.clock import Clock
from sliderace_server.load import LoadMeter
from sliderace_server.metrics import Metrics
from sliderace_server.room import RoomLimits
from sliderace_server.settings import ServerSettings
from sliderace_server.signing_key import ServerKey
from sliderace_server.storage import Store, StoredRace
from sliderace_server.storage.log_writer import LogWriter, Spawn

__all__ = ["Peer", "Services", "Spawn", "Subscriber"]

_TAGS = {kind: str(kind.__struct_config__.tag) for kind in get_args(Event)}


class Peer(Protocol):
    """One connection as sessions and rooms see it. Nothing here waits."""

    @property
    def id(self) -> int:
        """Names the connection in the log."""
        ...

    @property
    def address(self) -> str:
        """Where the client is; empty on this machine."""
        ...

    @property
    def host(self) -> str:
        """How the client calls us: the Host header of its request."""
        ...

    def send(self, frame: bytes) -> None:
        """Send a frame with this turn's write."""
        ...

    def send_urgent(self, frame: bytes) -> None:
        """Send an answer ahead of others' news, behind what this peer still gets."""
        ...

    def send_progress(self, frame: bytes) -> bool:
        """Send a frame that newer ones make good; False: the peer reads too slowly."""
        ...

    def caught_up(self) -> bool:
        """Whether a peer that went without has read on, and takes progress again."""
        ...

    def send_snapshot(self, frame: bytes) -> None:
        """Send a frame that makes everything before it superfluous."""
        ...

    def close(self, code: int, reason: str = "") -> None:
        """Send what gathered, then close."""
        ...

    def measure_latency(self) -> None:
        """Measure the line several times now."""
        ...

    def latency(self) -> Latency:
        """The line as it was measured, its figures 0 while they are not known."""
        ...


class Subscriber(Protocol):
    """A member's connection, as its room uses it.

    Attributes:
        peer: the connection.
        member: whose it is; 0 before it is anybody's.
        gen: the series of slides that count; see the protocol.
        following: it was welcomed and gets the stream.
        sees: it was told everybody's board.
        shown: id of the race whose start board it was given.
    """

    peer: Peer
    member: int
    gen: int
    following: bool
    sees: bool
    shown: str

    def dismissed(self, code: int) -> None:
        """The connection is no longer the member's: it is to be closed."""
        ...


@dataclass(frozen=True, slots=True)
class Services:
    """What a room needs of the world around it.

    Args:
        config: the settings.
        room_limits: those of them that rooms ask for.
        told_limits: those that clients are told.
        clock: the machine's; rooms wait by it, too.
        store: where rooms and results are kept.
        metrics: counts.
        entropy: that many fresh random bytes.
        spawn: starts a task that belongs to the server's task group.
        log_writer: takes records to the store.
        keep: takes a race that ended, to be stored.
        version: program and version, for `welcome` and race records.
        key: signs race records.
        before_flush: calls a function before the next flush of the send queues.
        text_frame: makes a WebSocket text frame of a payload.
        load_meter: how busy the server is.
    """

    config: ServerSettings
    room_limits: RoomLimits
    told_limits: Limits
    clock: Clock
    store: Store
    metrics: Metrics
    entropy: Callable[[int], bytes]
    spawn: Spawn
    log_writer: LogWriter
    keep: Callable[[StoredRace], None]
    version: str
    key: ServerKey
    before_flush: Callable[[Callable[[], None]], None]
    text_frame: Callable[[bytes], bytes]
    load_meter: LoadMeter

    def frame(self, event: Event) -> bytes:
        """An event as a frame: to be made once for everybody who gets it."""
        self.metrics.counts["encoded"][_TAGS[type(event)]] += 1
        return self.text_frame(event_bytes(event))
