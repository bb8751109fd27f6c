"""A test harness for one room: it executes commands and checks every result.

It uses the room's real functions, a number as the clock, and a log in memory.
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
from sliderace.race.log_records import RaceCreated, Seat
from sliderace.race.refusal import Refusal
from sliderace.race.timing import UNMEASURED, Latency
from sliderace_server import room
from sliderace_server.room import Enter, MemberCommand, Record, RoomLimits, Tick
from sliderace_server.room.commands import RoomCommand, WireCommand
from sliderace_server.storage.record_codec import decode, encode

__all__ = ["CODE", "LIMITS", "RoomHarness", "solution"]

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


class RoomHarness:
    """One room with its log, its clock and all its events.

    Args:
        rules: the rules it is opened with.
        public: whether it is public.
        seed: a seed known in advance.
        limits: the limits of the room.
        kind: who opens it and for whom.
    """

    def __init__(
        self,
        rules: m.RulesPatch | None = None,
        *,
        public: bool = False,
        seed: str | None = None,
        limits: RoomLimits = LIMITS,
        kind: m.RoomKind = "room",
        day: int = 0,
        wall_ms: int = 1_700_000_000_000,
    ) -> None:
        self.limits = limits
        self.now = 0
        self.draws = 0
        self.latencies: dict[int, Latency] = {}
        self.boot, self.mono, self.wall = "boot 1", 1_000, wall_ms
        self.log: list[bytes] = []
        self.checkpoint: int | None = None
        self.events: list[m.Event] = []
        self.records: list[Record] = []
        command = m.Open(rules or m.RulesPatch(size="2x2"), public, seed)
        epoch = room.first_epoch(self.boot, self.mono, self.wall)
        opened = room.open_room(
            CODE, 1_700_000_000, command, epoch, self.entropy(), kind, day
        )
        self.state = room.fold(opened[:1])
        self._take(opened[1:], first=opened[:1])

    # --- commands and time -----------------------------------------------------------

    def entropy(self) -> bytes:
        """Return 32 bytes, different in each call."""
        self.draws += 1
        return hashlib.sha256(str(self.draws).encode()).digest()

    def do(self, command: RoomCommand) -> list[Record] | Refusal:
        """Decide a command, check that this changes nothing, then apply the records."""
        before = pickle.dumps(self.state)
        outcome = room.decide(
            self.state,
            command,
            self.now,
            self.entropy(),
            self.limits,
            lambda member: self.latencies.get(member, UNMEASURED),
        )
        assert pickle.dumps(self.state) == before, "decide must not change the room"
        if isinstance(outcome, Refusal):
            assert outcome.code in REFUSALS
            return outcome
        self._take(outcome)
        return outcome

    def ask(self, member: int, message: WireCommand) -> list[Record] | Refusal:
        """Send a command of a member."""
        return self.do(MemberCommand(member, message))

    def enter(self, name: str, **more: Any) -> int:
        """Add a member; return their id."""
        outcome = self.do(Enter(name, f"hash of {name}", **more))
        assert isinstance(outcome, list)
        return self.state.last_member

    def wait(self, ms: int) -> None:
        """Let time pass, with a tick at each deadline."""
        until = self.now + ms
        while (due := self.deadline()) is not None and due <= until:
            self.now = max(self.now, due)
            assert self.do(Tick()), f"nothing is due at {due}"
        self.now = until

    def to_deadline(self) -> list[Record]:
        """Go to the next deadline; return its records."""
        due = self.deadline()
        assert due is not None
        self.now = max(self.now, due)
        outcome = self.do(Tick())
        assert isinstance(outcome, list)
        return outcome

    def to_phase(self, phase: str) -> None:
        """Advance from deadline to deadline until the room is in this phase."""
        for _ in range(20):
            if self.state.phase == phase:
                return
            self.to_deadline()
        raise AssertionError(f"{self.state.phase}, never {phase}")

    def deadline(self) -> int | None:
        """Return the room's next deadline."""
        return room.next_deadline(self.state, self.limits)

    def crash(self, down_ms: int, *, reboot: bool = False, wall_step: int = 0) -> None:
        """Kill the server, and recover the room from its log."""
        self.state = self.replayed()
        epoch_began = self.state.epoch
        self.mono = epoch_began.mono_ms + self.now - epoch_began.t + down_ms
        self.wall = epoch_began.wall_ms + self.now - epoch_began.t + down_ms + wall_step
        if reboot:
            self.boot, self.mono = f"{self.boot}'", 5_000
        epoch = room.next_epoch(self.state, self.boot, self.mono, self.wall)
        self.now = epoch.t
        self._take([epoch])
        self.do(Tick())

    def replayed(self) -> room.RoomState:
        """Return the room recovered from its log, whole or from the last checkpoint."""
        state = room.fold(decode(data) for data in self.log)
        if self.checkpoint is not None:
            assert room.fold(map(decode, self.log[self.checkpoint :])) == state
        return state

    def _take(self, records: list[Record], first: list[Record] | None = None) -> None:
        self.log += [encode(record) for record in first or ()]
        for record in records:
            assert record.t == self.now
            offset = self.state.offset
            assert room.apply(self.state, record) is self.state
            self.log.append(encode(record))
            self.records.append(record)
            if isinstance(record, RaceCreated) and room.checkpoint_due(self.state):
                self.checkpoint = len(self.log)
                self.log.append(encode(room.checkpoint(self.state)))
            event = room.present(record, self.state)
            assert (event is not None) == room.has_event(record)
            assert self.state.offset == offset + (event is not None)
            if event is not None:
                assert getattr(event, "o", None) == self.state.offset
                assert decode_event(encode_event(event)) == event
                self.check_secrets(event)
                self.events.append(event)

    # --- events and snapshots --------------------------------------------------------

    def check_secrets(self, event: m.Event) -> None:
        """Check that an event reveals no secret, seed or board too early."""
        race, text = self.state.race, encode_event(event)
        if race.phase != "results" or race.known_seed:
            assert race.secret not in text
        if race.phase != "results" and race.seed:
            assert race.seed not in text
        if race.board and not race.running and race.phase != "results":
            assert format_board(Board(race.size, race.board)) not in text

    def snapshot(self, member: int) -> m.Snapshot:
        """Return a member's snapshot."""
        snapshot = room.snapshot(self.state, member, self.now)
        assert decode_event(encode_event(snapshot)) == snapshot
        return snapshot

    # --- playing ---------------------------------------------------------------------

    def phase(self) -> str:
        """Return the phase of the room."""
        return self.state.phase

    @property
    def race(self) -> str:
        """The id of the current race."""
        return self.state.race.id

    def board(self, member: int) -> Board:
        """Return a racer's board."""
        attempt = room.attempt_of(self.state, member)
        assert attempt is not None
        return attempt.board

    def nonce(self, member: int) -> bytes:
        """Return a member's nonce for this race."""
        return hashlib.sha256(f"{member} {self.race}".encode()).digest()[:16]

    def ready(self, *members: int) -> None:
        """Make members ready, with nonce commitments."""
        for member in members:
            seat = self.state.members[member].seat
            assert seat is not None
            commitment = nonce_commitment(self.race, seat, self.nonce(member))
            self.ask(member, m.Ready(self.race, nonce_commitment=commitment))

    def reveal_nonces(self, *members: int) -> None:
        """Reveal the nonces of members."""
        for member in members:
            self.ask(member, m.Nonce(self.race, self.nonce(member).hex()))

    def slides(self, member: int, count: int = 60) -> m.Slides:
        """Return the next slides of a shortest solution, as a message."""
        attempt = room.attempt_of(self.state, member)
        assert attempt is not None
        path = solution(attempt.board)[:count]
        return m.Slides(self.race, 0, attempt.seq + 1, [(d, 1, 7) for d in path])

    def solve(self, member: int) -> None:
        """Solve the board."""
        assert isinstance(self.ask(member, self.slides(member)), list)

    def start_race(self, *members: int) -> None:
        """Make members ready and go to the start of the race."""
        for member in members:
            assert isinstance(self.ask(member, m.Ready(self.race)), list)
        if self.state.phase == "lobby":
            assert self.state.host is not None
            assert isinstance(self.ask(self.state.host, m.Start(self.race)), list)
        self.to_phase("racing")

    def seat(self, member: int) -> Seat:
        """Return a member's seat."""
        seat = self.state.members[member].seat
        assert seat is not None
        return seat


def solution(board: Board) -> list[Any]:
    """Return a shortest solution of a board of up to six cells, as single slides."""
    return _solutions(board.size)[board.tiles]


@cache
def _solutions(size: Size) -> dict[tuple[int, ...], list[Any]]:
    """Map the tiles of every solvable board of a small size to a shortest solution."""
    assert size.cells <= 6
    back = {"U": "D", "D": "U", "L": "R", "R": "L"}
    start = Board.solved(size)
    solutions: dict[tuple[int, ...], list[Any]] = {start.tiles: []}
    queue = deque([start])
    while queue:
        board = queue.popleft()
        for direction, inverse in back.items():
            near = board.copy()
            if near.try_slide(direction) and near.tiles not in solutions:
                solutions[near.tiles] = [inverse, *solutions[board.tiles]]
                queue.append(near)
    return solutions
