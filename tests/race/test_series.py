"""The score of a series: formats, ranking, ends, bots, and who is kept."""

from itertools import count

import pytest

from sliderace.race.series import (
    KEPT_RACES,
    MAX_SCORES,
    Format,
    Outcome,
    Result,
    Series,
    average_of,
    ranked,
    renumbered,
    scored,
)

ANN, BEN, CLEO, BOT, BOT_2 = 1, 2, 3, 8, 9
NAMES = {ANN: "Ann", BEN: "Ben", CLEO: "Cleo", BOT: "Otter", BOT_2: "Crow"}


def race(**results: Result) -> list[Outcome]:
    """Return a race; the bots are those with the names of animals."""
    ids = {name.lower(): member for member, name in NAMES.items()}
    return [
        Outcome(ids[name], NAMES[ids[name]], ids[name] >= BOT, result)
        for name, result in results.items()
    ]


def played(series: Series, *races: list[Outcome]) -> Series:
    for outcomes in races:
        series = scored(series, outcomes)
    return series


def table(series: Series) -> list[tuple[int, str]]:
    return [(place, score.name) for place, score in ranked(series)]


def column(series: Series, field: str) -> dict[str, object]:
    return {score.name: getattr(score, field) for score in series.scores}


def test_an_open_series_counts_wins_and_never_ends() -> None:
    series = played(
        Series(),
        race(ann=9_000, ben=8_000),
        race(ann=7_000, ben=7_500),
        race(ann="dnf", ben=9_000),
    )
    assert column(series, "wins") == {"Ann": 1, "Ben": 2}
    assert column(series, "best_ms") == {"Ann": 7_000, "Ben": 7_500}
    assert table(series) == [(1, "Ben"), (2, "Ann")]
    assert (series.races, series.over, series.can_end) == (3, False, False)


def test_equal_wins_are_ranked_by_the_best_time_and_equal_ones_share_a_place() -> None:
    series = played(Series(), race(ann=9_000, ben=8_000), race(ann=7_000, ben=9_000))
    assert table(series) == [(1, "Ann"), (2, "Ben")]
    series = played(Series(), race(ann=9_000, ben=9_000, cleo="dnf"))
    assert column(series, "wins") == {"Ann": 1, "Ben": 1, "Cleo": 0}
    assert table(series) == [(1, "Ann"), (1, "Ben"), (3, "Cleo")]


def test_a_race_that_nobody_finishes_gives_no_win() -> None:
    series = played(Series(), race(ann="dnf", ben="dns"))
    assert column(series, "wins") == {"Ann": 0, "Ben": 0}
    assert column(series, "races") == {"Ann": 1, "Ben": 0}
    assert table(series) == [(1, "Ann"), (1, "Ben")]


def test_first_to_ends_with_enough_wins() -> None:
    ann, ben = race(ann=1, ben=2), race(ann=2, ben=1)
    series = played(Series("first", 2), ann, ben)
    assert not series.over
    series = played(series, ann)
    assert (series.over, series.can_end) == (True, True)


def test_first_to_by_two_goes_on_until_somebody_is_ahead() -> None:
    ann, ben = race(ann=1, ben=2), race(ann=2, ben=1)
    series = played(Series("first", 2, by=2), ann, ben, ann)
    assert not series.over
    assert played(series, ann).over
    assert played(Series("first", 1, by=2), ann, ann).over


def test_a_shared_first_place_decides_nothing() -> None:
    series = played(Series("first", 1), race(ann=1, ben=1))
    assert column(series, "wins") == {"Ann": 1, "Ben": 1}
    assert not series.over


def test_one_person_alone_can_win_a_series() -> None:
    assert played(Series("first", 1), race(ann=5_000)).over
    series = played(Series("ao5"), *[race(ann=5_000)] * 5)
    assert (series.over, average_of(series, series.scores[0])) == (True, 5_000)


@pytest.mark.parametrize(("format_", "length"), [("mo3", 3), ("ao5", 5), ("ao12", 12)])
def test_an_average_ends_after_its_races(format_: Format, length: int) -> None:
    one = race(ann=9_000, ben=8_000)
    series = played(Series(format_), *[one] * (length - 1))
    assert not series.over
    assert [average_of(series, score) for score in series.scores] == [None, None]
    series = played(series, one)
    assert series.over
    assert [average_of(series, score) for score in series.scores] == [9_000, 8_000]


def test_averages_are_ranked_with_dnf_last_and_then_by_the_best_time() -> None:
    series = played(
        Series("mo3"),
        race(ann=9_000, ben=1_000, cleo=2_000),
        race(ann=9_000, ben=1_000, cleo="dnf"),
        race(ann=9_000, ben="dnf", cleo=2_000),
    )
    averages = {one.name: average_of(series, one) for one in series.scores}
    assert averages == {"Ann": 9_000, "Ben": "dnf", "Cleo": "dnf"}
    assert table(series) == [(1, "Ann"), (2, "Ben"), (3, "Cleo")]
    series = played(Series("mo3"), *[race(ann=9_000, ben=9_000)] * 2,
                    race(ann=9_003, ben=9_004))  # fmt: skip
    assert table(series) == [(1, "Ann"), (1, "Ben")]  # 9001 is the average of both


def test_a_missed_race_counts_as_dnf_in_an_average() -> None:
    both, alone = race(ann=9_000, ben=8_000), race(ann=9_000)
    series = played(Series("ao5"), alone, both, both, both, both)
    assert series.scores[1].results == ("dns", 8_000, 8_000, 8_000, 8_000)
    assert average_of(series, series.scores[1]) == 8_000
    series = played(Series("ao5"), alone, both, both, both, alone)
    assert average_of(series, series.scores[1]) == "dnf"
    assert table(series) == [(1, "Ann"), (2, "Ben")]


def test_an_open_series_has_a_rolling_average_of_five() -> None:
    times = [5_000, 1_000, 2_000, 3_000, 4_000, 9_000]
    series = played(Series(), *[race(ann=time) for time in times[:4]])
    assert average_of(series, series.scores[0]) is None
    series = played(series, race(ann=times[4]))
    assert average_of(series, series.scores[0]) == 3_000
    series = played(series, race(ann=times[5]))
    assert average_of(series, series.scores[0]) == 3_000
    assert average_of(Series("first", 3), series.scores[0]) is None


def test_points_count_the_racers_that_a_finisher_beats() -> None:
    series = played(
        Series("points", 2),
        race(ann=1_000, ben=2_000, cleo="dnf"),
        race(ann="dns", ben=2_000, cleo=2_000),
    )
    assert column(series, "points") == {"Ann": 2, "Ben": 2, "Cleo": 1}
    assert table(series) == [(1, "Ann"), (2, "Ben"), (3, "Cleo")]
    assert series.over


def test_points_are_not_given_for_people_who_did_not_race() -> None:
    series = played(Series("points", 9), race(ann=1_000, ben=2_000), race(ann=1_000))
    assert column(series, "points") == {"Ann": 1, "Ben": 0}
    assert series.scores[1].results == (2_000, "dns")


def test_the_race_after_the_end_begins_the_next_series() -> None:
    series = played(Series("first", 1, by=1), race(ann=1, ben=2))
    assert series.over
    series = played(series, race(ben=3_000))
    assert (series.format, series.n, series.by) == ("first", 1, 1)
    assert (series.races, column(series, "wins")) == (1, {"Ben": 1})


def test_bots_are_ranked_below_and_take_nothing_from_people() -> None:
    series = played(
        Series("first", 2),
        race(otter=1_000, crow=900, ann=5_000, ben=6_000),
        race(otter=1_000, crow="dnf", ann="dnf", ben="dnf"),
        race(otter=1_000, crow=2_000, ann="dnf", ben=6_000),
    )
    assert column(series, "wins") == {"Otter": 2, "Crow": 1, "Ann": 1, "Ben": 1}
    assert column(series, "points") == {"Otter": 8, "Crow": 5, "Ann": 1, "Ben": 1}
    people, bots = [(1, "Ann"), (2, "Ben")], [(1, "Otter"), (2, "Crow")]
    assert table(series) == people + bots
    assert not series.over


def test_a_bot_wins_only_if_it_is_the_first_of_all_racers() -> None:
    series = played(
        Series(), race(otter=5_000, ann=4_000), race(otter=5_000, ann=6_000)
    )
    assert column(series, "wins") == {"Otter": 1, "Ann": 2}


def test_a_race_without_people_does_not_count() -> None:
    series = played(Series("points", 1), race(otter=1_000, crow=900))
    assert series == Series("points", 1)


def test_a_racer_who_comes_back_with_a_new_id_keeps_the_score() -> None:
    series = played(Series(), race(ann=9_000, ben=8_000))
    series = renumbered(series, BEN, CLEO)
    assert [score.member for score in series.scores] == [ANN, CLEO]
    assert column(series, "wins") == {"Ann": 0, "Ben": 1}
    series = played(series, [Outcome(CLEO, "Benno", False, 7_000)])
    assert column(series, "wins") == {"Ann": 0, "Benno": 2}


def test_single_results_are_kept_of_the_last_races_and_totals_of_all() -> None:
    series = Series()
    for n in range(KEPT_RACES + 5):
        series = scored(series, race(ann=1_000 + n))
    (ann,) = series.scores
    assert len(ann.results) == KEPT_RACES
    assert ann.results[-1] == 1_000 + KEPT_RACES + 4
    assert (ann.races, ann.wins, ann.best_ms) == (KEPT_RACES + 5,) * 2 + (1_000,)
    series = scored(series, race(ben=5_000))
    assert len(series.scores[1].results) == KEPT_RACES


def test_of_many_racers_those_who_left_give_way() -> None:
    ids = count(100)
    crowd = [Outcome(next(ids), "x", False, 5_000 + n) for n in range(MAX_SCORES)]
    series = played(Series(), race(ann=9_000), race(ben=8_000), crowd[:-2])
    assert len(series.scores) == MAX_SCORES
    new = Outcome(next(ids), "new", False, "dnf")
    series = scored(series, [*crowd[:2], new])
    names = [score.name for score in series.scores]
    assert len(names) == MAX_SCORES
    assert names[-1] == "new"
    assert "Ann" in names  # a winner who left is ranked before the others who left
    assert crowd[-3].member not in {score.member for score in series.scores}
