"""The leaderboard of a race: in which order its rows are shown, and what is marked.

The true order changes too often to be read: among 16 racers more than ten times a
second. So the order *shown* follows it calmly. Neighbours that are in the wrong order
swap, in passes from the top to the bottom; no row takes part in two swaps of a pass.

- Until `FIRST_ORDER_MS`, or until somebody finishes, racers stand by seat; then the
  true order is shown at once.
- Between two passes `PASS_MS` go by, or `FAST_PASS_MS` while anyone is shown more than
  `FAR` places from their true place.
- Pairs that matter swap in the next pass: those with oneself, the true leader, a
  finisher, or anyone shown on the wrong side of oneself; all pairs, if there are at
  most `FEW` racers. Other pairs swap in bursts of `BURST` passes, `CALM_MS` apart.
- ▲ marks a racer who gains a place; ▼ only marks oneself. Both stay for `ARROW_MS`.
  A swap with oneself and a new leader also flash.

Racers with equal progress stand in the order in which they reached it. The page has the
same machine (`core/leaderboard.js`); `shared/vectors/leaderboard-v1.json` tests both.
"""

from collections.abc import Iterable
from typing import NamedTuple

from sliderace_client.room.lanes import Lane, in_order

__all__ = [
    "ARROW_MS",
    "FLASH_MS",
    "Excerpt",
    "Leaderboard",
    "Swap",
    "excerpt",
]

FIRST_ORDER_MS = 2_000
"""Before this time every slide changes the order, so that it says nothing."""
PASS_MS = 240
"""Long enough to see who passed whom."""
FAST_PASS_MS = 120
"""The shortest time in which a row can be followed to its new place."""
FAR = 3
"""Places from the true one; further away, what is shown is plainly wrong."""
FEW = 4
"""Racers of whom all rows can be watched at once."""
BURST = 6
"""Passes in which most rows reach their true place."""
CALM_MS = 1_500
"""Pause between bursts, in which the rows can be read."""
ARROW_MS = 1_200
"""How long ▲ and ▼ are shown."""
FLASH_MS = 240
"""How long a row is highlighted in a terminal; the page fades it out."""


class Swap(NamedTuple):
    """Two neighbours changed places.

    Attributes:
        up: seat of the racer who gained a place.
        down: seat of the racer who lost it.
        flash: it concerns oneself or first place.
    """

    up: int
    down: int
    flash: bool


class Leaderboard:
    """The order in which the racers of one race are shown.

    Attributes:
        ordered: the order shown follows the true one; before that, it is by seat, and
            ranks must not be shown.
        order: seats, as shown from the top.
        truth: seats, best first.
    """

    def __init__(self) -> None:
        self.ordered = False
        self.order: list[int] = []
        self.truth: list[int] = []
        self._highs: dict[int, int] = {}
        self._reached: dict[int, int] = {}
        self._passed_at = 0
        self._calm_until = 0
        self._burst = 0
        self._arrows: dict[int, tuple[str, int]] = {}
        self._flashes: dict[int, int] = {}

    def update(self, lanes: Iterable[Lane], me: int | None, now: int) -> list[Swap]:
        """Take the newest state of all racers; call this several times a second.

        Args:
            lanes: all racers.
            me: our own seat; None for spectators.
            now: ms since the start of the race.

        Returns:
            The swaps that the order shown has made.
        """
        by_seat = sorted(lanes, key=lambda lane: lane.seat)
        for lane in by_seat:
            if lane.high > self._highs.get(lane.seat, -1):
                self._highs[lane.seat], self._reached[lane.seat] = lane.high, now
        ranked = in_order(by_seat, self._reached)
        self.truth = [lane.seat for lane in ranked]
        finished = {lane.seat for lane in ranked if lane.status == "finished"}
        if not self.ordered:
            self.ordered = now >= FIRST_ORDER_MS or bool(finished)
            self.order = self.truth if self.ordered else [lane.seat for lane in by_seat]
            self.order = self.order.copy()
            return []
        self._follow_roster()
        swaps = self._pass(me, finished, now)
        for swap in swaps:
            self._arrows[swap.up] = ("up", now + ARROW_MS)
            if swap.down == me:
                self._arrows[swap.down] = ("down", now + ARROW_MS)
            if swap.flash:
                self._flashes[swap.up] = now + FLASH_MS
        return swaps

    def rank(self, seat: int) -> str:
        """Return the rank that is shown for a racer; empty: there is none yet."""
        shown = self.ordered and seat in self.order
        return str(self.order.index(seat) + 1) if shown else ""

    def arrow(self, seat: int, now: int) -> str:
        """Return the mark of a racer: ``up``, ``down`` or empty."""
        mark, until = self._arrows.get(seat, ("", 0))
        return mark if now < until else ""

    def flashes(self, seat: int, now: int) -> bool:
        """Return whether the row of a racer is highlighted."""
        return now < self._flashes.get(seat, 0)

    def _follow_roster(self) -> None:
        """Show racers whom we hear of late at the end, and drop those who are gone."""
        if set(self.order) != set(self.truth):
            kept = [seat for seat in self.order if seat in self.truth]
            self.order = kept + [seat for seat in self.truth if seat not in kept]

    def _pass(self, me: int | None, finished: set[int], now: int) -> list[Swap]:
        """Swap neighbours that are in the wrong order and due."""
        order, place = self.order, {seat: i for i, seat in enumerate(self.truth)}
        off = max((abs(place[seat] - i) for i, seat in enumerate(order)), default=0)
        if not off or now - self._passed_at < (FAST_PASS_MS if off > FAR else PASS_MS):
            return []
        everybody = now >= self._calm_until
        shown = order.index(me) if me in place else None

        def matters(i: int) -> bool:
            seat = order[i]
            if place[seat] == 0 or seat in finished or i == shown:
                return True
            if me is None or shown is None:
                return False
            return (place[seat] < place[me]) != (i < shown)

        swaps: list[Swap] = []
        due = [
            everybody or len(order) <= FEW or matters(i) or matters(i + 1)
            for i in range(len(order) - 1)
        ]
        i = 0
        while i < len(due):
            down, up = order[i], order[i + 1]
            if due[i] and place[down] > place[up]:
                order[i : i + 2] = up, down
                swaps.append(Swap(up, down, me in (up, down) or i == 0))
                i += 1
            i += 1
        if swaps:
            self._passed_at = now
        if everybody:
            self._burst += 1
            if self._burst == BURST:
                self._burst, self._calm_until = 0, now + CALM_MS
        return swaps


class Excerpt(NamedTuple):
    """The part of a leaderboard that fits.

    Attributes:
        ranks: those that are shown, from 0.
        between: racers hidden between the leader and the rows around oneself.
        behind: racers hidden at the end.
    """

    ranks: list[int]
    between: int
    behind: int


def excerpt(racers: int, slots: int, mine: int) -> Excerpt:
    """Return which ranks are shown: the leader, and those around oneself.

    Args:
        racers: how many there are.
        slots: rows, at least 5; if not all fit, the last one counts the others.
        mine: our own rank, from 0; spectators follow the leader.
    """
    if racers <= slots:
        return Excerpt(list(range(racers)), 0, 0)
    around = slots - 2
    first = max(1, min(mine - around // 2, racers - around))
    ranks = [0, *range(first, first + around)]
    return Excerpt(ranks, first - 1, racers - around - first)
