"""Room time: one line of milliseconds through restarts, reboots and clock steps.

A room's time begins with 0. While a server has the room it is the machine's monotonic
clock, moved. Each epoch's first record ties the two together.
"""

from dataclasses import dataclass
from zlib import crc32

from sliderace_server.room.log_records import EpochBegan
from sliderace_server.room.state import RoomState

__all__ = ["Timeline", "first_epoch", "next_epoch", "wall_set_to"]

SET_MS = 1_000
"""From such a step on a wall clock was set; below, it is only being adjusted."""


SPREAD = 1 << 20
"""Numbers that an epoch may leave out: a million, so that hardly any comes again, and
few enough for the integers of JavaScript, however often a server starts."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """Machine time to room time and back, within one epoch."""

    epoch: EpochBegan

    def now(self, mono_ms: int) -> int:
        """Room time at a reading of the machine's monotonic clock.

        >>> Timeline(EpochBegan(5_000, 2, "boot", 70_000, 0)).now(70_250)
        5250
        """
        return self.epoch.t + max(0, mono_ms - self.epoch.mono_ms)

    def mono(self, t: int) -> int:
        """The reading of the monotonic clock at room time `t`.

        >>> Timeline(EpochBegan(5_000, 2, "boot", 70_000, 0)).mono(5_250)
        70250
        """
        return self.epoch.mono_ms + t - self.epoch.t


def first_epoch(boot: str, mono_ms: int, wall_ms: int) -> EpochBegan:
    """The epoch of a room that is being opened."""
    return EpochBegan(0, 1, boot, mono_ms, wall_ms)


def next_epoch(state: RoomState, boot: str, mono_ms: int, wall_ms: int) -> EpochBegan:
    """The epoch of a room that was read from its log.

    While the machine has not been restarted its monotonic clock went on, so room time
    includes the outage exactly, whatever the wall clock did. Otherwise the wall clock
    says how long it was, but never backwards, and not nothing: the results of a
    race that it hit shall say so.

    The epoch's number is the wall clock's reading. Where that is behind, it is one of
    the next million, by the moment at which this server began. After an older copy of
    the log was put in place, counting on would give numbers a second time, and members
    would go on in a stream that is not theirs.

    Args:
        state: the fold of the whole log.
        boot: names this run of the machine; empty where the system tells none.
        mono_ms: the monotonic clock now.
        wall_ms: Unix time now.
    """
    last = state.epoch
    if boot and boot == last.boot:
        t = max(state.t, last.t + mono_ms - last.mono_ms)
    else:
        t = max(state.t + 1, last.t + wall_ms - last.wall_ms)
    number = wall_ms
    if wall_ms <= last.epoch:
        moment = f"{boot} {mono_ms} {wall_ms}".encode()
        number = last.epoch + 1 + crc32(moment) % SPREAD
    return EpochBegan(t, number, boot, mono_ms, wall_ms)


def wall_set_to(epoch: EpochBegan, mono_ms: int, wall_ms: int) -> int | None:
    """What `SetWall` is to be told, None while nobody set the wall clock.

    After a reboot the time since the epoch began would else include the step.

    Args:
        epoch: the room's.
        mono_ms: the monotonic clock now.
        wall_ms: Unix time now.

    >>> wall_set_to(EpochBegan(0, 1, "boot", 5_000, 1_000_000), 6_000, 1_001_900)
    >>> wall_set_to(EpochBegan(0, 1, "boot", 5_000, 1_000_000), 6_000, 4_601_000)
    4600000
    """
    began_ms = wall_ms - (mono_ms - epoch.mono_ms)
    return began_ms if abs(began_ms - epoch.wall_ms) >= SET_MS else None
