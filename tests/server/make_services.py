"""The services of a room's actor for tests: no sockets, and a fast clock."""

import asyncio
from collections.abc import Coroutine
from typing import Any, Self

from tests.e2e.protocol_client import FastClock

from sliderace_server.clock import Clock, WatchedClock
from sliderace_server.metrics import Metrics
from sliderace_server.pacing import LoadMeter
from sliderace_server.registry.services import Services, room_settings
from sliderace_server.registry.timer_wheel import TimerWheel
from sliderace_server.settings import ServerSettings
from sliderace_server.signing_key import new_key
from sliderace_server.storage import Store, StoredRace
from sliderace_server.storage.log_writer import LogWriter
from sliderace_server.websocket.send_queue import EventFrames, Flusher

__all__ = ["Tasks", "make_services"]


class Tasks:
    """A task group that cancels its tasks at the end of the context."""

    def __init__(self) -> None:
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        for task in self._tasks:
            task.cancel()
        for outcome in await asyncio.gather(*self._tasks, return_exceptions=True):
            if isinstance(outcome, Exception):
                raise outcome

    def create_task(self, work: Coroutine[Any, Any, None]) -> None:
        self._tasks.append(asyncio.get_running_loop().create_task(work))


def make_services(
    store: Store,
    group: Tasks,
    kept: list[StoredRace] | None = None,
    clock: Clock | None = None,
) -> Services:
    """Return real services with a fast clock; their tasks belong to `group`."""
    settings = ServerSettings(memory=True)

    def spawn(work: Coroutine[Any, Any, None]) -> None:
        group.create_task(work)

    watched = WatchedClock(clock or FastClock())
    loop = asyncio.get_running_loop()
    metrics, load_meter = Metrics(), LoadMeter()
    flusher = Flusher(loop.call_soon, loop.call_later, load_meter)
    return Services(
        settings=settings,
        room_settings=room_settings(settings, "test"),
        clock=watched,
        store=store,
        metrics=metrics,
        entropy=bytes,
        spawn=spawn,
        log_writer=LogWriter(store.log, flusher.flush, watched, metrics, load_meter),
        timers=TimerWheel(watched),
        store_race=([] if kept is None else kept).append,
        key=new_key(),
        before_flush=flusher.before_flush,
        frame=EventFrames(metrics.counts["encoded"]).frame,
        load_meter=load_meter,
    )
