"""A decision in progress: its records, applied to a copy of the room."""

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

__all__ = ["Draft", "create_race", "unmeasured"]


def unmeasured(_member: int) -> Latency:
    """Return the latency of a member who was never pinged."""
    return UNMEASURED


@dataclass(slots=True)
class Draft:
    """A decision in progress: its records, and the room as it is after them.

    Attributes:
        state: a copy of the room; never the room itself.
        now: room time of the decision, ms.
        entropy: 32 random bytes, for the secret of a new race.
        limits: the limits of the room.
        latency_of: member id -> latency.
        records: the records so far.
    """

    state: RoomState
    now: int
    entropy: bytes
    limits: RoomLimits
    latency_of: MemberLatency = unmeasured
    records: list[Record] = field(default_factory=list[Record])

    def write(self, records: Iterable[Record]) -> None:
        """Append records and apply them."""
        for record in records:
            self.state = apply(self.state, record)
            self.records.append(record)

    def take(self, decision: Sequence[Record] | Refusal) -> Refusal | None:
        """Append the records of a race's decision, or return its refusal."""
        if isinstance(decision, Refusal):
            return decision
        self.write(decision)
        return None

    def close(self, why: Literal["host", "timeout"]) -> None:
        """Close the room; a running race ends with results."""
        reason = "called" if why == "host" else "away"
        self.write(race_decide.end_race(self.state.race, self.now, reason))
        self.write([Closed(self.now, why)])

    def passed(self, deadline: int) -> bool:
        """Return whether a deadline has passed; right after a recovery none has."""
        return max(deadline, self.state.hold_until) <= self.now

    def new_race(
        self, rules: Rules | None = None, seed: str | None = None
    ) -> RaceCreated:
        """Return the record of the next race; rules and seed stay unless given.

        So does the secret of a daily race, which is that of its day.
        """
        race = self.state.race
        daily = self.state.kind == "daily"
        return create_race(
            self.state,
            race.rules if rules is None else rules,
            race.known_seed if seed is None else seed,
            bytes.fromhex(race.secret) if daily else self.entropy,
            self.now,
        )


def create_race(
    state: RoomState, rules: Rules, seed: str, entropy: bytes, now: int
) -> RaceCreated:
    """Return the record of a room's next race.

    Args:
        state: the room.
        rules: its rules.
        seed: 64 hex digits of a seed known in advance, or empty.
        entropy: 32 random bytes.
        now: room time, ms.
    """
    number = race_id(state.code, state.created_s, state.number + 1)
    return race_decide.create_race(number, rules, entropy, now, seed)
