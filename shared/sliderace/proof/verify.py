"""Verify a race record: recompute everything in it that can be recomputed.

This proves that every counted slide was legal on the committed board, in that order;
that times, counts and places follow from the record; and that the holder of the key
signed all of it. It does not prove that a human chose the slides.

The outcome is data, the same here and in the page (`core/proof/verify.js`): a check has
a name, a verdict and *findings*. The catalogue words a finding as `check.NAME.CODE`,
a verdict as `check.verdict.VERDICT`, and a name as `check.name.NAME`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from sliderace.engine import (
    Board,
    commitment,
    format_board,
    format_tokens,
    mtm,
    nonce_commitment,
    progress_permille,
    scramble,
    seed_of,
    stm,
)
from sliderace.proof.reading import BadRecord
from sliderace.proof.record import WrittenDaily, WrittenRace, WrittenRacer
from sliderace.proof.signed import CheckSignature, Signed, unseal
from sliderace.proof.times import time_fault
from sliderace.race.daily import anchor_of, daily_seed, parse_date
from sliderace.race.ranking import Row, rank

__all__ = ["FINDINGS", "Check", "Finding", "Step", "Verdict", "steps", "verify"]

Verdict = Literal["ok", "wrong", "unknown"]
"""``unknown``: this cannot be checked, here or at all."""

FINDINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "structure": (
        "ok",
        "redacted",
        "newer_version",
        "unreadable",
        "not_json",
        "not_canonical",
        "too_deep",
        "too_large",
        "not_whole",
        "wrong_type",
        "lone_surrogate",
        "duplicate_key",
        "wrong_parts",
        "missing",
        "unknown_fields",
        "not_object",
        "not_list",
        "too_long",
        "wrong_length",
        "not_integer",
        "not_boolean",
        "not_string",
        "not_line",
        "not_hex",
        "not_race_id",
        "not_board",
        "unknown_value",
        "out_of_range",
        "secret_mismatch",
        "daily_seed",
        "wrong_size",
        "duplicate_seat",
    ),
    "signature": ("ok", "wrong", "unavailable"),
    "key": ("ok", "wrong"),
    "promise": ("ok", "wrong"),
    "commitment": ("ok", "wrong", "seed_known"),
    "nonces": ("ok", "left_out", "uncommitted", "wrong", "seed_known"),
    "seed": ("ok", "wrong", "seed_known", "ok_daily", "wrong_daily"),
    "anchor": ("ok", "wrong", "not_given"),
    "board": ("ok", "wrong"),
    "slides": (
        "ok",
        "after_solved",
        "illegal",
        "out_of_order",
        "finished_unsolved",
        "solved_unfinished",
        "finish_mismatch",
        "reason_mismatch",
        "dns_with_slides",
    ),
    "counts": ("ok", "wrong"),
    "times": (
        "ok",
        "outages",
        "friendly",
        "outages_out_of_order",
        "slide_in_outage",
        "end",
        "slide_after_end",
        "slide_before_start",
        "slide_too_late",
        "missing_outage",
        "foreign_outage",
        "reason",
        "arrival",
        "stamp",
        "outage",
        "official",
        "credit",
        "solve_time",
    ),
    "ranking": ("ok", "order", "place", "photo"),
}
"""Check -> the codes of its findings: a closed list."""


class Finding(NamedTuple):
    """One sentence about a check, as data.

    Args:
        code: one of `FINDINGS`.
        values: the placeholders of its text; seats are numbers, lists of seats are
            text such as ``2, 3``.
    """

    code: str
    values: Mapping[str, int | str]


class Check(NamedTuple):
    """The outcome of one check.

    Args:
        name: one of the keys of `FINDINGS`.
        verdict: whether the check passed.
        findings: the reasons. A failed check has one, its first fault.
    """

    name: str
    verdict: Verdict
    findings: tuple[Finding, ...]


class Step(NamedTuple):
    """One step of a replay.

    Args:
        n: number of the slide; 0 is the scramble.
        slide: such as ``R2``; empty for the scramble.
        board: board text after it.
        ms: arrival at the server, since the board was unlocked.
    """

    n: int
    slide: str
    board: str
    ms: int


@dataclass(frozen=True, slots=True)
class _Replay:
    """The result of replaying one racer's slides."""

    fault: Finding | None
    solved: bool
    high: int
    high_ms: int


def verify(
    file: object,
    check_signature: CheckSignature | None,
    *,
    key: str = "",
    promised: str = "",
    anchor: str = "",
) -> list[Check]:
    """Verify the file of a race record.

    Args:
        file: anything a JSON reader can return; nothing in it is trusted.
        check_signature: Ed25519; None where it is unavailable.
        key: the server's public key as known from elsewhere, 64 hex digits; empty to
            skip that check.
        promised: the commitment shown before the race, or its first digits; empty to
            skip that check.
        anchor: for a daily race, the anchor that the server published for its event,
            64 hex digits; empty: unknown.

    Returns:
        All checks in a fixed order. If the form is wrong, only `structure`. Never
        raises.
    """
    try:
        signed = unseal(file)
    except BadRecord as fault:
        verdict: Verdict = "unknown" if fault.code == "newer_version" else "wrong"
        return [Check("structure", verdict, (Finding(fault.code, fault.values),))]
    race = signed.race
    replays = [_replay(race.board, racer) for racer in race.racers]
    structure = [Finding("ok", {})]
    if race.redacted:
        structure.append(Finding("redacted", {}))
    checks = [
        Check("structure", "ok", tuple(structure)),
        _check_signature(signed, check_signature),
    ]
    if key:
        checks.append(_passed("key", signed.key == key))
    if promised:
        checks.append(_passed("promise", race.commitment.startswith(promised)))
    return [
        *checks,
        *(_check_daily(race, race.daily, anchor) if race.daily else _check_draw(race)),
        _check_board(race),
        _check_slides(race, replays),
        _check_counts(race, replays),
        _check_times(race),
        _check_ranking(race),
    ]


def _ok(name: str, **values: int | str) -> Check:
    return Check(name, "ok", (Finding("ok", values),))


def _wrong(name: str, code: str, **values: int | str) -> Check:
    return Check(name, "wrong", (Finding(code, values),))


def _unknown(name: str, code: str) -> Check:
    return Check(name, "unknown", (Finding(code, {}),))


def _passed(name: str, holds: bool, **values: int | str) -> Check:
    return _ok(name, **values) if holds else _wrong(name, "wrong", **values)


def steps(start: Board, racer: WrittenRacer) -> Iterator[Step]:
    """Replay one racer, board by board; end before a slide that is illegal.

    Args:
        start: the scramble; it is not changed.
        racer: whose slides.
    """
    board = start.copy()
    yield Step(0, "", format_board(board), 0)
    for n, slide in enumerate(racer.slides, 1):
        if not board.try_slide(slide.direction, slide.tiles):
            return
        token = format_tokens([slide[:2]])
        yield Step(n, token, format_board(board), slide.received_ms)


def _replay(start: Board, racer: WrittenRacer) -> _Replay:
    board = start.copy()
    fault: Finding | None = None
    last_ms = high = high_ms = 0
    for n, slide in enumerate(racer.slides, 1):
        where: dict[str, int | str] = {"seat": racer.seat, "n": n}
        if board.is_solved:
            fault = Finding("after_solved", where)
        elif not board.try_slide(slide.direction, slide.tiles):
            fault = Finding("illegal", {**where, "slide": format_tokens([slide[:2]])})
        elif slide.received_ms < last_ms:
            fault = Finding("out_of_order", where)
        if fault:
            break
        last_ms = slide.received_ms
        now = progress_permille(board.md, start.md)
        if now > high:
            high, high_ms = now, last_ms
    return _Replay(fault, board.is_solved, high, high_ms)


def _check_signature(signed: Signed, check: CheckSignature | None) -> Check:
    if check is None:
        return _unknown("signature", "unavailable")
    key, signature = bytes.fromhex(signed.key), bytes.fromhex(signed.signature)
    if not check(key, signature, signed.message):
        return _wrong("signature", "wrong")
    return _ok("signature", key=signed.key)


def _check_draw(race: WrittenRace) -> list[Check]:
    """Check commitment, nonces and seed; a seed known in advance has none of them."""
    if race.secret is None:
        names = ("commitment", "nonces", "seed")
        return [_unknown(name, "seed_known") for name in names]
    secret, size = bytes.fromhex(race.secret), race.board.size
    seed = seed_of(race.race, size, secret, _nonces(race)).hex()
    committed = commitment(race.race, size, secret) == race.commitment
    return [
        _passed("commitment", committed),
        _check_nonces(race),
        _passed("seed", seed == race.seed),
    ]


def _check_daily(race: WrittenRace, daily: WrittenDaily, anchor: str) -> list[Check]:
    """Check seed and secret of a daily race; nobody draws its board."""
    secret, event = bytes.fromhex(daily.secret), race.rules.size
    day = parse_date(daily.date)
    follows = daily_seed(secret, event, day).hex() == race.seed
    seed: Verdict = "ok" if follows else "wrong"
    checks = [Check("seed", seed, (Finding(f"{seed}_daily", {"date": daily.date}),))]
    if not anchor:
        return [*checks, _unknown("anchor", "not_given")]
    leads = anchor_of(secret, event, day).hex() == anchor
    return [*checks, _passed("anchor", leads, date=daily.date)]


def _check_nonces(race: WrittenRace) -> Check:
    for racer in race.racers:
        if racer.nonce is not None and not _is_committed(race, racer, racer.nonce):
            return _wrong("nonces", "wrong", seat=racer.seat)
    left_out = [one for one in race.racers if one.nonce is None]
    seats = {
        "left_out": [one.seat for one in left_out if one.nonce_commitment is not None],
        "uncommitted": [one.seat for one in left_out if one.nonce_commitment is None],
    }
    used = len(race.racers) - len(left_out)
    return Check(
        "nonces",
        "ok",
        (
            Finding("ok", {"used": used, "racers": len(race.racers)}),
            *(
                Finding(code, {"seats": ", ".join(map(str, sorted(some)))})
                for code, some in seats.items()
                if some
            ),
        ),
    )


def _is_committed(race: WrittenRace, racer: WrittenRacer, nonce: str) -> bool:
    found = nonce_commitment(race.race, racer.seat, bytes.fromhex(nonce))
    return found == racer.nonce_commitment


def _nonces(race: WrittenRace) -> list[tuple[int, bytes]]:
    return [
        (racer.seat, bytes.fromhex(racer.nonce))
        for racer in race.racers
        if racer.nonce is not None
    ]


def _check_board(race: WrittenRace) -> Check:
    scrambled = scramble(bytes.fromhex(race.seed), race.board.size)
    return _passed("board", scrambled == race.board)


def _check_slides(race: WrittenRace, replays: list[_Replay]) -> Check:
    for racer, replay in zip(race.racers, replays, strict=True):
        if replay.fault:
            return Check("slides", "wrong", (replay.fault,))
        if code := _status_fault(racer, replay):
            return _wrong("slides", code, seat=racer.seat)
    return _ok("slides", total=sum(len(racer.slides) for racer in race.racers))


def _status_fault(racer: WrittenRacer, replay: _Replay) -> str:
    finished = racer.status == "finished"
    if finished and not replay.solved:
        return "finished_unsolved"
    if replay.solved and not finished:
        return "solved_unfinished"
    if finished != (racer.finish is not None):
        return "finish_mismatch"
    if (racer.status in ("dnf", "dns")) != bool(racer.why):
        return "reason_mismatch"
    if racer.status == "dns" and racer.slides:
        return "dns_with_slides"
    return ""


def _check_counts(race: WrittenRace, replays: list[_Replay]) -> Check:
    for racer, replay in zip(race.racers, replays, strict=True):
        made = [slide[:2] for slide in racer.slides]
        written = racer.stm, racer.mtm, racer.high, racer.high_ms
        if written != (stm(made), mtm(made), replay.high, replay.high_ms):
            return _wrong("counts", "wrong", seat=racer.seat)
    return _ok("counts")


def _check_times(race: WrittenRace) -> Check:
    if fault := time_fault(race):
        values = {} if fault.seat is None else {"seat": int(fault.seat)}
        return _wrong("times", fault.code, **values)
    findings = [Finding("ok", {})]
    if race.outages:
        lengths = ", ".join(f"{up - down}" for down, up in race.outages)
        findings.append(Finding("outages", {"ms": lengths}))
    if race.rules.friendly_timing:
        findings.append(Finding("friendly", {}))
    return Check("times", "ok", tuple(findings))


def _check_ranking(race: WrittenRace) -> Check:
    rows = [_row(racer) for racer in race.racers]
    ranked = rank(rows)
    if [row.seat for row in rows] != [row.seat for row in ranked]:
        return _wrong("ranking", "order")
    for row, right in zip(rows, ranked, strict=True):
        if row.place != right.place:
            return _wrong("ranking", "place", seat=row.seat)
        if row.photo != right.photo:
            return _wrong("ranking", "photo", seat=row.seat)
    return _ok("ranking")


def _row(racer: WrittenRacer) -> Row:
    finish = racer.finish
    return Row(
        seat=racer.seat,
        status=racer.status,
        why=racer.why,
        time_ms=finish.official_ms if finish else None,
        solve_ms=finish.solve_ms if finish else None,
        credit_ms=finish.credit_ms if finish else 0,
        stm=racer.stm,
        mtm=racer.mtm,
        high=racer.high,
        high_ms=racer.high_ms,
        outage_ms=finish.outage_ms if finish else 0,
        jitter_ms=finish.jitter_ms if finish else 0,
        place=racer.place,
        photo=finish.photo if finish else False,
    )
