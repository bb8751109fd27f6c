"""A race in which everything happens, and its record."""

import json
from hashlib import sha512
from typing import Any

from tests.race.track import T0, Track, stamped

from sliderace.race import canonical, decide
from sliderace.race.record import Player, build
from sliderace.race.records import Seat
from sliderace.race.rules import Rules
from sliderace.race.timing import Line

HONEST, LIAR, TWIN, RELOADED, SLOW, QUITTER, ABSENT = map(Seat, range(7))
NAMES = ("Ann", "Ben", "Cat", "Dan", "Eva", "Fay", "Gil")
PHONE = Line(rtt_ms=80, jitter_ms=20, samples=8)
INSPECTION_MS = 2_000
KEY = "5e" * 32


def sample_race(known_seed: str = "") -> Track:
    """Seven racers, every status, credit, a shared place, a reload."""
    rules = Rules(size="3x2", inspection_ms=INSPECTION_MS, limit_ms=600_000)
    seats = (HONEST, LIAR, TWIN, RELOADED, SLOW, QUITTER, ABSENT)
    track = Track(rules, known_seed)
    track.do(decide.begin_countdown(track.race, 0))
    track.do(decide.lock(track.race, seats, 3_800, away={ABSENT}))
    track.at(T0)
    s = T0 + INSPECTION_MS
    track.slide(SLOW, s + 500, 5)
    track.slide(QUITTER, s + 600, 2)
    track.slide(HONEST, s + 700, 2)
    track.slide(HONEST, s + 800, 2)
    track.solve(HONEST, s + 9_000, PHONE, e=8_930)
    track.solve(LIAR, s + 9_050, PHONE, e=4_000)
    track.solve(TWIN, s + 8_930)
    reload = stamped(track.way(RELOADED))
    track.do(
        decide.slides(track.race, RELOADED, 1, reload, True, s + 9_900, PHONE),
    )
    track.do(decide.forfeit(track.race, QUITTER, s + 10_000))
    track.do(decide.call_time(track.race, s + 20_000))
    return track


def sample_record(known_seed: str = "") -> dict[str, Any]:
    """The record of `sample_race`, once through JSON and back."""
    track = sample_race(known_seed)
    players = {Seat(n): Player(name, bot=n == 2) for n, name in enumerate(NAMES)}
    record = build(
        track.race, players, started_ms=1_770_000_000_000, software="sliderace 0.1.0"
    )
    loaded: dict[str, Any] = json.loads(json.dumps(record))
    assert loaded == record
    return loaded


def toy_check(key: bytes, signature: bytes, message: bytes) -> bool:
    """A signature that anybody can make: of the rules, only who is asked matters."""
    return signature == sha512(key + message).digest()


def sealed(record: object, key: str = KEY) -> dict[str, Any]:
    """The file of a record, of a lie too: who lies signs the lie."""

    def sign(message: bytes) -> bytes:
        return sha512(bytes.fromhex(key) + message).digest()

    try:
        signature = sign(canonical.encode(record)).hex()
    except canonical.NotCanonical:
        signature = "00" * 64
    return {"record": record, "key": key, "signature": signature}
