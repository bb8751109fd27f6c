"""The bots of the server in a room, as its host wants them."""

from collections.abc import Iterable
from typing import cast, get_args

from sliderace.protocol.messages import BotWanted, LevelName, Member

__all__ = ["LEVELS", "is_served", "server_bots"]

LEVELS: tuple[LevelName, ...] = get_args(LevelName)
"""The weakest first."""


def server_bots(members: Iterable[Member]) -> list[BotWanted]:
    """Return the bots of the server among the members."""
    return [
        BotWanted(cast("LevelName | None", member.level), member.pace_ms)
        for member in members
        if is_served(member)
    ]


def is_served(member: Member) -> bool:
    """Return whether a member is a bot of the server."""
    return member.level is not None or member.pace_ms is not None
