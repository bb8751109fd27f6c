"""What a room's shell needs of the world, made for tests: no sockets, a fast clock."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from tests.e2e.talk import FastClock

from sliderace_server.clock import Clock
from sliderace_server.config import Config
from sliderace_server.courier import Courier
from sliderace_server.keys import new_key
from sliderace_server.metrics import Metrics
from sliderace_server.outbox import Postman
from sliderace_server.storage import Store, StoredRace
from sliderace_server.tempo import Tempo
from sliderace_server.works import Works

__all__ = ["works_with"]


def works_with(
    store: Store,
    group: asyncio.TaskGroup,
    kept: list[StoredRace] | None = None,
    clock: Clock | None = None,
) -> Works:
    """Everything real but the clock's speed; tasks belong to `group`."""
    config = Config(memory=True)

    def spawn(work: Coroutine[Any, Any, None]) -> None:
        group.create_task(work)

    clock = clock or FastClock()
    loop = asyncio.get_running_loop()
    postman = Postman(loop.call_soon, loop.call_later)
    metrics, tempo = Metrics(), Tempo()
    return Works(
        config=config,
        room_limits=config.limits.room,
        told_limits=config.limits.told,
        clock=clock,
        store=store,
        metrics=metrics,
        entropy=bytes,
        spawn=spawn,
        courier=Courier(store.log, spawn, postman.flush, clock, metrics, tempo),
        keep=([] if kept is None else kept).append,
        version="test",
        key=new_key(),
        postman=postman,
        tempo=tempo,
    )
