"""What a player sees: every event folded into one state, and what to answer.

Pure: no socket and no clock. `now` is the caller's monotonic clock in whole ms. Call
`poll` after every other call and when `next_due` has come, and carry out what it says.
"""

from typing import assert_never

from msgspec.structs import replace

from sliderace import __version__
from sliderace.engine import EngineError, parse_board
from sliderace.protocol import messages as m
from sliderace.protocol.codes import may_reconnect
from sliderace.protocol.names import clean_name
from sliderace.protocol.version import VERSION
from sliderace_client.room.attempt import Attempt
from sliderace_client.room.draw import Entropy
from sliderace_client.room.outcomes import (
    BadMessage,
    ConnectionClosed,
    End,
    HostChanged,
    LockChanged,
    MemberGone,
    Notice,
    PhaseChanged,
    SizeChanged,
)
from sliderace_client.room.outputs import Check, Forget, Keep, Note, Out, Send
from sliderace_client.room.pacing import Pace
from sliderace_client.room.witness import Witness

__all__ = ["CLIENT", "Check", "Forget", "Keep", "Model", "Note", "Out", "Send"]

CLIENT = f"sliderace {__version__}"
"""Names this program in a server's log."""
TRY_LATER = frozenset(
    {"too_many_tries", "storage_unavailable", "shutting_down", "rate"}
)
"""Refusals of a resume that pass by themselves."""
SEAT_LOST = frozenset({"bad_token", "room_unknown", "bad_code"})
"""Refusals of a resume that say that there is no such seat any more."""

Streamed = (
    m.MemberEvent
    | m.Gone
    | m.RoomEvent
    | m.PhaseEvent
    | m.RosterEvent
    | m.StandingEvent
    | m.WinnerEvent
    | m.Results
    | m.Closed
)


class Model(Witness):
    """One member's view of one room, and what to tell the server.

    Args:
        enter: how to enter on the first connection.
        entropy: gives so many random bytes.
        token: secret of a seat held before; it is resumed instead, and `enter` is
            used only if that seat is gone.

    Attributes:
        code: the room's six letters (as typed, before we are in).
        retry_ms: how long the server asked us to stay away.
        welcomed: whether we have been in the room at all.
    """

    def __init__(
        self,
        enter: m.Create | m.Open | m.Join,
        *,
        entropy: Entropy,
        token: str | None = None,
    ) -> None:
        super().__init__(entropy)
        self.retry_ms = 0
        self._enter = enter
        self._token = token
        self.code = enter.code if isinstance(enter, m.Join) else ""
        self.welcomed = False
        self._stream = (0, 0)
        self._stale = True
        self._again = False

    # --- The connection --------------------------------------------------------------

    def hello(self) -> m.Hello:
        """The first message of each connection."""
        if self._token is None:
            return m.Hello(v=VERSION, enter=self._enter, client=CLIENT)
        epoch, offset = self._stream
        resume = m.Resume(self.code, self._token, epoch=epoch, offset=offset)
        return m.Hello(v=VERSION, enter=resume, client=CLIENT)

    def lost(self, code: int = 1006) -> None:
        """The connection is closed.

        Args:
            code: the close code; it decides whether to come back, see `ended`.
        """
        was_online, self.online = self.online, False
        self._draw.lost(drawn=self.phase != "countdown")
        self._asked.clear()
        again, self._again = self._again, False
        if self.ended or again:
            return
        if self._left:
            self.ended = End.LEFT
        elif not may_reconnect(code):
            self.ended = ConnectionClosed(code)
            if code in (4501, 4502):
                self._outs.append(Forget())
        elif self.welcomed and was_online:
            self._note(Notice.CONNECTION_LOST, "bad")

    def poll(self, now: int) -> list[Out]:
        """What to do now, in this order. Call it after every other call."""
        if not self._stale:
            self._take_part(now)
        return super().poll(now)

    # --- What the server says --------------------------------------------------------

    def receive(self, event: m.Event, now: int) -> None:
        """Take one event. What makes no sense ends the connection, not the program."""
        try:
            self._receive(event, now)
        except EngineError:
            self.broken(End.IMPOSSIBLE_BOARD)

    def broken(self, why: End | BadMessage) -> None:
        """End it: what the server sent makes no sense."""
        self.ended = why
        self._note(why, "bad")

    def _receive(self, event: m.Event, now: int) -> None:
        match event:
            case m.Welcome():
                self._welcome(event, now)
            case m.Opened():
                self.link = event.link
                self.code = event.code
                self.ended = End.OPENED
            case m.Snapshot():
                self._snapshot(event, now)
            case m.Progress():
                if event.race == self.race:
                    for step in event.p:
                        self._step(step, now)
            case m.BoardEvent():
                if event.race == self.race:
                    self._board(event, now)
            case m.Ack():
                if self.attempt and event.race == self.attempt.race:
                    self.attempt.ack(event.seq)
            case m.Rejected():
                self._rejected(event)
            case m.Refused():
                self._refused(event)
            case m.LatencyEvent():
                self._lines(event)
            case m.Signals():
                self._signals(event)
            case m.Pong() | m.Ticket():
                pass
            case _:
                if self._in_turn(event.o, now):
                    self._streamed(event, now)

    def _streamed(self, event: Streamed, now: int) -> None:
        match event:
            case m.MemberEvent():
                self._member(event)
            case m.Gone():
                self._gone(event)
            case m.RoomEvent():
                self._room_changed(event)
            case m.PhaseEvent():
                self._phase_changed(event, now)
            case m.RosterEvent():
                self._miss(event)
                self._roster(event, now)
            case m.StandingEvent():
                self._standing(event)
            case m.WinnerEvent():
                self._won(event)
            case m.Results():
                self._note(PhaseChanged("results"))
                self._phase("results", None, now)
                self._results(event)
            case m.Closed():
                self.phase = "closed"
                host = event.why == "host"
                self.ended = End.CLOSED_BY_HOST if host else End.CLOSED_EMPTY
                self._outs.append(Forget())
                self._note(self.ended, "bad")
            case _:
                assert_never(event)

    def _in_turn(self, offset: int, now: int) -> bool:
        """Whether this is the next event of the stream; asks for what is missing."""
        epoch, last = self._stream
        if self._stale or offset <= last:
            return False
        if offset > last + 1:
            self._resync(None, now)
            return False
        self._stream = (epoch, offset)
        return True

    # --- Entering --------------------------------------------------------------------

    def _welcome(self, event: m.Welcome, now: int) -> None:
        if self.welcomed:
            self._note(Notice.RECONNECTED, "good")
        self.welcomed = self.online = True
        self.retry_ms = 0
        self.me, self.seat, self.code = event.member, event.seat, event.code
        self._gen = event.gen
        self.lines = {}
        if event.token is not None:
            self._token = event.token
            self._outs.append(Keep(event.code, event.token))
        self._stale = event.epoch != self._stream[0]
        self._pace = Pace(event.limits, now)
        self._gather_until = now
        self._resume_attempt(event, now)

    def _resume_attempt(self, event: m.Welcome, now: int) -> None:
        attempt = self.attempt
        if event.board is None:
            if attempt is not None:
                attempt.over = True
                if attempt.race == event.race:
                    attempt.ack(event.seq)  # its own ack may have been lost
            return
        board = parse_board(event.board)
        if attempt is None or attempt.race != event.race:
            self.attempt = Attempt(event.race, board, now, seq=event.seq, approx=True)
            self._resync(None, now)
            return
        attempt.reconcile(event.seq, board)
        attempt.resend(event.seq)
        self._show_own()

    def _refused(self, event: m.Refused) -> None:
        if self.online and self._refused_quietly(event):
            return
        if not self.online:
            self._refused_entry(event)
            return
        if event.of == "forfeit":
            self.gave_up_at = None
        self._note(event, "bad")

    def _refused_entry(self, event: m.Refused) -> None:
        """Not let in: come back later, come back as somebody new, or give up."""
        self.retry_ms = event.retry_ms
        if self._token is not None and event.code in TRY_LATER:
            self._again = True
            return
        if self._token is not None and event.code in SEAT_LOST:
            self._outs.append(Forget())
            if not self.welcomed:
                self._token = None
                self._again = True
                return
        self.ended = event

    # --- The room --------------------------------------------------------------------

    def _snapshot(self, event: m.Snapshot, now: int) -> None:
        self._stream = (event.epoch, event.o)
        self._stale = False
        self._asked.clear()
        self._set_room(event.room)
        self.members = {member.id: _clean(member) for member in event.members}
        if self.me in self.members:
            self.seat = self.members[self.me].seat
        self._phase(event.phase, event.in_ms, now)
        self._race_view(event.race, now)
        if event.results is not None:
            self._results(event.results)

    def _set_room(self, room: m.Room) -> None:
        if room.race != self.race:
            self._begin_race(room)
        self.room = room

    def _room_changed(self, event: m.RoomEvent) -> None:
        if event.room.race != self.race:
            self.phase, self.phase_why, self.phase_ends = "lobby", "", None
            for member in self.members.values():
                self.members[member.id] = replace(member, ready=False)
        self._set_room(event.room)
        if event.why == "host" and self.host_name:
            self._note(HostChanged(self.host_name))
        elif event.why == "lock":
            self._note(LockChanged(event.room.locked))
        elif event.why == "settings":
            self._note(SizeChanged(event.room.rules.size))

    def _member(self, event: m.MemberEvent) -> None:
        event = replace(event, member=_clean(event.member))
        self.members[event.member.id] = event.member
        if event.member.id == self.me:
            self.seat = event.member.seat
        self._note(event)

    def _gone(self, event: m.Gone) -> None:
        member = self.members.pop(event.member, None)
        self.lines.pop(event.member, None)
        if member is None:
            return
        self._note(MemberGone(member.name, event.why))
        if event.member == self.me:
            self.ended = End(event.why)
            self._outs.append(Forget())

    def _phase_changed(self, event: m.PhaseEvent, now: int) -> None:
        self._miss(event)
        if event.phase != self.phase:
            missed = event.phase == "racing" and self.left_out == event.race
            moved = PhaseChanged(event.phase, event.in_ms)
            self._note(Notice.LEFT_OUT if missed else moved)
        self._phase(event.phase, event.in_ms, now)
        self.phase_why = event.why
        for seat in event.roster:
            self._lane(seat)
        if event.phase == "racing" and self.start is None:
            self._resync(None, now)  # we were away when the board was shown

    def _miss(self, event: m.PhaseEvent | m.RosterEvent) -> None:
        """Note whether this race begins without us, though we came to play."""
        me = self.myself
        if event.roster and me is not None and self.is_player and not me.benched:
            self.left_out = "" if me.seat in event.roster else event.race

    def _phase(self, phase: m.PhaseName, in_ms: int | None, now: int) -> None:
        self.phase = phase
        self.phase_ends = None if in_ms is None else now + in_ms
        if phase in ("countdown", "racing", "grace"):
            self._forget_results()  # a restored server may race on where we saw the end
        if phase == "racing" and self.t0 is None:
            self.t0 = now
        elif phase in ("lobby", "aborted"):
            self._clear_race()


def _clean(member: m.Member) -> m.Member:
    """A member whose name can be shown, whatever the server let through."""
    return replace(member, name=clean_name(member.name) or "?")
