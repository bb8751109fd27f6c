"""A verifier written only from the pages agrees with both of ours on every record."""

import json
import re
import subprocess
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.proof import independent, vectors
from tests.proof.races import lie, random_record
from tests.proof.test_record import put
from tests.tiers import TIER

from sliderace.engine import Size, scramble, seed_from_text
from sliderace.proof import canonical
from sliderace.proof.verify import verify
from sliderace_client.net.signature import check_signature
from sliderace_server.signing_key import new_key

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "client" / "page-tests" / "verdicts.mjs"
KEY = new_key()
RACES = max(100, TIER.lies // 10)

pytestmark = pytest.mark.timeout(600)
"""The largest tier takes long."""


def file_of(record: object, signed: object) -> bytes:
    """Return the file of `record`, with the signature of another one, if it has one."""
    try:
        signature = KEY.sign(canonical.encode(signed)).hex()
    except canonical.NotCanonical:
        signature = "0" * 128
    file = {"key": KEY.public, "record": record, "signature": signature}
    text = json.dumps(file, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def is_accepted(data: bytes) -> bool:
    """Whether `sliderace verify` finds nothing wrong."""
    try:
        checks = verify(canonical.decode(data), check_signature)
    except canonical.NotCanonical:
        return False
    wrong = any(check.verdict == "wrong" for check in checks)
    return checks[0].verdict == "ok" and not wrong


def is_accepted_by_the_pages_reader(data: bytes) -> bool:
    try:
        independent.verify(data)
    except ValueError:
        return False
    return True


def accepted_by_the_page(node: str, files: list[bytes]) -> list[bool]:
    """Whether the browser's code finds nothing wrong, for each file."""
    lines = "".join(json.dumps(data.decode()) + "\n" for data in files)
    run = subprocess.run(
        [node, str(PAGE)], input=lines, capture_output=True, text=True, check=True
    )
    return [line == "true" for line in run.stdout.split()]


@cache
def records() -> list[dict[str, Any]]:
    """Return the golden records, and as many random ones as the tier asks for."""
    chance = Random(1)  # noqa: S311 - the same each time
    return [
        *vectors.records().values(),
        *(random_record(chance) for _ in range(RACES)),
    ]


@cache
def lies() -> list[bytes]:
    """Return tampered files; nine in ten are signed again by the server's own key."""
    chance = Random(2)  # noqa: S311 - the same each time
    found: list[bytes] = []
    for _ in range(TIER.lies):
        record = chance.choice(records())
        changed = lie(record, chance)
        found.append(file_of(changed, record if chance.random() < 0.1 else changed))
    return [data for data in found if is_text(data)]


def is_text(data: bytes) -> bool:
    """Whether node can be given these bytes; a lone surrogate is not UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def test_random_races_contain_everything() -> None:
    racers = [racer for record in records() for racer in record["racers"]]
    assert {racer["status"] for racer in racers} == {*independent.STATUS}
    whys = {"", "limit", "grace", "away", "left", "kicked", "called"}
    assert {racer["why"] for racer in racers} == whys
    finishes = [racer["finish"] for racer in racers if racer["finish"]]
    for name in ("outage_ms", "photo"):
        assert any(finish[name] for finish in finishes), name
    assert any(finish["e_ms"] is None for finish in finishes)
    assert any(record["seed_known"] for record in records())


def test_all_accept_every_true_record(node: str) -> None:
    files = [file_of(record, record) for record in records()]
    for data in files:
        assert is_accepted(data), data
        independent.verify(data)
    assert all(accepted_by_the_page(node, files))


def test_all_agree_on_every_golden_lie() -> None:
    for case in json.loads(vectors.FILE.read_text("utf-8"))["lies"]:
        changed = put(
            vectors.records()[case["of"]], tuple(case["place"]), case["value"]
        )
        data = file_of(changed, changed)
        assert is_accepted_by_the_pages_reader(data) == is_accepted(data), case


@pytest.mark.no_cover  # it takes three times as long if coverage is measured
def test_all_agree_on_tampered_records(node: str) -> None:
    ours = [is_accepted(data) for data in lies()]
    assert [is_accepted_by_the_pages_reader(data) for data in lies()] == ours
    assert accepted_by_the_page(node, lies()) == ours
    assert 0 < sum(ours) < TIER.lies / 2


@pytest.mark.parametrize("data", [b"", b"[", b"null", b'{"key":1,"key":1}', b"\xff"])
def test_all_refuse_a_value_that_is_not_a_record(data: bytes) -> None:
    assert not is_accepted_by_the_pages_reader(data)
    assert not is_accepted(data)


@pytest.mark.parametrize("typed", ["", "friday", "Zoë 💎", "aB" * 32, "aB" * 31])
def test_pages_say_how_a_text_becomes_a_board(typed: str) -> None:
    seed = independent.seed_of_text(typed)
    assert seed == seed_from_text(typed)
    for size in (Size(2, 2), Size(3, 2), Size(4, 4), Size(10, 10)):
        a = independent.board_from(seed, *size)
        assert tuple(a) == scramble(seed, size).tiles


def test_examples_of_seeds_in_the_page_are_right() -> None:
    page = (ROOT / "docs" / "protocol.md").read_text("utf-8")
    row = re.compile(r"^\| `(.+)` \| `(\w+)` \| (\w+) \| `(.+)` \|$", re.MULTILINE)
    rows = row.findall(page)
    assert len(rows) == 4
    for typed, seed, size, board in rows:
        assert independent.seed_of_text(typed).hex() == seed
        tiles, width, height = independent.board_of(board)
        assert f"{width}x{height}" == size
        assert independent.board_from(bytes.fromhex(seed), width, height) == tiles
