"""After a restore from an older backup, the client continues from the backup."""

from tests.client.rooms import (
    RACE,
    START,
    ModelHarness,
    commands,
    results,
    snapshot,
    standing,
    view,
    welcome,
)

from sliderace.protocol import messages as m

ONE_LEFT = "1 2 3/4 5 6/7 0 8"
"""START after L; another L solves it."""


def test_client_races_on_after_a_restore_although_it_saw_the_end() -> None:
    """The server has our first slide but not the second, which solved the board."""
    ann = ModelHarness()
    ann.race()
    ann.slide(("L", 1), ("L", 1))
    ann.receive(m.Ack(RACE, 2))
    ann.receive_next(
        m.StandingEvent(0, RACE, standing(0, "finished", time_ms=9, place=1))
    )
    ann.receive_next(results(standings=[standing(0, "finished", time_ms=9, place=1)]))
    assert ann.view.results is not None
    ann.model.lost(1006)
    ann.receive(welcome(epoch=8, seq=1, board=ONE_LEFT))
    lanes = [m.Lane(0, 1, 500, 1, "racing", ONE_LEFT)]
    race = view(roster=[0, 1], elapsed_ms=9, start=START, lanes=lanes)
    outs = ann.receive(snapshot(1, epoch=8, phase="racing", race=race))
    assert commands(outs) == [m.Slides(RACE, 0, 2, [("L", 1, 0)])]
    assert ann.view.results is None
