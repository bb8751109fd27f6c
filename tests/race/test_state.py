"""When a phase ends."""

from tests.race.track import ANN, BEN, T0, Track

from sliderace.engine import Size
from sliderace.race import decide
from sliderace.race.apply import recovered
from sliderace.race.rules import Rules


def now_and_until(track: Track) -> tuple[str, int | None]:
    return track.race.phase, track.race.phase_until


def is_running(track: Track) -> bool:
    return track.race.running


def test_each_phase_has_its_end() -> None:
    track = Track()
    race = track.race
    assert race.size == Size(3, 2)
    assert now_and_until(track) == ("lobby", None)
    track.do(decide.begin_countdown(race, 0))
    assert now_and_until(track) == ("countdown", T0)
    track.do(decide.freeze_roster(race, {ANN: "", BEN: ""}, 3_800))
    track.do(decide.draw_board(race, {}, 3_800))
    assert not is_running(track)
    track.at(T0)
    assert now_and_until(track) == ("racing", T0 + 60_000)
    assert is_running(track)
    track.solve(ANN, T0 + 1_000)
    assert now_and_until(track) == ("grace", T0 + 60_000)
    recovered(race, T0 + 49_000, T0 + 50_000)
    assert now_and_until(track) == ("grace", T0 + 80_000)
    track.do(decide.call_time(race, T0 + 50_001))
    assert now_and_until(track) == ("results", None)


def test_racing_without_limit_has_no_end() -> None:
    track = Track(Rules(size="3x2", limit_ms=0)).start(ANN)
    assert track.race.phase_until is None
