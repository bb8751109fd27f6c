"""A race to run in tests: its log, its decisions checked, its boards solved."""

from collections import deque
from collections.abc import Iterable, Mapping
from copy import deepcopy
from functools import cache
from types import MappingProxyType

from sliderace.engine import Board, Size, Slide, nonce_commitment
from sliderace.race import decide
from sliderace.race.apply import apply
from sliderace.race.decide import Decision
from sliderace.race.log_records import LoggedSlide, RaceRecord, Seat
from sliderace.race.refusal import Refusal
from sliderace.race.rules import Rules
from sliderace.race.state import FREEZE_MS, Attempt, Race
from sliderace.race.timing import UNMEASURED, Latency

ANN, BEN, CAT = Seat(0), Seat(1), Seat(7)
RACE_ID = "KWXTRB-SA1B2C-3"
SECRET = bytes(range(32))
SMALL = Rules(size="3x2")
"""At least some slides from home with this secret, and quick to solve."""
T0 = 5_000
NONCES = {seat: bytes([seat]) * 16 for seat in (ANN, BEN, CAT)}


@cache
def solution(size: str, tiles: tuple[int, ...]) -> tuple[Slide, ...]:
    """A shortest solution in slides, by breadth-first search; for small boards."""
    start = Board(Size.parse(size), tiles)
    seen: dict[tuple[int, ...], tuple[Slide, ...]] = {tiles: ()}
    queue = deque([start])
    while True:
        board = queue.popleft()
        way = seen[board.tiles]
        if board.is_solved:
            return way
        for slide in board.legal_slides():
            turned = board.copy()
            turned.slide(*slide)
            if turned.tiles not in seen:
                seen[turned.tiles] = (*way, slide)
                queue.append(turned)


def stamped(
    slides: tuple[Slide, ...], first: int = 0, pause: int = 10
) -> tuple[LoggedSlide, ...]:
    """Slides as a client sends them, one every `pause` ms."""
    return tuple((d, k, first + n * pause) for n, (d, k) in enumerate(slides))


class Track:
    """A race, changed only through what was decided, and its whole log."""

    def __init__(self, rules: Rules = SMALL, known_seed: str = "") -> None:
        made = decide.create_race(RACE_ID, rules, SECRET, 0, known_seed)
        self.log: list[RaceRecord] = [made]
        self.race: Race = apply(None, made)

    def do(self, decision: Decision) -> list[RaceRecord]:
        """Apply what was decided; it must not have been refused."""
        assert not isinstance(decision, Refusal), decision
        for record in decision:
            self.race = apply(self.race, record)
        self.log += decision
        return decision

    def start(self, *seats: Seat) -> "Track":
        """Race from T0 on."""
        self.lock(*seats)
        self.do(decide.fire_deadlines(self.race, T0))
        return self

    def freeze(self, *seats: Seat, committed: Iterable[Seat] = ()) -> "Track":
        """Up to the frozen roster; T0 is at 5,000 with the default rules."""
        self.do(decide.begin_countdown(self.race, T0 - self.race.rules.countdown_ms))
        commitments = {
            seat: nonce_commitment(RACE_ID, seat, NONCES[seat])
            if seat in committed
            else ""
            for seat in seats
        }
        self.do(decide.freeze_roster(self.race, commitments, T0 - FREEZE_MS))
        return self

    def lock(
        self, *seats: Seat, lines: Mapping[Seat, Latency] = MappingProxyType({})
    ) -> "Track":
        """Up to the drawn board, without any nonce."""
        self.freeze(*seats)
        self.do(decide.draw_board(self.race, lines, T0 - FREEZE_MS))
        return self

    def __getitem__(self, seat: Seat) -> Attempt:
        return self.race.attempts[seat]

    def way(self, seat: Seat) -> tuple[Slide, ...]:
        """How that seat's board is solved."""
        return solution(self.race.rules.size, self[seat].board.tiles)

    def slide(self, seat: Seat, now: int, count: int = 1) -> list[RaceRecord]:
        """The next `count` slides of the solution."""
        batch = stamped(self.way(seat)[:count])
        seq = self[seat].seq + 1
        return self.do(decide.slides(self.race, seat, seq, batch, False, now))

    def solve(
        self, seat: Seat, now: int, line: Latency = UNMEASURED, e: int | None = None
    ) -> list[RaceRecord]:
        """The rest of the solution, arriving at `now`, with the last stamp `e`.

        Without one the line takes no time: g = e.
        """
        way = self.way(seat)
        e = now - self[seat].unlocks_at if e is None else e
        batch = (*stamped(way[:-1]), (*way[-1], e))
        seq = self[seat].seq + 1
        return self.do(
            decide.slides(self.race, seat, seq, batch, False, now, lambda: line)
        )

    def at(self, now: int) -> list[RaceRecord]:
        """The clock's due."""
        return self.do(decide.fire_deadlines(self.race, now))


def refused(decision: Decision) -> str:
    """The code of a refusal."""
    assert isinstance(decision, Refusal), decision
    return decision.code


def phase(track: Track) -> str:
    """The phase, as a plain text that a type checker does not narrow."""
    return track.race.phase


def names(records: list[RaceRecord]) -> list[str]:
    """Types of records, for short comparisons."""
    return [type(record).__name__ for record in records]


def replayed(log: list[RaceRecord]) -> Race:
    """The race that a log tells of."""
    race: Race | None = None
    for record in deepcopy(log):
        race = apply(race, record)
    assert race is not None
    return race
