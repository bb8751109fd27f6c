"""Generate `start.json` and `constants.json` for the page, for `docs/generate.py`.

The page reads `start.json` at its start, and the other file together with the texts of
its other screens. A test compares them with what is generated here.
"""

import json
from collections.abc import Iterable, Mapping
from typing import get_args

from sliderace.engine.board import MAX_SIDE, MIN_SIDE
from sliderace.engine.scramble import MAX_SEAT, NONCE_BYTES, SECRET_BYTES
from sliderace.proof import canonical, reading
from sliderace.proof.record import VERSION
from sliderace.protocol import limits, names, parts, room_code, version
from sliderace.protocol.codes import CLOSE_CODES, may_reconnect
from sliderace.race import daily, ranking, rules, timing
from sliderace.race.starting import REVEAL_LEAD_MS
from sliderace.race.state import HOLD_MS, MAX_OUTAGES, RECONNECT_MS, UNDO_MS

__all__ = ["constants", "constants_file", "start_file"]

_START = ("protocol", "room_code", "name", "board")
"""What the first screens need, which must load fast."""


def constants() -> Mapping[str, Mapping[str, object]]:
    """Return the constants by subject; names say their units."""
    return {
        "protocol": {
            "version": version.VERSION,
            "subprotocol": version.SUBPROTOCOL,
            "reconnect_codes": [code for code in CLOSE_CODES if may_reconnect(code)],
        },
        "room_code": {"alphabet": room_code.ALPHABET, "length": room_code.LENGTH},
        "name": {
            "max_cells": limits.MAX_NAME_CELLS,
            "max_marks": names.MAX_MARKS,
        },
        "scripts": names.SCRIPTS,
        "board": {"min_side": MIN_SIDE, "max_side": MAX_SIDE},
        "scramble": {
            "secret_bytes": SECRET_BYTES,
            "nonce_bytes": NONCE_BYTES,
            "max_seat": MAX_SEAT,
        },
        "rules": {
            "starts": rules.STARTS,
            "ranges": rules.RANGES,
            "special": rules.SPECIAL,
            "default_limits_ms": {
                f"{width}x{height}": limit
                for (width, height), limit in rules.LIMITS_MS.items()
            },
            "grace_floor_ms": rules.GRACE_FLOOR_MS,
            "grace_factor": rules.GRACE_FACTOR,
        },
        "daily": {
            "first_day": daily.FIRST_DAY,
            "days": daily.DAYS,
            "events": daily.EVENTS,
        },
        "bots": {"levels": get_args(parts.LevelName)},
        "reactions": {
            "count": limits.REACTIONS,
            "signs": limits.REACTION_SIGNS,
            "shown_ms": limits.REACTION_MS,
        },
        "timing": {
            "rtt_ceiling_ms": timing.RTT_CEILING_MS,
            "jitter_floor_ms": timing.JITTER_FLOOR_MS,
            "jitter_ceiling_ms": timing.JITTER_CEILING_MS,
            "friendly_ms": timing.FRIENDLY_MS,
            "resend_ms": timing.RESEND_MS,
            "reconnect_ms": RECONNECT_MS,
            "hold_ms": HOLD_MS,
            "reveal_lead_ms": REVEAL_LEAD_MS,
            "undo_ms": UNDO_MS,
            "max_tps": ranking.MAX_TPS,
        },
        "record": {
            "version": VERSION,
            "max_depth": canonical.MAX_DEPTH,
            "max_slides": reading.MAX_SLIDES,
            "max_outages": MAX_OUTAGES,
            "max_text": reading.MAX_TEXT,
        },
    }


def constants_file() -> str:
    """Return the text of `constants.json`: all but those of `start.json`."""
    return _file(subject for subject in constants() if subject not in _START)


def start_file() -> str:
    """Return the text of `start.json`."""
    return _file(_START)


def _file(subjects: Iterable[str]) -> str:
    found = constants()
    lines = [
        f"  {json.dumps(name)}: {json.dumps(found[name], separators=(',', ':'))}"
        for name in subjects
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"
