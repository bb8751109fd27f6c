"""Whether the connection is alive, or only looks alive.

When a phone changes from Wi-Fi to 4G, or a router forgets us, no side is told: the
socket stays open, what we send vanishes, and nothing arrives. The system reports that
only after minutes, so we find out ourselves:

    fine ── slides without an ack for LATE_MS, or silence ──► probed: `ping` is sent
    probed ── `pong` ──► fine
    probed ── no `pong` for ANSWER_MS ──► in doubt: a second connection is opened
    in doubt ── `pong` ──► fine: the second one is dropped if it has not said `hello`
    in doubt ── the second one gets its first message ──► fine: it has taken over
    in doubt ── the second one fails ──► the connection counts as lost

- Only a `pong` answers a probe: other messages show that we can hear the server, not
  that it can hear us.
- Silence is normal in a lobby, but not in a race, where the server pings every 5 s.
- The server is *overdue* while it owes us an ack for LATE_MS, or a `pong` for
  ANSWER_MS. Players are told, because opening a second connection can take 5 s.
- Nothing is lost: the second connection resumes the seat, and the slides that the
  server does not have are sent again with the time at which they were made.

So at most LATE_MS + ANSWER_MS pass from the last slide to the second connection. The
page has the same machine (`core/liveness.js`), and `shared/vectors/liveness-v1.json`
tests both.
"""

__all__ = ["ANSWER_MS", "LATE_MS", "Liveness"]

LATE_MS = 1_500
"""An ack that takes longer is late: even bad connections answer within a second."""
ANSWER_MS = 1_500
"""How long to wait for the answer to a probe."""
QUIET_RACE_MS = 5_000
"""The longest silence in a race; the server pings us as often."""
QUIET_MS = 20_000
"""The longest silence at other times."""


class Liveness:
    """The state of one connection after the other. All times are ms of one clock.

    Attributes:
        overdue: the server owes us an ack or a `pong`, as of the last `look`.
        in_doubt: a second connection is needed.
    """

    __slots__ = (
        "_answered_at",
        "_heard_at",
        "_probed_at",
        "_quiet_ms",
        "_waiting_since",
        "in_doubt",
        "overdue",
    )

    def __init__(self) -> None:
        self.lost()

    def lost(self) -> None:
        """Note that there is no connection, so that there is nothing to watch."""
        self._heard_at: int | None = None
        self._answered_at = 0
        self._waiting_since: int | None = None
        self._probed_at: int | None = None
        self._quiet_ms = QUIET_MS
        self.overdue = self.in_doubt = False

    def connected(self, now: int) -> None:
        """Note that the server has let us in, on the first or on another connection."""
        self.lost()
        self._heard_at = self._answered_at = now

    def heard(self, now: int) -> None:
        """Note that a message has arrived."""
        if self._heard_at is not None:
            self._heard_at = now

    def acked(self) -> None:
        """Note that the server has answered slides, perhaps not all of them."""
        self._waiting_since = None

    def answered(self, now: int) -> None:
        """Note that a `pong` has arrived."""
        self._answered_at = now
        self._probed_at = None
        self.in_doubt = False

    def look(self, now: int, *, in_race: bool, waiting: bool) -> bool:
        """Bring the state up to date; call this after everything, and when it is due.

        Args:
            now: ms.
            in_race: whether a countdown or a race is running.
            waiting: whether slides that we have sent have no answer yet.

        Returns:
            Whether to send a `ping` now.
        """
        if self._heard_at is None:
            return False
        if not waiting:
            self._waiting_since = None
        elif self._waiting_since is None:
            self._waiting_since = now
        self._quiet_ms = QUIET_RACE_MS if in_race else QUIET_MS
        probes = self._probed_at is None and now >= self._probe_at(self._heard_at)
        if probes:
            self._probed_at = now
        probed_at, late_at = self._probed_at, self._late_at()
        self.in_doubt = probed_at is not None and now >= probed_at + ANSWER_MS
        self.overdue = self.in_doubt or (late_at is not None and now >= late_at)
        return probes

    def due(self) -> int | None:
        """Return when to `look` again, if nothing happens before; None: never."""
        if self._heard_at is None:
            return None
        dues: list[int] = []
        if not self.overdue and (late_at := self._late_at()) is not None:
            dues.append(late_at)
        if self._probed_at is None:
            dues.append(self._probe_at(self._heard_at))
        elif not self.in_doubt:
            dues.append(self._probed_at + ANSWER_MS)
        return min(dues, default=None)

    def _late_at(self) -> int | None:
        """When the slides are overdue."""
        since = self._waiting_since
        return None if since is None else since + LATE_MS

    def _probe_at(self, heard_at: int) -> int:
        quiet_at = heard_at + self._quiet_ms
        if self._waiting_since is None:
            return quiet_at
        return min(quiet_at, max(self._waiting_since, self._answered_at) + LATE_MS)
