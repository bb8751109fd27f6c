"""What verification finds, check by check; any change at all: in properties."""

from copy import deepcopy
from typing import Any

import pytest
from tests.race.sample import ABSENT, SLOW, sample_record
from tests.race.test_record import Place, put

from sliderace.engine import Size, seed_of
from sliderace.race.reading import BadRecord
from sliderace.race.verify import Step, steps, verify

ANN, BEN, CAT, DAN, EVA, FAY, GIL = range(7)


def verdicts(record: object) -> dict[str, str]:
    return {check.name: check.verdict for check in verify(record)}


def found(record: object) -> dict[str, str]:
    """Check -> text, of what is not ok."""
    return {
        check.name: check.text for check in verify(record) if check.verdict == "not ok"
    }


def test_an_honest_record_is_ok() -> None:
    assert set(verdicts(sample_record()).values()) == {"ok"}


def test_a_known_seed_makes_no_claim() -> None:
    assert verdicts(sample_record("ab" * 32)) == {
        "structure": "ok",
        "commitment": "cannot be known",
        "seed": "cannot be known",
        "board": "ok",
        "slides": "ok",
        "counts": "ok",
        "times": "ok",
        "ranking": "ok",
    }


def test_a_wrong_form_is_the_only_finding() -> None:
    (check,) = verify({"format": "else"})
    assert (check.name, check.verdict) == ("structure", "not ok")


def test_a_race_nobody_rode_is_still_checked() -> None:
    assert not found(put(sample_record(), ("racers",), []))


@pytest.mark.parametrize(
    ("place", "value", "check", "text"),
    [
        (("secret",), "00" * 32, "commitment", "The secret is not"),
        (("commitment",), "00" * 32, "commitment", "The secret is not"),
        (("race",), "KWXTRB-SA1B2C-4", "commitment", "The secret is not"),
        (("seed",), "00" * 32, "seed", "The seed does not follow"),
        (("nonces",), ["00" * 16], "seed", "The seed does not follow"),
        (("board",), "4 3 5/2 0 1", "board", "The board does not follow"),
        (("board",), "4 3 5/0 1 2", "board", "The board does not follow"),
        (("racers", EVA, "slides", 4, 0), "U", "slides", "Seat 4: slide 5, U, cannot"),
        (("racers", EVA, "slides", 0, 1), 3, "slides", "Seat 4: slide 1, L3, cannot"),
        (("racers", EVA, "slides", 3, 3), 499, "slides", "Seat 4: slide 4 arrived"),
        (("racers", EVA, "status"), "finished", "slides", "Seat 4: finished, but"),
        (("racers", CAT, "status"), "dnf", "slides", "Seat 2: solved the board, but"),
        (("racers", CAT, "finish"), None, "slides", "Seat 2: a finish without"),
        (("racers", EVA, "why"), "", "slides", "Seat 4: a DNF without"),
        (("racers", FAY, "why"), "left", "slides", "Seat 5: a DNF without"),
        (("racers", EVA, "status"), "dns", "slides", "Seat 4: did not start, but"),
        (("racers", ANN, "stm"), 9, "counts", "Seat 0: moves or progress"),
        (("racers", ANN, "mtm"), 8, "counts", "Seat 0: moves or progress"),
        (("racers", FAY, "high"), 126, "counts", "Seat 5: moves or progress"),
        (("racers", FAY, "high_ms"), 599, "counts", "Seat 5: moves or progress"),
        (("racers", ANN, "start_ms"), 0, "times", "Seat 0: its clock did not"),
        (("rules", "inspection_ms"), 0, "times", "Seat 0: its clock did not"),
        (("ended_ms",), 11_899, "times", "Seat 3: a slide arrived after"),
        (("racers", ANN, "finish", "g_ms"), 8_999, "times", "Seat 0: g is not"),
        (("racers", ANN, "finish", "e_ms"), 8_929, "times", "Seat 0: e is not"),
        (("racers", DAN, "finish", "e_ms"), 80, "times", "Seat 3: e is not"),
        (("racers", ANN, "finish", "e_ms"), None, "times", "Seat 0: the official"),
        (("racers", ANN, "finish", "official_ms"), 8_931, "times", "Seat 0: the off"),
        (("racers", BEN, "finish", "rtt_ms"), 79, "times", "Seat 1: the official"),
        (("racers", BEN, "finish", "jitter_ms"), 21, "times", "Seat 1: the official"),
        (("racers", BEN, "finish", "outage_ms"), 1, "times", "Seat 1: the official"),
        (("racers", ANN, "finish", "credit_ms"), 71, "times", "Seat 0: the credit"),
        (("racers", ANN, "finish", "solve_ms"), 8_931, "times", "Seat 0: the solve"),
        (("racers", DAN, "place"), 3, "ranking", "Seat 3: the place is another"),
        (("racers", GIL, "place"), 7, "ranking", "Seat 6: the place is another"),
        (("racers", FAY, "place"), None, "ranking", "Seat 5: the place is another"),
    ],
)
def test_every_lie_is_found_by_its_check(
    place: Place, value: object, check: str, text: str
) -> None:
    findings = found(put(sample_record(), place, value))
    assert findings[check].startswith(text)


def test_racers_out_of_order_are_found() -> None:
    record = sample_record()
    racers = record["racers"]
    racers[ANN], racers[DAN] = racers[DAN], racers[ANN]
    assert found(record) == {"ranking": "The racers are not in their order."}


def test_a_slide_after_the_solved_board_is_found() -> None:
    record = sample_record()
    record["racers"][CAT]["slides"].append(["R", 1, 0, 8_930])
    text = "Seat 2: slide 10 comes after the board was solved."
    assert found(record)["slides"] == text


def test_a_finish_without_slides_is_found() -> None:
    findings = found(put(sample_record(), ("racers", CAT, "slides"), []))
    assert findings["slides"] == "Seat 2: finished, but the board is not solved."


def test_nonces_count_in_the_order_of_the_record() -> None:
    record = sample_record()
    nonces = [bytes([n]) * 16 for n in (9, 3, 5)]
    board = read_size(record)
    secret = bytes.fromhex(record["secret"])
    seed = seed_of(record["race"], board, secret, enumerate(nonces))
    record["nonces"] = [nonce.hex() for nonce in nonces]
    record["seed"] = seed.hex()
    assert verdicts(record)["seed"] == "ok"
    record["nonces"].reverse()
    assert verdicts(record)["seed"] == "not ok"


def read_size(record: dict[str, Any]) -> Size:
    return Size.parse(record["rules"]["size"])


def test_steps_replay_a_racer() -> None:
    record = sample_record()
    assert [*steps(record, SLOW)] == [
        Step(0, "", "4 3 5/0 2 1", 0),
        Step(1, "L2", "4 3 5/2 1 0", 500),
        Step(2, "D", "4 3 0/2 1 5", 500),
        Step(3, "R", "4 0 3/2 1 5", 500),
        Step(4, "U", "4 1 3/2 0 5", 500),
        Step(5, "R", "4 1 3/0 2 5", 500),
    ]
    assert len([*steps(record, ABSENT)]) == 1


def test_steps_end_before_an_impossible_slide() -> None:
    record = put(sample_record(), ("racers", EVA, "slides", 1, 0), "U")
    assert [step.n for step in steps(record, SLOW)] == [0, 1]


@pytest.mark.parametrize("seat", [7, -1, 255])
def test_steps_of_nobody(seat: int) -> None:
    with pytest.raises(BadRecord, match="nobody raced"):
        steps(sample_record(), seat)


def test_steps_of_nonsense() -> None:
    with pytest.raises(BadRecord):
        steps([], 0)


def test_verification_leaves_the_record_alone() -> None:
    record = sample_record()
    before = deepcopy(record)
    verify(record)
    assert record == before
