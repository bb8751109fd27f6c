"""A connection on which a profile is managed: commands wait for the ones before them.

The connection belongs to no room. Reading is throttled as on every connection; if the
storage is slower than that, commands wait here, and beyond `MAX_WAITING` are refused.
"""

from collections import deque
from collections.abc import Callable

from sliderace.protocol.messages import Command, Event, Me, Ping, Pong
from sliderace.race.refusal import Refusal
from sliderace_server.registry.profile_service import (
    Asker,
    ProfileCommand,
    ProfileService,
)
from sliderace_server.registry.services import Spawn

__all__ = ["ProfileSession"]

MAX_WAITING = 32
"""Commands that wait: more than anybody clicks while the disk is busy."""

Answer = Callable[[Command | Me, Event | Refusal], None]


class ProfileSession:
    """The commands of one connection.

    Args:
        profiles: carries them out.
        asker: who sends them.
        spawn: starts a task that belongs to the server's task group.
        answer: sends the answer to a command.
        failed: called if a command fails because of a bug.
    """

    def __init__(
        self,
        profiles: ProfileService,
        asker: Asker,
        spawn: Spawn,
        answer: Answer,
        failed: Callable[[], None],
    ) -> None:
        self._profiles = profiles
        self._asker = asker
        self._spawn = spawn
        self._answer = answer
        self._failed = failed
        self._waiting = deque[ProfileCommand | Ping]()
        self._busy = False

    def receive(self, command: Command | Me) -> None:
        """Carry out a command after the ones before it, or refuse it."""
        if not isinstance(command, ProfileCommand | Ping):
            self._answer(command, Refusal("not_here"))
        elif len(self._waiting) >= MAX_WAITING:
            self._answer(command, Refusal("rate"))
        else:
            self._waiting.append(command)
            if not self._busy:
                self._busy = True
                self._spawn(self._work())

    def end(self) -> None:
        """Drop the commands that wait, because the connection has ended."""
        self._waiting.clear()

    async def _work(self) -> None:
        try:
            while self._waiting:
                command = self._waiting.popleft()
                if isinstance(command, Ping):
                    self._answer(command, Pong(command.id))
                else:
                    outcome = await self._profiles.execute(self._asker, command)
                    self._answer(command, outcome)
        except Exception:
            self.end()
            self._failed()
            raise
        finally:
            self._busy = False
