"""The live rooms of a server, as its lobby sends them.

A server may be hostile: rows that cannot be shown are left out.
"""

from typing import NamedTuple

from sliderace.engine import BadSize, Size
from sliderace.protocol.messages import RoomRow, Rooms
from sliderace.protocol.room_code import parse_code

__all__ = ["LiveRoom", "LiveRooms"]

MAX_ROOMS = 1_000
"""More than anybody reads."""


class LiveRoom(NamedTuple):
    """A public room.

    Attributes:
        row: as the server sent it.
        since: when its phase began, in ms of the caller's clock.
    """

    row: RoomRow
    since: int


class LiveRooms:
    """The list of one connection to a lobby.

    Attributes:
        known: the first message has come.
    """

    def __init__(self) -> None:
        self.known = False
        self._rooms: dict[str, LiveRoom] = {}

    def receive(self, event: Rooms, now: int) -> None:
        """Take all rooms, or those that changed."""
        self.known = True
        for code in event.gone:
            self._rooms.pop(code, None)
        for row in event.rows:
            room = LiveRoom(row, now - row.age_ms)
            fits = row.code in self._rooms or len(self._rooms) < MAX_ROOMS
            if fits and _can_be_shown(row):
                self._rooms[row.code] = room

    def listed(self, event: str = "") -> list[LiveRoom]:
        """Return the rooms, those first that a player would rather enter.

        Args:
            event: rooms of this one come first.
        """
        return sorted(
            self._rooms.values(),
            key=lambda room: (
                room.row.locked,
                room.row.event != event,
                -room.row.people,
                room.row.code,
            ),
        )


def _can_be_shown(row: RoomRow) -> bool:
    try:
        return parse_code(row.code) == row.code and bool(Size.parse(row.event))
    except BadSize:
        return False
