"""Who is in a room, in which seat, and who is host."""

import pytest
from tests.server.room_fixture import Stage

from sliderace.protocol import messages as m
from sliderace.race.refusal import Refusal
from sliderace_server import room
from sliderace_server.room import Connect, Disconnect, Enter, RoomLimits
from sliderace_server.room.log_records import Closed, Gone, HostChanged


def stage_of(*names: str, **more: object) -> Stage:
    stage = Stage(m.RulesPatch(size="2x2"), **more)  # type: ignore[arg-type]
    for name in names:
        stage.enter(name)
    return stage


def host(stage: Stage) -> tuple[int | None, int | None]:
    return stage.state.host, stage.state.owner


# --- coming in -----------------------------------------------------------------------


def test_seats_are_the_lowest_free_ones() -> None:
    stage = stage_of("Ann", "Ben", "Cat")
    stage.ask(2, m.Leave())
    assert stage.seat(stage.enter("Dan")) == 1
    assert stage.seat(stage.enter("Eve")) == 3


def test_a_seat_of_the_roster_is_free_again_only_between_races() -> None:
    stage = stage_of("Ann", "Ben", "Cat")
    stage.race_of(1, 2, 3)
    stage.ask(2, m.Leave())
    assert stage.seat(stage.enter("Dan")) == 3
    stage.ask(1, m.Forfeit(stage.race))
    stage.ask(3, m.Forfeit(stage.race))
    stage.to_phase("results")
    stage.ask(4, m.Role("spectator"))
    stage.ask(4, m.Role("player"))
    assert stage.seat(4) == 3
    stage.ask(1, m.Rematch(stage.race))
    stage.ask(4, m.Role("spectator"))
    stage.ask(4, m.Role("player"))
    assert stage.seat(4) == 1


def test_names_are_cleaned_and_made_unique() -> None:
    stage = stage_of("\u202eAnn ")
    stage.enter("ANN")
    assert [one.name for one in stage.state.members.values()] == ["Ann", "ANN 2"]
    assert stage.do(Enter("\u200b", "hash")) == Refusal("bad_name", "name")


@pytest.mark.parametrize(("role", "places"), [("player", 2), ("spectator", 1)])
def test_a_full_room_takes_nobody_more(role: m.RoleName, places: int) -> None:
    stage = stage_of(limits=RoomLimits(players=2, spectators=1))
    for n in range(places):
        stage.enter(f"Friend {n}", role=role)
    assert stage.do(Enter("Late", "hash", role)) == Refusal("room_full")
    other: m.RoleName = "spectator" if role == "player" else "player"
    stage.enter("Other", role=other)
    member = stage.state.last_member
    assert stage.ask(member, m.Role(role)) == Refusal("room_full")
    stage.ask(1, m.Leave())
    assert isinstance(stage.ask(member, m.Role(role)), list)


def test_the_defaults_are_16_seats_and_100_spectators() -> None:
    stage = stage_of(limits=RoomLimits())
    for n in range(16):
        stage.enter(f"Player {n}")
    assert stage.do(Enter("One more", "hash")) == Refusal("room_full")
    for n in range(100):
        stage.enter(f"Spectator {n}", role="spectator")
    assert stage.do(Enter("Me too", "hash", "spectator")) == Refusal("room_full")


def test_a_locked_room_takes_nobody_new_but_its_members_back() -> None:
    stage = stage_of("Ann", "Ben")
    assert stage.ask(2, m.Lock()) == Refusal("not_host")
    stage.ask(1, m.Lock())
    assert stage.ask(1, m.Lock()) == []
    assert stage.do(Enter("Cat", "hash")) == Refusal("room_locked")
    stage.do(Disconnect(2))
    assert isinstance(stage.do(Connect(2)), list)
    stage.ask(1, m.Lock(on=False))
    stage.enter("Cat")


def test_late_joiners_get_a_seat_and_watch_this_race() -> None:
    stage = stage_of("Ann")
    stage.race_of(1)
    late = stage.enter("Late")
    assert stage.seat(late) == 1
    assert stage.state.race.roster == (0,)
    slides = m.Slides(stage.race, 0, 1, [("U", 1, 0)])
    assert stage.ask(late, slides) == Refusal("not_racing")
    assert room.sees_boards(stage.state, late, stage.now)


def test_who_holds_the_token_holds_the_seat() -> None:
    stage = stage_of("Ann", "Ben")
    assert room.member_by_token(stage.state, "hash of Ben") == 2
    assert room.member_by_token(stage.state, "hash of Eve") is None
    stage.ask(2, m.Leave())
    assert room.member_by_token(stage.state, "hash of Ben") is None


def test_nobody_else_can_say_or_do_anything() -> None:
    stage = stage_of("Ann")
    assert stage.ask(9, m.Leave()) == Refusal("bad_token")
    slides = m.Slides(stage.race, 0, 1, [("U", 1, 0)])
    assert stage.ask(9, slides) == Refusal("bad_token")
    assert stage.do(Connect(9)) == Refusal("bad_token")
    assert stage.do(Disconnect(9)) == []


def test_connections_come_and_go_once() -> None:
    stage = stage_of("Ann")
    assert stage.do(Connect(1)) == []
    stage.do(Disconnect(1))
    assert stage.do(Disconnect(1)) == []
    stage.do(Connect(1))
    assert [getattr(one, "why", "") for one in stage.events[-2:]] == [
        "disconnected",
        "connected",
    ]


# --- going ---------------------------------------------------------------------------


def test_a_kick_is_the_host_s_and_about_another() -> None:
    stage = stage_of("Ann", "Ben")
    assert stage.ask(2, m.Kick(1)) == Refusal("not_host")
    assert stage.ask(1, m.Kick(7)) == Refusal("member_unknown", "member", "7")
    assert stage.ask(1, m.Kick(1)) == Refusal("member_unknown", "member", "1")
    stage.ask(1, m.Kick(2))
    assert stage.records[-1] == Gone(stage.now, 2, "kicked")
    assert list(stage.state.members) == [1]


@pytest.mark.parametrize("how", ["left", "kicked"])
def test_who_goes_in_a_race_is_out_of_it_but_in_its_results(how: str) -> None:
    stage = stage_of("Ann", "Ben")
    stage.race_of(1, 2)
    stage.ask(*((2, m.Leave()) if how == "left" else (1, m.Kick(2))))
    stage.wait(100)
    stage.solve(1)
    assert stage.phase() == "results"
    first, second = room.standings_of(stage.state)
    assert (first.name, first.place, first.status) == ("Ann", 1, "finished")
    assert (second.name, second.place, second.why) == ("Ben", 2, how)
    assert second.member == 2


def test_the_last_racer_leaves_and_the_race_ends() -> None:
    stage = stage_of("Ann")
    stage.race_of(1)
    stage.ask(1, m.Leave())
    assert stage.phase() == "results"
    assert stage.state.host is None


def test_who_is_away_for_long_loses_the_seat_between_races() -> None:
    stage = stage_of("Ann", "Ben")
    stage.do(Disconnect(2))
    stage.wait(49_999)
    assert 2 in stage.state.members
    stage.wait(1)
    assert stage.records[-1] == Gone(stage.now, 2, "timeout")


def test_but_not_while_the_race_runs() -> None:
    stage = Stage(m.RulesPatch(size="2x2", away_ms=0))
    stage.enter("Ann")
    stage.enter("Ben")
    stage.race_of(1, 2)
    stage.do(Disconnect(2))
    stage.wait(59_999)
    assert 2 in stage.state.members
    assert stage.state.race.attempts[stage.seat(2)].why == "away"
    stage.do(Connect(2))
    assert stage.state.race.attempts[stage.seat(2)].status == "racing"
    stage.solve(2)
    stage.do(Disconnect(2))
    stage.solve(1)
    assert stage.phase() == "results"
    stage.wait(49_999)
    assert 2 in stage.state.members
    stage.wait(1)
    assert 2 not in stage.state.members


# --- host ----------------------------------------------------------------------------


def test_the_first_human_player_is_host() -> None:
    stage = stage_of()
    stage.enter("Eve", role="spectator")
    stage.enter("Robo", bot=True)
    assert host(stage) == (None, None)
    stage.enter("Ann")
    assert host(stage) == (3, 3)


def test_who_creates_the_room_is_host_in_any_role() -> None:
    stage = stage_of()
    stage.enter("Eve", role="spectator", creator=True)
    stage.enter("Ann")
    assert host(stage) == (1, 1)


def test_after_20_s_away_the_host_is_represented_and_back_on_return() -> None:
    stage = stage_of("Ann", "Ben", "Cat")
    stage.do(Disconnect(1))
    stage.wait(19_999)
    assert host(stage) == (1, 1)
    stage.wait(1)
    assert host(stage) == (2, 1)
    assert isinstance(stage.events[-1], m.RoomEvent)
    assert stage.events[-1].why == "host"
    stage.do(Connect(1))
    assert host(stage) == (1, 1)


def test_the_longest_present_player_who_does_not_sit_out_follows() -> None:
    stage = stage_of("Ann", "Ben", "Cat", "Dan")
    stage.ask(2, m.Bench(2))
    stage.wait(10)
    stage.do(Disconnect(3))
    stage.wait(10)
    stage.do(Connect(3))
    stage.ask(1, m.Leave())
    assert host(stage) == (4, 4)
    stage.ask(4, m.Leave())
    assert host(stage) == (3, 3)
    stage.ask(3, m.Leave())
    assert host(stage) == (2, 2)


def test_a_substitute_who_goes_away_is_replaced_too() -> None:
    stage = stage_of("Ann", "Ben", "Cat")
    stage.do(Disconnect(1))
    stage.wait(20_000)
    stage.do(Disconnect(2))
    stage.wait(20_000)
    assert host(stage) == (3, 1)
    stage.do(Connect(2))
    assert host(stage) == (3, 1)
    stage.ask(3, m.Leave())
    assert host(stage) == (2, 1)


def test_without_anybody_to_follow_the_host_stays() -> None:
    stage = stage_of("Ann")
    stage.enter("Robo", bot=True)
    stage.enter("Eve", role="spectator")
    stage.do(Disconnect(1))
    stage.wait(30_000)
    assert host(stage) == (1, 1)
    stage.ask(3, m.Role("player"))
    assert host(stage) == (3, 1)


def test_the_role_goes_for_good_with_its_owner() -> None:
    stage = stage_of("Ann", "Ben")
    stage.do(Disconnect(1))
    stage.wait(50_000)
    assert 1 not in stage.state.members
    assert host(stage) == (2, 2)


def test_the_role_can_be_handed_over_to_a_human_player() -> None:
    stage = stage_of("Ann", "Ben")
    stage.enter("Robo", bot=True)
    stage.enter("Eve", role="spectator")
    assert stage.ask(2, m.HandOver(2)) == Refusal("not_host")
    assert stage.ask(1, m.HandOver(9)) == Refusal("member_unknown", "member", "9")
    assert stage.ask(1, m.HandOver(3)) == Refusal("not_player", "member", "3")
    assert stage.ask(1, m.HandOver(4)) == Refusal("not_player", "member", "4")
    assert stage.ask(1, m.HandOver(1)) == []
    stage.ask(1, m.HandOver(2))
    assert host(stage) == (2, 2)
    stage.do(Disconnect(2))
    stage.wait(20_000)
    assert host(stage) == (1, 2)


def test_a_substitute_may_make_the_role_its_own() -> None:
    stage = stage_of("Ann", "Ben")
    stage.do(Disconnect(1))
    stage.wait(20_000)
    stage.ask(2, m.HandOver(2))
    assert host(stage) == (2, 2)
    stage.do(Connect(1))
    assert host(stage) == (2, 2)


# --- sitting out, watching -----------------------------------------------------------


def test_bench_is_the_member_s_own_or_the_host_s() -> None:
    stage = stage_of("Ann", "Ben")
    stage.enter("Eve", role="spectator")
    assert stage.ask(2, m.Bench(1)) == Refusal("not_host")
    assert stage.ask(1, m.Bench(9)) == Refusal("member_unknown", "member", "9")
    assert stage.ask(1, m.Bench(3)) == Refusal("not_player", "member", "3")
    stage.ask(2, m.Ready(stage.race))
    stage.ask(1, m.Bench(2))
    assert stage.state.members[2].benched
    assert not stage.state.members[2].ready
    assert stage.seat(2) == 1
    assert stage.ask(1, m.Bench(2)) == []
    stage.ask(2, m.Bench(2, on=False))
    assert not stage.state.members[2].benched


def test_roles_change_between_races() -> None:
    stage = stage_of("Ann", "Ben", "Cat")
    stage.race_of(1, 2)
    assert stage.ask(2, m.Role("spectator")) == Refusal("wrong_phase")
    assert stage.ask(2, m.Bench(2)) == Refusal("wrong_phase")
    stage.ask(3, m.Role("spectator"))
    assert stage.state.members[3].seat is None
    assert stage.ask(3, m.Role("spectator")) == []
    stage.ask(3, m.Role("player"))
    assert stage.seat(3) == 2


# --- settings ------------------------------------------------------------------------


def test_a_change_of_rules_makes_a_new_race_and_nobody_is_ready() -> None:
    stage = stage_of("Ann", "Ben")
    stage.ask(2, m.Ready(stage.race))
    before = stage.state.race
    stage.ask(1, m.Settings(m.RulesPatch(size="3x2")))
    after = stage.state.race
    assert after.rules.size == "3x2"
    assert before.id != after.id
    assert before.secret != after.secret
    assert before.commitment != after.commitment
    assert not stage.state.members[2].ready
    last = stage.events[-1]
    assert isinstance(last, m.RoomEvent)
    assert (last.why, last.room.race) == ("settings", after.id)


def test_settings_that_change_nothing_change_nothing() -> None:
    stage = stage_of("Ann")
    assert stage.ask(1, m.Settings()) == []
    assert stage.ask(1, m.Settings(m.RulesPatch(size="2x2"), public=False)) == []


def test_settings_are_the_host_s_in_the_lobby_and_in_range() -> None:
    stage = stage_of("Ann", "Ben")
    patch = m.RulesPatch(countdown_ms=2_999)
    assert stage.ask(2, m.Settings()) == Refusal("not_host")
    assert stage.ask(1, m.Settings(patch)) == Refusal(
        "bad_rules", "countdown_ms", "2999"
    )
    stage.race_of(1, 2)
    assert stage.ask(1, m.Settings()) == Refusal("wrong_phase")


def test_a_seed_known_in_advance_is_marked_and_goes() -> None:
    stage = stage_of("Ann")
    stage.ask(1, m.Settings(seed="tea"))
    known = stage.state.race
    assert len(known.known_seed) == 64
    assert stage.snapshot(1).room.seed_known
    assert room.listing(stage.state)["seed_known"]
    stage.race_of(1)
    assert stage.state.race.seed == known.known_seed
    stage.ask(1, m.Forfeit(stage.race))
    stage.to_phase("results")
    results = stage.snapshot(1).results
    assert results is not None
    assert results.secret is None
    stage.ask(1, m.Rematch(stage.race))
    assert stage.state.race.known_seed == known.known_seed
    stage.ask(1, m.Settings(seed=""))
    assert stage.state.race.known_seed == ""


def test_a_room_of_64_hex_digits_has_just_that_seed() -> None:
    stage = Stage(m.RulesPatch(size="2x2"), seed="ab" * 32)
    assert stage.state.race.known_seed == "ab" * 32


def test_listing_is_no_rule_but_brings_its_countdown() -> None:
    stage = stage_of("Ann")
    race = stage.race
    stage.ask(1, m.Settings(public=True))
    assert stage.state.public
    assert stage.state.race.rules.countdown_ms == 10_000
    assert stage.race != race
    stage.ask(1, m.Settings(m.RulesPatch(countdown_ms=4_000)))
    race = stage.race
    stage.ask(1, m.Settings(public=False))
    assert stage.race == race
    last = stage.events[-1]
    assert isinstance(last, m.RoomEvent)
    assert (last.why, last.room.public) == ("settings", False)


# --- the end of a room ---------------------------------------------------------------


def test_the_host_closes_the_room() -> None:
    stage = stage_of("Ann", "Ben")
    assert stage.ask(2, m.Close()) == Refusal("not_host")
    stage.ask(1, m.Close())
    assert stage.events[-1] == m.Closed(stage.state.offset, "host")
    assert stage.phase() == "closed"
    assert stage.deadline() is None
    for command in (Enter("Cat", "hash"), Connect(1), Disconnect(1)):
        assert stage.do(command) == Refusal("room_unknown")
    assert stage.ask(1, m.Close()) == Refusal("room_unknown")
    slides = m.Slides(stage.race, 0, 1, [("U", 1, 0)])
    assert stage.ask(1, slides) == Refusal("room_unknown")
    assert stage.do(room.Tick()) == []


def closes_after(stage: Stage, ms: int) -> None:
    began = stage.now
    while not stage.state.closed:
        assert stage.to_deadline()
    assert stage.now - began == ms
    assert stage.records[-1] == Closed(stage.now, "timeout")


def test_a_lobby_without_a_socket_closes() -> None:
    closes_after(stage_of(limits=RoomLimits()), 600_000)
    stage = stage_of("Ann", limits=RoomLimits())
    stage.wait(300_000)
    stage.do(Disconnect(1))
    closes_after(stage, 600_000)


def test_seats_do_not_keep_a_room_but_sockets_do() -> None:
    stage = stage_of("Ann", limits=RoomLimits())
    stage.wait(3_000_000)
    assert not stage.state.closed


@pytest.mark.parametrize(("away_ms", "ttl"), [(60_000, 120_000), (300_000, 300_000)])
def test_a_race_without_a_socket_closes(away_ms: int, ttl: int) -> None:
    stage = Stage(m.RulesPatch(away_ms=away_ms, size="3x2"), limits=RoomLimits())
    stage.enter("Ann")
    stage.race_of(1)
    stage.do(Disconnect(1))
    assert room.closes_at(stage.state, stage.limits) == stage.now + ttl


def test_results_without_a_socket_close() -> None:
    stage = stage_of("Ann", limits=RoomLimits())
    stage.race_of(1)
    stage.solve(1)
    stage.do(Disconnect(1))
    closes_after(stage, 900_000)


def test_any_room_closes_six_hours_after_the_last_deed() -> None:
    stage = stage_of("Ann", limits=RoomLimits())
    stage.wait(1_000_000)
    stage.ask(1, m.Ready(stage.race))
    stage.wait(1_000)
    stage.do(Disconnect(1))
    stage.do(Connect(1))
    closes_after(stage, 6 * 3_600_000 - 1_000)


def test_a_host_change_is_told_once() -> None:
    stage = stage_of("Ann")
    changes = [one for one in stage.records if isinstance(one, HostChanged)]
    assert len(changes) == 1


def test_a_new_device_has_a_token_and_the_one_before_keeps_its_own() -> None:
    stage = stage_of("Ann", "Ben")
    before = stage.state.members[2].token_hash
    stage.do(Connect(2, "b" * 64))
    known = stage.state.members[2]
    assert (known.token_hash, known.former_hash) == ("b" * 64, before)
