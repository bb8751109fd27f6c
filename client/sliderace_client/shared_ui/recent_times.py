"""The user's latest times for each board size, kept in their state folder."""

from pathlib import Path
from statistics import median_low
from typing import cast

from sliderace.engine import Size
from sliderace.solve import FEELS, pace_of
from sliderace_client.shared_ui.settings import Settings
from sliderace_client.shared_ui.size_file import SizeFile

__all__ = ["keep_time", "usual_ms"]

KEPT = 5
"""Times per size: enough that one bad race changes little, few enough to follow a
learner."""
FILE = SizeFile("recent-times.json", 16 * 1024)
"""The times of all sizes need half of this."""


def usual_ms(size: str, settings: Settings, folder: Path | None = None) -> int | None:
    """Return what the user usually needs for a board; None: nothing is known.

    That is the median of the latest times, or else what they answered when they were
    asked how fast they are.
    """
    if times := _times(size, folder):
        return median_low(times)
    for feel in FEELS:
        if feel == settings.feel:
            return pace_of(feel, Size.parse(size))
    return None


def keep_time(size: str, time_ms: int, folder: Path | None = None) -> None:
    """Store a time.

    Raises:
        OSError: it cannot be written.
    """
    FILE.put(size, [*_times(size, folder), time_ms][-KEPT:], folder)


def _times(size: str, folder: Path | None) -> list[int]:
    times = FILE.read(folder).get(size)
    if not isinstance(times, list):
        return []
    listed = cast("list[object]", times)
    return [time for time in listed if isinstance(time, int) and time > 0][-KEPT:]
