"""Check what the server tells after a race against what it showed before, and we sent.

`faults` and `remarks` are about the results, which come at once; `against` is about the
race record, which anybody can fetch later. A fault is one sentence.
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
from sliderace.protocol.messages import NonceOf, Results, Slide
from sliderace_client.room.draw import Fate, Listed

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


def faults(results: Results, kept: Kept) -> list[str]:
    """What does not hold in the results; empty where everything does."""
    found = list(_drawn(results, kept))
    if kept.listed is not None:
        told = {one.seat: one.commitment for one in results.nonces}
        if kept.changed or told != kept.listed:
            found.append("The nonce commitments are not those listed before the draw.")
    found += _own_nonce(kept.own, _nonce_of(results.nonces, kept.own))
    if kept.start is not None and kept.start != results.board:
        found.append("The board is not the one that was raced on.")
    return found


def _drawn(results: Results, kept: Kept) -> Iterator[str]:
    """What does not hold of secret, nonces, seed and board."""
    try:
        size = Size.parse(kept.size)
        seed = bytes.fromhex(results.seed)
        if format_board(scramble(seed, size)) != results.board:
            yield "The board is not the one of the seed."
        if results.secret is not None:
            secret = bytes.fromhex(results.secret)
            if commitment(results.race, size, secret) != kept.commitment:
                yield "The secret is not the one the server was bound to."
            told = [
                (one.seat, bytes.fromhex(one.nonce))
                for one in results.nonces
                if one.nonce is not None
            ]
            if seed_of(results.race, size, secret, told) != seed:
                yield "The seed does not follow from the secret and the nonces."
        elif not kept.seed_known:
            yield "The secret that the server was bound to was not told."
        for one in results.nonces:
            if not _fits(results.race, one):
                yield f"The nonce of seat {one.seat} is not the one committed to."
    except (EngineError, ValueError):
        yield "The seed, the secret or a nonce cannot be read."


def _fits(race: str, one: NonceOf) -> bool:
    """Whether a nonce, if it was told, is the one committed to."""
    if one.nonce is None:
        return True
    bound = nonce_commitment(race, one.seat, bytes.fromhex(one.nonce))
    return bound == one.commitment


def _nonce_of(nonces: Sequence[NonceOf], own: Own | None) -> str | None:
    """Our nonce as the server lists it."""
    seat = None if own is None else own.seat
    return next((one.nonce for one in nonces if one.seat == seat), None)


def _own_nonce(own: Own | None, told: str | None) -> Iterator[str]:
    """What was done to our own nonce, against the agreement."""
    if own is None or not own.nonce:
        return
    if not own.listed:
        if own.in_time:
            yield "Your nonce commitment was sent in time, and was not listed."
    elif told is not None:
        if told != own.nonce:
            yield "The nonce listed as yours is not yours."
    elif own.fate == "told":
        yield "Your nonce was left out of the draw, though you told it in time."
    elif own.fate == "refused":
        yield "Your nonce was refused, though it is the one you committed to."


_LEFT_OUT = "Your nonce was left out of the draw"
_WHY_LEFT_OUT: Mapping[Fate, str] = {
    "late": "it came too late",
    "unsure": "the connection was lost when you told it",
    "": "you were away when it was asked for",
}


def remarks(results: Results, kept: Kept) -> list[str]:
    """What is no fault, and yet worth knowing."""
    own = kept.own
    if own is None or not own.nonce or kept.seed_known:
        return []
    if not own.listed:
        late = f"{_LEFT_OUT}: your commitment came too late."
        return [] if own.in_time or kept.listed is None else [late]
    why = _WHY_LEFT_OUT.get(own.fate)
    if why is None or _nonce_of(results.nonces, own) is not None:
        return []
    return [f"{_LEFT_OUT}: {why}."]


# --- The record -----------------------------------------------------------------------


def against(record: WrittenRace, results: Results, kept: Kept) -> list[str]:
    """What in a race record is not as we saw and sent it.

    Args:
        record: as the server hands it out; whether it holds in itself is another
            matter, see `sliderace.proof.verify`.
        results: as they were told after the race.
        kept: what we saw and sent.
    """
    if record.race != kept.race:
        return ["The record is of another race."]
    return [
        *_same_promise(record, kept),
        *_same_draw(record, results, kept),
        *_same_results(record, results),
        *_same_own(record, kept),
    ]


def _same_promise(record: WrittenRace, kept: Kept) -> Iterator[str]:
    if record.commitment != kept.commitment or record.seed_known != kept.seed_known:
        yield "The record's commitment is not the one shown before the race."
    if record.rules.size != kept.size:
        yield "The record's board has another size."


def _same_draw(record: WrittenRace, results: Results, kept: Kept) -> Iterator[str]:
    listed = {int(one.seat): one.nonce_commitment for one in record.racers}
    if kept.listed is not None and listed != kept.listed:
        yield "The record's racers or nonce commitments are not those listed."
    nonces = {int(one.seat): one.nonce for one in record.racers}
    if nonces != {one.seat: one.nonce for one in results.nonces}:
        yield "The record's nonces are not those of the results."
    if (record.seed, record.secret) != (results.seed, results.secret):
        yield "The record's seed or secret is not that of the results."
    if format_board(record.board) != (kept.start or results.board):
        yield "The record's board is not the one that was raced on."


def _same_results(record: WrittenRace, results: Results) -> Iterator[str]:
    written = {int(one.seat): _result(one) for one in record.racers}
    told = {
        row.seat: (row.status, row.place, row.time_ms, row.stm)
        for row in results.standings
    }
    if written != told:
        yield "The record's places or times are not those of the results."


def _result(racer: WrittenRacer) -> tuple[str, int | None, int | None, int]:
    time = racer.finish.official_ms if racer.finish else None
    return racer.status, racer.place, time, racer.stm


def _same_own(record: WrittenRace, kept: Kept) -> Iterator[str]:
    """What the record says that we did."""
    own = kept.own
    if own is None:
        return
    mine = next((one for one in record.racers if one.seat == own.seat), None)
    if mine is None:
        yield "You are not in the record."
        return
    yield from _own_nonce(own, mine.nonce)
    after = [tuple(slide)[:3] for slide in mine.slides[own.base :]]
    ours = [tuple(slide) for slide in own.slides[: len(after)]]
    if len(mine.slides) < own.acked:
        yield "Slides of yours that the server had stored are missing in the record."
    elif after != ours:
        yield "The slides recorded as yours are not those you made."
