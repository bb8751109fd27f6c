"""Takes what the scribes of all rooms have gathered to the log: one append for all.

A task and a wake-up for each room and batch would cost more than the slides inside.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from sliderace_server.clock import Clock
from sliderace_server.load import LoadMeter
from sliderace_server.metrics import Metrics
from sliderace_server.storage import Append, Conflict, RoomLog, StorageUnavailable

__all__ = ["LogWriter", "Sender", "Spawn"]

_log = logging.getLogger(__name__)

REST_MS = (1, 10)
"""From the beginning of one append to that of the next, at least. A commit takes some
300 us of CPU, however much comes along: a calm server pays that for acks after a ms, on
a busy one they gather. Clients do not wait for acks: they are noticed by nobody."""
LOADS = (0.2, 0.65)
"""Of a core: up to where the first of `REST_MS` holds, and from where on the second;
in proportion between them."""

Spawn = Callable[[Coroutine[Any, Any, None]], None]
"""Starts a task that belongs to the server's task group."""


class Sender(Protocol):
    """A room's scribe, as the courier sees it."""

    def take(self) -> Append:
        """What is to be appended now."""
        ...

    def told(self, conflict: Conflict | None) -> None:
        """It is stored, or another writer has the room."""
        ...

    def alone(self, error: StorageUnavailable | None) -> None:
        """It may be stored or not: go on alone, until it is.

        Args:
            error: what the store said; None: the trouble may be another room's.
        """
        ...

    def give_up(self) -> None:
        """Nobody will tell what became of it."""
        ...


class LogWriter:
    """Appends for all rooms; while one append runs, the next one gathers.

    Args:
        log: where it goes.
        spawn: starts a task.
        flush: writes what is told of an append, now.
        clock: to rest between two appends.
        metrics: counts.
        load_meter: how busy the server is.
    """

    def __init__(
        self,
        log: RoomLog,
        spawn: Spawn,
        flush: Callable[[], None],
        clock: Clock,
        metrics: Metrics,
        load_meter: LoadMeter,
    ) -> None:
        self._log = log
        self._spawn = spawn
        self._flush = flush
        self._waiting: list[Sender] = []
        self._running = False
        self._clock = clock
        self._metrics = metrics
        self._load_meter = load_meter
        self._began = -REST_MS[1]

    def collect(self, sender: Sender) -> None:
        """Append what this one has gathered with the next round.

        Ask again once it was told; until then nothing more is taken from it.
        """
        self._waiting.append(sender)
        self._run()

    def _run(self) -> None:
        if not self._running:
            self._running = True
            self._spawn(self._rounds())

    @property
    def _rest_ms(self) -> int:
        (least, most), (calm, busy) = REST_MS, LOADS
        share = (self._load_meter.load - calm) / (busy - calm)
        return round(least + (most - least) * max(0.0, min(share, 1.0)))

    async def _rounds(self) -> None:
        try:
            while self._waiting:
                rest = self._began + self._rest_ms - self._clock.now_ms()
                if rest > 0:
                    await self._clock.sleep(rest / 1_000)
                self._began = self._clock.now_ms()
                senders, self._waiting = self._waiting, []
                await self._round(senders)
        except asyncio.CancelledError:
            for sender in self._waiting:
                sender.give_up()
            self._waiting.clear()
            raise
        finally:
            self._running = False
            if self._waiting:
                self._run()

    async def _round(self, senders: list[Sender]) -> None:
        appends = [sender.take() for sender in senders]
        try:
            conflicts = await self._log.append_all(appends)
        except StorageUnavailable as error:
            for sender in senders:
                sender.alone(error)
        except asyncio.CancelledError:
            for sender in senders:
                sender.give_up()
            raise
        except Exception:  # one room's trouble is not everybody's
            for sender in senders:
                sender.alone(None)
            raise
        else:
            took = (self._clock.now_ms() - self._began) / 1_000
            told = list(zip(senders, appends, conflicts, strict=True))
            stored = [len(one.records) for _, one, conflict in told if not conflict]
            self._metrics.committed(took, len(stored), sum(stored))
            for sender, _, conflict in told:
                _tell(sender, conflict)
            self._flush()


def _tell(sender: Sender, conflict: Conflict | None) -> None:
    """Tell one room; its mistake is not everybody's."""
    try:
        sender.told(conflict)
    except Exception:  # noqa: BLE001 - said above
        _log.exception("a room cannot be told what is stored")
