"""The table of a series is what its races give, counted again from all of them."""

from typing import NamedTuple

from hypothesis import given, strategies as st

from sliderace.race.series import (
    LENGTHS,
    Format,
    Outcome,
    Result,
    Series,
    average_of,
    ranked,
    scored,
)

BOTS = (6, 7)
NO_TIME: list[Result] = ["dnf", "dns"]
RESULTS = st.one_of(st.integers(1, 9), st.integers(1, 9), st.sampled_from(NO_TIME))
RACES = st.lists(
    st.dictionaries(st.integers(1, 7), RESULTS, min_size=1), min_size=1, max_size=30
)
FORMATS: st.SearchStrategy[Format] = st.sampled_from(
    ["open", "first", "mo3", "ao5", "ao12", "points"]
)
Race = dict[int, Result]


class Counted(NamedTuple):
    member: int
    races: int
    wins: int
    points: int
    best: int | None
    average: int | str | None


def compared(race: Race, member: int) -> list[int]:
    """Return the racers that a racer is compared with."""
    return [one for one in race if member in BOTS or one not in BOTS]


def times_of(race: Race, member: int) -> list[int]:
    rivals = compared(race, member)
    return [time for one in rivals if isinstance(time := race[one], int)]


def counted(format_: Format, races: list[Race], member: int) -> Counted:
    """Count one racer's score from all races."""
    results: list[Result] = [race.get(member, "dns") for race in races]
    finished = [(race, time) for race, time in zip(races, results, strict=True)
                if isinstance(time, int)]  # fmt: skip
    points = 0
    for race, time in finished:
        rivals = compared(race, member)
        points += sum(not _at_most(race[one], time) for one in rivals)
    return Counted(
        member,
        sum(one != "dns" for one in results),
        sum(min(times_of(race, member)) == time for race, time in finished),
        points,
        min((time for _, time in finished), default=None),
        _average(format_, results),
    )


def _at_most(result: Result, time: int) -> bool:
    return isinstance(result, int) and result <= time


def _average(format_: Format, results: list[Result]) -> int | str | None:
    length = {"open": 5, "mo3": 3, "ao5": 5, "ao12": 12}.get(format_)
    if length is None or len(results) < length:
        return None
    last = sorted(1 << 40 if isinstance(one, str) else one for one in results[-length:])
    inner = last if format_ == "mo3" else last[1:-1]
    if inner[-1] == 1 << 40:
        return "dnf"
    return int(sum(inner) / len(inner) + 0.5)


def ends(format_: Format, n: int, by: int, races: list[Race]) -> bool:
    people = {one for race in races for one in race if one not in BOTS}
    wins = sorted(counted(format_, races, one).wins for one in people)
    length = {"mo3": 3, "ao5": 5, "ao12": 12, "points": n}.get(format_)
    if format_ == "first":
        return wins[-1] >= n and wins[-1] - ([0, *wins][-2]) >= by
    return length is not None and len(races) >= length


@given(FORMATS, st.integers(1, 4), st.integers(1, 2), RACES)
def test_table_equals_the_count_over_all_races(
    format_: Format, n: int, by: int, races: list[Race]
) -> None:
    series = Series(format_, n if format_ in LENGTHS else 0, by)
    current: list[Race] = []
    over = False
    for race in races:
        rows = [Outcome(one, f"{one}", one in BOTS, race[one]) for one in race]
        series = scored(series, rows)
        if all(one in BOTS for one in race):
            continue
        current = [race] if over else [*current, race]
        over = ends(format_, n, by, current)
        assert series.over == over
        assert series.races == len(current)
    members = {one for race in current for one in race}
    found = {
        score.member: Counted(
            score.member,
            score.races,
            score.wins,
            score.points,
            score.best_ms,
            average_of(series, score),
        )
        for score in series.scores
    }
    assert found == {one: counted(format_, current, one) for one in members}
    order = [score.member in BOTS for _, score in ranked(series)]
    assert order == sorted(order)
