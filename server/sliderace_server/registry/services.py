"""What all rooms of a server share: settings, clocks, storage, timers and so on."""

from collections.abc import Callable
from dataclasses import dataclass, field

from sliderace.protocol.messages import Event
from sliderace.protocol.version import FEATURES
from sliderace_server.clock import WatchedClock
from sliderace_server.live_room.live_room import LiveRoomSettings
from sliderace_server.metrics import Metrics
from sliderace_server.pacing import LoadMeter
from sliderace_server.registry.processes import OneProcess, Processes
from sliderace_server.registry.timer_wheel import TimerWheel
from sliderace_server.settings import ServerSettings
from sliderace_server.signing_key import ServerKey
from sliderace_server.storage import Store, StoredRace
from sliderace_server.storage.log_writer import LogWriter, Spawn

__all__ = ["Services", "Spawn", "room_settings"]


@dataclass(frozen=True, slots=True)
class Services:
    """The services that a room's actor uses.

    Args:
        settings: the server's settings.
        room_settings: the settings of running rooms.
        clock: the machine's clocks.
        store: stores rooms and results.
        metrics: counters.
        entropy: returns that many random bytes.
        spawn: starts a task that belongs to the server's task group.
        log_writer: writes the logs of all rooms.
        timers: wakes rooms at their deadlines.
        store_race: stores a finished race.
        key: signs race records.
        before_flush: calls a function before the next flush of the send queues.
        frame: encodes an event as a WebSocket frame, once for all receivers.
        load_meter: measures how busy the server is.
        processes: those of the server.
    """

    settings: ServerSettings
    room_settings: LiveRoomSettings
    clock: WatchedClock
    store: Store
    metrics: Metrics
    entropy: Callable[[int], bytes]
    spawn: Spawn
    log_writer: LogWriter
    timers: TimerWheel
    store_race: Callable[[StoredRace], None]
    key: ServerKey
    before_flush: Callable[[Callable[[], None]], None]
    frame: Callable[[Event], bytes]
    load_meter: LoadMeter
    processes: Processes = field(default_factory=OneProcess)


def room_settings(settings: ServerSettings, version: str) -> LiveRoomSettings:
    """Return the settings of running rooms.

    Args:
        settings: the server's settings.
        version: program and version.
    """
    limits = settings.limits
    missing = () if limits.total_bots and limits.room.bots else ("bots",)
    return LiveRoomSettings(
        limits=settings.limits.room,
        announced=settings.limits.announced,
        version=version,
        small_room=settings.small_room,
        player_tick_ms=round(1_000 * settings.player_tick),
        spectator_tick_ms=round(1_000 * settings.spectator_tick),
        features=[one for one in FEATURES if one not in missing],
    )
