"""Stored races and their records: fetched, tabled and checked for the command line."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from http import HTTPStatus
from itertools import chain
from pathlib import Path
from textwrap import wrap
from typing import Any, cast
from urllib.parse import quote, urlsplit

from sliderace.engine import Board
from sliderace.proof import canonical
from sliderace.proof.reading import BadRecord
from sliderace.proof.record import WrittenRace, WrittenRacer
from sliderace.proof.signed import unseal
from sliderace.proof.slidysim import link_to, solve_of
from sliderace.proof.verify import Check, steps, verify
from sliderace.protocol.names import cells, clean_name
from sliderace.protocol.room_code import format_code, parse_code
from sliderace_client.net.http import Reply, Unreachable, get
from sliderace_client.net.locate import is_loopback
from sliderace_client.net.signature import check_signature
from sliderace_client.shared_ui.wording import (
    check_name,
    dnf_reason,
    duration,
    finding,
    status,
    verdict as verdict_text,
)

__all__ = [
    "Unreadable",
    "board_of",
    "check_lines",
    "load",
    "race_lines",
    "races_lines",
    "replay_of",
    "save_record",
    "slidysim_lines",
    "step_lines",
    "table",
    "verdict_of",
]


BRINGS_BACK = "sliderace serve (or host) brings its past races back"
"""What helps when a server of this machine has ended."""
RESULTS_W = 20
"""Columns that results need to be folded; the terminal folds narrower ones."""
_RACE_ID = re.compile(r"[A-Z0-9-]{1,32}")


class Unreadable(ValueError):
    """There is no such record, or it is none."""


def load(text: str, server: str) -> object:
    """The file of a race record as any JSON value.

    Args:
        text: a file, a link to a record, a race's id; or the link or the code of a
            room, which stands for its last race.
        server: whom to ask for an id or a code; empty: nobody.

    Raises:
        Unreadable: it is not there, or not the JSON that records are made of.
        Unreachable: the server cannot be reached.
    """
    path = Path(text)
    if path.is_file():
        return _parsed(_read_file(path), text)
    if "://" in text:
        parts = urlsplit(text)
        base, path_text = f"{parts.scheme}://{parts.netloc}", parts.path
        front, _, last = path_text.rstrip("/").rpartition("/")
        code = parse_code(last)
        if code is not None:
            return _last_of(base + front, code)
        return _fetched(base, path_text, text)
    if not _RACE_ID.fullmatch(text.upper()):
        raise Unreadable(f"{text}: no such file")
    if not server:
        why = "no such file, and no server to ask for a race"
        raise Unreadable(f"{text}: {why}; {BRINGS_BACK}")
    code = parse_code(text)
    if code is not None:
        return _last_of(server, code)
    return _fetched(server, f"/api/races/{quote(text.upper(), safe='')}", text)


def save_record(server: str, race: str, path: str) -> Path:
    """Fetch a race record and store it in the current folder.

    Args:
        server: base address.
        race: the race's id; it names the file, so what has no place there is dropped.
        path: of the record on the server.

    Raises:
        Unreachable: the server cannot be reached, or has no such record.
        OSError: the file cannot be written.
    """
    reply = get(server, path)
    if reply.status != HTTPStatus.OK:
        raise Unreachable("The server has no record of that race.")
    name = re.sub("[^A-Z0-9-]", "", race)[:32]
    target = Path.cwd() / f"sliderace-{name}.json"
    target.write_bytes(reply.body)
    return target


def _read_file(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror}") from None


def _asked(server: str, path: str) -> Reply:
    """Ask a server; where it was one of this machine's, say how it comes back."""
    try:
        return get(server, path)
    except Unreachable as error:
        if is_loopback(urlsplit(server).hostname or ""):
            raise Unreachable(f"{error}; {BRINGS_BACK}") from None
        raise


def _last_of(server: str, code: str) -> object:
    """The record of a room's last race."""
    races = _races(server, code)
    if not races:
        raise Unreadable(f"{server} has no race of the room {format_code(code)} yet")
    race = _word(races[0], "id")
    return _fetched(server, f"/api/races/{quote(race, safe='')}", race)


def _fetched(base: str, path: str, text: str) -> object:
    reply = _asked(base, path)
    if reply.status != 200:
        raise Unreadable(f"{base} has no race {text}")
    return _parsed(reply.body, text)


def _parsed(body: bytes, text: str) -> object:
    try:
        return canonical.decode(body)
    except canonical.NotCanonical as fault:
        why = finding("structure", fault.code, {"where": text, **fault.values})
        raise Unreadable(f"not a race record: {why}") from None


# --- Checking ------------------------------------------------------------------------


def verdict_of(checks: Sequence[Check]) -> int:
    """0 all right; 1 something is wrong; 2 something cannot be known."""
    verdicts = {check.verdict for check in checks}
    return 1 if "wrong" in verdicts else 2 if "unknown" in verdicts else 0


def check_lines(
    file: object, key: str = "", promised: str = ""
) -> tuple[list[str], int]:
    """What a re-check finds, a line for each sentence, and its verdict.

    Args:
        file: the file of a race record, as any JSON value.
        key: the key the server is known by, 64 hex digits; empty: any.
        promised: the commitment shown before the race, likewise.
    """
    checks = verify(file, check_signature, key=key, promised=promised)
    verdicts = [verdict_text(check) for check in checks]
    width = max(map(len, verdicts))
    lines: list[str] = []
    for check, verdict in zip(checks, verdicts, strict=True):
        margin = f"{verdict:{width}}  {check_name(check):10}  "
        for code, values in check.findings:
            lines.append(margin + _safe(finding(check.name, code, values)))
            margin = " " * len(margin)
    return lines, verdict_of(checks)


def board_of(file: object) -> Board:
    """The board that was raced on.

    Raises:
        Unreadable: it is no record.
    """
    return _read(file).board


def _read(file: object) -> WrittenRace:
    try:
        return unseal(file).race
    except BadRecord as fault:
        why = _safe(finding("structure", fault.code, fault.values))
        raise Unreadable(f"not a race record: {why}") from None


def step_lines(file: object) -> Iterator[str]:
    """Every racer's way through the board, move by move.

    Raises:
        Unreadable: it is no record.
    """
    race = _read(file)
    for racer in race.racers:
        yield f"seat {racer.seat}: {_name(racer.name)}"
        for step in steps(race.board, racer):
            slide = step.slide or "scramble"
            yield f"{step.n:6}  {duration(step.ms):>10}  {slide:8}  {step.board}"


# --- Tables --------------------------------------------------------------------------


def races_lines(server: str, room: str = "", width: int = 0) -> list[str]:
    """The stored races of a server, the latest first.

    Args:
        server: base address.
        room: only this room's.
        width: columns there are, if that can be told: results go on below themselves.

    Raises:
        Unreadable: the server does not answer as one of ours would.
        Unreachable: it cannot be reached.
    """
    races = _races(server, room)
    if not races:
        return ["No races yet."]
    rows = [["when", "race", "size", "results"]]
    rows += [
        [_when(race), _word(race, "id"), _word(race, "size"), _summary(race)]
        for race in races
    ]
    head, *lines = table(rows)
    margin = head.index("results")
    if width < margin + RESULTS_W:
        return [head, *lines]
    folded = (
        wrap(line, width, subsequent_indent=" " * margin, break_on_hyphens=False)
        for line in lines
    )
    return [head, *chain.from_iterable(folded)]


def _races(server: str, room: str) -> list[dict[str, Any]]:
    """What a server tells of its races, or of a room's; the latest first."""
    reply = _asked(server, f"/api/races?room={room}" if room else "/api/races")
    body = reply.json()
    if reply.status != HTTPStatus.OK or not isinstance(body, dict):
        raise Unreadable(f"{server} does not tell its races")
    return _list(cast("dict[str, Any]", body), "races")


def race_lines(file: object) -> list[str]:
    """The results of one race.

    Raises:
        Unreadable: it is no record.
    """
    race = _read(file)
    rows = [["place", "name", "time", "moves", "progress", ""]]
    for racer in race.racers:
        finish = racer.finish
        rows.append(
            [
                str(racer.place or "-"),
                _name(racer.name) + (" (bot)" if racer.bot else ""),
                duration(finish.official_ms) if finish else status(racer.status),
                str(racer.stm),
                f"{racer.high // 10} %",
                _remark(racer),
            ]
        )
    known = ", seed known in advance" if race.seed_known else ""
    friendly = ", friendly timing" if race.rules.friendly_timing else ""
    return [f"{race.race}, {race.rules.size}{known}{friendly}", "", *table(rows)]


def replay_of(file: object, server: str) -> str:
    """Where a browser shows the race again.

    Args:
        file: the file of a race record, as any JSON value.
        server: base address of the server that has it.

    Raises:
        Unreadable: it is no record.
    """
    return f"{server.rstrip('/')}/replay/{_read(file).race}"


def slidysim_lines(file: object) -> list[str]:
    """A link for each solve: it opens in slidysim's public replay viewer.

    Raises:
        Unreadable: it is no record.
    """
    race = _read(file)
    return [
        f"{_name(racer.name)}: {link_to(solve_of(race.board, racer.slides, finish))}"
        for racer in race.racers
        if (finish := racer.finish)
    ]


def _remark(racer: WrittenRacer) -> str:
    finish = racer.finish
    if finish is None:
        return dnf_reason(racer.why)
    photo = ["photo finish"] if finish.photo else []
    outage = [f"{finish.outage_ms} ms for an outage"] if finish.outage_ms else []
    return ", ".join(photo + outage)


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns aligned by what terminals show, not by characters."""
    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            text + " " * (width - cells(text))
            for text, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    ]


def _when(race: Mapping[str, Any]) -> str:
    started = race.get("started_ms")
    try:
        moment = datetime.fromtimestamp(int(started or 0) / 1000).astimezone()
    except (ValueError, TypeError, OverflowError, OSError):
        return "?"
    return f"{moment:%Y-%m-%d %H:%M}"


def _summary(race: Mapping[str, Any]) -> str:
    return ", ".join(map(_attempt, _list(race, "attempts")))


def _attempt(row: Mapping[str, Any]) -> str:
    name, time = _word(row, "name"), row.get("time_ms")
    name += " (bot)" if row.get("bot") is True else ""
    if isinstance(time, int):
        return f"{row.get('place') or '-'}. {name} {duration(time)}"
    return f"{name} {status(_word(row, 'status'))}"


def _list(value: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """The objects in a list of a stranger's JSON."""
    found: Any = value.get(key)
    try:
        return [row for row in found if isinstance(row, dict)]
    except TypeError:  # no list at all
        return []


def _word(value: Mapping[str, Any], key: str) -> str:
    return _name(str(value.get(key, "")))


def _name(text: str) -> str:
    return clean_name(text) or "?"


def _safe(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text)
