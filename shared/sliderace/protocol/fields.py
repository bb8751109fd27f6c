"""The values that messages hold, with their bounds."""

from typing import Annotated, Literal

from msgspec import Meta

from sliderace.protocol import limits

__all__ = [
    "AnyRaceId",
    "Code",
    "Int",
    "MemberId",
    "Ms",
    "Name",
    "Nonce",
    "NonceCommitment",
    "PhaseName",
    "RaceId",
    "RoleName",
    "Seat",
    "Slide",
    "StatusName",
    "Token",
]

Int = Annotated[int, Meta(ge=0, le=limits.MAX_INTEGER)]
"""Any whole number on the wire: what JavaScript holds exactly."""
Ms = Int
Seat = Annotated[int, Meta(ge=0, le=limits.MAX_SEAT)]
MemberId = Annotated[int, Meta(ge=1, le=limits.MAX_INTEGER)]
Code = Annotated[str, Meta(min_length=1, max_length=limits.MAX_CODE)]
"""A room code as typed: case, spaces and dashes are ignored."""
RaceId = Annotated[str, Meta(pattern=r"^[A-Z0-9-]{1,32}\Z")]
AnyRaceId = Annotated[str, Meta(min_length=1, max_length=32)]
"""The same in what comes most: to match a pattern takes as long as all the rest of a
message, and what is not the id of this race is refused anyway."""
Token = Annotated[str, Meta(pattern=r"^[0-9a-f]{32}\Z")]
Nonce = Annotated[str, Meta(pattern=r"^[0-9a-f]{32}\Z")]
"""16 random bytes of a player's client, hex."""
NonceCommitment = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
"""What binds a client to its nonce: `sliderace.engine.nonce_commitment`, hex."""
Name = Annotated[str, Meta(max_length=limits.MAX_NAME_TEXT)]
"""A nickname as typed; the server cleans it and makes it unique."""
Slide = tuple[
    Literal["U", "D", "L", "R"],
    Annotated[int, Meta(ge=1, le=limits.MAX_SIDE - 1)],
    Ms,
]
"""Direction the tiles travel, how many tiles, ms since the board was painted."""
RoleName = Literal["player", "spectator"]
PhaseName = Literal[
    "lobby", "countdown", "racing", "grace", "results", "aborted", "closed"
]
StatusName = Literal["racing", "finished", "dnf", "forfeited", "dns"]
