"""The catalogue has a sentence for every outcome."""

from typing import Literal

import pytest
from tests.client.rooms import member, standing

from sliderace.protocol import messages as m
from sliderace.protocol.codes import CLOSE_CODES
from sliderace_client.room.outcomes import (
    BadMessage,
    ConnectionClosed,
    End,
    Fault,
    HostChanged,
    LockChanged,
    MemberGone,
    Notice,
    PhaseChanged,
    Reaction,
    Remark,
    Renamed,
    SizeChanged,
    Unreached,
    Won,
    WrongNonce,
)
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
        (m.MemberEvent(0, member(1, 0), "muted"), "The host muted Ann"),
        (m.MemberEvent(0, member(1, 0), "unmuted"), "The host unmuted Ann"),
        (Reaction(1, "Ann", 1), "Ann: Love it"),
        (Renamed("Ann", "Zoë"), "Ann is now called Zoë"),
        (m.MemberEvent(0, member(1, 0), "renamed"), ""),
        (m.MemberEvent(0, member(1, None), "role"), "Ann is a spectator now"),
        (m.MemberEvent(0, member(1, 0), "role"), "Ann is a player now"),
        (
            m.MemberEvent(0, member(1, None), "idle"),
            "Ann is a spectator now, after two races without a slide",
        ),
    ],
)
def test_every_change_of_a_member_has_a_sentence(
    event: m.MemberEvent | Renamed | Reaction, text: str
) -> None:
    assert wording.news(event) == text


def test_leaving_members_are_named_with_the_reason() -> None:
    gone = [wording.news(MemberGone("Ann", why)) for why in GONE]
    assert gone == ["Ann left", "The host removed Ann", "Ann was away too long"]
    ours = [wording.ending(End(why)) for why in GONE]
    assert ours == [
        "You left the room.",
        "The host removed you from the room.",
        "You were away too long.",
    ]


def test_news_of_a_race_name_a_bot_without_its_pace() -> None:
    row = standing(0, "finished", time_ms=62_007, name="\u2699 Fox \u00b7 ~12 s")
    assert wording.news(row).startswith("\u2699 Fox finished in 1:02.007")
    assert wording.news(Won((row.name,))) == "\u2699 Fox has won"


GONE: tuple[Literal["left", "kicked", "timeout"], ...] = ("left", "kicked", "timeout")


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (
            standing(0, "finished", time_ms=62_007, stm=40),
            "finished in 1:02.007 (40 moves)",
        ),
        (
            standing(0, "finished", time_ms=1_007, stm=1),
            "finished in 1.007 (1 move)",
        ),
        (standing(0, "racing"), "is racing again"),
        (standing(0, "forfeited", high=999), "gave up at 99%"),
        (standing(0, "dns"), "did not start"),
        (standing(0, "dnf", why="limit"), "did not finish: time is up"),
        (standing(0, "dnf", why="\x1b[2J"), "did not finish"),
    ],
)
def test_every_status_of_a_racer_has_a_sentence(row: m.Standing, text: str) -> None:
    assert wording.news(row) == f"Ann {text}"


@pytest.mark.parametrize("why", wording.DNF_REASONS)
def test_every_reason_for_a_dnf_has_a_sentence(why: str) -> None:
    assert wording.news(standing(0, "dnf", why=why)).startswith("Ann did not finish: ")
    assert wording.dnf_reason(why)
    assert wording.dnf_reason("\x1b[2J") == ""


@pytest.mark.parametrize(
    ("phase", "in_ms", "text"),
    [
        ("lobby", None, "Waiting for the players to get ready"),
        ("countdown", 4_001, "The race starts in 5 s"),
        ("racing", 120_000, "Go!"),
        ("grace", 60_000, "The others have 60 s left"),
        ("results", None, "The race is over"),
        ("aborted", None, "The race was called off"),
        ("closed", None, "The room is closed"),
    ],
)
def test_every_phase_has_a_sentence(
    phase: m.PhaseName, in_ms: int | None, text: str
) -> None:
    assert wording.news(PhaseChanged(phase, in_ms)) == text


@pytest.mark.parametrize("found", [*Fault, WrongNonce(3)])
def test_every_fault_has_a_sentence(found: Fault | WrongNonce) -> None:
    assert wording.news(found) == wording.fault(found)
    assert wording.fault(found).endswith(".")


@pytest.mark.parametrize("found", Remark)
def test_every_remark_has_a_sentence(found: Remark) -> None:
    assert wording.news(found) == wording.remark(found)
    assert wording.remark(found).endswith(".")


@pytest.mark.parametrize("notice", Notice)
def test_every_notice_has_a_sentence(notice: Notice) -> None:
    assert wording.news(notice)


@pytest.mark.parametrize(
    "why",
    [
        *End,
        *map(ConnectionClosed, CLOSE_CODES),
        ConnectionClosed(4999),
        BadMessage("no JSON"),
        Unreached("http://192.0.2.7:8710", "no answer in time"),
        m.Refused("hello", "room_full", ""),
    ],
)
def test_every_ending_has_a_sentence(why: End) -> None:
    assert wording.news(why) == wording.ending(why)
    assert wording.ending(why)


def test_endings_name_their_reason() -> None:
    assert "nobody was in it" in wording.ending(End.CLOSED_EMPTY)
    assert wording.ending(ConnectionClosed(4503)) == (
        "The connection was closed: replaced by a newer connection."
    )
    assert "4999" in wording.ending(ConnectionClosed(4999))
    assert wording.ending(Unreached("http://192.0.2.7", "no route")) == (
        "Cannot reach http://192.0.2.7: no route."
    )


def test_changes_of_the_room_have_sentences() -> None:
    assert wording.news(HostChanged("Ann")) == "Ann is the host now"
    assert wording.news(LockChanged(locked=True)) == "The room is locked"
    assert wording.news(LockChanged(locked=False)) == "The room is open"
    assert wording.news(SizeChanged("5x5")) == "The next board is 5x5"
    assert wording.news(Won(("Ada",))) == "Ada has won"
    assert wording.news(Won(("Ada", "Ben"))) == "Ada and Ben have won"


def test_refusals_use_catalogue_texts_and_unknown_ones_are_cleaned() -> None:
    assert wording.refused(m.Refused("", "rate", "X", retry_ms=1_001)) == (
        "Too fast; slow down. Try again in 2 s."
    )
    assert wording.refused(m.Refused("", "new", "\x1b]0;Later\x07 words")) == (
        "]0;Later words"
    )
    limit = m.Refused("settings", "bad_rules", "", "rules.limit_ms", "5")
    assert wording.refused(limit) == (
        "rules.limit_ms must be an integer from 10000 to 86400000, or -1, or 0, not 5."
    )
    unknown = m.Refused("settings", "bad_rules", "", "rules.new", "5")
    assert wording.refused(unknown) == "That rule cannot have this value."
    assert wording.refused(m.Refused("", "new", "")) == "The server refused that."


def test_times_are_exact_to_the_millisecond() -> None:
    times = [0, 999, 61_001, 3_600_000, 36_061_001]
    written = ["0.000", "0.999", "1:01.001", "1:00:00.000", "10:01:01.001"]
    assert list(map(wording.duration, times)) == written


def test_places_are_ordinals_and_a_provisional_one_has_a_question_mark() -> None:
    assert [wording.ordinal(n) for n in (1, 2, 3, 4, 11, 13, 21)] == [
        *("1st", "2nd", "3rd", "4th", "11th", "13th", "21st")
    ]
    assert wording.place(1, final=False) == "1st?"
    assert wording.place(2, final=True) == "2nd"


def test_latency_is_shown_with_its_jitter() -> None:
    measured = [
        m.MemberLatency(1, 23, 4),
        m.MemberLatency(1, 23, 0),
        m.MemberLatency(1, 0, 0),
        None,
    ]
    assert list(map(wording.round_trip, measured)) == ["23±4 ms", "23 ms", "<1 ms", ""]
    assert wording.round_trip(m.MemberLatency(1, 0, 3)) == "0±3 ms"


def test_an_unknown_status_is_shown_as_it_is() -> None:
    assert wording.status("racing") == "racing"
    assert wording.status("resting") == "resting"


def test_reaction_is_a_symbol_or_a_phrase() -> None:
    assert [wording.reaction_words(number) for number in (1, 9)] == ["♥", "Good luck"]
