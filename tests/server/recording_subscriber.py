"""A room without sockets, and connections that record what they are sent."""

from dataclasses import replace

from tests.server.make_services import Tasks, make_services

from sliderace.protocol import messages as m
from sliderace.protocol.codec import decode_event
from sliderace.protocol.room_code import RoomCode
from sliderace.race.timing import Latency
from sliderace_server import room
from sliderace_server.clock import Clock
from sliderace_server.live_room.latency import LatencyWindow
from sliderace_server.live_room.subscriber import Subscriber
from sliderace_server.pacing import LoadMeter
from sliderace_server.registry.actor import RoomActor
from sliderace_server.registry.services import room_settings
from sliderace_server.storage import Store

__all__ = ["CODE", "RecordingSubscriber", "events_of", "opened", "three"]

CODE = RoomCode("KWXTRB")


class FixedLatency(LatencyWindow):
    """A fixed latency, without samples."""

    def __init__(self, latency: Latency) -> None:
        super().__init__()
        self.latency = latency

    def at(self, now: int) -> Latency:  # noqa: ARG002
        return self.latency


class RecordingSubscriber:
    """A connection that records events and close codes, and stays open."""

    def __init__(self) -> None:
        self.subscriber = Subscriber(self)
        self.id = 1
        self.address = ""
        self.host = ""
        self.events: list[m.Event] = []
        self.answers: list[m.Event] = []
        self.codes: list[int] = []

    @property
    def member(self) -> int:
        return self.subscriber.member

    @property
    def following(self) -> bool:
        return self.subscriber.following and bool(self.events)

    def measure(self, latency: Latency) -> None:
        """Set a fixed latency."""
        self.subscriber.latency = FixedLatency(latency)

    def send(self, frame: bytes) -> None:
        head = 2 if frame[1] < 126 else 4
        self.events.append(decode_event(frame[head:]))

    def send_urgent(self, frame: bytes) -> None:
        self.send(frame)
        self.answers.append(self.events[-1])

    def send_snapshot(self, frame: bytes) -> None:
        self.send(frame)

    def close(self, code: int, reason: str = "") -> None:
        raise AssertionError(f"rooms dismiss, they close nothing: {code} {reason}")

    def measure_latency(self) -> None:
        """Measure nothing: the latency is fixed."""

    def dismiss(self, code: int) -> None:
        self.codes.append(code)

    def has(self, kind: type) -> bool:
        return any(isinstance(event, kind) for event in self.events)


def opened(
    group: Tasks,
    store: Store,
    clock: Clock | None = None,
    load_meter: LoadMeter | None = None,
    small_room: int = 16,
) -> RoomActor:
    services = make_services(store, group, clock=clock)
    settings = replace(services.settings, small_room=small_room)
    services = replace(
        services,
        settings=settings,
        room_settings=room_settings(settings, "test"),
        load_meter=load_meter or services.load_meter,
    )
    group.create_task(services.log_writer.run())
    epoch = room.first_epoch("test", services.clock.now_ms(), services.clock.wall_ms())
    asked = m.Create(name="Ann")
    records = room.open_room(CODE, 1_700_000_000, asked, epoch, bytes(32))
    state = room.fold(records)
    return RoomActor(services, state, 0, records, lambda _: None, lambda _, __: None)


def three(actor: RoomActor) -> list[RecordingSubscriber]:
    """Subscribe Ann (the host), Ben, and Eve (a spectator)."""
    members = [RecordingSubscriber(), RecordingSubscriber(), RecordingSubscriber()]
    actor.subscribe(
        members[0].subscriber, room.Enter("Ann", "0" * 64, creator=True), token="t"
    )
    actor.subscribe(members[1].subscriber, room.Enter("Ben", "1" * 64), token="t")
    actor.subscribe(
        members[2].subscriber, room.Enter("Eve", "2" * 64, "spectator"), token="t"
    )
    return members


def events_of(member: RecordingSubscriber, kind: type[m.Event]) -> list[m.Event]:
    return [event for event in member.events if isinstance(event, kind)]
