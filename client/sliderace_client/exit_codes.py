"""The exit codes of `sliderace`; its `--help` lists them."""

from typing import Final

__all__ = [
    "FAILED",
    "INTERRUPTED",
    "NOT_OK",
    "OK",
    "REFUSED",
    "UNKNOWN",
    "UNREACHABLE",
]

OK: Final = 0
NOT_OK: Final = 1
"""`verify`: a check failed."""
UNKNOWN: Final = 2
"""Wrong usage; `verify`: the record cannot be read, or a check cannot be decided."""
UNREACHABLE: Final = 3
"""No server or no such room was found, or it cannot be reached."""
REFUSED: Final = 4
"""The server refused us, or removed us."""
FAILED: Final = 5
"""Our own server could not be started, or failed for good."""
INTERRUPTED: Final = 130
"""Ctrl-C, as shells expect it."""
