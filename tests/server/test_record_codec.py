"""Log records can be encoded and decoded; unreadable ones are errors."""

from typing import Any, get_args, get_type_hints

import msgspec
import pytest
from hypothesis import given, strategies as st
from tests.server.room_fixture import RoomHarness

from sliderace.protocol import messages as m
from sliderace.race.log_records import CountdownBegan, Seat, Slid
from sliderace.race.rules import Rules
from sliderace.race.series import Score, Series
from sliderace_server.room.log_records import Entered, HostStarted, Record, RoleChanged
from sliderace_server.room.member_state import MemberState
from sliderace_server.storage.record_codec import TYPES, UnknownRecord, decode, encode

WITH_RULES = ("race_made", "checkpoint")
"""Records that contain rules; random rules would mostly be out of range."""
KINDS = {name: kind for name, kind in TYPES.items() if name not in WITH_RULES}


def records(kind: type[Record]) -> st.SearchStrategy[Record]:
    return st.from_type(kind)


@given(st.sampled_from(sorted(KINDS)).flatmap(lambda name: records(KINDS[name])))
def test_every_record_can_be_encoded_and_decoded(record: Record) -> None:
    data = encode(record)
    assert decode(data) == record
    assert decode(encode(decode(data))) == record


def test_all_records_of_a_race_can_be_encoded_and_decoded() -> None:
    harness = RoomHarness(m.RulesPatch(size="2x2"))
    harness.enter("Ann")
    harness.start_race(1)
    harness.solve(1)
    assert [decode(encode(record)) for record in harness.records] == harness.records


def test_every_type_of_record_has_a_name() -> None:
    assert set(TYPES.values()) == set(get_args(Record))
    assert len(set(TYPES.values())) == len(TYPES)


def test_the_format_is_permanent() -> None:
    assert encode(HostStarted(7)) == b'[1,"host_started",7]'
    assert encode(CountdownBegan(7, "R-1", 9)) == b'[1,"countdown_began",7,"R-1",9]'
    entered = Entered(7, 2, "Ann", "player", bot=False, seat=None, token_hash="ab")
    assert (
        encode(entered)
        == b'[1,"entered",7,2,"Ann","player",false,null,"ab","",null,null,null]'
    )


def test_a_record_without_its_latest_field_has_the_default() -> None:
    record = decode(b'[1,"role_changed",7,2,"spectator",null]')
    assert record == RoleChanged(7, 2, "spectator", None, idle=False)


def test_names_and_fields_are_permanent() -> None:
    """Add new types, or a field with a default at the end; change nothing else."""
    shape = {name: " ".join(get_type_hints(kind)) for name, kind in TYPES.items()}
    assert shape == {
        "room_opened": "t code created_s public kind day",
        "epoch_began": "t epoch boot mono_ms wall_ms",
        "entered": "t member name role bot seat token_hash address level pace_ms"
        " usual_ms",
        "gone": "t member why",
        "connected": "t member",
        "disconnected": "t member",
        "readied": "t member on",
        "nonce_committed": "t member commitment",
        "host_started": "t",
        "start_planned": "t at",
        "host_changed": "t host owner",
        "door_changed": "t locked",
        "listing_changed": "t public",
        "benched": "t member on",
        "role_changed": "t member role seat idle",
        "renamed": "t member name",
        "muted": "t member on",
        "closed": "t why",
        "alive": "t",
        "stalled": "t since",
        "wall_set": "t wall_ms",
        "token_given": "t member token_hash",
        "series_began": "t format n by",
        "profile_known": "t member profile",
        "input_declared": "t seat input",
        "race_made": "t race rules secret commitment known_seed",
        "countdown_began": "t race t0",
        "countdown_stopped": "t race why",
        "roster_frozen": "t race t0 roster commitments",
        "nonce_told": "t race seat nonce",
        "race_locked": "t race t0 seed board roster starts nonces",
        "postponed": "t race t0 starts",
        "race_started": "t race",
        "slid": "t race seat seq slides approx",
        "finished": "t race seat s g e rtt jitter outage official",
        "forfeited": "t race seat",
        "forfeit_undone": "t race seat",
        "went_away": "t race seat",
        "returned": "t race seat",
        "did_not_finish": "t race seat why",
        "grace_began": "t race until",
        "time_called": "t race until",
        "winner_known": "t race",
        "race_ended": "t race",
        "race_aborted": "t race why",
        "checkpoint": "t code created_s public locked members last_member host owner"
        " race number last_race epoch hold_until offset empty_since active_at"
        " kicked series kind day",
    }
    assert " ".join(get_type_hints(MemberState)) == (
        "id name role seat bot token_hash former_hash ready benched connected since"
        " nonce_commitment nonces address newcomer level pace_ms muted"
        " profile usual_ms raced idle"
    )
    assert " ".join(get_type_hints(Series)) == "format n by races over scores"
    assert " ".join(get_type_hints(Score)) == (
        "member name bot races wins points best_ms results"
    )
    assert all("t" in get_type_hints(kind) for kind in TYPES.values())


def test_a_missing_new_field_gets_its_default() -> None:
    data = b'[1,"slid",7,"R-1",0,1,[["U",1,250]]]'
    assert decode(data) == Slid(7, "R-1", Seat(0), 1, (("U", 1, 250),))


def test_rules_are_read_by_name() -> None:
    data = b'[1,"race_made",7,"R-1",{"size":"3x3","open_boards":true},"aa","cc"]'
    record: Any = decode(data)
    assert record.rules == Rules(size="3x3", open_boards=True)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not a record"),
        (b"[", "not a record"),
        (b"[" * 5_000, "not a record"),
        (b"\xff", "not a record"),
        (b"null", "not a record"),
        (b"{}", "not a record"),
        (b"[]", "not a record"),
        (b"[1]", "not a record"),
        (b'[2,"connected",7,1]', "version 2"),
        (b'["1","connected",7,1]', "version '1'"),
        (b'[1,"beamed",7,1]', "beamed"),
        (b'[1,["connected"],7,1]', "version 1"),
        (b'[1,"connected",7,1,0]', "another release"),
        (b'[1,"connected",7]', "connected"),
        (b'[1,"connected",7,"1"]', "connected"),
        (b'[1,"gone",7,1,"beamed"]', "gone"),
        (b'[1,"race_made",7,"R",{"size":"1x1"},"aa","cc"]', "race_made"),
    ],
)
def test_what_is_not_a_record_is_an_error(data: bytes, reason: str) -> None:
    with pytest.raises(UnknownRecord, match=reason):
        decode(data)


@given(st.binary(max_size=200) | st.recursive(
    st.none() | st.integers() | st.text(max_size=3), st.lists, max_leaves=9
).map(msgspec.json.encode))  # fmt: skip
def test_any_bytes_are_a_record_or_the_documented_error(data: bytes) -> None:
    try:
        decode(data)
    except UnknownRecord as error:
        text = str(error)
        assert text
