"""What the process answers when it ends; `sliderace --help` says the same."""

from typing import Final

__all__ = [
    "EPILOG",
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
"""`verify`: a check does not hold."""
UNKNOWN: Final = 2
"""Wrong usage; `verify`: it cannot be read, or cannot be known."""
UNREACHABLE: Final = 3
"""No server or no such room was found, or it cannot be reached."""
REFUSED: Final = 4
"""The server did not let us in, or sent us out."""
FAILED: Final = 5
"""Our own server could not be started, or failed for good."""
INTERRUPTED: Final = 130
"""Ctrl-C, as shells expect it."""

EPILOG: Final = """\
Exit codes: 0 done; 1 verify found something wrong; 2 wrong usage, or verify could not
read or know; 3 no server or room was found; 4 the server refused or sent you out; 5 our
own server failed; 130 Ctrl-C. serve, backup and restore: 1 ended in a hurry; 2 wrong
usage or settings; 3 the port cannot be had; 4 a file or the storage cannot be used.
"""
