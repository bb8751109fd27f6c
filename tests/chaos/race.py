"""A race of real clients on a real server, checked at its end."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any
from urllib.request import urlopen

from tests.chaos.server_process import ServerProcess
from tests.log_checker import Observed, faults
from tests.recording_client import RecordingClient

from sliderace.engine import parse_board
from sliderace.proof.verify import verify
from sliderace.protocol import messages as m
from sliderace.solve import solve
from sliderace_client.net.signature import check_signature

__all__ = ["Race", "Racer", "running_race"]


async def _nothing(_left: int) -> None:
    """Before a slide: do nothing."""


class Racer:
    """The real client; its player solves the board at a steady pace.

    Attributes:
        pace: seconds between slides.
        before_slide: called with the number of slides that are left, before each.
    """

    def __init__(self, server: str, enter: m.Create | m.Join) -> None:
        self.changed = asyncio.Event()
        self.pace = 0.2  # slow enough to outlast the failures on a slow machine
        self.before_slide: Callable[[int], Awaitable[None]] = _nothing
        self.client = RecordingClient(
            server, enter, Observed(0), on_change=self.changed.set
        )

    @property
    def acked(self) -> int:
        """How many slides the server acknowledged."""
        attempt = self.client.view.attempt
        return attempt.acked if attempt else 0

    @property
    def made(self) -> list[tuple[str, int, int]]:
        """All slides, with the times at which they were made."""
        attempt = self.client.view.attempt
        return [*attempt.slides] if attempt else []

    def entered(self) -> bool:
        return self.client.view.room is not None

    def online(self) -> bool:
        return self.client.view.online

    def done(self) -> bool:
        return self.client.view.results is not None

    async def until(self, condition: Callable[[], object]) -> None:
        while not condition():
            self.changed.clear()
            await self.changed.wait()

    async def play(self) -> None:
        """Solve the board, even while the server is unreachable."""
        client, view = self.client, self.client.view
        await self.until(lambda: view.board is not None and view.racing)
        client.painted()
        assert view.start is not None
        slides = [slide for stage in solve(parse_board(view.start)) for slide in stage]
        for left, slide in zip(range(len(slides), 0, -1), slides, strict=True):
            await asyncio.sleep(self.pace)
            await self.before_slide(left)
            await self.until(lambda: view.racing)
            assert client.slide(*slide)


class Race:
    """One race, from its start to its results.

    Attributes:
        server: the server process.
        racers: the host first.
        plays: one task per racer, done when the board is solved.
    """

    def __init__(
        self,
        server: ServerProcess,
        racers: Sequence[Racer],
        plays: Sequence[asyncio.Task[None]],
    ) -> None:
        self.server = server
        self.racers = racers
        self.plays = plays

    def acked(self) -> list[int]:
        """How many slides of each racer are acknowledged."""
        return [one.acked for one in self.racers]

    async def moved(self, slides: int = 5) -> None:
        """Wait until each racer has so many more acknowledged slides, or has solved."""
        pairs = zip(self.racers, self.plays, self.acked(), strict=True)
        waits = [_moved(one, play, had + slides) for one, play, had in pairs]
        await asyncio.gather(*waits)

    async def back(self, durable: Sequence[int]) -> None:
        """Wait until every racer is online, with all slides that were durable."""
        for one, slides in zip(self.racers, durable, strict=True):
            await one.until(one.online)
            assert one.acked >= slides

    async def finish(self) -> dict[str, Any]:
        """Finish the race; check and return its race record.

        The record holds every slide of every client exactly once and in order. All
        clients have the same results and found nothing wrong with the record. The log
        checker finds no fault in the room's log.
        """
        for one in self.racers:
            one.pace = 0.005
        await asyncio.gather(*self.plays)
        for one in self.racers:
            await one.until(one.done)
        results = [one.client.view.results for one in self.racers]
        made = {one.client.view.seat: one.made for one in self.racers}
        first = results[0]
        assert first is not None
        assert {row.status for row in first.standings} == {"finished"}
        assert all(result == first for result in results)
        assert all(not one.client.view.faults for one in self.racers)
        record = await asyncio.to_thread(_get, f"{self.server.url}{first.record}")
        assert {check.verdict for check in verify(record, check_signature)} == {"ok"}
        for racer in record["record"]["racers"]:
            stored = [(slide[0], slide[1], slide[2]) for slide in racer["slides"]]
            assert stored == made[racer["seat"]]
        assert await asyncio.to_thread(self.server.log_of, self.code) != []
        assert await self.faults() == []
        return record

    async def stalls(self) -> int:
        """Return how often the server noticed that it had stood still, on its own.

        A busy machine causes stalls, and the race record lists each as an outage.
        """
        log = await asyncio.to_thread(self.server.log.read_text)
        return len(re.findall(r"Z warning stalled\b", log))

    @property
    def code(self) -> str:
        """The room's code."""
        return self.racers[0].client.view.code

    async def faults(self) -> list[str]:
        """Return what the log checker finds."""
        for one in self.racers:
            one.client.note_board()
        log = await asyncio.to_thread(self.server.log_of, self.code)
        return faults(log, [one.client.observed for one in self.racers])


@asynccontextmanager
async def running_race(
    server: ServerProcess,
    count: int = 3,
    size: str = "6x6",
    through: Sequence[str] = (),
) -> AsyncGenerator[Race, None]:
    """Start a race in which everybody slides; at the end all leave.

    Args:
        server: the server process.
        count: number of racers.
        size: the board's size.
        through: an address per racer to connect to; empty: the server's own.
    """
    addresses = [*through] or [server.url] * count
    rules = m.RulesPatch(size=size, countdown_ms=3_000)
    host = Racer(addresses[0], m.Create(name="Host", rules=rules))
    racers = [host]
    async with asyncio.TaskGroup() as group:
        group.create_task(host.client.run())
        await host.until(host.entered)
        room = host.client.view.room
        assert room is not None
        for number in range(1, count):
            enter = m.Join(code=room.code, name=f"P{number}")
            one = Racer(addresses[number], enter)
            racers.append(one)
            group.create_task(one.client.run())
            await one.until(one.entered)
        for one in racers:
            assert one.client.ask(m.Ready(one.client.view.race))
        if count == 1:
            assert host.client.ask(m.Start(host.client.view.race))
        plays = [group.create_task(one.play()) for one in racers]
        for one in racers:
            await one.until(lambda o=one: o.client.view.racing)  # type: ignore[misc]
        yield Race(server, racers, plays)
        for one in racers:
            one.client.ask(m.Leave())


async def _moved(racer: Racer, play: asyncio.Task[None], slides: int) -> None:
    def moved() -> bool:
        solved = play.done() and racer.acked == len(racer.made)
        return racer.acked >= slides or solved

    await racer.until(moved)


def _get(url: str) -> dict[str, Any]:
    with urlopen(url, timeout=3) as answer:  # noqa: S310
        return json.load(answer)  # type: ignore[no-any-return]
