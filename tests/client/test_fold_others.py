"""The client's model: the other racers, standings and results."""

import pytest
from msgspec.structs import replace
from tests.client.rooms import (
    ANN,
    BEN,
    CAT,
    LIMITS,
    NEXT,
    RACE,
    START,
    TOKEN,
    ModelHarness,
    commands,
    fresh,
    member,
    notes,
    results,
    room,
    snapshot,
    standing,
    view,
    welcome,
)

from sliderace.protocol import messages as m
from sliderace.race.rules import Rules
from sliderace_client.room.outputs import Note

NOW = 1_000
ONE_LEFT = "1 2 3/4 5 6/7 0 8"
"""START after L."""
SOLVED = "1 2 3/4 5 6/7 8 0"


# --- The others ----------------------------------------------------------------------


def watching() -> ModelHarness:
    """Return Ann as a spectator of a race."""
    ann = ModelHarness(members=[member(ANN, None), member(BEN, 1), member(CAT, 2)])
    ann.race(roster=(1, 2))
    return ann


def test_racers_see_progress_but_no_boards() -> None:
    ann = ModelHarness()
    ann.race()
    ben = ann.view.lanes[1]
    assert (ben.name, ben.board) == ("Ben", None)
    ann.receive(m.Progress(RACE, [m.SeatProgress(1, 3, 250, 4)]))
    assert (ben.seq, ben.high, ben.stm, ben.board) == (3, 250, 4, None)


def test_racers_see_open_boards() -> None:
    ann = ModelHarness(room=room(rules=Rules("3x3", open_boards=True)))
    ann.race()
    assert ann.view.lanes[1].board is not None


def test_spectators_see_every_slide() -> None:
    ann = watching()
    ben = ann.view.lanes[1]
    ann.receive(m.Progress(RACE, [m.SeatProgress(1, 1, 500, 1, 0, "L")]))
    assert ben.board is not None
    assert ben.board.tiles == (1, 2, 3, 4, 5, 6, 7, 0, 8)
    ann.receive(m.Progress(NEXT, [m.SeatProgress(1, 2, 1000, 2, 1, "L")]))
    assert ben.board_seq == 1


def test_gap_in_a_seats_slides_requests_its_board_once() -> None:
    ann = watching()
    step = m.SeatProgress(1, 5, 500, 5, 4, "L")
    assert commands(ann.receive(m.Progress(RACE, [step]))) == [m.Resync(1)]
    assert ann.receive(m.Progress(RACE, [step])) == []
    ann.now += 2_000
    assert commands(ann.receive(m.Progress(RACE, [step]))) == [m.Resync(1)]
    ann.receive(m.BoardEvent(RACE, 1, 5, ONE_LEFT))
    ben = ann.view.lanes[1]
    assert (ben.board_seq, ben.board and ben.board.tiles[7]) == (5, 0)
    assert commands(
        ann.receive(m.Progress(RACE, [m.SeatProgress(1, 9, 1, 9, 7, "L")]))
    ) == [m.Resync(1)]


def test_boards_of_another_race_are_ignored() -> None:
    ann = watching()
    ann.receive(m.BoardEvent(NEXT, 1, 5, ONE_LEFT))
    assert ann.view.lanes[1].board_seq == 0


def test_own_board_can_be_requested() -> None:
    ann = ModelHarness()
    ann.race()
    ann.slide(("L", 1), ("R", 1))
    ann.receive(m.BoardEvent(RACE, 0, 1, ONE_LEFT))
    assert ann.view.attempt is not None
    assert ann.view.attempt.seq == 2
    ann.receive(m.BoardEvent(RACE, 0, 1, SOLVED))
    assert ann.view.attempt.seq == 1
    assert ann.view.done


def test_repeated_start_board_changes_no_running_attempt() -> None:
    ann = ModelHarness()
    ann.race()
    ann.slide(("L", 1))
    ann.receive(m.BoardEvent(RACE, None, 0, START, in_ms=500))
    assert ann.view.attempt is not None
    assert (ann.view.attempt.seq, ann.view.attempt.zero) == (1, 1_000_000)


def test_board_stays_locked_after_a_reload_in_the_inspection() -> None:
    ann = ModelHarness()
    ann.receive_next(m.PhaseEvent(0, RACE, "countdown", 1_200, [0, 1]))
    ann.receive(welcome(seq=0, board=START))
    ann.receive(m.BoardEvent(RACE, None, 0, START, in_ms=700))
    assert ann.view.locked(ann.now) == 700


@pytest.mark.parametrize(("limit_ms", "locked"), [(120_000, 2_500), (0, 0)])
def test_reload_in_the_inspection_knows_when_it_ends(
    limit_ms: int, locked: int
) -> None:
    rules = Rules("3x3", inspection_ms=5_000, limit_ms=limit_ms)
    lanes = [m.Lane(0, 0, 0, 0, "racing", START)]
    race = view(roster=[0, 1], elapsed_ms=None, start=START, lanes=lanes)
    in_ms = 122_500 if limit_ms else None
    model = fresh(token=TOKEN)
    model.receive(welcome(seq=0, board=START), NOW)
    message = snapshot(room=room(rules=rules), phase="racing", in_ms=in_ms, race=race)
    model.receive(message, NOW)
    assert model.view.locked(NOW) == locked


def test_resume_does_not_reopen_an_ended_attempt() -> None:
    ann = ModelHarness()
    ann.race()
    ann.receive_next(m.StandingEvent(0, RACE, standing(0, "forfeited")))
    ann.model.lost(1006)
    ann.receive(welcome(seq=0, board=START))
    assert not ann.model.slide("L", 1, ann.now)


def test_moves_before_a_reload_still_count() -> None:
    ann = ModelHarness()
    ann.model.lost(1006)
    message = m.Lane(0, 1, 0, 7, "racing", ONE_LEFT)
    race = view(roster=[0, 1], elapsed_ms=900, start=START, lanes=[message])
    ann.receive(
        welcome(seq=1, board=ONE_LEFT),
        snapshot(phase="racing", in_ms=9_000, race=race),
    )
    assert ann.view.stm == 7
    ann.slide(("L", 1))
    assert ann.view.stm == 8


@pytest.mark.parametrize(
    ("roster", "who", "missed"),
    [
        ([1], member(ANN, 0), True),
        ([0, 1], member(ANN, 0, ready=True), False),
        ([1], member(ANN, 0, benched=True), False),
        ([1], member(ANN, None), False),
    ],
)
def test_player_who_was_not_ready_gets_a_notice(
    roster: list[int], who: m.Member, missed: bool
) -> None:
    ann = ModelHarness(members=[who, member(BEN, 1, ready=True)])
    ann.receive_next(m.PhaseEvent(0, RACE, "countdown", 1_200, roster))
    said = notes(ann.receive_next(m.PhaseEvent(0, RACE, "racing", 9_000, roster)))
    assert said == [
        "You were not ready, so you are watching this race" if missed else "Go!"
    ]
    assert ann.view.left_out == (RACE if missed else "")


def test_own_progress_is_never_below_the_servers_figure() -> None:
    ann = ModelHarness()
    ann.race()
    ann.receive(m.Progress(RACE, [m.SeatProgress(0, 0, 400, 0)]))
    ann.slide(("L", 1), ("R", 1))
    lane = ann.view.lane
    assert lane is not None
    assert lane.high == 500


# --- Standings and results -----------------------------------------------------------


def test_finish_is_announced_and_kept() -> None:
    ann = ModelHarness()
    ann.race()
    row = standing(1, "finished", time_ms=12_345, stm=40, high=1000, place=1)
    outs = ann.receive_next(m.StandingEvent(0, RACE, row))
    assert outs == [Note(row, "good")]
    ann.receive_next(m.StandingEvent(0, NEXT, row))
    assert ann.view.lanes[1].time_ms == 12_345


def test_own_standing_ends_or_reopens_the_attempt() -> None:
    ann = ModelHarness()
    ann.race()
    ann.model.ask(m.Forfeit(RACE), ann.now)
    ann.receive_next(m.StandingEvent(0, RACE, standing(0, "forfeited")))
    assert not ann.model.slide("L", 1, ann.now)
    assert ann.view.can_undo(ann.now)
    ann.receive_next(m.StandingEvent(0, RACE, standing(0, "racing")))
    assert ann.slide(("L", 1))
    assert not ann.view.can_undo(ann.now)


def test_unknown_racer_gets_a_lane() -> None:
    ann = ModelHarness()
    ann.race()
    row = standing(7, "dns", name="Zoe")
    ann.receive_next(m.StandingEvent(0, RACE, row))
    assert ann.view.lanes[7].name == "Zoe"


def test_results_are_kept_until_the_next_countdown() -> None:
    ann = ModelHarness()
    ann.race()
    row = standing(1, "finished", time_ms=12_345, place=1)
    outs = ann.receive_next(results(standings=[row]))
    assert "The race is over" in notes(outs)
    assert ann.view.phase == "results"
    assert ann.view.results is not None
    ann.receive_next(m.RoomEvent(0, room(race=NEXT), "race"))
    assert ann.view.results is not None
    ann.receive_next(m.PhaseEvent(0, NEXT, "countdown", 5_000))
    assert ann.view.results is None


def test_results_without_faults_are_silent() -> None:
    ann = ModelHarness()
    ann.race(results().board)
    assert notes(ann.receive_next(results())) == ["The race is over"]
    assert ann.view.faults == []


def test_broken_commitment_is_announced() -> None:
    ann = ModelHarness()
    ann.race(results().board)
    # the first commitment counts, whatever the room says later
    ann.receive_next(m.RoomEvent(0, room(commitment="f" * 64), "settings"))
    assert ann.receive_next(results())
    assert ann.view.faults == []
    broken = ModelHarness(room=room(commitment="f" * 64))
    broken.race(results().board)
    outs = broken.receive_next(results())
    assert broken.model.view.faults
    assert Note(broken.model.view.faults[0], "bad") in outs


def test_results_in_a_snapshot_count_if_they_are_of_its_race() -> None:
    ann = ModelHarness()
    ann.receive(snapshot(5, phase="results", results=results(o=5)))
    assert ann.view.results is not None
    other = ModelHarness()
    other.receive(snapshot(5, results=results(o=5, race=NEXT)))
    assert other.model.view.results is None


def test_end_of_a_race_during_an_outage_is_announced_once() -> None:
    ann = ModelHarness()
    ann.race(results().board)
    ann.model.lost(1006)
    ann.receive(welcome())
    over = snapshot(9, phase="results", results=results(o=9))
    assert "The race is over" in notes(ann.receive(over))
    assert "The race is over" not in notes(ann.receive(over))
    newcomer = ModelHarness()
    assert "The race is over" not in notes(newcomer.receive(over))


def test_spectators_race_clock_runs_from_the_start() -> None:
    ann = watching()
    assert ann.view.clock(ann.now + 500) == 500
    ann.receive_next(m.PhaseEvent(0, RACE, "grace", 60_000))
    assert ann.view.clock(ann.now + 700) == 700
    ann.receive_next(results())
    assert ann.view.clock(ann.now + 700) is None


def test_client_keeps_to_the_servers_limits() -> None:
    ann = ModelHarness()
    ann.model.lost(1006)
    ann.receive(welcome(limits=replace(LIMITS, gather_ms=100)))
    ann.race()
    ann.slide(("L", 1))
    ann.now += 1
    ann.slide(("R", 1))
    assert ann.model.next_due() == 1_000_100
