"""What of a room must be shown at once, and what can wait for the next tick."""

from sliderace_client.room.view import RoomView

__all__ = ["gist"]


def gist(view: RoomView) -> object:
    """All that is seen of a room but progress, moves and acks; to be compared."""
    standings = [(lane.seat, lane.status, lane.place) for lane in view.lanes.values()]
    people = list(view.members.values())
    race = (view.phase, view.phase_ends, view.start, view.attempt is None)
    facts = (
        view.online,
        view.ended,
        view.results,
        view.forfeited_at,
        view.signals,
    )
    said = (
        view.agrees,
        list(view.faults),
        list(view.remarks),
        dict(view.latencies),
    )
    return (view.room, people, standings, race, facts, said)
