from typing import Literal

import pytest
from tests.client.rooms import member, standing

from sliderace.protocol import messages as m
from sliderace_client.shared_ui import wording


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (m.MemberEvent(0, member(1, 0), "joined"), "Ann joined"),
        (m.MemberEvent(0, member(1, None), "joined"), "Ann joined to watch"),
        (m.MemberEvent(0, member(1, 0, bot=True), "joined"), "Ann joined (bot)"),
        (m.MemberEvent(0, member(1, 0), "ready"), "Ann is ready"),
        (m.MemberEvent(0, member(1, 0), "unready"), "Ann is not ready"),
        (m.MemberEvent(0, member(1, 0), "connected"), "Ann is back"),
        (m.MemberEvent(0, member(1, 0), "disconnected"), "Ann lost the connection"),
        (m.MemberEvent(0, member(1, 0), "benched"), "Ann sits out"),
        (m.MemberEvent(0, member(1, 0), "unbenched"), "Ann plays again"),
        (m.MemberEvent(0, member(1, None), "role"), "Ann is now a spectator"),
    ],
)
def test_members(event: m.MemberEvent, text: str) -> None:
    assert wording.member(event) == text


def test_who_is_gone() -> None:
    told = [wording.gone("Ann", m.Gone(0, 1, why)) for why in GONE]
    assert told == ["Ann left", "Ann was sent out", "Ann was away too long"]
    ours = [wording.out(m.Gone(0, 1, why)) for why in GONE]
    assert ours == [
        "You left the room.",
        "The host sent you out.",
        "You were away too long.",
    ]


GONE: tuple[Literal["left", "kicked", "timeout"], ...] = ("left", "kicked", "timeout")


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (
            standing(0, "finished", time_ms=62_007, stm=40),
            "finished in 1:02.007 (40 moves)",
        ),
        (standing(0, "racing"), "races on"),
        (standing(0, "forfeited", high=999), "gave up at 99 %"),
        (standing(0, "dns"), "did not start"),
        (standing(0, "dnf", why="limit"), "did not finish: time is up"),
        (standing(0, "dnf", why="\x1b[2J"), "did not finish"),
    ],
)
def test_standings(row: m.Standing, text: str) -> None:
    assert wording.standing(row) == f"Ann {text}"


@pytest.mark.parametrize(
    ("phase", "in_ms", "text"),
    [
        ("lobby", None, "Waiting for players to be ready"),
        ("countdown", 4_001, "The race starts in 5 s"),
        ("racing", 120_000, "Go!"),
        ("grace", 60_000, "The others have 60 s left"),
        ("results", None, "The race is over"),
        ("aborted", None, "The race was called off"),
        ("closed", None, "The room is closed"),
    ],
)
def test_phases(phase: m.PhaseName, in_ms: int | None, text: str) -> None:
    assert wording.phase(phase, in_ms) == text


def test_closed() -> None:
    assert wording.closed(m.Closed(0, "host")) == "The host closed the room."
    assert "nobody was in it" in wording.closed(m.Closed(0, "timeout"))


def test_refusals_are_in_our_own_words_or_at_least_harmless() -> None:
    assert wording.refused(m.Refused("", "rate", "X", retry_ms=1_001)) == (
        "Too fast; slow down. Try again in 2 s."
    )
    assert wording.refused(m.Refused("", "new", "\x1b]0;Later\x07 words")) == (
        "]0;Later words"
    )
    assert wording.refused(m.Refused("", "new", "")) == "Refused."


def test_times_and_places() -> None:
    times = [0, 999, 61_001, 3_600_000, 36_061_001]
    told = ["0.000", "0.999", "1:01.001", "1:00:00.000", "10:01:01.001"]
    assert list(map(wording.duration, times)) == told
    assert [wording.ordinal(n) for n in (1, 2, 3, 4, 11, 13, 21)] == [
        *("1st", "2nd", "3rd", "4th", "11th", "13th", "21st")
    ]


def test_a_place_that_may_be_lost_is_a_question() -> None:
    assert wording.place(1, final=False) == "1st?"
    assert wording.place(2, final=True) == "2nd"


def test_how_far_away_somebody_is() -> None:
    told = [m.LineOf(1, 23, 4), m.LineOf(1, 23, 0), m.LineOf(1, 0, 0), None]
    assert list(map(wording.round_trip, told)) == ["23±4 ms", "23 ms", "<1 ms", ""]
    assert wording.round_trip(m.LineOf(1, 0, 3)) == "0±3 ms"
