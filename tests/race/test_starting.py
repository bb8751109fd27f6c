"""Up to the start: countdown, roster, nonces, draw and postponement."""

import pytest
from tests.race.track import (
    ANN,
    BEN,
    CAT,
    NONCES,
    RACE_ID,
    SECRET,
    SMALL,
    T0,
    Track,
    names,
    refused,
)

from sliderace.engine import (
    BadSeed,
    Size,
    commitment,
    nonce_commitment,
    scramble,
    seed_of,
)
from sliderace.race import decide
from sliderace.race.log_records import (
    CountdownBegan,
    CountdownStopped,
    DidNotFinish,
    NonceRevealed,
    Postponed,
    RaceAborted,
    RacerDisconnected,
    RosterFrozen,
    Seat,
)
from sliderace.race.rules import Rules
from sliderace.race.state import (
    BOARD_DURABLE_MS,
    FREEZE_MS,
    NONCE_DEADLINE_MS,
    ROSTER_DURABLE_MS,
)
from sliderace.race.timing import Latency

SIZE = Size(3, 2)
AT = T0 - FREEZE_MS
ALL = (ANN, BEN, CAT)


def nonce_of(seat: Seat) -> str:
    return NONCES[seat].hex()


def bound(seat: Seat) -> str:
    return nonce_commitment(RACE_ID, seat, NONCES[seat])


# --- Before the race -----------------------------------------------------------------


def test_new_race_commits_to_its_secret() -> None:
    made = decide.create_race(RACE_ID, SMALL, SECRET, 3, "ab" * 32)
    assert made.commitment == commitment(RACE_ID, Size(3, 2), SECRET)
    assert (made.t, made.secret, made.known_seed) == (3, SECRET.hex(), "ab" * 32)


@pytest.mark.parametrize(("race_id", "secret"), [("a b", SECRET), (RACE_ID, b"short")])
def test_new_race_needs_a_valid_id_and_secret(race_id: str, secret: bytes) -> None:
    with pytest.raises(BadSeed):
        decide.create_race(race_id, SMALL, secret, 0)


def test_countdown_sets_t0_once() -> None:
    track = Track()
    assert track.do(decide.begin_countdown(track.race, 100)) == [
        CountdownBegan(100, RACE_ID, 5_100)
    ]
    assert track.do(decide.begin_countdown(track.race, 200)) == []


def test_countdown_can_stop_only_before_the_freeze() -> None:
    track = Track()
    assert track.do(decide.stop_countdown(track.race, "few", 0)) == []
    track.do(decide.begin_countdown(track.race, 0))
    assert track.do(decide.stop_countdown(track.race, "few", 10)) == [
        CountdownStopped(10, RACE_ID, "few")
    ]
    assert track.race.phase == "lobby"
    track.freeze(ANN)
    assert refused(decide.stop_countdown(track.race, "few", 4_000)) == "wrong_phase"


# --- The roster ----------------------------------------------------------------------


def test_freeze_fixes_roster_and_commitments() -> None:
    track = Track()
    track.do(decide.begin_countdown(track.race, 0))
    asked = {CAT: bound(CAT), ANN: "", BEN: bound(BEN)}
    assert track.do(decide.freeze_roster(track.race, asked, AT)) == [
        RosterFrozen(AT, RACE_ID, T0, ALL, ("", bound(BEN), bound(CAT)))
    ]
    race = track.race
    assert (race.frozen, race.drawn, race.roster) == (True, False, ALL)
    assert race.commitments == {BEN: bound(BEN), CAT: bound(CAT)}
    assert track.do(decide.freeze_roster(race, {ANN: ""}, AT)) == []


def test_freeze_needs_a_countdown_and_a_racer() -> None:
    track = Track()
    assert refused(decide.freeze_roster(track.race, {ANN: ""}, 0)) == "wrong_phase"
    track.do(decide.begin_countdown(track.race, 0))
    assert refused(decide.freeze_roster(track.race, {}, 0)) == "nobody_ready"


def test_known_seed_uses_no_nonces() -> None:
    seed = bytes(range(100, 132))
    track = Track(known_seed=seed.hex()).freeze(ANN, BEN, committed=[ANN, BEN])
    assert track.race.commitments == {}
    assert decide.draw_due(track.race, AT)
    track.do(decide.draw_board(track.race, {}, AT))
    assert track.race.board == scramble(seed, SIZE).tiles


@pytest.mark.parametrize(
    ("now", "t0"),
    [
        (AT, T0),
        (T0 - ROSTER_DURABLE_MS, T0),
        (T0 - ROSTER_DURABLE_MS + 1, T0 - ROSTER_DURABLE_MS + 1 + FREEZE_MS),
        (T0 + 70_000, T0 + 70_000 + FREEZE_MS),
    ],
)
def test_late_freeze_moves_t0(now: int, t0: int) -> None:
    track = Track()
    track.do(decide.begin_countdown(track.race, 0))
    track.do(decide.freeze_roster(track.race, {ANN: ""}, now))
    assert track.race.t0 == t0


# --- The nonces ----------------------------------------------------------------------


def test_draw_is_due_when_all_nonces_are_revealed() -> None:
    track = Track().freeze(*ALL, committed=ALL)
    for n, seat in enumerate(ALL):
        assert not decide.draw_due(track.race, AT + n)
        records = track.do(
            decide.reveal_nonce(track.race, seat, nonce_of(seat), AT + n)
        )
        assert records == [NonceRevealed(AT + n, RACE_ID, seat, nonce_of(seat))]
    assert decide.next_deadline(track.race) == AT
    assert decide.draw_due(track.race, AT + 2)
    track.do(decide.draw_board(track.race, {}, AT + 2))
    seed = seed_of(RACE_ID, SIZE, SECRET, [(seat, NONCES[seat]) for seat in ALL])
    assert track.race.seed == seed.hex()
    assert track.race.board == scramble(seed, SIZE).tiles
    assert track.race.nonces == {seat: nonce_of(seat) for seat in ALL}


def test_missing_nonce_is_left_out() -> None:
    track = Track().freeze(*ALL, committed=ALL)
    track.do(decide.reveal_nonce(track.race, CAT, nonce_of(CAT), AT))
    assert decide.next_deadline(track.race) == T0 - NONCE_DEADLINE_MS
    assert not decide.draw_due(track.race, T0 - NONCE_DEADLINE_MS - 1)
    assert decide.draw_due(track.race, T0 - NONCE_DEADLINE_MS)
    assert track.at(T0 - NONCE_DEADLINE_MS) == []  # the room decides the draw
    track.do(decide.draw_board(track.race, {}, T0 - NONCE_DEADLINE_MS))
    seed = seed_of(RACE_ID, SIZE, SECRET, [(CAT, NONCES[CAT])])
    assert track.race.seed == seed.hex()
    assert track.race.nonces == {CAT: nonce_of(CAT)}
    assert not decide.draw_due(track.race, T0)


def test_nonce_must_match_its_commitment() -> None:
    track = Track()
    assert (
        refused(decide.reveal_nonce(track.race, ANN, nonce_of(ANN), 0)) == "wrong_phase"
    )
    track.freeze(ANN, BEN, committed=[ANN])
    race = track.race
    assert refused(decide.reveal_nonce(race, ANN, nonce_of(BEN), AT)) == "bad_nonce"
    assert refused(decide.reveal_nonce(race, BEN, nonce_of(BEN), AT)) == "bad_nonce"
    assert refused(decide.reveal_nonce(race, CAT, nonce_of(CAT), AT)) == "not_racing"
    assert track.do(decide.reveal_nonce(race, ANN, nonce_of(ANN), AT))
    assert track.do(decide.reveal_nonce(race, ANN, nonce_of(ANN), AT + 1)) == []
    track.do(decide.draw_board(race, {}, AT + 2))
    assert track.do(decide.reveal_nonce(race, ANN, nonce_of(ANN), AT + 3)) == []
    assert refused(decide.reveal_nonce(race, BEN, nonce_of(BEN), AT + 3)) == "too_late"


def test_aborted_race_refuses_nonces() -> None:
    track = Track().freeze(ANN, committed=[ANN])
    assert track.do(decide.abort(track.race, AT)) == [RaceAborted(AT, RACE_ID, "host")]
    assert (
        refused(decide.reveal_nonce(track.race, ANN, nonce_of(ANN), AT))
        == "wrong_phase"
    )


# --- The draw ------------------------------------------------------------------------


def test_board_without_nonces_follows_from_the_secret() -> None:
    track = Track().draw(CAT, ANN, BEN)
    race = track.race
    seed = seed_of(RACE_ID, SIZE, SECRET)
    assert race.seed == seed.hex()
    assert race.board == scramble(seed, SIZE).tiles
    assert {attempt.unlocks_at for attempt in race.attempts.values()} == {T0}
    assert tuple(race.attempts) == ALL
    assert track.do(decide.draw_board(race, {}, 4_000)) == []


def test_draw_needs_a_frozen_roster() -> None:
    track = Track()
    assert refused(decide.draw_board(track.race, {}, 0)) == "wrong_phase"
    track.do(decide.begin_countdown(track.race, 0))
    assert refused(decide.draw_board(track.race, {}, 0)) == "wrong_phase"


@pytest.mark.parametrize(
    ("latency", "lead"),
    [
        (Latency(rtt_ms=0, samples=9), 0),
        (Latency(rtt_ms=81, jitter_ms=30, samples=9), 40),
        (Latency(rtt_ms=199, samples=9), 99),
        (Latency(rtt_ms=900, samples=9), 100),
        (Latency(rtt_ms=81, samples=4), 0),
    ],
)
def test_board_is_sent_half_a_round_trip_before_t0(latency: Latency, lead: int) -> None:
    track = Track(Rules(size="3x2", inspection_ms=9_000))
    track.draw(ANN, BEN, latencies={ANN: latency})
    assert (track[ANN].unlocks_at, track[BEN].unlocks_at) == (
        T0 - lead + 9_000,
        T0 + 9_000,
    )
    assert track[ANN].high_at == track[ANN].unlocks_at


@pytest.mark.parametrize(
    ("now", "t0"),
    [
        (T0 - BOARD_DURABLE_MS, T0),
        (T0 - BOARD_DURABLE_MS + 1, T0 - BOARD_DURABLE_MS + 1 + FREEZE_MS),
    ],
)
def test_late_draw_moves_t0(now: int, t0: int) -> None:
    track = Track().freeze(ANN)
    track.do(decide.draw_board(track.race, {ANN: Latency(rtt_ms=60, samples=9)}, now))
    assert (track.race.t0, track[ANN].unlocks_at) == (t0, t0 - 30)


def test_draw_records_who_is_away() -> None:
    track = Track().freeze(ANN, BEN)
    records = track.do(decide.draw_board(track.race, {}, AT, away={BEN, CAT}))
    assert names(records) == ["BoardDrawn", "RacerDisconnected"]
    assert records[1] == RacerDisconnected(AT, RACE_ID, BEN)
    assert track[BEN].away_since == AT
    assert track[ANN].away_since is None


def test_racer_who_left_since_the_freeze_is_dns_and_not_in_the_seed() -> None:
    track = Track().freeze(*ALL, committed=ALL)
    for seat in (ANN, BEN):
        track.do(decide.reveal_nonce(track.race, seat, nonce_of(seat), AT))
    records = track.do(
        decide.draw_board(track.race, {}, AT + 9, gone={CAT: "left", BEN: "kicked"})
    )
    assert records[1:] == [
        DidNotFinish(AT + 9, RACE_ID, BEN, "kicked"),
        DidNotFinish(AT + 9, RACE_ID, CAT, "left"),
    ]
    assert track.race.nonces == {ANN: nonce_of(ANN)}
    assert (track[BEN].status, track[ANN].status) == ("dns", "racing")


def test_race_is_aborted_if_all_left_before_the_draw() -> None:
    track = Track().freeze(ANN, BEN)
    assert track.do(
        decide.draw_board(track.race, {}, AT, gone={ANN: "left", BEN: "left"})
    ) == [RaceAborted(AT, RACE_ID, "nobody_left")]
    assert not track.race.drawn


# --- Postponement --------------------------------------------------------------------


def test_postpone_moves_all_starts_and_only_if_needed() -> None:
    track = Track(Rules(size="3x2", inspection_ms=2_000))
    assert refused(decide.postpone(track.race, 0)) == "wrong_phase"
    track.do(decide.begin_countdown(track.race, 0))
    assert refused(decide.postpone(track.race, T0)) == "wrong_phase"
    track.draw(ANN, BEN, latencies={BEN: Latency(rtt_ms=50, samples=9)})
    assert decide.postpone_at(track.race) == T0 - BOARD_DURABLE_MS
    assert track.do(decide.postpone(track.race, T0 - BOARD_DURABLE_MS - 1)) == []
    now = T0 - BOARD_DURABLE_MS
    t0 = now + FREEZE_MS
    starts = (t0 + 2_000, t0 + 2_000 - 25)
    assert track.do(decide.postpone(track.race, now)) == [
        Postponed(now, RACE_ID, t0, starts)
    ]
    assert track.do(decide.postpone(track.race, now)) == []
    attempts = track.race.attempts.values()
    assert tuple(one.unlocks_at for one in attempts) == starts
    assert tuple(one.high_at for one in attempts) == starts
    track.at(t0)
    assert decide.postpone_at(track.race) is None
    assert refused(decide.postpone(track.race, t0)) == "wrong_phase"


def test_unstored_roster_postpones_before_nonces_are_late() -> None:
    track = Track().freeze(ANN, BEN, committed=[ANN])
    at = decide.postpone_at(track.race)
    assert at == T0 - ROSTER_DURABLE_MS
    assert track.do(decide.postpone(track.race, at)) == [
        Postponed(at, RACE_ID, at + FREEZE_MS, ())
    ]
    assert not decide.draw_due(track.race, at)
    assert decide.next_deadline(track.race) == at + FREEZE_MS - NONCE_DEADLINE_MS
    track.do(decide.reveal_nonce(track.race, ANN, nonce_of(ANN), at + 1))
    assert decide.draw_due(track.race, at + 1)
