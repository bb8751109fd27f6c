"""How connections affect official times: `python tests/bench/fairness.py`.

In some minutes, it rewrites the tables of `docs/fairness.md`. The figures come from a
model of connections, from `sliderace.race.timing`, and from how the server measures
latency. The seed is fixed, so they are always the same.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import NamedTuple

from sliderace.race.timing import Latency, official_time
from sliderace_server.live_room.latency import LatencyWindow

RACES = 20_000
SEED = 11
SOLVE_MS = 30_000.0
"""Duration of a good 4x4 solve; only the clock drift depends on it."""
GAPS_MS = (20, 50, 100)
PINGS = 14
"""Pings of a race of 30 s: 8 in the countdown, then one every 5 s."""
KERNEL_PACKETS = 60
"""Packets that the kernel times besides the pings; a race of 30 s has several hundred
events, but many of them share a packet."""
FRAME_MS = 1000 / 60
"""A board is painted with the next frame, and the client's clock starts then."""
DRIFT = 30e-6
"""Drift of a quartz clock (standard deviation)."""
PAGE = Path(__file__).parents[2] / "docs" / "fairness.md"
GATHER_MS = 33
"""How long clients batch slides; they send the solving slide at once."""


class Profile(NamedTuple):
    """A kind of connection; times in ms.

    A packet takes the base delay of its direction plus gamma jitter (shape 1.5), and
    sometimes waits for a retransmission or for the radio.
    """

    name: str
    down: float
    up: float
    jitter: float
    stalls: float
    stall: float


LAN = Profile("LAN", 0.3, 0.3, 0.2, 0.0005, 30)
FIBRE = Profile("fibre, 15 ms", 7, 7, 1, 0.002, 60)
WIFI = Profile("Wi-Fi, 30 ms", 14, 16, 6, 0.02, 120)
MOBILE = Profile("4G, 70 ms", 28, 42, 15, 0.02, 200)
OCEAN = Profile("ocean, 180 ms", 88, 92, 4, 0.005, 220)
BAD_MOBILE = Profile("bad 4G, 150 ms", 55, 95, 40, 0.05, 350)
PROFILES = (LAN, FIBRE, WIFI, MOBILE, OCEAN, BAD_MOBILE)


@dataclass(frozen=True, slots=True)
class Racer:
    """A racer with a kind of connection.

    Args:
        profile: the connection.
        gather_ms: how long the client delays the solving slide at most, to send several
            in one message; our clients do not.
        friendly: whether the room has friendly timing.
        direct: whether the server's kernel sees this connection, and no proxy's.
    """

    profile: Profile
    gather_ms: float = 0
    friendly: bool = False
    direct: bool = True

    @property
    def name(self) -> str:
        """The name in the tables."""
        return self.profile.name + (", friendly timing" if self.friendly else "")

    def delay(self, rng: Random, base: float) -> float:
        """Return how long one packet takes, in ms."""
        _, _, _, jitter, stalls, stall = self.profile
        taken = base + rng.gammavariate(1.5, jitter / 1.5)
        return taken + (rng.expovariate(1 / stall) if rng.random() < stalls else 0)

    def down(self, rng: Random) -> float:
        """Return the delay from the server to the racer."""
        return self.delay(rng, self.profile.down)

    def up(self, rng: Random) -> float:
        """Return the delay from the racer to the server."""
        return self.delay(rng, self.profile.up)

    def trips(self, rng: Random) -> list[float]:
        """Return the round trips of the server's pings."""
        return [self.down(rng) + self.up(rng) for _ in range(PINGS)]

    def line(self, rng: Random, delays: Sequence[float] = (0.0,)) -> Latency:
        """Return the latency as the server measures it.

        Args:
            rng: the random generator.
            delays: how much longer each pong takes, in turn; the kernel knows better.
        """
        trips = self.trips(rng)
        late = [trip + delays[n % len(delays)] for n, trip in enumerate(trips)]
        kernel_ms = None
        if self.direct:
            packets = (self.down(rng) + self.up(rng) for _ in range(KERNEL_PACKETS))
            kernel_ms = math.ceil(min(*trips, *packets))
        window = LatencyWindow()
        for trip in late:
            window.add(round(trip), 0, kernel_ms)
        return window.at(0)

    def race(self, rng: Random, true: float) -> "Times":
        """Return the times of a solve with an honest client.

        Args:
            rng: the random generator.
            true: true time from the painted board to the solving input, in ms.
        """
        line = self.line(rng)
        reveal = self.down(rng) + rng.random() * FRAME_MS
        held = rng.random() * self.gather_ms
        g = reveal + true + held + self.up(rng)
        e = true * (1 + rng.gauss(0, DRIFT))
        return Times(
            int(g), official_time(int(g), int(e), line, friendly=self.friendly)
        )

    def lie(self, rng: Random, delays: Sequence[float] = (0.0,)) -> float:
        """Return the gain of the best lie: true time minus official time, in ms.

        Args:
            rng: the random generator.
            delays: the cheater delays pongs by these times, in turn, and needs no
                screen, so the true time begins when the board arrives.
        """
        line = self.line(rng, delays)
        g = int(self.down(rng) + SOLVE_MS + self.up(rng))
        best = official_time(g, 0, line, friendly=self.friendly)
        return SOLVE_MS - best


class Times(NamedTuple):
    """Times of one solve in ms: by its arrival, and the official time."""

    g: int
    official: int


def spread(values: list[float], *percents: float) -> list[float]:
    """Return percentiles; 100 is the greatest value."""
    ordered = sorted(values)
    return [
        ordered[min(int(len(ordered) * p / 100), len(ordered) - 1)] for p in percents
    ]


def generator(*what: object) -> Random:
    """Return a random generator for one row, the same in every run."""
    return Random(" ".join(map(str, what)))  # noqa: S311 - no secret comes from it


def errors(racer: Racer, races: int, seed: int = SEED) -> list[float]:
    """Return official time minus true time of honest solves, in ms."""
    rng = generator(seed, "error", racer.profile.name)
    return [racer.race(rng, SOLVE_MS).official - SOLVE_MS for _ in range(races)]


class Wrong(NamedTuple):
    """Shares of races, 0 ... 1, that the slower of two racers wins."""

    official: float
    arrival: float
    """The solve time if the arrival at the server decides."""


def wrong_winner(
    faster: Racer, slower: Racer, gap: float, races: int, seed: int = SEED
) -> Wrong:
    """Return how often the slower of two honest racers wins; a tie is not a win.

    Args:
        faster: solves in `SOLVE_MS`.
        slower: takes `gap` ms longer.
        gap: the true difference in ms.
        races: how many races.
        seed: seed of the random generator.
    """
    rng = generator(seed, "wrong", faster.profile.name, slower.profile.name, gap)
    by_official = by_arrival = 0
    for _ in range(races):
        one, other = faster.race(rng, SOLVE_MS), slower.race(rng, SOLVE_MS + gap)
        by_official += other.official < one.official
        by_arrival += other.g < one.g
    return Wrong(by_official / races, by_arrival / races)


WORST_DELAYS = (200.0, 300.0)
"""Delaying pongs like this gives R >= 200 and M = 50: the largest credit."""


def gains(
    racer: Racer, races: int, delays: Sequence[float] = (0.0,), seed: int = SEED
) -> list[float]:
    """Return the gain of the best lie in each race, in ms; see `Racer.lie`."""
    rng = generator(seed, "lie", racer.profile.name, delays)
    return [racer.lie(rng, delays) for _ in range(races)]


# --- The tables -----------------------------------------------------------------------


def honest_row(racer: Racer, races: int) -> list[str]:
    """Return the errors of an honest racer and the wrong winners against LAN."""
    lan = Racer(LAN, friendly=racer.friendly)
    wrong = {gap: wrong_winner(racer, lan, gap, races) for gap in GAPS_MS}
    gathered = wrong_winner(replace(racer, gather_ms=GATHER_MS), lan, 50, races)
    shares = [wrong[gap].official for gap in GAPS_MS]
    shares += [gathered.official, wrong[50].arrival]
    half, most = spread(errors(racer, races), 50, 95)
    return [f"{half:.0f}", f"{most:.0f}", *(f"{share:.1%}" for share in shares)]


def cheater_row(racer: Racer, races: int) -> list[str]:
    """Return the gain of lies, with honest and with delayed pongs."""
    honest, delayed = gains(racer, races), gains(racer, races, WORST_DELAYS)
    behind = gains(replace(racer, direct=False), races, WORST_DELAYS)
    found = (
        *spread(honest, 50, 99, 100),
        *spread(delayed, 50, 100),
        *spread(behind, 50, 100),
    )
    return [f"{gain:.0f}" for gain in found]


RACERS = (
    *map(Racer, PROFILES),
    Racer(LAN, friendly=True),
    Racer(BAD_MOBILE, friendly=True),
)
TABLES = {
    "honest": (
        (
            "connection",
            "median error",
            "95 % below",
            *(f"wrong winner at {gap} ms" for gap in GAPS_MS),
            "50 ms, batched",
            "50 ms, by arrival",
        ),
        honest_row,
    ),
    "cheater": (
        (
            "connection",
            "median",
            "99 % below",
            "most",
            "delayed pongs, median",
            "delayed pongs, most",
            "behind a proxy, median",
            "behind a proxy, most",
        ),
        cheater_row,
    ),
}


END = "<!-- end -->"


def table(name: str, races: int) -> str:
    """Return one of the tables in Markdown."""
    head, row = TABLES[name]
    rows = [head, ("---", *("---:" for _ in head[1:]))]
    rows += [(racer.name, *row(racer, races)) for racer in RACERS]
    return "".join(markdown(cells) for cells in rows)


def markdown(cells: Iterable[str]) -> str:
    """Return one line of a table."""
    return f"| {' | '.join(cells)} |\n"


def filled(page: str, races: int = RACES) -> str:
    """Return the page with new tables."""
    for name in TABLES:
        before, mark, rest = page.partition(f"<!-- {name} -->\n")
        _, end, after = rest.partition(END)
        if not (mark and end):
            raise ValueError(f"the page has no place for the table {name}")
        page = before + mark + table(name, races) + end + after
    return page


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text("utf-8")), "utf-8")
