"""A room as a pure state machine over its log: no clock, no I/O.

    decide(state, command, now, entropy, limits) -> records | refusal
    decide_slides(state, member, slides, now, limits) -> records | refusal  (hot path)
    apply(state, record) -> state
    next_deadline(state, limits) -> room time
    present(record, state) -> event

`decide` says what a command does, `member_commands` and `deadlines` are its parts;
`apply` folds `log_records` into a `state`. `events` creates the events that all members
get, `visibility` the messages to one member, and `spectator_delay` the delayed view of
spectators. `timeline` defines room time.
"""

from sliderace_server.room.apply import apply, apply_slid, fold, has_event
from sliderace_server.room.bots import server_bots
from sliderace_server.room.checkpoint import checkpoint, checkpoint_due
from sliderace_server.room.commands import (
    Connect,
    Disconnect,
    Enter,
    KeepAlive,
    LockNotDurable,
    MemberCommand,
    MemberLatency,
    RoomCommand,
    SetBots,
    SetWallClock,
    Stall,
    Tick,
    WireCommand,
)
from sliderace_server.room.deadlines import closes_at, lock_check_at, next_deadline
from sliderace_server.room.decide import (
    KEEP_ALIVE_MS,
    Decision,
    decide,
    decide_slides,
    open_room,
)
from sliderace_server.room.events import (
    adjust_time_left,
    present,
    series_table,
    standings_of,
)
from sliderace_server.room.log_records import EpochBegan, Record
from sliderace_server.room.member_commands import chosen_name
from sliderace_server.room.reactions import reaction_refusal, sees_reactions
from sliderace_server.room.spectator_delay import DelayedAttempts
from sliderace_server.room.state import MemberState, Racer, RoomLimits, RoomState
from sliderace_server.room.timeline import (
    Timeline,
    first_epoch,
    next_epoch,
    wall_clock_step,
)
from sliderace_server.room.visibility import (
    View,
    ack_of,
    attempt_of,
    board_of,
    elapsed_ms,
    is_delayed,
    is_kicked,
    listing,
    member_by_token,
    refused,
    rejected,
    reveal,
    reveal_at,
    seat_progress,
    sees_boards,
    signals_of,
    snapshot,
    view_of,
    welcome,
)

__all__ = [
    "KEEP_ALIVE_MS",
    "Connect",
    "Decision",
    "DelayedAttempts",
    "Disconnect",
    "Enter",
    "EpochBegan",
    "KeepAlive",
    "LockNotDurable",
    "MemberCommand",
    "MemberLatency",
    "MemberState",
    "Racer",
    "Record",
    "RoomCommand",
    "RoomLimits",
    "RoomState",
    "SetBots",
    "SetWallClock",
    "Stall",
    "Tick",
    "Timeline",
    "View",
    "WireCommand",
    "ack_of",
    "adjust_time_left",
    "apply",
    "apply_slid",
    "attempt_of",
    "board_of",
    "checkpoint",
    "checkpoint_due",
    "chosen_name",
    "closes_at",
    "decide",
    "decide_slides",
    "elapsed_ms",
    "first_epoch",
    "fold",
    "has_event",
    "is_delayed",
    "is_kicked",
    "listing",
    "lock_check_at",
    "member_by_token",
    "next_deadline",
    "next_epoch",
    "open_room",
    "present",
    "reaction_refusal",
    "refused",
    "rejected",
    "reveal",
    "reveal_at",
    "seat_progress",
    "sees_boards",
    "sees_reactions",
    "series_table",
    "server_bots",
    "signals_of",
    "snapshot",
    "standings_of",
    "view_of",
    "wall_clock_step",
    "welcome",
]
