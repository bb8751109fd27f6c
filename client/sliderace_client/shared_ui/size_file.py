"""A JSON file in the user's state folder with an entry for each board size."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from sliderace_client.shared_ui.settings import state_dir, write_atomically

__all__ = ["SizeFile"]


@dataclass(frozen=True, slots=True)
class SizeFile:
    """Such a file; its folder is an argument, None: the user's own.

    Attributes:
        name: of the file.
        max_bytes: a longer file is not read.
    """

    name: str
    max_bytes: int

    def read(self, folder: Path | None) -> dict[str, Any]:
        """Return size -> entry, unchecked; empty if the file cannot be used."""
        try:
            with self._path(folder).open("rb") as file:
                data = file.read(self.max_bytes + 1)
            stored: Any = json.loads(data) if len(data) <= self.max_bytes else None
        except (OSError, ValueError, RecursionError):
            return {}
        return cast("dict[str, Any]", stored) if isinstance(stored, dict) else {}

    def put(self, size: str, entry: list[int], folder: Path | None) -> None:
        """Replace the entry of a board size.

        Raises:
            OSError: it cannot be written.
        """
        entries = {**self.read(folder), size: entry}
        write_atomically(self._path(folder), json.dumps(entries, separators=(",", ":")))

    def _path(self, folder: Path | None) -> Path:
        return (folder or state_dir()) / self.name
