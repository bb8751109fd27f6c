"""The user's latest times for each board size, kept in their state folder."""

import json
from pathlib import Path
from statistics import median_low
from typing import Any, cast

from sliderace.engine import Size
from sliderace.solve import FEELS, pace_of
from sliderace_client.shared_ui.settings import Settings, state_dir, write_atomically

__all__ = ["keep_time", "usual_ms"]

KEPT = 5
"""Times per size: enough that one bad race changes little, few enough to follow a
learner."""
MAX_BYTES = 16 * 1024
"""The times of all sizes need half of this."""


def usual_ms(size: str, settings: Settings, folder: Path | None = None) -> int | None:
    """Return what the user usually needs for a board; None: nothing is known.

    That is the median of the latest times, or else what they answered when they were
    asked how fast they are.
    """
    if times := _times(size, _stored(folder)):
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
    stored = _stored(folder)
    times = {**stored, size: [*_times(size, stored), time_ms][-KEPT:]}
    write_atomically(_path(folder), json.dumps(times, separators=(",", ":")))


def _times(size: str, stored: dict[str, Any]) -> list[int]:
    times: Any = stored.get(size)
    if not isinstance(times, list):
        return []
    listed = cast("list[object]", times)
    return [time for time in listed if isinstance(time, int) and time > 0][-KEPT:]


def _path(folder: Path | None) -> Path:
    return (folder or state_dir()) / "recent-times.json"


def _stored(folder: Path | None) -> dict[str, Any]:
    try:
        with _path(folder).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        stored: Any = json.loads(data) if len(data) <= MAX_BYTES else None
    except (OSError, ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", stored) if isinstance(stored, dict) else {}
