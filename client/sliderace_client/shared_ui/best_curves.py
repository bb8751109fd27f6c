"""The curve of our best attempt at each board size, kept in the user's state folder."""

import json
from pathlib import Path
from typing import Any, cast

from sliderace_client.room.pace_curve import usable
from sliderace_client.shared_ui.settings import state_dir, write_atomically

__all__ = ["best_curve", "keep_best_curve"]

MAX_BYTES = 64 * 1024
"""The curves of all sizes need half of this."""


def best_curve(size: str, folder: Path | None = None) -> list[int] | None:
    """Return the best curve at a board size; None if there is none that can be used."""
    return usable(_stored(folder).get(size))


def keep_best_curve(size: str, curve: list[int], folder: Path | None = None) -> bool:
    """Store a curve if it is the best one so far; return whether it is.

    Raises:
        OSError: it cannot be written.
    """
    best = best_curve(size, folder)
    if best is not None and best[-1] <= curve[-1]:
        return False
    curves = {**_stored(folder), size: curve}
    write_atomically(_path(folder), json.dumps(curves, separators=(",", ":")))
    return True


def _path(folder: Path | None) -> Path:
    return (folder or state_dir()) / "best-curves.json"


def _stored(folder: Path | None) -> dict[str, Any]:
    try:
        with _path(folder).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        stored: Any = json.loads(data) if len(data) <= MAX_BYTES else None
    except (OSError, ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", stored) if isinstance(stored, dict) else {}
