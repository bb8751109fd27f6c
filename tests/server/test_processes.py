"""Which process of a server is the home of what."""

import pytest

from sliderace.protocol import messages as m
from sliderace_server.registry.processes import PROFILES, OneProcess, key_of


@pytest.mark.parametrize(
    ("enter", "profile", "key"),
    [
        (m.Join("kwx-trb", "Ann"), None, "KWXTRB"),
        (m.Resume("KWXTRB", "0" * 32, 1, 0), "ANN", "KWXTRB"),
        (m.Redeem("KWXTRB", "0" * 32), None, "KWXTRB"),
        (m.Join("no code", "Ann"), None, None),
        (m.Quick("4x4", "Ann"), None, "quick 4x4"),
        (m.Solo("Ann"), "BCDFGHJK", "alone BCDFGHJK"),
        (m.Daily("4x4", "Ann"), "BCDFGHJK", "alone BCDFGHJK"),
        (m.Solo("Ann"), None, None),
        (m.Daily("4x4", "Ann"), None, None),
        (m.Me(), None, PROFILES),
        (m.Create("Ann"), "BCDFGHJK", None),
        (m.Open(), None, None),
        (m.Lobby(), None, None),
    ],
)
def test_each_way_in_has_its_key(
    enter: m.Join, profile: str | None, key: str | None
) -> None:
    assert key_of(m.Hello(v=1, enter=enter), profile) == key


async def test_the_only_process_is_the_home_of_everything() -> None:
    processes = OneProcess()
    assert processes.serves("KWXTRB")
    assert processes.owns("KWXTRB")
    assert await processes.home("KWXTRB") is None
    assert not processes.reports()
