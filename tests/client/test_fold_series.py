"""The client's model: the series of a room."""

from msgspec.structs import replace
from tests.client.rooms import (
    BEN,
    RACE,
    ModelHarness,
    notes,
    room,
    snapshot,
    welcome,
)

from sliderace.protocol import messages as m


def table(*names: str) -> m.SeriesTable:
    rows = [
        m.SeriesRow(1, n, name, False, 1, 0, 0, None, None)
        for n, name in enumerate(names, 1)
    ]
    return m.SeriesTable("open", 0, 1, 1, over=False, rows=rows)


def test_each_table_replaces_the_last_one() -> None:
    ann = ModelHarness()
    ann.receive(m.SeriesEvent(table("Ann")))
    assert ann.view.series == table("Ann")
    ann.receive(m.SeriesEvent(table("Ann", "Ben")))
    assert ann.view.series == table("Ann", "Ben")
    ann.receive(snapshot(series=table("Ben")))
    assert ann.view.series == table("Ben")


def test_names_in_a_table_are_cleaned() -> None:
    ann = ModelHarness()
    ann.receive(m.SeriesEvent(table("B\u202een", "\u200b")))
    assert ann.view.series == table("Ben", "?")


def test_the_winner_of_a_series_is_announced_once() -> None:
    ann = ModelHarness()
    over = replace(table("Ann", "Ben"), over=True)
    assert notes(ann.receive(m.SeriesEvent(table("Ann", "Ben")))) == []
    said = notes(ann.receive(m.SeriesEvent(over)))
    assert said == ["Ann and Ben share the series"]
    assert notes(ann.receive(m.SeriesEvent(over))) == []
    assert notes(ann.receive(m.SeriesEvent(replace(over, rows=[])))) == []
    assert ann.view.series == replace(over, rows=[])


def test_server_without_series_has_no_table() -> None:
    ann = ModelHarness()
    ann.receive(welcome())
    ann.receive(snapshot())
    assert ann.view.series is None
    assert ann.view.features == frozenset()
    ann.receive(welcome(features=["series"]))
    assert ann.view.features == {"series"}


def test_client_says_that_it_understands_series() -> None:
    assert "series" in ModelHarness().model.hello().can


def can_call_off(client: ModelHarness) -> bool:
    """Return the value so that the type checker does not narrow it."""
    return client.view.can_call_off


def test_host_cannot_call_off_a_race_that_counts() -> None:
    ann = ModelHarness()
    assert not can_call_off(ann)
    ann.receive_next(m.PhaseEvent(0, RACE, "countdown", 5_000))
    ann.receive(m.SeriesEvent(replace(table(), format="ao5")))
    assert can_call_off(ann)
    ann.race()
    assert not can_call_off(ann)
    ann.receive(m.SeriesEvent(table()))
    assert can_call_off(ann)
    assert not can_call_off(ModelHarness(room=room(host=BEN)))
