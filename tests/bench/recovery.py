"""Measure a room's recovery after many races: `python -m tests.bench recovery`.

In every race four players slide a tile back and forth. Then the server is
stopped and started again on the same SQLite file.
"""

import asyncio
import tempfile
import time
from typing import Any

from tests.e2e.clocks import ManualClock
from tests.e2e.protocol_client import eventually
from tests.server.recording_subscriber import RecordingSubscriber

from sliderace.engine import OPPOSITE, Board, Size
from sliderace.protocol import messages as m
from sliderace_server import room
from sliderace_server.app import running
from sliderace_server.registry.actor import RoomActor
from sliderace_server.settings import ServerSettings
from sliderace_server.storage import open_store

STEP_MS = 500
"""Short enough that the board is stored long before T0."""
SLIDES = 100
"""Of each player in a race."""
STARTS = 5
"""Starts of the server per figure; the fastest counts."""


def figures_after(races: int) -> dict[str, Any]:
    """Return a room's log length and the time of the server's start."""
    with tempfile.TemporaryDirectory(prefix="sliderace-bench-") as folder:
        return asyncio.run(_measured(ServerSettings(port=0, data=folder), races))


async def _measured(settings: ServerSettings, races: int) -> dict[str, Any]:
    clock = ManualClock()
    async with running(settings, clock=clock, page={}) as server:
        rules = m.RulesPatch(size="4x4")
        actor = server.registry.open(m.Create(name="Ann", rules=rules), "")
        assert isinstance(actor, RoomActor)
        await _race(clock, actor, races)
    starts: list[float] = []
    for _ in range(STARTS):
        began = time.perf_counter()
        async with running(settings, clock=clock, page={}) as server:
            starts.append(time.perf_counter() - began)
            assert server.view.health()["rooms"] == 1
    async with open_store(settings.store_url) as store:
        records = await store.log.read(actor.code)
    return {
        "records": len(records),
        "bytes": sum(map(len, records)),
        "start_ms": round(min(starts) * 1e3, 1),
    }


async def _race(clock: ManualClock, actor: RoomActor, races: int) -> None:
    """Race so often; all have made their slides in the last race."""
    players = [RecordingSubscriber() for _ in range(4)]
    for number, one in enumerate(players):
        enter = room.Enter("Ann", str(number) * 64, creator=number == 0)
        actor.subscribe(one.subscriber, enter, token="t")
    await eventually(lambda: actor.idle)
    for number in range(races):
        if number:
            for one in players:
                actor.receive(one.subscriber, m.Forfeit(actor.state.race.id))
                one.events.clear()
            await _to_phase(clock, actor, "results")
            actor.receive(players[0].subscriber, m.Rematch(actor.state.race.id))
        await _slide(clock, actor, players)


async def _slide(
    clock: ManualClock, actor: RoomActor, players: list[RecordingSubscriber]
) -> None:
    """Begin a race, and slide a tile back and forth."""
    race = actor.state.race.id
    for one in players:
        actor.receive(one.subscriber, m.Ready(race))
    actor.receive(players[0].subscriber, m.Start(race))
    await _to_phase(clock, actor, "racing")
    slide = Board(Size(4, 4), actor.state.race.board).legal_slides()[0]
    for seq in range(1, SLIDES + 1):
        for one in players:
            slides = m.Slides(race, 0, seq, [(*slide, seq)])
            actor.slide(one.subscriber, slides, clock.now_ms())
        slide = OPPOSITE[slide[0]], slide[1]
    await eventually(lambda: actor.idle)


async def _to_phase(clock: ManualClock, actor: RoomActor, phase: str) -> None:
    while actor.state.phase != phase:
        await eventually(lambda: actor.idle)
        clock.advance(STEP_MS)
