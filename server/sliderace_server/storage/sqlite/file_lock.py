"""A lock file next to the database: one running server per database."""

import os
import sys
from pathlib import Path
from typing import Self

from sliderace_server.storage.ports import StoreHeld

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

__all__ = ["FileLock", "flush_folder"]

LOCKED_BYTE = 1 << 30
"""Windows makes locked bytes unreadable for others, so lock one far behind the text."""


class FileLock:
    """A lock on a database until `release` or the end of the process.

    The operating system holds the lock, so it also ends with SIGKILL. The file `….lock`
    is not deleted, or two servers could lock two files of the same name. It contains
    our process id, which only an orderly release removes; a process id in an unlocked
    file means that its server crashed.

    Attributes:
        path: The lock file.
        unclean: The last server crashed, and the database has not been checked since.
            After a check, set it to False to remove the mark from the file.
    """

    def __init__(self, path: Path, descriptor: int, *, unclean: bool) -> None:
        self.path = path
        self._descriptor = descriptor
        self.unclean = unclean

    @classmethod
    def acquire(cls, database: Path) -> Self:
        """Lock a database for this process.

        Raises:
            StoreHeld: Another running process has locked it.
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
            server = f"the server with process id {pid}" if pid else "another server"
            raise StoreHeld(f"{server} uses {database}", pid) from None
        unclean = os.fstat(descriptor).st_size > 0
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"{os.getpid()}\n".encode())
        os.fsync(descriptor)  # the mark must survive a power failure
        return cls(file, descriptor, unclean=unclean)

    def release(self) -> None:
        """Unlock the database."""
        if not self.unclean:
            os.ftruncate(self._descriptor, 0)
        os.close(self._descriptor)


def flush_folder(folder: Path) -> None:
    """Make new names in a folder survive a power failure, if the system supports it."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    """Lock an open file without waiting; raise OSError if it is locked."""
    if sys.platform == "win32":
        os.lseek(descriptor, LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
