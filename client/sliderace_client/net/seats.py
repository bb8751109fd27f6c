"""Stored secret tokens of our seats, so that a later start can resume them.

There is one file per seat, readable only by its owner. It is locked while a client uses
it, so that two clients on one machine never use the same seat: the second one gets its
own.
"""

import json
import os
import re
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from sliderace_client.platform import lock
from sliderace_client.shared_ui.settings import data_dir

__all__ = ["SeatFile", "claim", "kept_rooms"]

TOKEN = re.compile("[0-9a-f]{32}")
KEPT_S = 7 * 24 * 3600
"""A room ends 6 h after its last activity at the latest; a week is more than enough."""
PER_ROOM = 32
"""Seats of one user in one room; further ones are not stored."""


class SeatFile:
    """One seat's file, locked until `release`.

    Attributes:
        token: the secret; None while there is none.
        name: the nickname of its holder.
    """

    def __init__(self, path: Path, file: int) -> None:
        self._path = path
        self._file = file
        stored = _read(file)
        token, seat_name = stored.get("token"), stored.get("name")
        good = isinstance(token, str) and TOKEN.fullmatch(token)
        self.token: str | None = token if good else None
        self.name = seat_name if isinstance(seat_name, str) else ""

    def keep(self, token: str, name: str) -> None:
        """Store a token.

        Raises:
            OSError: it cannot be written.
        """
        self.token, self.name = token, name
        data = json.dumps({"token": token, "name": name}).encode()
        os.lseek(self._file, 0, os.SEEK_SET)
        os.ftruncate(self._file, 0)
        os.write(self._file, data)

    def forget(self) -> None:
        """Delete the token of a seat that no longer exists."""
        self.token = None
        with suppress(OSError):  # Windows does not remove an open file, but empties it
            os.ftruncate(self._file, 0)
            self._path.unlink()

    def release(self) -> None:
        """Let other clients use the file; an empty one is removed."""
        if self.token is None:
            self.forget()
        os.close(self._file)


def claim(
    code: str, name: str, folder: Path | None = None, *, any_name: bool = False
) -> SeatFile | None:
    """Return a seat file for a room that no running client uses.

    Args:
        code: the room's six letters.
        name: a seat of this nickname comes first.
        folder: where they are; default: in the user's data folder.
        any_name: whether a seat with another nickname will do instead.

    Returns:
        One with a token if there is such a seat, else an empty one; None if no file can
        be created.
    """
    folder = folder or data_dir() / "seats"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError:
        return None
    _sweep(folder)
    for wanted in (name, None) if any_name else (name,):
        for path in sorted(folder.glob(f"{code}-*.json")):
            if seat := _open(path):
                if seat.token is not None and wanted in (None, seat.name):
                    return seat
                seat.release()
    for number in range(PER_ROOM):
        if seat := _open(folder / f"{code}-{number}.json"):
            if seat.token is None:
                return seat
            seat.release()
    return None


def kept_rooms(folder: Path | None = None) -> list[str]:
    """Return the codes of rooms where we have a seat that no client uses, newest first.

    Args:
        folder: where the seats are; default: in the user's data folder.
    """
    found: dict[str, float] = {}
    for path in (folder or data_dir() / "seats").glob("*.json"):
        if seat := _open(path):
            if seat.token is not None:
                code = path.name.partition("-")[0]
                found[code] = max(found.get(code, 0.0), path.stat().st_mtime)
            seat.release()
    return sorted(found, key=lambda code: found[code], reverse=True)


def _open(path: Path) -> SeatFile | None:
    """Return the file, locked for us; None if another client uses it."""
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        return None
    try:
        lock(file)
        gone = os.fstat(file).st_nlink == 0  # its holder has just removed it
    except OSError:
        gone = True
    if gone:
        os.close(file)
        return None
    return SeatFile(path, file)


def _read(file: int) -> dict[str, Any]:
    try:
        stored = json.loads(os.read(file, 4096) or b"{}")
    except (OSError, ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", stored) if isinstance(stored, dict) else {}


def _sweep(folder: Path) -> None:
    """Remove the seats of rooms that cannot exist any more."""
    for path in folder.glob("*.json"):
        with suppress(OSError):
            if path.stat().st_mtime < time.time() - KEPT_S:
                path.unlink()
