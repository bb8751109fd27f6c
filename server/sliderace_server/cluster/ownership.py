"""Which node serves what, and when a node takes a room over: pure rules.

Safety does not depend on these rules: a node serves a room once it has appended its
epoch to the room's log at the expected position, and a node whose append is refused
gives the room up. The rules only decide when it is worth trying, so that no room waits
for a node that is gone, and no node loses its rooms merely because it is slow.

Rules:

- A node whose heartbeat is overdue is asked whether it is there. If it has no
  subscription any more, it is gone: until its next heartbeat, it is not expected to
  serve anything. A node that has sent no heartbeat for `LATE_MS` is late.
- A node that is gone and was silent for `FORGET_MS` is forgotten: usually it was
  restarted, and has another name now.
- A node finds a room by a request to the subject of its code. If nobody has subscribed,
  nobody serves the room. For `SETTLE_MS` after this node has reconnected to the bus,
  that does not count: others may not have reconnected yet.
- A request that times out counts only if a node is late, or after `MAX_TIMEOUTS`
  timeouts.
- The candidate for a room takes it over: the node that a hash of the code chooses among
  those that are live and not draining. So nodes that look for the same room at the same
  time agree, and the rooms of a lost node are spread over the others.
- Matchmaking, profiles and the like have no owner; the hash chooses their node, too.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto

__all__ = [
    "FORGET_MS",
    "HEARTBEAT_MS",
    "LATE_MS",
    "SETTLE_MS",
    "Call",
    "GiveUp",
    "Nodes",
    "Outcome",
    "Search",
    "Step",
    "TakeOver",
]

HEARTBEAT_MS = 500
"""Between two heartbeats of a node."""
LATE_MS = 1_500
"""Two heartbeats may be lost or delayed; players wait for three at most."""
FORGET_MS = 600_000
"""Much longer than a partition usually lasts: what nodes have sent to each other cannot
be continued afterwards."""
DELAY_MS = 50
"""The largest growth of a clock's difference from one heartbeat to the next: a single
heartbeat that is late is no sign of a wrong clock."""
SETTLE_MS = 250
"""When a broker is back, nodes reconnect to it within about 100 ms."""
MAX_TIMEOUTS = 3
"""Calls of a second each: after that, the room is probably lost, not slow."""
NOT_HERE_MS = 50
"""Before the next call to a node that is giving the room up or still reading its
log."""
MAX_CALLS = 20
"""Calls for one connection; then the client is told to try again later."""
BETTER_BY = 0.2
"""A new room is opened on another node only if that node uses so much less of a core,
because forwarding costs something, too."""


@dataclass(slots=True)
class _Node:
    heard_ms: int
    ahead_ms: int
    load: float = 0.0
    draining: bool = False
    gone: bool = False


class Nodes:
    """What a node knows about all nodes.

    Args:
        own: the name of this node.

    Attributes:
        draining: this node takes no more rooms.
        load: share of a core that this node uses.
    """

    def __init__(self, own: str) -> None:
        self.own = own
        self.draining = False
        self.load = 0.0
        self._others: dict[str, _Node] = {}

    def heard(
        self, name: str, now: int, load: float, *, draining: bool, ahead_ms: int = 0
    ) -> bool:
        """Note a heartbeat of another node; return whether the node is new or back.

        Args:
            name: the other node.
            now: ms.
            load: share of a core that it uses.
            draining: it takes no more rooms.
            ahead_ms: this node's wall clock minus that of the heartbeat. A delay of the
                heartbeat makes it larger, so the smallest one counts.
        """
        known = self._others.get(name)
        if known is not None:
            ahead_ms = min(ahead_ms, known.ahead_ms + DELAY_MS)
        self._others[name] = _Node(now, ahead_ms, load, draining)
        return known is None or known.gone

    def mark_gone(self, name: str) -> bool:
        """Note that a node is gone, until its next heartbeat.

        Returns:
            Whether this is a loss: it was not known to be gone, and did not drain.
        """
        node = self._others.get(name)
        if node is None or node.gone:
            return False
        node.gone = True
        return not node.draining

    def is_late(self, name: str, now: int) -> bool:
        """Return whether a node is late or gone, or was never heard of."""
        node = self._others.get(name)
        return node is None or node.gone or now - node.heard_ms >= LATE_MS

    def overdue(self, now: int) -> list[str]:
        """Return the nodes whose heartbeat is overdue, but not known to be gone."""
        others = self._others.items()
        return [
            name
            for name, one in others
            if not one.gone and now - one.heard_ms >= HEARTBEAT_MS
        ]

    def late(self, now: int) -> list[str]:
        """Return the nodes that are late, but not known to be gone."""
        others = self._others.items()
        return [n for n, one in others if not one.gone and self.is_late(n, now)]

    def forget(self, now: int) -> list[str]:
        """Forget the nodes that are gone and were silent for long; return them."""
        found = [
            name
            for name, one in self._others.items()
            if one.gone and now - one.heard_ms >= FORGET_MS
        ]
        for name in found:
            del self._others[name]
        return found

    def live(self, now: int) -> list[str]:
        """Return the other nodes that are neither late nor gone."""
        return [name for name in self._others if not self.is_late(name, now)]

    def skew_ms(self, now: int) -> int:
        """Return the largest difference between wall clocks of this and a live node."""
        live = (self._others[name] for name in self.live(now))
        return max((abs(one.ahead_ms) for one in live), default=0)

    def home(self, key: str, now: int, excluded: Iterable[str] = ()) -> str:
        """Return the node that a hash of a key chooses; it is not draining.

        Args:
            key: see `sliderace_server.registry.processes`.
            now: ms.
            excluded: nodes that must not be chosen.
        """
        chosen = [one for one in self.live(now) if not self._others[one].draining]
        if not self.draining or not chosen:
            chosen.append(self.own)
        left = [one for one in chosen if one not in excluded] or [self.own]
        return max(left, key=lambda name: _weight(name, key))

    def place(self, now: int, chance: int) -> str:
        """Return the node for a new room: this one, or another one with less load.

        Args:
            now: ms.
            chance: a random number, which chooses the other node.
        """
        others = [one for one in self.live(now) if not self._others[one].draining]
        if not others:
            return self.own
        other = others[chance % len(others)]
        better = self._others[other].load + BETTER_BY < self.load
        return other if better or self.draining else self.own


def _weight(name: str, key: str) -> bytes:
    return hashlib.blake2b(f"{name} {key}".encode(), digest_size=8).digest()


class Outcome(Enum):
    """Why a step of a search has failed."""

    NO_RESPONDERS = auto()
    TIMED_OUT = auto()
    NOT_HERE = auto()
    UNAVAILABLE = auto()


@dataclass(frozen=True, slots=True)
class Call:
    """After a pause, call the node that serves the room, by the room's code."""

    after_ms: int = 0


@dataclass(frozen=True, slots=True)
class TakeOver:
    """Let a node take the room over."""

    candidate: str


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Tell the client to try again later."""


Step = Call | TakeOver | GiveUp


class Search:
    """The search for the node that serves a room, for one connection.

    Args:
        nodes: what is known of the nodes.
        code: the room's code.
        owner: the node that served it before; None: unknown.
    """

    def __init__(self, nodes: Nodes, code: str, owner: str | None = None) -> None:
        self._nodes = nodes
        self._code = code
        self._owner = owner
        self._failed: set[str] = set()
        self._candidate: str | None = None
        self._calls = 0
        self._timeouts = 0

    def first(self, now: int) -> Step:
        """Return the first step."""
        if self._owner is not None and self._nodes.is_late(self._owner, now):
            return self._take_over(now)
        return self._call(0)

    def next(self, outcome: Outcome, now: int, reconnected_ms: int) -> Step:
        """Return the step after one that failed.

        Args:
            outcome: why it failed.
            now: ms.
            reconnected_ms: when this node last reconnected to the bus.
        """
        candidate, self._candidate = self._candidate, None
        if outcome is Outcome.UNAVAILABLE:
            return self._call(SETTLE_MS)
        if candidate is not None and outcome is not Outcome.NOT_HERE:
            self._failed.add(candidate)
            return self._take_over(now)
        settled = now - reconnected_ms >= SETTLE_MS
        match outcome:
            case Outcome.NO_RESPONDERS if settled:
                return self._take_over(now)
            case Outcome.TIMED_OUT:
                self._timeouts += 1
                if self._timeouts >= MAX_TIMEOUTS or self._nodes.late(now):
                    return self._take_over(now)
                return self._call(0)
            case Outcome.NOT_HERE:
                return self._call(NOT_HERE_MS)
            case _:
                return self._call(SETTLE_MS)

    def _call(self, after_ms: int) -> Step:
        self._calls += 1
        return GiveUp() if self._calls > MAX_CALLS else Call(after_ms)

    def _take_over(self, now: int) -> Step:
        self._calls += 1
        if self._calls > MAX_CALLS:
            return GiveUp()
        candidate = self._nodes.home(self._code, now, self._failed)
        if candidate != self._nodes.own:
            self._candidate = candidate
        return TakeOver(candidate)
