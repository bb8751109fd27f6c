"""Random races with everything that can happen in one, and random lies about them."""

import json
from copy import deepcopy
from random import Random
from typing import Any

from tests.properties.test_signed_record import near
from tests.race.track import RACE_ID, Track

from sliderace.engine import Slide, nonce_commitment
from sliderace.proof.record import Player, build
from sliderace.race import decide
from sliderace.race.apply import recovered, stalled
from sliderace.race.log_records import LoggedSlide, Seat
from sliderace.race.refusal import Refusal
from sliderace.race.rules import Rules
from sliderace.race.timing import Latency
from sliderace.solve import solve

__all__ = ["lie", "random_record"]

SIZES = ("2x2", "3x2", "2x3", "3x3", "4x2", "4x4", "2x5", "5x4")
NAMES = ("Ann", "Zoë", 'Q"\\', "雪", "💎 gem", "x" * 20, "Ünal", "Óscar")
MAX_STEPS = 200


def random_record(chance: Random) -> dict[str, Any]:
    """Return the record of a race that the rules allow, through JSON and back."""
    while True:
        race = _Race(chance)
        race.run()
        if race.track.race.phase == "results":
            return race.record()


def lie(record: dict[str, Any], chance: Random) -> dict[str, Any]:
    """Return a record with one to three values changed, mostly plausibly."""
    changed = deepcopy(record)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        holder: Any = changed
        while True:
            is_object = isinstance(holder, dict)
            keys: list[Any] = [*holder] if is_object else [*range(len(holder))]
            key = chance.choice(keys)
            inner: Any = holder[key]
            if isinstance(inner, dict | list) and inner and chance.random() < 0.95:
                holder = inner
                continue
            holder[key] = _other(inner, key, record, chance)
            break
    return changed


def _other(
    value: object, key: object, record: dict[str, Any], chance: Random
) -> object:
    """Return another value, often one that another racer has."""
    racers = [one for one in record["racers"] if key in one]
    finishes = [one["finish"] for one in record["racers"] if one["finish"]]
    if racers and chance.random() < 0.5:
        return deepcopy(chance.choice(racers)[key])
    if finishes and key in finishes[0] and chance.random() < 0.5:
        return chance.choice(finishes)[key]
    if key == "why":
        return chance.choice(("limit", "grace", "away", "left", "kicked", "called", ""))
    if isinstance(value, int) and not isinstance(value, bool) and chance.random() < 0.3:
        return max(0, value + chance.choice((-60_000, -1_000, -30, 30, 1_000, 60_000)))
    return near(value, chance)


class _Race:
    """One race, in which every step is random."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        limit = chance.choice((-1, 0, 10_000, 60_000))
        rules = Rules(
            size=chance.choice(SIZES),
            inspection_ms=chance.choice((0, 0, 2_000)),
            limit_ms=limit,
            grace_ms=chance.choice((-1, 0, 5_000)),
            away_ms=chance.choice((0, 3_000, 60_000)),
            friendly_timing=chance.random() < 0.3,
        )
        known = "" if chance.random() < 0.8 else chance.randbytes(32).hex()
        self.track = Track(rules, known)
        seats = sorted(chance.sample(range(255), chance.randint(1, 7)))
        self.seats = [Seat(seat) for seat in seats]
        self.now = 0
        self.used: dict[Seat, int] = {}

    def run(self) -> None:
        """Run the race to its end."""
        self._start()
        steps = 0
        while self.track.race.running:
            self.now += self.chance.choice((0, 1, 20, 300, 1_500, 9_000))
            self.track.at(self.now)
            if steps == MAX_STEPS and self.track.race.running:
                self._try(decide.end_race(self.track.race, self.now, "away"))
            elif self.track.race.running:
                self._step()
            steps += 1

    def _start(self) -> None:
        chance, track = self.chance, self.track
        nonces = {seat: chance.randbytes(16) for seat in self.seats}
        bound = {
            seat: nonce_commitment(RACE_ID, seat, nonces[seat])
            if chance.random() < 0.8
            else ""
            for seat in self.seats
        }
        self._try(decide.begin_countdown(track.race, 0))
        self._try(decide.freeze_roster(track.race, bound, track.race.t0 - 1_200))
        for seat in self.seats:
            if chance.random() < 0.9:
                nonce = nonces[seat].hex()
                self._try(decide.reveal_nonce(track.race, seat, nonce, 3_900))
        lines = {seat: self._latency() for seat in self.seats}
        away = {seat for seat in self.seats if chance.random() < 0.1}
        at = track.race.t0 - 400
        self._try(decide.draw_board(track.race, lines, at, away=away))
        self.now = track.race.t0
        track.at(self.now)

    def _latency(self) -> Latency:
        chance = self.chance
        return Latency(
            chance.choice((0, 3, 40, 150, 320)),
            chance.choice((0, 4, 18, 25, 90)),
            chance.choice((0, 4, 5, 8)),
        )

    def _step(self) -> None:
        chance, race, now = self.chance, self.track.race, self.now
        seat = chance.choice(self.seats)
        match chance.choices(range(10), (60, 12, 2, 2, 4, 5, 8, 4, 2, 3))[0]:
            case 0:
                self._slide(seat, chance.choice((1, 2, 9)))
            case 1:
                self._slide(seat, 1_000)
            case 2:
                self._try(decide.forfeit(race, seat, now))
            case 3:
                self._try(decide.undo_forfeit(race, seat, now))
            case 4:
                self._try(
                    decide.leave(race, seat, chance.choice(("left", "kicked")), now)
                )
            case 5:
                self._try(decide.disconnected(race, seat, now))
            case 6:
                self._try(decide.reconnected(race, seat, now))
            case 7:
                self.now += chance.choice((1, 400, 4_000, 60_000))
                recovered(race, now, self.now)
                for other in self.seats:
                    if chance.random() < 0.7:
                        self.now += chance.choice((0, 300, 4_000))
                        self._try(decide.reconnected(race, other, self.now))
            case 8:
                self._try(decide.call_time(race, now))
            case _:
                self.now += chance.choice((300, 1_000, 5_000, 60_000))
                stalled(race, now, self.now)
                self.track.at(self.now)

    def _slide(self, seat: Seat, count: int) -> None:
        """Make slides towards the solution, sometimes a wrong one first."""
        chance, race = self.chance, self.track.race
        attempt = race.attempts[seat]
        if not race.accepts_slides(attempt, self.now) or attempt.away_since is not None:
            return
        board, batch = attempt.board.copy(), list[Slide]()
        stamp = attempt.slides[-1].stamp if attempt.slides else 0
        if chance.random() < 0.3:
            batch.append(chance.choice(board.legal_slides()))
            board.slide(*batch[0])
        batch += [slide for stage in solve(board) for slide in stage][:count]
        made: list[LoggedSlide] = []
        g = max(0, self.now - attempt.unlocks_at)
        for direction, tiles in batch:
            stamp = min(stamp + chance.randint(0, 90), g + chance.choice((0, 0, 50)))
            made.append((direction, tiles, stamp))
        if made and chance.random() < 0.6:
            late = chance.choice((0, 5, 60, 300, 5_000))
            made[-1] = (*made[-1][:2], max(0, g - late))
        first, approx = attempt.seq + 1, chance.random() < 0.05
        self._try(
            decide.slides(race, seat, first, made, approx, self.now, self._latency)
        )

    def _try(self, decision: decide.Decision) -> None:
        """Apply a decision; a refusal changes nothing."""
        if not isinstance(decision, Refusal):
            self.track.do(decision)

    def record(self) -> dict[str, Any]:
        """Return the record of the race."""
        chance = self.chance
        players = {
            seat: Player(chance.choice(NAMES), chance.random() < 0.2)
            for seat in self.seats
        }
        made = build(self.track.race, players, started_ms=1, software="sliderace")
        loaded: dict[str, Any] = json.loads(json.dumps(made))
        return loaded
