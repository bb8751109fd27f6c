"""How this client enters its room, and returns after a lost connection.

Without a token, every connection begins with one of the ways into a room, such as join
or quick. A bot of the server enters with its token alone. `welcome` brings a token;
from then on, each connection resumes the seat at the position in the room's stream that
we have reached. A resume can be refused in three ways: the server is busy, and we try
again later; the seat is gone, and we enter as a new member if we have not been in the
room since we started; anything else ends it.
"""

from sliderace import __version__
from sliderace.protocol import messages as m
from sliderace.protocol.codes import may_reconnect
from sliderace.protocol.version import EVENTS, VERSION
from sliderace_client.room.outcomes import ConnectionClosed, End, Notice
from sliderace_client.room.outputs import Forget, Keep, Outputs
from sliderace_client.room.view import RoomView

__all__ = ["CLIENT", "Entry", "WayIn"]

WayIn = m.Create | m.Open | m.Join | m.Resume | m.Quick | m.Solo | m.Daily
"""A way into a room."""
CLIENT = f"sliderace {__version__}"
"""Names this program in a server's log."""
TRY_LATER = frozenset(
    {"too_many_tries", "storage_unavailable", "shutting_down", "rate"}
)
"""Temporary refusals of a resume."""
SEAT_LOST = frozenset({"bad_token", "room_unknown", "bad_code"})
"""Refusals of a resume that mean that the seat does not exist any more."""
KICKED, ROOM_GONE = 4501, 4502
"""Close codes after which the token is useless."""


class Entry:
    """The way into a room, and our position in its stream.

    Args:
        view: the room.
        outputs: where announcements go.
        enter: how to enter on the first connection.
        token: secret of a seat held before; it is resumed instead, and `enter` is used
            only if that seat is gone.
        profile: secret of our profile; None: we are a guest.

    Attributes:
        renews: a new connection is wanted, because we have another profile.
        retry_ms: how long the server asked us to wait before a reconnect.
        waiting: for a snapshot; the stream means nothing until it comes.
    """

    def __init__(
        self,
        view: RoomView,
        outputs: Outputs,
        enter: WayIn,
        token: str | None,
        profile: str | None = None,
    ) -> None:
        self._view = view
        self._outputs = outputs
        self._enter = enter
        self._token = enter.token if isinstance(enter, m.Resume) else token
        self._epoch = self._offset = 0
        self._reenter = False
        self.retry_ms = 0
        self.waiting = True
        self.renews = False
        self._profile = profile
        view.code = enter.code if isinstance(enter, m.Join | m.Resume) else ""

    def hello(self) -> m.Hello:
        """Return the first message of a connection."""
        enter = self._enter
        if self._token is not None:
            enter = m.Resume(
                self._view.code, self._token, epoch=self._epoch, offset=self._offset
            )
        can, profile = [*EVENTS], self._profile
        return m.Hello(VERSION, enter, client=CLIENT, can=can, profile=profile)

    def use_profile(self, secret: str) -> None:
        """Enter with this profile from the next connection on, which is wanted now."""
        self._profile, self.renews = secret, True

    def welcomed(self, event: m.Welcome) -> None:
        """Note that we are in; another epoch than ours means waiting for a snapshot."""
        self.retry_ms = 0
        self.renews = False
        if event.token is not None:
            self._token = event.token
            self._outputs.put(Keep(event.code, event.token))
        self.waiting = event.epoch != self._epoch

    def snapshot(self, epoch: int, offset: int) -> None:
        """Go on in the stream after this position."""
        self._epoch, self._offset = epoch, offset
        self.waiting = False

    def takes(self, offset: int, now: int) -> bool:
        """Whether an event is the next one of the stream; request missing ones."""
        if self.waiting or offset <= self._offset:
            return False
        if offset > self._offset + 1:
            self._outputs.resync(None, now)
            return False
        self._offset = offset
        return True

    def refused(self, event: m.Refused) -> None:
        """Handle a refusal: try again later, enter as a new member, or give up."""
        self.retry_ms = event.retry_ms
        if self._token is not None and event.code in TRY_LATER:
            self._reenter = True
            return
        if event.code == "kicked":
            self._outputs.put(Forget())
        if self._token is not None and event.code in SEAT_LOST:
            self._outputs.put(Forget())
            if not (self._view.welcomed or isinstance(self._enter, m.Resume)):
                self._token = None
                self._reenter = True
                return
        self._view.ended = event

    def disconnected(self, code: int, *, was_online: bool) -> None:
        """Decide from the close code whether to reconnect, or why the room ended."""
        view = self._view
        reenter, self._reenter = self._reenter, False
        if view.ended or reenter:
            return
        if self._outputs.left:
            view.ended = End.LEFT
        elif not may_reconnect(code):
            view.ended = ConnectionClosed(code)
            if code in (KICKED, ROOM_GONE):
                self._outputs.put(Forget())
        elif view.welcomed and was_online and not (view.host_ended or self.renews):
            self._outputs.note(Notice.CONNECTION_LOST, "bad")
