"""Where decisions are written down, and looked at, before anything is changed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from sliderace.race import decide as race_decide
from sliderace.race.log_records import RaceCreated
from sliderace.race.refusal import Refusal
from sliderace.race.rules import Rules
from sliderace.race.timing import UNMEASURED, Latency
from sliderace_server.room.apply import apply
from sliderace_server.room.commands import MemberLatency
from sliderace_server.room.log_records import Closed, Record
from sliderace_server.room.state import RoomLimits, RoomState, race_id

__all__ = ["Draft", "made", "unmeasured"]


def unmeasured(_member: int) -> Latency:
    """The lines of members whom nobody has pinged."""
    return UNMEASURED


@dataclass(slots=True)
class Draft:
    """A decision in the making: records, and the room as it would be after them.

    Attributes:
        state: a sketch of the room; never the room itself.
        now: room time of the decision.
        entropy: 32 random bytes, for the secret of a new race.
        limits: the operator's figures.
        line_of: the members' connections.
        records: what was decided so far.
    """

    state: RoomState
    now: int
    entropy: bytes
    limits: RoomLimits
    line_of: MemberLatency = unmeasured
    records: list[Record] = field(default_factory=list[Record])

    def write(self, records: Iterable[Record]) -> None:
        """Add records, in order."""
        for record in records:
            self.state = apply(self.state, record)
            self.records.append(record)

    def take(self, decision: Sequence[Record] | Refusal) -> Refusal | None:
        """Add the records of a decision, or hand back its refusal."""
        if isinstance(decision, Refusal):
            return decision
        self.write(decision)
        return None

    def close(self, why: Literal["host", "timeout"]) -> None:
        """The room is no more; a race that runs ends with it, and has results."""
        out = "limit" if self.state.empty_since is None else "away"
        out = "called" if why == "host" else out
        self.write(race_decide.stop(self.state.race, self.now, out))
        self.write([Closed(self.now, why)])

    def passed(self, deadline: int) -> bool:
        """Whether a deadline has fired: not while the room recovers from a failure."""
        return max(deadline, self.state.hold_until) <= self.now

    def new_race(
        self, rules: Rules | None = None, seed: str | None = None
    ) -> RaceCreated:
        """The race after this one; rules and seed go on where none are given."""
        race = self.state.race
        return made(
            self.state,
            race.rules if rules is None else rules,
            race.known_seed if seed is None else seed,
            self.entropy,
            self.now,
        )


def made(
    state: RoomState, rules: Rules, seed: str, entropy: bytes, now: int
) -> RaceCreated:
    """The next race of a room.

    Args:
        state: the room.
        rules: how it will be run.
        seed: 64 hex digits of a seed known in advance, or empty.
        entropy: 32 random bytes.
        now: room time, ms.
    """
    number = race_id(state.code, state.created_s, state.number + 1)
    return race_decide.make(number, rules, entropy, now, seed)
