"""How a race comes to its start: countdown, roster, nonces, draw of the board.

Used through `sliderace.race.decide`. The order is what makes the draw fair: the server
is bound to its secret before anybody is ready, the players' clients to their nonces
before the roster is frozen; only then the nonces are told, and nobody who has any part
in the seed can still choose.
"""

from collections.abc import Collection, Mapping
from types import MappingProxyType

from sliderace.engine import Size, commitment, nonce_commitment, scramble, seed_of
from sliderace.race.deadlines import postponed
from sliderace.race.log_records import (
    CountdownBegan,
    CountdownStopped,
    DidNotFinish,
    NonceRevealed,
    RaceAborted,
    RaceCreated,
    RaceLocked,
    RacerDisconnected,
    RaceRecord,
    RosterFrozen,
    Seat,
)
from sliderace.race.refusal import Refusal
from sliderace.race.rules import Rules
from sliderace.race.state import COMMIT_MS, LOCK_MS, ROSTER_MS, Race
from sliderace.race.timing import UNMEASURED, Latency

__all__ = [
    "REVEAL_LEAD_MS",
    "Decision",
    "abort",
    "begin_countdown",
    "draw",
    "freeze",
    "make",
    "nonce",
    "postpone",
    "postpone_at",
    "stop_countdown",
]

REVEAL_LEAD_MS = 100
"""No sound line needs longer one way; a lie about it shows the board no earlier."""

Decision = list[RaceRecord] | Refusal


def make(
    race_id: str, rules: Rules, secret: bytes, now: int, known_seed: str = ""
) -> RaceCreated:
    """Prepare a race. Store the record before anybody is shown its commitment.

    Args:
        race_id: 1 ... 32 of ``A-Z 0-9 -``.
        rules: how it will be run.
        secret: S, 32 random bytes.
        now: room time, ms.
        known_seed: 64 hex digits of a seed given in advance; such a race makes no
            claim to fairness.

    Raises:
        BadSeed: the race id or the secret is not of that form.
    """
    committed = commitment(race_id, Size.parse(rules.size), secret)
    return RaceCreated(now, race_id, rules, secret.hex(), committed, known_seed)


def begin_countdown(race: Race, now: int) -> Decision:
    """Start: T0 is announced. Who races is decided later, by `freeze`."""
    match race.phase:
        case "lobby":
            return [CountdownBegan(now, race.id, now + race.rules.countdown_ms)]
        case "countdown":
            return []
        case _:
            return Refusal("wrong_phase")


def stop_countdown(race: Race, why: str, now: int) -> Decision:
    """Back to the lobby, as long as nothing is locked; see also `abort`."""
    match race.phase:
        case "lobby":
            return []
        case "countdown" if not race.locked:
            return [CountdownStopped(now, race.id, why)]
        case _:
            return Refusal("wrong_phase")


def abort(race: Race, now: int, why: str = "host") -> Decision:
    """Call the countdown or the race off; an aborted race has no results.

    A locked race is never taken up again: its board may have been seen.
    """
    match race.phase:
        case "lobby" | "aborted":
            return []
        case "countdown" if not race.locked:
            return [CountdownStopped(now, race.id, why)]
        case "countdown" | "racing" | "grace":
            return [RaceAborted(now, race.id, why)]
        case _:
            return Refusal("wrong_phase")


def freeze(race: Race, commitments: Mapping[Seat, str], now: int) -> Decision:
    """Fix who races, and which nonces may go into the seed.

    Args:
        race: a race in its countdown.
        commitments: the seats that race, each with what binds its nonce; empty where
            it has none.
        now: room time, ms; where it is late, T0 moves so that the nonces can come.

    Returns:
        `RosterFrozen`; or the refusals ``wrong_phase`` and ``nobody_ready``.
    """
    if race.phase != "countdown":
        return Refusal("wrong_phase")
    if race.locked:
        return []
    if not commitments:
        return Refusal("nobody_ready")
    roster = tuple(sorted(commitments))
    bound = tuple("" if race.known_seed else commitments[seat] for seat in roster)
    t0 = race.t0 if now <= race.t0 - ROSTER_MS else now + LOCK_MS
    return [RosterFrozen(now, race.id, t0, roster, bound)]


def nonce(race: Race, seat: Seat, told: str, now: int) -> Decision:
    """A seat tells its nonce, after the roster was frozen.

    Args:
        race: the race it belongs to.
        seat: whose.
        told: 32 hex digits.
        now: room time, ms.

    Returns:
        `NonceRevealed`, or nothing if it came before; or the refusals ``wrong_phase``
        before the roster is frozen, ``too_late`` once the board is drawn,
        ``not_racing`` and ``bad_nonce``.
    """
    if race.drawn:
        return [] if race.nonces.get(seat) == told else Refusal("too_late")
    if not race.locked or race.phase != "countdown":
        return Refusal("wrong_phase")
    if seat not in race.roster:
        return Refusal("not_racing")
    if nonce_commitment(race.id, seat, bytes.fromhex(told)) != race.commitments.get(
        seat
    ):
        return Refusal("bad_nonce")
    return [] if seat in race.told else [NonceRevealed(now, race.id, seat, told)]


def draw(
    race: Race,
    lines: Mapping[Seat, Latency],
    now: int,
    *,
    away: Collection[Seat] = (),
    gone: Mapping[Seat, str] = MappingProxyType({}),
) -> Decision:
    """Fix seed, board and each seat's reveal. Commit the records `COMMIT_MS` before T0.

    The board leaves for a seat half its round trip before T0, but at most
    `REVEAL_LEAD_MS`, so that it arrives everywhere at T0; for those who are away, at
    T0. With inspection it is unlocked that much later.

    Args:
        race: one whose roster is frozen.
        lines: the connections of the roster's seats; who is missing is away.
        now: room time, ms; where it is late, T0 moves.
        away: seats whose connection is lost; they start all the same.
        gone: seats whose holders are out of the room since the roster was frozen, and
            why: left or kicked.

    Returns:
        `RaceLocked`, and `RacerDisconnected` or `DidNotFinish` for the seats of `away`
        and `gone`; `RaceAborted` if nobody is left; or the refusal ``wrong_phase``.
    """
    if race.phase != "countdown" or not race.locked:
        return Refusal("wrong_phase")
    if race.drawn:
        return []
    if all(seat in gone for seat in race.roster):
        return [RaceAborted(now, race.id, "nobody_left")]
    told = {seat: text for seat, text in race.told.items() if seat not in gone}
    seed = _seed(race, told)
    t0 = race.t0 if now <= race.t0 - COMMIT_MS else now + LOCK_MS
    leads = (_lead(lines.get(seat, UNMEASURED)) for seat in race.roster)
    locked = RaceLocked(
        t=now,
        race=race.id,
        t0=t0,
        seed=seed.hex(),
        board=scramble(seed, race.size).tiles,
        roster=race.roster,
        starts=tuple(t0 - lead + race.rules.inspection_ms for lead in leads),
        nonces=tuple(told.get(seat, "") for seat in race.roster),
    )
    return [
        locked,
        *(
            RacerDisconnected(now, race.id, seat)
            for seat in race.roster
            if seat in away
        ),
        *(DidNotFinish(now, race.id, seat, gone[seat]) for seat in sorted(gone)),
    ]


def postpone_at(race: Race) -> int | None:
    """Room time at which what was decided of a start must be durable; None: nothing.

    The frozen roster: while nonces can still come (`ROSTER_MS`). The board: before
    anybody is shown it. Else ask `postpone`.
    """
    if race.phase != "countdown" or not race.locked:
        return None
    return race.t0 - (COMMIT_MS if race.drawn else ROSTER_MS)


def postpone(race: Race, now: int) -> Decision:
    """The start is not durable at `postpone_at`: T0 moves, for everybody alike.

    Asked too early or twice, it changes nothing; once the race runs it is refused.
    """
    at = postpone_at(race)
    if at is None:
        return Refusal("wrong_phase")
    return [postponed(race, now + LOCK_MS, now)] if at <= now else []


def _seed(race: Race, told: Mapping[Seat, str]) -> bytes:
    if race.known_seed:
        return bytes.fromhex(race.known_seed)
    nonces = [(seat, bytes.fromhex(text)) for seat, text in told.items()]
    return seed_of(race.id, race.size, bytes.fromhex(race.secret), nonces)


def _lead(line: Latency) -> int:
    """How long before T0 the board leaves, in ms."""
    return min(line.known.rtt_ms // 2, REVEAL_LEAD_MS)
