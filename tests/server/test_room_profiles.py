"""What a room notes of its members for their profiles, and what is stored of it."""

import pytest
from tests.server.room_fixture import RoomHarness

from sliderace.engine import Board
from sliderace.protocol import messages as m
from sliderace.protocol.codec import encode_event
from sliderace.race.daily import FIRST_DAY, day_start_ms
from sliderace.race.ranking import standings
from sliderace.race.refusal import Refusal
from sliderace.race.state import PlayedSlide
from sliderace.race.timing import Latency
from sliderace_server.registry.results_writer import pauses_of, stored_race
from sliderace_server.room import Connect, Disconnect, Enter
from sliderace_server.room.deadlines import EMPTY_MS
from sliderace_server.room.log_records import InputDeclared, ProfileKnown
from sliderace_server.signing_key import new_key
from sliderace_server.storage import AttemptRow, RaceSummary

KEY = new_key()
ANN, BEN = "ANNSPRFL", "BENSPRFL"


def summary(harness: RoomHarness) -> RaceSummary:
    return stored_race(harness.state, "test", KEY).summary


def rows(harness: RoomHarness) -> dict[str, AttemptRow]:
    return {row.name: row for row in summary(harness).attempts}


def raced(**more: object) -> RoomHarness:
    """Return a room whose race Ann has finished and Ben has given up."""
    seed = more.pop("seed", None)
    patch = m.RulesPatch(size="2x2", **more)  # type: ignore[arg-type]
    harness = RoomHarness(patch, seed=seed)  # type: ignore[arg-type]
    harness.enter("Ann", creator=True, profile=ANN)
    harness.enter("Ben")
    harness.start_race(1, 2)
    return harness


def finish(harness: RoomHarness) -> None:
    harness.solve(1)
    harness.ask(2, m.Forfeit(harness.race))
    harness.to_phase("results")


# --- profiles -------------------------------------------------------------------------


def test_the_attempt_of_a_member_with_a_profile_counts_for_it() -> None:
    harness = raced()
    finish(harness)
    assert {name: row.profile for name, row in rows(harness).items()} == {
        "Ann": ANN, "Ben": None,
    }  # fmt: skip


def test_an_attempt_that_has_begun_stays_a_guests() -> None:
    """Or a racer could decide by how it goes whether it counts."""
    harness = raced()
    harness.do(Disconnect(2))
    outcome = harness.do(Connect(2, profile=BEN))
    assert isinstance(outcome, list)
    assert ProfileKnown(harness.now, 2, BEN) in outcome
    finish(harness)
    assert rows(harness)["Ben"].profile is None
    assert harness.state.members[2].raced == (harness.race, 1), "it can be credited"
    assert rows(harness)["Ann"].profile == ANN


def test_a_member_who_has_left_keeps_the_attempt() -> None:
    harness = raced()
    harness.ask(1, m.Leave())
    harness.ask(2, m.Forfeit(harness.race))
    harness.to_phase("results")
    assert rows(harness)["Ann"].profile == ANN


def test_the_first_profile_of_a_member_stays() -> None:
    """Or a seat could give an attempt to whichever profile did not race yet."""
    harness = raced()
    assert harness.do(Connect(1, profile=BEN)) == []
    assert harness.state.members[1].profile == ANN
    assert harness.do(Connect(1)) == []


def test_only_the_member_is_told_their_profile() -> None:
    harness = raced()
    harness.do(Connect(2, profile=BEN))
    finish(harness)
    said = [*harness.events, harness.snapshot(2)]
    assert not any(ANN in encode_event(one) for one in said)
    assert not any(BEN in encode_event(one) for one in said)


def test_the_last_attempt_of_a_member_is_noted_for_a_later_profile() -> None:
    harness = raced()
    race = harness.race

    def last_attempt() -> object:
        return harness.state.members[2].raced

    assert last_attempt() is None
    finish(harness)
    assert last_attempt() == (race, 1)
    harness.ask(1, m.Rematch(harness.race))
    harness.crash(1_000)
    harness.do(Connect(2, profile=BEN))
    assert harness.state.members[2].profile == BEN
    assert last_attempt() == (race, 1)


def test_what_a_member_usually_needs_follows_their_last_times() -> None:
    harness = RoomHarness(m.RulesPatch(size="2x2"))
    harness.enter("Ann", creator=True, usual_ms=9_000)
    harness.enter("Ben")
    harness.start_race(1, 2)
    harness.wait(3_000)
    harness.solve(1)
    harness.solve(2)
    ann = harness.state.race.attempts[harness.seat(1)].finish
    ben = harness.state.race.attempts[harness.seat(2)].finish
    assert ann
    assert ben
    assert harness.state.members[1].usual_ms == (9_000 + ann.official) // 2
    assert harness.state.members[2].usual_ms == ben.official
    harness.ask(1, m.Rematch(harness.race))
    harness.start_race(1, 2)
    harness.ask(1, m.Forfeit(harness.race))
    harness.ask(2, m.Forfeit(harness.race))
    before = harness.state.members[1].usual_ms
    harness.to_phase("results")
    assert harness.state.members[1].usual_ms == before, "a DNF says little"
    harness.ask(1, m.Rematch(harness.race))
    harness.ask(1, m.Settings(m.RulesPatch(countdown_ms=4_000)))
    assert harness.state.members[1].usual_ms == before
    harness.ask(1, m.Settings(m.RulesPatch(size="3x2")))
    assert harness.state.members[1].usual_ms is None, "it was for another board"


# --- input ----------------------------------------------------------------------------


def test_the_last_declared_input_is_stored() -> None:
    harness = raced()
    for declared in ("keys", "mixed"):
        outcome = harness.ask(1, m.Input(harness.race, declared))
        assert outcome == [InputDeclared(harness.now, harness.seat(1), declared)]
    assert harness.ask(1, m.Input(harness.race, "mixed")) == []
    harness.crash(100)
    harness.do(Connect(1))
    harness.do(Connect(2))
    finish(harness)
    assert rows(harness)["Ann"].input == "mixed"
    assert rows(harness)["Ben"].input is None


def test_only_a_racer_declares_an_input_and_only_until_the_results() -> None:
    harness = raced()
    race = harness.race
    cat = harness.enter("Cat", role="spectator")
    dan = harness.enter("Dan")
    for late in (cat, dan):
        assert harness.ask(late, m.Input(race, "keys")) == Refusal("not_racing")
    odd = m.Input("X-0-0", "keys")
    assert harness.ask(1, odd) == Refusal("wrong_race", "race", "X-0-0")
    finish(harness)
    assert harness.ask(1, m.Input(race, "keys")) == Refusal("not_racing")
    harness.ask(1, m.Rematch(race))
    assert harness.ask(1, m.Input(harness.race, "keys")) == Refusal("not_racing")


# --- which attempts count -------------------------------------------------------------


def test_finished_and_given_up_attempts_count() -> None:
    harness = raced()
    finish(harness)
    assert {name: row.counts for name, row in rows(harness).items()} == {
        "Ann": True, "Ben": True,
    }  # fmt: skip


@pytest.mark.parametrize(
    "rule", [{"friendly_timing": True}, {"inspection_ms": 2_000}, {"seed": "tea"}]
)
def test_attempts_that_cannot_be_compared_do_not_count(rule: dict[str, object]) -> None:
    harness = raced(**rule)
    harness.wait(2_000)
    finish(harness)
    assert not any(row.counts for row in rows(harness).values())


def test_a_daily_race_counts_although_its_seed_is_known() -> None:
    rules = m.RulesPatch(size="2x2", start="every", countdown_ms=1_500)
    day = 20_787
    harness = RoomHarness(
        rules, seed="tea", kind="daily", day=day, wall_ms=day * 86_400_000
    )
    harness.enter("Ann", creator=True, profile=ANN)
    harness.to_phase("racing")
    harness.solve(1)
    assert rows(harness)["Ann"].counts


def test_attempts_of_bots_do_not_count() -> None:
    harness = RoomHarness(m.RulesPatch(size="2x2"))
    harness.enter("Ann", creator=True)
    harness.do(Enter("Bot", "hash", bot=True))
    harness.start_race(1, 2)
    harness.solve(1)
    harness.solve(2)
    assert {name: row.counts for name, row in rows(harness).items()} == {
        "Ann": True, "Bot": False,
    }  # fmt: skip
    assert harness.state.members[2].raced is None


def test_a_racer_who_never_saw_the_board_has_made_no_attempt() -> None:
    harness = RoomHarness(m.RulesPatch(size="2x2", away_ms=1_000))
    harness.enter("Ann", creator=True)
    harness.enter("Ben")
    harness.ready(1, 2)
    harness.ask(1, m.Start(harness.race))
    harness.do(Disconnect(2))
    harness.to_phase("racing")
    harness.wait(2_000)
    harness.solve(1)
    assert rows(harness)["Ben"].status == "dns"
    assert not rows(harness)["Ben"].counts


def seen_early(kind: m.RoomKind, **more: object) -> RoomHarness:
    """Return a room whose racer has the board 100 ms before T0, over a slow line."""
    start = m.RulesPatch(size="2x2", start="every", countdown_ms=3_000)
    day = FIRST_DAY if kind == "daily" else 0
    wall_ms = day_start_ms(FIRST_DAY)
    harness = RoomHarness(start, kind=kind, day=day, wall_ms=wall_ms, **more)  # type: ignore[arg-type]
    harness.latencies[1] = Latency(rtt_ms=250, samples=9)
    harness.enter("Ann", creator=True, profile=ANN)
    while not harness.state.race.drawn:
        harness.to_deadline()
    unlocked = harness.state.race.attempts[harness.seat(1)].unlocks_at
    assert unlocked == harness.state.race.t0 - 100
    harness.wait(unlocked - harness.now)
    assert harness.phase() == "countdown"
    return harness


@pytest.mark.parametrize("kind", ["solo", "daily", "quick"])
def test_whoever_leaves_between_the_board_and_the_start_has_a_dnf(
    kind: m.RoomKind,
) -> None:
    """Or a program could choose its boards."""
    harness = seen_early(kind)
    harness.ask(1, m.Leave())
    assert harness.state.closed
    assert (rows(harness)["Ann"].status, rows(harness)["Ann"].counts) == ("dnf", True)
    assert harness.state.race.phase == "results", "the try of a day is used up"


def test_whoever_disconnects_between_the_board_and_the_start_has_a_dnf() -> None:
    harness = seen_early("quick")
    harness.do(Disconnect(1))
    harness.wait(EMPTY_MS)
    assert (rows(harness)["Ann"].status, rows(harness)["Ann"].counts) == ("dnf", True)


def test_a_reconnection_before_the_start_hides_no_dnf() -> None:
    harness = seen_early("quick")
    harness.do(Disconnect(1))
    harness.do(Connect(1))
    harness.do(Disconnect(1))
    harness.wait(EMPTY_MS)
    assert rows(harness)["Ann"].status == "dnf"


def test_whoever_returns_after_the_start_makes_no_attempt_that_counts() -> None:
    """Another connection may have seen for them that the board is easy."""
    harness = RoomHarness(m.RulesPatch(size="2x2"))
    harness.enter("Ann", creator=True, profile=ANN)
    harness.enter("Ben")
    harness.ready(1, 2)
    while not harness.state.race.drawn:
        harness.to_deadline()
    harness.do(Disconnect(1))
    harness.to_phase("racing")
    harness.do(Connect(1))
    harness.solve(1)
    harness.solve(2)
    found = {name: (row.status, row.counts) for name, row in rows(harness).items()}
    assert found == {"Ann": ("finished", False), "Ben": ("finished", True)}


def test_a_racer_who_returns_to_a_board_seen_before_is_not_late() -> None:
    harness = raced()
    harness.do(Disconnect(1))
    harness.do(Connect(1))
    finish(harness)
    assert rows(harness)["Ann"].counts


def test_whoever_leaves_before_the_board_has_made_no_attempt() -> None:
    harness = RoomHarness(m.RulesPatch(size="2x2", start="every"), kind="solo")
    harness.enter("Ann", creator=True, profile=ANN)
    while not harness.state.race.drawn:
        harness.to_deadline()
    harness.ask(1, m.Leave())
    assert harness.state.closed
    assert harness.state.race.phase == "aborted"


def test_the_host_of_a_public_room_cannot_cancel_a_race_whose_board_was_sent() -> None:
    """Or a bad attempt would not count in averages."""
    harness = seen_early("room", public=True)
    assert harness.ask(1, m.Abort(harness.race)) == Refusal("race_counts")
    harness.to_phase("racing")
    assert harness.ask(1, m.Abort(harness.race)) == Refusal("race_counts")
    harness.ask(1, m.Close())
    assert rows(harness)["Ann"].counts


def test_the_host_of_a_private_room_can_cancel_a_race() -> None:
    harness = seen_early("room")
    assert isinstance(harness.ask(1, m.Abort(harness.race)), list)


def test_attempts_that_the_server_has_disturbed_do_not_count() -> None:
    """Of a finished one, only an outage in the last interval is credited."""
    harness = raced()
    harness.crash(5_000)
    for member in (1, 2):
        harness.do(Connect(member))
    finish(harness)
    assert not any(row.counts for row in rows(harness).values())


def test_a_solve_after_a_reload_counts() -> None:
    """Or whoever solves badly could say that they have reloaded."""
    harness = raced()
    slides = harness.slides(1)
    harness.ask(1, m.Slides(slides.race, 0, slides.seq, slides.slides, approx=True))
    harness.ask(2, m.Forfeit(harness.race))
    harness.to_phase("results")
    assert rows(harness)["Ann"].counts


# --- figures --------------------------------------------------------------------------


def test_figures_of_an_attempt_are_stored() -> None:
    harness = raced()
    harness.wait(700)
    solved = harness.slides(1)
    stamps: list[m.Slide] = [
        (d, k, 500 + 100 * n) for n, (d, k, _) in enumerate(solved.slides)
    ]
    harness.ask(1, m.Slides(solved.race, 0, 1, stamps))
    harness.ask(2, m.Forfeit(harness.race))
    harness.to_phase("results")
    row, other = rows(harness)["Ann"], rows(harness)["Ben"]
    board = Board(harness.state.race.size, harness.state.race.board)
    assert (summary(harness).kind, summary(harness).md) == ("room", board.md)
    assert row.solve_ms == standings(harness.state.race)[0].solve_ms
    assert (row.first_ms, row.pauses) == (500, 0)
    assert (other.solve_ms, other.first_ms, other.pauses) == (None, None, 0)


def test_the_first_slide_was_made_before_it_arrived() -> None:
    harness = raced()
    harness.wait(300)
    solved = harness.slides(1)
    late: list[m.Slide] = [
        (d, k, 10_000 + n) for n, (d, k, _) in enumerate(solved.slides)
    ]
    unlocked = harness.state.race.attempts[harness.seat(1)].unlocks_at
    harness.ask(1, m.Slides(solved.race, 0, 1, late))
    harness.ask(2, m.Forfeit(harness.race))
    harness.to_phase("results")
    assert rows(harness)["Ann"].first_ms == harness.now - unlocked - 3_000


def test_pauses_are_gaps_of_more_than_five_medians() -> None:
    def pauses(*stamps: int) -> int:
        return pauses_of([PlayedSlide("U", 1, stamp, 0) for stamp in stamps])

    assert pauses() == pauses(700) == pauses(0, 900) == 0
    assert pauses(0, 100, 200, 300, 800) == 0
    assert pauses(0, 100, 200, 300, 801) == 1
    assert pauses(0, 100, 200, 50, 651, 751) == 1, "a gap never goes back"
