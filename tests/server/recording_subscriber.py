"""A room without sockets, and who is told what in it."""

import asyncio
from dataclasses import replace

from tests.server.make_services import works_with

from sliderace.protocol import messages as m
from sliderace.protocol.codec import decode_event
from sliderace.protocol.room_code import RoomCode
from sliderace.race.timing import UNMEASURED, Latency
from sliderace_server import room
from sliderace_server.clock import Clock
from sliderace_server.live_room.services import Peer
from sliderace_server.load import LoadMeter
from sliderace_server.registry.actor import RoomActor
from sliderace_server.storage import Store

__all__ = ["CODE", "Ear", "heard", "opened", "three"]

CODE = RoomCode("KWXTRB")


class Ear:
    """A connection that keeps what it is sent, and will not go when it is told to."""

    def __init__(self) -> None:
        self.peer: Peer = self
        self.id = 1
        self.address = ""
        self.host = ""
        self.member = 0
        self.gen = 0
        self.following = False
        self.sees = False
        self.shown = ""
        self.heard: list[m.Event] = []
        self.answers: list[m.Event] = []
        self.codes: list[int] = []
        self.measured = UNMEASURED

    def send(self, frame: bytes) -> None:
        head = 2 if frame[1] < 126 else 4
        self.heard.append(decode_event(frame[head:]))

    def send_urgent(self, frame: bytes) -> None:
        self.send(frame)
        self.answers.append(self.heard[-1])

    def send_progress(self, frame: bytes) -> bool:
        self.send(frame)
        return True

    def caught_up(self) -> bool:
        return True

    def send_snapshot(self, frame: bytes) -> None:
        self.send(frame)

    def close(self, code: int, reason: str = "") -> None:
        raise AssertionError(f"rooms dismiss, they close nothing: {code} {reason}")

    def measure_latency(self) -> None:
        """A line that needs no measuring."""

    def latency(self) -> Latency:
        return self.measured

    def dismissed(self, code: int) -> None:
        self.codes.append(code)

    def has(self, kind: type) -> bool:
        return any(isinstance(event, kind) for event in self.heard)


def opened(
    group: asyncio.TaskGroup,
    store: Store,
    clock: Clock | None = None,
    load_meter: LoadMeter | None = None,
    small_room: int = 16,
) -> RoomActor:
    services = works_with(store, group, clock=clock)
    config = replace(services.config, small_room=small_room)
    services = replace(
        services, config=config, load_meter=load_meter or services.load_meter
    )
    epoch = room.first_epoch("test", services.clock.now_ms(), services.clock.wall_ms())
    asked = m.Create(name="Ann")
    records = room.open_room(CODE, 1_700_000_000, asked, epoch, bytes(32))
    return RoomActor(services, room.fold(records), 0, records, lambda _: None)


def three(actor: RoomActor) -> list[Ear]:
    """Ann, who is host, Ben, and Eve, who watches."""
    ears = [Ear(), Ear(), Ear()]
    actor.enter(ears[0], room.Enter("Ann", "0" * 64, creator=True), "t")
    actor.enter(ears[1], room.Enter("Ben", "1" * 64), "t")
    actor.enter(ears[2], room.Enter("Eve", "2" * 64, "spectator"), "t")
    return ears


def heard(ear: Ear, kind: type[m.Event]) -> list[m.Event]:
    return [event for event in ear.heard if isinstance(event, kind)]
