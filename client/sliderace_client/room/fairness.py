"""Compare results and race record with what the server showed and we sent before.

`result_faults` and `remarks` judge the results, which arrive at once; `record_faults`
judges the race record, which anybody can fetch later.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sliderace.engine import (
    EngineError,
    Size,
    commitment,
    format_board,
    nonce_commitment,
    scramble,
    seed_of,
)
from sliderace.proof.record import WrittenRace, WrittenRacer
from sliderace.protocol.messages import Results, SeatNonce, Slide, Standing
from sliderace_client.room.draw import Fate, Listed
from sliderace_client.room.outcomes import Fault, Remark, WrongNonce

__all__ = ["Evidence", "OwnPart", "record_faults", "remarks", "result_faults"]


@dataclass(frozen=True, slots=True)
class OwnPart:
    """Our own actions in a race.

    Args:
        seat: ours.
        nonce: ours as 32 hex digits; empty if we committed to none.
        listed: the commitment listed for us is the one to our nonce.
        in_time: our commitment was sent long enough before the list.
        fate: of our nonce.
        base: number of the last slide before those that we know.
        acked: number of the last slide that the server said it had stored.
        slides: ours after `base`.
    """

    seat: int
    nonce: str = ""
    listed: bool = False
    in_time: bool = False
    fate: Fate = Fate.NOT_SENT
    base: int = 0
    acked: int = 0
    slides: Sequence[Slide] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """The facts of a race that we were shown, and what we sent.

    Args:
        race: its id.
        size: of its board.
        commitment: as first shown.
        seed_known: the seed was given in advance.
        listed: the frozen roster with its nonce commitments, if we saw it.
        changed: a different list came later.
        start: the board that was raced on, if we saw it.
        own: our part; None if we did not race.
    """

    race: str
    size: str = ""
    commitment: str = ""
    seed_known: bool = False
    listed: Listed | None = None
    changed: bool = False
    start: str | None = None
    own: OwnPart | None = None


# --- The results ----------------------------------------------------------------------


def result_faults(results: Results, evidence: Evidence) -> list[Fault | WrongNonce]:
    """Return the faults in the results."""
    found = list(_draw_faults(results, evidence))
    if evidence.listed is not None:
        listed = {one.seat: one.commitment for one in results.nonces}
        ranked = {row.seat for row in results.standings}
        if evidence.changed or listed != evidence.listed or ranked != {*listed}:
            found.append(Fault.LIST_CHANGED)
    found += _own_nonce_faults(evidence.own, _nonce_of(results.nonces, evidence.own))
    if evidence.start is not None and evidence.start != results.board:
        found.append(Fault.BOARD_NOT_RACED)
    return found


def _draw_faults(results: Results, evidence: Evidence) -> Iterator[Fault | WrongNonce]:
    """Check secret, nonces, seed and board."""
    try:
        size = Size.parse(evidence.size)
        seed = bytes.fromhex(results.seed)
        if format_board(scramble(seed, size)) != results.board:
            yield Fault.BOARD_NOT_FROM_SEED
        if results.secret is not None:
            secret = bytes.fromhex(results.secret)
            if commitment(results.race, size, secret) != evidence.commitment:
                yield Fault.COMMITMENT_BROKEN
            revealed = [
                (one.seat, bytes.fromhex(one.nonce))
                for one in results.nonces
                if one.nonce is not None
            ]
            if seed_of(results.race, size, secret, revealed) != seed:
                yield Fault.SEED_NOT_FROM_PARTS
        elif not evidence.seed_known:
            yield Fault.NOT_REVEALED
        for one in results.nonces:
            if not _fits(results.race, one):
                yield WrongNonce(one.seat)
    except (EngineError, ValueError):
        yield Fault.UNREADABLE


def _fits(race: str, one: SeatNonce) -> bool:
    """Whether a nonce, if it was revealed, is the one committed to."""
    if one.nonce is None:
        return True
    bound = nonce_commitment(race, one.seat, bytes.fromhex(one.nonce))
    return bound == one.commitment


def _nonce_of(nonces: Sequence[SeatNonce], own: OwnPart | None) -> str | None:
    """Return our nonce as the server lists it."""
    seat = None if own is None else own.seat
    return next((one.nonce for one in nonces if one.seat == seat), None)


def _own_nonce_faults(own: OwnPart | None, used: str | None) -> Iterator[Fault]:
    """Check that our nonce was used as agreed."""
    if own is None or not own.nonce:
        return
    if not own.listed:
        if own.in_time:
            yield Fault.OWN_COMMITMENT_NOT_LISTED
    elif used is not None:
        if used != own.nonce:
            yield Fault.OWN_NONCE_REPLACED
    elif own.fate is Fate.SENT:
        yield Fault.OWN_NONCE_LEFT_OUT
    elif own.fate is Fate.REFUSED:
        yield Fault.OWN_NONCE_REFUSED


_WHY_LEFT_OUT: Mapping[Fate, Remark] = {
    Fate.LATE: Remark.NONCE_LATE,
    Fate.UNSURE: Remark.NONCE_UNSURE,
    Fate.NOT_SENT: Remark.NONCE_NOT_SENT,
}


def remarks(results: Results, evidence: Evidence) -> list[Remark]:
    """Return remarks: facts worth knowing that are not faults."""
    own = evidence.own
    if own is None or not own.nonce or evidence.seed_known:
        return []
    if not own.listed:
        unlisted = own.in_time or evidence.listed is None
        return [] if unlisted else [Remark.COMMITMENT_LATE]
    why = _WHY_LEFT_OUT.get(own.fate)
    if why is None or _nonce_of(results.nonces, own) is not None:
        return []
    return [why]


# --- The race record ------------------------------------------------------------------


def record_faults(
    record: WrittenRace, results: Results, evidence: Evidence
) -> list[Fault]:
    """Return where a race record differs from what we saw and sent.

    Args:
        record: as fetched from the server; whether it is consistent in itself is for
            `sliderace.proof.verify`.
        results: as sent after the race.
        evidence: what we saw and sent.
    """
    if record.race != evidence.race:
        return [Fault.RECORD_OTHER_RACE]
    return [
        *_commitment_faults(record, evidence),
        *_record_draw_faults(record, results, evidence),
        *_standing_faults(record, results),
        *_own_faults(record, evidence),
    ]


def _commitment_faults(record: WrittenRace, evidence: Evidence) -> Iterator[Fault]:
    known = record.seed_known
    if record.commitment != evidence.commitment or known != evidence.seed_known:
        yield Fault.RECORD_COMMITMENT
    if record.rules.size != evidence.size:
        yield Fault.RECORD_SIZE


def _record_draw_faults(
    record: WrittenRace, results: Results, evidence: Evidence
) -> Iterator[Fault]:
    listed = {int(one.seat): one.nonce_commitment for one in record.racers}
    if evidence.listed is not None and listed != evidence.listed:
        yield Fault.RECORD_LIST
    nonces = {int(one.seat): one.nonce for one in record.racers}
    if nonces != {one.seat: one.nonce for one in results.nonces}:
        yield Fault.RECORD_NONCES
    if (record.seed, record.secret) != (results.seed, results.secret):
        yield Fault.RECORD_SEED
    if format_board(record.board) != (evidence.start or results.board):
        yield Fault.RECORD_BOARD


def _standing_faults(record: WrittenRace, results: Results) -> Iterator[Fault]:
    written = {int(one.seat): _written(one) for one in record.racers}
    if written != {row.seat: _sent(row) for row in results.standings}:
        yield Fault.RECORD_RESULTS


def _written(racer: WrittenRacer) -> tuple[object, ...]:
    finish = racer.finish
    time, solve = (finish.official_ms, finish.solve_ms) if finish else (None, None)
    credit, outage = (finish.credit_ms, finish.outage_ms) if finish else (0, 0)
    counts = racer.stm, racer.mtm, racer.high
    facts = racer.name, racer.bot, racer.status, racer.why, racer.place
    return *facts, time, solve, credit, outage, counts


def _sent(row: Standing) -> tuple[object, ...]:
    times = row.time_ms, row.solve_ms, row.credit_ms, row.outage_ms
    counts = row.stm, row.mtm, row.high
    return row.name, row.bot, row.status, row.why, row.place, *times, counts


def _own_faults(record: WrittenRace, evidence: Evidence) -> Iterator[Fault]:
    """Check our own entry in the record."""
    own = evidence.own
    if own is None:
        return
    mine = next((one for one in record.racers if one.seat == own.seat), None)
    if mine is None:
        yield Fault.RECORD_WITHOUT_YOU
        return
    yield from _own_nonce_faults(own, mine.nonce)
    after = [tuple(slide)[:3] for slide in mine.slides[own.base :]]
    ours = [tuple(slide) for slide in own.slides[: len(after)]]
    if len(mine.slides) < own.acked:
        yield Fault.RECORD_SLIDES_MISSING
    elif after != ours:
        yield Fault.RECORD_SLIDES_DIFFER
