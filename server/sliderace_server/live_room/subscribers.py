"""Who is connected to a room, and what each of them is told.

Every event is made into a frame once for all who get it. Boards go only to those who
may see them; so progress has two channels, one with and one without them.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import chain

import msgspec

from sliderace.protocol.messages import (
    Ack,
    BoardEvent,
    Event,
    PhaseEvent,
    Progress,
    Results,
    StandingEvent,
    Welcome,
    WinnerEvent,
)
from sliderace.race.log_records import Seat, Slid
from sliderace.race.refusal import Refusal
from sliderace.race.timing import UNMEASURED, Latency
from sliderace_server import room
from sliderace_server.clock import Timer
from sliderace_server.live_room.audience import Audiences
from sliderace_server.live_room.history import History
from sliderace_server.live_room.latency import LatencyReport
from sliderace_server.live_room.progress import Behind, Channel, LateChannel
from sliderace_server.live_room.services import Services, Subscriber
from sliderace_server.live_room.ticks import Ticks
from sliderace_server.room import RoomState, View

__all__ = ["Subscribers"]

LINES_S = (2.0, 5.0)
"""How often a small and a large room are told of lines that changed, for the eye."""


class Subscribers:
    """The connections of one room.

    Args:
        services: what all rooms share.
        state: the room; changed by its runner alone.
        now: room time in ms.
    """

    def __init__(
        self, services: Services, state: RoomState, now: Callable[[], int]
    ) -> None:
        self._services = services
        self._state = state
        self._now = now
        self._current: dict[int, Subscriber] = {}
        self._caught_up: list[tuple[Subscriber, View, bool]] = []
        self._leaving: dict[int, Subscriber] = {}
        self._audiences = Audiences(state, self._current, now, self._show_all)
        self.forget = self._audiences.forget
        self._behind = Behind(
            lambda look: services.clock.later(services.config.spectator_tick, look),
            self.is_current,
            self._tell_newest,
        )
        self._history = History()
        self._racers = Channel(boards=False)
        self._watchers = Channel(boards=True)
        self._late = LateChannel()
        self._ticks = Ticks(services.clock, services.before_flush, state.code)
        self._lines = LatencyReport()
        self._lines_timer: Timer | None = None
        self.told = state.offset
        self._late_later()

    def __len__(self) -> int:
        return len(self._current)

    # --- who is here -----------------------------------------------------------------

    def is_current(self, subscriber: Subscriber) -> bool:
        """Whether this is still the connection of its member: the fence."""
        return self._current.get(subscriber.member) is subscriber

    def arrive(self, subscriber: Subscriber, member: int) -> None:
        """A member's newest connection takes the place of any older one."""
        replaced = self._current.pop(member, None)
        subscriber.member = member
        self._current[member] = subscriber
        self.forget()
        if self._lines_timer is None:
            self._lines_later()
        if replaced is not None:
            replaced.following = False
            replaced.dismissed(4503)

    def depart(self, subscriber: Subscriber) -> bool:
        """A connection has ended.

        Returns:
            Whether it was its member's current one.
        """
        if self._leaving.get(subscriber.member) is subscriber:
            del self._leaving[subscriber.member]
        if not self.is_current(subscriber):
            return False
        del self._current[subscriber.member]
        self.forget()
        return True

    def unfollow(self, subscriber: Subscriber) -> None:
        """Tell somebody nothing more, until `catch_up`."""
        subscriber.following = False
        self.forget()

    def gone(self, member: int) -> None:
        """A member is out of the room, but is still to be told so."""
        self.forget()
        if subscriber := self._current.pop(member, None):
            self._leaving[member] = subscriber

    def dismiss(self, member: int, code: int) -> None:
        """A member who is out was told so: end the connection."""
        if subscriber := self._leaving.pop(member, None):
            subscriber.dismissed(code)

    def end(self, code: int) -> None:
        """End all connections."""
        self.freeze()
        everybody = [*self._current.values(), *self._leaving.values()]
        self._current.clear()
        self._leaving.clear()
        for subscriber in everybody:
            subscriber.dismissed(code)

    def freeze(self) -> None:
        """Tell no more progress."""
        self._ticks.cancel()
        if self._lines_timer is not None:
            self._lines_timer.cancel()

    def measure_latency(self) -> None:
        """Measure everybody's line now: a race is about to start."""
        for subscriber in self._current.values():
            subscriber.peer.measure_latency()

    def line_of(self, member: int) -> Latency:
        """A member's connection as it was measured."""
        subscriber = self._current.get(member)
        return subscriber.peer.latency() if subscriber else UNMEASURED

    def _lines_later(self) -> None:
        large = len(self._state.members) > self._services.config.small_room
        self._lines_timer = self._services.clock.later(LINES_S[large], self._tell_lines)

    def _tell_lines(self) -> None:
        self._lines_timer = None
        members = self._state.members
        small = len(members) <= self._services.config.small_room
        told = [n for n in self._current if small or members[n].seat is not None]
        news = self._lines.news({one: self.line_of(one) for one in told})
        if news is not None:
            self._post((one for one in self._current.values() if one.following), news)
        if self._current:
            self._lines_later()

    # --- the stream ------------------------------------------------------------------

    def publish(self, offset: int, t: int, event: Event) -> None:
        """Tell everybody the next event of the stream; it is durable.

        Args:
            offset: its number.
            t: room time at which it happened, ms.
            event: as it was then.
        """
        if isinstance(event, StandingEvent | WinnerEvent | Results):
            self._tell_all()  # how somebody got there comes before what it led to
        self._history.add(offset, t, event)
        self.told = offset
        aged = room.adjust_time_left(event, self._now() - t)
        everybody = chain(self._current.values(), self._leaving.values())
        self._post((one for one in everybody if one.following), aged)

    def ack(self, acks: Mapping[int, Ack]) -> None:
        """Tell members, by their ids, up to where their slides are durable."""
        for member, ack in acks.items():
            subscriber = self._current.get(member)
            if subscriber is not None and subscriber.following:
                subscriber.peer.send_urgent(self._services.frame(ack))

    def _post(self, subscribers: Iterable[Subscriber], event: Event) -> None:
        frame: bytes | None = None
        for subscriber in subscribers:
            frame = frame or self._services.frame(event)
            subscriber.peer.send(frame)

    # --- welcomes --------------------------------------------------------------------

    def welcome_of(self, member: int, token: str | None) -> Welcome:
        """Who the member is and where it stands now."""
        services = self._services
        return room.welcome(
            self._state,
            member,
            self._now(),
            services.version,
            services.told_limits,
            token,
        )

    def view_of(self, member: int) -> View:
        """Everything that the member may know now."""
        return room.view_of(self._state, member, self._now(), self._late.lag)

    def catch_up(
        self, subscriber: Subscriber, view: View, seen: tuple[int, int]
    ) -> None:
        """Bring somebody to a moment, then let the stream follow; `settle` is next.

        Args:
            subscriber: whom.
            view: of the moment of the event told last.
            seen: epoch and offset of the last event that it has.
        """
        missed = self._missed(view, *seen)
        if missed is None:
            told = self._as_of_now(view, subscriber.member)
            subscriber.peer.send_snapshot(self._services.frame(told))
        else:
            for event in missed:
                subscriber.peer.send(self._services.frame(event))
        if (lines := self._lines.everything()) is not None:
            subscriber.peer.send(self._services.frame(lines))
        subscriber.sees = view.sees
        subscriber.shown = view.shown
        subscriber.following = True
        self.forget()
        self._caught_up.append((subscriber, view, missed is None))

    def _as_of_now(self, view: View, member: int) -> Event:
        """The snapshot of that moment, with the times of this one."""
        now, race = self._now(), view.snapshot.race
        runs = view.snapshot.phase in ("racing", "grace")
        if runs and race.id == self._state.race.id:
            elapsed = room.elapsed_ms(self._state, member, now)
            race = msgspec.structs.replace(race, elapsed_ms=elapsed)
        told = msgspec.structs.replace(view.snapshot, race=race)
        return room.adjust_time_left(told, now - view.taken)

    def _missed(self, view: View, epoch: int, offset: int) -> list[Event] | None:
        """The events somebody missed; None where a snapshot says it better."""
        if epoch != self._state.epoch.epoch or offset > self.told or view.sees:
            return None
        missed = self._history.since(offset, self._now())
        if missed is None or any(isinstance(event, PhaseEvent) for event in missed):
            return None
        return missed

    def settle(self) -> None:
        """Tell those who caught up what went by beside the stream meanwhile."""
        if not self._caught_up:
            return
        caught_up, self._caught_up = self._caught_up, []
        self.reveal()
        for subscriber, view, whole in caught_up:
            if self.is_current(subscriber):
                self._progress_since(subscriber, view, whole=whole)
                if subscriber.member == self._state.host:
                    self.tell_signals()

    def _progress_since(
        self, subscriber: Subscriber, view: View, *, whole: bool
    ) -> None:
        """Where the racers are by now, for one who may know more from a snapshot."""
        state, race = self._state, view.snapshot.race
        if race.id != state.race.id:
            return
        late = room.is_delayed(state, subscriber.member, self._now())
        steps = [
            room.seat_progress(
                state,
                Seat(lane.seat),
                lane.seq,
                boards=subscriber.sees,
                now=self._now(),
                delayed=self._late.lag if late else None,
            )
            for lane in race.lanes
        ]
        known = {lane.seat: lane.seq for lane in race.lanes} if whole else {}
        if news := [step for step in steps if step.seq > known.get(step.seat, -1)]:
            subscriber.peer.send(self._services.frame(Progress(race.id, news)))

    # --- boards and progress ---------------------------------------------------------

    def reveal(self) -> None:
        """Give the start board to everybody whose moment has come."""
        now, race = self._now(), self._state.race.id
        boards: dict[BoardEvent, list[Subscriber]] = {}
        for member, subscriber in self._current.items():
            if subscriber.following and subscriber.shown != race:
                board = room.reveal(self._state, member, now)
                if board is not None:
                    subscriber.shown = race
                    subscriber.sees = room.sees_boards(self._state, member, now)
                    boards.setdefault(board, []).append(subscriber)
        for board, subscribers in boards.items():
            self._post(subscribers, board)

    def next_reveal(self) -> int | None:
        """Room time at which `reveal` is to be called again; None: at no set time."""
        if self._state.phase != "countdown":
            return None
        now = self._now()
        instants = (room.reveal_at(self._state, member) for member in self._current)
        return min((at for at in instants if at is not None and at > now), default=None)

    def tell_signals(self) -> None:
        """Show the host how the solves of a race that is over look."""
        host = self._current.get(self._state.host or 0)
        if host is not None and host.following:
            signals = room.signals_of(self._state)
            if signals is not None:
                host.peer.send(self._services.frame(signals))

    def show_board(self, subscriber: Subscriber, seat: Seat) -> None:
        """Send one seat's board, or why it may not be seen."""
        answer = room.board_of(
            self._state, subscriber.member, seat, self._now(), self._late.lag
        )
        if isinstance(answer, Refusal):
            self._services.metrics.count("refusals", answer.code)
            subscriber.peer.send(self._services.frame(room.refused("resync", answer)))
        else:
            subscriber.peer.send(self._services.frame(answer))

    def moved(self, slid: Slid) -> None:
        """A seat slid; `tell_soon` is next."""
        self._racers.moved(slid)
        self._watchers.moved(slid)

    def tell_soon(self) -> None:
        """See to it that what moved is told."""
        if self._ticks.hastens or not (self._racers.news or self._watchers.news):
            return
        config, factor = self._services.config, self._services.load_meter.factor
        if len(self._state.members) <= config.small_room:
            self._ticks.at_once(factor * config.player_tick, self._tell_all)
            return
        slow = not self._state.race.rules.open_boards
        for channel in (self._racers, self._watchers):
            if channel.news:
                late = slow and channel is self._watchers
                period = factor * config.player_tick
                if late:  # half a second behind is as late as they should be
                    period = min(factor, 2) * config.spectator_tick
                self._ticks.at_tick(channel, period, partial(self._tell, channel))

    def _tell_all(self) -> None:
        self._tell(self._racers)
        self._tell(self._watchers)

    def ended(self) -> None:
        """The race is over: who saw it late, or raced till now, is shown all boards."""
        self._tell_all()  # the audiences have changed: that shows them to racers
        if self._state.race.rules.spectator_delay_ms:
            for subscriber in self._current.values():
                if subscriber.following:
                    self._show_all(subscriber)

    def started(self) -> None:
        """The race runs: who may see boards gets them, at once or when it is time."""
        self.reveal()
        self._late_later()

    def _late_later(self) -> None:
        race = self._state.race
        if race.running and race.rules.spectator_delay_ms:
            period = self._services.config.spectator_tick
            self._ticks.after(self._late, period, self._tell_late)

    def _tell_late(self) -> None:
        self.reveal()
        if steps := list(self._late.take(self._state, self._now())):
            self._post(self._audiences.delayed(), Progress(self._state.race.id, steps))
        self._late_later()

    def _show_all(self, subscriber: Subscriber) -> None:
        for seat in self._state.race.attempts:
            self.show_board(subscriber, seat)

    def _tell(self, channel: Channel) -> None:
        audience = self._audiences.of(boards=channel is self._watchers)
        if steps := channel.take(self._state, heard=bool(audience)):
            frame = self._services.frame(Progress(self._state.race.id, [*steps]))
            for subscriber in audience:
                if not subscriber.peer.send_progress(frame):
                    self._behind.add(subscriber)

    def _tell_newest(self, subscriber: Subscriber) -> None:
        """What somebody who read slowly went without."""
        if subscriber.sees:
            self._show_all(subscriber)
        else:
            view = self.view_of(subscriber.member)
            self._progress_since(subscriber, view, whole=False)
