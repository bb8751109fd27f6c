"""Closed lists of types for news, faults and endings, without wording.

`sliderace_client.shared_ui.wording` has the text of each.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from sliderace.protocol.messages import (
    Gains,
    MemberEvent,
    PhaseName,
    Refused,
    Standing,
)

__all__ = [
    "BadMessage",
    "ConnectionClosed",
    "End",
    "Ended",
    "Fault",
    "HostChanged",
    "LockChanged",
    "MemberGone",
    "News",
    "Notice",
    "PhaseChanged",
    "Reaction",
    "Remark",
    "Renamed",
    "SizeChanged",
    "Unreached",
    "Won",
    "WrongNonce",
]


class Fault(StrEnum):
    """Something in the results or in the race record that proves the server wrong."""

    UNREADABLE = "unreadable"
    BOARD_NOT_FROM_SEED = "board_not_from_seed"
    COMMITMENT_BROKEN = "commitment_broken"
    NOT_REVEALED = "not_revealed"
    SEED_NOT_FROM_PARTS = "seed_not_from_parts"
    LIST_CHANGED = "list_changed"
    BOARD_NOT_RACED = "board_not_raced"
    OWN_COMMITMENT_NOT_LISTED = "own_commitment_not_listed"
    OWN_NONCE_REPLACED = "own_nonce_replaced"
    OWN_NONCE_LEFT_OUT = "own_nonce_left_out"
    OWN_NONCE_REFUSED = "own_nonce_refused"
    RECORD_UNREADABLE = "record_unreadable"
    RECORD_OTHER_RACE = "record_other_race"
    RECORD_COMMITMENT = "record_commitment"
    RECORD_SIZE = "record_size"
    RECORD_LIST = "record_list"
    RECORD_NONCES = "record_nonces"
    RECORD_SEED = "record_seed"
    RECORD_BOARD = "record_board"
    RECORD_RESULTS = "record_results"
    RECORD_WITHOUT_YOU = "record_without_you"
    RECORD_SLIDES_MISSING = "record_slides_missing"
    RECORD_SLIDES_DIFFER = "record_slides_differ"


@dataclass(frozen=True, slots=True)
class WrongNonce:
    """A fault: the nonce of this seat is not the one it committed to."""

    seat: int


class Remark(StrEnum):
    """Something worth knowing about a race that proves nobody wrong."""

    COMMITMENT_LATE = "commitment_late"
    NONCE_LATE = "nonce_late"
    NONCE_UNSURE = "nonce_unsure"
    NONCE_NOT_SENT = "nonce_not_sent"
    RECORD_UNAVAILABLE = "record_unavailable"


# --- News -----------------------------------------------------------------------------


class Notice(StrEnum):
    """News without details."""

    CONNECTION_LOST = "connection_lost"
    RECONNECTED = "reconnected"
    WAITING_FOR_SERVER = "waiting_for_server"
    HOST_ENDED = "host_ended"
    LEFT_OUT = "left_out"
    RECORD_AGREES = "record_agrees"
    PROFILE_UNKNOWN = "profile_unknown"
    PROFILE_UNAVAILABLE = "profile_unavailable"


@dataclass(frozen=True, slots=True)
class Reaction:
    """A member reacted."""

    member: int
    name: str
    number: int
    """1 to `REACTIONS`."""


@dataclass(frozen=True, slots=True)
class Renamed:
    """A member changed their nickname."""

    before: str
    name: str


@dataclass(frozen=True, slots=True)
class MemberGone:
    """A member left the room."""

    name: str
    why: Literal["left", "kicked", "timeout"]


@dataclass(frozen=True, slots=True)
class HostChanged:
    """Another member is the host."""

    name: str


@dataclass(frozen=True, slots=True)
class LockChanged:
    """The host locked or unlocked the room."""

    locked: bool


@dataclass(frozen=True, slots=True)
class SizeChanged:
    """The next board has this size."""

    size: str


@dataclass(frozen=True, slots=True)
class PhaseChanged:
    """The race moved on; the new phase ends in `in_ms`, unless that is None."""

    phase: PhaseName
    in_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Won:
    """The first place is final; more than one name is a tie."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SeriesWon:
    """The series is decided; more than one name is a tie."""

    names: tuple[str, ...]


# --- Endings --------------------------------------------------------------------------


class End(StrEnum):
    """Reasons without details for the end of our stay in a room."""

    OPENED = "opened"
    """We only opened it."""
    LEFT = "left"
    KICKED = "kicked"
    TIMEOUT = "timeout"
    """We were away too long."""
    CLOSED_BY_HOST = "closed_by_host"
    CLOSED_EMPTY = "closed_empty"
    IMPOSSIBLE_BOARD = "impossible_board"
    """The server sent one."""
    CONNECTION_LOST = "connection_lost"
    """We stopped trying to reconnect."""
    RACES_DONE = "races_done"
    """A bot took part in as many races as it was asked to."""


@dataclass(frozen=True, slots=True)
class ConnectionClosed:
    """The server closed the connection with a code that forbids a reconnect."""

    code: int


@dataclass(frozen=True, slots=True)
class BadMessage:
    """The server sent an invalid message; `why` is the decoder's reason."""

    why: str


@dataclass(frozen=True, slots=True)
class Unreached:
    """The server could not be reached; `why` is the system's reason."""

    server: str
    why: str


Ended = End | Refused | ConnectionClosed | BadMessage | Unreached
"""Why our stay in a room ended; a refusal is of our entry."""
News = (
    Notice
    | MemberEvent
    | Renamed
    | Reaction
    | MemberGone
    | HostChanged
    | LockChanged
    | SizeChanged
    | PhaseChanged
    | Standing
    | Won
    | SeriesWon
    | Gains
    | Refused
    | Fault
    | WrongNonce
    | Remark
    | Ended
)
"""The announcements to a member."""
