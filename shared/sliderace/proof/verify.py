"""Re-checking a race record: everything in it that can be computed again, is.

What is proved: every counted slide was legal on the committed board, in that order,
and times, counts and places follow from what is written, all of it as the holder of the
key signed it. What is not: that a human chose the slides.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

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
from sliderace.proof.record import Outages, WrittenFinish, WrittenRace, WrittenRacer
from sliderace.proof.signed import CheckSignature, Signed, unseal
from sliderace.race.log_records import Seat
from sliderace.race.ranking import Row, rank, solve_time
from sliderace.race.state import RECONNECT_MS
from sliderace.race.timing import MIN_SAMPLES, Latency, official, outage_overlap

__all__ = ["Check", "Step", "Verdict", "steps", "verify"]

Verdict = Literal["ok", "not ok", "cannot be known"]


class Check(NamedTuple):
    """One thing that was looked at.

    Args:
        name: structure, signature, key, promise, commitment, nonces, seed, board,
            slides, counts, times or ranking.
        verdict: what came out.
        text: the same for a person; of a fault, the first that was found; of nonces,
            also who has no part in the seed.
    """

    name: str
    verdict: Verdict
    text: str


class Step(NamedTuple):
    """One line of a replay.

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
    """What the slides of one racer really come to."""

    fault: str
    solved: bool
    high: int
    high_ms: int


def verify(
    file: object,
    check_signature: CheckSignature | None,
    *,
    key: str = "",
    promised: str = "",
) -> list[Check]:
    """Re-check the file of a race record.

    Args:
        file: anything a JSON reader can return; nothing in it is trusted.
        check_signature: Ed25519; None where there is none.
        key: the server's public key, known from elsewhere, 64 hex digits; empty:
            unknown, and not checked.
        promised: the commitment that was shown before the race, likewise; its first
            digits will do, where no more was shown.

    Returns:
        All checks in a fixed order; a file of a wrong form has only the first, which
        says where. Never raises.
    """
    try:
        signed = unseal(file)
    except BadRecord as fault:
        return [Check("structure", "not ok", str(fault))]
    race = signed.race
    replays = [_replay(race.board, racer) for racer in race.racers]
    checks = [
        Check("structure", "ok", "Every field is there and in its range."),
        _check_signature(signed, check_signature),
    ]
    if key:
        checks.append(_check_key(signed, key))
    if promised:
        checks.append(_check_promise(race, promised))
    return [
        *checks,
        _check_commitment(race),
        _check_nonces(race),
        _check_seed(race),
        _check_board(race),
        _check_slides(race, replays),
        _check_counts(race, replays),
        _check_times(race),
        _check_ranking(race),
    ]


def steps(file: object, seat: int) -> Iterator[Step]:
    """Replay one racer, board by board; ends before a slide that cannot be made.

    Args:
        file: anything a JSON reader can return.
        seat: whose slides.

    Raises:
        BadRecord: the file's form is wrong, or nobody raced in that seat.
    """
    race = unseal(file).race
    racer = next((one for one in race.racers if one.seat == seat), None)
    if racer is None:
        raise BadRecord("nobody raced in that seat")
    return _steps(race.board.copy(), racer)


def _steps(board: Board, racer: WrittenRacer) -> Iterator[Step]:
    yield Step(0, "", format_board(board), 0)
    for n, slide in enumerate(racer.slides, 1):
        if not board.try_slide(slide.direction, slide.tiles):
            return
        token = format_tokens([slide[:2]])
        yield Step(n, token, format_board(board), slide.received_ms)


def _replay(start: Board, racer: WrittenRacer) -> _Replay:
    board = start.copy()
    fault, last_ms, high, high_ms = "", 0, 0, 0
    for n, slide in enumerate(racer.slides, 1):
        if board.is_solved:
            fault = f"slide {n} comes after the board was solved"
        elif not board.try_slide(slide.direction, slide.tiles):
            fault = f"slide {n}, {format_tokens([slide[:2]])}, cannot be made"
        elif slide.received_ms < last_ms:
            fault = f"slide {n} arrived before the one in front of it"
        if fault:
            break
        last_ms = slide.received_ms
        now = progress_permille(board.md, start.md)
        if now > high:
            high, high_ms = now, last_ms
    return _Replay(fault, board.is_solved, high, high_ms)


def _check_signature(signed: Signed, check: CheckSignature | None) -> Check:
    name = "signature"
    if check is None:
        return Check(name, "cannot be known", "Ed25519 is missing here.")
    key, signature = bytes.fromhex(signed.key), bytes.fromhex(signed.signature)
    if not check(key, signature, signed.message):
        return Check(name, "not ok", "The signature is not that of this record.")
    return Check(name, "ok", f"Signed with the key {signed.key}.")


def _check_key(signed: Signed, key: str) -> Check:
    if signed.key != key:
        return Check("key", "not ok", "The key is not the one expected.")
    return Check("key", "ok", "The key is the one expected.")


def _check_promise(race: WrittenRace, promised: str) -> Check:
    if not race.commitment.startswith(promised):
        text = "The commitment is not the one shown before the race."
        return Check("promise", "not ok", text)
    text = "The commitment is the one shown before the race."
    return Check("promise", "ok", text)


def _check_commitment(race: WrittenRace) -> Check:
    name = "commitment"
    if race.secret is None:
        text = "The seed was known in advance: nothing was committed to."
        return Check(name, "cannot be known", text)
    secret = bytes.fromhex(race.secret)
    if commitment(race.race, race.board.size, secret) != race.commitment:
        return Check(name, "not ok", "The secret is not the one committed to.")
    return Check(name, "ok", "The secret is the one that was committed to.")


def _check_nonces(race: WrittenRace) -> Check:
    name = "nonces"
    if race.secret is None:
        text = "The seed was known in advance: no nonce has a part in it."
        return Check(name, "cannot be known", text)
    for racer in race.racers:
        if racer.nonce is not None and not _fits(race, racer, racer.nonce):
            text = f"Seat {racer.seat}: the nonce is not the one committed to."
            return Check(name, "not ok", text)
    text = f"{len(_nonces(race))} of {len(race.racers)} racers have a part in the seed."
    left_out = [one.seat for one in race.racers if one.nonce is None]
    committed = [one.seat for one in race.racers if one.nonce_commitment is not None]
    silent = sorted({*left_out} & {*committed})
    absent = sorted({*left_out} - {*committed})
    if silent:
        text += f" Committed to a nonce, but left out: seat {_listed(silent)}."
    if absent:
        text += f" Committed to none: seat {_listed(absent)}."
    return Check(name, "ok", text)


def _fits(race: WrittenRace, racer: WrittenRacer, nonce: str) -> bool:
    found = nonce_commitment(race.race, racer.seat, bytes.fromhex(nonce))
    return found == racer.nonce_commitment


def _nonces(race: WrittenRace) -> list[tuple[int, bytes]]:
    return [
        (racer.seat, bytes.fromhex(racer.nonce))
        for racer in race.racers
        if racer.nonce is not None
    ]


def _listed(seats: list[Seat]) -> str:
    return ", ".join(map(str, seats))


def _check_seed(race: WrittenRace) -> Check:
    name = "seed"
    if race.secret is None:
        text = "The seed was known in advance: no fairness is claimed."
        return Check(name, "cannot be known", text)
    secret = bytes.fromhex(race.secret)
    if seed_of(race.race, race.board.size, secret, _nonces(race)).hex() != race.seed:
        text = "The seed does not follow from secret and nonces."
        return Check(name, "not ok", text)
    return Check(name, "ok", "The seed follows from secret and nonces.")


def _check_board(race: WrittenRace) -> Check:
    if scramble(bytes.fromhex(race.seed), race.board.size) != race.board:
        return Check("board", "not ok", "The board does not follow from the seed.")
    return Check("board", "ok", "The board follows from the seed.")


def _check_slides(race: WrittenRace, replays: list[_Replay]) -> Check:
    for racer, replay in zip(race.racers, replays, strict=True):
        if fault := replay.fault or _finish_fault(racer, replay):
            return Check("slides", "not ok", f"Seat {racer.seat}: {fault}.")
    total = sum(len(racer.slides) for racer in race.racers)
    text = f"All {total} slides are legal, in order; who finished did solve the board."
    return Check("slides", "ok", text)


def _finish_fault(racer: WrittenRacer, replay: _Replay) -> str:
    finished = racer.status == "finished"
    if finished and not replay.solved:
        return "finished, but the board is not solved"
    if replay.solved and not finished:
        return "solved the board, but did not finish"
    if finished != (racer.finish is not None):
        return "a finish without times, or times without a finish"
    if (racer.status in ("dnf", "dns")) != bool(racer.why):
        return "a DNF without a reason, or a reason without one"
    if racer.status == "dns" and racer.slides:
        return "did not start, but has slides"
    return ""


def _check_counts(race: WrittenRace, replays: list[_Replay]) -> Check:
    for racer, replay in zip(race.racers, replays, strict=True):
        made = [slide[:2] for slide in racer.slides]
        written = racer.stm, racer.mtm, racer.high, racer.high_ms
        if written != (stm(made), mtm(made), replay.high, replay.high_ms):
            text = f"Seat {racer.seat}: moves or progress are not those of the slides."
            return Check("counts", "not ok", text)
    return Check("counts", "ok", "Moves and progress are those of the slides.")


def _check_times(race: WrittenRace) -> Check:
    for racer in race.racers:
        if fault := _time_fault(race, racer):
            return Check("times", "not ok", f"Seat {racer.seat}: {fault}.")
    if not _in_order(race.outages):
        return Check("times", "not ok", "The outages are not one after the other.")
    text = "Every official time follows from what the server measured."
    if race.outages:
        lost = ", ".join(f"{up - down} ms" for down, up in race.outages)
        text += (
            f" The server failed for {lost}: a credit where a last interval was hit."
        )
    if race.rules.friendly_timing:
        text += " The room had friendly timing."
    return Check("times", "ok", text)


def _in_order(outages: Outages) -> bool:
    moments = [moment for outage in outages for moment in outage]
    return moments == sorted(moments)


def _time_fault(race: WrittenRace, racer: WrittenRacer) -> str:
    start_ms = race.rules.inspection_ms - racer.lead_ms
    if racer.slides and start_ms + racer.slides[-1].received_ms > race.ended_ms:
        return "a slide arrived after the end of the race"
    known = iter(race.outages)
    for own in racer.outages:
        # The iterator goes on where it was: they must come in the same order.
        if not any(_is_part(own, outage, start_ms) for outage in known):
            return "an outage is not one of the server's"
    if racer.finish is None or not racer.slides:
        return ""
    friendly = race.rules.friendly_timing
    return _finish_time_fault(racer, racer.finish, friendly=friendly)


def _is_part(own: tuple[int, int], outage: tuple[int, int], start_ms: int) -> bool:
    """Whether a racer met this outage: from its begin until the racer was back."""
    down, up = outage[0] - start_ms, outage[1] - start_ms
    soonest, latest = max(0, up), max(0, up + RECONNECT_MS)
    return own[0] == max(0, down) and soonest <= own[1] <= latest


def _finish_time_fault(
    racer: WrittenRacer, finish: WrittenFinish, *, friendly: bool
) -> str:
    first, last = racer.slides[0], racer.slides[-1]
    line = Latency(finish.rtt_ms, finish.jitter_ms, MIN_SAMPLES, finish.outage_ms)
    best = official(finish.g_ms, finish.e_ms, line, friendly=friendly)
    solve_ms = solve_time(first.stamp_ms, last.stamp_ms, finish.g_ms)
    outage_ms = outage_overlap(
        [slide.received_ms for slide in racer.slides],
        [(down, min(end, finish.g_ms)) for down, end in racer.outages],
        0,
        finish.g_ms,
    )
    stamp = None if racer.approx else last.stamp_ms
    faults = {
        "g is not the arrival of the last slide": finish.g_ms == last.received_ms,
        "e is not the stamp of the last slide": finish.e_ms == stamp,
        "an outage counts for more or less": finish.outage_ms == outage_ms,
        "the official time is another": finish.official_ms == best,
        "the credit is another": finish.credit_ms == finish.g_ms - best,
        "the solve time is another": finish.solve_ms == solve_ms,
    }
    return next((text for text, right in faults.items() if not right), "")


def _check_ranking(race: WrittenRace) -> Check:
    rows = [_row(racer) for racer in race.racers]
    ranked = rank(rows)
    if [row.seat for row in rows] != [row.seat for row in ranked]:
        return Check("ranking", "not ok", "The racers are not in their order.")
    for row, right in zip(rows, ranked, strict=True):
        if row.place != right.place:
            text = f"Seat {row.seat}: the place is another."
            return Check("ranking", "not ok", text)
        if row.photo != right.photo:
            text = f"Seat {row.seat}: a photo finish is told wrongly."
            return Check("ranking", "not ok", text)
    return Check("ranking", "ok", "Order and places follow from times and progress.")


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
