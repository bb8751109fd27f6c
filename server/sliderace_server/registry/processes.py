"""The processes of a server: workers on this machine, or nodes of a cluster.

Each process serves some of the rooms, and any process can accept any connection.
Whatever a single process must decide has a *key*, and each key has one *home* at a
time: the process that decides. The keys are:

- a room code: the room;
- `quick 4x4`: the quick rooms of an event, so that one matchmaker sees all of them;
- `alone PROFILE`: the one room in which a profile may race alone;
- `profiles`: the management of profiles, with their device tickets.

If another process is the home of a key, a process passes the connection on to it (see
`Processes.pass_on`) or returns its answer (see `Processes.answer`). What concerns the
whole server is computed from the reports of all processes.
"""

from collections.abc import Callable, Collection
from typing import Protocol

import msgspec

from sliderace.protocol.messages import (
    Command,
    Daily,
    Hello,
    Join,
    Me,
    Quick,
    Redeem,
    Resume,
    RoomRow,
    Solo,
)
from sliderace.protocol.room_code import parse_code
from sliderace_server.http.routes import Answer, Request
from sliderace_server.limits import PerAddress
from sliderace_server.live_room.subscriber import Peer

__all__ = ["PROFILES", "OneProcess", "Processes", "Remote", "Report", "key_of"]

PROFILES = "profiles"
"""The key of what one process does for the whole server."""


class Report(msgspec.Struct, frozen=True):
    """What a process tells the others once a second.

    Args:
        rows: its public rooms, for the live list.
        listings: the same rooms, for `/api/rooms`.
        raced_on: event and day of the daily boards on which somebody races.
        alone: profile -> code of its live room for one player.
        busy: profile -> Unix time in ms at which the first race began in which it
            still races.
        rooms: how many rooms it has.
        connections: how many members are connected to it.
        bots: how many bots of the server play in its rooms.
        racing: whether a room with people is in a race or has unsent events.
        problems: what `/healthz` lists.
        proxy_faults: what is wrong with a proxy -> its address.
        samples: its metrics; see `Metrics.samples`.
        settings: its version, and the settings that all processes should share.
    """

    rows: list[RoomRow] = []
    listings: list[dict[str, str | int | bool]] = []
    raced_on: list[tuple[str, int]] = []
    alone: dict[str, str] = {}
    busy: dict[str, int] = {}
    rooms: int = 0
    connections: int = 0
    bots: int = 0
    racing: bool = False
    problems: list[str] = []
    proxy_faults: dict[str, str] = {}
    samples: dict[str, float] = {}
    settings: dict[str, str] = {}


class Remote(Protocol):
    """A connection of this process that another process serves.

    Attributes:
        in_race: whether its room is between countdown and results.
        needs_latency: whether its latency is needed.
    """

    in_race: bool = False
    needs_latency: bool = False

    def receive(self, command: Command) -> None:
        """Forward a command."""
        ...

    def record_rtt(self, rtt_ms: int, kernel_ms: int | None) -> None:  # noqa: ARG002
        """Forward a round trip that a ping and the kernel have measured."""
        return

    def set_behind(self, *, behind: bool) -> None:  # noqa: ARG002
        """Forward whether the peer reads too slowly for progress."""
        return

    def end(self) -> None:
        """Note that the connection has ended."""
        ...


class Processes(Protocol):
    """The processes of this server, as one of them sees them.

    Only `home` and `answer` may wait.

    Attributes:
        takes_over: whether any process may continue any room; if not, each process
            continues its own rooms when it starts.
    """

    takes_over: bool = False

    def serves(self, key: str) -> bool:
        """Return whether this process knows itself to be the home of a key."""
        ...

    async def home(self, key: str) -> str | None:
        """Return the process that is the home of a key; None: this one.

        Raises:
            StorageUnavailable: it cannot be found now.
        """
        ...

    def owns(self, code: str) -> bool:
        """Return whether a new room of this process may have a code."""
        ...

    def place(self, address: str) -> str | None:  # noqa: ARG002
        """Return the process that should open a new room; None: this one.

        Args:
            address: of the client who opens it; empty on this machine.
        """
        return None

    def share(self, addresses: PerAddress, now_ms: Callable[[], int]) -> None:  # noqa: ARG002
        """Let all processes count together what addresses do; called once.

        Args:
            addresses: the limits per address of this process.
            now_ms: the clock for them.
        """
        return

    def pass_on(self, peer: Peer, home: str, hello: Hello) -> Remote | None:
        """Let another process serve a connection from its hello on.

        Args:
            peer: the connection; nothing has been sent to it yet.
            home: the other process.
            hello: its first message, which the other process gets too.

        Returns:
            Where to forward its commands; None: the connection has left this process.
        """
        ...

    async def answer(self, code: str, request: Request) -> Answer | None:
        """Return the answer of a room's home; None: this process must answer.

        Args:
            code: the room's code.
            request: a request about this room or one of its races.

        Raises:
            StorageUnavailable: the home cannot be reached now.
        """
        ...

    def opened(self, code: str) -> None:  # noqa: ARG002
        """Note that this process serves a room from now on."""
        return

    def ended(self, code: str) -> None:  # noqa: ARG002
        """Note that this process no longer serves a room."""
        return

    def report(self, current: Callable[[], Report]) -> None:
        """Send a report to the other processes; called once a second.

        Args:
            current: returns the report.
        """
        ...

    def reports(self) -> Collection[Report]:
        """Return the latest report of each other process."""
        ...

    def skew_ms(self) -> int | None:
        """Return the largest difference between wall clocks of this and another one.

        None: all processes have the same clock.
        """
        return None

    def other_settings(self) -> list[str] | None:
        """Return the names of settings that another process has with another value.

        None: all processes have the same settings.
        """
        return None


class OneProcess(Processes):
    """The only process of a server."""

    def serves(self, key: str) -> bool:  # noqa: ARG002, D102
        return True

    async def home(self, key: str) -> str | None:  # noqa: ARG002, D102
        return None

    def owns(self, code: str) -> bool:  # noqa: ARG002, D102
        return True

    def pass_on(self, peer: Peer, home: str, hello: Hello) -> Remote | None:  # noqa: D102
        raise NotImplementedError

    async def answer(self, code: str, request: Request) -> Answer | None:  # noqa: ARG002, D102
        return None

    def report(self, current: Callable[[], Report]) -> None:  # noqa: D102
        pass

    def reports(self) -> Collection[Report]:  # noqa: D102
        return ()


def key_of(hello: Hello, profile: str | None = None) -> str | None:
    """Return the key whose home must serve a connection; None: any process may.

    Args:
        hello: the connection's first message.
        profile: public id of its profile, once it is known.
    """
    match hello.enter:
        case Join(code=code) | Resume(code=code) | Redeem(code=code):
            return parse_code(code)
        case Quick(event=event):
            return f"quick {event}"
        case Solo() | Daily() if profile is not None:
            return f"alone {profile}"
        case Me():
            return PROFILES
        case _:
            return None
