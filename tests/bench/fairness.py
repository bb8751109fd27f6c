"""What a line costs a racer: `python tests/bench/fairness.py`, a minute or two.

Writes the figures of `docs/fairness.md` anew, and nothing else in it. They come from a
model of the way between a server and its clients, with `sliderace.race.timing` on top
of it. Chance has a fixed seed: the figures are the same each time.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from statistics import median
from typing import NamedTuple

from sliderace.race.timing import Latency, official_time

RACES = 20_000
SEED = 11
SOLVE_MS = 30_000.0
"""A good 4x4 solve. Only the drift of a clock depends on it."""
GAPS_MS = (20, 50, 100)
PINGS = 14
"""Of the last minute of a race: a burst of 8 in the countdown, then one in 5 s."""
FRAME_MS = 1000 / 60
"""The board waits for the screen's next frame; a racer's clock starts with it."""
DRIFT = 30e-6
"""A quartz clock runs wrong by so much (standard deviation)."""
PAGE = Path(__file__).parents[2] / "docs" / "fairness.md"
GATHER_MS = 33
"""What clients gather slides for; the solving one must not wait for it."""


class Profile(NamedTuple):
    """A kind of connection; times in ms.

    A packet takes the base delay of its way, plus gamma jitter (shape 1.5), and now and
    then waits for a lost packet to be sent again, or for its turn on the radio.
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
    """Somebody on a line, and what their client does.

    Args:
        profile: the connection.
        gather_ms: the client holds the solving slide back so long at most, to send
            several in one message. Ours does not.
        friendly: the room has friendly timing.
    """

    profile: Profile
    gather_ms: float = 0
    friendly: bool = False

    @property
    def name(self) -> str:
        """What the tables call it."""
        return self.profile.name + (", friendly timing" if self.friendly else "")

    def way(self, rng: Random, base: float) -> float:
        """How long one packet takes, in ms."""
        _, _, _, jitter, stalls, stall = self.profile
        taken = base + rng.gammavariate(1.5, jitter / 1.5)
        return taken + (rng.expovariate(1 / stall) if rng.random() < stalls else 0)

    def down(self, rng: Random) -> float:
        """From the server to the racer."""
        return self.way(rng, self.profile.down)

    def up(self, rng: Random) -> float:
        """From the racer to the server."""
        return self.way(rng, self.profile.up)

    def trips(self, rng: Random) -> list[float]:
        """The round trips of the server's pings."""
        return [self.down(rng) + self.up(rng) for _ in range(PINGS)]

    def race(self, rng: Random, true: float) -> "Observed":
        """What an honest client and the server make of a solve.

        Args:
            rng: chance.
            true: from the painted board to the solving input, ms.
        """
        line = measured(self.trips(rng))
        reveal = self.down(rng) + rng.random() * FRAME_MS
        held = rng.random() * self.gather_ms
        g = reveal + true + held + self.up(rng)
        e = true * (1 + rng.gauss(0, DRIFT))
        return Observed(
            int(g), official_time(int(g), int(e), line, friendly=self.friendly)
        )

    def lie(self, rng: Random, delays: Sequence[float] = (0.0,)) -> float:
        """What the greatest lie wins: the true time less the official one, ms.

        Args:
            rng: chance.
            delays: the liar holds back pongs by these times, in turn. He needs no
                screen, and counts from the arrival of the board.
        """
        trips = [
            trip + delays[n % len(delays)] for n, trip in enumerate(self.trips(rng))
        ]
        g = int(self.down(rng) + SOLVE_MS + self.up(rng))
        best = official_time(g, 0, measured(trips), friendly=self.friendly)
        return SOLVE_MS - best


class Observed(NamedTuple):
    """Times of one solve, in ms: by its arrival, and the official one."""

    g: int
    official: int


def measured(trips: Sequence[float]) -> Latency:
    """The line as a server sees it, from whole milliseconds."""
    whole = [round(trip) for trip in trips]
    middle = median(whole)
    return Latency(
        min(whole), round(median(abs(t - middle) for t in whole)), len(whole)
    )


def spread(values: list[float], *percents: float) -> list[float]:
    """Percentiles; 100 is the greatest value."""
    ordered = sorted(values)
    return [
        ordered[min(int(len(ordered) * p / 100), len(ordered) - 1)] for p in percents
    ]


def chance(*what: object) -> Random:
    """A generator of its own for each question, the same in every run."""
    return Random(" ".join(map(str, what)))  # noqa: S311 - no secret comes from it


def errors(racer: Racer, races: int, seed: int = SEED) -> list[float]:
    """Official time less true time of honest solves, ms."""
    rng = chance(seed, "error", racer.profile.name)
    return [racer.race(rng, SOLVE_MS).official - SOLVE_MS for _ in range(races)]


class Wrong(NamedTuple):
    """Shares of races, 0 ... 1, in which the slower of two got the better time."""

    official: float
    arrival: float
    """The same, were the arrival at the server to decide."""


def wrong_winner(
    faster: Racer, slower: Racer, gap: float, races: int, seed: int = SEED
) -> Wrong:
    """How often the slower of two honest racers wins; a shared place is no win.

    Args:
        faster: solves in `SOLVE_MS`.
        slower: needs `gap` ms more.
        gap: the true difference, ms.
        races: how many.
        seed: of chance.
    """
    rng = chance(seed, "wrong", faster.profile.name, slower.profile.name, gap)
    by_official = by_arrival = 0
    for _ in range(races):
        one, other = faster.race(rng, SOLVE_MS), slower.race(rng, SOLVE_MS + gap)
        by_official += other.official < one.official
        by_arrival += other.g < one.g
    return Wrong(by_official / races, by_arrival / races)


WORST_DELAYS = (200.0, 300.0)
"""Pongs held back like this look like R >= 200 and M = 50: the largest credit."""


def gains(
    racer: Racer, races: int, delays: Sequence[float] = (0.0,), seed: int = SEED
) -> list[float]:
    """What the greatest lie wins, race by race, ms; see `Racer.lie`."""
    rng = chance(seed, "lie", racer.profile.name, delays)
    return [racer.lie(rng, delays) for _ in range(races)]


# --- The tables -----------------------------------------------------------------------


def honest_row(racer: Racer, races: int) -> list[str]:
    """The error of an honest racer, and who wins against a LAN racer."""
    lan = Racer(LAN, friendly=racer.friendly)
    wrong = {gap: wrong_winner(racer, lan, gap, races) for gap in GAPS_MS}
    gathered = wrong_winner(replace(racer, gather_ms=GATHER_MS), lan, 50, races)
    shares = [wrong[gap].official for gap in GAPS_MS]
    shares += [gathered.official, wrong[50].arrival]
    half, most = spread(errors(racer, races), 50, 95)
    return [f"{half:.0f}", f"{most:.0f}", *(f"{share:.1%}" for share in shares)]


def liar_row(racer: Racer, races: int) -> list[str]:
    """What lies win, with honest pongs and with delayed ones."""
    honest, delayed = gains(racer, races), gains(racer, races, WORST_DELAYS)
    found = (*spread(honest, 50, 99, 100), *spread(delayed, 50, 100))
    return [f"{gain:.0f}" for gain in found]


RACERS = (*map(Racer, PROFILES), Racer(BAD_MOBILE, friendly=True))
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
    "liar": (
        (
            "connection",
            "median",
            "99 % below",
            "most",
            "delayed pongs, median",
            "delayed pongs, most",
        ),
        liar_row,
    ),
}


END = "<!-- end -->"


def table(name: str, races: int) -> str:
    """One of the tables, in Markdown."""
    head, row = TABLES[name]
    rows = [head, ("---", *("---:" for _ in head[1:]))]
    rows += [(racer.name, *row(racer, races)) for racer in RACERS]
    return "".join(markdown(cells) for cells in rows)


def markdown(cells: Iterable[str]) -> str:
    """One line of a table."""
    return f"| {' | '.join(cells)} |\n"


def filled(page: str, races: int = RACES) -> str:
    """The page with its tables made anew; all else stays as it is."""
    for name in TABLES:
        before, mark, rest = page.partition(f"<!-- {name} -->\n")
        _, end, after = rest.partition(END)
        if not (mark and end):
            raise ValueError(f"the page has no place for the table {name}")
        page = before + mark + table(name, races) + end + after
    return page


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text("utf-8")), "utf-8")
