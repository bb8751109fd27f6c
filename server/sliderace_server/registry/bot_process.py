"""The child process in which the bots of the server play.

Rules:

- The first bot starts it. It connects to us like any client, so no board is ever solved
  in the server's event loop, and a bot cannot see more than a player.
- Its standard input is the only way to it: one line per bot. It ends when that input
  ends, even if the server is killed.
- If it ends by itself, another one is started, with the bots of all rooms. After
  `RESTARTS` restarts within `RESTARTS_MS`, no child is started until this time has
  passed.
- The server never waits for it: the bots of a child that hangs are like players who do
  nothing.
"""

import asyncio
import contextlib
import logging
import sys
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass

import msgspec

from sliderace.race.refusal import Refusal
from sliderace_server.storage.log_writer import Spawn

__all__ = ["BotProcess", "BotSeat"]

_log = logging.getLogger(__name__)

MODULE = "sliderace_client.bots"
RESTARTS = 5
RESTARTS_MS = 60_000
END_S = 1.0
"""Time for the child to end once its input has ended."""


@dataclass(frozen=True, slots=True)
class BotSeat:
    """What the child needs to know about one bot.

    Args:
        room: the room's code.
        token: the seat token.
        level: how strong it is; None: it has a pace.
        pace_ms: the time that it aims at; None: it has a level.
    """

    room: str
    token: str
    level: str | None
    pace_ms: int | None


class BotProcess:
    """The child, started and restarted when it is needed.

    Args:
        spawn: starts a task.
        now_ms: the monotonic clock.
        seats: returns all bots of the server.
        certificate: file of the server's TLS certificate, or empty.

    Attributes:
        url: where the child reaches this server; empty until that is known.
    """

    def __init__(
        self,
        spawn: Spawn,
        now_ms: Callable[[], int],
        seats: Callable[[], Iterable[BotSeat]],
        certificate: str = "",
    ) -> None:
        self.url = ""
        self._spawn = spawn
        self._now_ms = now_ms
        self._seats = seats
        self._more = (certificate,) if certificate else ()
        self._ends: deque[int] = deque(maxlen=RESTARTS + 1)
        self._running = False
        self._input: asyncio.StreamWriter | None = None

    def refusal(self) -> Refusal | None:
        """Return why no bots can play now, or None."""
        if not self.url:
            return Refusal("bots_unavailable")
        if wait := self._pause_ms():
            return Refusal("bots_unavailable", retry_ms=wait)
        return None

    def play(self, seats: Iterable[BotSeat]) -> None:
        """Let new bots play; start the child if it does not run."""
        if self._input is not None:
            self._write(seats)
        elif self.url and not self._running and not self._pause_ms():
            self._running = True
            self._spawn(self._run())

    def _pause_ms(self) -> int:
        """Return for how many ms no child is started, because too many have ended."""
        if len(self._ends) <= RESTARTS:
            return 0
        return max(0, self._ends[0] + RESTARTS_MS - self._now_ms())

    def _write(self, seats: Iterable[BotSeat]) -> None:
        assert self._input is not None  # noqa: S101 - the child runs
        for seat in seats:
            self._input.write(msgspec.json.encode(asdict(seat)) + b"\n")

    async def _run(self) -> None:
        """Run a child while there are bots, unless it ends too often."""
        try:
            while any(self._seats()):
                await self._run_child()
                self._ends.append(self._now_ms())
                if self._pause_ms():
                    _log.error("the bots ended too often; there are none for a while")
                    return
        except OSError as error:
            self._ends.extend([self._now_ms()] * (RESTARTS + 1))
            _log.error("cannot start the bots", extra={"error": str(error)})
        finally:
            self._running = False

    async def _run_child(self) -> None:
        child = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", MODULE, self.url, *self._more),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,  # ours may be a pipe to our parent
            start_new_session=True,  # Ctrl-C is for us
        )
        _log.info("bots started", extra={"pid": child.pid})
        try:
            self._input = child.stdin
            self._write(self._seats())  # more may have come while it started
            code = await child.wait()
            _log.warning("bots ended", extra={"pid": child.pid, "exit_code": code})
        finally:
            self._input = None
            await _end(child)


async def _end(child: asyncio.subprocess.Process) -> None:
    """End a child, even one that does not react."""
    assert child.stdin is not None  # noqa: S101 - it is a pipe
    child.stdin.close()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(END_S):
            await child.wait()
    with contextlib.suppress(ProcessLookupError):
        child.kill()
    await child.wait()
    with contextlib.suppress(OSError):
        await child.stdin.wait_closed()
