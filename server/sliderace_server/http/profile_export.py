"""Everything that a server has stored about a profile, as a ZIP file.

``attempts.csv`` contains all attempts, and ``records/`` the signed race records.
"""

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from sliderace_server.http.csv_text import csv_line
from sliderace_server.storage import AttemptEntry

__all__ = ["MAX_BYTES", "ProfileExport"]

MAX_BYTES = 12_582_912
"""When the file is that large, no further race records are added: it is built in
memory, and clients read 16 MiB at most. ``attempts.csv`` names those that are there;
the others can be downloaded one by one."""

OLDEST = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a ZIP file can contain; the server's clock may be wrong."""
COLUMNS = (
    "race",
    "started",
    "event",
    "kind",
    "name",
    "status",
    "place",
    "time_ms",
    "solve_ms",
    "first_ms",
    "pauses",
    "stm",
    "mtm",
    "md",
    "input",
    "counts",
    "record",
)


class ProfileExport:
    """A ZIP file that is being written."""

    def __init__(self) -> None:
        self._file = BytesIO()
        self._zip = ZipFile(self._file, "w", ZIP_DEFLATED)
        self._records: dict[str, str] = {}

    @property
    def is_full(self) -> bool:
        """Whether there is no place for more race records."""
        return self._file.tell() >= MAX_BYTES

    def add_record(self, race: str, started_ms: int, record: bytes) -> None:
        """Add a race record; this may take half a second for the longest.

        Args:
            race: id of the race.
            started_ms: when it started, in Unix ms.
            record: the signed file.
        """
        name = f"records/{race}.json"
        when = max(OLDEST, time.gmtime(started_ms / 1_000)[:6])
        self._zip.writestr(ZipInfo(name, when), record, ZIP_DEFLATED)
        self._records[race] = name

    def finish(self, attempts: Sequence[tuple[str, AttemptEntry]]) -> bytes:
        """Add the table of all attempts; return the file.

        Args:
            attempts: event and attempt, in the order of the table.
        """
        lines = [csv_line(COLUMNS), *(self._line(*one) for one in attempts)]
        # Without the mark, Excel would guess the encoding.
        self._zip.writestr("attempts.csv", "".join(lines).encode("utf-8-sig"))
        self._zip.close()
        return self._file.getvalue()

    def _line(self, event: str, entry: AttemptEntry) -> str:
        row, started = entry.row, datetime.fromtimestamp(entry.started_ms / 1_000, UTC)
        return csv_line(
            [
                entry.race,
                started.isoformat(timespec="milliseconds"),
                event,
                entry.kind,
                row.name,
                row.status,
                row.place,
                row.time_ms,
                row.solve_ms,
                row.first_ms,
                row.pauses,
                row.stm,
                row.mtm,
                entry.md,
                row.input,
                row.counts,
                self._records.get(entry.race),
            ]
        )
