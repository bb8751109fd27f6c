"""One live server per database: a lock beside the file, which ends with the process."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from .ports import StoreHeld

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

__all__ = ["hold", "release"]

LOCKED_BYTE = 1 << 30
"""Windows keeps others from reading what is locked: lock far behind the text."""


def hold(database: Path) -> int:
    """Take a database for this process, until `release` or the end of the process.

    The kernel keeps the lock, so it also ends with SIGKILL; the file `….lock` stays,
    since removing it would let two servers lock two files of one name.

    Returns:
        What `release` wants.

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
    os.ftruncate(descriptor, 0)
    os.write(descriptor, f"{os.getpid()}\n".encode())
    return descriptor


def release(held: int) -> None:
    """Let others take the database."""
    os.ftruncate(held, 0)
    os.close(held)


def _lock(descriptor: int) -> None:
    """Lock an open file without waiting; OSError if it is locked."""
    if sys.platform == "win32":
        os.lseek(descriptor, LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
