"""The series of a room: who begins one, what counts, and what survives."""

import pytest
from tests.server.room_fixture import RoomHarness

from sliderace.protocol import messages as m
from sliderace.protocol.codec import event_bytes
from sliderace.protocol.limits import MAX_DOWN_BYTES
from sliderace.protocol.names import typed_name
from sliderace.race.refusal import Refusal
from sliderace.race.series import MAX_SCORES, Format, Score, Series
from sliderace_server import room
from sliderace_server.room import RoomLimits
from sliderace_server.room.log_records import SeriesBegan

ANN, BEN = 1, 2


def harness_with(*names: str, **more: object) -> RoomHarness:
    harness = RoomHarness(m.RulesPatch(size="2x2"), **more)  # type: ignore[arg-type]
    for name in names:
        harness.enter(name)
    return harness


def race(harness: RoomHarness, *order: int, out: tuple[int, ...] = ()) -> None:
    """Run a race to its results; the members of `order` finish 1 s apart."""
    if harness.state.phase == "results":
        harness.ask(ANN, m.Rematch(harness.race))
    harness.start_race(*order, *out)
    for member in order:
        harness.wait(1_000)
        harness.solve(member)
    for member in out:
        harness.ask(member, m.Forfeit(harness.race))
    harness.to_phase("results")


def wins(harness: RoomHarness) -> dict[str, int]:
    return {score.name: score.wins for score in harness.state.series.scores}


def table(harness: RoomHarness) -> m.SeriesTable:
    table = harness.snapshot(ANN).series
    assert table is not None
    return table


def test_a_new_room_counts_wins_in_an_open_series() -> None:
    harness = harness_with("Ann", "Ben", "Cleo")
    assert harness.state.series == Series()
    race(harness, BEN, ANN)
    race(harness, ANN, out=(BEN,))
    race(harness, BEN, ANN)
    assert [
        (row.place, row.name, row.wins, row.races) for row in table(harness).rows
    ] == [(1, "Ben", 2, 3), (2, "Ann", 1, 3)]


def test_the_host_begins_a_series_between_races() -> None:
    harness = harness_with("Ann", "Ben")
    assert harness.ask(BEN, m.Series("ao5")) == Refusal("not_host")
    race(harness, ANN, BEN)
    assert isinstance(harness.ask(ANN, m.Series("first", 3, 2)), list)
    assert harness.records[-1] == SeriesBegan(harness.now, "first", 3, 2)
    assert harness.state.series == Series("first", 3, 2)
    harness.ask(ANN, m.Rematch(harness.race))
    assert isinstance(harness.ask(ANN, m.Series("mo3", 9, 2)), list)
    assert harness.state.series == Series("mo3")


def test_a_series_is_not_changed_during_a_race() -> None:
    harness = harness_with("Ann", "Ben")
    harness.ask(ANN, m.Start(harness.race))
    assert harness.ask(ANN, m.Series("ao5")) == Refusal("wrong_phase")
    harness.to_phase("racing")
    assert harness.ask(ANN, m.Series("ao5")) == Refusal("wrong_phase")
    assert harness.state.series == Series()


@pytest.mark.parametrize(
    ("format_", "n", "refused"),
    [
        ("first", 0, "0"), ("first", 21, "21"), ("points", 0, "0"),
        ("first", 1, ""), ("first", 20, ""), ("points", 1, ""), ("points", 50, ""),
        ("open", 7, ""), ("mo3", 0, ""), ("ao12", 50, ""),
    ],
)  # fmt: skip
def test_the_length_of_a_series_has_a_range(
    format_: Format, n: int, refused: str
) -> None:
    outcome = harness_with("Ann").ask(ANN, m.Series(format_, n, 2))
    assert isinstance(outcome, list) == (not refused)
    assert not refused or outcome == Refusal("bad_series", "n", refused)


def test_beginning_the_same_series_again_resets_it_once() -> None:
    harness = harness_with("Ann", "Ben")
    assert harness.ask(ANN, m.Series("open")) == []
    race(harness, ANN, BEN)
    assert isinstance(harness.ask(ANN, m.Series("open")), list)
    assert harness.state.series == Series()
    assert harness.ask(ANN, m.Series("open")) == []


def test_first_to_one_by_two_and_an_average_alone_are_allowed() -> None:
    harness = harness_with("Ann")
    harness.ask(ANN, m.Series("first", 1, 2))
    race(harness, ANN)
    assert not table(harness).over
    race(harness, ANN)
    assert table(harness).over
    harness.ask(ANN, m.Series("mo3"))
    for _ in range(3):
        race(harness, ANN)
    assert table(harness).over
    assert table(harness).rows[0].average_ms == table(harness).rows[0].best_ms


def test_a_decided_series_stands_until_the_next_race_begins_another() -> None:
    harness = harness_with("Ann", "Ben")
    harness.ask(ANN, m.Series("first", 1))
    race(harness, BEN, ANN)
    assert table(harness).over
    harness.ask(ANN, m.Rematch(harness.race))
    assert table(harness).over
    race(harness, ANN, BEN)
    series = harness.state.series
    assert (series.format, series.n, series.races) == ("first", 1, 1)
    assert wins(harness) == {"Ann": 1, "Ben": 0}


def test_a_race_of_a_series_that_can_end_is_not_cancelled_after_its_start() -> None:
    harness = harness_with("Ann", "Ben")
    harness.ask(ANN, m.Series("first", 3))
    harness.ask(ANN, m.Start(harness.race))
    assert isinstance(harness.ask(ANN, m.Abort(harness.race)), list)
    harness.start_race(ANN, BEN)
    assert harness.ask(ANN, m.Abort(harness.race)) == Refusal("race_counts")
    harness.solve(BEN)
    assert harness.ask(ANN, m.Abort(harness.race)) == Refusal("race_counts")


def test_a_race_of_an_open_series_can_be_cancelled() -> None:
    harness = harness_with("Ann", "Ben")
    harness.start_race(ANN, BEN)
    assert isinstance(harness.ask(ANN, m.Abort(harness.race)), list)
    assert harness.state.series == Series()


def test_the_series_survives_a_killed_server() -> None:
    harness = harness_with("Ann", "Ben")
    harness.ask(ANN, m.Series("first", 3))
    race(harness, BEN, ANN)
    before = harness.state.series
    harness.crash(5_000)
    assert harness.state.series == before
    assert wins(harness) == {"Ann": 0, "Ben": 1}


def test_racers_who_left_stay_in_the_table_and_continue_when_they_come_back() -> None:
    harness = harness_with("Ann", "Ben")
    race(harness, BEN, ANN)
    harness.ask(BEN, m.Leave())
    harness.ask(ANN, m.Rematch(harness.race))
    race(harness, ANN)
    assert wins(harness) == {"Ann": 1, "Ben": 1}
    bot = harness.enter("Ben", bot=True)
    assert [score.member for score in harness.state.series.scores] == [ANN, BEN]
    harness.ask(bot, m.Leave())
    back = harness.enter("BEN")
    assert [score.member for score in harness.state.series.scores] == [ANN, back]
    race(harness, back, ANN)
    assert wins(harness) == {"Ann": 1, "BEN": 2}


@pytest.mark.parametrize("races_before", [0, 1])
def test_a_racer_who_leaves_and_is_back_before_the_end_keeps_the_result(
    races_before: int,
) -> None:
    harness = harness_with("Ann", "Ben", "Cleo")
    for _ in range(races_before):
        race(harness, BEN, ANN, 3)
        harness.ask(ANN, m.Rematch(harness.race))
    harness.start_race(ANN, BEN, 3)
    harness.solve(BEN)
    harness.ask(3, m.Leave())
    cleo = harness.enter("Cleo")
    harness.ask(BEN, m.Leave())
    harness.ask(harness.enter("Ben"), m.Leave())
    ben = harness.enter("Ben")
    harness.ask(cleo, m.Rename("Clio"))
    harness.wait(1_000)
    harness.solve(ANN)
    harness.to_phase("results")
    assert wins(harness) == {"Ann": 0, "Ben": races_before + 1, "Clio": 0}
    assert [score.races for score in harness.state.series.scores] == [
        races_before + 1
    ] * 3
    race(harness, ben, cleo)
    assert wins(harness)["Ben"] == races_before + 2
    assert harness.replayed() == harness.state


def test_a_dns_and_a_forfeit_do_not_count_as_results() -> None:
    harness = harness_with("Ann", "Ben", "Cleo")
    race(harness, ANN, out=(BEN,))
    ann, ben = harness.state.series.scores
    assert ann.results == (ann.best_ms,)
    assert ben.results == ("dnf",)
    harness.ask(ANN, m.Rematch(harness.race))
    harness.ask(BEN, m.Ready(harness.race))
    harness.ask(ANN, m.Start(harness.race))
    harness.do(room.Disconnect(BEN))
    harness.to_phase("racing")
    harness.solve(ANN)
    harness.to_phase("results")
    statuses = [row.status for row in room.standings_of(harness.state)]
    assert statuses == ["finished", "dns"]
    assert harness.state.series.scores[1].results == ("dnf", "dns")


def test_bots_are_listed_below_people() -> None:
    harness = harness_with("Ann")
    bot = harness.enter("Otter", bot=True)
    race(harness, bot, ANN)
    race(harness, ANN, bot)
    rows = [(row.place, row.name, row.wins) for row in table(harness).rows]
    assert rows == [(1, "Ann", 2), (1, "Otter", 1)]


def test_the_largest_snapshot_of_a_room_is_an_event() -> None:
    """All have the longest names, which have two marks on each letter."""

    def name(number: int) -> str:
        start = "".join(chr(0x10330 + (number >> 4 * digit & 15)) for digit in range(3))
        return start + "\U00010330\U0001e944\U0001e944" * 17

    limits = RoomLimits()
    harness = RoomHarness(m.RulesPatch(size="10x10"), limits=limits)
    players = [harness.enter(name(number)) for number in range(limits.players)]
    for number in range(limits.spectators):
        harness.enter(name(100 + number), role="spectator")
    harness.start_race(*players)
    for player in players:
        harness.ask(player, m.Forfeit(harness.race))
    harness.to_phase("results")
    for member in harness.state.members:
        harness.ask(ANN, m.Mute(member))
    most = 2**31
    scores = tuple(
        Score(20_000 + n, typed_name(name(n)), False, 9_999, 999, 9_999, most, (most,))
        for n in range(MAX_SCORES)
    )
    harness.state.series = Series("mo3", 0, 1, 9_999, over=True, scores=scores)
    size = len(event_bytes(harness.snapshot(ANN)))
    assert 50_000 < size <= MAX_DOWN_BYTES


def test_a_table_of_sixteen_is_at_most_two_kilobytes() -> None:
    most = 2**31
    scores = tuple(
        Score(20_000 + n, "漢" * 10, False, 9_999, 999, 9_999, most, (most,) * 12)
        for n in range(16)
    )
    series = Series("ao12", 0, 1, 9_999, over=True, scores=scores)
    size = len(event_bytes(m.SeriesEvent(room.series_table(series))))
    assert 1_000 < size <= 2_048
