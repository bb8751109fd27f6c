"""Which room is right for a person who wants to race at once, and with which bots.

Rules:

- A person enters a quick room of the same event whose people are about as fast, if its
  next race begins soon; of several, the one with most people. If there is none, the
  server opens one.
- A quick room has a lane for each of its people, and bots fill it up to `LANES`. So one
  bot leaves for each person who comes, between two races.
- Bots aim at what the people usually need, times `PACES`. A bot stays while its pace is
  near enough, so that people keep their opponents.
"""

from collections.abc import Iterable, Sequence
from statistics import median

from sliderace.engine import Size
from sliderace.protocol.messages import BotWanted, RulesPatch
from sliderace.race.state import FREEZE_MS
from sliderace.solve import LEVELS, pace_range
from sliderace_server.room import MemberState, RoomState, server_bots

__all__ = [
    "LANES",
    "MAX_PEOPLE",
    "SOON_MS",
    "choose",
    "next_race_ms",
    "people_of",
    "rules_for",
    "usual_of",
    "usually_needed",
    "wanted_bots",
]

MAX_PEOPLE = 8
"""A room with so many people gets no more of them: more lanes do not fit on a phone."""
LANES = 4
"""Enough that there is always somebody ahead or behind."""
PACES = (0.95, 1.1, 1.35)
"""Against bots of these paces a person wins 37 % of the races and is second in 33 %."""
NEAR = 0.2
"""A bot stays if its pace differs from the wanted one by this share at most."""
FACTOR = 2
"""People race each other if one is at most this many times as fast as the other."""
SOON_MS = 30_000
"""Whoever would wait longer for the next race of a room gets a new one."""
AWAY_MS = 20_000
"""Somebody who lost the connection for less than this is expected back."""
EVERY_MS = 12_000
"""Pause between two races: enough to read the results."""
COUNTDOWN_MS = 3_000
MIN_LIMIT_MS, LIMIT_FACTOR = 30_000, 4
"""Nobody waits longer than a race of somebody four times as slow."""
MIN_GRACE_MS = 10_000
USUAL_LEVEL = "casual"
"""The level of somebody of whom nothing is known."""


def usually_needed(event: str, known: int | None, stated: int | None) -> int:
    """Return what a person usually needs, in ms, within what bots can do.

    Args:
        event: size of the board.
        known: from their profile; None: no attempts.
        stated: as their client stated it.
    """
    size = Size.parse(event)
    least, most = pace_range(size)
    needed = known or stated or round(LEVELS[USUAL_LEVEL].target_ms(size))
    return min(max(needed, least), most)


def rules_for(event: str, usual_ms: int) -> RulesPatch:
    """Return the rules of a new quick room.

    Args:
        event: size of the board.
        usual_ms: what its first person usually needs.
    """
    return RulesPatch(
        size=event,
        start="every",
        every_ms=EVERY_MS,
        countdown_ms=COUNTDOWN_MS,
        limit_ms=max(MIN_LIMIT_MS, _whole_s(LIMIT_FACTOR * usual_ms)),
        grace_ms=max(MIN_GRACE_MS, _whole_s(usual_ms)),
    )


def _whole_s(ms: int) -> int:
    """Round up to whole seconds, since people read rules."""
    return -(-ms // 1_000) * 1_000


def people_of(state: RoomState, now: int) -> list[MemberState]:
    """Return the people who race in a room, or are expected back.

    Args:
        state: the room.
        now: room time, ms.
    """
    return [
        one
        for one in state.members.values()
        if one.plays and not one.bot and (one.connected or one.since + AWAY_MS > now)
    ]


def usual_of(people: Iterable[MemberState]) -> int | None:
    """Return the median of what people usually need, in ms; None: unknown."""
    known = [one.usual_ms for one in people if one.usual_ms is not None]
    return round(median(known)) if known else None


def choose(
    rooms: Iterable[tuple[RoomState, int]], event: str, usual_ms: int
) -> RoomState | None:
    """Return the quick room that a person should enter; None: open one.

    Args:
        rooms: the quick rooms, each with its room time.
        event: size of the board.
        usual_ms: what the person usually needs.
    """
    best: tuple[int, int] = (0, 0)
    chosen: RoomState | None = None
    for state, now in rooms:
        if state.race.rules.size != event or state.closed:
            continue
        people = people_of(state, now)
        usual, wait = usual_of(people), next_race_ms(state, now)
        if usual is None or not usual <= FACTOR * usual_ms <= FACTOR * FACTOR * usual:
            continue
        value = len(people), -wait
        if len(people) < MAX_PEOPLE and wait <= SOON_MS and value > best:
            best, chosen = value, state
    return chosen


def next_race_ms(state: RoomState, now: int) -> int:
    """Return how long somebody who enters now would wait for a start, about, in ms.

    Args:
        state: the room.
        now: room time, ms.
    """
    race, rules = state.race, state.race.rules
    match race.phase:
        case "countdown" if not race.frozen and now < race.t0 - FREEZE_MS:
            return race.t0 - now
        case "countdown" | "racing":
            slowest = PACES[-1] * (usual_of(people_of(state, now)) or 0)
            ends = race.t0 + round(slowest)
        case "grace":
            ends = race.grace_until or now
        case "results":
            return max(0, (state.start_at or now) - now) + rules.countdown_ms
        case _:
            return rules.countdown_ms
    return max(0, ends - now) + rules.every_ms + rules.countdown_ms


def wanted_bots(
    state: RoomState, now: int, more: int, expected: Sequence[int] = ()
) -> list[BotWanted]:
    """Return the bots that a quick room should have.

    Args:
        state: the room.
        now: room time, ms.
        more: how many bots can be added.
        expected: what people who are about to enter usually need.
    """
    present = [one.pace_ms or 0 for one in server_bots(state)]
    people = people_of(state, now)
    lanes = len(people) + len(expected)
    if not lanes:
        players = (
            one.role == "player" for one in state.members.values() if not one.bot
        )
        back = any(players)  # then they may come back
        return [BotWanted(pace_ms=pace) for pace in present if back]
    known = [one.usual_ms for one in people if one.usual_ms is not None]
    size = state.race.rules.size
    usual = usually_needed(size, round(median([*known, *expected] or [0])), None)
    least, most = pace_range(Size.parse(size))
    paces = [
        min(max(round(factor * usual), least), most)
        for factor in PACES[: max(0, LANES - lanes)]
    ]
    stay = _nearest(paces, present)
    new = [pace for n, pace in enumerate(paces) if n not in stay]
    together = [present[m] for m in stay.values()] + new[: max(0, more)]
    return [BotWanted(pace_ms=pace) for pace in sorted(together)]


def _nearest(paces: Sequence[int], present: Sequence[int]) -> dict[int, int]:
    """Return which bots that are present can play at the wanted paces, by number."""
    pairs = sorted(
        (abs(one - pace) / pace, n, m)
        for n, pace in enumerate(paces)
        for m, one in enumerate(present)
    )
    found: dict[int, int] = {}
    for share, n, m in pairs:
        if share <= NEAR and n not in found and m not in found.values():
            found[n] = m
    return found
