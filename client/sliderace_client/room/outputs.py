"""The model's outputs: actions for the code that owns the connection.

The first slide is sent at once, with every slide made until then. After a message of
slides, further ones are batched for `gather_ms` and then sent in one message, or in
several if there are too many. The solving slide does not wait, and neither does a
command: slides made before it are sent first. All messages keep to the limits that the
server announced; slides above them wait here, so that the server never has to slow us
down. While a connection lasts, `Liveness` decides when to send a `ping`.
"""

from dataclasses import dataclass
from typing import Literal

from sliderace.protocol.messages import (
    Command,
    Forfeit,
    Leave,
    Limits,
    Ping,
    Results,
    Resync,
    Slides,
)
from sliderace_client.room.fairness import Evidence
from sliderace_client.room.liveness import Liveness
from sliderace_client.room.outcomes import News, Notice
from sliderace_client.room.pacing import DEFAULT_LIMITS, Pace
from sliderace_client.room.view import RoomView

__all__ = [
    "CheckRecord",
    "Forget",
    "Keep",
    "Level",
    "Note",
    "Output",
    "Outputs",
    "Send",
]

RESYNC_MS = 2_000
"""A request that is unanswered after this time is sent again."""

Level = Literal["info", "good", "bad"]


@dataclass(frozen=True, slots=True)
class Send:
    """Send this command."""

    command: Command


@dataclass(frozen=True, slots=True)
class Keep:
    """Store the token: it proves later that the seat is ours."""

    code: str
    token: str


@dataclass(frozen=True, slots=True)
class Forget:
    """Delete the stored token of a seat that no longer exists."""


@dataclass(frozen=True, slots=True)
class Note:
    """Announce this to the user."""

    news: News
    level: Level = "info"


@dataclass(frozen=True, slots=True)
class CheckRecord:
    """Fetch the race record, compare it with the evidence, and report the faults.

    Args:
        results: as sent after the race; they say where the record is.
        evidence: what we were shown and what we sent.
    """

    results: Results
    evidence: Evidence


Output = Send | Keep | Forget | Note | CheckRecord


class Outputs:
    """The queue of outputs, and the pace of our slides.

    Args:
        view: the room; its attempt's unsent slides are sent.

    Attributes:
        gen: generation of our slides on this connection; each rejection starts the
            next one.
        left: we sent `Leave`.
        liveness: of the connection.
    """

    def __init__(self, view: RoomView) -> None:
        self._view = view
        self._queue: list[Output] = []
        self._pace = Pace(DEFAULT_LIMITS, 0)
        self._gather_until = 0
        self._requested: dict[int | None, int] = {}
        self._pings = 0
        self.gen = 0
        self.left = False
        self.liveness = Liveness()

    def connected(self, limits: Limits, gen: int, now: int) -> None:
        """Start on a new connection."""
        self._pace = Pace(limits, now)
        self._gather_until = now
        self.gen = gen
        self.liveness.connected(now)

    def put(self, output: Output) -> None:
        """Queue an output."""
        self._queue.append(output)

    def note(self, news: News, level: Level = "info") -> None:
        """Queue an announcement."""
        self.put(Note(news, level))

    def ask(self, command: Command, now: int) -> bool:
        """Queue a command; slides made before it go first.

        Returns:
            False if we are not connected; nothing is sent then.
        """
        if not self._view.online:
            return False
        self._flush(now)
        self._pace.message(now)
        self.put(Send(command))
        if isinstance(command, Forfeit):
            self._view.forfeited_at = now
        elif isinstance(command, Leave):
            self.left = True
            self.put(Forget())
        return True

    def resync(self, seat: int | None, now: int) -> None:
        """Request a seat's board, or a snapshot, unless that was requested just now."""
        if now >= self._requested.get(seat, now):
            self._requested[seat] = now + RESYNC_MS
            self.ask(Resync(seat), now)

    def answered(self, seat: int | None) -> None:
        """Note that a seat's board has come."""
        self._requested.pop(seat, None)

    def all_answered(self) -> None:
        """Note that a snapshot has come, or that no answer can come any more."""
        self._requested.clear()

    def take(self, now: int) -> list[Output]:
        """Return everything to do now, in this order, and empty the queue."""
        if self._view.online and (now >= self._gather_until or self._view.done):
            self._flush(now)
        self._look(now)
        taken, self._queue = self._queue, []
        return taken

    def due(self) -> int | None:
        """Return when `take` must be called again; None: when something happens."""
        dues = [self.liveness.due(), self._slides_due()]
        return min((due for due in dues if due is not None), default=None)

    def _slides_due(self) -> int | None:
        attempt = self._view.attempt
        if not self._view.online or attempt is None or not attempt.unsent:
            return None
        free = self._pace.free_at(attempt.unsent[0])
        return free if self._view.done else max(free, self._gather_until)

    def _look(self, now: int) -> None:
        """Probe the connection if it may be dead, and say when it is overdue."""
        view, liveness = self._view, self.liveness
        waiting = view.attempt is not None and view.attempt.waiting
        if liveness.look(now, in_race=view.in_race, waiting=waiting):
            self._pings += 1
            self._pace.message(now)
            self.put(Send(Ping(self._pings)))
        if waiting and liveness.overdue and not view.overdue:
            self.note(Notice.WAITING_FOR_SERVER, "bad")
        view.overdue = liveness.overdue

    def _flush(self, now: int) -> None:
        """Queue our slides, as many as the limits allow."""
        attempt = self._view.attempt
        while attempt and (batch := self._pace.take(attempt.unsent, now)):
            seq = attempt.sent + 1
            attempt.sent += len(batch)
            self._gather_until = now + self._pace.limits.gather_ms
            self.put(Send(Slides(attempt.race, self.gen, seq, batch, attempt.approx)))
