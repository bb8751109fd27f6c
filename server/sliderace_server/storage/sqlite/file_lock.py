"""A lock file next to the database: one running server per database."""

import os
import sys
import time
from pathlib import Path
from typing import Self

from sliderace_server.storage.ports import StoreHeld

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

__all__ = ["FileLock", "flush_folder"]

ORPHANS_S = 15.0
"""Longest wait for the workers of a server that was killed: they first store everything
and close their connections."""
POLL_S = 0.05
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
        pid = _wait_for(descriptor)
        if pid is not None:
            os.close(descriptor)
            server = f"the server with process id {pid}" if pid else "another server"
            raise StoreHeld(f"{server} uses {database}", pid or None)
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


def _wait_for(descriptor: int) -> int | None:
    """Lock a file, or return the process id of its server; 0: unknown.

    If that process no longer exists, wait for its workers, which are about to end.
    """
    until = time.monotonic() + ORPHANS_S
    while True:
        try:
            _lock(descriptor)
        except OSError:
            os.lseek(descriptor, 0, os.SEEK_SET)
            text = os.read(descriptor, 20).decode("ascii", "replace").strip()
            pid = int(text) if text.isdecimal() else 0
            if not pid or _lives(pid) or time.monotonic() > until:
                return pid
            time.sleep(POLL_S)
        else:
            return None


def _lives(pid: int) -> bool:
    if sys.platform == "win32":
        return True  # there are no workers
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # of another user
        return True
    return True


def _lock(descriptor: int) -> None:
    """Lock an open file without waiting; raise OSError if it is locked."""
    if sys.platform == "win32":
        os.lseek(descriptor, LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
