"""Check what the server tells after a race against what it showed before, and we sent.

`faults` and `remarks` are about the results, which come at once; `against` is about the
race record, which anybody can fetch later.
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
from sliderace.protocol.messages import Results, SeatNonce, Slide
from sliderace_client.room.draw import Fate, Listed
from sliderace_client.room.outcomes import Fault, Remark, WrongNonce

__all__ = ["Kept", "Own", "against", "faults", "remarks"]


@dataclass(frozen=True, slots=True)
class Own:
    """What we did in a race.

    Args:
        seat: ours.
        nonce: ours, 32 hex digits, where we committed to one.
        listed: the commitment listed for us is that of our nonce.
        in_time: ours should have been listed: it was sent well before.
        fate: what became of our nonce.
        base: number of the last slide made before those that we know.
        acked: number of the last slide that the server said it had stored.
        slides: ours after `base`.
    """

    seat: int
    nonce: str = ""
    listed: bool = False
    in_time: bool = False
    fate: Fate = ""
    base: int = 0
    acked: int = 0
    slides: Sequence[Slide] = ()


@dataclass(frozen=True, slots=True)
class Kept:
    """What we were shown of a race, and what we sent.

    Args:
        race: its id.
        size: of its board.
        commitment: as it was shown first.
        seed_known: it was said that the seed was given in advance.
        listed: the frozen roster with its nonce commitments, where we saw it.
        changed: that list was another one later.
        start: the board that was raced on, where we saw it.
        own: our part in it; None where we did not race.
    """

    race: str
    size: str = ""
    commitment: str = ""
    seed_known: bool = False
    listed: Listed | None = None
    changed: bool = False
    start: str | None = None
    own: Own | None = None


# --- The results ----------------------------------------------------------------------


def faults(results: Results, kept: Kept) -> list[Fault | WrongNonce]:
    """What does not hold in the results; empty where everything does."""
    found = list(_drawn(results, kept))
    if kept.listed is not None:
        told = {one.seat: one.commitment for one in results.nonces}
        if kept.changed or told != kept.listed:
            found.append(Fault.LIST_CHANGED)
    found += _own_nonce(kept.own, _nonce_of(results.nonces, kept.own))
    if kept.start is not None and kept.start != results.board:
        found.append(Fault.BOARD_NOT_RACED)
    return found


def _drawn(results: Results, kept: Kept) -> Iterator[Fault | WrongNonce]:
    """What does not hold of secret, nonces, seed and board."""
    try:
        size = Size.parse(kept.size)
        seed = bytes.fromhex(results.seed)
        if format_board(scramble(seed, size)) != results.board:
            yield Fault.BOARD_NOT_FROM_SEED
        if results.secret is not None:
            secret = bytes.fromhex(results.secret)
            if commitment(results.race, size, secret) != kept.commitment:
                yield Fault.COMMITMENT_BROKEN
            told = [
                (one.seat, bytes.fromhex(one.nonce))
                for one in results.nonces
                if one.nonce is not None
            ]
            if seed_of(results.race, size, secret, told) != seed:
                yield Fault.SEED_NOT_FROM_PARTS
        elif not kept.seed_known:
            yield Fault.NOT_REVEALED
        for one in results.nonces:
            if not _fits(results.race, one):
                yield WrongNonce(one.seat)
    except (EngineError, ValueError):
        yield Fault.UNREADABLE


def _fits(race: str, one: SeatNonce) -> bool:
    """Whether a nonce, if it was told, is the one committed to."""
    if one.nonce is None:
        return True
    bound = nonce_commitment(race, one.seat, bytes.fromhex(one.nonce))
    return bound == one.commitment


def _nonce_of(nonces: Sequence[SeatNonce], own: Own | None) -> str | None:
    """Our nonce as the server lists it."""
    seat = None if own is None else own.seat
    return next((one.nonce for one in nonces if one.seat == seat), None)


def _own_nonce(own: Own | None, told: str | None) -> Iterator[Fault]:
    """What was done to our own nonce, against the agreement."""
    if own is None or not own.nonce:
        return
    if not own.listed:
        if own.in_time:
            yield Fault.OWN_COMMITMENT_NOT_LISTED
    elif told is not None:
        if told != own.nonce:
            yield Fault.OWN_NONCE_REPLACED
    elif own.fate == "told":
        yield Fault.OWN_NONCE_LEFT_OUT
    elif own.fate == "refused":
        yield Fault.OWN_NONCE_REFUSED


_WHY_LEFT_OUT: Mapping[Fate, Remark] = {
    "late": Remark.NONCE_LATE,
    "unsure": Remark.NONCE_UNSURE,
    "": Remark.NONCE_NOT_SENT,
}


def remarks(results: Results, kept: Kept) -> list[Remark]:
    """What is no fault, and yet worth knowing."""
    own = kept.own
    if own is None or not own.nonce or kept.seed_known:
        return []
    if not own.listed:
        unlisted = own.in_time or kept.listed is None
        return [] if unlisted else [Remark.COMMITMENT_LATE]
    why = _WHY_LEFT_OUT.get(own.fate)
    if why is None or _nonce_of(results.nonces, own) is not None:
        return []
    return [why]


# --- The record -----------------------------------------------------------------------


def against(record: WrittenRace, results: Results, kept: Kept) -> list[Fault]:
    """What in a race record is not as we saw and sent it.

    Args:
        record: as the server hands it out; whether it holds in itself is another
            matter, see `sliderace.proof.verify`.
        results: as they were told after the race.
        kept: what we saw and sent.
    """
    if record.race != kept.race:
        return [Fault.RECORD_OTHER_RACE]
    return [
        *_same_promise(record, kept),
        *_same_draw(record, results, kept),
        *_same_results(record, results),
        *_same_own(record, kept),
    ]


def _same_promise(record: WrittenRace, kept: Kept) -> Iterator[Fault]:
    if record.commitment != kept.commitment or record.seed_known != kept.seed_known:
        yield Fault.RECORD_COMMITMENT
    if record.rules.size != kept.size:
        yield Fault.RECORD_SIZE


def _same_draw(record: WrittenRace, results: Results, kept: Kept) -> Iterator[Fault]:
    listed = {int(one.seat): one.nonce_commitment for one in record.racers}
    if kept.listed is not None and listed != kept.listed:
        yield Fault.RECORD_LIST
    nonces = {int(one.seat): one.nonce for one in record.racers}
    if nonces != {one.seat: one.nonce for one in results.nonces}:
        yield Fault.RECORD_NONCES
    if (record.seed, record.secret) != (results.seed, results.secret):
        yield Fault.RECORD_SEED
    if format_board(record.board) != (kept.start or results.board):
        yield Fault.RECORD_BOARD


def _same_results(record: WrittenRace, results: Results) -> Iterator[Fault]:
    written = {int(one.seat): _result(one) for one in record.racers}
    told = {
        row.seat: (row.status, row.place, row.time_ms, row.stm)
        for row in results.standings
    }
    if written != told:
        yield Fault.RECORD_RESULTS


def _result(racer: WrittenRacer) -> tuple[str, int | None, int | None, int]:
    time = racer.finish.official_ms if racer.finish else None
    return racer.status, racer.place, time, racer.stm


def _same_own(record: WrittenRace, kept: Kept) -> Iterator[Fault]:
    """What the record says that we did."""
    own = kept.own
    if own is None:
        return
    mine = next((one for one in record.racers if one.seat == own.seat), None)
    if mine is None:
        yield Fault.RECORD_WITHOUT_YOU
        return
    yield from _own_nonce(own, mine.nonce)
    after = [tuple(slide)[:3] for slide in mine.slides[own.base :]]
    ours = [tuple(slide) for slide in own.slides[: len(after)]]
    if len(mine.slides) < own.acked:
        yield Fault.RECORD_SLIDES_MISSING
    elif after != ours:
        yield Fault.RECORD_SLIDES_DIFFER
