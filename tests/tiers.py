"""How much the tests do in each tier; the variable SLIDERACE_TIER chooses one."""

import os
from dataclasses import dataclass

__all__ = ["DEFAULT", "TIER", "TIERS", "Tier"]


@dataclass(frozen=True, slots=True)
class Tier:
    """Sizes of the tests that can be small or large.

    Attributes:
        skips: whether a test may be skipped because a program is missing.
        hypothesis: profile of the random tests, see `tests/conftest.py`.
        race_hours: how long races run in the simulation.
        crashes: how often the simulated server crashes at least.
        cluster_races: races on simulated nodes that fail in all ways.
        histories: room histories that are simulated without sockets.
        frames: mutated frames given to the decoder.
        lies: tampered race records given to every verifier.
        kills: how often the real server is killed in mid-race.
        owner_kills: how often the node that serves a race is killed.
        stalls: races around each stall of the real server.
        bot_sides: side of the largest board that bots of each level solve 100 times.
        attempts: attempts of profiles in a simulated year.
    """

    skips: bool
    hypothesis: str
    race_hours: float
    crashes: int
    cluster_races: int
    histories: int
    frames: int
    lies: int
    kills: int
    owner_kills: int
    stalls: int
    bot_sides: int
    attempts: int


DEFAULT = "default"
TIERS = {
    DEFAULT: Tier(
        skips=True,
        hypothesis="default",
        race_hours=0.2,
        crashes=80,
        cluster_races=20,
        histories=200,
        frames=100_000,
        lies=200,
        kills=2,
        owner_kills=2,
        stalls=4,
        bot_sides=3,
        attempts=600,
    ),
    "ci": Tier(
        skips=False,
        hypothesis="default",
        race_hours=0.5,
        crashes=200,
        cluster_races=200,
        histories=300,
        frames=200_000,
        lies=1_000,
        kills=3,
        owner_kills=10,
        stalls=2,
        bot_sides=4,
        attempts=2_000,
    ),
    "full": Tier(
        skips=False,
        hypothesis="ci",
        race_hours=100,
        crashes=40_000,
        cluster_races=10_000,
        histories=100_000,
        frames=10_000_000,
        lies=20_000,
        kills=10,
        owner_kills=10,
        stalls=100,
        bot_sides=10,
        attempts=10_000,
    ),
}
TIER = TIERS[os.environ.get("SLIDERACE_TIER", DEFAULT)]
