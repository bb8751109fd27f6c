"""`Track`: a race for tests, with its log and with boards that it can solve."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from functools import cache
from operator import itemgetter
from types import MappingProxyType
from typing import Any

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
"""With this secret the board takes only a few slides to solve."""
T0 = 5_000
NONCES = {seat: bytes([seat]) * 16 for seat in (ANN, BEN, CAT)}


@cache
def _ways(size: str, gap: int) -> list[tuple[Slide, Callable[[Any], Any]]]:
    """Return the slides of all boards with this gap, and what they do to the tiles."""
    cells = [*range(1, Size.parse(size).cells)]
    cells.insert(gap, 0)
    board = Board(Size.parse(size), cells)
    ways: list[tuple[Slide, Callable[[Any], Any]]] = []
    for slide in board.legal_slides():
        after = board.copy()
        after.slide(*slide)
        ways.append((slide, itemgetter(*map(cells.index, after.tiles))))
    return ways


@cache
def shortest(size: str, tiles: tuple[int, ...]) -> tuple[Slide, ...]:
    """Return a shortest solution of a small board, by breadth-first search."""
    solved = (*range(1, len(tiles)), 0)
    seen: dict[tuple[int, ...], tuple[Slide, ...]] = {tiles: ()}
    queue = deque([tiles])
    while (board := queue.popleft()) != solved:
        for slide, move in _ways(size, board.index(0)):
            after = move(board)
            if after not in seen:
                seen[after] = (*seen[board], slide)
                queue.append(after)
    return seen[solved]


def stamped(
    slides: tuple[Slide, ...], first: int = 0, pause: int = 10
) -> tuple[LoggedSlide, ...]:
    """Return slides as a client sends them, one every `pause` ms."""
    return tuple((d, k, first + n * pause) for n, (d, k) in enumerate(slides))


class Track:
    """A race that only decided records change, and its log."""

    def __init__(self, rules: Rules = SMALL, known_seed: str = "") -> None:
        made = decide.create_race(RACE_ID, rules, SECRET, 0, known_seed)
        self.log: list[RaceRecord] = [made]
        self.race: Race = apply(None, made)

    def do(self, decision: Decision) -> list[RaceRecord]:
        """Apply a decision, which must not be a refusal."""
        assert not isinstance(decision, Refusal), decision
        for record in decision:
            self.race = apply(self.race, record)
        self.log += decision
        return decision

    def start(self, *seats: Seat) -> "Track":
        """Advance to T0."""
        self.draw(*seats)
        self.do(decide.fire_deadlines(self.race, T0))
        return self

    def freeze(self, *seats: Seat, committed: Iterable[Seat] = ()) -> "Track":
        """Advance until the roster is frozen. With the default rules, T0 is 5,000."""
        self.do(decide.begin_countdown(self.race, T0 - self.race.rules.countdown_ms))
        commitments = {
            seat: nonce_commitment(RACE_ID, seat, NONCES[seat])
            if seat in committed
            else ""
            for seat in seats
        }
        self.do(decide.freeze_roster(self.race, commitments, T0 - FREEZE_MS))
        return self

    def draw(
        self, *seats: Seat, latencies: Mapping[Seat, Latency] = MappingProxyType({})
    ) -> "Track":
        """Advance until the board is drawn, without nonces."""
        self.freeze(*seats)
        self.do(decide.draw_board(self.race, latencies, T0 - FREEZE_MS))
        return self

    def __getitem__(self, seat: Seat) -> Attempt:
        return self.race.attempts[seat]

    def solution(self, seat: Seat) -> tuple[Slide, ...]:
        """Return a shortest solution of that seat's board."""
        return shortest(self.race.rules.size, self[seat].board.tiles)

    def slide(self, seat: Seat, now: int, count: int = 1) -> list[RaceRecord]:
        """Make the next `count` slides of the solution."""
        batch = stamped(self.solution(seat)[:count])
        seq = self[seat].seq + 1
        return self.do(decide.slides(self.race, seat, seq, batch, False, now))

    def solve(
        self, seat: Seat, now: int, latency: Latency = UNMEASURED, e: int | None = None
    ) -> list[RaceRecord]:
        """Make the rest of the solution, arriving at `now` with last timestamp `e`.

        By default there is no latency: e = g.
        """
        path = self.solution(seat)
        e = now - self[seat].unlocks_at if e is None else e
        made = [(way, tiles, min(at, e)) for way, tiles, at in stamped(path[:-1])]
        batch = (*made, (*path[-1], e))
        seq = self[seat].seq + 1
        return self.do(
            decide.slides(self.race, seat, seq, batch, False, now, lambda: latency)
        )

    def at(self, now: int) -> list[RaceRecord]:
        """Fire the deadlines up to `now`."""
        return self.do(decide.fire_deadlines(self.race, now))


def refused(decision: Decision) -> str:
    """Return the code of a refusal."""
    assert isinstance(decision, Refusal), decision
    return decision.code


def phase(track: Track) -> str:
    """Return the phase as a string that type checkers do not narrow."""
    return track.race.phase


def names(records: list[RaceRecord]) -> list[str]:
    """Return the type names of records."""
    return [type(record).__name__ for record in records]


def replayed(log: list[RaceRecord]) -> Race:
    """Return the race that a log describes."""
    race: Race | None = None
    for record in deepcopy(log):
        race = apply(race, record)
    assert race is not None
    return race
