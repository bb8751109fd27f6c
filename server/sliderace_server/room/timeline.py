"""Room time: milliseconds that continue through restarts, reboots and clock changes.

Rules:

- Room time starts at 0 and never goes backwards. Within an epoch it is the machine's
  monotonic clock plus a constant; the epoch's record links the two.
- A restart on the same boot of the machine: the monotonic clock has continued, so room
  time includes the outage exactly, whatever happened to the wall clock.
- Another boot, or an unknown one: the wall clock measures the outage. It counts at
  least 1 ms, so that the results of an affected race mention the outage.
- If the wall clock is set during an epoch, a `WallClockSet` record corrects the epoch's
  wall time. Otherwise the next reboot would count the change as part of the outage.
"""

from dataclasses import dataclass
from zlib import crc32

from sliderace_server.room.log_records import EpochBegan
from sliderace_server.room.state import RoomState

__all__ = ["Timeline", "first_epoch", "next_epoch", "wall_clock_step"]

STEP_MS = 1_000
"""A smaller change of the wall clock is a normal adjustment."""
EPOCH_SPREAD = 1 << 20
"""How many epoch numbers a start may skip: enough that numbers hardly ever repeat, and
few enough to stay within JavaScript's integers."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """Converts between monotonic time and room time within one epoch."""

    epoch: EpochBegan

    def now(self, mono_ms: int) -> int:
        """Return the room time at a monotonic time, ms.

        >>> Timeline(EpochBegan(5_000, 2, "boot", 70_000, 0)).now(70_250)
        5250
        """
        return self.epoch.t + max(0, mono_ms - self.epoch.mono_ms)

    def mono(self, t: int) -> int:
        """Return the monotonic time at room time `t`, ms.

        >>> Timeline(EpochBegan(5_000, 2, "boot", 70_000, 0)).mono(5_250)
        70250
        """
        return self.epoch.mono_ms + t - self.epoch.t


def first_epoch(boot: str, mono_ms: int, wall_ms: int) -> EpochBegan:
    """Return the epoch of a new room."""
    return EpochBegan(0, 1, boot, mono_ms, wall_ms)


def next_epoch(state: RoomState, boot: str, mono_ms: int, wall_ms: int) -> EpochBegan:
    """Return the epoch of a room that was read from its log.

    The epoch's number is the wall clock's time, or one of the next million if the wall
    clock is behind. Counting up by one would reuse numbers after an older copy of the
    log is restored, and clients would continue a stream that is not theirs.

    Args:
        state: the fold of the log.
        boot: identifies the boot of the machine; empty if unknown.
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
        number = last.epoch + 1 + crc32(moment) % EPOCH_SPREAD
    return EpochBegan(t, number, boot, mono_ms, wall_ms)


def wall_clock_step(epoch: EpochBegan, mono_ms: int, wall_ms: int) -> int | None:
    """Return the corrected wall time of an epoch, if the wall clock was set.

    Args:
        epoch: the room's epoch.
        mono_ms: the monotonic clock now.
        wall_ms: Unix time now.

    Returns:
        Unix time at the start of the epoch by the clock as it is now, for
        `SetWallClock`; None if the clock was not set.

    >>> wall_clock_step(EpochBegan(0, 1, "boot", 5_000, 1_000_000), 6_000, 1_001_900)
    >>> wall_clock_step(EpochBegan(0, 1, "boot", 5_000, 1_000_000), 6_000, 4_601_000)
    4600000
    """
    began_ms = wall_ms - (mono_ms - epoch.mono_ms)
    return began_ms if abs(began_ms - epoch.wall_ms) >= STEP_MS else None
