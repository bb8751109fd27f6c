"""What a race changed in our profile: told, shown on the results, and kept."""

import pytest
from tests.client import rooms
from tests.client.key_states import finished
from tests.client.offline import (
    OfflineClient,
    keys,
    running_app,
    screen,
    settle,
    wait_for_text,
)
from tests.client.rooms import (
    NEXT,
    RACE,
    ModelHarness,
    notes,
    snapshot,
    standing,
    welcome,
)
from tests.client.test_me import answering
from tests.client.test_profile_connection import ANN, server

from sliderace.protocol import messages as m
from sliderace_client.shared_ui.wording import gains

SECRET = "5" * 32
AO5 = m.Gain("ao5", 11_204, 11_514)
SINGLE = m.Gain("single", 9_000)


# --- In words -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (m.Gains(RACE, True), ""),
        (m.Gains(RACE, True, place=3, of=9), ""),
        (m.Gains(RACE, False, streak=0), "This attempt does not count towards"),
        (m.Gains(RACE, True, [SINGLE]), "First single, 9.000"),
        (
            m.Gains(RACE, True, [SINGLE, AO5], place=1, of=2),
            "First single, 9.000 · New best ao5, 11.204 (-0.310), 1st of 2",
        ),
        (
            m.Gains(RACE, True, [AO5], streak=5),
            "New best ao5, 11.204 (-0.310) · Daily streak: 5 days",
        ),
        (m.Gains(RACE, True, streak=1), "Daily streak: 1 day"),
    ],
)
def test_gains_in_words(event: m.Gains, told: str) -> None:
    assert gains(event).startswith(told)
    assert bool(gains(event)) == bool(told)


def test_gains_are_told_once_they_are_worth_it() -> None:
    ann = ModelHarness()
    assert notes(ann.receive(m.Gains(RACE, True, place=3, of=9))) == []
    assert ann.view.gains == m.Gains(RACE, True, place=3, of=9)
    told = notes(ann.receive(m.Gains(RACE, True, [AO5])))
    assert told == ["New best ao5, 11.204 (-0.310)"]
    assert len(notes(ann.receive(m.Gains(RACE, False)))) == 1


# --- The secret -----------------------------------------------------------------------


def test_secret_goes_into_every_hello_and_nowhere_else() -> None:
    model = rooms.fresh(profile=SECRET)
    assert model.hello().profile == SECRET
    model.receive(welcome(token=rooms.TOKEN), 0)
    hello = model.hello()
    assert hello.profile == SECRET
    assert isinstance(hello.enter, m.Resume)
    assert ModelHarness().model.hello().profile is None


def test_new_profile_needs_a_second_connection_once() -> None:
    ann = ModelHarness()
    assert ann.view.profile is None
    assert not in_doubt(ann)
    ann.model.use_profile(SECRET)
    assert in_doubt(ann)
    assert ann.model.hello().profile == SECRET
    event = welcome(profile="KWXTRBDF")
    ann.model.taken_over(event)
    ann.receive(event)
    assert not in_doubt(ann)
    assert ann.view.profile == "KWXTRBDF"


def test_nobody_is_told_that_the_first_connection_ends() -> None:
    """The server closes it as soon as the second one is in the seat."""
    ann = ModelHarness()
    ann.model.use_profile(SECRET)
    ann.model.lost(1006)
    told = notes(ann.model.poll(ann.now))
    told += notes(ann.receive(welcome(profile="KWXTRBDF"), snapshot()))
    assert told == []
    ann.model.lost(1006)
    assert len(notes(ann.model.poll(ann.now))) == 1


def in_doubt(ann: ModelHarness) -> bool:
    return ann.model.in_doubt


def test_unknown_secret_is_told_and_ends_nothing() -> None:
    ann = ModelHarness()
    unknown = m.Refused("hello", "profile_unknown", "", field="profile")
    assert notes(ann.receive(unknown)) == [
        "This server no longer knows your profile, so you are here as a guest."
    ]
    assert ann.view.ended is None


def test_profile_that_cannot_be_looked_up_is_told_and_ends_nothing() -> None:
    """The refusal comes before the welcome; that of the entry would end it."""
    ann = ModelHarness()
    ann.view.online = False
    failing = m.Refused("hello", "storage_unavailable", "", field="profile")
    assert notes(ann.receive(failing)) == [
        "This server cannot look up your profile right now, so you are here as a guest."
    ]
    assert ann.view.ended is None
    ann.receive(m.Refused("hello", "profile_unknown", "It needs one."))
    assert ann.view.ended is not None


# --- On the screen --------------------------------------------------------------------


def guest(*, features: tuple[str, ...] = ("profiles",)) -> OfflineClient:
    client = OfflineClient()
    client.receive(rooms.welcome(features=[*features]))
    return client


def finish(client: OfflineClient) -> None:
    finished(client)
    row = standing(0, "finished", place=1, time_ms=9_000)
    client.receive(m.StandingEvent(0, RACE, row))


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (40, 15)])
async def test_results_show_gains_of_their_race(size: tuple[int, int]) -> None:
    client = guest()
    async with running_app(client, size) as pilot:
        finish(client)
        client.receive(m.Gains(NEXT, True, [SINGLE]))
        await settle(pilot)
        assert "★" not in screen(pilot)
        client.receive(m.Gains(RACE, True, [AO5], place=14, of=212))
        await settle(pilot)
        shown = " ".join(screen(pilot).split())
        assert "★ New best ao5, 11.204 (-0.310)" in shown
        assert "14th of 212" in shown
        assert shown.count("New best") == 1


async def test_guest_who_finished_can_keep_the_time() -> None:
    client = guest()
    async with running_app(client) as pilot:
        finish(client)
        await settle(pilot)
        assert "k  keep this time" in keys(pilot)
        client.receive(rooms.welcome(features=["profiles"], profile="KWXTRBDF"))
        await settle(pilot)
        assert "keep this time" not in keys(pilot)


async def test_nobody_else_can_keep_a_time() -> None:
    for client, finishes in ((guest(), False), (guest(features=()), True)):
        async with running_app(client) as pilot:
            finish(client) if finishes else finished(client)
            await settle(pilot)
            assert "keep this time" not in keys(pilot)


async def test_one_key_keeps_the_time() -> None:
    script = answering(m.MeEvent(ANN), profile=None)
    client = guest()
    async with server(script) as url, running_app(client, server=url) as pilot:
        finish(client)
        await settle(pilot)
        await pilot.press("k")
        await wait_for_text(pilot, "Your times are kept from now on, Ann.")
        assert script.heard == [m.Keep("Ann")]
        assert client.secrets == script.secrets
        assert client.secrets[0] not in screen(pilot)


async def test_refused_profile_is_told_and_the_race_goes_on() -> None:
    full = m.Refused("keep", "too_many_profiles", "")
    client = guest()
    async with (
        server(answering(full, profile=None)) as url,
        running_app(client, server=url) as pilot,
    ):
        finish(client)
        await settle(pilot)
        await pilot.press("k")
        await wait_for_text(pilot, "Too many profiles were created")
        assert client.secrets == []
        assert "k  keep this time" in keys(pilot)
