"""What of a room must be shown at once, and what can wait for the next tick."""

from sliderace_client.room.fold import Model

__all__ = ["gist"]


def gist(model: Model) -> object:
    """All that is seen of a room but progress, moves and acks; to be compared."""
    standings = [(lane.seat, lane.status, lane.place) for lane in model.lanes.values()]
    people = list(model.members.values())
    race = (model.phase, model.phase_ends, model.start, model.attempt is None)
    facts = (model.online, model.ended, model.results, model.gave_up_at, model.signals)
    said = (model.agrees, list(model.proof), list(model.remarks), dict(model.lines))
    return (model.room, people, standings, race, facts, said)
