"""The format of the room log: records to bytes and back.

A record is a JSON array ``[version, type, t_ms, ...]`` with its fields in order. Types
and fields are permanent, because logs outlive releases; new fields are added at the end
and have a default. An unknown type or a newer version stops the recovery of that room.
"""

from collections.abc import Callable
from inspect import get_annotations
from operator import attrgetter
from typing import Any, Final, cast

import msgspec

from sliderace.race import log_records as race
from sliderace_server.room import log_records as room
from sliderace_server.room.log_records import Record

__all__ = ["VERSION", "UnknownRecord", "decode", "encode"]

VERSION: Final = 1

TYPES: Final[dict[str, type[Record]]] = {
    "room_opened": room.RoomOpened,
    "epoch_began": room.EpochBegan,
    "entered": room.Entered,
    "gone": room.Gone,
    "connected": room.Connected,
    "disconnected": room.Disconnected,
    "readied": room.ReadyChanged,
    "nonce_committed": room.NonceCommitted,
    "host_started": room.HostStarted,
    "start_planned": room.StartPlanned,
    "host_changed": room.HostChanged,
    "door_changed": room.LockChanged,
    "listing_changed": room.ListingChanged,
    "benched": room.BenchChanged,
    "role_changed": room.RoleChanged,
    "renamed": room.Renamed,
    "muted": room.MuteChanged,
    "closed": room.Closed,
    "alive": room.Alive,
    "stalled": room.Stalled,
    "wall_set": room.WallClockSet,
    "token_given": room.TokenIssued,
    "series_began": room.SeriesBegan,
    "profile_known": room.ProfileKnown,
    "input_declared": room.InputDeclared,
    "checkpoint": room.Checkpoint,
    "race_made": race.RaceCreated,
    "countdown_began": race.CountdownBegan,
    "countdown_stopped": race.CountdownStopped,
    "roster_frozen": race.RosterFrozen,
    "nonce_told": race.NonceRevealed,
    "race_locked": race.BoardDrawn,
    "postponed": race.Postponed,
    "race_started": race.RaceStarted,
    "slid": race.Slid,
    "finished": race.Finished,
    "forfeited": race.Forfeited,
    "forfeit_undone": race.ForfeitUndone,
    "went_away": race.RacerDisconnected,
    "returned": race.RacerReconnected,
    "did_not_finish": race.DidNotFinish,
    "grace_began": race.GraceBegan,
    "time_called": race.TimeCalled,
    "winner_known": race.WinnerKnown,
    "race_ended": race.RaceEnded,
    "race_aborted": race.RaceAborted,
}
"""Name in the log -> type. Never change or reuse a name."""


class UnknownRecord(ValueError):
    """This release cannot read these bytes as a record."""


_NAMES: Final = {kind: name for name, kind in TYPES.items()}
_FIELDS: Final = {kind: tuple(get_annotations(kind)) for kind in TYPES.values()}
_VALUES: Final = {
    kind: cast("Callable[[Record], tuple[Any, ...]]", attrgetter(*names))
    for kind, names in _FIELDS.items()
}
_encode = msgspec.json.Encoder().encode
_decoder: msgspec.json.Decoder[list[Any]] = msgspec.json.Decoder(list[Any])


def encode(record: Record) -> bytes:
    """Return a record as bytes."""
    if isinstance(record, race.Slid):  # the hot path
        return _encode((VERSION, "slid", *record))
    kind = type(record)
    values = _VALUES[kind](record)
    if len(_FIELDS[kind]) == 1:
        values = (values,)
    return _encode([VERSION, _NAMES[kind], *values])


def decode(data: bytes) -> Record:
    """Return the record in these bytes.

    Raises:
        UnknownRecord: this is not a record, or has a newer version or an unknown type.
    """
    try:
        version, name, *values = _decoder.decode(data)
    except (ValueError, RecursionError) as error:
        raise UnknownRecord(f"not a record: {error}") from None
    kind = TYPES.get(name) if isinstance(name, str) else None
    if version != VERSION or kind is None:
        raise UnknownRecord(f"unknown record {name!r} of version {version!r}")
    if len(values) > len(_FIELDS[kind]):
        raise UnknownRecord(f"record {name!r} has fields of another release")
    named = dict(zip(_FIELDS[kind], values, strict=False))
    try:
        return msgspec.convert(values if kind is race.Slid else named, kind)
    except ValueError as error:
        raise UnknownRecord(f"record {name!r}: {error}") from None
