"""The state of one race: a fold over its records, see `sliderace.race.apply`.

A race passes through these phases:

    lobby -> countdown -> racing -> grace -> results
      ^          |           |        |
      +----------+           |        +--> aborted
                 +-----------+-----------> aborted

- ``lobby``: the server is bound to its secret by the commitment; T0 is not set.
- ``countdown``: T0 is set. At T0 - `FREEZE_MS` the roster is frozen; then the nonces
  arrive, and the board is drawn. Before the freeze the race can return to the lobby,
  after it the race is run or aborted: its board may have been seen.
- ``racing``: from T0 on. A racer's own clock starts when the board is unlocked for
  their seat (`Attempt.unlocks_at`).
- ``grace``: somebody has finished; the others have until `Race.grace_until`.
- ``results``: nobody can race any more; the secret is revealed.
- ``aborted``: the race was cancelled; it has no results.

A race never leaves ``results`` or ``aborted``: the next one is a new `Race`.

Only `apply` changes the state. Whatever is secret before T0 is left out of `repr`, so
that it cannot get into a log file.
"""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple, assert_never

from sliderace.engine import Board, Size
from sliderace.race.log_records import Finished, Seat
from sliderace.race.rules import Rules
from sliderace.race.timing import RESEND_MS, outage_overlap

__all__ = [
    "BOARD_DURABLE_MS",
    "FREEZE_MS",
    "HOLD_MS",
    "MAX_OUTAGES",
    "NONCE_DEADLINE_MS",
    "RECONNECT_MS",
    "ROSTER_DURABLE_MS",
    "UNDO_MS",
    "Attempt",
    "Outage",
    "Phase",
    "PlayedSlide",
    "Race",
    "Status",
]

FREEZE_MS = 1_200
"""The roster is frozen this long before T0: enough to store it, to receive the nonces
over slow connections (0.8 s), and to store the board."""
NONCE_DEADLINE_MS = 400
"""Nonces that have not arrived this long before T0 are left out; the remaining time is
for storing the board."""
ROSTER_DURABLE_MS = 800
"""If the frozen roster is not stored this long before T0, T0 moves: otherwise nonces
over slow connections (0.4 s) would be late through the server's fault."""
BOARD_DURABLE_MS = 150
"""If the board is not stored this long before T0, T0 moves."""
RECONNECT_MS = 3_000
"""After an outage, this much of a client's absence counts as the server's fault: in a
race, clients try to reconnect every 2 s at most."""
UNDO_MS = 3_000
"""A forfeit can be undone this long, since a mistyped key should not lose a race."""
HOLD_MS = 30_000
"""After a recovery no deadline fires for this long: a client may need that long to
notice the failure and to return, and nobody is penalised for a failure of the server.
"""

MAX_OUTAGES = 1_000
"""How many outages of a race are credited, and how many its record can list.
On a server that fails so often no time is fair, and the race must still end."""

Phase = Literal["lobby", "countdown", "racing", "grace", "results", "aborted"]
RUNNING = ("racing", "grace")
"""Phases in which racers can slide."""
Status = Literal["racing", "finished", "dnf", "forfeited", "dns"]


class PlayedSlide(NamedTuple):
    """One slide of an attempt.

    Args:
        direction: the way the tiles moved.
        tiles: number of tiles.
        stamp: the client's timestamp, ms since it painted the board.
        t: room time of arrival, ms.
    """

    direction: str
    tiles: int
    stamp: int
    t: int


@dataclass(frozen=True, slots=True)
class Outage:
    """A failure of the server, as one racer experienced it.

    Attributes:
        down: room time at which the server was still running.
        up: room time of the recovery.
        back: room time of the racer's return; None: not yet. After a stall the racers
            are still connected: then it is `up`.
    """

    down: int
    up: int
    back: int | None = None

    @property
    def end(self) -> int:
        """Room time until which the outage counts as the server's fault."""
        latest = self.up + RECONNECT_MS
        return latest if self.back is None else min(self.back, latest)


@dataclass(slots=True)
class Attempt:
    """One racer's attempt at the scramble.

    Attributes:
        seat: the racer's seat.
        board: the board now.
        start_md: Manhattan distance of the scramble.
        unlocks_at: room time at which the board is unlocked for this seat.
        status: ``racing`` until the attempt ends.
        why: reason of ``dnf`` and ``dns``: limit, grace, away, left, kicked, called.
        slides: all slides; the number of the last one is `seq`.
        stm: moves in the single-tile metric.
        mtm: moves in the multi-tile metric.
        high: the best progress so far, in thousandths.
        high_at: room time at which it was first reached.
        approx: some timestamps count from a snapshot, not from painting the board.
        away_since: room time at which the connection was lost; None: connected.
        was_connected: the racer was connected when or after the board was revealed.
        late: the racer came only when others had the board.
        forfeited_at: room time of the forfeit, while forfeited.
        finish: the finish, once finished.
        outages: failures of the server before the finish.
    """

    seat: Seat
    board: Board = field(repr=False)
    start_md: int
    unlocks_at: int
    status: Status = "racing"
    why: str = ""
    slides: list[PlayedSlide] = field(default_factory=list[PlayedSlide])
    stm: int = 0
    mtm: int = 0
    high: int = 0
    high_at: int = 0
    approx: bool = False
    away_since: int | None = None
    was_connected: bool = False
    late: bool = False
    forfeited_at: int | None = None
    finish: Finished | None = None
    outages: tuple[Outage, ...] = ()

    @property
    def seq(self) -> int:
        """Number of the last slide; 0 before the first."""
        return len(self.slides)

    def outage_ms(self, now: int) -> int:
        """Return how much of the interval up to a slide at `now` outages cover."""
        return outage_overlap(
            [slide.t for slide in self.slides],
            [(outage.down, min(outage.end, now)) for outage in self.outages],
            self.unlocks_at,
            now,
        )

    @property
    def most_outage_ms(self) -> int:
        """How much of the interval up to a later slide outages can cover, at most.

        A return from the last stall, which may still come, counts too.
        """
        made = [slide.t for slide in self.slides]
        ends = [(one.down, one.end) for one in self.outages]
        if (until := self._return_until) is not None:
            ends[-1] = (ends[-1][0], until)
        return sum(
            outage_overlap(made, [(down, end)], self.unlocks_at, end)
            for down, end in ends
            if not made or made[-1] <= end + RESEND_MS
        )

    def awaited_from_stall(self, now: int) -> bool:
        """Return whether a new connection at `now` is a return from the last stall.

        A client may give up a connection that does nothing. If no slide has arrived on
        the old one since the stall, the new one ends the outage. Clients do this only
        in a long stall, so at most as much time again is credited.
        """
        until = self._return_until
        return until is not None and self.outages[-1].up < now <= until

    @property
    def _return_until(self) -> int | None:
        """Until when a return still ends the last stall; None: it has ended."""
        if not self.outages:
            return None
        stall = self.outages[-1]
        if stall.back != stall.up:
            return None  # it was no stall, or the racer has returned
        if self.slides and self.slides[-1].t >= stall.up:
            return None
        return stall.up + min(RECONNECT_MS, stall.up - stall.down)


@dataclass(slots=True)
class Race:
    """One race, from its preparation to its results.

    Attributes:
        id: such as ``KWXTRB-SA1B2C-3``.
        rules: its rules.
        secret: the server's secret S, 64 hex digits; hidden until the race has ended.
        commitment: binds S; shown in the lobby.
        known_seed: 64 hex digits of a seed given in advance, else empty.
        phase: the phase.
        t0: room time of the start; undefined in the lobby.
        frozen: the roster is fixed: this race is either run or aborted.
        roster: seats that race, ascending; empty before the freeze.
        commitments: seat -> commitment to its nonce, where there is one.
        revealed: seat -> nonce, as revealed before the draw.
        seed: 64 hex digits, empty before the draw. Secret before T0.
        board: tiles of the scramble, empty before the draw. Secret before T0.
        nonces: seat -> nonce, as used for the seed.
        attempts: seat -> attempt, by ascending seat; empty before the draw.
        winner_known: nobody who still races can take the first place.
        time_called: the host ended the grace time early.
        grace_until: room time at which the grace time ends, once somebody finished.
        ended_at: room time of the end.
        why: why the race was aborted.
        hold_until: no deadline fires before this room time (after an outage).
        disturbed_at: room time of the end of an outage that this countdown does not
            survive: T0 must move. None: there was none.
    """

    id: str
    rules: Rules
    secret: str = field(repr=False)
    commitment: str
    known_seed: str = field(default="", repr=False)
    phase: Phase = "lobby"
    t0: int = 0
    frozen: bool = False
    roster: tuple[Seat, ...] = ()
    commitments: dict[Seat, str] = field(default_factory=dict[Seat, str])
    revealed: dict[Seat, str] = field(default_factory=dict[Seat, str], repr=False)
    seed: str = field(default="", repr=False)
    board: tuple[int, ...] = field(default=(), repr=False)
    nonces: dict[Seat, str] = field(default_factory=dict[Seat, str])
    attempts: dict[Seat, Attempt] = field(default_factory=dict[Seat, Attempt])
    winner_known: bool = False
    time_called: bool = False
    grace_until: int | None = None
    ended_at: int | None = None
    why: str = ""
    hold_until: int = 0
    disturbed_at: int | None = None

    @property
    def size(self) -> Size:
        """The board's size."""
        return Size.parse(self.rules.size)

    @property
    def drawn(self) -> bool:
        """Whether seed and board are fixed; both are secret until the reveal."""
        return bool(self.board)

    @property
    def running(self) -> bool:
        """Whether racers can slide: T0 has passed and the race has not ended."""
        return self.phase in RUNNING

    def is_revealed(self, now: int) -> bool:
        """Return whether a racer may have seen the board, maybe before T0."""
        return any(one.unlocks_at <= now for one in self.attempts.values())

    @property
    def active(self) -> bool:
        """Whether the race is in its countdown or running."""
        return self.running or self.phase == "countdown"

    @property
    def reveals(self) -> list[int]:
        """Room times at which the racers are sent the board; empty before the draw."""
        inspection_ms = self.rules.inspection_ms
        return [one.unlocks_at - inspection_ms for one in self.attempts.values()]

    @property
    def phase_until(self) -> int | None:
        """Room time at which this phase ends at the latest; None: never.

        For clocks on screens. `decide.next_deadline` says when something happens next.
        """
        match self.phase:
            case "countdown":
                return self.t0
            case "racing":
                limit = self.rules.time_limit_ms
                starts = [attempt.unlocks_at for attempt in self.attempts.values()]
                return None if limit is None else self.effective(max(starts) + limit)
            case "grace":
                return self.grace_until and self.effective(self.grace_until)
            case "lobby" | "results" | "aborted":
                return None
            case _:
                assert_never(self.phase)

    def effective(self, deadline: int) -> int:
        """Return when a deadline fires: at its time, or when the hold is over."""
        return max(deadline, self.hold_until)

    def accepts_slides(self, attempt: Attempt, now: int) -> bool:
        """Return whether an attempt accepts slides; it may still be too early for them.

        Args:
            attempt: one of this race.
            now: room time, ms.
        """
        if attempt.status != "racing" or self.phase not in RUNNING:
            return False
        ends = self.ends_at(attempt)
        return ends is None or now < ends

    def ends_at(self, attempt: Attempt) -> int | None:
        """Return when an attempt ends by time limit or grace time; None: never.

        A slide that arrives at that instant is too late.
        """
        limit, grace = self.rules.time_limit_ms, self.grace_until
        if limit is None:
            return None if grace is None else self.effective(grace)
        ends = attempt.unlocks_at + limit
        return self.effective(ends if grace is None else min(ends, grace))

    def forfeit_final_at(self, attempt: Attempt) -> int:
        """Return the room time from which a forfeit cannot be undone.

        Args:
            attempt: a forfeited one.
        """
        undo = self.effective((attempt.forfeited_at or 0) + UNDO_MS)
        ends = self.ends_at(attempt)
        return undo if ends is None else min(undo, ends)

    def away_until(self, attempt: Attempt) -> int | None:
        """Return when a lost connection becomes a DNF; None: it is not lost.

        A racer who is disconnected before T0 has the same time, counted from T0.
        """
        if attempt.away_since is None:
            return None
        return self.effective(max(attempt.away_since, self.t0) + self.rules.away_ms)
