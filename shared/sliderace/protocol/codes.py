"""Closed lists: why a command is refused, and what each close code asks of a client."""

from types import MappingProxyType
from typing import Final

__all__ = ["CLOSE_CODES", "REFUSALS", "may_reconnect"]

REFUSALS: Final = MappingProxyType(
    {
        # the message itself
        "too_large": "That message is too large.",
        "bad_message": "That message could not be understood.",
        "no_hello": "The first message must be hello.",
        "version": "This server speaks another version of the protocol.",
        "rate": "Too fast; slow down.",
        # entering
        "bad_code": "That is not a room code.",
        "room_unknown": "There is no room with that code.",
        "room_full": "The room is full.",
        "room_locked": "The host has locked the room.",
        "bad_name": "That nickname cannot be shown.",
        "bad_token": "That seat is not yours.",
        "too_many_rooms": "Too many rooms are open from your address.",
        "too_many_tries": "Too many wrong codes; wait a little.",
        "storage_unavailable": "The server cannot store anything right now.",
        "shutting_down": "The server is stopping; it may come back soon.",
        # in the room
        "not_host": "Only the host may do that.",
        "not_player": "Only players may do that.",
        "member_unknown": "There is nobody with that id.",
        "bad_rules": "That rule is out of its range.",
        "wrong_phase": "That is not possible now.",
        "wrong_race": "That was about another race.",
        "nobody_ready": "Nobody is ready.",
        # on the board
        "not_racing": "You are not in this race.",
        "too_early": "The board is not unlocked yet.",
        "done": "Your race is over.",
        "gap": "A slide is missing before this one.",
        "illegal": "That tile cannot slide that way.",
        "too_many_tiles": "Too many slides for one race.",
        "too_late": "It is too late for that.",
        "bad_nonce": "That nonce is not the one committed to.",
        "bad_seat": "There is no racer in that seat.",
    }
)
"""Code -> the same in English, for a person."""

CLOSE_CODES: Final = MappingProxyType(
    {
        1000: "closed",
        1001: "the server is going away",
        1002: "protocol error",
        1006: "the connection was lost",
        1007: "not text",
        1009: "message too large",
        1011: "the server failed",
        1012: "the server restarts",
        1013: "the server is busy",
        4002: "no hello in time",
        4429: "too many messages",
        4500: "bad request or token",
        4501: "kicked",
        4502: "the room is gone",
        4503: "replaced by a newer connection",
        4504: "another protocol version",
    }
)
"""Close codes in use -> what they mean."""


def may_reconnect(code: int) -> bool:
    """Whether a client should come back by itself after this close code.

    >>> [may_reconnect(code) for code in (1000, 1006, 1009, 1012, 4429, 4501)]
    [False, True, False, True, True, False]
    """
    return code in {1001, 1006, 1011, 1012, 1013} or 4000 <= code <= 4499
