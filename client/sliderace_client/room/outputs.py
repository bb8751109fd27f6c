"""What a model wants done, in order, by whoever has the connection."""

from dataclasses import dataclass
from typing import Literal

from sliderace.protocol.messages import Command, Results
from sliderace_client.room.fairness import Kept
from sliderace_client.room.outcomes import News

__all__ = ["Check", "Forget", "Keep", "Level", "Note", "Out", "Send"]

Level = Literal["info", "good", "bad"]


@dataclass(frozen=True, slots=True)
class Send:
    """Send this command."""

    command: Command


@dataclass(frozen=True, slots=True)
class Keep:
    """Store the token: it proves this seat later."""

    code: str
    token: str


@dataclass(frozen=True, slots=True)
class Forget:
    """The stored token is worth nothing any more."""


@dataclass(frozen=True, slots=True)
class Note:
    """Announce this to the user."""

    news: News
    level: Level = "info"


@dataclass(frozen=True, slots=True)
class Check:
    """Fetch the race record, compare it with what was kept, and say what was found.

    Args:
        results: as they were told; they say where the record is.
        kept: what we saw and sent.
    """

    results: Results
    kept: Kept


Out = Send | Keep | Forget | Note | Check
