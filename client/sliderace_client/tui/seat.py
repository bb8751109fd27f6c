"""What the screens need from a seat in a room; `net.connection` provides it."""

from collections.abc import Callable
from typing import Protocol

from sliderace.engine import Direction
from sliderace.protocol.messages import Command
from sliderace_client.net.connection import Ending
from sliderace_client.room.outputs import Note
from sliderace_client.room.view import RoomView

__all__ = ["Connect", "Play"]


class Play(Protocol):
    """One seat, played over some connection."""

    @property
    def view(self) -> RoomView:
        """All that is known of the room."""
        ...

    def slide(self, direction: Direction, count: int = 1) -> bool:
        """Slide on the own board."""
        ...

    def slide_cell(self, cell: int) -> bool:
        """Slide the tile in a cell, and all between it and the gap."""
        ...

    def painted(self) -> None:
        """Say that the board is on the screen."""
        ...

    def ask(self, command: Command) -> bool:
        """Send a command; False while there is no connection."""
        ...

    def now(self) -> int:
        """Monotonic ms."""
        ...

    async def run(self) -> Ending:
        """Play until the room is over for us."""
        ...


Connect = Callable[[Callable[[], None], Callable[[Note], None]], Play]
"""Makes a seat from `on_change` and `on_note`."""
