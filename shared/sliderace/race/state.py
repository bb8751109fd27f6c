"""One race as it stands: a fold over its records, see `sliderace.race.apply`.

The state may be read by anybody and is changed by `apply` alone. What must stay secret
until T0 is left out of `repr`, so that it cannot slip into a log line.
"""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple, assert_never

from sliderace.engine import Board, Size
from sliderace.race.log_records import Finished, Seat
from sliderace.race.rules import Rules
from sliderace.race.timing import outage_overlap

__all__ = [
    "COMMIT_MS",
    "HOLD_MS",
    "LOCK_MS",
    "NONCES_MS",
    "RECONNECT_MS",
    "ROSTER_MS",
    "UNDO_MS",
    "Attempt",
    "Outage",
    "Phase",
    "Played",
    "Race",
    "Status",
]

LOCK_MS = 1_200
"""The roster is frozen this long before T0: time to commit it, for the nonces of the
slowest line (0.8 s), and to commit the board."""
NONCES_MS = 400
"""Nonces that have not come this long before T0 are left out; what remains is for the
commit of the board."""
ROSTER_MS = 800
"""A frozen roster that is not durable this long before T0 moves T0: else the nonces of
slow lines (0.4 s) would come too late, and that by our fault."""
COMMIT_MS = 150
"""A lock that is not durable this long before T0 moves T0."""
RECONNECT_MS = 8_000
"""How long after our own outage a client may take to come back at our cost: its longest
pause between two tries."""
UNDO_MS = 3_000
"""A forfeit may be taken back this long: a mistyped key is no lost race."""
HOLD_MS = 30_000
"""After a recovery no deadline fires for this long: clients need up to 8 s to come
back, and nobody pays for our failure."""

Phase = Literal["lobby", "countdown", "racing", "grace", "results", "aborted"]
RUNNING = ("racing", "grace")
"""Phases in which slides can be made."""
Status = Literal["racing", "finished", "dnf", "forfeited", "dns"]


class Played(NamedTuple):
    """One slide as it was made.

    Args:
        direction: the way the tiles travelled.
        tiles: how many.
        stamp: the client's ms since the paint.
        t: room time at which it arrived, ms.
    """

    direction: str
    tiles: int
    stamp: int
    t: int


@dataclass(frozen=True, slots=True)
class Outage:
    """A failure of ours, as one racer met it.

    Attributes:
        down: room time of the last thing we know from before it.
        up: room time of the recovery.
        back: room time of the racer's return; None: not yet.
    """

    down: int
    up: int
    back: int | None = None

    @property
    def end(self) -> int:
        """Up to when it costs the racer time, as far as that is our fault."""
        latest = self.up + RECONNECT_MS
        return latest if self.back is None else min(self.back, latest)


@dataclass(slots=True)
class Attempt:
    """One racer's way through the scramble.

    Attributes:
        seat: whose.
        board: as it stands.
        md0: Manhattan distance of the scramble.
        s: room time at which the board is unlocked for this seat.
        status: ``racing`` until it is something else.
        why: for ``dnf`` and ``dns``: limit, grace, away, left, kicked, called.
        slides: all of them; the last one's number is `seq`.
        stm: tiles moved.
        mtm: maximal runs in one direction.
        high: the best progress so far, in thousandths; never goes back.
        high_at: room time at which it was first reached.
        approx: some stamps were counted from a snapshot, not from the paint.
        away_since: room time since which the connection is lost; None: connected.
        seen: was connected at some time after T0.
        forfeited_at: room time of the forfeit, while forfeited.
        finish: how it was finished.
        outages: failures of ours on the way.
    """

    seat: Seat
    board: Board = field(repr=False)
    md0: int
    s: int
    status: Status = "racing"
    why: str = ""
    slides: list[Played] = field(default_factory=list[Played])
    stm: int = 0
    mtm: int = 0
    high: int = 0
    high_at: int = 0
    approx: bool = False
    away_since: int | None = None
    seen: bool = False
    forfeited_at: int | None = None
    finish: Finished | None = None
    outages: tuple[Outage, ...] = ()

    @property
    def seq(self) -> int:
        """Number of the last slide; 0 before the first."""
        return len(self.slides)

    def outage_ms(self, now: int) -> int:
        """How much of the interval up to a slide at `now` failures of ours cover."""
        return outage_overlap(
            [slide.t for slide in self.slides],
            [(outage.down, min(outage.end, now)) for outage in self.outages],
            self.s,
            now,
        )


@dataclass(slots=True)
class Race:
    """One race, from its preparation to its results.

    Attributes:
        id: such as ``KWXTRB-SA1B2C-3``.
        rules: how it is run.
        secret: S, 64 hex digits. Not for anybody before the race has ended.
        commitment: what binds S, shown in the lobby.
        known_seed: 64 hex digits of a seed given in advance, else empty.
        phase: ``lobby`` until the countdown.
        t0: room time of the start; means nothing in the lobby.
        locked: the roster is fixed: this race is run, or never.
        roster: the seats that race, ascending; empty before that.
        commitments: what binds the nonces of those who committed to one.
        told: the nonces that came, until the board is drawn.
        seed: 64 hex digits, empty before the lock. Secret before `t0`.
        board: the scramble's tiles, empty before the lock. Secret before `t0`.
        nonces: those that went into the seed, by ascending seat.
        attempts: seat -> attempt, by ascending seat; empty before the board is drawn.
        winner_known: nobody who still races can take the first place any more.
        called: the host ended the grace time before that.
        grace_until: room time at which the grace time ends, once somebody finished.
        ended_at: room time of the end.
        why: why it was aborted.
        hold_until: before this room time no deadline fires (after a recovery).
    """

    id: str
    rules: Rules
    secret: str = field(repr=False)
    commitment: str
    known_seed: str = field(default="", repr=False)
    phase: Phase = "lobby"
    t0: int = 0
    locked: bool = False
    roster: tuple[Seat, ...] = ()
    commitments: dict[Seat, str] = field(default_factory=dict[Seat, str])
    told: dict[Seat, str] = field(default_factory=dict[Seat, str], repr=False)
    seed: str = field(default="", repr=False)
    board: tuple[int, ...] = field(default=(), repr=False)
    nonces: dict[Seat, str] = field(default_factory=dict[Seat, str])
    attempts: dict[Seat, Attempt] = field(default_factory=dict[Seat, Attempt])
    winner_known: bool = False
    called: bool = False
    grace_until: int | None = None
    ended_at: int | None = None
    why: str = ""
    hold_until: int = 0

    @property
    def size(self) -> Size:
        """The board's size."""
        return Size.parse(self.rules.size)

    @property
    def drawn(self) -> bool:
        """Whether seed and board are fixed; they are secret up to the reveal."""
        return bool(self.board)

    @property
    def running(self) -> bool:
        """Whether slides can be made: T0 has passed and the end has not come."""
        return self.phase in RUNNING

    @property
    def phase_until(self) -> int | None:
        """Room time at which this phase ends by itself at the latest; None: never.

        For clocks on screens; what really happens next says `decide.next_deadline`.
        """
        match self.phase:
            case "countdown":
                return self.t0
            case "racing":
                limit = self.rules.time_limit_ms
                starts = [attempt.s for attempt in self.attempts.values()]
                return None if limit is None else self.held(max(starts) + limit)
            case "grace":
                return self.grace_until and self.held(self.grace_until)
            case "lobby" | "results" | "aborted":
                return None
            case _:
                assert_never(self.phase)

    def held(self, deadline: int) -> int:
        """When a deadline really fires: not while the race recovers from a failure."""
        return max(deadline, self.hold_until)

    def takes(self, attempt: Attempt, now: int) -> bool:
        """Whether an attempt takes slides; before its start it is too early for them.

        Args:
            attempt: one of this race.
            now: room time, ms.
        """
        if attempt.status != "racing" or self.phase not in RUNNING:
            return False
        ends = self.ends_at(attempt)
        return ends is None or now < ends

    def ends_at(self, attempt: Attempt) -> int | None:
        """Room time at which an attempt is out: its limit or the grace; None: never.

        A slide that arrives at that instant or later comes too late.
        """
        limit, grace = self.rules.time_limit_ms, self.grace_until
        if limit is None:
            return None if grace is None else self.held(grace)
        ends = attempt.s + limit
        return self.held(ends if grace is None else min(ends, grace))

    def final_at(self, attempt: Attempt) -> int:
        """Room time from which a forfeit cannot be undone any more.

        Args:
            attempt: one that is forfeited.
        """
        undo = self.held((attempt.forfeited_at or 0) + UNDO_MS)
        ends = self.ends_at(attempt)
        return undo if ends is None else min(undo, ends)

    def away_until(self, attempt: Attempt) -> int | None:
        """Room time at which a lost connection is a DNF; None: it is not lost.

        Whoever was away before T0 has the same time from T0 on.
        """
        if attempt.away_since is None:
            return None
        return self.held(max(attempt.away_since, self.t0) + self.rules.away_ms)
