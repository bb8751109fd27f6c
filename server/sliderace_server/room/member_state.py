"""A member of a room, as its state and the checkpoints in its log know them."""

from dataclasses import dataclass

from sliderace.protocol.messages import LevelName, RoleName
from sliderace.race.log_records import Seat

__all__ = ["MemberState"]


@dataclass(frozen=True, slots=True)
class MemberState:
    """A member of the room.

    Checkpoints in the log contain it: names are forever; new fields have defaults.

    Attributes:
        id: 1, 2, 3 ... in order of joining; never reused.
        name: cleaned, and unique in the room.
        role: players have a seat, spectators have none.
        seat: does not change while the member has it.
        bot: declared as a bot.
        token_hash: SHA-256 of the seat token, in hex.
        former_hash: the same of the previous token, or empty. It is still valid, so
            that a lost welcome does not lose the seat.
        ready: will race.
        benched: sits out.
        connected: has a connection.
        since: room time at which the member was last connected or disconnected.
        nonce_commitment: 64 hex digits for the race in preparation, or empty.
        nonces: number of commitments for that race.
        address: a hash of the address that they joined from; empty: unknown, or this
            machine.
        newcomer: has been connected only once, and never for `NEWCOMER_MS`.
        level: how strong a bot of the server is.
        pace_ms: the time that it aims at instead.
        muted: may not react.
        profile: public id of the profile for which their attempts count.
        usual_ms: what they usually need for this board; None: unknown.
        raced: race id and seat of their last attempt that has ended.
        idle: how many races in a row ended without a slide of theirs.
    """

    id: int
    name: str
    role: RoleName
    seat: Seat | None
    bot: bool
    token_hash: str
    former_hash: str = ""
    ready: bool = False
    benched: bool = False
    connected: bool = True
    since: int = 0
    nonce_commitment: str = ""
    nonces: int = 0
    address: str = ""
    newcomer: bool = False
    level: LevelName | None = None
    pace_ms: int | None = None
    muted: bool = False
    profile: str | None = None
    usual_ms: int | None = None
    raced: tuple[str, Seat] | None = None
    idle: int = 0

    @property
    def served(self) -> bool:
        """Whether this is a bot of the server, not of a player."""
        return self.level is not None or self.pace_ms is not None

    @property
    def plays(self) -> bool:
        """Whether this is a player who does not sit out."""
        return self.role == "player" and not self.benched

    @property
    def active(self) -> bool:
        """Whether this is a connected player who does not sit out."""
        return self.plays and self.connected
