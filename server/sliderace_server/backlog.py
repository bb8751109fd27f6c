"""What is to be sent to one member as soon as a room's stream has come to its place."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sliderace_server.works import Follower

__all__ = ["Backlog"]


@dataclass(frozen=True, slots=True)
class _Waiting:
    follower: Follower
    position: int
    send: Callable[[], None]


class Backlog:
    """Sends, each at its place among the records that were told.

    Args:
        told: how many records the stream has told so far.
    """

    def __init__(self, told: int) -> None:
        self._told = told
        self._waiting: list[_Waiting] = []

    def wait(self, follower: Follower, position: int, send: Callable[[], None]) -> None:
        """Call `send` once that many records are told; at once if they are.

        Args:
            follower: whose loss makes it void.
            position: how many.
            send: what to do then.
        """
        self._waiting.append(_Waiting(follower, position, send))
        self._serve()

    def told(self) -> None:
        """One more record is told."""
        self._told += 1
        self._serve()

    def _serve(self) -> None:
        ready = [one for one in self._waiting if one.position <= self._told]
        if ready:
            self._waiting = [one for one in self._waiting if one.position > self._told]
            for one in ready:
                one.send()

    def lost(self, follower: Follower) -> None:
        """A connection has ended: nothing more goes there."""
        self._waiting = [one for one in self._waiting if one.follower is not follower]

    def gone(self, member: int) -> None:
        """A member is out of the room: nothing more goes to it."""
        self._waiting = [one for one in self._waiting if one.follower.member != member]

    def clear(self) -> Iterator[Follower]:
        """Nothing is sent any more; those who waited for something."""
        waiting, self._waiting = self._waiting, []
        return (one.follower for one in waiting)
