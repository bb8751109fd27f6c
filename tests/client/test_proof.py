import pytest
from tests.client.rooms import COMMITMENT, START, results

from sliderace_client.proof import faults

GOOD = results()


def test_what_was_promised_holds() -> None:
    assert faults(GOOD, "3x3", COMMITMENT, GOOD.board) == []
    assert faults(GOOD, "3x3", COMMITMENT, None) == []


def test_a_seed_known_in_advance_promises_only_its_board() -> None:
    assert faults(results(secret=None), "3x3", "", GOOD.board) == []
    assert faults(results(secret=None, board=START), "3x3", "", START) == [
        "The board is not the one of the seed."
    ]


def test_another_commitment_secret_seed_or_board_is_found() -> None:
    assert faults(GOOD, "3x3", "f" * 64, None) == [
        "The secret is not the one the server was bound to."
    ]
    assert faults(results(secret="0" * 64), "3x3", COMMITMENT, None) == [
        "The secret is not the one the server was bound to.",
        "The seed does not follow from the secret.",
    ]
    assert faults(GOOD, "3x3", COMMITMENT, START) == [
        "The board is not the one that was raced on."
    ]


@pytest.mark.parametrize(
    "told", [results(seed="zz"), results(secret="00"), results(seed="00")]
)
def test_what_cannot_be_read_is_a_fault(told: object) -> None:
    [fault] = faults(told, "3x3", COMMITMENT, None)  # type: ignore[arg-type]
    assert fault == "The seed or the secret cannot be read."


def test_a_size_that_is_none_is_a_fault() -> None:
    assert faults(GOOD, "99x1", COMMITMENT, None) != []
