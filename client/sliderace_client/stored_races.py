"""Past races of this machine's server, read from its file while it does not run."""

import subprocess
import sys

from sliderace.texts import text

__all__ = ["FileUnreadable", "stored"]

READ_S = 60.0
"""A file that was not closed well is checked first."""


class FileUnreadable(OSError):
    """The server's file cannot be read; the message is for the user."""


def stored(*arguments: str) -> bytes:
    """Return what ``python -m sliderace_server races`` prints. This blocks.

    Args:
        arguments: the id of a race for its record; else a list of races.

    Raises:
        FileUnreadable: the file cannot be read, or has no such race.
    """
    command = [sys.executable, "-m", "sliderace_server", "races", *arguments]
    try:
        done = subprocess.run(  # noqa: S603 - our own program
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=READ_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise FileUnreadable(text("race_record.no_process", why=error)) from None
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise FileUnreadable(said.partition(": ")[2] or said)
    return done.stdout
