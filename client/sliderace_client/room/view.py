"""A member's view of a room: the state that screens read, and queries on it."""

from sliderace.engine import Board, parse_board, progress_permille
from sliderace.protocol.messages import (
    Gains,
    Member,
    MemberLatency,
    PhaseName,
    Results,
    Room,
    RoomKind,
    SeriesTable,
    Signals,
)
from sliderace_client.room.attempt import Attempt
from sliderace_client.room.lanes import Lane, in_order
from sliderace_client.room.outcomes import Ended, Fault, Remark, WrongNonce

__all__ = ["RoomView"]

LATE_MS = 1_000
"""A solve that counts so much later than it was made needs an explanation; less is the
delay of a connection that works."""
FINISH_MS = 1_500
"""How long our solved board stands, even if the race has ended: long enough to read
place and time."""
UNDO_MS = 3_000
"""How long the server lets a forfeit be undone."""


class RoomView:
    """The room as its member knows it; instants are ms of the caller's clock.

    Only the parts of `RoomModel` change it; screens read it.

    Attributes:
        online: commands can be sent now.
        host_ended: the host has ended the server, and may come back.
        overdue: the server should have answered our slides, or a probe, by now.
        welcomed: we have been in the room at all.
        ended: why our stay has ended; None while it lasts.
        code: the room's six letters (as typed, before we are in).
        link: where an opened room can be joined, after `Open`.
        room: the room's own facts; None before the first snapshot.
        members: everybody by id; their names are safe to show.
        latencies: by member id the latency that the server has measured.
        features: what the server can do beyond the first set of the protocol.
        series: the score of the room's races; None: not known.
        reactions: by member id the number of their last reaction, and until when it is
            shown; see `reaction_of`.
        ignored: ids of members whose reactions we hide.
        me: our member id.
        seat: our seat; spectators have none.
        phase: of the race; `phase_why` says why, where there are several reasons.
        phase_ends: when the phase ends without a command.
        left_out: id of the race that began without us because we were not ready.
        start: text of the start board, once we may know it.
        t0: when the race began.
        lanes: the racers by seat; see `order`.
        attempt: our own slides, kept until another race is prepared.
        own_high: our high-water progress as the server knows it, in permille.
        forfeited_at: when we forfeited.
        results: of the last race, kept until the next countdown.
        faults: in those results or in the race record.
        remarks: facts about them that are worth knowing but no faults.
        agrees: whether the race record is as we saw and sent it; None: not known.
        signals: of the solves in those results; only the host gets them.
        profile: public id of our profile; None: we are a guest.
        gains: what the last race that was stored changed in our profile.
        late_ms: how much later our solve counts in those results than by our own clock;
            0 if the difference is small.
    """

    def __init__(self) -> None:
        self.online = self.overdue = self.host_ended = False
        self.welcomed = False
        self.ended: Ended | None = None
        self.code = ""
        self.link = ""
        self.profile: str | None = None
        self.room: Room | None = None
        self.members: dict[int, Member] = {}
        self.latencies: dict[int, MemberLatency] = {}
        self.features: frozenset[str] = frozenset()
        self.series: SeriesTable | None = None
        self.reactions: dict[int, tuple[int, int]] = {}
        self.ignored: set[int] = set()
        self.me: int | None = None
        self.seat: int | None = None
        self.phase: PhaseName = "lobby"
        self.phase_why = ""
        self.phase_ends: int | None = None
        self.left_out = ""
        self.start: str | None = None
        self._start_md = 0
        self.t0: int | None = None
        self.lanes: dict[int, Lane] = {}
        self.attempt: Attempt | None = None
        self.own_high = 0
        self.forfeited_at: int | None = None
        self.forget_results()

    # --- The room ---------------------------------------------------------------------

    @property
    def race(self) -> str:
        """Id of the race being prepared, run or shown; empty before the snapshot."""
        return self.room.race if self.room else ""

    @property
    def kind(self) -> RoomKind:
        """Kind of the room; `room` before the snapshot."""
        return self.room.kind if self.room else "room"

    @property
    def is_alone(self) -> bool:
        """Whether the room is for us alone."""
        return self.kind in ("solo", "daily")

    @property
    def myself(self) -> Member | None:
        """Our own entry in `members`."""
        return None if self.me is None else self.members.get(self.me)

    @property
    def may_keep(self) -> bool:
        """Whether we are a guest who could have a profile and keep the last time."""
        guest = self.profile is None and "profiles" in self.features and self.online
        lane = self.lane
        return guest and lane is not None and lane.status == "finished"

    @property
    def is_host(self) -> bool:
        """Whether we may give the host's commands."""
        return self.room is not None and self.room.host == self.me is not None

    @property
    def host_name(self) -> str:
        """The host's nickname; empty while there is none."""
        host = self.members.get(self.room.host or 0) if self.room else None
        return host.name if host else ""

    @property
    def is_player(self) -> bool:
        """Whether we are here to race, not to watch."""
        return self.myself is not None and self.myself.role == "player"

    @property
    def may_race(self) -> bool:
        """Whether we are a player whom the host has not benched."""
        return self.myself is not None and self.is_player and not self.myself.benched

    @property
    def ready(self) -> bool:
        """Whether we said that we will race."""
        return self.myself is not None and self.myself.ready

    @property
    def can_call_off(self) -> bool:
        """Whether we may cancel the countdown or the race.

        A race that has started counts in a series that can end.
        """
        counts = self.series is not None and self.series.format != "open"
        started = self.phase in ("racing", "grace")
        may = self.is_host and not self.is_alone
        return may and self.in_race and not (counts and started)

    @property
    def can_start(self) -> bool:
        """Whether we may start the countdown: host, in the lobby, with a racer."""
        return (
            self.is_host
            and self.phase == "lobby"
            and any(m.ready or m.id == self.me for m in self.present_players())
        )

    def present_players(self) -> list[Member]:
        """Return the players who are connected and not benched."""
        return [
            member
            for member in self.members.values()
            if member.role == "player" and member.connected and not member.benched
        ]

    @property
    def may_react(self) -> bool:
        """Whether the server would take a reaction of ours, as far as we know."""
        me = self.myself
        return "reactions" in self.features and not (
            me is None or me.muted or self.is_alone or self.racing or not self.online
        )

    def reaction_of(self, member: int | None, now: int) -> int | None:
        """Return the number of the reaction that is shown beside a member's name."""
        number, until = self.reactions.get(member or 0, (0, 0))
        return number if now < until and member not in self.ignored else None

    def remaining(self, now: int) -> int | None:
        """Return the ms until the phase ends without a command; None if it does not."""
        return None if self.phase_ends is None else max(0, self.phase_ends - now)

    def next_race_in(self, now: int) -> int | None:
        """Return the ms until the next race of a room that starts by the clock.

        In the grace time that is the longest it can take. None: that is not known, or
        the room does not start by the clock.
        """
        left = self.remaining(now)
        rules = self.room.rules if self.room else None
        if left is None or rules is None or rules.start != "every":
            return None
        if self.phase == "grace":
            return left + rules.every_ms
        return left if self.phase in ("lobby", "results") else None

    # --- The race ---------------------------------------------------------------------

    def order(self) -> list[Lane]:
        """Return the racers, best first."""
        return in_order(self.lanes.values())

    @property
    def in_race(self) -> bool:
        """Whether a race is running, or about to."""
        return self.phase in ("countdown", "racing", "grace")

    @property
    def lane(self) -> Lane | None:
        """Our own lane, while we are in a race."""
        return None if self.seat is None else self.lanes.get(self.seat)

    @property
    def sees_boards(self) -> bool:
        """Whether we may see others' boards from the start of the race."""
        open_boards = self.room is not None and self.room.rules.open_boards
        return open_boards or self.lane is None

    @property
    def board(self) -> Board | None:
        """Our own board, as predicted; None while we have none."""
        return self.attempt.board if self.attempt else None

    @property
    def racing(self) -> bool:
        """Whether our slides count now (the board may still be locked)."""
        return self.attempt is not None and self.attempt.playing and self.in_race

    @property
    def done(self) -> bool:
        """Whether our board is solved."""
        return self.board is not None and self.board.is_solved

    @property
    def stm(self) -> int:
        """Our tiles moved."""
        return self.attempt.stm if self.attempt else 0

    @property
    def mtm(self) -> int:
        """Our runs in one direction."""
        return self.attempt.mtm if self.attempt else 0

    @property
    def unacked(self) -> int:
        """Our slides that the server has not stored yet."""
        return self.attempt.seq - self.attempt.acked if self.attempt else 0

    def locked(self, now: int) -> int:
        """Return the ms until our board is unlocked; 0 if it is, or if we have none."""
        return self.attempt.locked(now) if self.attempt else 0

    def can_undo(self, now: int) -> bool:
        """Whether our forfeit can still be undone."""
        at = self.forfeited_at
        return at is not None and now < at + UNDO_MS and not self.is_alone

    @property
    def solved_at(self) -> int | None:
        """When we made the solving slide; None: our board is not solved."""
        attempt = self.attempt
        if attempt is None or not self.done or not attempt.slides:
            return None
        return attempt.zero + attempt.slides[-1][2]

    def lateness(self) -> int:
        """Return how many ms later our solve counts than by our own clock.

        A small difference counts as 0. A second or more means that the connection was
        lost: the server cannot check when a slide was made that it could not hear.
        """
        attempt, lane = self.attempt, self.lane
        if not (attempt and lane and lane.time_ms is not None and self.done):
            return 0
        if attempt.approx or not attempt.slides:
            return 0
        late = lane.time_ms - attempt.slides[-1][2]
        return late if late >= LATE_MS else 0

    def finish_stands(self, now: int) -> bool:
        """Whether our solved board and our result stay on the screen for a moment."""
        solved_at = self.solved_at
        return solved_at is not None and now < solved_at + FINISH_MS

    def clock(self, now: int) -> int | None:
        """Return the ms on the race clock; None if there is no race.

        A racer's clock runs from the unlocked board to the finish and then shows the
        official time; a spectator's runs from the start of the race.
        """
        if self.lane and self.lane.time_ms is not None:
            return self.lane.time_ms
        if self.attempt and self.done and self.attempt.slides:
            return self.attempt.slides[-1][2]
        if not self.in_race:
            return None
        zero = self.attempt.zero if self.attempt else self.t0
        return None if zero is None else max(0, now - zero)

    # --- Changes that several parts of the model make ---------------------------------

    def lane_of(self, seat: int) -> Lane:
        """Return the lane of a seat; a new one is named after the member there."""
        lane = self.lanes.get(seat)
        if lane is None:
            lane = self.lanes[seat] = Lane(seat)
            for member in self.members.values():
                if member.seat == seat:
                    lane.member, lane.name = member.id, member.name
                    lane.bot = member.bot
        return lane

    def set_start(self, text: str) -> None:
        """Set the start board; raises `EngineError` if it is not a board."""
        self._start_md = parse_board(text).md
        self.start = text

    def show_own(self) -> None:
        """Update our own lane from our attempt's prediction."""
        lane, attempt = self.lane, self.attempt
        if lane is None or attempt is None:
            return
        lane.see(attempt.board, attempt.seq)
        lane.seq, lane.stm = attempt.seq, attempt.stm
        predicted = progress_permille(attempt.best_md, self._start_md)
        lane.high = max(self.own_high, predicted)

    def clear_race(self) -> None:
        """Forget the race, but not its results."""
        self.lanes = {}
        self.start = self.t0 = self.attempt = self.forfeited_at = None
        self.own_high = 0

    def forget_results(self) -> None:
        """Forget the results and their faults and remarks."""
        self.results: Results | None = None
        self.faults: list[Fault | WrongNonce] = []
        self.remarks: list[Remark] = []
        self.agrees: bool | None = None
        self.signals: Signals | None = None
        self.gains: Gains | None = None
        self.late_ms = 0
