"""The bots of the server in a room: the host says which, and they only accompany."""

from typing import get_args

import pytest
from tests.server.room_fixture import LIMITS, RoomHarness

from sliderace.engine import Size
from sliderace.protocol import messages as m
from sliderace.protocol.codec import ProtocolError, decode_command
from sliderace.race.log_records import CountdownBegan
from sliderace.race.refusal import Refusal
from sliderace.solve import LEVELS, pace_range
from sliderace_server import room
from sliderace_server.room import Connect, Disconnect, RoomLimits
from sliderace_server.room.bots import ANIMALS, bot_name
from sliderace_server.room.log_records import Entered, Gone, ReadyChanged, Record

CLUB, STRONG = m.BotWanted("club"), m.BotWanted("strong")
TIMED = m.BotWanted(pace_ms=12_500)
ROOMY = RoomLimits(players=16)


def want(
    harness: RoomHarness, *bots: m.BotWanted, by: int = 1
) -> list[Record] | Refusal:
    """Ask for bots; those that come have the hashes "bot 0", "bot 1" and so on."""
    hashes = [f"bot {number}" for number in range(len(bots))]
    return harness.do(room.MemberCommand(by, m.Bots([*bots]), hashes))


def room_with(*bots: m.BotWanted, **patch: object) -> RoomHarness:
    """Return a room with the host Ann, and with bots that are connected."""
    rules = m.RulesPatch(size="2x2", **patch)  # type: ignore[arg-type]
    harness = RoomHarness(rules, limits=ROOMY)
    harness.enter("Ann", creator=True)
    assert isinstance(want(harness, *bots), list)
    connect(harness)
    return harness


def connect(harness: RoomHarness) -> None:
    for member in bots_of(harness):
        harness.do(Connect(member))


def bots_of(harness: RoomHarness) -> list[int]:
    return [one.id for one in harness.state.members.values() if one.served]


def hosts_of(harness: RoomHarness) -> list[int]:
    return [one for one in (harness.state.host,) if one is not None]


def names_of(harness: RoomHarness) -> list[str]:
    return [harness.state.members[member].name for member in bots_of(harness)]


# --- who is in the room ---------------------------------------------------------------


def test_bots_enter_with_a_seat_before_they_are_connected() -> None:
    harness = RoomHarness(limits=ROOMY)
    harness.enter("Ann")
    outcome = want(harness, CLUB, TIMED)
    assert isinstance(outcome, list)
    assert [one.token_hash for one in outcome if isinstance(one, Entered)] == [
        "bot 0",
        "bot 1",
    ]
    first, second = harness.snapshot(1).members[1:]
    assert first == m.Member(
        2, "⚙ Fox · club", "player", 1, False, False, False, True, level="club"
    )
    assert (second.name, second.pace_ms) == ("⚙ Hare · ~12.5 s", 12_500)
    harness.do(Connect(2))
    assert harness.snapshot(1).members[1].connected


def test_the_same_bots_again_change_nothing() -> None:
    harness = room_with(CLUB, STRONG)
    assert want(harness, STRONG, CLUB) == []
    assert harness.replayed() == harness.state


def test_other_bots_leave_and_come() -> None:
    harness = room_with(CLUB, CLUB, STRONG)
    outcome = want(harness, CLUB, TIMED)
    assert isinstance(outcome, list)
    assert [one.member for one in outcome if isinstance(one, Gone)] == [3, 4]
    assert bots_of(harness) == [2, 5]
    assert want(harness) != []
    assert bots_of(harness) == []


def test_a_bot_can_be_kicked() -> None:
    harness = room_with(CLUB, STRONG)
    harness.ask(1, m.Kick(2))
    assert bots_of(harness) == [3]
    assert isinstance(want(harness, CLUB, STRONG), list)
    assert bots_of(harness) == [3, 4]


def test_bots_change_only_between_races() -> None:
    harness = room_with(CLUB)
    harness.start_race(1)
    assert want(harness) == Refusal("wrong_phase")
    assert want(harness, CLUB) == []
    harness.solve(1)
    harness.solve(2)
    harness.to_phase("results")
    assert isinstance(want(harness, STRONG), list)
    assert [harness.seat(member) for member in bots_of(harness)] == [2]


def test_names_of_bots_are_different_animals() -> None:
    harness = room_with(*[CLUB] * 6)
    animals = [name.split()[1] for name in names_of(harness)]
    assert len({*animals}) == 6
    taken = [f"⚙ {animal} · club" for animal in ANIMALS[:15]]
    assert bot_name(CLUB, 3, taken) == f"⚙ {ANIMALS[15]} · club"


def test_people_called_like_all_animals_take_no_name_from_a_bot() -> None:
    harness = room_with()
    for number in range(0, len(ANIMALS), 3):
        harness.enter(" ".join([*ANIMALS[number : number + 3], "x"]), role="spectator")
    assert isinstance(want(harness, CLUB), list)
    assert len(bots_of(harness)) == 1


def test_nobody_else_can_have_the_mark_of_a_bot() -> None:
    harness = RoomHarness()
    assert harness.state.members[harness.enter("⚙ Otter · club")].name == "Otter · club"
    harness.ask(1, m.Rename("⚙ Fox · club"))
    assert harness.state.members[1].name == "Fox · club"
    outcome = harness.do(room.Enter("\u26ed\u26ee", "hash"))
    assert outcome == Refusal("bad_name", "name", "\u26ed\u26ee")
    ann = harness.enter("Ann")
    harness.ask(ann, m.Rename("⚙ Otter"))
    assert harness.state.members[ann].name == "Otter"


# --- bad input ------------------------------------------------------------------------


def test_only_the_host_may_have_bots() -> None:
    harness = room_with()
    ben = harness.enter("Ben")
    assert want(harness, CLUB, by=ben) == Refusal("not_host")


def test_a_seventh_bot_is_refused_with_the_limit() -> None:
    harness = room_with()
    refusal = want(harness, *[CLUB] * 7)
    assert refusal == Refusal("too_many_bots", "want", "7", allowed=(0, 6))
    assert isinstance(refusal, Refusal)
    said = room.refused("bots", refusal).text
    assert said == "want must be an integer from 0 to 6, not 7."
    assert isinstance(want(harness, *[CLUB] * 6), list)


def test_without_bots_in_the_settings_there_are_none() -> None:
    harness = RoomHarness(limits=RoomLimits(bots=0))
    harness.enter("Ann")
    refusal = want(harness, CLUB)
    assert refusal == Refusal("too_many_bots", "want", "1", allowed=(0, 0))
    assert want(harness) == []


def test_a_full_room_gets_no_bots() -> None:
    harness = RoomHarness(limits=LIMITS)
    harness.enter("Ann")
    harness.enter("Ben")
    assert want(harness, *[CLUB] * 3) == Refusal("room_full")
    assert isinstance(want(harness, *[CLUB] * 2), list)


def test_an_unknown_level_is_refused_with_the_list() -> None:
    with pytest.raises(ProtocolError) as error:
        decode_command('{"t":"bots","want":[{"level":"club"},{"level":"god"}]}')
    assert (error.value.code, error.value.field) == ("bad_message", "want[1].level")
    assert error.value.value == '"god"'
    assert "one of beginner, casual, club, expert, master" in error.value.text


@pytest.mark.parametrize("pace", [1, 599, 14_400_001])
def test_an_impossible_pace_is_refused_with_the_range(pace: int) -> None:
    harness = room_with()
    refusal = want(harness, CLUB, m.BotWanted(pace_ms=pace))
    field = "want[1].pace_ms"
    range_ = 600, 14_400_000
    assert refusal == Refusal("bad_bot", field, str(pace), allowed=range_)
    assert isinstance(refusal, Refusal)
    said = room.refused("bots", refusal).text
    assert said == f"{field} must be an integer from 600 to 14400000, not {pace}."


def test_the_fastest_pace_depends_on_the_size() -> None:
    assert pace_range(Size(10, 10)) == (3_000, 14_400_000)
    harness = room_with(m.BotWanted(pace_ms=600), m.BotWanted(pace_ms=14_400_000))
    assert names_of(harness) == ["⚙ Fox · ~0.6 s", "⚙ Hare · ~240:00"]


def test_a_bot_stays_although_its_pace_is_too_fast_for_a_new_size() -> None:
    fast = m.BotWanted(pace_ms=600)
    harness = room_with(fast, CLUB)
    harness.ask(1, m.Settings(rules=m.RulesPatch(size="10x10")))
    assert want(harness, fast, CLUB) == []
    assert isinstance(want(harness, fast, STRONG), list)
    assert bots_of(harness) == [2, 4]


@pytest.mark.parametrize(
    ("bot", "field", "value"),
    [
        (m.BotWanted(), "want[0]", ""),
        (m.BotWanted("club", 5_000), "want[0].pace_ms", "5000"),
    ],
)
def test_a_bot_has_either_a_level_or_a_pace(
    bot: m.BotWanted, field: str, value: str
) -> None:
    assert want(room_with(), bot) == Refusal("bad_bot", field, value)


def test_levels_are_those_of_the_solver() -> None:
    assert list(get_args(m.LevelName)) == list(LEVELS)


# --- starts ---------------------------------------------------------------------------


def test_bots_are_ready_as_soon_as_they_are_connected() -> None:
    harness = room_with()
    want(harness, CLUB)
    assert not harness.state.members[2].ready
    harness.do(Connect(2))
    assert harness.state.members[2].ready


def test_one_person_races_with_bots() -> None:
    harness = room_with(CLUB, STRONG)
    assert harness.phase() == "lobby"
    harness.ask(1, m.Ready(harness.race))
    assert harness.phase() == "countdown"
    harness.to_phase("racing")
    assert harness.state.race.roster == (0, 1, 2)
    harness.solve(3)
    first, *_ = room.standings_of(harness.state)
    assert (first.name, first.bot) == ("⚙ Hare · strong", True)


def test_nobody_waits_for_a_bot_that_is_not_connected() -> None:
    harness = room_with(CLUB)
    want(harness, CLUB, STRONG)
    harness.ask(1, m.Ready(harness.race))
    assert harness.phase() == "countdown"
    harness.to_phase("racing")
    assert harness.state.race.roster == (0, 1)


def test_a_bot_does_not_make_people_ready() -> None:
    harness = room_with(CLUB, STRONG)
    harness.enter("Ben")
    harness.ask(1, m.Ready(harness.race))
    harness.wait(5_000)
    assert harness.phase() == "lobby"


def test_bots_take_part_in_a_rematch() -> None:
    harness = room_with(CLUB)
    harness.start_race(1)
    harness.solve(2)
    harness.solve(1)
    harness.to_phase("results")
    harness.wait(20_000)
    assert harness.phase() == "results"
    harness.ask(1, m.Rematch(harness.race))
    assert harness.phase() == "countdown"
    assert harness.state.members[2].ready
    assert harness.replayed() == harness.state


def test_bots_stay_ready_when_the_host_cancels() -> None:
    harness = room_with(CLUB, STRONG)
    harness.ask(1, m.Ready(harness.race))
    harness.ask(1, m.Abort(harness.race))
    assert harness.phase() == "lobby"
    assert [one.ready for one in harness.state.members.values()] == [False, True, True]


def test_a_benched_bot_is_ready_again_when_it_returns() -> None:
    harness = room_with(CLUB)
    harness.ask(1, m.Bench(2))
    assert not harness.state.members[2].ready
    harness.ask(1, m.Bench(2, on=False))
    assert harness.state.members[2].ready


def test_bots_of_the_server_do_not_race_without_people() -> None:
    harness = room_with(CLUB, STRONG)
    harness.ask(1, m.Role("spectator"))
    harness.wait(60_000)
    assert harness.phase() == "lobby"


def test_a_host_who_watches_may_let_bots_race() -> None:
    harness = room_with(CLUB, STRONG)
    harness.ask(1, m.Role("spectator"))
    harness.ask(1, m.Start(harness.race))
    harness.to_phase("racing")
    assert harness.state.race.roster == (1, 2)
    harness.solve(2)
    harness.solve(3)
    harness.wait(60_000)
    assert harness.phase() == "results"


def test_bots_do_not_race_on_for_a_host_who_is_gone() -> None:
    harness = room_with(CLUB, STRONG)
    harness.ask(1, m.Role("spectator"))
    harness.ask(1, m.Start(harness.race))
    harness.do(Disconnect(1))
    assert harness.phase() == "lobby"


def test_a_countdown_stops_if_only_bots_are_left() -> None:
    harness = room_with(CLUB, STRONG)
    harness.ask(1, m.Ready(harness.race))
    harness.ask(1, m.Leave())
    assert harness.phase() == "lobby"
    harness.wait(20_000)
    assert harness.phase() == "lobby"


def test_a_race_does_not_begin_while_all_people_are_away() -> None:
    harness = room_with(CLUB, STRONG)
    harness.ask(1, m.Ready(harness.race))
    harness.do(Disconnect(1))
    assert harness.phase() == "countdown"
    harness.wait(6_000)
    assert harness.phase() == "lobby"


def test_a_room_that_starts_by_the_clock_does_not_start_for_bots() -> None:
    harness = room_with(CLUB, STRONG, start="every", every_ms=10_000)
    harness.to_phase("racing")
    harness.ask(1, m.Leave())
    for member in (2, 3):
        harness.solve(member)
    harness.to_phase("results")
    harness.wait(50_000)
    assert harness.phase() in ("results", "closed")
    assert sum(isinstance(one, CountdownBegan) for one in harness.records) == 1


def test_bots_join_a_room_that_starts_by_the_clock() -> None:
    harness = room_with(start="every", every_ms=10_000)
    harness.to_phase("racing")
    harness.solve(1)
    harness.to_phase("results")
    want(harness, CLUB)
    connect(harness)
    assert harness.state.members[2].ready
    harness.to_phase("racing")
    assert harness.state.race.roster == (0, 1)


def test_bots_of_players_start_without_people() -> None:
    harness = RoomHarness(limits=ROOMY)
    for name in ("Robo", "Data"):
        harness.enter(name, bot=True)
    for member in (1, 2):
        harness.ask(member, m.Ready(harness.race))
    assert harness.phase() == "countdown"


# --- the room without people ----------------------------------------------------------


def test_bots_are_never_host() -> None:
    harness = room_with(CLUB)
    harness.ask(1, m.Leave())
    harness.wait(30_000)
    assert hosts_of(harness) == []
    ben = harness.enter("Ben")
    assert hosts_of(harness) == [ben]
    refusal = harness.ask(ben, m.HandOver(2))
    assert refusal == Refusal("not_player", "member", "2")


def test_a_room_with_only_bots_closes() -> None:
    harness = room_with(CLUB, STRONG)
    harness.do(Disconnect(1))
    harness.wait(ROOMY.lobby_ttl_ms)
    assert harness.phase() == "closed"


def test_races_of_bots_keep_no_room_open_for_somebody_who_is_away() -> None:
    """In a room that starts by the clock, whose page was left open."""
    rules = m.RulesPatch(size="2x2", start="every", limit_ms=10_000)
    harness = RoomHarness(rules, limits=RoomLimits(room_ttl_ms=600_000))
    harness.enter("Ann", creator=True)
    want(harness, CLUB)
    connect(harness)
    slid_at = 0
    while not harness.state.closed:
        harness.to_deadline()
        if harness.state.phase == "racing":
            harness.solve(2)
            if harness.now < 300_000:
                harness.ask(1, harness.slides(1, count=1))
                slid_at = harness.now
        assert harness.now < 1_200_000
    assert slid_at > 0
    assert slid_at + 600_000 <= harness.now <= slid_at + 660_000
    assert harness.replayed() == harness.state


def test_a_bot_that_never_connects_is_removed() -> None:
    harness = room_with()
    want(harness, CLUB)
    harness.wait(ROOMY.newcomer_ttl_ms)
    assert bots_of(harness) == []


def test_bots_survive_a_killed_server() -> None:
    """They connect again with their tokens, and the race goes on."""
    harness = room_with(CLUB, STRONG)
    harness.start_race(1)
    harness.crash(2_000)
    for member in (1, 2, 3):
        harness.do(Connect(member))
    for member in (2, 3, 1):
        harness.solve(member)
    harness.to_phase("results")
    rows = room.standings_of(harness.state)
    assert [row.status for row in rows] == ["finished"] * 3
    assert [row.bot for row in rows].count(True) == 2


def test_bots_are_in_the_checkpoint() -> None:
    harness = room_with(CLUB, TIMED)
    harness.start_race(1)
    for member in (1, 2, 3):
        harness.solve(member)
    harness.to_phase("results")
    harness.ask(1, m.Rematch(harness.race))
    assert harness.checkpoint
    harness.crash(1_000)
    assert bots_of(harness) == [2, 3]
    assert harness.state.members[3].pace_ms == 12_500


def test_a_bot_that_disappears_mid_race_does_not_finish() -> None:
    harness = room_with(CLUB)
    harness.start_race(1)
    harness.do(Disconnect(2))
    harness.solve(1)
    harness.wait(60_000)
    assert harness.phase() == "results"
    assert [row.status for row in room.standings_of(harness.state)] == [
        "finished",
        "dnf",
    ]


def test_readiness_of_a_bot_is_an_event_like_any_other() -> None:
    harness = room_with(CLUB)
    readied = [one for one in harness.records if isinstance(one, ReadyChanged)]
    assert [one.member for one in readied] == [2]
