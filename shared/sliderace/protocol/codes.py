"""Refusal codes and close codes: two closed lists, worded by the catalogue."""

from typing import Final

from sliderace.texts import text

__all__ = ["CLOSE_CODES", "REFUSALS", "close_text", "may_reconnect", "refusal_text"]

REFUSALS: Final = (
    # the message itself
    "too_large",
    "bad_message",
    "no_hello",
    "version",
    "rate",
    # entering
    "bad_code",
    "room_unknown",
    "room_full",
    "room_locked",
    "kicked",
    "bad_name",
    "mixed_name",
    "long_name",
    "bad_token",
    "bad_ticket",
    "too_many_rooms",
    "too_many_tries",
    "storage_unavailable",
    "shutting_down",
    "unavailable",
    "not_here",
    # with a profile
    "profile_unknown",
    "profile_exists",
    "too_many_profiles",
    "too_many_devices",
    "device_unknown",
    "last_device",
    "busy",
    "daily_done",
    # in the room
    "not_host",
    "not_player",
    "member_unknown",
    "bad_rules",
    "bad_series",
    "race_counts",
    "wrong_phase",
    "racing",
    "muted",
    "wrong_race",
    "nobody_ready",
    "too_many_bots",
    "bad_bot",
    "bots_unavailable",
    # on the board
    "not_racing",
    "too_early",
    "done",
    "gap",
    "illegal",
    "too_many_tiles",
    "too_late",
    "bad_nonce",
    "bad_seat",
)
"""Reasons why a command is refused; their texts are `refusal.CODE`."""

CLOSE_CODES: Final = (
    1000,
    1001,
    1002,
    1006,
    1007,
    1009,
    1011,
    1012,
    1013,
    4002,
    4429,
    4500,
    4501,
    4502,
    4503,
    4504,
)
"""Close codes in use; their texts are `close.CODE`."""


def refusal_text(code: str) -> str:
    """Return the text of a refusal code."""
    return text(f"refusal.{code}")


def close_text(code: int) -> str:
    """Return the text of a close code."""
    return text(f"close.{code}")


def may_reconnect(code: int) -> bool:
    """Return whether a client should reconnect after this close code.

    >>> [may_reconnect(code) for code in (1000, 1006, 1009, 1012, 4429, 4501)]
    [False, True, False, True, True, False]
    """
    return code in {1001, 1006, 1011, 1012, 1013} or 4000 <= code <= 4499
