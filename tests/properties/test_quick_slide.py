"""The fast path for one slide gives the same result as the general rules."""

import copy
import pickle

from hypothesis import given, strategies as st
from tests.server.room_fixture import RoomHarness

from sliderace.protocol import messages as m
from sliderace.race import decide as race_decide
from sliderace.race.apply import apply as apply_to_race
from sliderace.race.log_records import LoggedSlide, Seat, Slid
from sliderace.race.quick_slide import open_attempt, quick_slide
from sliderace.race.state import Race

MAX_TILES = 16
MESSAGES = st.tuples(
    st.sampled_from([0] * 8 + [1, -1]),  # distance from the expected seq
    st.lists(
        st.tuples(st.integers(0, 5), st.sampled_from([1] * 8 + [2, 9])),
        min_size=1,
        max_size=2,
    ),
    st.booleans(),  # approx
    st.sampled_from([0] * 8 + [5, -5_000, 400_000]),  # ms until the next message
    st.sampled_from([0] * 8 + [1, 7]),  # seat
)


def running_race(size: str) -> tuple[Race, int]:
    """Return a race of two, and the room time after its start."""
    harness = RoomHarness(m.RulesPatch(size=size, countdown_ms=3_000))
    ann, ben = harness.enter("Ann", creator=True), harness.enter("Ben")
    harness.start_race(ann, ben)
    return harness.state.race, harness.now


def batch_of(race: Race, seat: Seat, ways: list[tuple[int, int]]) -> list[LoggedSlide]:
    """Return slides; the first one is legal if possible."""
    attempt = race.attempts.get(seat)
    legal = attempt.board.legal_slides() if attempt else [("U", 1)]
    return [
        (
            legal[way % len(legal)][0],
            legal[way % len(legal)][1] * (tiles // 2 or 1),
            way,
        )
        for way, tiles in ways
    ]


@given(st.sampled_from(["2x2", "3x2", "4x4"]), st.lists(MESSAGES, max_size=30))
def test_one_slide_is_checked_and_applied_as_by_the_general_rules(
    size: str,
    messages: list[tuple[int, list[tuple[int, int]], bool, int, int]],
) -> None:
    race, now = running_race(size)
    for off, ways, approx, passed, number in messages:
        now, seat = max(0, now + passed), Seat(number)
        attempt = race.attempts.get(seat)
        seq = max(1, (attempt.seq if attempt else 0) + 1 + off)
        batch = batch_of(race, seat, ways)
        general = copy.deepcopy(race)
        outcome = race_decide.slides(
            general, seat, seq, batch, approx, now, max_tiles=MAX_TILES
        )
        records = outcome if isinstance(outcome, list) else []
        for record in records:
            apply_to_race(general, record)
        before = pickle.dumps(race)
        opened, slid = open_attempt(race, seat), None
        if opened is not None:
            slid = quick_slide(opened, seq, batch, approx, now, MAX_TILES)
        if slid is None:
            assert pickle.dumps(race) == before, "it must not change anything"
            race = general
        else:
            assert [slid] == records
            assert type(slid) is Slid
            assert race == general


def test_two_slides_in_one_direction_are_one_move_in_mtm() -> None:
    race, now = running_race("4x4")
    legal = race.attempts[Seat(0)].board.legal_slides()
    direction = next(way for way, tiles in legal if tiles == 2)
    for seq in (1, 2):
        opened = open_attempt(race, Seat(0))
        assert opened is not None
        assert quick_slide(opened, seq, [(direction, 1, seq)], False, now, MAX_TILES)
    assert (race.attempts[Seat(0)].stm, race.attempts[Seat(0)].mtm) == (2, 1)
