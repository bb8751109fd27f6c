"""Verification, check by check; `tests/properties` changes records at random."""

import re
from copy import deepcopy
from hashlib import sha512
from typing import Any, get_args

import pytest
from tests.proof.test_record import put
from tests.race.sample import (
    ABSENT,
    ANCHOR,
    DAILY_DAY,
    KEY,
    SLOW,
    daily_record,
    sample_record,
    sealed,
    toy_check,
)

from sliderace.proof.canonical import decode, encode
from sliderace.proof.signed import redacted, seal, unseal
from sliderace.proof.verify import (
    FINDINGS,
    Check,
    Finding,
    Step,
    Verdict,
    steps,
    verify,
)
from sliderace.race.daily import daily_seed
from sliderace.texts import catalogue, text

ANN, BEN, CAT, DAN, EVA, FAY, GIL = range(7)


def checks_of(record: object) -> list[Check]:
    """Verify a record, correctly signed."""
    return verify(sealed(record), toy_check)


def verdicts(record: object) -> dict[str, str]:
    return {check.name: check.verdict for check in checks_of(record)}


def found(record: object) -> dict[str, Finding]:
    """Check -> its finding, for failed checks."""
    return {
        check.name: check.findings[0]
        for check in checks_of(record)
        if check.verdict == "wrong"
    }


def findings(record: object, name: str) -> list[tuple[str, object]]:
    """Return the findings of one check."""
    (check,) = (one for one in checks_of(record) if one.name == name)
    return [*check.findings]


def seat(number: int, **others: object) -> dict[str, object]:
    return {"seat": number, **others}


EVAS = ("racers", EVA, "slides")
TWICE = [[3_000, 3_500]] * 2


def test_honest_record_passes_every_check() -> None:
    assert set(verdicts(sample_record()).values()) == {"ok"}
    assert set(verdicts(sample_record(friendly=True)).values()) == {"ok"}


def test_a_record_without_a_deleted_name_says_so_and_is_signed_again() -> None:
    """Nothing else changes, and every other check still passes."""
    file, seats = sample_record(), {CAT, DAN}
    names = [racer["name"] for racer in file["racers"]]

    def sign(message: bytes) -> bytes:
        return sha512(bytes.fromhex(KEY) + message).digest()

    again: Any = decode(redacted(seal(file, KEY, sign), seats, KEY, sign))
    checks = verify(again, toy_check)
    assert {check.verdict for check in checks} == {"ok"}
    assert [one.code for one in checks[0].findings] == ["ok", "redacted"]
    record: dict[str, Any] = again["record"]
    assert record.pop("redacted") is True
    for racer, name in zip(record["racers"], names, strict=True):
        assert racer["name"] == ("deleted" if racer["seat"] in seats else name)
        racer["name"] = name
    assert record == file


def test_known_seed_makes_no_fairness_claim() -> None:
    assert verdicts(sample_record("ab" * 32)) == {
        "structure": "ok",
        "signature": "ok",
        "commitment": "unknown",
        "nonces": "unknown",
        "seed": "unknown",
        "board": "ok",
        "slides": "ok",
        "counts": "ok",
        "times": "ok",
        "ranking": "ok",
    }


def test_daily_race_is_checked_against_the_anchor() -> None:
    file = sealed(daily_record())
    expected = {"signature": "ok", "seed": "ok", "anchor": "ok", "board": "ok"}
    for anchor, verdict in ((ANCHOR, "ok"), (KEY, "wrong"), ("", "unknown")):
        checks = {
            check.name: check.verdict
            for check in verify(file, toy_check, anchor=anchor)
        }
        assert {name: checks[name] for name in expected} == {
            **expected,
            "anchor": verdict,
        }
        assert not {"commitment", "nonces"} & checks.keys()


def test_anchor_says_nothing_about_other_races() -> None:
    plain = sealed(sample_record())
    assert verify(plain, toy_check, anchor=ANCHOR) == verify(plain, toy_check)


def test_secret_of_another_day_does_not_lead_to_the_anchor() -> None:
    """It fits a seed of its own, but not the anchor that was published before."""
    record = daily_record()
    secret = bytes(32)
    record["daily"]["secret"] = secret.hex()
    record["seed"] = daily_seed(secret, "3x3", DAILY_DAY).hex()
    checks = verify(sealed(record), toy_check, anchor=ANCHOR)
    assert (of(checks, "seed"), of(checks, "anchor")) == ("ok", "wrong")


def test_malformed_record_fails_structure_alone() -> None:
    (check,) = checks_of({"format": "else"})
    assert (check.name, check.verdict) == ("structure", "wrong")


def test_record_of_a_later_version_is_named_whatever_it_contains() -> None:
    for record in ({"version": 2}, put(sample_record(), ("version",), 2)):
        (check,) = checks_of(record)
        assert (check.name, check.verdict) == ("structure", "unknown")
        assert check.findings == (
            Finding(
                "newer_version", {"where": "record.version", "version": 2, "known": 1}
            ),
        )


def test_record_without_racers_is_still_checked() -> None:
    assert found(put(sample_record(), ("racers",), [])).keys() == {"seed"}


def test_racers_out_of_order_fail_ranking() -> None:
    record = sample_record()
    racers = record["racers"]
    racers[EVA], racers[FAY] = racers[FAY], racers[EVA]
    assert found(record) == {"ranking": ("order", {})}


def test_slide_after_the_solved_board_fails_slides() -> None:
    record = sample_record()
    record["racers"][CAT]["slides"].append(["R", 1, 0, 8_930])
    assert found(record)["slides"] == ("after_solved", {"seat": CAT, "n": 13})


def test_finish_without_slides_fails_slides() -> None:
    faults = found(put(sample_record(), ("racers", CAT, "slides"), []))
    assert faults["slides"] == ("finished_unsolved", seat(CAT))


def test_seed_takes_nonces_by_seat_not_by_place() -> None:
    record = sample_record()
    record["racers"].reverse()
    assert found(record).keys() == {"ranking"}


@pytest.mark.parametrize("revealed", [0, 1, 2, 3])
def test_racers_left_out_of_the_seed_are_listed(revealed: int) -> None:
    record = sample_record()
    for racer in record["racers"][revealed:]:
        racer["nonce"] = None
    used = min(revealed, 2)  # Cat's nonce was left out
    left_out = ", ".join(map(str, range(used, 4)))
    assert findings(record, "nonces") == [
        ("ok", {"used": used, "racers": 7}),
        ("left_out", {"seats": left_out}),
        ("uncommitted", {"seats": "4, 5, 6"}),
    ]


def test_no_racer_left_out_gives_one_finding() -> None:
    record = sample_record()
    record["racers"] = record["racers"][:2]
    assert findings(record, "nonces") == [("ok", {"used": 2, "racers": 2})]


def test_race_without_outages_gives_one_finding() -> None:
    record = sample_record()
    record["racers"].clear()
    record["outages"].clear()
    assert findings(record, "times") == [("ok", {})]


def test_outages_and_friendly_timing_are_reported() -> None:
    times: list[tuple[str, object]] = [("ok", {}), ("outages", {"ms": "400"})]
    assert findings(sample_record(), "times") == times
    friendly = sample_record(friendly=True)
    assert findings(friendly, "times") == [*times, ("friendly", {})]


def replay(record: object, number: int) -> list[Step]:
    race = unseal(sealed(record)).race
    return [*steps(race.board, race.racers[number])]


def test_steps_replay_a_racer() -> None:
    record = sample_record()
    assert replay(record, SLOW) == [
        Step(0, "", "2 3 4/5 0 1", 0),
        Step(1, "D", "2 0 4/5 3 1", 500),
        Step(2, "L", "2 4 0/5 3 1", 500),
        Step(3, "U", "2 4 1/5 3 0", 500),
        Step(4, "R2", "2 4 1/0 5 3", 500),
        Step(5, "D", "0 4 1/2 5 3", 500),
    ]
    assert len(replay(record, ABSENT)) == 1


def test_steps_end_before_an_illegal_slide() -> None:
    record = put(sample_record(), ("racers", EVA, "slides", 1, 0), "D")
    assert [step.n for step in replay(record, SLOW)] == [0, 1]


def test_verification_does_not_change_the_record() -> None:
    file = sealed(sample_record())
    before = deepcopy(file)
    verify(file, toy_check)
    assert file == before


# --- Signature, key and commitment ---------------------------------------------------


def of(checks: list[Check], name: str) -> str | None:
    return next((one.verdict for one in checks if one.name == name), None)


def test_wrong_key_or_signature_fails_signature() -> None:
    file = sealed(sample_record())
    for part, value in [("key", "5f" * 32), ("signature", "5f" * 64)]:
        checks = verify(file | {part: value}, toy_check)
        wrong = [check.name for check in checks if check.verdict != "ok"]
        assert wrong == ["signature"]


def test_changed_name_fails_signature() -> None:
    file = sealed(sample_record())
    file["record"]["racers"][FAY]["name"] = "Fae"
    assert [one.name for one in verify(file, toy_check) if one.verdict != "ok"] == [
        "signature"
    ]


def test_signature_is_unknown_without_ed25519() -> None:
    file = sealed(sample_record()) | {"signature": "00" * 64}
    checks = verify(file, None)
    assert of(checks, "signature") == "unknown"
    assert {one.verdict for one in checks if one.name != "signature"} == {"ok"}


def test_signature_reports_its_key() -> None:
    assert findings(sample_record(), "signature") == [("ok", {"key": KEY})]


def test_key_and_commitment_are_checked_only_if_given() -> None:
    file = sealed(sample_record())
    shown = file["record"]["commitment"]
    plain = verify(file, toy_check)
    assert (of(plain, "key"), of(plain, "promise")) == (None, None)
    begun = verify(file, toy_check, key=KEY, promised=shown[:16])
    assert begun == verify(file, toy_check, key=KEY, promised=shown)
    good = verify(file, toy_check, key=KEY, promised=shown)
    assert (of(good, "key"), of(good, "promise")) == ("ok", "ok")
    bad = verify(file, toy_check, key="5f" * 32, promised="00" * 32)
    assert (of(bad, "key"), of(bad, "promise")) == ("wrong", "wrong")


def test_signature_of_another_server_fails_only_the_key_check() -> None:
    checks = verify(sealed(sample_record(), "aa" * 32), toy_check, key=KEY)
    assert (of(checks, "signature"), of(checks, "key")) == ("ok", "wrong")


@pytest.mark.parametrize(
    ("change", "where", "code"),
    [
        (None, "file", "not_object"),
        ([], "file", "not_object"),
        ({}, "file", "wrong_parts"),
        ({"more": 1}, "file", "wrong_parts"),
        ({"key": "5E" * 32}, "key", "not_hex"),
        ({"key": "5e" * 32 + "\n"}, "key", "not_hex"),
        ({"key": 5}, "key", "not_hex"),
        ({"signature": "5e" * 63}, "signature", "not_hex"),
        ({"record": None}, "record", "not_object"),
        ({"record": {"format": 1.5}}, "record", "not_whole"),
        ({"record": {"format": "\ud800"}}, "record", "lone_surrogate"),
    ],
)
def test_malformed_file_is_refused(change: Any, where: str, code: str) -> None:
    file = sealed(sample_record())
    hostile = file | change if change else change
    (check,) = verify(hostile, toy_check)
    assert (check.name, check.verdict) == ("structure", "wrong")
    [finding] = check.findings
    assert (finding.code, finding.values["where"]) == (code, where)


def test_unsigned_record_is_not_a_file() -> None:
    (check,) = verify(sample_record(), toy_check)
    assert (check.name, check.verdict) == ("structure", "wrong")


def test_seal_writes_the_canonical_file() -> None:
    record = sample_record()
    signed: list[bytes] = []

    def sign(message: bytes) -> bytes:
        signed.append(message)
        return sha512(bytes.fromhex(KEY) + message).digest()

    data = seal(record, KEY, sign)
    assert signed == [encode(record)]
    assert decode(data) == sealed(record)
    assert encode(decode(data)) == data


# --- Texts ---------------------------------------------------------------------------


def test_every_finding_and_no_other_has_a_text() -> None:
    texts = {
        key for key in catalogue("common") if re.match(r"check\.(?!name|verdict)", key)
    }
    assert texts == {
        f"check.{name}.{code}" for name, codes in FINDINGS.items() for code in codes
    }
    names = {key for key in catalogue("common") if key.startswith("check.name.")}
    assert names == {f"check.name.{name}" for name in FINDINGS}
    for verdict in get_args(Verdict):
        assert text(f"check.verdict.{verdict}")
