"""Parse a race record strictly from any JSON value.

Only the form is checked here, field by field: every field is present, has its type and
is within its range. `sliderace.proof.verify` checks whether the content is true.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Collection
from dataclasses import MISSING, Field, fields
from typing import TYPE_CHECKING, Any, TypeVar, cast

from sliderace.engine import (
    DIRECTIONS,
    Board,
    EngineError,
    format_board,
    parse_board,
)
from sliderace.engine.board import MAX_SIDE, MIN_SIDE
from sliderace.engine.scramble import MAX_SEAT
from sliderace.proof.canonical import MAX_INTEGER
from sliderace.proof.record import (
    FORMAT,
    VERSION,
    Outages,
    WrittenDaily,
    WrittenFinish,
    WrittenRace,
    WrittenRacer,
    WrittenSlide,
)
from sliderace.race.daily import EVENTS, FIRST_DAY, LAST_DAY, date_text, parse_date
from sliderace.race.log_records import Seat
from sliderace.race.rules import RANGES, SPECIAL, STARTS, Rules, RulesError
from sliderace.race.starting import REVEAL_LEAD_MS
from sliderace.race.state import MAX_OUTAGES, Status

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

__all__ = ["MAX_INTEGER", "MAX_SLIDES", "BadRecord", "read", "shown"]

MAX_SLIDES = 100_000
"""Per racer, five times the server's limit, so that no record exhausts its reader."""
MAX_TEXT = 100
MAX_SHOWN = 40
"""Characters of a value at fault."""

_ENDED: tuple[Status, ...] = ("finished", "dnf", "forfeited", "dns")
_SWITCHES = [rule.name for rule in fields(Rules) if isinstance(rule.default, bool)]
_REASONS = ("", "limit", "grace", "away", "left", "kicked", "called")
HASH_DIGITS, NONCE_DIGITS = 64, 32

T = TypeVar("T")


class BadRecord(ValueError):
    """Not a race record of this version.

    Attributes:
        where: path of the field at fault, such as ``record.racers[3].seat``.
        code: the fault; the catalogue words it as `check.structure.CODE`.
        values: the placeholders of that text, `where` included.
    """

    def __init__(self, where: str, code: str, **values: int | str) -> None:
        super().__init__(where, code, values)
        self.where = where
        self.code = code
        self.values: dict[str, int | str] = {"where": where, **values}


def read(value: object) -> WrittenRace:
    """Parse a record; its form is right if this returns.

    Args:
        value: anything a JSON reader can return.

    Raises:
        BadRecord: a field is missing, unknown, of the wrong type or out of range; or
            a later version than this one wrote the record, whatever it contains.
    """
    _check_version(value)
    take = _Fields(value, "record", *_names(WrittenRace))
    race = WrittenRace(
        format=take.one_of("format", (FORMAT,)),
        version=take.one_of("version", (VERSION,)),
        software=take.text("software"),
        race=take.race_id("race"),
        started_ms=take.integer("started_ms"),
        ended_ms=take.integer("ended_ms"),
        rules=_rules(take["rules"]),
        seed_known=take.boolean("seed_known"),
        commitment=take.digits("commitment", HASH_DIGITS),
        secret=take.maybe("secret", lambda: take.digits("secret", HASH_DIGITS)),
        seed=take.digits("seed", HASH_DIGITS),
        board=_board(take.string("board")),
        outages=_outages(take, "record.outages"),
        racers=tuple(
            _racer(one, f"record.racers[{n}]")
            for n, one in enumerate(take.items("racers", MAX_SEAT + 1))
        ),
        daily=_daily(take["daily"]) if "daily" in take else None,
        redacted="redacted" in take and take.one_of("redacted", (True,)),
    )
    if race.seed_known != (race.secret is None):
        raise BadRecord("record.secret", "secret_mismatch")
    if str(race.board.size) != race.rules.size:
        raise BadRecord("record.board", "wrong_size", size=race.rules.size)
    if len({racer.seat for racer in race.racers}) < len(race.racers):
        raise BadRecord("record.racers", "duplicate_seat")
    if race.daily:
        if not race.seed_known:
            raise BadRecord("record.seed_known", "daily_seed")
        if race.rules.size not in EVENTS:
            value, allowed = shown(race.rules.size), ", ".join(map(shown, EVENTS))
            where, code = "record.rules.size", "unknown_value"
            raise BadRecord(where, code, value=value, allowed=allowed)
    return race


def _check_version(value: object) -> None:
    """Refuse a later version by name: its fields may be others."""
    if not isinstance(value, dict):
        return
    version = cast("dict[object, object]", value).get("version")
    if type(version) is int and version > VERSION:
        raise BadRecord(
            "record.version", "newer_version", version=version, known=VERSION
        )


def _daily(value: object) -> WrittenDaily:
    take = _Fields(value, "record.daily", *_names(WrittenDaily))
    return WrittenDaily(
        date=take.date("date"),
        secret=take.digits("secret", HASH_DIGITS),
    )


def _racer(value: object, where: str) -> WrittenRacer:
    take = _Fields(value, where, *_names(WrittenRacer))
    return WrittenRacer(
        seat=Seat(take.integer("seat", 0, MAX_SEAT)),
        name=take.text("name"),
        bot=take.boolean("bot"),
        nonce_commitment=take.maybe(
            "nonce_commitment", lambda: take.digits("nonce_commitment", HASH_DIGITS)
        ),
        nonce=take.maybe("nonce", lambda: take.digits("nonce", NONCE_DIGITS)),
        lead_ms=take.integer("lead_ms", 0, REVEAL_LEAD_MS),
        status=take.one_of("status", _ENDED),
        why=take.one_of("why", _REASONS),
        place=take.maybe("place", lambda: take.integer("place", 1, MAX_SEAT + 1)),
        finish=take.maybe("finish", lambda: _finish(take["finish"], f"{where}.finish")),
        stm=take.integer("stm"),
        mtm=take.integer("mtm"),
        high=take.integer("high", 0, 1000),
        high_ms=take.integer("high_ms"),
        approx=take.boolean("approx"),
        outages=_outages(take, f"{where}.outages"),
        slides=tuple(
            _slide(one, f"{where}.slides[{n}]")
            for n, one in enumerate(take.items("slides", MAX_SLIDES))
        ),
    )


def _finish(value: object, where: str) -> WrittenFinish:
    take = _Fields(value, where, *_names(WrittenFinish))
    return WrittenFinish(
        g_ms=take.integer("g_ms"),
        e_ms=take.maybe("e_ms", lambda: take.integer("e_ms")),
        rtt_ms=take.integer("rtt_ms"),
        jitter_ms=take.integer("jitter_ms"),
        outage_ms=take.integer("outage_ms"),
        official_ms=take.integer("official_ms"),
        credit_ms=take.integer("credit_ms"),
        solve_ms=take.integer("solve_ms"),
        photo=take.boolean("photo"),
    )


def _outages(take: "_Fields", where: str) -> Outages:
    return tuple(
        _outage(one, f"{where}[{n}]")
        for n, one in enumerate(take.items("outages", MAX_OUTAGES))
    )


def _outage(value: object, where: str) -> tuple[int, int]:
    take = _parts(value, where, ("from_ms", "until_ms"))
    return take.integer("from_ms"), take.integer("until_ms")


def _slide(value: object, where: str) -> WrittenSlide:
    take = _parts(value, where, WrittenSlide._fields)
    return WrittenSlide(
        direction=take.one_of("direction", DIRECTIONS),
        tiles=take.integer("tiles", 1, MAX_SIDE - 1),
        stamp_ms=take.integer("stamp_ms"),
        received_ms=take.integer("received_ms"),
    )


def _rules(value: object) -> Rules:
    take = _Fields(value, "record.rules", [rule.name for rule in fields(Rules)])
    values: dict[str, Any] = {name: take.boolean(name) for name in _SWITCHES}
    values |= {name: take.integer(name, -1) for name in RANGES}
    try:
        return Rules(
            size=take.text("size"),
            start=take.one_of("start", STARTS),
            **values,
        )
    except RulesError as fault:
        allowed = _allowed(fault.field)
        where, value = f"record.rules.{fault.field}", shown(fault.value)
        code = "out_of_range"
        raise BadRecord(where, code, value=value, allowed=allowed) from None


def _allowed(rule: str) -> str:
    """Return the values that a rule can have, as `10 ... 20, -1`."""
    if rule == "size":
        return f"{MIN_SIDE}x{MIN_SIDE} ... {MAX_SIDE}x{MAX_SIDE}"
    low, high = RANGES[rule]
    return ", ".join([f"{low} ... {high}", *map(str, SPECIAL.get(rule, ()))])


def shown(value: object) -> str:
    """Return a value for a person, shortened: JSON, without what is inside."""
    match value:
        case dict():
            return "{...}"
        case list():
            return "[...]"
        case int() if abs(value) > MAX_INTEGER:
            return "..."  # Python itself refuses to write very long ones
        case _:
            text = json.dumps(value, ensure_ascii=False, default=repr)
            return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."


def _board(text: str) -> Board:
    try:
        board = parse_board(text)
    except EngineError:
        board = None
    if board is None or format_board(board) != text:
        raise BadRecord("record.board", "not_board", value=shown(text))
    return board


def _parts(value: object, where: str, names: tuple[str, ...]) -> "_Fields":
    """Return the items of a fixed-length list, as fields with these names."""
    if not isinstance(value, list):
        raise BadRecord(where, "not_list")
    parts = cast("list[object]", value)
    if len(parts) != len(names):
        raise BadRecord(where, "wrong_length", length=len(names))
    return _Fields(dict(zip(names, parts, strict=True)), where, names)


def _names(of: "type[DataclassInstance]") -> tuple[list[str], list[str]]:
    """Return the required and the optional fields."""
    known: tuple[Field[Any], ...] = fields(of)
    required = [field.name for field in known if field.default is MISSING]
    return required, [field.name for field in known if field.name not in required]


class _Fields:
    """An object with exactly these fields; each getter checks its field's type."""

    def __init__(
        self,
        value: object,
        where: str,
        names: Collection[str],
        optional: Collection[str] = (),
    ) -> None:
        if not isinstance(value, dict):
            raise BadRecord(where, "not_object")
        self._fields = cast("dict[object, object]", value)
        self._where = where
        for name in names:
            if name not in self._fields:
                raise BadRecord(f"{where}.{name}", "missing")
        there = sum(name in self._fields for name in optional)
        if len(self._fields) > len(names) + there:
            raise BadRecord(where, "unknown_fields")

    def __contains__(self, name: str) -> bool:
        return name in self._fields

    def __getitem__(self, name: str) -> object:
        return self._fields[name]

    def _fault(self, name: str, code: str, **values: int | str) -> BadRecord:
        value = shown(self._fields[name])
        return BadRecord(f"{self._where}.{name}", code, value=value, **values)

    def maybe(self, name: str, take: Callable[[], T]) -> T | None:
        return None if self[name] is None else take()

    def integer(self, name: str, low: int = 0, high: int = MAX_INTEGER) -> int:
        value = self[name]
        if type(value) is not int or not low <= value <= high:
            raise self._fault(name, "not_integer", low=low, high=high)
        return value

    def boolean(self, name: str) -> bool:
        value = self[name]
        if type(value) is not bool:
            raise self._fault(name, "not_boolean")
        return value

    def string(self, name: str) -> str:
        value = self[name]
        if not isinstance(value, str):
            raise self._fault(name, "not_string")
        return value

    def text(self, name: str) -> str:
        value = self.string(name)
        if len(value) > MAX_TEXT or any(map(_invisible, value)):
            raise self._fault(name, "not_line")
        return value

    def date(self, name: str) -> str:
        value = self.string(name)
        try:
            day = parse_date(value)
        except ValueError:
            day = 0
        if not FIRST_DAY <= day <= LAST_DAY:
            allowed = f"{date_text(FIRST_DAY)} ... {date_text(LAST_DAY)}"
            raise self._fault(name, "out_of_range", allowed=allowed)
        return value

    def digits(self, name: str, count: int) -> str:
        value = self.string(name)
        if not re.fullmatch(f"[0-9a-f]{{{count}}}", value):
            raise self._fault(name, "not_hex", count=count)
        return value

    def race_id(self, name: str) -> str:
        value = self.string(name)
        if not re.fullmatch(r"[A-Z0-9-]{1,32}", value):
            raise self._fault(name, "not_race_id")
        return value

    def one_of(self, name: str, known: Collection[T]) -> T:
        value = self[name]
        for one in known:
            if type(value) is type(one) and value == one:
                return one
        allowed = ", ".join(map(shown, known))
        raise self._fault(name, "unknown_value", allowed=allowed)

    def items(self, name: str, most: int) -> list[object]:
        value = self[name]
        where = f"{self._where}.{name}"
        if not isinstance(value, list):
            raise BadRecord(where, "not_list")
        items = cast("list[object]", value)
        if len(items) > most:
            raise BadRecord(where, "too_long", most=most)
        return items


def _invisible(char: str) -> bool:
    """Whether this is a control, format or surrogate character, or a line break."""
    return unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
