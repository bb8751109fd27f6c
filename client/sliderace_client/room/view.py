"""What one member knows of a room, and the questions a screen asks of it."""

from sliderace.engine import Board
from sliderace.protocol.messages import (
    Member,
    MemberLatency,
    PhaseName,
    Results,
    Room,
    Signals,
)
from sliderace_client.room.attempt import Attempt
from sliderace_client.room.lanes import Lane, in_order
from sliderace_client.room.outcomes import Ended, Fault, Remark, WrongNonce

__all__ = ["View"]

UNDO_MS = 3_000
"""How long the server lets a forfeit be undone."""


class View:
    """The room as its member knows it; instants are ms of the caller's clock.

    Attributes:
        online: whether commands can be sent now.
        ended: why the room has ended for us; None: it has not.
        room: the room's own facts; None before the first snapshot.
        members: everybody by id; names are fit to be shown.
        me: our member id.
        seat: our seat; spectators have none.
        phase: where the race is; `phase_why` says why where that needs saying.
        phase_ends: when the phase ends by itself.
        start: text of the start board, once we may know it.
        t0: when the race began.
        lanes: the racers by seat; see `order`.
        attempt: our own slides, kept until another race is prepared.
        gave_up_at: when we forfeited.
        results: of the last race, kept until the next countdown.
        proof: what of those results does not hold; empty where all does.
        remarks: what is worth knowing of them, and no fault.
        agrees: whether the race record is as we saw and sent it; None: not known.
        signals: for a host, what the solves of those results look like.
        lines: by member id how far away each is, where the server has measured it.
        left_out: id of the race that began without us, as we were not ready.
        link: where an opened room can be joined, after `Open`.
    """

    def __init__(self) -> None:
        self.online = False
        self.ended: Ended | None = None
        self.room: Room | None = None
        self.members: dict[int, Member] = {}
        self.me: int | None = None
        self.seat: int | None = None
        self.phase: PhaseName = "lobby"
        self.phase_why = ""
        self.phase_ends: int | None = None
        self.start: str | None = None
        self.t0: int | None = None
        self.lanes: dict[int, Lane] = {}
        self.attempt: Attempt | None = None
        self.gave_up_at: int | None = None
        self.lines: dict[int, MemberLatency] = {}
        self._forget_results()
        self.link = ""
        self.left_out = ""

    def _forget_results(self) -> None:
        self.results: Results | None = None
        self.proof: list[Fault | WrongNonce] = []
        self.remarks: list[Remark] = []
        self.agrees: bool | None = None
        self.signals: Signals | None = None

    @property
    def race(self) -> str:
        """Id of the race being prepared, run or shown; empty before the snapshot."""
        return self.room.race if self.room else ""

    @property
    def myself(self) -> Member | None:
        """Our own entry in `members`."""
        return None if self.me is None else self.members.get(self.me)

    @property
    def is_host(self) -> bool:
        """Whether the host's commands are ours to give."""
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
    def ready(self) -> bool:
        """Whether we said that we will race."""
        return self.myself is not None and self.myself.ready

    @property
    def can_start(self) -> bool:
        """Whether we may begin the countdown: host, in the lobby, with a racer."""
        return (
            self.is_host
            and self.phase == "lobby"
            and any(m.ready or m.id == self.me for m in self.present_players())
        )

    def present_players(self) -> list[Member]:
        """Players who are connected and do not sit out."""
        return [
            member
            for member in self.members.values()
            if member.role == "player" and member.connected and not member.benched
        ]

    def order(self) -> list[Lane]:
        """The racers, best first."""
        return in_order(self.lanes.values())

    @property
    def lane(self) -> Lane | None:
        """Our own lane, while we are in a race."""
        return None if self.seat is None else self.lanes.get(self.seat)

    @property
    def sees_boards(self) -> bool:
        """Whether others' boards are ours to see from the start of the race."""
        open_boards = self.room is not None and self.room.rules.open_boards
        return open_boards or self.lane is None

    @property
    def board(self) -> Board | None:
        """Our own board, as predicted; None while we have none."""
        return self.attempt.board if self.attempt else None

    @property
    def racing(self) -> bool:
        """Whether our slides count now (they may still be locked, see `locked`)."""
        return (
            self.attempt is not None
            and self.attempt.playing
            and self.phase in ("countdown", "racing", "grace")
        )

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
        """Our slides that the server has not yet stored."""
        return self.attempt.seq - self.attempt.acked if self.attempt else 0

    def locked(self, now: int) -> int:
        """Ms until our board is unlocked; 0 where it is, or where we have none."""
        return self.attempt.locked(now) if self.attempt else 0

    def remaining(self, now: int) -> int | None:
        """Ms until the phase ends by itself; None where it does not."""
        return None if self.phase_ends is None else max(0, self.phase_ends - now)

    def can_undo(self, now: int) -> bool:
        """Whether our forfeit can still be taken back."""
        return self.gave_up_at is not None and now < self.gave_up_at + UNDO_MS

    def clock(self, now: int) -> int | None:
        """Ms on the race clock.

        A racer's runs from the unlocked board to the finish and then shows the
        official time; a spectator's runs from the start of the race.
        """
        if self.lane and self.lane.time_ms is not None:
            return self.lane.time_ms
        if self.attempt and self.done and self.attempt.slides:
            return self.attempt.slides[-1][2]
        if self.phase not in ("countdown", "racing", "grace"):
            return None
        zero = self.attempt.zero if self.attempt else self.t0
        return None if zero is None else max(0, now - zero)
