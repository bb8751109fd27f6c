"""The curve of our best attempt at each board size, kept in the user's state folder."""

from pathlib import Path

from sliderace_client.room.pace_curve import usable
from sliderace_client.shared_ui.size_file import SizeFile

__all__ = ["best_curve", "keep_best_curve"]

FILE = SizeFile("best-curves.json", 64 * 1024)
"""The curves of all sizes need half of this."""


def best_curve(size: str, folder: Path | None = None) -> list[int] | None:
    """Return the best curve at a board size; None if there is none that can be used."""
    return usable(FILE.read(folder).get(size))


def keep_best_curve(size: str, curve: list[int], folder: Path | None = None) -> bool:
    """Store a curve if it is the best one so far; return whether it is.

    Raises:
        OSError: it cannot be written.
    """
    best = best_curve(size, folder)
    if best is not None and best[-1] <= curve[-1]:
        return False
    FILE.put(size, curve, folder)
    return True
