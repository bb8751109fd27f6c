"""The client's model: own slides, rejected ones, and slides after a reconnect."""

from typing import Any

import pytest
from tests.client.rooms import (
    BEN,
    CAT,
    NEXT,
    RACE,
    START,
    TOKEN,
    ModelHarness,
    commands,
    fresh,
    member,
    results,
    room,
    snapshot,
    standing,
    view,
    welcome,
)

from sliderace.protocol import messages as m

NOW = 1_000
ONE_LEFT = "1 2 3/4 5 6/7 0 8"
"""START after L."""
SOLVED = "1 2 3/4 5 6/7 8 0"


def slides(*made: tuple[Any, int, int], gen: int = 0, seq: int = 1) -> m.Slides:
    return m.Slides(RACE, gen, seq, list(made))


# --- Own slides ----------------------------------------------------------------------


def test_ninety_tiles_in_a_second_are_sent_once_each_and_in_order() -> None:
    """Batched slides wait for the next message; none is lost or reordered."""
    ann = ModelHarness()
    ann.race("1 2 3/4 0 5/7 8 6")
    sent: list[m.Command] = []
    made = ["RL"[n % 2] for n in range(90)]
    for direction in made:
        sent += ann.slide((direction, 1))
        for _ in range(11):
            sent += ann.wait(1)
    sent += ann.wait(40)
    messages = [one for one in sent if isinstance(one, m.Slides)]
    assert len(messages) == len(sent)
    seqs = [one.seq + i for one in messages for i, _ in enumerate(one.slides)]
    assert seqs == list(range(1, 91))
    assert [way for one in messages for way, _, _ in one.slides] == made
    assert [at for one in messages for _, _, at in one.slides] == list(
        range(0, 990, 11)
    )


def test_first_slide_is_sent_at_once_and_later_ones_are_batched() -> None:
    ann = ModelHarness()
    ann.race("1 2 3/4 0 5/7 8 6")
    assert ann.slide(("R", 1)) == [slides(("R", 1, 0))]
    ann.now += 10
    assert ann.slide(("L", 1)) == []
    ann.now += 10
    assert ann.slide(("R", 1)) == []
    assert ann.model.next_due() == 1_000_033
    assert ann.wait(12) == []
    both = slides(("L", 1, 10), ("R", 1, 20), seq=2)
    assert ann.wait(1) == [both]
    assert ann.model.next_due() == 1_001_500  # if there is no ack until then
    ann.now += 40
    assert ann.slide(("L", 1)) == [slides(("L", 1, 73), seq=4)]


def test_solving_slide_is_sent_at_once_with_the_batch() -> None:
    ann = ModelHarness()
    ann.race()
    ann.slide(("L", 1))
    ann.now += 5
    ann.slide(("R", 1))
    assert ann.slide(("L", 2)) == [slides(("R", 1, 5), ("L", 2, 5), seq=2)]
    assert ann.view.done
    assert not ann.model.slide("R", 1, ann.now)


def test_slides_are_sent_before_a_forfeit() -> None:
    ann = ModelHarness()
    ann.race()
    ann.slide(("L", 1))
    ann.model.slide("R", 1, ann.now)
    ann.model.ask(m.Forfeit(RACE), ann.now)
    assert ann.sent() == [slides(("R", 1, 0), seq=2), m.Forfeit(RACE)]
    assert ann.view.can_undo(ann.now + 2_999)
    assert not ann.view.can_undo(ann.now + 3_000)


def test_refused_forfeit_cannot_be_undone() -> None:
    ann = ModelHarness()
    ann.race()
    ann.model.ask(m.Forfeit(RACE), ann.now)
    ann.receive(m.Refused("forfeit", "done", ""))
    assert not ann.view.can_undo(ann.now)


def test_long_burst_keeps_to_the_limits() -> None:
    ann = ModelHarness()
    ann.race()
    ann.slide(("L", 1))
    for _ in range(200):
        assert ann.model.slide("R", 1, ann.now)
        assert ann.model.slide("L", 1, ann.now)
    sent = ann.wait(33)
    assert [len(each.slides) for each in sent] == [60] * 5 + [20]  # type: ignore[union-attr]
    assert ann.model.next_due() == ann.now + 33
    later = ann.wait(33)
    assert [len(each.slides) for each in later] == [5]  # type: ignore[union-attr]
    assert ann.view.unacked == 401


def test_no_slide_while_locked_or_after_the_race() -> None:
    ann = ModelHarness()
    assert not ann.model.slide("L", 1, ann.now)
    assert not ann.model.slide_tile(7, ann.now)
    assert not ann.model.slide_cell(7, ann.now)
    ann.receive_next(m.PhaseEvent(0, RACE, "countdown", 1_200, [0, 1]))
    ann.receive(m.BoardEvent(RACE, None, 0, START, in_ms=3_000))
    assert ann.view.locked(ann.now) == 3_000
    ann.model.painted(ann.now + 16)
    assert not ann.model.slide("L", 1, ann.now + 3_015)
    assert ann.model.slide("L", 1, ann.now + 3_016)
    assert ann.view.attempt is not None
    assert ann.view.attempt.slides == [("L", 1, 0)]
    ann.receive_next(results())
    assert not ann.model.slide("R", 1, ann.now + 4_000)


def test_slide_by_tile_and_by_cell() -> None:
    ann = ModelHarness()
    ann.race()
    assert ann.model.slide_tile(8, ann.now)
    assert not ann.model.slide_tile(1, ann.now)
    assert not ann.model.slide_tile(99, ann.now)
    assert ann.view.board is not None
    assert ann.view.board.is_solved
    other = ModelHarness()
    other.race()
    assert not other.model.slide_cell(6, other.now)
    assert other.model.slide_cell(8, other.now)
    assert other.sent() == [slides(("L", 2, 0))]


def test_acks_count_for_their_race_only() -> None:
    ann = ModelHarness()
    ann.race()
    ann.slide(("L", 1), ("R", 1))
    assert ann.view.unacked == 2
    ann.receive(m.Ack(NEXT, 2))
    assert ann.view.unacked == 2
    ann.wait(40)
    ann.receive(m.Ack(RACE, 2))
    assert ann.view.unacked == 0


# --- Refused slides ------------------------------------------------------------------


def test_rejected_slides_are_replayed_on_the_servers_board_with_the_new_gen() -> None:
    ann = ModelHarness()
    ann.race()
    ann.slide(("L", 1), ("R", 1), ("D", 1))
    ann.wait(40)
    # the server's gap is elsewhere: L is not legal there, R and D are
    outs = ann.receive(m.Rejected(RACE, 1, 0, "illegal", "1 2 3/4 5 0/7 8 6"))
    assert commands(outs) == [slides(("R", 1, 0), ("D", 1, 0), gen=1)]
    ann.now += 40
    assert ann.slide(("U", 1))[0].gen == 1  # type: ignore[union-attr]


def test_slides_after_a_gap_are_sent_again() -> None:
    ann = ModelHarness()
    ann.race()
    ann.slide(("L", 1), ("R", 1))
    ann.wait(40)
    outs = ann.receive(m.Rejected(RACE, 1, 1, "gap", ONE_LEFT))
    assert commands(outs) == [slides(("R", 1, 0), gen=1, seq=2)]


@pytest.mark.parametrize("code", ["done", "not_racing", "too_early", "too_many_tiles"])
def test_final_rejection_is_not_retried(code: str) -> None:
    ann = ModelHarness()
    ann.race()
    ann.slide(("L", 1), ("R", 1))
    ann.wait(40)
    ann.receive(m.Rejected(RACE, 1, 1, code, None))
    assert ann.wait(1_000) == []
    assert ann.view.attempt is not None
    assert ann.view.attempt.seq == 1


def test_legal_slide_that_is_rejected_is_not_retried_forever() -> None:
    ann = ModelHarness()
    ann.race()
    ann.slide(("L", 1))
    ann.receive(m.Rejected(RACE, 1, 0, "illegal", START))
    assert ann.wait(1_000) == []


def test_rejection_of_another_race_only_changes_the_gen() -> None:
    ann = ModelHarness()
    ann.race()
    ann.receive(m.Rejected(NEXT, 5, 0, "wrong_race", None))
    assert ann.slide(("L", 1)) == [slides(("L", 1, 0), gen=5)]


def test_rejection_before_the_snapshot_counts() -> None:
    model = fresh(token=TOKEN)
    model.receive(welcome(seq=1, board=ONE_LEFT), NOW)
    model.receive(m.Rejected(RACE, 1, 0, "illegal", START), NOW)
    assert model.view.attempt is not None
    assert model.view.attempt.seq == 0


def test_rejected_solution_no_longer_shows_as_progress() -> None:
    ann = ModelHarness()
    ann.race()
    ann.slide(("L", 2))
    lane = ann.view.lane
    assert lane is not None
    assert (lane.high, lane.status) == (1000, "racing")
    ann.receive(m.Rejected(RACE, 1, 0, "too_early", START))
    assert lane.high == 0


# --- Reconnecting --------------------------------------------------------------------


def test_slides_made_offline_are_sent_if_the_boards_agree() -> None:
    ann = ModelHarness()
    ann.race()
    ann.slide(("L", 1), ("R", 1))
    ann.wait(40)
    ann.model.lost(1006)
    assert ann.model.slide("D", 1, ann.now)
    assert ann.model.next_due() is None
    assert ann.sent() == []
    ann.now += 900
    outs = ann.receive(welcome(seq=1, board=ONE_LEFT))
    again = slides(("R", 1, 0), ("D", 1, 40), seq=2)
    assert commands(outs) == [again]
    assert ann.view.attempt is not None
    assert not ann.view.attempt.approx


def test_each_connection_starts_with_its_own_gen() -> None:
    ann = ModelHarness()
    ann.race()
    ann.receive(m.Rejected(RACE, 3, 0, "illegal", START))
    ann.model.lost(1006)
    ann.receive(welcome(seq=0, board=START))
    assert ann.slide(("L", 1)) == [slides(("L", 1, 0), gen=0)]


def test_servers_board_wins_if_the_boards_differ() -> None:
    ann = ModelHarness()
    ann.race()
    ann.slide(("L", 1), ("R", 1))
    ann.model.lost(1006)
    assert commands(ann.receive(welcome(seq=1, board="1 2 3/4 5 6/7 8 0"))) == []
    assert ann.view.attempt is not None
    assert ann.view.attempt.seq == 1
    assert ann.view.done


def test_whole_attempt_is_kept_for_a_server_that_lost_slides() -> None:
    ann = ModelHarness()
    ann.race()
    ann.slide(("L", 1), ("R", 1))
    ann.wait(40)
    ann.receive(m.Ack(RACE, 2))
    ann.model.lost(1006)
    outs = ann.receive(welcome(seq=0, board=START))
    assert commands(outs) == [slides(("L", 1, 0), ("R", 1, 0))]


def test_ended_attempt_sends_nothing() -> None:
    ann = ModelHarness()
    ann.race()
    ann.slide(("L", 1))
    ann.model.lost(1006)
    ann.model.slide("R", 1, ann.now)
    assert commands(ann.receive(welcome(seq=1, board=None))) == []
    assert not ann.view.racing
    assert ann.wait(100) == []


def test_reload_in_the_race_counts_from_the_snapshot() -> None:
    ann = ModelHarness()
    lanes = [
        m.Lane(0, 1, 500, 1, "racing", ONE_LEFT),
        m.Lane(1, 4, 250, 6, "racing", None),
    ]
    race = view(roster=[0, 1], elapsed_ms=8_000, start=START, lanes=lanes)
    again = fresh(token=TOKEN)
    again.receive(welcome(seq=1, board=ONE_LEFT), ann.now)
    again.receive(snapshot(phase="racing", in_ms=112_000, race=race), ann.now)
    assert again.view.clock(ann.now) == 8_000
    again.painted(ann.now + 50)
    again.poll(ann.now)
    assert again.slide("L", 1, ann.now + 500)
    [sent] = commands(again.poll(ann.now + 500))
    assert sent == m.Slides(RACE, 0, 2, [("L", 1, 8_500)], approx=True)


def test_unknown_clock_after_a_reload_requests_a_snapshot() -> None:
    ann = ModelHarness()
    ann.receive_next(m.PhaseEvent(0, RACE, "countdown", 5_000, [0, 1]))
    ann.model.lost(1006)
    outs = ann.receive(welcome(seq=0, board=START))
    assert commands(outs) == [m.Resync(None)]
    assert ann.view.attempt is not None
    assert ann.view.attempt.approx


def test_snapshot_keeps_our_later_slides() -> None:
    ann = ModelHarness()
    ann.race()
    ann.slide(("L", 1), ("R", 1))
    lanes = [m.Lane(0, 1, 500, 1, "racing", ONE_LEFT)]
    race = view(roster=[0, 1], elapsed_ms=99, start=START, lanes=lanes)
    ann.receive(snapshot(9, phase="racing", race=race))
    attempt = ann.view.attempt
    assert attempt is not None
    assert attempt.seq == 2
    assert attempt.zero == 1_000_000
    lane = ann.view.lane
    assert lane is not None
    assert (lane.seq, lane.high) == (2, 500)


def test_reload_after_the_own_finish_shows_the_board_without_slides() -> None:
    model = fresh(token=TOKEN)
    lanes = [m.Lane(0, 1, 1000, 2, "finished", SOLVED)]
    row = standing(0, "finished", time_ms=2_345, place=1, high=1000)
    race = view(
        roster=[0, 1], elapsed_ms=9_000, start=START, lanes=lanes, standings=[row]
    )
    model.receive(welcome(), NOW)
    model.receive(snapshot(phase="grace", race=race), NOW)
    assert model.view.done
    assert not model.view.racing
    assert model.view.clock(NOW) == 2_345


def test_snapshot_without_our_board_begins_no_attempt() -> None:
    ann = ModelHarness()
    ann.model.painted(ann.now)
    lanes = [m.Lane(0, 0, 0, 0, "dns", None)]
    race = view(roster=[0, 1], elapsed_ms=9_000, start=START, lanes=lanes)
    ann.receive(snapshot(9, phase="racing", race=race))
    assert ann.view.board is None


def test_start_board_does_not_undo_boards_of_a_snapshot() -> None:
    ann = ModelHarness(members=[member(BEN, 1), member(CAT, 2)])
    lanes = [m.Lane(1, 1, 500, 1, "racing", ONE_LEFT)]
    race = view(roster=[1, 2], elapsed_ms=9, start=START, lanes=lanes)
    ann.receive(snapshot(9, phase="racing", race=race, members=[member(BEN, 1)]))
    ann.view.seat = None
    ann.receive(m.BoardEvent(RACE, None, 0, START))
    assert [lane.board_seq for lane in ann.view.lanes.values()] == [1, 0]


def test_welcome_to_another_race_ends_the_old_attempt() -> None:
    ann = ModelHarness()
    ann.race()
    ann.slide(("L", 1))
    ann.model.lost(1006)
    ann.receive(welcome(epoch=8, race=NEXT, seq=0, board=ONE_LEFT))
    race = view(id=NEXT, roster=[0], elapsed_ms=10, start=ONE_LEFT)
    ann.receive(snapshot(1, epoch=8, room=room(race=NEXT), phase="racing", race=race))
    attempt = ann.view.attempt
    assert attempt is not None
    assert (attempt.race, attempt.seq) == (NEXT, 0)


def test_welcome_after_the_race_replaces_a_lost_ack() -> None:
    ann = ModelHarness()
    ann.race()
    ann.slide(("L", 1))
    ann.model.lost(1006)
    assert ann.view.unacked == 1
    ann.receive(welcome(seq=1))
    assert ann.view.unacked == 0


def test_welcome_to_another_race_acks_nothing_of_this_one() -> None:
    ann = ModelHarness()
    ann.race()
    ann.slide(("L", 1))
    ann.model.lost(1006)
    ann.receive(welcome(race=NEXT, seq=1))
    assert ann.view.unacked == 1
