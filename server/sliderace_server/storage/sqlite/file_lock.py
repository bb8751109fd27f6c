"""One live server per database: a lock beside the file, which ends with the process."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Self

from sliderace_server.storage.ports import StoreHeld

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

__all__ = ["Hold", "flush_folder"]

LOCKED_BYTE = 1 << 30
"""Windows keeps others from reading what is locked: lock far behind the text."""


class Hold:
    """A database that is ours until `release`, or until the process ends.

    The kernel keeps the lock, so it also ends with SIGKILL; the file `….lock` stays,
    since removing it would let two servers lock two files of one name. What stands in
    it, our process id, is taken out only in good order: who finds one there knows that
    the last holder came to a bad end.

    Attributes:
        unclean: the last holder did not release it, and nobody has checked the
            database since. Set it to False after a check; else the mark stays.
    """

    def __init__(self, descriptor: int, *, unclean: bool) -> None:
        self._descriptor = descriptor
        self.unclean = unclean

    @classmethod
    def take(cls, database: Path) -> Self:
        """Take a database for this process.

        Raises:
            StoreHeld: A live process holds it.
            OSError: The lock file cannot be written.
        """
        file = Path(f"{database}.lock")
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(descriptor)
        except OSError:
            text = os.read(descriptor, 20).decode("ascii", "replace").strip()
            os.close(descriptor)
            pid = int(text) if text.isdecimal() else None
            who = f"the server with process id {pid}" if pid else "another server"
            raise StoreHeld(f"{database}: {who} uses it", pid) from None
        unclean = os.fstat(descriptor).st_size > 0
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"{os.getpid()}\n".encode())
        os.fsync(descriptor)  # the mark must outlive what it marks
        return cls(descriptor, unclean=unclean)

    def release(self) -> None:
        """Let others take the database."""
        if not self.unclean:
            os.ftruncate(self._descriptor, 0)
        os.close(self._descriptor)


def flush_folder(folder: Path) -> None:
    """Make the names in a folder survive a loss of power, where the system can."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    """Lock an open file without waiting; OSError if it is locked."""
    if sys.platform == "win32":
        os.lseek(descriptor, LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
