"""A room as a pure state machine over its log: nothing here knows a clock or a socket.

    decide(state, command, now, entropy, limits) -> records | refusal
    decide_slides(state, member, slides, now, limits) -> the same, for the hot path
    apply(state, record) -> state
    next_deadline(state, limits) -> room time
    present(record, state) -> event

`state` says what a room is, `records` what it remembers, `commands` what it is asked;
`deadlines` what its clock does; `present` what everybody is told, `sight` what one
member is told, `lag` what a delayed spectator sees; `timeline` what room time is.
"""

from sliderace_server.room.apply import apply, apply_slid, fold, takes_offset
from sliderace_server.room.commands import (
    Ask,
    Asked,
    Beat,
    Connect,
    Disconnect,
    Enter,
    LockNotDurable,
    MemberLatency,
    RoomCommand,
    SetWall,
    Tick,
)
from sliderace_server.room.deadlines import closes_at, lock_check_at, next_deadline
from sliderace_server.room.decide import (
    BEAT_MS,
    Decision,
    decide,
    decide_slides,
    open_room,
)
from sliderace_server.room.events import aged, present, standings_of
from sliderace_server.room.log_records import EpochBegan, Record
from sliderace_server.room.member_view import View, view_of
from sliderace_server.room.solve_signals import signals_of
from sliderace_server.room.spectator_delay import Lag
from sliderace_server.room.state import MemberState, Racer, RoomLimits, RoomState
from sliderace_server.room.timeline import (
    Timeline,
    first_epoch,
    next_epoch,
    wall_set_to,
)
from sliderace_server.room.visibility import (
    acked,
    attempt_of,
    board_of,
    elapsed_ms,
    is_delayed,
    listing,
    member_by_token,
    progress_step,
    refused,
    rejected,
    reveal,
    reveal_at,
    sees_boards,
    snapshot,
    welcome,
)

__all__ = [
    "BEAT_MS",
    "Ask",
    "Asked",
    "Beat",
    "Connect",
    "Decision",
    "Disconnect",
    "Enter",
    "EpochBegan",
    "Lag",
    "LockNotDurable",
    "MemberLatency",
    "MemberState",
    "Racer",
    "Record",
    "RoomCommand",
    "RoomLimits",
    "RoomState",
    "SetWall",
    "Tick",
    "Timeline",
    "View",
    "acked",
    "aged",
    "apply",
    "apply_slid",
    "attempt_of",
    "board_of",
    "closes_at",
    "decide",
    "decide_slides",
    "elapsed_ms",
    "first_epoch",
    "fold",
    "is_delayed",
    "listing",
    "lock_check_at",
    "member_by_token",
    "next_deadline",
    "next_epoch",
    "open_room",
    "present",
    "progress_step",
    "refused",
    "rejected",
    "reveal",
    "reveal_at",
    "sees_boards",
    "signals_of",
    "snapshot",
    "standings_of",
    "takes_offset",
    "view_of",
    "wall_set_to",
    "welcome",
]
