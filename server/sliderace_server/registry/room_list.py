"""The live list of public rooms, and the connections that watch it.

Rules:

- A newcomer is sent all rooms at once; then all watchers get what has changed, once a
  second. So everybody has the same list.
- However many watch, each change is encoded once, and the whole list once a second at
  most.
- Thousands of watchers are sent a change a few at a time, since races must not wait for
  them.
- Only public rooms are in the list.
"""

from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from sliderace.protocol.messages import Event, RoomRow, Rooms
from sliderace_server.live_room.subscriber import Peer
from sliderace_server.registry.matchmaking import usual_of
from sliderace_server.room import RoomState

__all__ = ["MAX_ROWS", "RoomList", "row_of"]

MAX_ROWS = 300
"""Rows of one event: each is about 130 bytes, and an event at most 64 KiB."""
BATCH = 20
"""Watchers who are sent a change in one turn of the event loop: 0.6 ms of work. With
50, the p99 of a race's acks was 2.7 ms; with 20, it was 1.7 to 2.2 ms, and without
watchers 1.5 ms."""
PAUSE_S = 0.003
"""Between two batches."""
MAX_BATCHES = 250
"""Batches of one change; all of them take less than the second between two changes."""


def row_of(state: RoomState, now: int) -> RoomRow:
    """Return what everybody may know about a public room.

    Args:
        state: the room.
        now: room time, ms.
    """
    people = [one for one in state.members.values() if one.connected and not one.bot]
    players = [one for one in people if one.role == "player"]
    return RoomRow(
        code=state.code,
        event=state.race.rules.size,
        kind=state.kind,
        people=len(people),
        bots=sum(one.bot for one in state.members.values()),
        phase=state.phase,
        age_ms=max(0, now - state.phase_since),
        pace_ms=usual_of(players),
        locked=state.locked,
    )


class RoomList:
    """The list that all watchers have.

    Args:
        rooms: returns the rows of all public rooms as they are now.
        frame: encodes an event, once for all receivers.
        later: calls a function after a delay in seconds.
    """

    def __init__(
        self,
        rooms: Callable[[], Iterable[RoomRow]],
        frame: Callable[[Event], bytes],
        later: Callable[[float, Callable[[], None]], object],
    ) -> None:
        self._rooms = rooms
        self._frame = frame
        self._later = later
        self._watchers: dict[Peer, None] = {}
        self._rows: dict[str, RoomRow] = {}
        self._whole: list[bytes] = []
        self._change: Sequence[bytes] = ()
        self._due: list[Peer] = []

    def __len__(self) -> int:
        """Return the number of watchers."""
        return len(self._watchers)

    def watch(self, peer: Peer) -> None:
        """Add a watcher, who is sent the whole list."""
        if not self._watchers:
            self._rows = {row.code: row for row in self._rooms()}
            self._whole = []
        if not self._whole:
            self._whole = self._frames(list(self._rows.values()), [])
        self._watchers[peer] = None
        for frame in self._whole:
            peer.send(frame)

    def leave(self, peer: Peer) -> None:
        """Remove a watcher whose connection has ended."""
        self._watchers.pop(peer, None)

    def update(self) -> None:
        """Send all watchers what has changed; call this once a second."""
        late, self._due = self._due, []
        self._send_to(late)  # still the last change
        if not self._watchers:
            return
        rows = {row.code: row for row in self._rooms()}
        changed = [row for row in rows.values() if self._is_new(row)]
        gone = [code for code in self._rows if code not in rows]
        self._rows, self._whole = rows, []  # ages have changed in any case
        if changed or gone:
            self._change = self._frames(changed, gone)
            self._due = list(self._watchers)
            self._send_batch()

    def _send_batch(self) -> None:
        """Send the change to the next watchers; the others follow after a pause."""
        size = max(BATCH, len(self._watchers) // MAX_BATCHES)
        batch, self._due = self._due[:size], self._due[size:]
        self._send_to(batch)
        if self._due:
            self._later(PAUSE_S, self._send_batch)

    def _send_to(self, peers: Iterable[Peer]) -> None:
        """Send the change to those of these peers who still watch."""
        for peer in peers:
            if peer in self._watchers:
                for frame in self._change:
                    peer.send(frame)

    def _is_new(self, row: RoomRow) -> bool:
        """Return whether watchers lack this row; they count its age themselves."""
        known = self._rows.get(row.code)
        return (
            known is None
            or row.age_ms < known.age_ms  # the same phase of another race
            or replace(row, age_ms=0) != replace(known, age_ms=0)
        )

    def _frames(self, rows: list[RoomRow], gone: list[str]) -> list[bytes]:
        parts = [rows[n : n + MAX_ROWS] for n in range(0, len(rows), MAX_ROWS)]
        first, *others = parts or [[]]
        return [
            self._frame(Rooms(first, gone)),
            *(self._frame(Rooms(part)) for part in others),
        ]
