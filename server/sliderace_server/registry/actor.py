"""The shell of one running room: passes inputs in and carries out outputs.

`LiveRoom` decides everything. Once per turn of the event loop, before the send queues
are flushed, the actor takes the room's outputs: it encodes each event once, fills send
queues and gives records to the log writer.
"""

import logging
from collections.abc import Callable, Iterable, Sequence

from sliderace.protocol.messages import (
    Ack,
    BotWanted,
    Event,
    Gains,
    React,
    Refused,
    Rejected,
    Resync,
    Slides,
    Snapshot,
)
from sliderace.race.log_records import Slid
from sliderace.race.refusal import Refusal
from sliderace_server import room
from sliderace_server.limits import Quota
from sliderace_server.live_room.live_room import LiveRoom
from sliderace_server.live_room.subscriber import Subscriber
from sliderace_server.registry.results_writer import stored_race
from sliderace_server.registry.services import Services
from sliderace_server.room import RoomState
from sliderace_server.room.log_records import Record, WallClockSet
from sliderace_server.storage.record_codec import encode

__all__ = ["RoomActor"]

_log = logging.getLogger(__name__)


class RoomActor:
    """Runs one room.

    Attributes:
        code: the room's code.
        state: the room; read-only.
        live: the running room.
        quota: how many more log records each member may cause.
        opener: address of the client that opened the room; None: unknown, as after a
            restart.

    Args:
        services: what all rooms share.
        state: the room, folded from its log and from `new`.
        position: number of records in its log.
        new: records that are applied but not in the log yet.
        ended: called once, when the room is over or its log is lost.
        trimmable: called with the code when the log is no longer needed up to a
            position.
    """

    def __init__(
        self,
        services: Services,
        state: RoomState,
        position: int,
        new: Iterable[Record],
        ended: Callable[["RoomActor"], None],
        trimmable: Callable[[str, int], None],
    ) -> None:
        self.state = state
        self.code = state.code
        self.quota = Quota(services.settings.limits.room.lobby_records)
        self.opener: str | None = None
        self._services = services
        self._now_ms = services.clock.now_ms
        self._before_flush = services.before_flush
        self._ended = ended
        self._trimmable = trimmable
        self._log = services.log_writer.open(self, state.code, position)
        self.live = LiveRoom(
            services.room_settings,
            state,
            position,
            new,
            self._now_ms(),
            services.entropy(32),
            services.load_meter.level,
        )
        self._wake_at: int | None = None
        self._scheduled = False
        self._over = False
        self._schedule()

    # --- state -----------------------------------------------------------------------

    @property
    def idle(self) -> bool:
        """Whether everything that happened is durable."""
        return self._log.closed or (self.live.idle and self._log.idle)

    @property
    def now(self) -> int:
        """Room time, ms."""
        return self.live.room_time(self._now_ms())

    @property
    def stored(self) -> bool:
        """Whether anything of this room is durable."""
        return self.live.durable > 0

    @property
    def durable(self) -> int | None:
        """The position at which the log ends; None: an append is in progress."""
        return self._log.durable if self._log.idle else None

    def lose_log(self) -> None:
        """Give up the room: another process has appended to its log."""
        self._log.lose("another writer has it")

    # --- for sessions ----------------------------------------------------------------

    def subscribe(
        self,
        subscriber: Subscriber,
        command: room.Enter | room.Connect,
        *,
        token: str | None = None,
        seen: tuple[int, int] = (0, 0),
    ) -> Refusal | None:
        """Subscribe a member's connection; see `LiveRoom.subscribe`."""
        self._schedule()
        now, entropy = self._now_ms(), self._services.entropy(32)
        return self.live.subscribe(
            subscriber, command, now, entropy, token=token, seen=seen
        )

    def unsubscribe(self, subscriber: Subscriber) -> None:
        """Note that a connection has ended."""
        self._schedule()
        self.live.unsubscribe(subscriber, self._now_ms(), self._services.entropy(32))

    def notify(self, subscriber: Subscriber, event: Event, code: int) -> None:
        """Send an event to a non-member once all is durable; then close."""
        self._schedule()
        self.live.notify(subscriber, event, code)

    def slide(self, subscriber: Subscriber, slides: Slides, now: int) -> None:
        """Apply a member's slides, which arrived at `now`."""
        self.live.slide(subscriber, slides, now)
        if not self._scheduled:
            self._scheduled = True
            self._before_flush(self.flush)

    def receive(
        self,
        subscriber: Subscriber,
        message: room.WireCommand,
        token_hashes: Sequence[str] = (),
    ) -> None:
        """Execute a member's command, or refuse it; see `room.MemberCommand`."""
        self._schedule()
        now, entropy = self._now_ms(), self._services.entropy(32)
        self.live.receive(subscriber, message, now, entropy, token_hashes)

    def set_bots(self, want: Sequence[BotWanted], token_hashes: Sequence[str]) -> None:
        """Choose the bots of a room without a host; see `room.SetBots`."""
        self._schedule()
        now, entropy = self._now_ms(), self._services.entropy(32)
        self.live.set_bots(want, token_hashes, now, entropy)

    def tell_gains(self, profile: str, gains: Gains) -> None:
        """Send a member what their attempt has changed in their profile."""
        self._schedule()
        self.live.tell_gains(profile, gains)

    def react(self, subscriber: Subscriber, message: React) -> None:
        """Show a member's reaction to the others, or refuse it."""
        self._schedule()
        now, entropy = self._now_ms(), self._services.entropy(32)
        self.live.react(subscriber, message, now, entropy)

    def resync(self, subscriber: Subscriber, message: Resync) -> None:
        """Send a board or a snapshot."""
        self._schedule()
        now, entropy = self._now_ms(), self._services.entropy(32)
        self.live.resync(subscriber, message, now, entropy)

    def set_behind(self, subscriber: Subscriber, *, behind: bool) -> None:
        """Note whether a connection reads too slowly for progress."""
        self._schedule()
        self.live.set_behind(subscriber, self._now_ms(), behind=behind)

    # --- for the registry ------------------------------------------------------------

    def beat(self) -> None:
        """Note that the server is alive, and how busy it is; called once a second."""
        services = self._services
        self._schedule()
        self.live.load(services.load_meter.level)
        wall_ms, entropy = services.clock.wall_ms(), services.entropy(32)
        self.live.beat(wall_ms, self._now_ms(), entropy)

    def stalled(self, since: int, now: int) -> None:
        """Note that the server did nothing from `since` to `now`, ms."""
        self._schedule()
        self.live.stalled(since, now, self._services.entropy(32))

    def freeze(self) -> None:
        """Accept no more input; everything decided so far is still stored."""
        self._schedule()
        self.live.freeze()

    # --- for the log writer ----------------------------------------------------------

    def committed(self, position: int, now: int) -> None:
        """Note that the log is durable up to a position, at `now` ms."""
        self.live.committed(position, now)
        self._carry_out(now)

    def append_failed(self) -> None:
        """Note that the log cannot be written now."""
        self.live.append_failed(self._now_ms(), self._services.entropy(32))
        self.flush()

    def log_lost(self) -> None:
        """Note that nothing more can be written to the log."""
        self.live.log_lost()
        self.flush()

    # --- for the timer wheel ---------------------------------------------------------

    def wake(self) -> None:
        """Do what is due."""
        self._wake_at = None
        self.live.tick(self._now_ms(), self._services.entropy(32))
        self.flush()

    # --- outputs ---------------------------------------------------------------------

    def _schedule(self) -> None:
        if not self._scheduled:
            self._scheduled = True
            self._before_flush(self.flush)

    def flush(self) -> None:
        """Carry out everything that the room has decided."""
        self._scheduled = False
        self._carry_out(self._now_ms())

    def _carry_out(self, now: int) -> None:
        services = self._services
        out = self.live.take(now)
        if out.records:
            self._store(out.records)
        for state in out.results:
            services.metrics.count("races")
            services.store_race(
                stored_race(state, services.room_settings.version, services.key)
            )
        for event, targets in out.sends:
            frame = services.frame(event)
            kind = type(event)
            if kind is Ack or kind is Rejected or kind is Refused:
                # Answers do not wait behind events for a thousand spectators.
                for subscriber in targets:
                    subscriber.peer.send_urgent(frame)
                if kind is not Ack and isinstance(event, Rejected | Refused):
                    services.metrics.count("refusals", event.code)
            elif kind is Snapshot:
                for subscriber in targets:
                    subscriber.peer.send_snapshot(frame)
            else:
                for subscriber in targets:
                    subscriber.peer.send(frame)
        for subscriber, code in out.closes:
            subscriber.peer.dismiss(code)
        for subscriber in out.measure:
            subscriber.peer.measure_latency()
        if out.postponed:
            services.metrics.count("postponed", by=out.postponed)
        if out.checkpoint is not None:
            self._trimmable(self.code, out.checkpoint)
        if out.wake_at != self._wake_at:
            self._wake_at = out.wake_at
            services.timers.set(self, out.wake_at)
        if self.live.ended and not self._over:
            self._over = True
            if not self.stored:
                self._log.close()
            self._ended(self)

    def _store(self, records: Iterable[Record]) -> None:
        """Give records to the log writer, all of them or none."""
        encoded: list[bytes] = []
        slides = 0
        try:
            for record in records:
                encoded.append(encode(record))
                if isinstance(record, Slid):
                    slides += len(record.slides)
                elif isinstance(record, WallClockSet):
                    _log.warning("the wall clock was set", extra={"room": self.code})
        except Exception:
            self._log.lose("a record cannot be encoded")
            raise
        self._services.metrics.counts["slides"][""] += slides
        self._log.append(encoded)
