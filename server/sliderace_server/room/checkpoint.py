"""Checkpoints: a room between two races in one record, and back.

A recovery needs nothing from before it, so older records can be removed.
"""

from sliderace.race.apply import apply as apply_to_race
from sliderace.race.log_records import RaceCreated
from sliderace_server.room.log_records import Checkpoint
from sliderace_server.room.state import RoomState

__all__ = ["checkpoint", "checkpoint_due", "restored"]


def checkpoint_due(state: RoomState) -> bool:
    """Return whether a checkpoint follows the `RaceCreated` that was just applied.

    It does after a race that was run or aborted, not after changed settings.
    """
    return state.number > 1 and not state.replaced


def checkpoint(state: RoomState) -> Checkpoint:
    """Return the record of a room whose race has just been created."""
    race = state.race
    return Checkpoint(
        t=state.t,
        code=state.code,
        created_s=state.created_s,
        public=state.public,
        locked=state.locked,
        members=tuple(state.members.values()),
        last_member=state.last_member,
        host=state.host,
        owner=state.owner,
        race=RaceCreated(
            state.t, race.id, race.rules, race.secret, race.commitment, race.known_seed
        ),
        number=state.number,
        last_race=state.last_race,
        epoch=state.epoch,
        hold_until=state.hold_until,
        offset=state.offset,
        empty_since=state.empty_since,
        active_at=state.active_at,
        kicked=state.kicked,
        series=state.series,
        kind=state.kind,
        day=state.day,
    )


def restored(record: Checkpoint) -> RoomState:
    """Return the room that a checkpoint contains."""
    return RoomState(
        code=record.code,
        created_s=record.created_s,
        public=record.public,
        kind=record.kind,
        day=record.day,
        locked=record.locked,
        members={member.id: member for member in record.members},
        last_member=record.last_member,
        host=record.host,
        owner=record.owner,
        race=apply_to_race(None, record.race),
        number=record.number,
        last_race=record.last_race,
        epoch=record.epoch,
        hold_until=record.hold_until,
        offset=record.offset,
        empty_since=record.empty_since,
        active_at=record.active_at,
        acted_at=record.active_at,
        kicked=record.kicked,
        series=record.series,
        t=record.t,
        phase_since=record.t,
    )
