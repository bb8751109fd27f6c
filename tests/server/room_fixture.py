"""A room on a stage: commands go in, everything that comes out is checked and kept.

Not a mock: the room's own functions, a clock that is a number, and a log of bytes.
"""

import hashlib
import pickle
from collections import deque
from functools import cache
from typing import Any

from sliderace.engine import Board, Size, format_board, nonce_commitment
from sliderace.protocol import messages as m
from sliderace.protocol.codec import decode_event, encode_event
from sliderace.protocol.codes import REFUSALS
from sliderace.protocol.room_code import RoomCode
from sliderace.race.log_records import Seat
from sliderace.race.refusal import Refusal
from sliderace.race.timing import UNMEASURED, Latency
from sliderace_server import room
from sliderace_server.room import Enter, MemberCommand, Record, RoomLimits, Tick
from sliderace_server.room.commands import RoomCommand, WireCommand
from sliderace_server.storage.record_codec import decode, encode

__all__ = ["CODE", "LIMITS", "Stage", "solution"]

CODE = RoomCode("KWXTRB")
LIMITS = RoomLimits(
    players=4,
    spectators=3,
    lobby_ttl_ms=60_000,
    race_ttl_ms=40_000,
    results_ttl_ms=90_000,
    room_ttl_ms=600_000,
    member_ttl_ms=50_000,
    max_tiles=300,
)


class Stage:
    """One room with its log, its clock and all that was told.

    Args:
        rules: what the opener asks for.
        public: listed.
        seed: known in advance.
        limits: the operator's.
    """

    def __init__(
        self,
        rules: m.RulesPatch | None = None,
        *,
        public: bool = False,
        seed: str | None = None,
        limits: RoomLimits = LIMITS,
    ) -> None:
        self.limits = limits
        self.now = 0
        self.draws = 0
        self.lines: dict[int, Latency] = {}
        self.boot, self.mono, self.wall = "boot 1", 1_000, 1_700_000_000_000
        self.log: list[bytes] = []
        self.events: list[m.Event] = []
        self.records: list[Record] = []
        asked = m.Open(rules or m.RulesPatch(size="2x2"), public, seed)
        epoch = room.first_epoch(self.boot, self.mono, self.wall)
        opened = room.open_room(CODE, 1_700_000_000, asked, epoch, self.entropy())
        self.state = room.fold(opened[:1])
        self._take(opened[1:], first=opened[:1])

    # --- going on --------------------------------------------------------------------

    def entropy(self) -> bytes:
        """32 bytes that were never there before."""
        self.draws += 1
        return hashlib.sha256(str(self.draws).encode()).digest()

    def do(self, command: RoomCommand) -> list[Record] | Refusal:
        """Decide a command, check that this changes nothing, then make it so."""
        before = pickle.dumps(self.state)
        outcome = room.decide(
            self.state,
            command,
            self.now,
            self.entropy(),
            self.limits,
            lambda member: self.lines.get(member, UNMEASURED),
        )
        assert pickle.dumps(self.state) == before, "decide must not change the room"
        if isinstance(outcome, Refusal):
            assert outcome.code in REFUSALS
            return outcome
        self._take(outcome)
        return outcome

    def ask(self, member: int, message: WireCommand) -> list[Record] | Refusal:
        """A member says something."""
        return self.do(MemberCommand(member, message))

    def enter(self, name: str, **more: Any) -> int:
        """Somebody comes in; the id."""
        outcome = self.do(Enter(name, f"hash of {name}", **more))
        assert isinstance(outcome, list)
        return self.state.last_member

    def wait(self, ms: int) -> None:
        """Let time pass; the clock is given its due at each deadline."""
        until = self.now + ms
        while (due := self.deadline()) is not None and due <= until:
            self.now = max(self.now, due)
            assert self.do(Tick()), f"nothing was due at {due}"
        self.now = until

    def to_deadline(self) -> list[Record]:
        """Go to the next deadline, and over it."""
        due = self.deadline()
        assert due is not None
        self.now = max(self.now, due)
        outcome = self.do(Tick())
        assert isinstance(outcome, list)
        return outcome

    def to_phase(self, phase: str) -> None:
        """Go from deadline to deadline until the room is there."""
        for _ in range(20):
            if self.state.phase == phase:
                return
            self.to_deadline()
        raise AssertionError(f"{self.state.phase}, never {phase}")

    def deadline(self) -> int | None:
        """The room's next one."""
        return room.next_deadline(self.state, self.limits)

    def crash(self, down_ms: int, *, reboot: bool = False, wall_step: int = 0) -> None:
        """The server is killed, and another one carries on from the log."""
        self.state = self.replayed()
        begun = self.state.epoch
        self.mono = begun.mono_ms + self.now - begun.t + down_ms
        self.wall = begun.wall_ms + self.now - begun.t + down_ms + wall_step
        if reboot:
            self.boot, self.mono = f"{self.boot}'", 5_000
        epoch = room.next_epoch(self.state, self.boot, self.mono, self.wall)
        self.now = epoch.t
        self._take([epoch])
        self.do(Tick())

    def replayed(self) -> room.RoomState:
        """The room that its log tells of."""
        return room.fold(decode(data) for data in self.log)

    def _take(self, records: list[Record], first: list[Record] | None = None) -> None:
        self.log += [encode(record) for record in first or ()]
        for record in records:
            assert record.t == self.now
            offset = self.state.offset
            assert room.apply(self.state, record) is self.state
            self.log.append(encode(record))
            self.records.append(record)
            event = room.present(record, self.state)
            assert (event is not None) == room.has_event(record)
            assert self.state.offset == offset + (event is not None)
            if event is not None:
                assert getattr(event, "o", None) == self.state.offset
                assert decode_event(encode_event(event)) == event
                self.check_untold(event)
                self.events.append(event)

    # --- what was told ---------------------------------------------------------------

    def check_untold(self, event: m.Event) -> None:
        """S and seed are told at the end only, boards from T0 on."""
        race, text = self.state.race, encode_event(event)
        if race.phase != "results" or race.known_seed:
            assert race.secret not in text
        if race.phase != "results" and race.seed:
            assert race.seed not in text
        if race.board and not race.running and race.phase != "results":
            assert format_board(Board(race.size, race.board)) not in text

    def snapshot(self, member: int) -> m.Snapshot:
        """What that member is told in full."""
        snapshot = room.snapshot(self.state, member, self.now)
        assert decode_event(encode_event(snapshot)) == snapshot
        return snapshot

    # --- playing ---------------------------------------------------------------------

    def phase(self) -> str:
        """Where the room is."""
        return self.state.phase

    @property
    def race(self) -> str:
        """Id of the current race."""
        return self.state.race.id

    def board(self, member: int) -> Board:
        """The board of a racer."""
        attempt = room.attempt_of(self.state, member)
        assert attempt is not None
        return attempt.board

    def nonce(self, member: int) -> bytes:
        """What that member's client drew for this race."""
        return hashlib.sha256(f"{member} {self.race}".encode()).digest()[:16]

    def ready(self, *members: int) -> None:
        """They will race, and have committed to their nonces."""
        for member in members:
            seat = self.state.members[member].seat
            assert seat is not None
            bound = nonce_commitment(self.race, seat, self.nonce(member))
            self.ask(member, m.Ready(self.race, nonce_commitment=bound))

    def tell(self, *members: int) -> None:
        """They tell their nonces."""
        for member in members:
            self.ask(member, m.Nonce(self.race, self.nonce(member).hex()))

    def slides(self, member: int, count: int = 60) -> m.Slides:
        """The next slides on the way to the solved board, as a message."""
        attempt = room.attempt_of(self.state, member)
        assert attempt is not None
        path = solution(attempt.board)[:count]
        return m.Slides(self.race, 0, attempt.seq + 1, [(d, 1, 7) for d in path])

    def solve(self, member: int) -> None:
        """Slide to the end."""
        assert isinstance(self.ask(member, self.slides(member)), list)

    def race_of(self, *members: int) -> None:
        """All of them get ready, and the race begins."""
        for member in members:
            assert isinstance(self.ask(member, m.Ready(self.race)), list)
        if self.state.phase == "lobby":
            assert self.state.host is not None
            assert isinstance(self.ask(self.state.host, m.Start(self.race)), list)
        self.to_phase("racing")

    def seat(self, member: int) -> Seat:
        """A member's seat."""
        seat = self.state.members[member].seat
        assert seat is not None
        return seat


def solution(board: Board) -> list[Any]:
    """A shortest way home for boards of up to six cells, as single slides."""
    return _ways(board.size)[board.tiles]


@cache
def _ways(size: Size) -> dict[tuple[int, ...], list[Any]]:
    """Tiles -> directions that lead home, for every solvable board of a small size."""
    assert size.cells <= 6
    back = {"U": "D", "D": "U", "L": "R", "R": "L"}
    start = Board.solved(size)
    ways: dict[tuple[int, ...], list[Any]] = {start.tiles: []}
    queue = deque([start])
    while queue:
        board = queue.popleft()
        for direction, home in back.items():
            near = board.copy()
            if near.try_slide(direction) and near.tiles not in ways:
                ways[near.tiles] = [home, *ways[board.tiles]]
                queue.append(near)
    return ways
