"""Client models in a real server room, over connections that tests can break."""

from collections import deque

from tests.client.rooms import LIMITS, TOKEN, entropy
from tests.server.room_fixture import RoomHarness

from sliderace.protocol import messages as m
from sliderace.race.refusal import Refusal
from sliderace_client.room.model import RoomModel
from sliderace_client.room.outputs import CheckRecord, Send
from sliderace_client.room.view import RoomView
from sliderace_server import room
from sliderace_server.room import Connect, Disconnect

Action = tuple[str, int]


class SimulatedConnection:
    """One member's connection between a client model and the room."""

    def __init__(
        self,
        stage: RoomHarness,
        name: str,
        role: m.RoleName,
        model: type[RoomModel] = RoomModel,
    ) -> None:
        self.stage = stage
        self.model = model(m.Join("KWXTRB", name, role), entropy=entropy)
        self.member = stage.enter(name, role=role)
        self.checks: list[CheckRecord] = []
        self.up: deque[m.Command] = deque()
        self.down: deque[m.Event] = deque()
        self.gen = self.refusals = 0
        self.open = True
        self.sent_events = 0
        self.revealed = False
        self.seqs: dict[int, int] = {}
        self._welcome(TOKEN)

    @property
    def view(self) -> RoomView:
        return self.model.view

    def _welcome(self, token: str | None) -> None:
        stage, enter = self.stage, self.model.hello().enter
        self.gen = 0
        self.down.append(
            room.welcome(stage.state, self.member, stage.now, "test", LIMITS, token)
        )
        missed: list[m.Event] | None = None
        if isinstance(enter, m.Resume) and enter.epoch == stage.state.epoch.epoch:
            missed = [event for event in stage.events if offset(event) > enter.offset]
        self.down.extend([stage.snapshot(self.member)] if missed is None else missed)
        self.sent_events = len(stage.events)
        self.revealed = stage.phase() != "countdown"
        attempts = stage.state.race.attempts
        self.seqs = {seat: attempt.seq for seat, attempt in attempts.items()}

    def cut(self) -> None:
        """Lose the connection and everything in transit."""
        if self.open:
            self.open = False
            self.up.clear()
            self.down.clear()
            self.stage.do(Disconnect(self.member))
            self.model.lost(1006)

    def reconnect(self) -> None:
        """Connect again."""
        if not self.open:
            self.open = True
            self.stage.do(Connect(self.member))
            self._welcome(None)

    def send_events(self) -> None:
        """Send new events to the client."""
        stage = self.stage
        new_events = stage.events[self.sent_events :]
        self.sent_events = len(stage.events)
        if not self.open:
            return
        if not self.revealed:
            event = room.reveal(stage.state, self.member, stage.now)
            self.down.extend([event] if event else [])
            self.revealed = event is not None
        self.down.extend(new_events)
        boards = room.sees_boards(stage.state, self.member, stage.now)
        for seat, attempt in stage.state.race.attempts.items():
            since = self.seqs.get(seat, 0)
            if attempt.seq > since:
                progress = room.seat_progress(stage.state, seat, since, boards=boards)
                self.down.append(m.Progress(stage.race, [progress]))
                self.seqs[seat] = attempt.seq

    def receive_command(self) -> None:
        """Let the server receive one command."""
        command = self.up.popleft()
        match command:
            case m.Slides():
                self._slides(command)
            case m.Resync(seat=None):
                self.down.append(self.stage.snapshot(self.member))
            case m.Resync(seat=int() as seat):
                state, now = self.stage.state, self.stage.now
                answer = room.board_of(state, self.member, seat, now)
                if not isinstance(answer, Refusal):
                    self.down.append(answer)
            case m.Ping():
                self.down.append(m.Pong(command.id))
            case m.Ready() | m.Nonce():
                outcome = self.stage.ask(self.member, command)
                if isinstance(outcome, Refusal):
                    of = type(command).__name__.lower()
                    self.down.append(m.Refused(of, outcome.code, ""))
            case _:
                raise AssertionError(command)

    def _slides(self, command: m.Slides) -> None:
        if command.gen != self.gen:
            return
        outcome = self.stage.ask(self.member, command)
        state = self.stage.state
        if isinstance(outcome, Refusal):
            self.gen += 1
            self.refusals += 1
            self.down.append(room.rejected(state, self.member, outcome, self.gen))
        else:
            ack = room.ack_of(state, self.member)
            assert ack is not None
            self.down.append(ack)


def offset(event: m.Event) -> int:
    return int(getattr(event, "o", 0))


def can_be_lost(event: m.Event) -> bool:
    """Return whether the client must notice that an event is missing."""
    is_snapshot = isinstance(event, m.Snapshot)
    return isinstance(event, m.Progress) or (offset(event) > 0 and not is_snapshot)


class ConnectedRoom:
    """A race with Ann and the spectator Cat; Ben only keeps the race from ending."""

    def __init__(self, model: type[RoomModel] = RoomModel) -> None:
        self.stage = RoomHarness(m.RulesPatch(size="3x2", limit_ms=0, away_ms=300_000))
        self.ann = SimulatedConnection(self.stage, "Ann", "player", model)
        self.cat = SimulatedConnection(self.stage, "Cat", "spectator", model)
        self.ben = self.stage.enter("Ben")
        self.clock = 1_000_000
        self.settle()
        assert self.ann.model.ask(m.Ready(self.stage.race), self.clock)
        self.stage.ask(self.ben, m.Ready(self.stage.race))
        self.settle()
        while self.stage.phase() != "racing":
            self.stage.to_deadline()
            self.settle()
        assert self.ann.view.racing

    @property
    def connections(self) -> tuple[SimulatedConnection, SimulatedConnection]:
        return self.ann, self.cat

    def act(self, kind: str, number: int) -> None:
        connection = self.connections[number % 2]
        match kind:
            case "slide":
                self.wait(20)
                self.slide(number)
            case "wait":
                self.wait(number)
            case "up":
                if connection.up:
                    connection.receive_command()
            case "down":
                if connection.down:
                    connection.model.receive(connection.down.popleft(), self.clock)
            case "lose up":
                if connection.up and isinstance(connection.up[0], m.Slides):
                    connection.up.popleft()
            case "lose down":
                if connection.down and can_be_lost(connection.down[0]):
                    connection.down.popleft()
            case "cut":
                connection.cut()
            case "reconnect":
                connection.reconnect()
            case "crash":
                for each in self.connections:
                    each.cut()
                self.stage.crash(number)
            case _:
                raise AssertionError(kind)
        self.step()

    def slide(self, number: int) -> None:
        board = self.ann.view.board
        assert board is not None
        ways = board.legal_slides()
        self.ann.model.slide(*ways[number % len(ways)], self.clock)

    def wait(self, ms: int) -> None:
        self.clock += ms
        self.stage.wait(ms)

    def step(self) -> None:
        """Let the models send their commands and the server its events."""
        for connection in self.connections:
            for out in connection.model.poll(self.clock):
                if isinstance(out, Send) and connection.open:
                    connection.up.append(out.command)
                elif isinstance(out, CheckRecord):
                    connection.checks.append(out)
            connection.send_events()

    def settle(self) -> None:
        """Reconnect, and deliver messages until there are none left."""
        for connection in self.connections:
            connection.reconnect()
        for _ in range(200):
            self.step()
            attempt, due = self.ann.view.attempt, self.ann.model.next_due()
            unsent = attempt is not None and attempt.unsent
            if not unsent and not any(one.up or one.down for one in self.connections):
                return
            for connection in self.connections:
                while connection.up:
                    connection.receive_command()
                connection.send_events()
                while connection.down:
                    connection.model.receive(connection.down.popleft(), self.clock)
            if unsent and due is not None:
                self.wait(max(0, due - self.clock))
        raise AssertionError("the messages never end")
