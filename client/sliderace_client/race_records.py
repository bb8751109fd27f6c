"""Stored races and race records: fetched, checked and tabulated for a terminal.

An empty server address stands for this machine's own server. While it does not run,
its races are read from its file.
"""

import errno
import os
import re
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from http import HTTPStatus
from itertools import chain
from pathlib import Path
from textwrap import wrap
from typing import Any, NamedTuple, TextIO, cast
from urllib.parse import quote

from sliderace.engine import Board
from sliderace.proof import canonical
from sliderace.proof.reading import BadRecord
from sliderace.proof.record import WrittenRace, WrittenRacer
from sliderace.proof.signed import unseal
from sliderace.proof.slidysim import link_to, solve_of
from sliderace.proof.verify import Check, steps, verify
from sliderace.protocol.names import cells, clean_name
from sliderace.protocol.room_code import format_code
from sliderace.texts import text
from sliderace_client.net.http import MAX_BYTES, Reply, Unreachable, get
from sliderace_client.net.locate import (
    NotFound,
    is_own,
    operator_token,
    read as read_place,
    server_address,
)
from sliderace_client.net.signature import check_signature
from sliderace_client.own_profile import own_secret
from sliderace_client.shared_ui.wording import (
    check_name,
    dnf_reason,
    duration,
    finding,
    named,
    status,
    verdict,
)
from sliderace_client.stored_races import FileUnreadable, stored

__all__ = [
    "ListedRace",
    "PastRaces",
    "Unreadable",
    "board_of",
    "check_lines",
    "is_in_file",
    "listed_races",
    "load",
    "race_lines",
    "race_of",
    "races_lines",
    "replay_of",
    "save_record",
    "slidysim_lines",
    "step_lines",
    "table",
    "verdict_of",
]


STDIN = "-"
RESULTS_W = 20
"""Columns needed to fold results; on a narrower screen the terminal folds them."""


class Unreadable(ValueError):
    """The race record is missing or invalid; the message is for the user."""


# --- Loading -------------------------------------------------------------------------


def is_in_file(what: str) -> bool:
    """Return whether `load` reads a file or standard input for this."""
    is_path = what.endswith(".json") and "://" not in what
    return what == STDIN or is_path or _is_file(what)


def load(what: str, server: str) -> object:
    """Return the file of a race record as any JSON value.

    Args:
        what: a file, ``-`` for standard input, or what names a race or a room; see
            `sliderace_client.net.locate.read`. A room stands for its last race.
        server: where to ask if `what` does not say it; empty: this machine's.

    Raises:
        Unreadable: it is not there, longer than any record (`MAX_BYTES`), or not the
            JSON that records are made of.
        NotFound: `server` is not an address.
        Unreachable: the server cannot be reached.
    """
    if what == STDIN:
        return _parsed(_read_stdin(), text("race_record.stdin"))
    if _is_file(what):
        return _parsed(_read_file(what), what)
    try:
        place = read_place(what)
    except NotFound:
        return _parsed(_read_file(what), what)  # it says why there is none
    if not place.code:
        if "://" in what:
            return _fetch(place.server, "", what)
        return _parsed(_read_file(what), what)
    base = place.server or (server and server_address(server))
    return _race(base, place.race or _last_race(base, place.code))


def save_record(server: str, race: str, path: str) -> Path:
    """Fetch a race record and store it in the current folder.

    Args:
        server: base address.
        race: the race's id; it names the file, without characters that do not belong
            there.
        path: of the record on the server.

    Raises:
        Unreachable: the server cannot be reached, or has no such record.
        OSError: the file cannot be written.
    """
    reply = get(server, path, token=_token(server))
    if reply.status != HTTPStatus.OK:
        raise Unreachable(text("race_record.not_stored"))
    name = re.sub("[^A-Z0-9-]", "", race)[:32]
    target = Path.cwd() / f"sliderace-{name}.json"
    target.write_bytes(reply.body)
    return target


def _token(server: str) -> str:
    """Return what opens the sealed record of our daily race of today, or empty."""
    return (own_secret(server) if server else None) or ""


def _is_file(path: str) -> bool:
    """Return whether a file or a pipe is there, even if it cannot be read."""
    try:
        return not stat.S_ISDIR(Path(path).stat().st_mode)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    except OSError:
        return "://" not in path  # a long link


def _read_file(path: str) -> bytes:
    try:
        with Path(path).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise Unreadable(text("race_record.no_file", path=_printable(path))) from None
    except OSError as error:
        raise _cannot_read(path, error.errno) from None


def _read_stdin() -> bytes:
    where, source = text("race_record.stdin"), cast("TextIO | None", sys.stdin)
    if source is None:
        raise _cannot_read(where, errno.EBADF)
    try:
        return source.buffer.read(MAX_BYTES + 1)
    except OSError as error:
        raise _cannot_read(where, error.errno) from None


def _cannot_read(path: str, number: int | None) -> Unreadable:
    why = os.strerror(number or errno.EIO)
    return Unreadable(text("race_record.cannot_read", path=_printable(path), why=why))


def _request(server: str, path: str, token: str, *arguments: str) -> Reply:
    """Ask a server; if it is our own and does not run, read its file.

    Args:
        server: base address; empty: our own.
        path: of the request.
        token: the operator's, or the secret of our profile; empty: none.
        arguments: see `stored`.
    """
    try:
        if server:
            return get(server, path, token=token)
    except Unreachable:
        if not is_own(server):
            raise
    try:
        return Reply(HTTPStatus.OK, stored(*arguments))
    except FileUnreadable as error:
        raise Unreadable(_printable(str(error))) from None


def _last_race(server: str, code: str) -> str:
    """Return the id of a room's last race."""
    races = _races(server, code)
    if not races:
        room = format_code(code)
        where = server or text("race_record.this_machine")
        raise Unreadable(text("race_record.none_yet", server=where, code=room))
    return _word(races[0], "id")


def _race(base: str, race: str) -> object:
    """Return the file of a race by its id."""
    path = f"/api/races/{quote(race, safe='')}"
    return _answer(base, race, _request(base, path, _token(base), "--", race))


def _fetch(base: str, path: str, what: str) -> object:
    return _answer(base, what, get(base, path, token=_token(base)))


def _answer(base: str, what: str, reply: Reply) -> object:
    if reply.status == HTTPStatus.FORBIDDEN:
        raise Unreadable(text("race_record.sealed", race=what))
    if reply.status != HTTPStatus.OK:
        raise Unreadable(text("race_record.no_race", server=base, race=what))
    return _parsed(reply.body, what)


def _parsed(body: bytes, where: str) -> object:
    if len(body) > MAX_BYTES:
        most = MAX_BYTES // 2**20
        raise Unreadable(text("race_record.too_long", path=where, most=most))
    try:
        return canonical.decode(body)
    except canonical.NotCanonical as fault:
        why = finding("structure", fault.code, {"where": where, **fault.values})
        raise Unreadable(text("race_record.bad", why=why)) from None


# --- Checking ------------------------------------------------------------------------


def verdict_of(checks: Sequence[Check]) -> int:
    """Return 0 if all is right, 1 if something is wrong, 2 if something is unknown."""
    verdicts = {check.verdict for check in checks}
    return 1 if "wrong" in verdicts else 2 if "unknown" in verdicts else 0


def check_lines(
    file: object, key: str = "", promised: str = "", anchor: str = ""
) -> tuple[list[str], int]:
    """Check a race record; return a line for each finding, and the verdict.

    Args:
        file: the file of a race record, as any JSON value.
        key: the server's public key, 64 hex digits; empty: any.
        promised: the commitment shown before the race; empty: any.
        anchor: of a daily race, as the server published it; empty: unknown.
    """
    known = {"key": key, "promised": promised, "anchor": anchor}
    checks = verify(file, check_signature, **known)
    verdicts = list(map(verdict, checks))
    width = max(map(len, verdicts))
    lines: list[str] = []
    for check, judged in zip(checks, verdicts, strict=True):
        margin = f"{judged:{width}}  {check_name(check):10}  "
        for code, values in check.findings:
            lines.append(margin + _printable(finding(check.name, code, values)))
            margin = " " * len(margin)
    return lines, verdict_of(checks)


def board_of(file: object) -> Board:
    """Return the board that was raced on.

    Raises:
        Unreadable: it is not a race record.
    """
    return race_of(file).board


def race_of(file: object) -> WrittenRace:
    """Return the race of a race record.

    Args:
        file: the file of a race record, as any JSON value.

    Raises:
        Unreadable: it is not a race record.
    """
    try:
        return unseal(file).race
    except BadRecord as fault:
        why = _printable(finding("structure", fault.code, fault.values))
        raise Unreadable(text("race_record.bad", why=why)) from None


def step_lines(file: object) -> Iterator[str]:
    """Yield every racer's moves, each with its time and the board after it.

    Raises:
        Unreadable: it is not a race record.
    """
    race = race_of(file)
    for racer in race.racers:
        yield text("race_record.seat", seat=racer.seat, name=_name(racer.name))
        for step in steps(race.board, racer):
            slide = step.slide or text("race_record.scramble")
            yield f"{step.n:6}  {duration(step.ms):>10}  {slide:8}  {step.board}"


# --- Tables --------------------------------------------------------------------------


class ListedRace(NamedTuple):
    """A stored race in one row; every text is safe to show."""

    when: str
    id: str
    size: str
    summary: str


class PastRaces(NamedTuple):
    """The races that are listed.

    Attributes:
        races: the latest first.
        server: where they are stored; empty: in the file of this machine's server.
        why: why there are none; empty if there are some.
    """

    races: Sequence[ListedRace] = ()
    server: str = ""
    why: str = ""


def listed_races(server: str, room: str = "") -> list[ListedRace]:
    """Return the stored races of a server, the latest first.

    Args:
        server: base address; empty: this machine's.
        room: only this room's.

    Raises:
        Unreadable: the server does not answer like one of ours.
        Unreachable: it cannot be reached.
    """
    return [
        ListedRace(_when(race), _word(race, "id"), _word(race, "size"), _summary(race))
        for race in _races(server, room)
    ]


def races_lines(server: str, room: str = "", width: int = 0) -> list[str]:
    """Return the same as lines of text.

    Args:
        server: base address; empty: this machine's.
        room: only this room's.
        width: columns of the terminal; results are folded below themselves. 0: unknown.

    Raises:
        Unreadable: the server does not answer like one of ours.
        Unreachable: it cannot be reached.
    """
    races = listed_races(server, room)
    if not races:
        return [text("races.none")]
    results = text("races.results")
    heading = text("races.when"), text("races.race"), text("races.size"), results
    head, *lines = table([heading, *races])
    margin = head.index(results)
    if width < margin + RESULTS_W:
        return [head, *lines]
    folded = (
        wrap(line, width, subsequent_indent=" " * margin, break_on_hyphens=False)
        for line in lines
    )
    return [head, *chain.from_iterable(folded)]


def _races(server: str, room: str) -> list[dict[str, Any]]:
    """Return a server's list of races, or of a room's; the latest first."""
    query, only = (f"?room={room}", ("--room", room)) if room else ("", ())
    token = operator_token(server) if server else ""
    reply = _request(server, f"/api/races{query}", token, *only)
    body = reply.json()
    if reply.status != HTTPStatus.OK or not isinstance(body, dict):
        raise Unreadable(text("races.unlisted", server=server))
    return _list(cast("dict[str, Any]", body), "races")


def race_lines(file: object) -> list[str]:
    """Return the results of one race.

    Raises:
        Unreadable: it is not a race record.
    """
    race = race_of(file)
    columns = ("place", "name", "time", "moves", "progress")
    rows = [[*(text(f"race.column_{column}") for column in columns), ""]]
    for racer in race.racers:
        finish = racer.finish
        rows.append(
            [
                str(racer.place or "-"),
                named(_name(racer.name), bot=racer.bot),
                duration(finish.official_ms) if finish else status(racer.status),
                str(racer.stm),
                f"{racer.high // 10}%",
                _remark(racer),
            ]
        )
    title = [race.race, str(race.rules.size)]
    title += [text("race.seed_known")] if race.seed_known else []
    title += [text("race.friendly")] if race.rules.friendly_timing else []
    return [", ".join(title), "", *table(rows)]


def replay_of(file: object, server: str) -> str:
    """Return the link where a browser replays the race.

    Args:
        file: the file of a race record, as any JSON value.
        server: base address of the server that has it.

    Raises:
        Unreadable: it is not a race record.
    """
    return f"{server.rstrip('/')}/replay/{race_of(file).race}"


def slidysim_lines(file: object) -> list[str]:
    """Return a link for each solve; it opens in slidysim's public replay viewer.

    Raises:
        Unreadable: it is not a race record.
    """
    race = race_of(file)
    return [
        f"{_name(racer.name)}: {link_to(solve_of(race.board, racer.slides, finish))}"
        for racer in race.racers
        if (finish := racer.finish)
    ]


def _remark(racer: WrittenRacer) -> str:
    finish = racer.finish
    if finish is None:
        return dnf_reason(racer.why)
    photo = [text("race.photo")] if finish.photo else []
    outage = [text("race.outage", ms=finish.outage_ms)] if finish.outage_ms else []
    return ", ".join(photo + outage)


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Align columns by what a terminal shows, not by characters."""
    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell + " " * (width - cells(cell))
            for cell, width in zip(row, widths, strict=True)
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
    time = row.get("time_ms")
    name = named(_word(row, "name"), bot=row.get("bot") is True)
    if isinstance(time, int):
        return f"{row.get('place') or '-'}. {name} {duration(time)}"
    return f"{name} {status(_word(row, 'status'))}"


def _list(value: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """Return the objects in a list of JSON that may be anything."""
    found: Any = value.get(key)
    try:
        return [row for row in found if isinstance(row, dict)]
    except TypeError:  # it is no list
        return []


def _word(value: Mapping[str, Any], key: str) -> str:
    return _name(str(value.get(key, "")))


def _name(given: str) -> str:
    return clean_name(given) or "?"


def _printable(line: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in line)
