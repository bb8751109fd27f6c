"""From the lobby to the start: countdown, roster, nonces and the draw of the board.

The order of these steps makes the draw fair: everyone who contributes to the seed has
made their choice before they learn what the others contribute.

1. `create_race`: the server commits to its secret before anybody is ready.
2. Players' clients commit to nonces when they declare themselves ready.
3. `begin_countdown` sets T0. Until the freeze, `stop_countdown` returns to the lobby.
4. `freeze_roster`, at T0 - `FREEZE_MS`: roster and commitments are fixed.
5. `reveal_nonce`: each client reveals its nonce; late ones are left out.
6. `draw_board`, when all nonces are known or at T0 - `NONCE_DEADLINE_MS`: seed and
   board are fixed, and so is the moment at which each racer is sent the board.
7. T0. If the records of step 4 or 6 are not stored in time, `postpone` moves T0: a
   board that somebody has seen must not be lost.

`sliderace.race.decide` re-exports these functions and states what they return.
"""

from collections.abc import Collection, Mapping
from types import MappingProxyType

from sliderace.engine import Size, commitment, nonce_commitment, scramble, seed_of
from sliderace.race.deadlines import postponement
from sliderace.race.log_records import (
    BoardDrawn,
    CountdownBegan,
    CountdownStopped,
    DidNotFinish,
    NonceRevealed,
    RaceAborted,
    RaceCreated,
    RacerDisconnected,
    RaceRecord,
    RosterFrozen,
    Seat,
)
from sliderace.race.refusal import Refusal
from sliderace.race.rules import Rules
from sliderace.race.state import BOARD_DURABLE_MS, FREEZE_MS, ROSTER_DURABLE_MS, Race
from sliderace.race.timing import UNMEASURED, Latency

__all__ = [
    "REVEAL_LEAD_MS",
    "Decision",
    "abort",
    "begin_countdown",
    "create_race",
    "draw_board",
    "freeze_roster",
    "postpone",
    "postpone_at",
    "reveal_nonce",
    "stop_countdown",
]

REVEAL_LEAD_MS = 100
"""No normal connection needs longer in one direction, and a faked longer round trip
does not reveal the board any earlier."""

Decision = list[RaceRecord] | Refusal


def create_race(
    race_id: str, rules: Rules, secret: bytes, now: int, known_seed: str = ""
) -> RaceCreated:
    """Return the record of a new race. Store it before you show its commitment.

    Args:
        race_id: 1 ... 32 of ``A-Z 0-9 -``.
        rules: the rules of the race.
        secret: S, 32 random bytes.
        now: room time, ms.
        known_seed: 64 hex digits of a seed given in advance; such a race makes no claim
            of fairness.

    Raises:
        BadSeed: the race id or the secret is malformed.
    """
    committed = commitment(race_id, Size.parse(rules.size), secret)
    return RaceCreated(now, race_id, rules, secret.hex(), committed, known_seed)


def begin_countdown(race: Race, now: int) -> Decision:
    """Begin the countdown. `freeze_roster` decides later who races."""
    match race.phase:
        case "lobby":
            return [CountdownBegan(now, race.id, now + race.rules.countdown_ms)]
        case "countdown":
            return []
        case _:
            return Refusal("wrong_phase")


def stop_countdown(race: Race, why: str, now: int) -> Decision:
    """Return to the lobby; possible until the roster is frozen. See also `abort`."""
    match race.phase:
        case "lobby":
            return []
        case "countdown" if not race.frozen:
            return [CountdownStopped(now, race.id, why)]
        case _:
            return Refusal("wrong_phase")


def abort(race: Race, now: int, why: str = "host") -> Decision:
    """Cancel the countdown or the race.

    Before the freeze this only stops the countdown. Later the race is aborted for good,
    since its board may have been seen.
    """
    match race.phase:
        case "lobby" | "aborted":
            return []
        case "countdown" if not race.frozen:
            return [CountdownStopped(now, race.id, why)]
        case "countdown" | "racing" | "grace":
            return [RaceAborted(now, race.id, why)]
        case _:
            return Refusal("wrong_phase")


def freeze_roster(race: Race, commitments: Mapping[Seat, str], now: int) -> Decision:
    """Fix who races and which nonces can go into the seed.

    Args:
        race: a race in its countdown.
        commitments: seat that races -> commitment to its nonce, empty if there is none.
        now: room time, ms; if it is late, T0 moves so that nonces can arrive.

    Returns:
        `RosterFrozen`; or the refusals ``wrong_phase`` and ``nobody_ready``.
    """
    if race.phase != "countdown":
        return Refusal("wrong_phase")
    if race.frozen:
        return []
    if not commitments:
        return Refusal("nobody_ready")
    roster = tuple(sorted(commitments))
    bound = tuple("" if race.known_seed else commitments[seat] for seat in roster)
    t0 = race.t0 if now <= race.t0 - ROSTER_DURABLE_MS else now + FREEZE_MS
    return [RosterFrozen(now, race.id, t0, roster, bound)]


def reveal_nonce(race: Race, seat: Seat, nonce: str, now: int) -> Decision:
    """Accept a seat's nonce after the freeze.

    Args:
        race: the race.
        seat: whose nonce.
        nonce: 32 hex digits.
        now: room time, ms.

    Returns:
        `NonceRevealed`, or nothing if it is known already; or the refusals
        ``wrong_phase`` before the freeze, ``too_late`` after the draw, ``not_racing``
        and ``bad_nonce``.
    """
    if race.drawn:
        return [] if race.nonces.get(seat) == nonce else Refusal("too_late")
    if not race.frozen or race.phase != "countdown":
        return Refusal("wrong_phase")
    if seat not in race.roster:
        return Refusal("not_racing")
    committed = nonce_commitment(race.id, seat, bytes.fromhex(nonce))
    if committed != race.commitments.get(seat):
        return Refusal("bad_nonce", "nonce", nonce)
    return [] if seat in race.revealed else [NonceRevealed(now, race.id, seat, nonce)]


def draw_board(
    race: Race,
    latencies: Mapping[Seat, Latency],
    now: int,
    *,
    away: Collection[Seat] = (),
    gone: Mapping[Seat, str] = MappingProxyType({}),
) -> Decision:
    """Fix the seed, the board, and when each racer is sent the board.

    A racer is sent the board half their round trip before T0, but at most
    `REVEAL_LEAD_MS`, so that it arrives everywhere at T0; a racer who is away, at T0.
    With inspection it is unlocked that much later.

    Args:
        race: a race whose roster is frozen.
        latencies: seat -> latency, of the connected seats of the roster.
        now: room time, ms; if it is too late to store the board in time, T0 moves.
        away: seats whose connection is lost; they start anyway.
        gone: seats whose racers left the room since the freeze -> reason, ``left`` or
            ``kicked``.

    Returns:
        `BoardDrawn`, and `RacerDisconnected` or `DidNotFinish` for the seats of `away`
        and `gone`; `RaceAborted` if nobody is left; or the refusal ``wrong_phase``.
    """
    if race.phase != "countdown" or not race.frozen:
        return Refusal("wrong_phase")
    if race.drawn:
        return []
    if all(seat in gone for seat in race.roster):
        return [RaceAborted(now, race.id, "nobody_left")]
    nonces = {seat: text for seat, text in race.revealed.items() if seat not in gone}
    seed = _seed(race, nonces)
    t0 = race.t0 if now <= race.t0 - BOARD_DURABLE_MS else now + FREEZE_MS
    leads = (_lead(latencies.get(seat, UNMEASURED)) for seat in race.roster)
    drawn = BoardDrawn(
        t=now,
        race=race.id,
        t0=t0,
        seed=seed.hex(),
        board=scramble(seed, race.size).tiles,
        roster=race.roster,
        starts=tuple(t0 - lead + race.rules.inspection_ms for lead in leads),
        nonces=tuple(nonces.get(seat, "") for seat in race.roster),
    )
    return [
        drawn,
        *(
            RacerDisconnected(now, race.id, seat)
            for seat in race.roster
            if seat in away
        ),
        *(DidNotFinish(now, race.id, seat, gone[seat]) for seat in sorted(gone)),
    ]


def postpone_at(race: Race) -> int | None:
    """Return when the latest step towards the start must be stored; None: no step yet.

    The roster must be stored while nonces can still arrive, the board before anybody is
    shown it. If it is not stored by then, call `postpone`.
    """
    if race.phase != "countdown" or not race.frozen:
        return None
    return race.t0 - (BOARD_DURABLE_MS if race.drawn else ROSTER_DURABLE_MS)


def postpone(race: Race, now: int) -> Decision:
    """Move T0, because `postpone_at` has passed and the decision is not stored.

    Too early or repeated, this changes nothing; once the race runs it is refused.
    """
    at = postpone_at(race)
    if at is None:
        return Refusal("wrong_phase")
    return [postponement(race, now + FREEZE_MS, now)] if at <= now else []


def _seed(race: Race, nonces: Mapping[Seat, str]) -> bytes:
    if race.known_seed:
        return bytes.fromhex(race.known_seed)
    used = [(seat, bytes.fromhex(text)) for seat, text in nonces.items()]
    return seed_of(race.id, race.size, bytes.fromhex(race.secret), used)


def _lead(latency: Latency) -> int:
    """Return how long before T0 the board is sent, in ms."""
    return min(latency.effective.rtt_ms // 2, REVEAL_LEAD_MS)
