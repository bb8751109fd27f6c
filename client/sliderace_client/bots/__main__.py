"""The child process of a server in which the server's own bots play.

`python -m sliderace_client.bots URL [CERTIFICATE]`. Each line of the standard input is
a JSON object that describes one bot, see `Seat`. The process ends with its input: if a
server is killed, its bots end too, and the next server starts them again.
"""

import asyncio
import logging
import ssl
import sys
import threading

import msgspec

from sliderace_client.bots.bot import Bot, Skill
from sliderace_client.platform import lower_priority
from sliderace_client.room.outcomes import End, Unreached

__all__ = ["Seat", "main"]

_log = logging.getLogger(__name__)

AGAIN_S = 1.0
"""Pause after a server that is too busy to answer."""


class Seat(msgspec.Struct, frozen=True):
    """One bot: its room and seat token, and how good it is."""

    room: str
    token: str
    level: str | None = None
    pace_ms: int | None = None


def main() -> None:
    """Let bots play until the input ends."""
    lower_priority()
    logging.basicConfig()
    server, *certificate = sys.argv[1:]
    asyncio.run(_play_all(server, _trust(certificate[0]) if certificate else None))


def _trust(certificate: str) -> ssl.SSLContext:
    """Trust the server's own certificate, whatever names it is for: it is ours."""
    tls = ssl.create_default_context(cafile=certificate)
    tls.check_hostname = False
    tls.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    return tls


async def _play_all(server: str, tls: ssl.SSLContext | None) -> None:
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[bytes] = asyncio.Queue()

    def read() -> None:
        """Read in a thread: the event loop of Windows cannot wait for a pipe."""
        for line in sys.stdin.buffer:
            loop.call_soon_threadsafe(lines.put_nowait, line)
        loop.call_soon_threadsafe(lines.put_nowait, b"")

    threading.Thread(target=read, daemon=True).start()
    async with asyncio.TaskGroup() as group:
        tasks: set[asyncio.Task[None]] = set()
        while line := await lines.get():
            task = group.create_task(
                _play(server, msgspec.json.decode(line, type=Seat), tls)
            )
            tasks.add(task)
            task.add_done_callback(tasks.discard)
        for task in tasks:
            task.cancel()


async def _play(server: str, seat: Seat, tls: ssl.SSLContext | None) -> None:
    """Play on one seat until it is gone. An error ends only this bot."""
    skill = Skill(seat.level or "", seat.pace_ms)
    try:
        while True:
            bot = Bot(server, seat.room, "", skill=skill, token=seat.token, tls=tls)
            why = (await bot.run()).why
            if not isinstance(why, Unreached) and why is not End.CONNECTION_LOST:
                return
            await asyncio.sleep(AGAIN_S)
    except Exception:  # noqa: BLE001 - the others must not end with it
        _log.exception("%s", seat.room)


if __name__ == "__main__":
    main()
