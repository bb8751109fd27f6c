"""Simulated players: recording clients on devices that connect and disconnect."""

import asyncio
from collections.abc import Sequence
from typing import cast

import detangle
from tests.log_checker import Observed
from tests.recording_client import RecordingClient, RecordingSocket
from tests.server.room_fixture import solution
from websockets.asyncio.client import ClientConnection

from sliderace.protocol import messages as m
from sliderace.protocol.codec import decode_command
from sliderace_client.net.seats import SeatFile

__all__ = ["Device", "Player"]

SERVER = "http://srv:80"
TWICE = 0.08
"""Share of messages with slides that are sent twice."""
DROPPED = 0.02
"""Share of messages with slides that are never sent, which leaves a gap."""
STUCK_S = 2.0
"""A connection that dropped slides ends after this: TCP loses only the last bytes."""
SWITCH = 0.015
"""How often a player continues on another device while the first one still sends."""
DISCONNECT = 0.015
"""How often a player's device aborts its connection."""
PAUSE_S = 12.0
"""Longest pause between two actions."""
WANDERING = 0.4
"""Share of slides that are any legal one instead of the next one of a solution."""


class TokenStore:
    """Keeps the seat's token for all devices of one player."""

    def __init__(self) -> None:
        self.token: str | None = None

    def keep(self, token: str, name: str) -> None:  # noqa: ARG002
        self.token = token

    def forget(self) -> None:
        self.token = None


class UnreliableSocket(RecordingSocket):
    """A socket that sometimes sends slides twice, and sometimes drops them."""

    async def send(self, text: str) -> None:
        """Send a command; slides perhaps twice or not at all."""
        command = decode_command(text)
        if not isinstance(command, m.Slides):
            await self.socket.send(text)
        elif detangle.flip(DROPPED):
            loop = asyncio.get_running_loop()
            loop.call_later(STUCK_S, self.socket.transport.abort)
        else:
            self.note_slides(command)
            await self.socket.send(text)
            if detangle.flip(TWICE):
                await self.socket.send(text)


class Device(RecordingClient):
    """A client on one device, in virtual time.

    Args:
        server: address of the server.
        enter: how it enters the room without a token.
        tokens: where the token is kept.
        observed: where to record; shared by the player's devices.
    """

    def __init__(
        self,
        server: str,
        enter: m.Create | m.Join,
        tokens: TokenStore,
        observed: Observed,
    ) -> None:
        super().__init__(
            server,
            enter,
            observed,
            seat=cast("SeatFile", tokens),
            chance=lambda: detangle.uniform(0, 1),
            entropy=lambda size: detangle.randint(0, 2**31).to_bytes(size),
            checks=False,
        )

    def now(self) -> int:
        return int(detangle.now() * 1_000)

    def recording_socket(self, socket: ClientConnection) -> RecordingSocket:
        return UnreliableSocket(socket, self.observed, self.received)


class Player:
    """A player who races until enough races are over.

    Args:
        host: prefix of the devices' host names in the simulated network.
        enter: how to enter the room.
        races: how many races to finish.
        servers: addresses; each device chooses one.
        pause_s: longest pause between two actions.

    Attributes:
        calm: set it, and the player stays on one device and starts no more races.
        done: set when enough races are over.
    """

    def __init__(
        self,
        host: str,
        enter: m.Create | m.Join,
        races: int,
        servers: Sequence[str] = (SERVER,),
        pause_s: float = PAUSE_S,
    ) -> None:
        self.host = host
        self._pause_s = pause_s
        self._servers = servers
        self.observed = Observed(0)
        self.calm = False
        self.done = asyncio.Event()
        self._enter = enter
        self._tokens = TokenStore()
        self._races = races
        self._results: set[str] = set()
        self._devices = 0
        self._asked: tuple[m.Command, int] | None = None
        self.device = self._new_device()

    def _new_device(self) -> Device:
        """Start a client on another device; the old one continues until stopped."""
        if self._devices and self.device.view.code:
            self._enter = m.Join(code=self.device.view.code, name=self.host)
        several = len(self._servers) > 1
        server = detangle.choice(self._servers) if several else self._servers[0]
        device = Device(server, self._enter, self._tokens, self.observed)
        self._devices += 1
        name = f"{self.host}{self._devices}"
        self._client = detangle.spawn(device.run(), host=name)
        self.device_host = name
        return device

    @property
    def settled(self) -> bool:
        """Whether every slide is acknowledged."""
        view = self.device.view
        return view.online and (not view.attempt or not view.unacked)

    def stop(self) -> None:
        """Stop the client on the current device."""
        self._client.cancel()

    @property
    def summary(self) -> str:
        """What this player is doing, for the report of a failure."""
        view = self.device.view
        lane = view.lane.status if view.lane else "no lane"
        online = "online" if view.online else "away"
        attempt = f"{view.attempt.seq} slides" if view.attempt else "no board"
        return f"{self.device_host} {online} in {view.phase}, {lane}, {attempt}"

    async def play(self) -> None:
        """Act again and again, after pauses of random length."""
        while True:
            burst = detangle.flip(0.35)
            await asyncio.sleep(detangle.uniform(0.01, 0.3 if burst else self._pause_s))
            if self._client.done():  # the client gave up, or another device took over
                self.device = self._new_device()
            elif not self.calm:
                self._disturb()
            self._act()

    def _disturb(self) -> None:
        device = self.device
        if device.view.online and detangle.flip(SWITCH) and self._tokens.token:
            old, overlap_s = self._client, detangle.uniform(0, 2.0)
            self.device = self._new_device()
            asyncio.get_running_loop().call_later(overlap_s, old.cancel)
            if device.view.racing:  # both devices slide
                self._slide(device)
        elif device.socket is not None and detangle.flip(DISCONNECT):
            device.socket.transport.abort()

    def _act(self) -> None:
        view = self.device.view
        if view.results is not None and view.results.race not in self._results:
            self._results.add(view.results.race)
        if len(self._results) >= self._races:
            self.done.set()
        wanted: m.Command | None = None
        if not view.online or view.room is None:
            self._asked = None
        elif view.racing:
            self._slide(self.device)
        elif self.calm:
            pass
        elif view.phase == "lobby" and view.is_player and not view.ready:
            wanted = m.Ready(view.race)
        elif view.can_start and len(view.present_players()) == 1:
            wanted = m.Start(view.race)
        elif view.phase in ("results", "aborted"):
            wanted = m.Rematch(view.race)
        now = self.device.now()
        if wanted and (
            self._asked is None
            or self._asked[0] != wanted
            or self._asked[1] < now - 10_000
        ):
            self._asked = (wanted, now)
            self.device.ask(wanted)

    def _slide(self, device: Device) -> None:
        board = device.view.board
        if board is None or device.view.locked(device.now()):
            return
        device.painted()
        if detangle.flip(WANDERING):
            direction, _ = detangle.choice(
                [slide for slide in board.legal_slides() if slide[1] == 1]
            )
        else:
            slides = solution(board)
            if not slides:
                return
            direction = slides[0]
        device.slide(direction)
