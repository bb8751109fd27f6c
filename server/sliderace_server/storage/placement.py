"""Which worker process of a server is the home of a key."""

from zlib import crc32

__all__ = ["worker_of"]


def worker_of(key: str, workers: int) -> int:
    """Return the index of the worker that is the home of a key.

    Args:
        key: a room code, or another key of `registry.processes`.
        workers: how many there are.

    >>> [worker_of("KWXTRB", workers) for workers in (1, 2, 3)]
    [0, 0, 2]
    """
    return crc32(key.encode()) % workers
