"""Connections whose room is served by another node: both ends, without a bus."""

from itertools import count

from sliderace.protocol import messages as m
from sliderace.protocol.codec import encode_command
from sliderace_server.cluster.forwarding import (
    GROUP_SIZE,
    MAX_BYTES,
    MAX_ENTRIES,
    MAX_GROUPS,
    SERVICE_RESTART,
    Close,
    Down,
    DownEntry,
    Downlink,
    DownlinkReceiver,
    End,
    Flags,
    Forwarded,
    Frame,
    Group,
    Measure,
    Open,
    Rtt,
    Serving,
    Text,
    Up,
    Uplink,
    UpReply,
)
from sliderace_server.live_room.subscriber import Peer

CODE = "KWXTRB"
HELLO = b"hello"


class Client:
    """The connection of a client at its own node; notes what is sent."""

    id, address, host = 1, "10.0.0.1", "race.example"

    def __init__(self) -> None:
        self.sent: list[object] = []

    def send(self, frame: bytes) -> None:
        self.sent.append(frame)

    def send_urgent(self, frame: bytes) -> None:
        self.sent.append(("urgent", frame))

    def send_snapshot(self, frame: bytes) -> None:
        self.sent.append(("snapshot", frame))

    def dismiss(self, code: int) -> None:
        self.sent.append(code)

    def close(self, code: int, reason: str = "") -> None:
        raise NotImplementedError((code, reason))

    def measure_latency(self) -> None:
        self.sent.append("measure")


class Session:
    """A session at the serving node; notes what it gets."""

    in_race = needs_latency = False

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.got: list[object] = []

    def receive_delayed(self, payload: bytes) -> None:
        if payload == b"crash":
            raise RuntimeError
        self.got.append(payload)

    def record_rtt(self, rtt_ms: int, now: int, kernel_ms: int | None) -> None:
        self.got.append((rtt_ms, now, kernel_ms))

    def set_behind(self, *, behind: bool) -> None:
        self.got.append(behind)

    def close(self, code: int) -> None:
        self.peer.close(code)

    def disconnected(self) -> None:
        self.got.append("disconnected")


class Nodes:
    """Clients at node `a`, whose rooms node `b` serves."""

    def __init__(self) -> None:
        self.calls = 0
        self.numbers = count(1)
        self.uplink = Uplink("a", self.numbers, self._called)
        self.uplink.cut = False
        self.table: dict[int, Forwarded] = {}
        self.receiver = DownlinkReceiver("b", self.table.get)
        self.sessions: list[Session] = []
        self.failures = 0
        self.others_numbers = count(1)
        self.serve()

    def serve(self) -> None:
        """Let `b` know nothing of `a` any more."""
        self.downlink = Downlink("b", self.others_numbers, self._called)
        self.serving = Serving(self.downlink, self._session, CODE.__eq__, self._failed)

    def _called(self) -> None:
        self.calls += 1

    def _failed(self) -> None:
        self.failures += 1

    def _session(self, peer: Peer) -> Session:
        self.sessions.append(Session(peer))
        return self.sessions[-1]

    def client(self, number: int = 1, code: str = CODE) -> Client:
        """Forward a new connection."""
        client = Client()
        self.table[number] = Forwarded(number, "b", client, self.uplink)
        self.uplink.add(Open(number, client.address, client.host, HELLO, code))
        return client

    def up(self) -> UpReply:
        """Let `b` execute what the clients have sent."""
        done = UpReply([])
        while (call := self.uplink.take()) is not None:
            done = self.serving.execute(call, 5_000)
        return done

    def down(self) -> None:
        """Let the clients get what `b` has sent."""
        for message in self.downlink.take():
            assert self.receiver.receive(message)


def test_a_connection_is_served_elsewhere() -> None:
    nodes = Nodes()
    client = nodes.client()
    forwarded = nodes.table[1]
    forwarded.receive(m.Ping(3))
    forwarded.record_rtt(40, None)
    forwarded.set_behind(behind=True)
    forwarded.end()
    assert nodes.calls == 1
    assert nodes.up() == UpReply([])
    (session,) = nodes.sessions
    assert (session.peer.id, session.peer.address) == (1, client.address)
    assert session.peer.host == client.host
    ping = encode_command(m.Ping(3)).encode()
    assert session.got == [HELLO, ping, (40, 5_000, None), True, "disconnected"]
    assert not len(nodes.serving)


def test_frames_travel_back_in_order() -> None:
    nodes = Nodes()
    client = nodes.client()
    nodes.up()
    peer = nodes.sessions[0].peer
    peer.send(b"one")
    peer.send_urgent(b"two")
    peer.send_snapshot(b"three")
    nodes.sessions[0].needs_latency = True
    peer.measure_latency()
    peer.dismiss(4501)
    assert nodes.calls == 2  # one for each direction
    nodes.down()
    assert client.sent == [
        b"one",
        ("urgent", b"two"),
        ("snapshot", b"three"),
        "measure",
        4501,
    ]
    assert nodes.table[1].needs_latency


def test_how_often_a_latency_is_needed_is_sent_when_it_changes() -> None:
    nodes = Nodes()
    nodes.client()
    nodes.up()
    nodes.sessions[0].in_race = True
    nodes.serving.send_flags()
    nodes.serving.send_flags()
    assert nodes.downlink.take() == [Down("b", 1, 0, [Flags(1, True, False)])]


def test_one_call_is_in_flight_and_the_next_one_has_the_rest() -> None:
    nodes = Nodes()
    nodes.client()
    assert nodes.uplink.take() is not None
    for number in range(MAX_ENTRIES + 1):
        nodes.uplink.add(Text(1, b"%d" % number))
    assert nodes.calls == 1
    calls = [nodes.uplink.take() for _ in range(3)]
    sizes = [call and (call.n, len(call.entries)) for call in calls]
    assert sizes == [(2, MAX_ENTRIES), (3, 1), None]
    nodes.uplink.add(Text(1, b"more"))
    assert nodes.calls == 2


def test_a_cut_link_sends_nothing() -> None:
    nodes = Nodes()
    nodes.client()
    nodes.uplink.cut = True
    assert nodes.uplink.take() is None
    nodes.uplink.add(Text(1, b"more"))
    assert nodes.calls == 1


def test_a_repeated_call_is_executed_once() -> None:
    nodes = Nodes()
    nodes.client()
    call = nodes.uplink.take()
    assert call is not None
    done = nodes.serving.execute(call, 0)
    assert nodes.serving.execute(call, 0) is done
    assert len(nodes.sessions) == 1


def test_connections_that_are_not_served_here_are_named() -> None:
    nodes = Nodes()
    up = Up(
        "a",
        1,
        [
            Open(1, "", "", HELLO, "OTHERR"),
            Open(2, "", "", HELLO, ""),
            Text(3, b"late"),
            Rtt(3, 1, None),
            End(4),
        ],
    )
    assert nodes.serving.execute(up, 0) == UpReply([1, 3])
    assert len(nodes.sessions) == 1


def test_an_error_concerns_only_its_connection() -> None:
    nodes = Nodes()
    nodes.client(1)
    nodes.client(2)
    nodes.uplink.add(Text(1, b"crash"))
    nodes.uplink.add(Text(2, b"fine"))
    assert nodes.up() == UpReply([1])
    assert nodes.failures == 1
    assert nodes.sessions[1].got == [HELLO, b"fine"]


def test_an_event_for_many_is_sent_once() -> None:
    nodes = Nodes()
    clients = [nodes.client(number) for number in range(1, GROUP_SIZE + 1)]
    nodes.up()
    for _ in range(2):
        frame = bytes([_]) * 9
        for session in nodes.sessions:
            session.peer.send(frame)
        for session in nodes.sessions[:2]:
            session.peer.send_urgent(frame)
    (message,) = nodes.downlink.take()
    kinds = [type(entry) for entry in message.entries]
    assert kinds == [Group, Frame, Frame, Frame, Frame, Frame, Frame]
    assert nodes.receiver.receive(message)
    first, second = bytes(9), b"\1" * 9
    expected = [first, ("urgent", first), second, ("urgent", second)]
    assert [client.sent for client in clients[:2]] == [expected, expected]
    assert clients[2].sent == [first, second]


def test_groups_are_defined_again_when_there_are_many() -> None:
    nodes = Nodes()
    clients = [nodes.client(number) for number in range(1, GROUP_SIZE + 2)]
    nodes.up()
    peers = [session.peer for session in nodes.sessions]
    for turn in range(MAX_GROUPS + 2):
        frame = b"%d" % turn
        order = [*peers[turn % 9 :], *peers[: turn % 9]]
        if turn >= 9:
            order = [order[turn // 9], *order]
        for peer in order:
            peer.send(frame)
    nodes.down()
    last = b"%d" % (MAX_GROUPS + 1)
    assert all(client.sent[-1] == last for client in clients)


def test_long_messages_are_split() -> None:
    nodes = Nodes()
    client = nodes.client()
    nodes.up()
    for number in range(3):
        nodes.sessions[0].peer.send(bytes([number]) * (MAX_BYTES - 1))
    nodes.downlink.add(Group(9, list(range(MAX_BYTES))))
    messages = nodes.downlink.take()
    assert [(one.n, len(one.entries)) for one in messages] == [(1, 2), (2, 2)]
    assert all(nodes.receiver.receive(one) for one in messages)
    assert len(client.sent) == 3
    assert nodes.downlink.take() == []


def test_a_lost_message_is_noticed_and_a_repeated_one_ignored() -> None:
    nodes = Nodes()
    client = nodes.client()
    before = {5: 0, 6: 5, 7: 6, 9: 7}
    for number, received in ((5, True), (5, True), (7, False), (6, True), (9, True)):
        entries: list[DownEntry] = [Frame(0, b"%d" % number, 1), Close(9, 1000)]
        down = Down("b", number, before[number], entries)
        assert nodes.receiver.receive(down) is received
    assert client.sent == [b"5", b"9"]


def test_links_that_one_node_has_forgotten_begin_again() -> None:
    nodes = Nodes()
    nodes.client()
    nodes.up()
    nodes.sessions[0].peer.send(b"first")
    nodes.down()

    nodes.receiver = DownlinkReceiver("b", nodes.table.get)
    nodes.uplink = Uplink("a", nodes.numbers, lambda: None)
    nodes.uplink.restore()
    nodes.sessions[0].peer.send(b"lost")
    (lost,) = nodes.downlink.take()
    assert not nodes.receiver.receive(lost)
    client = nodes.client(2)
    assert nodes.up() == UpReply([])
    assert nodes.sessions[0].got[1:] == ["disconnected"]
    nodes.sessions[1].peer.send(b"second")
    nodes.down()
    assert client.sent == [b"second"]

    nodes.serve()
    client = nodes.client(3)
    nodes.up()
    nodes.sessions[2].peer.send(b"lost")
    (lost,) = nodes.downlink.take()
    assert not nodes.receiver.receive(lost)
    nodes.sessions[2].peer.send(b"third")
    nodes.down()
    assert client.sent == [b"third"]


def test_only_the_node_that_serves_a_connection_reaches_it() -> None:
    """Another node has lost the room, but does not know it yet."""
    nodes = Nodes()
    client = nodes.client()
    deposed = DownlinkReceiver("c", nodes.table.get)
    to_one: list[DownEntry] = [Frame(0, b"old", 1), Close(1, 1000), Measure(1)]
    to_all: list[DownEntry] = [Group(1, [1]), Frame(0, b"old", 0, 1)]
    assert deposed.receive(Down("c", 1, 0, to_one + to_all))
    assert client.sent == []


def test_a_node_that_drains_sends_all_clients_elsewhere() -> None:
    nodes = Nodes()
    client = nodes.client()
    nodes.up()
    nodes.serving.close()
    nodes.down()
    assert client.sent == [SERVICE_RESTART]


def test_the_clients_of_a_lost_node_are_disconnected() -> None:
    nodes = Nodes()
    nodes.client()
    nodes.up()
    nodes.serving.end()
    assert nodes.sessions[0].got == [HELLO, "disconnected"]
    nodes.table[1].receive(m.Ping(1))
    assert nodes.up() == UpReply([1])


def test_clients_learn_that_their_node_seemed_to_be_lost() -> None:
    """A spectator sends nothing, to which the answer could be that it is lost."""
    nodes = Nodes()
    client = nodes.client()
    nodes.up()
    nodes.serving.end()
    nodes.down()
    assert client.sent == [SERVICE_RESTART]


def test_connections_that_end_while_the_link_is_cut_end_with_its_return() -> None:
    nodes = Nodes()
    nodes.client(1)
    nodes.up()
    nodes.uplink.restore()
    assert nodes.uplink.take() is None  # it is not cut
    nodes.uplink.cut = True
    nodes.table[1].end()
    nodes.uplink.restore()
    nodes.client(2)
    assert nodes.up() == UpReply([])
    assert [one.got[1:] for one in nodes.sessions] == [["disconnected"], []]
