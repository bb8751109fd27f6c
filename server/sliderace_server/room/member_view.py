"""The room as one member may see it at one moment."""

from dataclasses import dataclass

from sliderace.protocol.messages import Snapshot
from sliderace_server.room.spectator_delay import Lag
from sliderace_server.room.state import RoomState
from sliderace_server.room.visibility import reveal, sees_boards, snapshot

__all__ = ["View", "view_of"]


@dataclass(frozen=True, slots=True)
class View:
    """What a member is told once all of it is durable.

    Attributes:
        taken: room time of that moment, ms.
        snapshot: everything the member may know.
        sees: it may see the boards of others.
        shown: id of the race whose start board it has by the snapshot, or "".
    """

    taken: int
    snapshot: Snapshot
    sees: bool
    shown: str


def view_of(state: RoomState, member: int, now: int, lag: Lag) -> View:
    """Everything that a member may know now.

    Args:
        state: the room.
        member: who looks.
        now: room time, ms.
        lag: the room's, for those who see it late.
    """
    revealed = reveal(state, member, now) is not None
    return View(
        taken=now,
        snapshot=snapshot(state, member, now, lag),
        sees=sees_boards(state, member, now),
        shown=state.race.id if revealed else "",
    )
