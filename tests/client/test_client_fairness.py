from typing import Any

import pytest
from msgspec.structs import replace as changed
from tests.client.rooms import COMMITMENT, COMMITMENTS, NONCES, RACE, START, results

from sliderace.protocol.messages import SeatNonce
from sliderace_client.room.draw import Fate
from sliderace_client.room.fairness import Evidence, OwnPart, remarks, result_faults
from sliderace_client.room.outcomes import Fault, Remark, WrongNonce

BOTH = [SeatNonce(seat, COMMITMENTS[seat], NONCES[seat].hex()) for seat in (0, 1)]
GOOD = results(*BOTH)
WITHOUT_US = results(changed(BOTH[0], nonce=None), BOTH[1])


def kept(**more: Any) -> Evidence:
    """Return the evidence of a fair race."""
    known: dict[str, Any] = {
        "race": RACE,
        "size": "3x3",
        "commitment": COMMITMENT,
        "listed": COMMITMENTS,
        "start": GOOD.board,
        "own": OwnPart(0, NONCES[0].hex(), listed=True, in_time=True, fate=Fate.SENT),
    }
    return Evidence(**(known | more))


def own(**more: Any) -> OwnPart:
    known: dict[str, Any] = {
        "seat": 0,
        "nonce": NONCES[0].hex(),
        "listed": True,
        "fate": Fate.SENT,
    }
    return OwnPart(**(known | more))


# --- The results ----------------------------------------------------------------------


def test_honest_results_have_no_faults() -> None:
    assert (result_faults(GOOD, kept()), remarks(GOOD, kept())) == ([], [])
    little = kept(start=None, listed=None, own=None)
    assert (result_faults(GOOD, little), remarks(GOOD, little)) == ([], [])


def test_seed_known_in_advance_proves_only_its_board() -> None:
    sent = results(secret=None)
    seen = kept(seed_known=True, listed=None, start=sent.board, own=OwnPart(0))
    assert (result_faults(sent, seen), remarks(sent, seen)) == ([], [])
    assert result_faults(results(secret=None, board=START), kept(seed_known=True)) != []


def test_withheld_secret_is_a_fault() -> None:
    assert result_faults(results(*BOTH, secret=None), kept()) == [Fault.NOT_REVEALED]


def test_other_commitment_secret_seed_or_board_is_a_fault() -> None:
    assert result_faults(GOOD, kept(commitment="f" * 64)) == [Fault.COMMITMENT_BROKEN]
    assert result_faults(results(*BOTH, secret="0" * 64), kept()) == [
        Fault.COMMITMENT_BROKEN,
        Fault.SEED_NOT_FROM_PARTS,
    ]
    assert result_faults(GOOD, kept(start=START)) == [Fault.BOARD_NOT_RACED]
    other = kept(start=START)
    assert result_faults(changed(GOOD, board=START), other) == [
        Fault.BOARD_NOT_FROM_SEED
    ]


def test_seed_drawn_without_a_listed_nonce_is_a_fault() -> None:
    drawn = changed(results(BOTH[1]), nonces=BOTH, standings=results(*BOTH).standings)
    assert result_faults(drawn, kept(start=drawn.board)) == [Fault.SEED_NOT_FROM_PARTS]


def test_nonce_without_its_commitment_is_a_fault() -> None:
    chosen = results(BOTH[0], SeatNonce(1, COMMITMENTS[1], "c" * 32))
    assert result_faults(chosen, kept(start=None)) == [WrongNonce(1)]
    uncommitted = results(BOTH[0], SeatNonce(1, None, "c" * 32))
    assert result_faults(uncommitted, kept(start=None, listed=None)) == [WrongNonce(1)]


def test_racer_missing_from_the_standings_is_a_fault() -> None:
    fewer = changed(GOOD, standings=GOOD.standings[:1])
    assert result_faults(fewer, kept()) == [Fault.LIST_CHANGED]


@pytest.mark.parametrize(
    "seen",
    [
        kept(changed=True),
        kept(listed={0: COMMITMENTS[0], 1: "f" * 64}),
        kept(listed={0: COMMITMENTS[0]}),
        kept(listed=COMMITMENTS | {2: None}),
    ],
)
def test_changed_list_of_commitments_is_a_fault(seen: Evidence) -> None:
    assert result_faults(GOOD, seen) == [Fault.LIST_CHANGED]


@pytest.mark.parametrize(
    "sent",
    [
        results(seed="zz"),
        results(secret="00"),
        results(seed="00"),
        changed(GOOD, nonces=[changed(BOTH[0], nonce="x")]),
        changed(GOOD, nonces=[BOTH[0], BOTH[0]]),
    ],
)
def test_unreadable_results_are_a_fault(sent: Any) -> None:
    assert result_faults(sent, kept(listed=None, start=None, own=None)) == [
        Fault.UNREADABLE
    ]


def test_invalid_size_is_a_fault() -> None:
    assert result_faults(GOOD, kept(size="99x1")) != []


# --- Our own nonce --------------------------------------------------------------------


def test_nonce_sent_in_time_and_left_out_is_a_fault() -> None:
    seen = kept(start=None)
    assert result_faults(WITHOUT_US, seen) == [Fault.OWN_NONCE_LEFT_OUT]
    assert remarks(WITHOUT_US, seen) == []


@pytest.mark.parametrize(
    ("fate", "why"),
    [
        (Fate.LATE, Remark.NONCE_LATE),
        (Fate.UNSURE, Remark.NONCE_UNSURE),
        (Fate.NOT_SENT, Remark.NONCE_NOT_SENT),
    ],
)
def test_nonce_left_out_for_a_reason_is_only_a_remark(fate: Fate, why: Remark) -> None:
    seen = kept(start=None, own=own(fate=fate))
    assert result_faults(WITHOUT_US, seen) == []
    assert remarks(WITHOUT_US, seen) == [why]
    taken = kept(own=own(fate=fate))
    assert (result_faults(GOOD, taken), remarks(GOOD, taken)) == ([], [])


def test_nonce_refused_as_wrong_is_a_fault() -> None:
    seen = kept(start=None, own=own(fate=Fate.REFUSED))
    assert result_faults(WITHOUT_US, seen) == [Fault.OWN_NONCE_REFUSED]
    assert remarks(WITHOUT_US, seen) == []


def test_replaced_nonce_is_a_fault() -> None:
    seen = kept(own=own(nonce="d" * 32))
    assert result_faults(GOOD, seen) == [Fault.OWN_NONCE_REPLACED]


def test_unlisted_commitment_is_a_fault_if_it_was_sent_in_time() -> None:
    in_time = kept(own=own(listed=False, in_time=True, fate=Fate.NOT_SENT))
    assert result_faults(GOOD, in_time) == [Fault.OWN_COMMITMENT_NOT_LISTED]
    assert remarks(GOOD, in_time) == []
    late = kept(own=own(listed=False, fate=Fate.NOT_SENT))
    assert result_faults(GOOD, late) == []
    assert remarks(GOOD, late) == [Remark.COMMITMENT_LATE]
    unknown = kept(listed=None, own=own(listed=False, fate=Fate.NOT_SENT))
    assert (result_faults(GOOD, unknown), remarks(GOOD, unknown)) == ([], [])
