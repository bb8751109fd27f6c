"""How records change a race; properties/test_race replays whole logs."""

import pytest
from tests.race.track import ANN, BEN, RACE_ID, SECRET, SMALL, T0, Track, replayed

from sliderace.engine import IllegalSlide
from sliderace.race import decide
from sliderace.race.apply import apply
from sliderace.race.log_records import RaceStarted, Slid


def test_new_race_replaces_the_old_one() -> None:
    track = Track().start(ANN)
    made = decide.create_race("NEXT-1", SMALL, SECRET, 9)
    race = apply(track.race, made)
    assert race is not track.race
    assert (race.id, race.phase, race.attempts) == ("NEXT-1", "lobby", {})


def test_record_of_another_race_is_an_error() -> None:
    track = Track()
    with pytest.raises(ValueError, match="NEXT-1"):
        apply(track.race, RaceStarted(0, "NEXT-1"))
    with pytest.raises(ValueError, match=RACE_ID):
        apply(None, RaceStarted(0, RACE_ID))


def test_illegal_slide_in_the_log_is_an_error() -> None:
    track = Track().start(ANN)
    with pytest.raises(IllegalSlide):
        apply(track.race, Slid(T0, RACE_ID, ANN, 1, (("R", 1, 0),)))


def test_disconnected_racer_who_slid_is_dnf_not_dns() -> None:
    track = Track().draw(ANN, BEN)
    track.do(decide.disconnected(track.race, ANN, 4_000))
    track.at(T0)
    track.slide(ANN, T0 + 1)
    track.at(T0 + 60_000)
    assert track[ANN].status == "dnf"


def test_same_log_gives_the_same_race() -> None:
    track = Track().start(ANN, BEN)
    track.slide(ANN, T0 + 10, 4)
    track.solve(BEN, T0 + 20)
    track.at(10**6)
    assert replayed(track.log) == track.race


def test_secrets_are_not_in_repr() -> None:
    track = Track(known_seed="ab" * 32).draw(ANN)
    printed = f"{track.race!r} {track.log!r}"
    assert SECRET.hex() not in printed
    assert "abab" not in printed
    assert str(track.race.board) not in printed
