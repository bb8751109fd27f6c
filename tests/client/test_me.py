"""`sliderace me` against a server that follows a script; tests/e2e has a real one."""

import asyncio
import json

import pytest
from msgspec.structs import replace
from tests.client.test_connection import Peer
from tests.client.test_plots import attempt
from tests.client.test_profile_connection import (
    ANN,
    KEY,
    SECRET,
    hello,
    server,
)

from sliderace.protocol import messages as m
from sliderace_client import exit_codes
from sliderace_client.cli.commands import run
from sliderace_client.net.profiles import KeptProfile, keep, kept
from sliderace_client.own_profile import ProfileError, use_key

HEX = "5e5e-5e5e-5e5e-5e5e-5e5e-5e5e-5e5e-5e5e"
BESTS = m.EventBests("3x3", 120, 112, 9_123, 10_200, 11_300, "KWXTRB-S0-1", 10_000)
RICH = replace(
    ANN,
    created_ms=1_796_000_000_000,
    bests=[BESTS, m.EventBests("10x10", 1, 0)],
    streak=5,
    dailies=["3x3"],
    devices=[
        m.Device(1, "laptop", 1_796_000_000_000, 1_796_100_000_000, current=True),
        m.Device(2, "", 1_796_000_000_000, 1_796_100_000_000),
    ],
)
Told = pytest.CaptureFixture[str]


@pytest.fixture
def known() -> None:
    """Keep a secret for the server."""
    keep(KEY, KeptProfile(SECRET, ANN.id, "Ann"))


async def sliderace(url: str, *args: str) -> int:
    return await asyncio.to_thread(run, ["me", "--server", url, *args])


async def shows(peer: Peer) -> None:
    assert await hello(peer, RICH) == SECRET


def answering(*answers: m.Event, profile: m.Profile | None = ANN) -> "Answering":
    return Answering(list(answers), profile)


class Answering:
    """A script that answers each command, and notes it."""

    def __init__(self, answers: list[m.Event], profile: m.Profile | None) -> None:
        self.answers, self.profile = answers, profile
        self.heard: list[m.Command] = []
        self.secrets: list[str] = []

    async def __call__(self, peer: Peer) -> None:
        self.secrets.append(await hello(peer, self.profile))
        for answer in self.answers:
            self.heard.append(await peer.hear())
            await peer.say(answer)


@pytest.mark.usefixtures("known")
async def test_profile_is_shown_without_its_secret(capsys: Told) -> None:
    async with server(shows) as url:
        assert await sliderace(url) == exit_codes.OK
    told = capsys.readouterr().out
    lines = told.splitlines()
    assert lines[0] == "Ann (KWXTRBDF)"
    assert lines[1].startswith(f"On {url} since 2026-1")
    assert "Daily streak: 5 days" in lines
    assert "Raced today: 3x3" in lines
    assert "event  attempts  finished  single     ao5    ao12" in lines
    assert "3x3         120       112   9.123  10.200  11.300" in lines
    assert "10x10         1         0       -       -       -" in lines
    assert "  1  laptop, this device, added 2026-1" in told
    assert "  2  without a name, added 2026-1" in told
    assert SECRET not in told


@pytest.mark.usefixtures("known")
async def test_statistics_in_words(capsys: Told) -> None:
    page = m.HistoryEvent("3x3", [attempt(9_000), attempt(None)])
    async with server(answering(page)) as url:
        assert await sliderace(url, "stats", "3x3") == exit_codes.OK
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "2 attempts, 1 of them finished; the best took 9.000."
    assert lines[1].startswith("Your most frequent times are 9.000 to ")
    assert any(line.startswith("Tiles per second") for line in lines)
    assert lines[-2].endswith("9.000  race now  11.11  2.50   keys")
    async with server(answering(m.HistoryEvent("4x4", []))) as url:
        assert await sliderace(url, "stats") == exit_codes.OK
    assert capsys.readouterr().out == "No attempt counts here yet.\n"
    async with server(answering(page)) as url:
        assert await sliderace(url, "--json", "stats", "3x3") == exit_codes.OK
    assert len(json.loads(capsys.readouterr().out)) == 2


@pytest.mark.usefixtures("known")
async def test_profile_as_json(capsys: Told) -> None:
    async with server(shows) as url:
        assert await sliderace(url, "--json") == exit_codes.OK
    told = capsys.readouterr().out
    assert json.loads(told)["bests"][0]["single_ms"] == 9_123
    assert SECRET not in told


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(
    ("args", "command", "answer", "told"),
    [
        (
            ("rename", "Zoë"),
            m.Rename("Zoë"),
            m.MeEvent(replace(ANN, name="Zoë")),
            "Zoë",
        ),
        (
            ("ticket",),
            m.DeviceTicket(),
            m.Ticket("KWXTRBDF", 300_000),
            "within 5 minutes, type the ticket KWXT-RBDF, or:",
        ),
        (("revoke", "2"), m.Revoke(2), m.MeEvent(ANN), "Ann (KWXTRBDF)"),
        (
            ("revoke", "1"),
            m.Revoke(1),
            m.MeEvent(None),
            "This device is no longer part of your profile.",
        ),
        (
            ("forget",),
            m.Forget(),
            m.MeEvent(replace(ANN, forget_at_ms=1_796_000_000_000)),
            "This profile will be deleted on 2026-1",
        ),
        (("forget", "--cancel"), m.Forget(on=False), m.MeEvent(ANN), "Ann (KWXTRBDF)"),
    ],
)
async def test_each_command_is_sent_and_its_answer_shown(
    args: tuple[str, ...],
    command: m.Command,
    answer: m.Event,
    told: str,
    capsys: Told,
) -> None:
    script = answering(answer)
    async with server(script) as url:
        assert await sliderace(url, *args) == exit_codes.OK
    assert script.heard == [command]
    output = capsys.readouterr().out
    assert told in output
    assert SECRET not in output
    assert ("forget --cancel" in output) == (args == ("forget",))


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("bad_name", "That nickname cannot be shown. Please choose another."),
        ("too_many_profiles", "Too many profiles were created"),
    ],
)
async def test_refusal_is_one_line_and_its_exit_code(
    code: str, told: str, capsys: Told
) -> None:
    script = answering(m.Refused("rename", code, "no"))
    async with server(script) as url:
        assert await sliderace(url, "rename", "Ann") == exit_codes.REFUSED
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"sliderace: {told}")
    assert SECRET not in line


async def test_guest_has_nothing_to_show(capsys: Told) -> None:
    async with server() as url:
        for args in ((), ("rename", "Zoë"), ("key",), ("forget",), ("export", "x")):
            assert await sliderace(url, *args) == exit_codes.REFUSED, args
            told = capsys.readouterr()
            assert told.out == ""
            assert told.err == f"sliderace: You have no profile on {url} yet.\n"


@pytest.mark.usefixtures("known")
async def test_unreachable_server_is_one_line(capsys: Told) -> None:
    assert await sliderace("http://127.0.0.1:1") == exit_codes.UNREACHABLE
    assert capsys.readouterr().err.startswith("sliderace: Cannot reach http://127.")


@pytest.mark.usefixtures("known")
async def test_profile_that_the_server_has_forgotten(capsys: Told) -> None:
    async with server(answering(profile=None)) as url:
        assert await sliderace(url) == exit_codes.REFUSED
    assert "no longer knows your profile" in capsys.readouterr().err


@pytest.mark.usefixtures("known")
async def test_only_key_shows_the_secret(capsys: Told) -> None:
    async with server() as url:
        assert await sliderace(url, "key") == exit_codes.OK
    warning, secret = capsys.readouterr().out.splitlines()
    assert warning.startswith("Keep this key secret")
    assert secret == HEX


async def test_profile_is_created_with_a_new_secret(capsys: Told) -> None:
    script = answering(m.MeEvent(ANN), profile=None)
    async with server(script) as url:
        assert await sliderace(url, "keep", "Ann") == exit_codes.OK
    assert script.heard == [m.Keep("Ann")]
    stored = await asyncio.to_thread(kept, KEY)
    assert stored is not None
    assert script.secrets == [stored.secret]
    output = capsys.readouterr().out
    assert "Ann (KWXTRBDF)" in output
    assert stored.secret not in output


async def test_device_is_added_with_a_ticket(capsys: Told) -> None:
    wrong = m.Refused("claim", "bad_ticket", "no")
    async with server(answering(wrong, profile=None)) as url:
        assert await sliderace(url, "claim", "KWXT-RBDF") == exit_codes.REFUSED
    assert await asyncio.to_thread(kept, KEY) is None
    script = answering(m.MeEvent(ANN), profile=None)
    async with server(script) as url:
        assert await sliderace(url, "claim", "kwxt rbdf") == exit_codes.OK
    assert script.heard == [m.Claim("kwxt rbdf")]
    assert "Ann (KWXTRBDF)" in capsys.readouterr().out


async def test_key_can_be_entered_on_another_device() -> None:
    async with server() as url:
        with pytest.raises(ProfileError, match="A key has 32 digits"):
            await use_key(url, "5e5e-5e5e")
    async with server(answering(profile=None)) as url:
        with pytest.raises(ProfileError, match="knows no profile with this key"):
            await use_key(url, HEX)
    assert await asyncio.to_thread(kept, KEY) is None
    async with server(answering(profile=ANN)) as url:
        assert await use_key(url, HEX) == (ANN, SECRET)
    assert await asyncio.to_thread(kept, KEY) == KeptProfile(SECRET, ANN.id, "Ann")
