"""Any history of commands, crashes and waiting leaves the room consistent.

The state machine does everything that members and clocks can do to a room. After each
step, a refused command has changed nothing, a repeated one changes nothing more, the
log gives the same room, the stream has no gap, and no secret was sent.
"""

from typing import Any

import msgspec
import pytest
from hypothesis import event, strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)
from tests.server.room_fixture import LIMITS, RoomHarness

from sliderace.engine import Board, format_board
from sliderace.protocol import messages as m
from sliderace.protocol.codec import encode_event
from sliderace.race.log_records import DidNotFinish, RaceEnded
from sliderace.race.refusal import Refusal
from sliderace_server import room
from sliderace_server.room import (
    Connect,
    Disconnect,
    Enter,
    LockNotDurable,
    SetBots,
    Stall,
    Tick,
)
from sliderace_server.room.commands import RoomCommand, WireCommand
from sliderace_server.room.log_records import (
    Closed,
    HostChanged,
    Renamed,
    SeriesBegan,
)
from sliderace_server.room.visibility import refused
from sliderace_server.storage.record_codec import decode

MEMBERS = st.integers(0, 7)
"""An index for `RoomMachine.member_at`."""
RULES = st.builds(
    m.RulesPatch,
    size=st.sampled_from(["2x2", "2x2", "3x2", "2x3"]),
    start=st.sampled_from(["ready", "ready", "host", "every"]),
    every_ms=st.sampled_from([10_000, 20_000]),
    countdown_ms=st.sampled_from([3_000, 5_000, 30_000]),
    inspection_ms=st.sampled_from([0, 0, 2_000]),
    limit_ms=st.sampled_from([-1, 0, 10_000, 40_000]),
    grace_ms=st.sampled_from([-1, 0, 5_000]),
    away_ms=st.sampled_from([0, 5_000, 60_000]),
    open_boards=st.booleans(),
    spectator_delay_ms=st.sampled_from([0, 0, 4_000]),
)
PATCHES = st.builds(
    m.RulesPatch,
    size=st.sampled_from([None, "2x2", "3x2"]),
    start=st.sampled_from([None, "ready", "host", "every"]),
    countdown_ms=st.sampled_from([None, 1_499, 3_000, 4_000]),
)
SERIES = st.sampled_from([m.Series("open"), m.Series("points", 2), m.Series("mo3")])
BOTS = st.lists(
    st.sampled_from([m.BotWanted("club"), m.BotWanted("expert")]), max_size=2
)
LENGTHS = {"open": 0, "points": 2, "mo3": 3}
CHANGES = st.sampled_from(
    [m.Role, m.Bench, m.Kick, m.HandOver, m.Lock, m.Leave, m.Rename, m.Mute]
)


def change(kind: type[WireCommand], other: int, *, on: bool) -> WireCommand:
    """Return a command of this type."""
    if kind is m.Role:
        return m.Role("player" if on else "spectator")
    if kind is m.Bench:
        return m.Bench(other, on)
    if kind is m.Kick or kind is m.HandOver:
        return kind(other)
    if kind is m.Rename:
        return m.Rename(f"Ann {other}" if on else "Ann")
    if kind is m.Mute:
        return m.Mute(other, on)
    return m.Lock(on) if kind is m.Lock else m.Leave()


def times_of(rows: list[m.Standing]) -> list[int]:
    return [row.time_ms for row in rows if row.time_ms is not None]


class RoomMachine(RuleBasedStateMachine):
    """One room, and everything that can happen to it."""

    harness: RoomHarness

    @initialize(
        rules=RULES,
        public=st.booleans(),
        seed=st.sampled_from([None, None, "tea"]),
        creator=st.booleans(),
        friends=st.integers(0, 3),
        racing=st.booleans(),
        kind=st.sampled_from(["room", "room", "quick", "solo"]),
    )
    def open(
        self, rules: m.RulesPatch, *, public: bool, seed: str | None, creator: bool,
        friends: int, racing: bool, kind: m.RoomKind,
    ) -> None:  # fmt: skip
        if kind != "room":
            rules = msgspec.structs.replace(rules, start="every")
            creator, seed, public = kind == "solo", None, kind == "quick"
        self.harness = RoomHarness(rules, public=public, seed=seed, kind=kind)
        self.highs: dict[int, tuple[int, int, str]] = {}
        self.high_race = ""
        self.harness.do(Enter("Ann", "hash 1", creator=creator))
        for n in range(friends):
            self.harness.do(Enter(f"Friend {n}", f"hash {n + 2}", bot=n == 2))
        if racing:
            self.begin_race(4, bound=True, reveal_nonces=True)

    # --- rules -----------------------------------------------------------------------

    def do(self, command: RoomCommand) -> None:
        """Do a command twice; the second time must change nothing."""
        outcome = self.harness.do(command)
        if isinstance(outcome, Refusal):
            refused("any", outcome)
        if not isinstance(command, Enter):
            again = self.harness.do(command)
            assert isinstance(again, Refusal) or again == []

    def member_at(self, n: int) -> int:
        """Return a member; sometimes one who is gone or never existed."""
        present = list(self.harness.state.members)
        return present[n % len(present)] if present and n else n % 3 + 1

    def ask(self, member: int, message: WireCommand) -> None:
        self.do(room.MemberCommand(member, message))

    def racers(self) -> list[int]:
        """Return the members who are still racing."""
        members = self.harness.state.members
        attempts = {one: room.attempt_of(self.harness.state, one) for one in members}
        return [one for one, at in attempts.items() if at and at.status == "racing"]

    def race_id(self, which: str) -> str:
        state = self.harness.state
        ids = {"now": state.race.id, "last": state.last_race or "OLD-1", "odd": "X-0-0"}
        return ids[which]

    @rule(
        name=st.sampled_from(["Ann", "Ben", "\u200b", "x" * 60]),
        role=st.sampled_from(["player", "player", "spectator"]),
        bot=st.booleans(),
    )
    def enter(self, name: str, role: Any, *, bot: bool) -> None:
        self.do(Enter(name, f"hash {self.harness.draws}", role, bot))

    @rule(member=MEMBERS)
    def connect(self, member: int) -> None:
        self.do(Connect(self.member_at(member)))

    @rule(member=MEMBERS)
    def disconnect(self, member: int) -> None:
        self.do(Disconnect(self.member_at(member)))

    @rule(member=MEMBERS, on=st.sampled_from([True, True, True, False]))
    def ready(self, member: int, *, on: bool) -> None:
        self.ask(self.member_at(member), m.Ready(self.race_id("now"), on))

    @rule(
        member=MEMBERS,
        kind=st.sampled_from([m.Start, m.Abort, m.Forfeit, m.Undo, m.CallTime]),
        which=st.sampled_from(["now", "now", "now", "last", "odd"]),
    )
    def race_command(self, member: int, kind: Any, which: str) -> None:
        self.ask(self.member_at(member), kind(self.race_id(which)))

    @precondition(lambda self: self.harness.state.phase in ("lobby", "results"))
    @rule(patience=st.integers(1, 4), bound=st.booleans(), reveal_nonces=st.booleans())
    def begin_race(self, patience: int, *, bound: bool, reveal_nonces: bool) -> None:
        for member in list(self.harness.state.members):
            if self.harness.state.phase == "results":
                self.ask(member, m.Rematch(self.race_id("now")))
            elif self.harness.state.members[member].seat is not None and bound:
                self.harness.ready(member)
            else:
                self.ask(member, m.Ready(self.race_id("now")))
        if self.harness.state.phase == "lobby" and self.harness.state.host:
            self.ask(self.harness.state.host, m.Start(self.race_id("now")))
        for _ in range(patience):
            if self.harness.state.phase == "countdown":
                self.harness.to_deadline()
                if reveal_nonces:
                    self.harness.reveal_nonces(*self.harness.state.members)

    @precondition(lambda self: self.harness.state.phase == "countdown")
    @rule(member=MEMBERS, right=st.booleans())
    def reveal_nonce(self, member: int, *, right: bool) -> None:
        nonce = self.harness.nonce(member if right else member + 1).hex()
        self.ask(self.member_at(member), m.Nonce(self.race_id("now"), nonce))

    @precondition(lambda self: self.racers())
    @rule(n=st.integers(0, 3), count=st.sampled_from([1, 2, 3]))
    def racer_slides(self, n: int, count: int) -> None:
        racer = self.racers()[n % len(self.racers())]
        self.ask(racer, self.harness.slides(racer, count))

    @precondition(lambda self: self.racers())
    @rule(n=st.integers(0, 3))
    def racer_solves(self, n: int) -> None:
        racer = self.racers()[n % len(self.racers())]
        self.ask(racer, self.harness.slides(racer))

    @precondition(lambda self: self.racers())
    @rule(n=st.integers(0, 3), undo=st.booleans())
    def racer_forfeits(self, n: int, *, undo: bool) -> None:
        racer = self.racers()[n % len(self.racers())]
        self.ask(racer, m.Forfeit(self.race_id("now")))
        if undo:
            self.ask(racer, m.Undo(self.race_id("now")))

    @precondition(lambda self: self.racers())
    @rule(n=st.integers(0, 3), ms=st.sampled_from([100, 6_000]))
    def racer_reconnects(self, n: int, ms: int) -> None:
        racer = self.racers()[n % len(self.racers())]
        self.do(Disconnect(racer))
        self.harness.wait(ms)
        self.do(Connect(racer))

    @rule(member=MEMBERS, which=st.sampled_from(["now", "last", "odd"]))
    def rematch(self, member: int, which: str) -> None:
        self.ask(self.member_at(member), m.Rematch(self.race_id(which)))

    @rule(
        member=MEMBERS,
        rules=PATCHES,
        public=st.sampled_from([None, True, False]),
        seed=st.sampled_from([None, "", "tea"]),
    )
    def settings(
        self, member: int, rules: m.RulesPatch, public: bool | None, seed: str | None
    ) -> None:
        self.ask(self.member_at(member), m.Settings(rules, public, seed))

    @rule(member=MEMBERS, series=SERIES)
    def begin_series(self, member: int, series: m.Series) -> None:
        self.ask(self.member_at(member), series)

    @rule(bots=BOTS)
    def choose_bots(self, bots: list[m.BotWanted]) -> None:
        hashes = [f"bot {self.harness.draws} {n}" for n in range(len(bots))]
        host = self.harness.state.host or 1
        self.do(room.MemberCommand(host, m.Bots(bots), hashes))

    @rule(bots=BOTS)
    def server_chooses_bots(self, bots: list[m.BotWanted]) -> None:
        if self.harness.state.kind == "quick":
            hashes = [f"bot {self.harness.draws} {n}" for n in range(len(bots))]
            self.do(SetBots(bots, hashes))

    @rule(member=MEMBERS, profile=st.sampled_from(["ANNSPRFL", "BENSPRFL"]))
    def profile_becomes_known(self, member: int, profile: str) -> None:
        self.do(Connect(self.member_at(member), profile=profile))

    @rule(
        member=MEMBERS,
        declared=st.sampled_from(["keys", "touch"]),
        which=st.sampled_from(["now", "now", "last"]),
    )
    def declare_input(self, member: int, declared: Any, which: str) -> None:
        self.ask(self.member_at(member), m.Input(self.race_id(which), declared))

    @rule()
    def bots_connect(self) -> None:
        for bot in room.server_bots(self.harness.state):
            self.do(Connect(bot.id))

    @rule(member=MEMBERS, other=MEMBERS, kind=CHANGES, on=st.booleans())
    def member_command(
        self, member: int, other: int, kind: type[WireCommand], *, on: bool
    ) -> None:
        self.ask(self.member_at(member), change(kind, self.member_at(other), on=on))

    @rule(other=MEMBERS, kind=CHANGES, on=st.booleans())
    def host_command(self, other: int, kind: type[WireCommand], *, on: bool) -> None:
        host = self.harness.state.host or 1
        self.ask(host, change(kind, self.member_at(other), on=on))

    @precondition(lambda self: self.harness.now > 60_000)
    @rule(sure=st.integers(0, 9))
    def host_closes_the_room(self, sure: int) -> None:
        if sure == 7:
            self.ask(self.harness.state.host or 1, m.Close())

    @rule(
        member=MEMBERS,
        count=st.integers(1, 30),
        ahead=st.sampled_from([0, 0, 0, 0, 1, -1]),
        wrong=st.booleans(),
        which=st.sampled_from(["now", "now", "now", "last"]),
    )
    def slides(
        self, member: int, count: int, ahead: int, which: str, *, wrong: bool
    ) -> None:
        member = self.member_at(member)
        attempt = room.attempt_of(self.harness.state, member)
        if attempt is None:
            path: list[Any] = [("U", 1, 0)]
            seq = 1
        else:
            right = self.harness.slides(member, count)
            path = right.slides or [("U", 1, 0)]
            seq = max(1, right.seq + ahead)
        if wrong:
            path = [*path[:1], ("U", 9, 0)]
        self.ask(member, m.Slides(self.race_id(which), 0, seq, path))

    @rule(ms=st.sampled_from([0, 1, 40, 1_000, 3_000, 20_000]))
    def time_passes(self, ms: int) -> None:
        self.harness.wait(ms)

    @precondition(lambda self: self.soon())
    @rule()
    def next_deadline(self) -> None:
        assert self.harness.to_deadline()

    def soon(self) -> bool:
        """Return whether something is due before the room closes."""
        due = self.harness.deadline()
        ends = room.closes_at(self.harness.state, self.harness.limits)
        return due is not None and (due < ends or self.harness.state.race.running)

    @rule(ms=st.sampled_from([1_000, 45_000]), noticed=st.booleans())
    def event_loop_stalls(self, ms: int, *, noticed: bool) -> None:
        """Let time pass without a tick, then fire all deadlines at once.

        If the stall is noticed, nobody who could still act is out by its end.
        """
        since, before = self.harness.now, {*self.harness.state.members}
        self.harness.now += ms
        if noticed:
            self.harness.do(Stall(since))
        logged = len(self.harness.log)
        self.do(Tick())
        if noticed:
            assert {*self.harness.state.members} == before
            fired = [decode(line) for line in self.harness.log[logged:]]
            assert not any(isinstance(one, DidNotFinish | Closed) for one in fired)

    @rule()
    def disk_is_slow(self) -> None:
        check = room.lock_check_at(self.harness.state)
        if check is not None:
            self.harness.now = max(self.harness.now, check)
            t0 = self.harness.state.race.t0
            self.do(LockNotDurable())
            assert self.harness.state.race.t0 > t0 or self.harness.state.race.running

    @rule(
        down=st.sampled_from([0, 3_000, 100_000]),
        reboot=st.booleans(),
        step=st.sampled_from([0, 0, -50_000, 7_000]),
    )
    def server_is_killed(self, down: int, step: int, *, reboot: bool) -> None:
        logged, exact = self.harness.state.t, self.harness.now + down
        self.harness.crash(down, reboot=reboot, wall_step=step)
        state = self.harness.state
        assert self.harness.now >= logged
        assert reboot or self.harness.now == exact
        assert not any(member.connected for member in state.members.values())
        undecided = state.race.running and any(
            one.finish for one in state.race.attempts.values()
        )  # then first place becomes certain in time
        if not (state.closed or state.phase == "countdown" or undecided):
            due = self.harness.deadline()
            assert due is not None
            assert due >= state.epoch.t + 30_000

    # --- invariants ------------------------------------------------------------------

    @invariant()
    def log_gives_the_same_room(self) -> None:
        assert self.harness.replayed() == self.harness.state

    @invariant()
    def stream_has_no_gap(self) -> None:
        offsets = [getattr(event, "o", 0) for event in self.harness.events]
        assert offsets == list(range(1, self.harness.state.offset + 1))

    @invariant()
    def deadlines_fire_exactly_when_due(self) -> None:
        harness, due = self.harness, self.harness.deadline()
        if harness.state.closed:
            assert due is None
            return
        assert due is not None
        for moment, happens in [(due - 1, False), (max(due, harness.now), True)]:
            if moment >= harness.now:
                records = room.decide(
                    harness.state, Tick(), moment, harness.entropy(), harness.limits
                )
                assert bool(records) == happens, (due, harness.now, records)

    @invariant()
    def members_are_consistent(self) -> None:
        state = self.harness.state
        members = list(state.members.values())
        seats = [one.seat for one in members if one.seat is not None]
        assert len(seats) == len(set(seats))
        assert all((one.seat is None) == (one.role == "spectator") for one in members)
        assert len({one.name.casefold() for one in members}) == len(members)
        assert sum(one.role == "player" for one in members) <= LIMITS.players
        assert sum(one.role == "spectator" for one in members) <= LIMITS.spectators
        assert not any(one.ready and not one.plays for one in members)
        assert all(one <= state.last_member for one in state.members)
        assert (state.empty_since is None) == any(
            one.connected and not one.served for one in members
        )

    @invariant()
    def host_is_a_member(self) -> None:
        state = self.harness.state
        assert {state.host, state.owner} <= {None, *state.members}
        assert (state.host is None) == (state.owner is None)
        humans = [one for one in state.members.values() if not one.bot]
        if state.kind != "room":
            assert state.host is None
        elif any(one.role == "player" and one.connected for one in humans):
            assert state.host is not None or state.closed
        changes = [one for one in self.harness.records if isinstance(one, HostChanged)]
        last = changes[-1].host if changes else None
        assert state.host == last or last not in state.members

    @invariant()
    def nobody_else_enters_a_room_for_one_player(self) -> None:
        state = self.harness.state
        if state.alone:
            assert state.last_member == 1
            assert state.locked
            assert not state.public

    @invariant()
    def bots_of_the_server_only_accompany(self) -> None:
        """They are ready unless they cannot be, and no race is drawn for them alone."""
        state, bots = self.harness.state, room.server_bots(self.harness.state)
        assert not {state.host, state.owner} & {bot.id for bot in bots}
        if state.phase == "lobby":
            assert all(bot.ready for bot in bots if bot.active)
        alone = {state.members[one.member].served for one in state.racers.values()
                 if one.member in state.members}  # fmt: skip
        if state.phase == "countdown" and state.race.frozen and alone == {True}:
            assert state.host_started or state.left

    @invariant()
    def racers_are_consistent(self) -> None:
        state = self.harness.state
        assert set(state.racers) == set(state.race.roster)
        for seat, racer in state.racers.items():
            holder = [one for one in state.members.values() if one.seat == seat]
            assert [one.id for one in holder] in ([], [racer.member])
        if state.race.id != self.high_race:
            self.high_race, self.highs = state.race.id, {}
        for seat, attempt in state.race.attempts.items():
            seq, high, status = self.highs.get(seat, (0, 0, "racing"))
            assert attempt.seq >= seq
            assert attempt.high >= high
            assert status != "finished" or attempt.status == "finished"
            self.highs[seat] = (attempt.seq, attempt.high, attempt.status)

    @invariant()
    def series_is_the_sum_of_its_races(self) -> None:
        """The totals are those of the results that were sent since its beginning."""
        results = (one for one in self.harness.events if isinstance(one, m.Results))
        races: list[list[m.Standing]] = []
        length = 0
        for record in self.harness.records:
            if isinstance(record, SeriesBegan):
                races, length = [], LENGTHS[record.format]
            elif isinstance(record, RaceEnded):
                rows = next(results).standings
                if not all(row.bot for row in rows):
                    races = [*(races if len(races) != length else []), rows]
        series = self.harness.state.series
        assert series.races == len(races)
        assert series.over == (0 < length == len(races))
        rows = [row for race in races for row in race]
        assert sum(one.races for one in series.scores) == sum(
            row.status != "dns" for row in rows
        )
        finishes = [
            (row.time_ms, [one for one in race if row.bot or not one.bot])
            for race in races
            for row in race
            if row.time_ms is not None
        ]
        assert sum(one.wins for one in series.scores) == sum(
            time == min(times_of(rivals)) for time, rivals in finishes
        )
        assert sum(one.points for one in series.scores) == sum(
            len(rivals) - sum(other <= time for other in times_of(rivals))
            for time, rivals in finishes
        )
        records = self.harness.records
        renamed = {one.name for one in records if isinstance(one, Renamed)}
        assert {one.name for one in series.scores} <= {
            row.name for row in rows
        } | renamed

    @invariant()
    def no_secret_is_sent(self) -> None:
        for member in self.harness.state.members:
            self._check_events_for(member)

    def _check_events_for(self, member: int) -> None:
        harness, state = self.harness, self.harness.state
        race, now = state.race, self.harness.now
        answers: list[m.Event] = [
            harness.snapshot(member),
            room.rejected(state, member, Refusal("gap"), 1),
            room.welcome(state, member, now, "", m.Limits(1, 1, 1, 1, 1, 1, 1), None),
        ]
        reveal = room.reveal(state, member, now)
        boards = [room.board_of(state, member, seat, now) for seat in race.attempts]
        answers += [one for one in [reveal, *boards] if isinstance(one, m.BoardEvent)]
        for answer in answers:
            harness.check_secrets(answer)
        if not race.running:
            assert room.sees_boards(state, member, now) == (race.phase == "results")
            return
        own = room.attempt_of(state, member)
        start = format_board(Board(race.size, race.board))
        if own is None and race.rules.spectator_delay_ms:
            late = now < race.t0 + race.rules.spectator_delay_ms
            assert (reveal is None) == late
            assert not late or start not in encode_event(answers[0])
            return
        assert reveal is not None
        assert reveal.board == start
        if own and own.status == "racing" and not race.rules.open_boards:
            assert not room.sees_boards(state, member, now)
            seen = [one.seat for one in boards if isinstance(one, m.BoardEvent)]
            assert seen == [own.seat]
            lanes = harness.snapshot(member).race.lanes
            assert [one.seat for one in lanes if one.board] == [own.seat]

    def teardown(self) -> None:
        """Assert that deadlines alone end every race and close the room."""
        if not hasattr(self, "harness"):
            return
        for _ in range(400):
            if self.harness.state.closed:
                break
            before = self.harness.now
            assert self.harness.to_deadline()
            if self.harness.state.race.running:
                assert self.harness.now - before <= LIMITS.room_ttl_ms
        assert self.harness.state.closed
        assert self.harness.replayed() == self.harness.state
        for kind in {type(record) for record in self.harness.records}:
            event(f"record {kind.__name__}")


TestRoom = pytest.mark.timeout(900)(RoomMachine.TestCase)
