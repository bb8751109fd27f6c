"""What a room's shell needs of the world, made for tests: no sockets, a fast clock."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from tests.e2e.protocol_client import FastClock

from sliderace_server.clock import Clock
from sliderace_server.live_room.services import Services
from sliderace_server.load import LoadMeter
from sliderace_server.metrics import Metrics
from sliderace_server.settings import ServerSettings
from sliderace_server.signing_key import new_key
from sliderace_server.storage import Store, StoredRace
from sliderace_server.storage.log_writer import LogWriter
from sliderace_server.websocket.send_queue import Flusher, text_frame

__all__ = ["works_with"]


def works_with(
    store: Store,
    group: asyncio.TaskGroup,
    kept: list[StoredRace] | None = None,
    clock: Clock | None = None,
) -> Services:
    """Everything real but the clock's speed; tasks belong to `group`."""
    config = ServerSettings(memory=True)

    def spawn(work: Coroutine[Any, Any, None]) -> None:
        group.create_task(work)

    clock = clock or FastClock()
    loop = asyncio.get_running_loop()
    flusher = Flusher(loop.call_soon, loop.call_later)
    metrics, load_meter = Metrics(), LoadMeter()
    return Services(
        config=config,
        room_limits=config.limits.room,
        told_limits=config.limits.announced,
        clock=clock,
        store=store,
        metrics=metrics,
        entropy=bytes,
        spawn=spawn,
        log_writer=LogWriter(
            store.log, spawn, flusher.flush, clock, metrics, load_meter
        ),
        keep=([] if kept is None else kept).append,
        version="test",
        key=new_key(),
        before_flush=flusher.before_flush,
        text_frame=text_frame,
        load_meter=load_meter,
    )
