"""Who may react, and who sees it. Reactions are neither records nor events in the log.

- Racers cannot react while they race.
- Until the first place is final, nobody who still races sees a reaction: it could be a
  signal, and it would distract.
"""

from sliderace.race.deadlines import may_still_race
from sliderace.race.refusal import Refusal
from sliderace_server.room.state import RoomState
from sliderace_server.room.visibility import attempt_of

__all__ = ["reaction_refusal", "sees_reactions"]


def reaction_refusal(state: RoomState, member: int, now: int) -> Refusal | None:
    """Return why a member may not react now, or None.

    Args:
        state: the room.
        member: the member's id.
        now: room time, ms.
    """
    if state.closed:
        return Refusal("room_unknown")
    if state.members[member].muted:
        return Refusal("muted")
    if _races(state, member, now):
        return Refusal("racing")
    return None


def sees_reactions(state: RoomState, member: int, now: int) -> bool:
    """Return whether a member is sent the reactions of others now."""
    return state.race.winner_known or not _races(state, member, now)


def _races(state: RoomState, member: int, now: int) -> bool:
    """Return whether a member is in a running race and not out of it."""
    attempt = attempt_of(state, member) if state.race.running else None
    return attempt is not None and may_still_race(state.race, attempt, now)
