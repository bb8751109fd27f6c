"""docs/operating.md is correct: each row is tried while others race."""

from dataclasses import fields
from pathlib import Path

import pytest
from tests.e2e import bad_input_connecting, bad_input_in_room
from tests.e2e.bad_input import CASES, race_setup

from sliderace.protocol.codes import CLOSE_CODES, may_reconnect
from sliderace_server.limits import Limits
from sliderace_server.room import RoomLimits

pytestmark = pytest.mark.timeout(120)  # a test with many rows

PAGE = (Path(__file__).parents[2] / "docs" / "operating.md").read_text("utf-8")


def rows(title: str) -> list[list[str]]:
    """Return the cells of a section's table without its header."""
    section = PAGE.split(f"## {title}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    assert len(cells) > 2
    return cells[2:]


BAD = {
    bad: (answer.strip("`"), close)
    for bad, answer, close in rows("Bad input and what is answered")
}


def test_every_row_of_the_page_has_a_trial() -> None:
    modules = {bad_input_connecting.__name__, bad_input_in_room.__name__}
    assert {case.try_it.__module__ for case in CASES.values()} == modules
    assert list(BAD) == list(CASES)


@pytest.mark.parametrize("group", sorted({case.group for case in CASES.values()}))
async def test_bad_input_is_answered_as_documented(group: str) -> None:
    async with race_setup(group) as setup:
        for bad, case in CASES.items():
            if case.group == group:
                assert await case.try_it(setup) == BAD[bad], bad
                await setup.check_undisturbed()
        await setup.check_finish()


def test_every_close_code_is_documented() -> None:
    table = {
        int(code): back
        for code, _, _, back in rows("Close codes and what stays intact")
    }
    wanted = {code: "yes" if may_reconnect(code) else "no" for code in CLOSE_CODES}
    assert table == wanted
    seen = {int(close) for _, close in BAD.values() if close.isdigit()}
    # 1000, 1001 and 1012 do not answer bad input; 1006 means an aborted connection.
    assert seen == set(CLOSE_CODES) - {1000, 1001, 1006, 1012}


def test_every_limit_is_documented_with_its_default() -> None:
    table = {name.strip("`"): int(figure) for name, figure, _ in rows("Limits")}
    limits = Limits()
    parts = (limits, limits.room)
    ours = {one.name: getattr(part, one.name) for part in parts for one in fields(part)}
    del ours["room"]
    assert table == ours
    assert {one.name for one in fields(RoomLimits)} <= table.keys()


def test_figures_in_the_text_are_correct() -> None:
    limits = Limits()
    assert "more than 16 KiB" in PAGE
    assert limits.head_bytes == 16 * 1024
    assert "more than 2 KiB" in PAGE
    assert limits.up_bytes == 2 * 1024
    assert "may guess wrong sixty times in ten\nminutes" in PAGE
    assert limits.failed_joins_per_10_min == 60
