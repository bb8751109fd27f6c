"""People who play: our own client, its wire tapped, on devices that come and go."""

import asyncio
from typing import Any, cast

import detangle
from tests.checker import Seen
from tests.server.room_fixture import solution
from tests.wiretap import Tap, Tapped
from websockets.asyncio.client import ClientConnection

from sliderace.protocol import messages as m
from sliderace.protocol.codec import decode_command
from sliderace_client.net.seats import SeatFile

__all__ = ["SERVER", "Device", "Person"]

SERVER = "http://srv:80"
TWICE = 0.08
"""How often slides are sent two times."""
SWALLOWED = 0.02
"""How often slides never leave; the next ones then come with a gap."""
STUCK_S = 2.0
"""After slides were swallowed a connection ends, as TCP does not lose in the middle."""
HOP = 0.015
"""How often a person goes on at another device, while the first one still sends."""
RELOAD = 0.015
"""How often a connection is cut from this side."""
WANDERING = 0.4
"""How often a slide is any legal one, not one on the way home."""


class Pocket:
    """Where a person keeps the seat's token: what every device of hers knows."""

    def __init__(self) -> None:
        self.token: str | None = None

    def keep(self, token: str, name: str) -> None:  # noqa: ARG002
        self.token = token

    def forget(self) -> None:
        self.token = None


class Mischief(Tap):
    """A wire on which slides come twice now and then, or never."""

    async def send(self, text: str) -> None:
        """Send a command; slides perhaps twice, perhaps never."""
        command = decode_command(text)
        if not isinstance(command, m.Slides):
            await self.socket.send(text)
        elif detangle.flip(SWALLOWED):
            loop = asyncio.get_running_loop()
            loop.call_later(STUCK_S, self.socket.transport.abort)
        else:
            self.note_slides(command)
            await self.socket.send(text)
            if detangle.flip(TWICE):
                await self.socket.send(text)


class Device(Tapped):
    """A client on one device, in virtual time.

    Args:
        enter: how it comes in without a token.
        pocket: where the token is.
        seen: the person's side of the story.
    """

    def __init__(self, enter: m.Create | m.Join, pocket: Pocket, seen: Seen) -> None:
        super().__init__(
            SERVER,
            enter,
            seen,
            seat=cast("SeatFile", pocket),
            chance=lambda: detangle.uniform(0, 1),
            entropy=lambda size: detangle.randint(0, 2**31).to_bytes(size),
            checks=False,
        )

    def now(self) -> int:
        return int(detangle.now() * 1_000)

    def tap(self, socket: ClientConnection) -> Tap:
        return Mischief(socket, self.seen, self.heard)


class Person:
    """Somebody who plays until enough races are over.

    Args:
        host: the name of the first device in the network.
        enter: how to come in.
        races: how many to see the results of.
    """

    def __init__(self, host: str, enter: m.Create | m.Join, races: int) -> None:
        self.host = host
        self.seen = Seen(0)
        self.calm = False
        self.done = asyncio.Event()
        self._enter = enter
        self._pocket = Pocket()
        self._races = races
        self._results: set[str] = set()
        self._devices = 0
        self._way: list[Any] = []
        self._asked: tuple[m.Command, int] | None = None
        self.device = self._take()

    def _take(self) -> Device:
        """Take a device in hand; it is on until it is switched off."""
        if self._devices and self.device.view.code:
            self._enter = m.Join(code=self.device.view.code, name=self.host)
        device = Device(self._enter, self._pocket, self.seen)
        self._devices += 1
        name = f"{self.host}{self._devices}"
        self._task = detangle.spawn(device.run(), host=name)
        self.at = name
        return device

    @property
    def settled(self) -> bool:
        """Whether everything done is acked."""
        view = self.device.view
        return view.online and (not view.attempt or not view.unacked)

    def switch_off(self) -> None:
        """Nobody holds the device any more."""
        self._task.cancel()

    @property
    def where(self) -> str:
        """What this person is about, for the report of a failure."""
        view = self.device.view
        lane = view.lane.status if view.lane else "no lane"
        online = "online" if view.online else "away"
        attempt = f"{view.attempt.seq} slides" if view.attempt else "no board"
        return f"{self.at} {online} in {view.phase}, {lane}, {attempt}"

    async def play(self) -> None:
        """One thing after the other, each after some thought."""
        while True:
            burst = detangle.flip(0.35)
            await asyncio.sleep(detangle.uniform(0.01, 0.3 if burst else 12.0))
            if self._task.done():  # it gave up, or another device took over
                self.device = self._take()
            elif not self.calm:
                self._move_about()
            self._act()

    def _move_about(self) -> None:
        device = self.device
        if device.view.online and detangle.flip(HOP) and self._pocket.token:
            old, still = self._task, detangle.uniform(0, 2.0)
            self.device = self._take()
            asyncio.get_running_loop().call_later(still, old.cancel)
            if device.view.racing:  # two hands on two devices
                self._slide(device)
        elif device.socket is not None and detangle.flip(RELOAD):
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
            way = solution(board)
            if not way:
                return
            direction = way[0]
        device.slide(direction)
