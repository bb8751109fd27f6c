"""A series goes on after its server was killed."""

import asyncio
from pathlib import Path

import pytest
from tests.chaos.race import Racer
from tests.chaos.server_process import ServerProcess

from sliderace.protocol import messages as m

pytestmark = [pytest.mark.chaos, pytest.mark.slow, pytest.mark.timeout(120)]


def table(racer: Racer) -> list[tuple[int, str, int, int]]:
    """Return place, name, races and wins, best first."""
    series = racer.client.view.series
    rows = series.rows if series else []
    return [(row.place, row.name, row.races, row.wins) for row in rows]


def races(racer: Racer) -> int:
    series = racer.client.view.series
    return series.races if series else 0


async def one_race(*order: Racer) -> None:
    """Run a race; its racers finish in this order."""
    before = races(order[0])
    for one in order:
        await one.until(lambda o=one: o.client.view.phase == "lobby")  # type: ignore[misc]
        assert one.client.ask(m.Ready(one.client.view.race))
    for n, one in enumerate(order):  # their times differ by more than any credit
        one.pace = 0.005 + n * 0.2
        await one.play()
    for one in order:  # the table follows the results
        await one.until(lambda o=one: races(o) > before)  # type: ignore[misc]


async def test_first_to_three_survives_a_kill_between_its_races(
    tmp_path: Path,
) -> None:
    rules = m.RulesPatch(size="2x2", countdown_ms=3_000)
    with ServerProcess(tmp_path) as server:
        ann = Racer(server.url, m.Create(name="Ann", rules=rules))
        async with asyncio.TaskGroup() as group:
            group.create_task(ann.client.run())
            await ann.until(ann.entered)
            ben = Racer(server.url, m.Join(code=ann.client.view.code, name="Ben"))
            group.create_task(ben.client.run())
            await ben.until(ben.entered)
            assert ann.client.ask(m.Series("first", 3))
            await one_race(ben, ann)
            for _ in range(2):
                ann.client.ask(m.Rematch(ann.client.view.race))
                await one_race(ann, ben)
            before = table(ann)
            await asyncio.to_thread(server.kill)
            for one in (ann, ben):
                await one.until(lambda o=one: not o.online())  # type: ignore[misc]
                one.client.view.series = None
            await asyncio.to_thread(server.start)
            for one in (ann, ben):
                await one.until(lambda o=one: table(o) == before)  # type: ignore[misc]
            ann.client.ask(m.Rematch(ann.client.view.race))
            await one_race(ann, ben)
            series = ann.client.view.series
            assert series is not None
            assert (series.format, series.n, series.over) == ("first", 3, True)
            for one in (ann, ben):
                assert table(one) == [(1, "Ann", 4, 3), (2, "Ben", 4, 1)]
                one.client.ask(m.Leave())
