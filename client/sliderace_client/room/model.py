"""A room as one member sees it: the whole client side of the protocol, without I/O.

`now` is the caller's monotonic clock in whole ms. Call `poll` after every other call
and when `next_due` has come, and carry out what it returns, in order.
"""

from collections.abc import Sequence

from sliderace.engine import Direction, EngineError, IllegalSlide
from sliderace.protocol import messages as m
from sliderace_client.room.draw import Entropy
from sliderace_client.room.entry import Entry, WayIn
from sliderace_client.room.fair_play import FairPlay
from sliderace_client.room.fold import Fold
from sliderace_client.room.input_used import InputUsed
from sliderace_client.room.outcomes import BadMessage, End, Fault
from sliderace_client.room.outputs import Output, Outputs, Send
from sliderace_client.room.view import RoomView

__all__ = ["RoomModel"]


DECLARES_INPUT = frozenset({"quick", "solo", "daily", "profiles"})
"""Features of servers that store how a racer slides."""


class RoomModel:
    """One member's place in one room.

    Args:
        enter: how to enter on the first connection.
        entropy: returns that many random bytes.
        token: secret of a seat held before; it is resumed instead, and `enter` is used
            only if that seat is gone.
        profile: secret of our profile; None: we are a guest.

    Attributes:
        view: the member's view of the room.
    """

    def __init__(
        self,
        enter: WayIn,
        *,
        entropy: Entropy,
        token: str | None = None,
        profile: str | None = None,
    ) -> None:
        self.view = RoomView()
        self._outputs = Outputs(self.view)
        self._entry = Entry(self.view, self._outputs, enter, token, profile)
        self._fair_play = FairPlay(self.view, self._outputs, entropy)
        self._fold = Fold(self.view, self._entry, self._outputs, self._fair_play)
        self._input = InputUsed()

    # --- The connection ---------------------------------------------------------------

    def hello(self) -> m.Hello:
        """Return the first message of each connection."""
        return self._entry.hello()

    @property
    def retry_ms(self) -> int:
        """How long the server asked us to stay away."""
        return self._entry.retry_ms

    def lost(self, code: int = 1006) -> None:
        """Note that the connection is closed.

        Args:
            code: the close code; it decides whether to come back, see `view.ended`.
        """
        was_online, self.view.online = self.view.online, False
        self._forget_unanswered()
        self._entry.disconnected(code, was_online=was_online)

    def _forget_unanswered(self) -> None:
        self._fair_play.disconnected()
        self._outputs.all_answered()
        self._outputs.liveness.lost()
        self.view.overdue = False

    @property
    def in_doubt(self) -> bool:
        """Whether a second connection is needed: this one may be dead, or outdated."""
        return self._outputs.liveness.in_doubt or self._entry.renews

    @property
    def left(self) -> bool:
        """Whether we have given up our seat."""
        return self._outputs.left

    def use_profile(self, secret: str) -> None:
        """Use this profile, by way of a new connection that resumes our seat."""
        self._entry.use_profile(secret)

    def taken_over(self, event: m.Event) -> None:
        """Note that a second connection replaces the one in doubt.

        Args:
            event: its first; `receive` it afterwards.
        """
        if isinstance(event, m.Welcome):
            self._forget_unanswered()
        else:
            self.lost()

    def receive(self, event: m.Event, now: int) -> None:
        """Take one event of the server."""
        self._outputs.liveness.heard(now)
        try:
            self._fold.receive(event, now)
        except EngineError:
            self.broken(End.IMPOSSIBLE_BOARD)

    def broken(self, why: End | BadMessage) -> None:
        """End it, because the server sent an invalid message."""
        self.view.ended = why
        self._outputs.note(why, "bad")

    def record_checked(self, race: str, faults: Sequence[Fault] | None) -> None:
        """Take the outcome of a `CheckRecord`.

        Args:
            race: whose record was checked.
            faults: what does not agree; None: the record is not available.
        """
        self._fair_play.record_checked(race, faults)

    def poll(self, now: int) -> list[Output]:
        """Return what to do now, in this order. Call it after every other call."""
        if not self._entry.waiting:
            self._fair_play.take_part(now)
        self._declare_input()
        return self._outputs.take(now)

    def _declare_input(self) -> None:
        """Declare how we slide, before the slides are sent."""
        view = self.view
        if view.online and view.in_race and view.features & DECLARES_INPUT:
            declared = self._input.undeclared(view.race)
            if declared is not None:
                self._outputs.put(Send(declared))

    def next_due(self) -> int | None:
        """Return when `poll` must be called again; None: when something happens."""
        return self._outputs.due()

    # --- Actions of the player --------------------------------------------------------

    def slide(
        self,
        direction: Direction,
        count: int,
        now: int,
        by: m.InputName | None = None,
    ) -> bool:
        """Slide on our own board, at once.

        Args:
            direction: in which the tiles go.
            count: how many tiles.
            now: ms.
            by: what the player used; None: nothing to declare, as for a bot.

        Returns:
            False, and nothing has changed, if that is illegal or impossible now.
        """
        view = self.view
        if not view.racing or not view.attempt:
            return False
        if not view.attempt.slide(direction, count, now):
            return False
        view.show_own()
        if by is not None:
            self._input.made(view.race, by)
        return True

    def slide_cell(self, cell: int, now: int) -> bool:
        """Slide the tile in `cell` with all tiles between it and the gap."""
        board = self.view.board
        try:
            return board is not None and self.slide(*board.slide_of_cell(cell), now)
        except IllegalSlide:
            return False

    def slide_tile(self, tile: int, now: int) -> bool:
        """Slide `tile` with all tiles between it and the gap."""
        board = self.view.board
        try:
            return board is not None and self.slide(*board.slide_of_tile(tile), now)
        except IllegalSlide:
            return False

    def painted(self, now: int) -> None:
        """Note that our board is on the screen: its clock starts."""
        if self.view.attempt:
            self.view.attempt.paint(now, self._fold.inspection_ms)

    def ask(self, command: m.Command, now: int) -> bool:
        """Send a command; slides made before it go first.

        Returns:
            False if we are not connected; nothing is sent then.
        """
        if isinstance(command, m.Ready):
            command = self._fair_play.ready(command, now)
        return self._outputs.ask(command, now)
