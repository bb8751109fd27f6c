"""How the others are doing, told between prompts: now and then, and never twice."""

from collections.abc import Sequence
from typing import Final

from sliderace_client.room.lanes import Lane

__all__ = ["EVERY_MS", "Commentary"]

EVERY_MS: Final = 5_000
"""Between two lines at least: a screen reader must get to the end of one."""
_NAMED = 6
"""Racers in one line; the others are counted."""


class Commentary:
    """Rivals' progress of one race after another.

    Finishes are not its business: they are told at once, as the server tells them.
    """

    def __init__(self) -> None:
        self._race = ""
        self._last = 0
        self._told: list[tuple[str, int]] = []
        self._news: list[tuple[str, int]] = []

    def look(
        self, race: str, lanes: Sequence[Lane], own: int | None, now: int
    ) -> list[str]:
        """Take the newest progress; the line to say now, or none.

        Args:
            race: its id; empty while none is run.
            lanes: all racers, best first.
            own: our seat, which is no rival's.
            now: ms.
        """
        if race != self._race:
            self._race, self._last, self._told = race, now, []
        racing = [
            lane for lane in lanes if lane.status == "racing" and lane.seat != own
        ]
        self._news = [(lane.name, lane.high // 10) for lane in racing]
        due = self.due
        if due is None or now < due:
            return []
        self._last, self._told = now, self._news
        parts = [f"{name} {percent} %" for name, percent in self._news[:_NAMED]]
        more = len(self._news) - _NAMED
        return [", ".join(parts) + (f", and {more} more" if more > 0 else "")]

    @property
    def due(self) -> int | None:
        """When there is something to say, in ms; None: nothing is new."""
        moved = any(percent for _, percent in self._news)
        if not self._race or not moved or self._news == self._told:
            return None
        return self._last + EVERY_MS
