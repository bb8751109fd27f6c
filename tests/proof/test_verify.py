"""What verification finds, check by check; any change at all: in properties."""

from copy import deepcopy
from hashlib import sha512
from typing import Any

import pytest
from tests.proof.test_record import Place, put
from tests.race.sample import ABSENT, KEY, SLOW, sample_record, sealed, toy_check

from sliderace.proof.canonical import decode, encode
from sliderace.proof.reading import BadRecord
from sliderace.proof.signed import seal
from sliderace.proof.verify import Check, Step, steps, verify

ANN, BEN, CAT, DAN, EVA, FAY, GIL = range(7)


def judged(record: object) -> list[Check]:
    """All there is to say of a record that is signed well."""
    return verify(sealed(record), toy_check)


def verdicts(record: object) -> dict[str, str]:
    return {check.name: check.verdict for check in judged(record)}


def found(record: object) -> dict[str, str]:
    """Check -> text, of what is not ok."""
    return {
        check.name: check.text for check in judged(record) if check.verdict == "not ok"
    }


def test_an_honest_record_is_ok() -> None:
    assert set(verdicts(sample_record()).values()) == {"ok"}
    assert set(verdicts(sample_record(friendly=True)).values()) == {"ok"}


def test_a_known_seed_makes_no_claim() -> None:
    assert verdicts(sample_record("ab" * 32)) == {
        "structure": "ok",
        "signature": "ok",
        "commitment": "cannot be known",
        "nonces": "cannot be known",
        "seed": "cannot be known",
        "board": "ok",
        "slides": "ok",
        "counts": "ok",
        "times": "ok",
        "ranking": "ok",
    }


def test_a_wrong_form_is_the_only_finding() -> None:
    (check,) = judged({"format": "else"})
    assert (check.name, check.verdict) == ("structure", "not ok")


def test_a_race_nobody_rode_is_still_checked() -> None:
    assert found(put(sample_record(), ("racers",), [])).keys() == {"seed"}


@pytest.mark.parametrize(
    ("place", "value", "check", "text"),
    [
        (("secret",), "00" * 32, "commitment", "The secret is not"),
        (("commitment",), "00" * 32, "commitment", "The secret is not"),
        (("race",), "KWXTRB-SA1B2C-4", "commitment", "The secret is not"),
        (("seed",), "00" * 32, "seed", "The seed does not follow"),
        (("racers", ANN, "nonce"), None, "seed", "The seed does not follow"),
        (("racers", ANN, "nonce"), "00" * 16, "seed", "The seed does not follow"),
        (("racers", ANN, "nonce"), "00" * 16, "nonces", "Seat 0: the nonce is not"),
        (("racers", CAT, "nonce"), "43" * 16, "seed", "The seed does not follow"),
        (("racers", EVA, "nonce"), "45" * 16, "nonces", "Seat 4: the nonce is not"),
        (("racers", ANN, "nonce_commitment"), None, "nonces", "Seat 0: the nonce is"),
        (("racers", ANN, "seat"), 9, "nonces", "Seat 9: the nonce is not the one"),
        (("board",), "2 3 4/0 5 1", "board", "The board does not follow"),
        (("board",), "2 3 4/5 1 0", "board", "The board does not follow"),
        (("racers", EVA, "slides", 4, 0), "U", "slides", "Seat 4: slide 5, U, cannot"),
        (("racers", EVA, "slides", 0, 1), 3, "slides", "Seat 4: slide 1, D3, cannot"),
        (("racers", EVA, "slides", 3, 3), 499, "slides", "Seat 4: slide 4 arrived"),
        (("racers", EVA, "status"), "finished", "slides", "Seat 4: finished, but"),
        (("racers", CAT, "status"), "dnf", "slides", "Seat 2: solved the board, but"),
        (("racers", CAT, "finish"), None, "slides", "Seat 2: a finish without"),
        (("racers", EVA, "why"), "", "slides", "Seat 4: a DNF without"),
        (("racers", FAY, "why"), "left", "slides", "Seat 5: a DNF without"),
        (("racers", EVA, "status"), "dns", "slides", "Seat 4: did not start, but"),
        (("racers", ANN, "stm"), 9, "counts", "Seat 0: moves or progress"),
        (("racers", ANN, "mtm"), 8, "counts", "Seat 0: moves or progress"),
        (("racers", EVA, "high"), 334, "counts", "Seat 4: moves or progress"),
        (("racers", EVA, "high_ms"), 499, "counts", "Seat 4: moves or progress"),
        (("racers", FAY, "high"), 1, "counts", "Seat 5: moves or progress"),
        (("racers", FAY, "high_ms"), 1, "counts", "Seat 5: moves or progress"),
        (("racers", ANN, "lead_ms"), 39, "times", "Seat 0: an outage is not one"),
        (("rules", "inspection_ms"), 0, "times", "Seat 0: an outage is not one"),
        (("rules", "friendly_timing"), True, "times", "Seat 1: the official"),
        (("outages",), [], "times", "Seat 0: an outage is not one"),
        (("outages", 0, 0), 5_001, "times", "Seat 0: an outage is not one"),
        (("outages", 0, 1), 5_901, "times", "Seat 0: an outage is not one"),
        (("outages",), [[5_000, 5_400]] * 2, "times", "The outages are not one after"),
        (("outages",), [[9, 8], [5_000, 5_400]], "times", "The outages are not one"),
        (("racers", DAN, "outages"), [], "times", "Seat 3: an outage counts for"),
        (("racers", DAN, "outages", 0, 0), 3_039, "times", "Seat 3: an outage is not"),
        (("racers", DAN, "outages", 0, 1), 3_941, "times", "Seat 3: an outage counts"),
        (("racers", EVA, "outages", 0, 1), 11_401, "times", "Seat 4: an outage is not"),
        (("racers", EVA, "outages", 0, 1), 3_399, "times", "Seat 4: an outage is not"),
        (("racers", EVA, "outages"), [[3_000, 3_500]] * 2, "times", "Seat 4: an outa"),
        (("ended_ms",), 13_959, "times", "Seat 3: a slide arrived after"),
        (("racers", ANN, "finish", "g_ms"), 8_999, "times", "Seat 0: g is not"),
        (("racers", ANN, "finish", "e_ms"), 8_929, "times", "Seat 0: e is not"),
        (("racers", DAN, "finish", "e_ms"), 110, "times", "Seat 3: e is not"),
        (("racers", ANN, "finish", "e_ms"), None, "times", "Seat 0: e is not"),
        (("racers", ANN, "approx"), True, "times", "Seat 0: e is not"),
        (("racers", ANN, "finish", "official_ms"), 8_931, "times", "Seat 0: the off"),
        (("racers", BEN, "finish", "rtt_ms"), 79, "times", "Seat 1: the official"),
        (("racers", BEN, "finish", "jitter_ms"), 21, "times", "Seat 1: the official"),
        (("racers", BEN, "finish", "outage_ms"), 1, "times", "Seat 1: an outage co"),
        (("racers", ANN, "finish", "credit_ms"), 71, "times", "Seat 0: the credit"),
        (("racers", ANN, "finish", "solve_ms"), 8_931, "times", "Seat 0: the solve"),
        (("racers", CAT, "finish", "photo"), False, "ranking", "Seat 2: a photo fin"),
        (("racers", DAN, "finish", "photo"), True, "ranking", "Seat 3: a photo fin"),
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
    racers[EVA], racers[FAY] = racers[FAY], racers[EVA]
    assert found(record) == {"ranking": "The racers are not in their order."}


def test_a_slide_after_the_solved_board_is_found() -> None:
    record = sample_record()
    record["racers"][CAT]["slides"].append(["R", 1, 0, 8_930])
    text = "Seat 2: slide 13 comes after the board was solved."
    assert found(record)["slides"] == text


def test_a_finish_without_slides_is_found() -> None:
    findings = found(put(sample_record(), ("racers", CAT, "slides"), []))
    assert findings["slides"] == "Seat 2: finished, but the board is not solved."


def test_nonces_count_by_seat_not_by_place() -> None:
    record = sample_record()
    record["racers"].reverse()
    assert found(record).keys() == {"ranking"}


@pytest.mark.parametrize("told", [0, 1, 2, 3])
def test_who_was_left_out_is_said(told: int) -> None:
    record = sample_record()
    for racer in record["racers"][told:]:
        racer["nonce"] = None
    (text,) = (one.text for one in judged(record) if one.name == "nonces")
    silent = ", ".join(map(str, range(min(told, 2), 4))) if told < 3 else "2, 3"
    assert text == (
        f"{min(told, 2)} of 7 racers have a part in the seed. Committed to a nonce, "
        f"but left out: seat {silent}. Committed to none: seat 4, 5, 6."
    )


def test_where_nobody_was_left_out_nothing_is_said_of_it() -> None:
    record = sample_record()
    record["racers"] = record["racers"][:2]
    (text,) = (one.text for one in judged(record) if one.name == "nonces")
    assert text == "2 of 2 racers have a part in the seed."


def test_where_nothing_failed_nothing_is_said_of_it() -> None:
    record = sample_record()
    record["racers"].clear()
    record["outages"].clear()
    (text,) = (one.text for one in judged(record) if one.name == "times")
    assert text == "Every official time follows from what the server measured."


def test_what_moves_times_for_everybody_is_said() -> None:
    (text,) = (one.text for one in judged(sample_record()) if one.name == "times")
    assert "failed for 400 ms" in text
    assert "friendly" not in text
    (text,) = (
        one.text for one in judged(sample_record(friendly=True)) if one.name == "times"
    )
    assert "friendly" in text


def test_steps_replay_a_racer() -> None:
    record = sample_record()
    assert [*steps(sealed(record), SLOW)] == [
        Step(0, "", "2 3 4/5 0 1", 0),
        Step(1, "D", "2 0 4/5 3 1", 500),
        Step(2, "L", "2 4 0/5 3 1", 500),
        Step(3, "U", "2 4 1/5 3 0", 500),
        Step(4, "R2", "2 4 1/0 5 3", 500),
        Step(5, "D", "0 4 1/2 5 3", 500),
    ]
    assert len([*steps(sealed(record), ABSENT)]) == 1


def test_steps_end_before_an_impossible_slide() -> None:
    record = put(sample_record(), ("racers", EVA, "slides", 1, 0), "D")
    assert [step.n for step in steps(sealed(record), SLOW)] == [0, 1]


@pytest.mark.parametrize("seat", [7, -1, 255])
def test_steps_of_nobody(seat: int) -> None:
    with pytest.raises(BadRecord, match="nobody raced"):
        steps(sealed(sample_record()), seat)


def test_steps_of_nonsense() -> None:
    with pytest.raises(BadRecord):
        steps([], 0)


def test_verification_leaves_the_record_alone() -> None:
    file = sealed(sample_record())
    before = deepcopy(file)
    verify(file, toy_check)
    assert file == before


# --- Who signed it, and what was promised --------------------------------------------


def of(checks: list[Check], name: str) -> str | None:
    return next((one.verdict for one in checks if one.name == name), None)


def test_what_nobody_signed_is_found() -> None:
    file = sealed(sample_record())
    for part, text in [("key", "5f" * 32), ("signature", "5f" * 64)]:
        checks = verify(file | {part: text}, toy_check)
        wrong = [check.name for check in checks if check.verdict != "ok"]
        assert wrong == ["signature"]


def test_a_change_that_nothing_else_shows_breaks_the_signature() -> None:
    file = sealed(sample_record())
    file["record"]["racers"][FAY]["name"] = "Fae"
    assert [one.name for one in verify(file, toy_check) if one.verdict != "ok"] == [
        "signature"
    ]


def test_without_ed25519_a_signature_cannot_be_known() -> None:
    file = sealed(sample_record()) | {"signature": "00" * 64}
    checks = verify(file, None)
    assert of(checks, "signature") == "cannot be known"
    assert {one.verdict for one in checks if one.name != "signature"} == {"ok"}


def test_a_signature_shows_its_key() -> None:
    (text,) = (one.text for one in judged(sample_record()) if one.name == "signature")
    assert KEY in text


def test_what_was_known_before_is_compared_only_when_it_is_told() -> None:
    file = sealed(sample_record())
    shown = file["record"]["commitment"]
    plain = verify(file, toy_check)
    assert (of(plain, "key"), of(plain, "promise")) == (None, None)
    begun = verify(file, toy_check, key=KEY, promised=shown[:16])
    assert begun == verify(file, toy_check, key=KEY, promised=shown)
    good = verify(file, toy_check, key=KEY, promised=shown)
    assert (of(good, "key"), of(good, "promise")) == ("ok", "ok")
    bad = verify(file, toy_check, key="5f" * 32, promised="00" * 32)
    assert (of(bad, "key"), of(bad, "promise")) == ("not ok", "not ok")


def test_another_server_s_signature_is_good_but_not_expected() -> None:
    checks = verify(sealed(sample_record(), "aa" * 32), toy_check, key=KEY)
    assert (of(checks, "signature"), of(checks, "key")) == ("ok", "not ok")


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (None, "file: not an object"),
        ([], "file: not an object"),
        ({}, "file: not made of"),
        ({"more": 1}, "file: not made of"),
        ({"key": "5E" * 32}, "key: not 64 hex digits"),
        ({"key": "5e" * 32 + "\n"}, "key: not 64 hex digits"),
        ({"key": 5}, "key: not 64 hex digits"),
        ({"signature": "5e" * 63}, "signature: not 128 hex digits"),
        ({"record": None}, "record: not an object"),
        ({"record": {"format": 1.5}}, "record: neither text"),
        ({"record": {"format": "\ud800"}}, "record: a lone surrogate"),
    ],
)
def test_the_file_has_its_form(change: Any, text: str) -> None:
    file = sealed(sample_record())
    hostile = file | change if change else change
    assert [one.text[: len(text)] for one in verify(hostile, toy_check)] == [text]


def test_an_unsigned_record_is_no_file() -> None:
    (check,) = verify(sample_record(), toy_check)
    assert (check.name, check.verdict) == ("structure", "not ok")


def test_what_the_server_writes_is_that_file() -> None:
    record = sample_record()
    signed: list[bytes] = []

    def sign(message: bytes) -> bytes:
        signed.append(message)
        return sha512(bytes.fromhex(KEY) + message).digest()

    data = seal(record, KEY, sign)
    assert signed == [encode(record)]
    assert decode(data) == sealed(record)
    assert encode(decode(data)) == data
