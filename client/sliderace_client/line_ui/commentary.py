"""Report the rivals' progress between prompts, now and then and only if it changed."""

from collections.abc import Sequence
from typing import Final

from sliderace.texts import text
from sliderace_client.room.lanes import Lane

__all__ = ["EVERY_MS", "Commentary"]

EVERY_MS: Final = 5_000
"""Least time between two lines: a screen reader must finish reading one."""
_NAMED = 6
"""Racers in one line; the others are counted."""


class Commentary:
    """The rivals' progress in one race after another.

    Finishes are announced elsewhere, as soon as the server sends them.
    """

    def __init__(self) -> None:
        self._race = ""
        self._last = 0
        self._said: list[tuple[str, int]] = []
        self._latest: list[tuple[str, int]] = []

    def look(
        self, race: str, lanes: Sequence[Lane], own: int | None, now: int
    ) -> list[str]:
        """Take the latest progress; return the line to say now, or none.

        Args:
            race: its id; empty while none is running.
            lanes: all racers, best first.
            own: our seat.
            now: ms.
        """
        if race != self._race:
            self._race, self._last, self._said = race, now, []
        racing = [
            lane for lane in lanes if lane.status == "racing" and lane.seat != own
        ]
        self._latest = [(lane.name, lane.high // 10) for lane in racing]
        due = self.due
        if due is None or now < due:
            return []
        self._last, self._said = now, self._latest
        line = ", ".join(
            text("room.progress", name=name, percent=percent)
            for name, percent in self._latest[:_NAMED]
        )
        more = len(self._latest) - _NAMED
        return [text("room.progress_more", line=line, more=more) if more > 0 else line]

    @property
    def due(self) -> int | None:
        """When the next report is due, in ms; None: nothing is new."""
        moved = any(percent for _, percent in self._latest)
        if not self._race or not moved or self._latest == self._said:
            return None
        return self._last + EVERY_MS
