"""Members, seats, host, roles, settings and closing of a room."""

import pytest
from tests.server.room_fixture import RoomHarness

from sliderace.protocol import messages as m
from sliderace.race.log_records import Seat
from sliderace.race.refusal import Refusal
from sliderace_server import room
from sliderace_server.room import Connect, Disconnect, Enter, RoomLimits
from sliderace_server.room.apply import MAX_KICKED, NEWCOMER_MS
from sliderace_server.room.log_records import Closed, Gone, HostChanged, TokenIssued


def harness_with(*names: str, **more: object) -> RoomHarness:
    harness = RoomHarness(m.RulesPatch(size="2x2"), **more)  # type: ignore[arg-type]
    for name in names:
        harness.enter(name)
    return harness


def host(harness: RoomHarness) -> tuple[int | None, int | None]:
    return harness.state.host, harness.state.owner


# --- joining -----------------------------------------------------------------------


def test_new_players_get_the_lowest_free_seat() -> None:
    harness = harness_with("Ann", "Ben", "Cat")
    harness.ask(2, m.Leave())
    assert harness.seat(harness.enter("Dan")) == 1
    assert harness.seat(harness.enter("Eve")) == 3


def test_seats_of_the_roster_are_free_only_between_races() -> None:
    harness = harness_with("Ann", "Ben", "Cat")
    harness.start_race(1, 2, 3)
    harness.ask(2, m.Leave())
    assert harness.seat(harness.enter("Dan")) == 3
    harness.ask(1, m.Forfeit(harness.race))
    harness.ask(3, m.Forfeit(harness.race))
    harness.to_phase("results")
    harness.ask(4, m.Role("spectator"))
    harness.ask(4, m.Role("player"))
    assert harness.seat(4) == 3
    harness.ask(1, m.Rematch(harness.race))
    harness.ask(4, m.Role("spectator"))
    harness.ask(4, m.Role("player"))
    assert harness.seat(4) == 1


def test_names_are_cleaned_and_made_unique() -> None:
    harness = harness_with("\u202eAnn ")
    harness.enter("ANN")
    assert [one.name for one in harness.state.members.values()] == ["Ann", "ANN 2"]
    assert harness.do(Enter("\u200b", "hash")) == Refusal("bad_name", "name", "\u200b")
    mixed = "\u0410nn"
    assert harness.do(Enter(mixed, "hash")) == Refusal("mixed_name", "name", mixed)


@pytest.mark.parametrize("typed", ["x" * 60, "\u732b" * 11])
def test_newcomer_with_a_long_name_is_refused(typed: str) -> None:
    """Nobody gets a shorter name than the one they typed."""
    harness = harness_with("Ann")
    assert harness.do(Enter(typed, "hash")) == Refusal("long_name", "name", typed)
    assert [one.name for one in harness.state.members.values()] == ["Ann"]


@pytest.mark.parametrize(("role", "places"), [("player", 2), ("spectator", 1)])
def test_a_full_room_refuses_new_members(role: m.RoleName, places: int) -> None:
    harness = harness_with(limits=RoomLimits(players=2, spectators=1))
    for n in range(places):
        harness.enter(f"Friend {n}", role=role)
    assert harness.do(Enter("Late", "hash", role)) == Refusal("room_full")
    other: m.RoleName = "spectator" if role == "player" else "player"
    harness.enter("Other", role=other)
    member = harness.state.last_member
    assert harness.ask(member, m.Role(role)) == Refusal("room_full")
    harness.ask(1, m.Leave())
    assert isinstance(harness.ask(member, m.Role(role)), list)


def test_the_defaults_are_16_seats_and_100_spectators() -> None:
    harness = harness_with(limits=RoomLimits())
    for n in range(16):
        harness.enter(f"Player {n}")
    assert harness.do(Enter("One more", "hash")) == Refusal("room_full")
    for n in range(100):
        harness.enter(f"Spectator {n}", role="spectator")
    assert harness.do(Enter("Me too", "hash", "spectator")) == Refusal("room_full")


def test_a_locked_room_refuses_new_members_only() -> None:
    harness = harness_with("Ann", "Ben")
    assert harness.ask(2, m.Lock()) == Refusal("not_host")
    harness.ask(1, m.Lock())
    assert harness.ask(1, m.Lock()) == []
    assert harness.do(Enter("Cat", "hash")) == Refusal("room_locked")
    harness.do(Disconnect(2))
    assert isinstance(harness.do(Connect(2)), list)
    harness.ask(1, m.Lock(on=False))
    harness.enter("Cat")


def test_a_late_joiner_gets_a_seat_and_watches_this_race() -> None:
    harness = harness_with("Ann")
    harness.start_race(1)
    late = harness.enter("Late")
    assert harness.seat(late) == 1
    assert harness.state.race.roster == (0,)
    slides = m.Slides(harness.race, 0, 1, [("U", 1, 0)])
    assert harness.ask(late, slides) == Refusal("not_racing")
    assert room.sees_boards(harness.state, late, harness.now)


def test_the_seat_token_identifies_the_member() -> None:
    harness = harness_with("Ann", "Ben")
    assert room.member_by_token(harness.state, "hash of Ben") == 2
    assert room.member_by_token(harness.state, "hash of Eve") is None
    harness.ask(2, m.Leave())
    assert room.member_by_token(harness.state, "hash of Ben") is None


def test_commands_of_unknown_members_are_refused() -> None:
    harness = harness_with("Ann")
    assert harness.ask(9, m.Leave()) == Refusal("bad_token")
    slides = m.Slides(harness.race, 0, 1, [("U", 1, 0)])
    assert harness.ask(9, slides) == Refusal("bad_token")
    assert harness.do(Connect(9)) == Refusal("bad_token")
    assert harness.do(Disconnect(9)) == []


def test_repeated_connects_and_disconnects_change_nothing() -> None:
    harness = harness_with("Ann")
    assert harness.do(Connect(1)) == []
    harness.do(Disconnect(1))
    assert harness.do(Disconnect(1)) == []
    harness.do(Connect(1))
    assert [getattr(one, "why", "") for one in harness.events[-2:]] == [
        "disconnected",
        "connected",
    ]


# --- leaving -------------------------------------------------------------------------


def test_only_the_host_may_kick_and_only_others() -> None:
    harness = harness_with("Ann", "Ben")
    assert harness.ask(2, m.Kick(1)) == Refusal("not_host")
    assert harness.ask(1, m.Kick(7)) == Refusal("member_unknown", "member", "7")
    assert harness.ask(1, m.Kick(1)) == Refusal("member_unknown", "member", "1")
    harness.ask(1, m.Kick(2))
    assert harness.records[-1] == Gone(harness.now, 2, "kicked")
    assert list(harness.state.members) == [1]


@pytest.mark.parametrize("how", ["left", "kicked"])
def test_leaving_racer_gets_dnf_and_stays_in_the_results(how: str) -> None:
    harness = harness_with("Ann", "Ben")
    harness.start_race(1, 2)
    harness.ask(*((2, m.Leave()) if how == "left" else (1, m.Kick(2))))
    harness.wait(100)
    harness.solve(1)
    assert harness.phase() == "results"
    first, second = room.standings_of(harness.state)
    assert (first.name, first.place, first.status) == ("Ann", 1, "finished")
    assert (second.name, second.place, second.why) == ("Ben", 2, how)
    assert second.member == 2


def test_the_race_ends_when_the_last_racer_leaves() -> None:
    harness = harness_with("Ann")
    harness.start_race(1)
    harness.ask(1, m.Leave())
    assert harness.phase() == "results"
    assert harness.state.host is None


def test_a_member_away_too_long_is_removed_between_races() -> None:
    harness = harness_with("Ann", "Ben")
    harness.wait(NEWCOMER_MS)
    harness.do(Disconnect(2))
    harness.wait(49_999)
    assert 2 in harness.state.members
    harness.wait(1)
    assert harness.records[-1] == Gone(harness.now, 2, "timeout")


def test_a_newcomer_who_never_comes_back_is_removed_after_30_s() -> None:
    """One who has come back, or created the room, keeps the seat for longer."""
    harness = harness_with()
    harness.enter("Ann", creator=True)
    harness.enter("Ben")
    harness.enter("Eve")
    harness.wait(NEWCOMER_MS - 1)
    for member in (1, 2, 3):
        harness.do(Disconnect(member))
    harness.do(Connect(2))
    harness.do(Disconnect(2))
    harness.wait(29_999)
    assert [*harness.state.members] == [1, 2, 3]
    harness.wait(1)
    assert harness.records[-1] == Gone(harness.now, 3, "timeout")
    harness.wait(19_999)
    assert [*harness.state.members] == [1, 2]


def test_a_full_room_removes_newcomers_who_are_gone_at_once() -> None:
    harness = harness_with("Ann", limits=RoomLimits(players=3, spectators=1))
    for name in ("Ben", "Cat"):
        harness.enter(name)
    harness.do(Disconnect(3))
    harness.do(Disconnect(2))
    assert isinstance(harness.do(Enter("Dan", "hash")), list)
    assert [*harness.state.members] == [1, 3, 4], "the first of those away"
    assert harness.seat(4) == 1
    harness.enter("Eve", role="spectator")
    assert isinstance(harness.ask(5, m.Role("player")), list)
    assert [*harness.state.members] == [1, 4, 5]


def test_a_full_room_removes_others_after_20_s_away() -> None:
    harness = harness_with("Ann", "Ben", limits=RoomLimits(players=2))
    harness.wait(NEWCOMER_MS)
    harness.do(Disconnect(2))
    harness.wait(19_999)
    assert harness.do(Enter("Cat", "hash")) == Refusal("room_full")
    harness.wait(1)
    harness.enter("Cat")
    assert [*harness.state.members] == [1, 3]


def test_a_full_room_removes_nobody_from_a_running_race() -> None:
    harness = harness_with("Ann", "Ben", limits=RoomLimits(players=2))
    harness.start_race(1, 2)
    harness.do(Disconnect(2))
    harness.wait(30_000)
    assert harness.do(Enter("Cat", "hash")) == Refusal("room_full")


@pytest.mark.parametrize("role", ["player", "spectator"])
def test_places_per_address_are_limited(role: m.RoleName) -> None:
    """Not on this machine; members who are away make place for their own address."""
    limits = RoomLimits(players_per_ip=2, spectators_per_ip=2)
    harness = harness_with("Ann", limits=limits)
    for number in range(2):
        harness.enter(f"X {number}", address="x", role=role)
    again = Enter("X", "hash", role, address="x")
    assert harness.do(again) == Refusal("room_full")
    for number in range(3):
        harness.enter(f"Local {number}", role=role)
    harness.enter("Y", address="y", role=role)
    harness.do(Disconnect(harness.state.last_member))
    assert harness.do(again) == Refusal("room_full"), "another address is away"
    harness.do(Disconnect(3))
    assert isinstance(harness.do(again), list)
    assert 3 not in harness.state.members


def test_the_hosts_address_may_take_all_places() -> None:
    """A class often shares one address."""
    harness = harness_with(limits=RoomLimits(players=5, players_per_ip=2))
    harness.enter("Ann", creator=True, address="x")
    for number in range(4):
        harness.enter(f"Pupil {number}", address="x")
    assert harness.do(Enter("Eve", "hash", address="x")) == Refusal("room_full")


# --- kicked --------------------------------------------------------------------------


def room_with_eve_kicked() -> RoomHarness:
    harness = harness_with("Ann")
    harness.enter("Eve", address="e")
    harness.ask(1, m.Kick(2))
    return harness


def test_a_kicked_member_stays_out_until_the_host_unlocks_the_room() -> None:
    """Also after a checkpoint and a recovery."""
    harness = room_with_eve_kicked()
    for name in ("Eve", " eve ", "\uff25ve"):
        assert harness.do(Enter(name, "other", address="e")) == Refusal("kicked")
    harness.crash(1_000)
    harness.do(Connect(1))
    harness.start_race(1)
    harness.solve(1)
    harness.ask(1, m.Rematch(harness.state.race.id))
    assert harness.checkpoint is not None
    harness.crash(1_000)
    assert harness.do(Enter("Eve", "other", address="e")) == Refusal("kicked")
    assert room.is_kicked(harness.state, "hash of Eve")
    harness.do(Connect(1))
    harness.ask(1, m.Lock())
    harness.ask(1, m.Lock(on=False))
    assert not room.is_kicked(harness.state, "hash of Eve")
    harness.enter("Eve", address="e")


def test_a_kick_keeps_nobody_else_out() -> None:
    harness = room_with_eve_kicked()
    assert isinstance(harness.do(Enter("Eve", "hash", address="f")), list)
    assert isinstance(harness.do(Enter("Dan", "hash", address="e")), list)
    assert not room.is_kicked(harness.state, "hash of Ann")


def test_a_kick_recognises_a_name_that_was_made_unique() -> None:
    harness = harness_with("Ann", "Cat")
    harness.enter("Cat", address="e")
    harness.ask(1, m.Kick(3))
    assert harness.do(Enter("Cat", "hash", address="e")) == Refusal("kicked")


def test_the_room_remembers_the_last_kicked_members() -> None:
    harness = harness_with("Ann")
    for number in range(MAX_KICKED + 1):
        harness.enter(f"E{number}")
        harness.ask(1, m.Kick(harness.state.last_member))
    assert len(harness.state.kicked) == MAX_KICKED
    assert isinstance(harness.do(Enter("E0", "hash")), list)


def test_a_racer_away_too_long_stays_while_the_race_runs() -> None:
    harness = RoomHarness(m.RulesPatch(size="2x2", away_ms=0))
    harness.enter("Ann")
    harness.enter("Ben")
    harness.start_race(1, 2)
    harness.do(Disconnect(2))
    harness.wait(59_999)
    assert 2 in harness.state.members
    assert harness.state.race.attempts[harness.seat(2)].why == "away"
    harness.do(Connect(2))
    assert harness.state.race.attempts[harness.seat(2)].status == "racing"
    harness.solve(2)
    harness.do(Disconnect(2))
    harness.solve(1)
    assert harness.phase() == "results"
    harness.wait(49_999)
    assert 2 in harness.state.members
    harness.wait(1)
    assert 2 not in harness.state.members


# --- host ----------------------------------------------------------------------------


def test_the_first_human_player_is_host() -> None:
    harness = harness_with()
    harness.enter("Eve", role="spectator")
    harness.enter("Robo", bot=True)
    assert host(harness) == (None, None)
    harness.enter("Ann")
    assert host(harness) == (3, 3)


def test_the_creator_of_the_room_is_host_in_any_role() -> None:
    harness = harness_with()
    harness.enter("Eve", role="spectator", creator=True)
    harness.enter("Ann")
    assert host(harness) == (1, 1)


def test_a_host_away_for_20_s_is_replaced_until_they_return() -> None:
    harness = harness_with("Ann", "Ben", "Cat")
    harness.do(Disconnect(1))
    harness.wait(19_999)
    assert host(harness) == (1, 1)
    harness.wait(1)
    assert host(harness) == (2, 1)
    assert isinstance(harness.events[-1], m.RoomEvent)
    assert harness.events[-1].why == "host"
    harness.do(Connect(1))
    assert host(harness) == (1, 1)


def test_the_longest_present_active_player_becomes_host() -> None:
    harness = harness_with("Ann", "Ben", "Cat", "Dan")
    harness.ask(2, m.Bench(2))
    harness.wait(10)
    harness.do(Disconnect(3))
    harness.wait(10)
    harness.do(Connect(3))
    harness.ask(1, m.Leave())
    assert host(harness) == (4, 4)
    harness.ask(4, m.Leave())
    assert host(harness) == (3, 3)
    harness.ask(3, m.Leave())
    assert host(harness) == (2, 2)


def test_a_substitute_host_who_disconnects_is_replaced_too() -> None:
    harness = harness_with("Ann", "Ben", "Cat")
    harness.do(Disconnect(1))
    harness.wait(20_000)
    harness.do(Disconnect(2))
    harness.wait(20_000)
    assert host(harness) == (3, 1)
    harness.do(Connect(2))
    assert host(harness) == (3, 1)
    harness.ask(3, m.Leave())
    assert host(harness) == (2, 1)


def test_host_without_a_successor_keeps_the_role() -> None:
    harness = harness_with("Ann")
    harness.enter("Robo", bot=True)
    harness.enter("Eve", role="spectator")
    harness.do(Disconnect(1))
    harness.wait(30_000)
    assert host(harness) == (1, 1)
    harness.ask(3, m.Role("player"))
    assert host(harness) == (3, 1)


def test_the_role_passes_on_when_its_owner_leaves() -> None:
    harness = harness_with("Ann", "Ben")
    harness.do(Disconnect(1))
    harness.wait(50_000)
    assert 1 not in harness.state.members
    assert host(harness) == (2, 2)


def test_the_host_can_hand_over_to_a_human_player() -> None:
    harness = harness_with("Ann", "Ben")
    harness.enter("Robo", bot=True)
    harness.enter("Eve", role="spectator")
    assert harness.ask(2, m.HandOver(2)) == Refusal("not_host")
    assert harness.ask(1, m.HandOver(9)) == Refusal("member_unknown", "member", "9")
    assert harness.ask(1, m.HandOver(3)) == Refusal("not_player", "member", "3")
    assert harness.ask(1, m.HandOver(4)) == Refusal("not_player", "member", "4")
    assert harness.ask(1, m.HandOver(1)) == []
    harness.ask(1, m.HandOver(2))
    assert host(harness) == (2, 2)
    harness.do(Disconnect(2))
    harness.wait(20_000)
    assert host(harness) == (1, 2)


def test_a_substitute_host_can_become_the_owner() -> None:
    harness = harness_with("Ann", "Ben")
    harness.do(Disconnect(1))
    harness.wait(20_000)
    harness.ask(2, m.HandOver(2))
    assert host(harness) == (2, 2)
    harness.do(Connect(1))
    assert host(harness) == (2, 2)


# --- bench and roles -----------------------------------------------------------------


def test_players_may_be_benched_by_themselves_or_the_host() -> None:
    harness = harness_with("Ann", "Ben")
    harness.enter("Eve", role="spectator")
    assert harness.ask(2, m.Bench(1)) == Refusal("not_host")
    assert harness.ask(1, m.Bench(9)) == Refusal("member_unknown", "member", "9")
    assert harness.ask(1, m.Bench(3)) == Refusal("not_player", "member", "3")
    harness.ask(2, m.Ready(harness.race))
    harness.ask(1, m.Bench(2))
    assert harness.state.members[2].benched
    assert not harness.state.members[2].ready
    assert harness.seat(2) == 1
    assert harness.ask(1, m.Bench(2)) == []
    harness.ask(2, m.Bench(2, on=False))
    assert not harness.state.members[2].benched


def test_roles_may_change_between_races() -> None:
    harness = harness_with("Ann", "Ben", "Cat")
    harness.start_race(1, 2)
    assert harness.ask(2, m.Role("spectator")) == Refusal("wrong_phase")
    assert harness.ask(2, m.Bench(2)) == Refusal("wrong_phase")
    harness.ask(3, m.Role("spectator"))
    assert harness.state.members[3].seat is None
    assert harness.ask(3, m.Role("spectator")) == []
    harness.ask(3, m.Role("player"))
    assert harness.seat(3) == 2


# --- settings ------------------------------------------------------------------------


def test_new_rules_create_a_new_race_with_nobody_ready() -> None:
    harness = harness_with("Ann", "Ben")
    harness.ask(2, m.Ready(harness.race))
    before = harness.state.race
    harness.ask(1, m.Settings(m.RulesPatch(size="3x2")))
    after = harness.state.race
    assert after.rules.size == "3x2"
    assert before.id != after.id
    assert before.secret != after.secret
    assert before.commitment != after.commitment
    assert not harness.state.members[2].ready
    last = harness.events[-1]
    assert isinstance(last, m.RoomEvent)
    assert (last.why, last.room.race) == ("settings", after.id)


def test_equal_settings_change_nothing() -> None:
    harness = harness_with("Ann")
    assert harness.ask(1, m.Settings()) == []
    assert harness.ask(1, m.Settings(m.RulesPatch(size="2x2"), public=False)) == []


def test_settings_are_for_the_host_in_the_lobby_and_in_range() -> None:
    harness = harness_with("Ann", "Ben")
    patch = m.RulesPatch(countdown_ms=1_499)
    assert harness.ask(2, m.Settings()) == Refusal("not_host")
    assert harness.ask(1, m.Settings(patch)) == Refusal(
        "bad_rules", "rules.countdown_ms", "1499"
    )
    harness.start_race(1, 2)
    assert harness.ask(1, m.Settings()) == Refusal("wrong_phase")


def test_a_known_seed_is_announced_and_can_be_removed() -> None:
    harness = harness_with("Ann")
    harness.ask(1, m.Settings(seed="tea"))
    known = harness.state.race
    assert len(known.known_seed) == 64
    assert harness.snapshot(1).room.seed_known
    assert room.listing(harness.state)["seed_known"]
    harness.start_race(1)
    assert harness.state.race.seed == known.known_seed
    harness.ask(1, m.Forfeit(harness.race))
    harness.to_phase("results")
    results = harness.snapshot(1).results
    assert results is not None
    assert results.secret is None
    harness.ask(1, m.Rematch(harness.race))
    assert harness.state.race.known_seed == known.known_seed
    harness.ask(1, m.Settings(seed=""))
    assert harness.state.race.known_seed == ""


def test_a_seed_of_64_hex_digits_is_used_as_it_is() -> None:
    harness = RoomHarness(m.RulesPatch(size="2x2"), seed="ab" * 32)
    assert harness.state.race.known_seed == "ab" * 32


def test_making_a_room_public_sets_its_default_countdown() -> None:
    harness = harness_with("Ann")
    race = harness.race
    harness.ask(1, m.Settings(public=True))
    assert harness.state.public
    assert harness.state.race.rules.countdown_ms == 10_000
    assert harness.race != race
    harness.ask(1, m.Settings(m.RulesPatch(countdown_ms=4_000)))
    race = harness.race
    harness.ask(1, m.Settings(public=False))
    assert harness.race == race
    last = harness.events[-1]
    assert isinstance(last, m.RoomEvent)
    assert (last.why, last.room.public) == ("settings", False)


# --- closing a room ------------------------------------------------------------------


def test_the_host_can_close_the_room() -> None:
    harness = harness_with("Ann", "Ben")
    assert harness.ask(2, m.Close()) == Refusal("not_host")
    harness.ask(1, m.Close())
    assert harness.events[-1] == m.Closed(harness.state.offset, "host")
    assert harness.phase() == "closed"
    assert harness.deadline() is None
    for command in (Enter("Cat", "hash"), Connect(1), Disconnect(1)):
        assert harness.do(command) == Refusal("room_unknown")
    assert harness.ask(1, m.Close()) == Refusal("room_unknown")
    slides = m.Slides(harness.race, 0, 1, [("U", 1, 0)])
    assert harness.ask(1, slides) == Refusal("room_unknown")
    assert harness.do(room.Tick()) == []


def closes_after(harness: RoomHarness, ms: int) -> None:
    began = harness.now
    while not harness.state.closed:
        assert harness.to_deadline()
    assert harness.now - began == ms
    assert harness.records[-1] == Closed(harness.now, "timeout")


def test_a_lobby_with_nobody_connected_closes() -> None:
    closes_after(harness_with(limits=RoomLimits()), 600_000)
    harness = harness_with("Ann", limits=RoomLimits())
    harness.wait(300_000)
    harness.do(Disconnect(1))
    closes_after(harness, 600_000)


def test_connections_keep_a_room_open_but_seats_do_not() -> None:
    harness = harness_with("Ann", limits=RoomLimits())
    harness.wait(3_000_000)
    assert not harness.state.closed


@pytest.mark.parametrize(("away_ms", "ttl"), [(60_000, 120_000), (300_000, 300_000)])
def test_a_race_with_nobody_connected_closes(away_ms: int, ttl: int) -> None:
    harness = RoomHarness(
        m.RulesPatch(away_ms=away_ms, size="3x2"), limits=RoomLimits()
    )
    harness.enter("Ann")
    harness.start_race(1)
    harness.do(Disconnect(1))
    assert room.closes_at(harness.state, harness.limits) == harness.now + ttl


def test_results_with_nobody_connected_close() -> None:
    harness = harness_with("Ann", limits=RoomLimits())
    harness.start_race(1)
    harness.solve(1)
    harness.do(Disconnect(1))
    closes_after(harness, 900_000)


def test_a_room_closes_six_hours_after_the_last_activity() -> None:
    harness = harness_with("Ann", limits=RoomLimits())
    harness.wait(1_000_000)
    harness.ask(1, m.Ready(harness.race))
    harness.wait(1_000)
    harness.do(Disconnect(1))
    harness.do(Connect(1))
    closes_after(harness, 6 * 3_600_000 - 1_000)


def test_a_host_change_has_one_event() -> None:
    harness = harness_with("Ann")
    changes = [one for one in harness.records if isinstance(one, HostChanged)]
    assert len(changes) == 1


def test_a_new_device_gets_a_token_and_the_previous_one_stays_valid() -> None:
    harness = harness_with("Ann", "Ben")
    before = harness.state.members[2].token_hash
    harness.do(Connect(2, "b" * 64))
    known = harness.state.members[2]
    assert (known.token_hash, known.former_hash) == ("b" * 64, before)


def test_the_previous_token_is_invalid_once_the_new_one_was_used() -> None:
    """Also after a recovery; until then the new device may not have received it."""
    harness = harness_with("Ann", "Ben")
    old, new = harness.state.members[2].token_hash, "b" * 64
    harness.do(Connect(2, new))
    for _ in range(2):
        harness.do(Connect(2, resumed_with=old))
        assert room.member_by_token(harness.state, old) == 2
    harness.do(Connect(2, resumed_with=new))
    harness.crash(1_000)
    assert room.member_by_token(harness.state, new) == 2
    assert room.member_by_token(harness.state, old) is None
    used = harness.do(Connect(2, resumed_with=new))
    assert isinstance(used, list)
    assert not [one for one in used if isinstance(one, TokenIssued)], "only once"
    harness.do(Connect(2, "c" * 64))
    assert room.member_by_token(harness.state, new) == 2


# --- nicknames -----------------------------------------------------------------------


def test_members_may_change_their_nickname() -> None:
    """It is cleaned and made unique, as when they join; they may choose their own
    again."""
    harness = harness_with("Ann", "Ben")
    harness.ask(2, m.Rename(" Z\u200boë\t"))
    assert harness.state.members[2].name == "Zoë"
    harness.ask(2, m.Rename("ANN"))
    assert harness.state.members[2].name == "ANN 2"
    harness.ask(1, m.Rename("ann"))
    assert harness.state.members[1].name == "ann"
    assert harness.ask(1, m.Rename("ann")) == []
    assert harness.replayed().members == harness.state.members


def test_everybody_hears_of_a_new_nickname() -> None:
    harness = harness_with("Ann")
    harness.ask(1, m.Rename("Zoë"))
    event = harness.events[-1]
    assert isinstance(event, m.MemberEvent)
    assert (event.why, event.member.name) == ("renamed", "Zoë")


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("", "bad_name"),
        (" \u202e ", "bad_name"),
        ("\u0410nn", "mixed_name"),
        ("x" * 21, "long_name"),
    ],
)
def test_bad_nicknames_are_refused(typed: str, code: str) -> None:
    harness = harness_with("Ann")
    assert harness.ask(1, m.Rename(typed)) == Refusal(code, "name", typed)


def test_racers_keep_their_nickname_until_the_results() -> None:
    """It is in the race record; spectators are not."""
    harness = harness_with("Ann", "Ben", "Cat")
    harness.start_race(1, 2)
    assert harness.ask(1, m.Rename("Zoë")) == Refusal("racing")
    harness.ask(3, m.Rename("Cleo"))
    assert harness.state.members[3].name == "Cleo"
    harness.solve(1)
    assert harness.ask(1, m.Rename("Zoë")) == Refusal("racing")
    harness.solve(2)
    assert harness.state.phase == "results"
    harness.ask(1, m.Rename("Zoë"))
    assert harness.state.members[1].name == "Zoë"
    assert harness.state.racers[Seat(0)].name == "Ann"
    assert [one.name for one in harness.state.series.scores] == ["Zoë", "Ben"]


# --- muting --------------------------------------------------------------------------


def test_host_may_mute_members_and_a_crash_does_not_lift_it() -> None:
    harness = harness_with("Ann", "Ben")
    assert harness.ask(2, m.Mute(1)) == Refusal("not_host")
    assert harness.ask(1, m.Mute(9)) == Refusal("member_unknown", "member", "9")
    harness.ask(1, m.Mute(2))
    assert harness.ask(1, m.Mute(2)) == []
    harness.crash(1_000)
    assert harness.state.members[2].muted
    event = harness.snapshot(1).members[1]
    assert (event.name, event.muted) == ("Ben", True)
    harness.ask(1, m.Mute(2, on=False))
    last = harness.events[-1]
    assert isinstance(last, m.MemberEvent)
    assert (last.why, last.member.muted) == ("unmuted", False)
