"""Races in which as much as possible happens, and their race records."""

import json
from hashlib import sha512
from typing import Any

from tests.race.track import RACE_ID, SECRET, T0, Track, stamped

from sliderace.engine import nonce_commitment
from sliderace.proof import canonical
from sliderace.proof.record import Player, build
from sliderace.race import decide
from sliderace.race.apply import recovered
from sliderace.race.daily import anchor_of, daily_seed, parse_date
from sliderace.race.log_records import Seat
from sliderace.race.rules import Rules
from sliderace.race.state import FREEZE_MS, NONCE_DEADLINE_MS
from sliderace.race.timing import Latency

SEATS = tuple(map(Seat, range(7)))
HONEST, LIAR, TWIN, RELOADED, SLOW, QUITTER, ABSENT = SEATS
NAMES = ("Ann", "Ben", "Cat", "Dan", "Eva", "Fay", "Gil")
PHONE = Latency(rtt_ms=80, jitter_ms=20, samples=8)
INSPECTION_MS = 2_000
DOWN_MS, UP_MS, BACK_MS = 3_000, 3_400, 3_900
KEY = "5e" * 32
DAILY_DAY = parse_date("2026-11-30")
ANCHOR = anchor_of(SECRET, "3x3", DAILY_DAY).hex()
"""Of `daily_record`."""


def sample_race(known_seed: str = "", *, friendly: bool = False) -> Track:
    """Return a race with every status, credit, a shared place, a reload, an outage."""
    rules = Rules(
        size="3x2",
        inspection_ms=INSPECTION_MS,
        limit_ms=600_000,
        friendly_timing=friendly,
    )
    track = Track(rules, known_seed)
    track.do(decide.begin_countdown(track.race, 0))
    _draw(track)
    track.at(T0)
    s = {seat: attempt.unlocks_at for seat, attempt in track.race.attempts.items()}
    track.slide(SLOW, s[SLOW] + 500, 5)
    track.slide(QUITTER, s[QUITTER] + 600, 2)
    track.slide(HONEST, s[HONEST] + 700, 2)
    _fail(track, s[SLOW])
    track.slide(TWIN, s[TWIN] + 4_000)
    track.slide(HONEST, s[HONEST] + 4_100, 2)
    track.slide(LIAR, s[LIAR] + 4_200)
    track.solve(TWIN, s[TWIN] + 8_930, e=8_930)
    track.solve(HONEST, s[HONEST] + 9_000, PHONE, e=8_930)
    track.solve(LIAR, s[LIAR] + 9_050, PHONE, e=4_000)
    reload = stamped(track.solution(RELOADED))
    arrival = s[RELOADED] + 12_000
    track.do(
        decide.slides(track.race, RELOADED, 1, reload, True, arrival, lambda: PHONE)
    )
    track.do(decide.forfeit(track.race, QUITTER, s[SLOW] + 13_000))
    track.do(decide.call_time(track.race, s[SLOW] + 20_000))
    return track


def _draw(track: Track) -> None:
    """Draw the board: three racers contribute, one is silent, three have no nonce."""
    nonces = {seat: bytes([65 + seat]) * 16 for seat in (HONEST, LIAR, TWIN, RELOADED)}
    bound = {
        seat: nonce_commitment(RACE_ID, seat, nonces[seat]) if seat in nonces else ""
        for seat in SEATS
    }
    track.do(decide.freeze_roster(track.race, bound, T0 - FREEZE_MS))
    if not track.race.known_seed:
        for seat in (HONEST, LIAR, RELOADED):
            nonce = nonces[seat].hex()
            track.do(decide.reveal_nonce(track.race, seat, nonce, T0 - FREEZE_MS))
    latencies = dict.fromkeys((HONEST, LIAR, RELOADED), PHONE)
    track.do(
        decide.draw_board(track.race, latencies, T0 - NONCE_DEADLINE_MS, away={ABSENT})
    )


def _fail(track: Track, start: int) -> None:
    """Let the server fail for 400 ms; most racers are back half a second later."""
    recovered(track.race, start + DOWN_MS, start + UP_MS)
    for seat in (HONEST, LIAR, TWIN, RELOADED, QUITTER):
        track.do(decide.reconnected(track.race, seat, start + BACK_MS))


def sample_record(known_seed: str = "", *, friendly: bool = False) -> dict[str, Any]:
    """Return the record of `sample_race`, through JSON and back."""
    return _record(sample_race(known_seed, friendly=friendly))


def limits_record() -> dict[str, Any]:
    """Return the record of a race in which every deadline ends somebody's attempt.

    Ann wins, Ben is late by the time limit and Cat by the grace time; Dan loses the
    connection, Eva leaves, Fay never comes.
    """
    ann, ben, cat, dan, eva, fay = SEATS[:6]
    rules = Rules(size="3x2", limit_ms=10_000, grace_ms=1_950, away_ms=5_000)
    track = Track(rules).draw(*SEATS[:6], latencies={ben: Latency(200, 5, 8)})
    track.do(decide.disconnected(track.race, fay, T0 - 500))
    track.at(T0)
    for seat in (ben, cat, dan):
        track.slide(seat, T0 + 700 + seat)
    track.do(decide.disconnected(track.race, dan, T0 + 1_000))
    track.do(decide.leave(track.race, eva, "left", T0 + 2_000))
    track.at(T0 + 6_500)
    track.solve(ann, T0 + 8_000)
    track.at(T0 + 9_950)
    return _record(track)


def finished_record() -> dict[str, Any]:
    """Return the record of a race of two that both finish."""
    track = Track(Rules(size="2x2", grace_ms=0)).start(*SEATS[:2])
    track.slide(SEATS[1], T0 + 50)
    track.solve(SEATS[0], T0 + 1_900)
    track.solve(SEATS[1], T0 + 2_000)
    return _record(track)


def daily_record() -> dict[str, Any]:
    """Return the record of a daily race; its secret is that of the track."""
    seed = daily_seed(SECRET, "3x3", DAILY_DAY).hex()
    track = Track(Rules(size="3x3"), seed).start(SEATS[0])
    track.slide(SEATS[0], T0 + 700, 2)
    track.solve(SEATS[0], T0 + 9_000)
    return _record(track, DAILY_DAY)


def _record(track: Track, day: int = 0) -> dict[str, Any]:
    """Return the record of a race, converted to JSON and back."""
    players = {Seat(n): Player(name, bot=n == 2) for n, name in enumerate(NAMES)}
    record = build(
        track.race,
        players,
        started_ms=1_770_000_000_000,
        software="sliderace 0.1.0",
        day=day,
    )
    loaded: dict[str, Any] = json.loads(json.dumps(record))
    assert loaded == record
    return loaded


def toy_check(key: bytes, signature: bytes, message: bytes) -> bool:
    """Check a toy signature, which needs no private key."""
    return signature == sha512(key + message).digest()


def sealed(record: object, key: str = KEY) -> dict[str, Any]:
    """Return the signed file of a record, even of a false one."""

    def sign(message: bytes) -> bytes:
        return sha512(bytes.fromhex(key) + message).digest()

    try:
        signature = sign(canonical.encode(record)).hex()
    except canonical.NotCanonical:
        signature = "00" * 64
    return {"record": record, "key": key, "signature": signature}
