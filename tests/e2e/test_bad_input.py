"""Bad input gets the documented answer and affects nobody else.

In every test Ben races in the same room; in the end he solves the board, and nothing
that he sent is refused.
"""

import contextlib
from collections.abc import AsyncGenerator

import pytest
from tests.e2e.protocol_client import (
    QUICK,
    ProtocolClient,
    connected,
    running_race,
    running_server,
)
from websockets.exceptions import InvalidStatus

from sliderace.engine import parse_board
from sliderace.protocol import messages as m
from sliderace.protocol.codec import encode_command
from sliderace.protocol.codes import refusal_text
from sliderace.protocol.names import clean_name
from sliderace.texts import text
from sliderace_server.app import Server
from sliderace_server.limits import Limits
from sliderace_server.room import RoomLimits

pytestmark = pytest.mark.filterwarnings("error")


@contextlib.asynccontextmanager
async def racing(
    limits: Limits | None = None, **more: object
) -> AsyncGenerator[tuple[Server, ProtocolClient, ProtocolClient], None]:
    """Run a race of Ann and Ben; check that Ben is not affected."""
    async with (
        running_server(limits) as server,
        running_race(server.port, 2, **more) as (ann, ben),  # type: ignore[arg-type]
    ):
        yield server, ann, ben
        await check_undisturbed(ben)


async def check_undisturbed(ben: ProtocolClient) -> None:
    await ben.solve()
    await ben.acked(ben.seq)
    received = await ben.until(m.StandingEvent, lambda e: e.standing.seat == ben.seat)
    assert received.standing.status == "finished"
    assert not [e for e in ben.received if isinstance(e, m.Refused | m.Rejected)]


async def hello_answer(port: int, hello: m.Hello | str | bytes) -> tuple[m.Event, int]:
    """Return the answer to a first message, and the close code."""
    async with connected(port) as client:
        await client.send(hello)
        return await client.receive(), await client.closed()


def hello(enter: m.Create | m.Open | m.Join | m.Resume, v: int = 1) -> m.Hello:
    return m.Hello(v=v, enter=enter)


# --- hello ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("enter", "code", "close"),
    [
        (m.Join(code="BBBBBB", name="X"), "room_unknown", 4502),
        (m.Join(code="nonsense", name="X"), "bad_code", 4500),
        (m.Resume(code="BBBBBB", token="0" * 32), "room_unknown", 4502),
        (m.Create(name=""), "bad_name", 4500),
        (m.Create(name="\u202e\u200b"), "bad_name", 4500),
        (m.Create(name="X", rules=m.RulesPatch(countdown_ms=1)), "bad_rules", 4500),
        (m.Open(rules=m.RulesPatch(away_ms=300_001)), "bad_rules", 4500),
    ],
)
async def test_a_refused_hello_gets_a_reason_and_a_close_code(
    enter: m.Create | m.Open | m.Join | m.Resume, code: str, close: int
) -> None:
    async with racing() as (server, *_):
        event, closed = await hello_answer(server.port, hello(enter))
        assert isinstance(event, m.Refused)
        assert (event.of, event.code, closed) == ("hello", code, close)
        assert event.text


@pytest.mark.parametrize(
    ("enter", "field", "value", "text"),
    [
        (
            m.Create(name="X", rules=m.RulesPatch(countdown_ms=1)),
            "enter.rules.countdown_ms",
            "1",
            "enter.rules.countdown_ms must be an integer from 1500 to 60000, not 1.",
        ),
        (
            m.Open(rules=m.RulesPatch(away_ms=-1)),
            "enter.rules.away_ms",
            "-1",
            "enter.rules.away_ms must be an integer from 0 to 300000, not -1.",
        ),
        (m.Create(name=""), "enter.name", "", ""),
        (m.Create(name="\u202e"), "enter.name", "\u202e", ""),
        (m.Create(name="\u0410nn"), "enter.name", "\u0410nn", ""),
        (m.Create(name="x" * 21), "enter.name", "x" * 21, ""),
        (m.Join(code="nonsense", name="X"), "enter.code", "nonsense", ""),
    ],
)
async def test_a_refusal_names_field_value_and_range(
    enter: m.Create | m.Open | m.Join, field: str, value: str, text: str
) -> None:
    async with running_server() as server:
        event, _ = await hello_answer(server.port, hello(enter))
        assert isinstance(event, m.Refused)
        assert (event.field, event.value) == (field, value)
        assert event.text == (text or refusal_text(event.code))


async def test_a_failed_create_leaves_no_room() -> None:
    async with running_server() as server:
        for enter in (
            m.Create(name=""),
            m.Create(name="X", rules=m.RulesPatch(countdown_ms=1)),
        ):
            await hello_answer(server.port, hello(enter))
        assert server.view.health()["rooms"] == 0


@pytest.mark.parametrize("name", ["", " ", "\u202e", "\x00\x1b", "\u200b\u200d"])
async def test_a_name_that_is_empty_after_cleaning_is_refused(name: str) -> None:
    async with racing() as (server, ann, _):
        event, closed = await hello_answer(
            server.port, hello(m.Join(code=ann.code, name=name))
        )
        assert isinstance(event, m.Refused)
        assert (event.code, closed) == ("bad_name", 4500)


async def test_a_hostile_name_is_cleaned() -> None:
    async with racing() as (server, ann, ben):
        name = "\x1b[2J<b>E\u202eve\u0301\u0301\u0301\u0301"
        async with connected(server.port, m.Join(code=ann.code, name=name)):
            received = await ben.until(m.MemberEvent, lambda e: e.why == "joined")
            assert received.member.name == clean_name(name)
            assert not set(received.member.name) & set("\x1b\u202e")


async def test_a_full_room_refuses_players() -> None:
    limits = Limits(room=RoomLimits(players=2, spectators=1))
    async with racing(limits) as (server, ann, _):
        join = m.Join(code=ann.code, name="X")
        event, closed = await hello_answer(server.port, hello(join))
        assert isinstance(event, m.Refused)
        assert (event.code, closed) == ("room_full", 4500)


async def test_a_full_room_refuses_spectators() -> None:
    limits = Limits(room=RoomLimits(players=2, spectators=0))
    async with racing(limits) as (server, ann, _):
        join = m.Join(code=ann.code, name="X", role="spectator")
        event, closed = await hello_answer(server.port, hello(join))
        assert isinstance(event, m.Refused)
        assert (event.code, closed) == ("room_full", 4500)


async def test_a_locked_room_refuses_joins() -> None:
    async with racing() as (server, ann, _):
        await ann.send(m.Lock())
        await ann.until(m.RoomEvent)
        join = m.Join(code=ann.code, name="X")
        event, closed = await hello_answer(server.port, hello(join))
        assert isinstance(event, m.Refused)
        assert (event.code, closed) == ("room_locked", 4500)


async def test_another_version_is_refused_whatever_the_hello_contains() -> None:
    async with racing() as (server, *_):
        for text in (
            encode_command(hello(m.Create(name="X"), v=2)),
            '{"t":"hello","v":2,"enter":{"as":"teleport"},"new":[]}',
        ):
            event, closed = await hello_answer(server.port, text)
            assert isinstance(event, m.Refused)
            assert (event.code, closed) == ("version", 4504)


async def test_a_wrong_token_gets_no_seat() -> None:
    async with racing() as (server, ann, _):
        resume = m.Resume(code=ann.code, token="0" * 32)
        event, closed = await hello_answer(server.port, hello(resume))
        assert isinstance(event, m.Refused)
        assert (event.code, closed) == ("bad_token", 4500)
        assert (await ann.sync()).socket.close_code is None


async def test_the_first_message_must_be_hello() -> None:
    async with racing() as (server, *_):
        event, closed = await hello_answer(server.port, encode_command(m.Ping(id=1)))
        assert isinstance(event, m.Refused)
        assert (event.code, closed) == ("no_hello", 4002)


async def test_a_connection_without_hello_is_closed() -> None:
    async with (
        racing(Limits(hello_timeout_ms=50)) as (server, *_),
        connected(server.port) as mute,
    ):
        event = await mute.receive()
        assert isinstance(event, m.Refused)
        assert (event.code, await mute.closed()) == ("no_hello", 4002)


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1", "http://[x]"]
)
async def test_pages_of_other_sites_get_no_websocket(origin: str) -> None:
    async with racing() as (server, *_):
        with pytest.raises(InvalidStatus) as refused:
            async with connected(server.port, origin=origin):
                raise AssertionError("it was let in")
        assert refused.value.response.status_code == 403


async def test_our_own_page_gets_a_websocket() -> None:
    async with running_server() as server:
        origin = f"http://127.0.0.1:{server.port}"
        async with connected(server.port, m.Create(name="Ann"), origin=origin) as ann:
            assert ann.code


# --- messages -------------------------------------------------------------------------

RUBBISH = [
    "",
    "null",
    "[]",
    "17",
    "{",
    '{"t":"fly"}',
    '{"t":"ping"}',
    '{"t":"ping","id":1,"more":2}',
    '{"t":"ping","id":1.5}',
    '{"t":"ping","id":-1}',
    '{"t":"ping","id":9007199254740992}',
    '{"t":"ping","id":"1"}',
    "[" * 1_024,
    '{"a":' * 200,
    '"\\ud800"',
]


async def test_malformed_messages_are_refused_and_the_connection_stays() -> None:
    async with racing() as (_, ann, _):
        for text in RUBBISH:
            await ann.send(text)
            event = await ann.until(m.Refused)
            assert event.code == "bad_message", text
        await ann.sync()


async def test_a_malformed_hello_closes_the_connection() -> None:
    async with racing() as (server, *_):
        for text in RUBBISH:
            event, closed = await hello_answer(server.port, text)
            assert isinstance(event, m.Refused)
            assert (event.code, closed) == ("bad_message", 4500), text


async def test_a_second_hello_is_refused() -> None:
    async with racing() as (_, ann, _):
        await ann.send(hello(m.Create(name="Again")))
        refused = await ann.until(m.Refused)
        assert (refused.of, refused.code) == ("hello", "bad_message")
        assert (refused.field, refused.value) == ("t", '"hello"')
        assert refused.text == text("malformed.second_hello")
        await ann.sync()


async def test_binary_messages_close_the_connection() -> None:
    async with racing() as (_, ann, _):
        await ann.send(b'{"t":"ping","id":1}')
        assert await ann.closed() == 1007


async def test_a_too_large_message_closes_the_connection() -> None:
    async with racing() as (_, ann, _):
        await ann.send(" " * 2_048)
        assert (await ann.until(m.Refused)).code == "bad_message"
        await ann.send(" " * 2_049)
        assert await ann.closed() == 1009


# --- slides ---------------------------------------------------------------------------


def legal(client: ProtocolClient) -> tuple[str, int]:
    return parse_board(client.board).legal_slides()[0]


def illegal(client: ProtocolClient, *made: tuple[str, int]) -> tuple[str, int]:
    """Return an impossible slide that follows the ones made."""
    board = parse_board(client.board)
    for move in made:
        board.slide(*move)
    slides = ((d, k) for k in (1, 2) for d in "UDLR")
    return next(slide for slide in slides if slide not in board.legal_slides())


async def test_slides_before_the_start_are_rejected_without_a_board() -> None:
    async with (
        running_server() as server,
        connected(server.port, m.Create(name="Ann", rules=QUICK)) as ann,
        connected(server.port, m.Join(code=ann.code, name="Ben")) as ben,
    ):
        for one in (ann, ben):
            await one.send(m.Ready(race=one.race))
        # The roster is frozen, and the race has not started.
        await ann.until(m.PhaseEvent, lambda event: event.roster)
        await ann.send(ann.slides([("L", 1)]))
        event = await ann.until(m.Rejected)
        assert (event.code, event.board, event.gen) == ("too_early", None, 1)
        await ben.until(m.BoardEvent)
        await check_undisturbed(ben)


async def test_slides_in_the_lobby_are_rejected() -> None:
    async with (
        running_server() as server,
        connected(server.port, m.Create(name="Ann", rules=QUICK)) as ann,
    ):
        await ann.send(ann.slides([("L", 1)]))
        event = await ann.until(m.Rejected)
        assert (event.code, event.board) == ("not_racing", None)


async def test_slides_after_the_finish_are_rejected_with_the_solved_board() -> None:
    async with racing() as (_, ann, _):
        await ann.solve()
        await ann.send(ann.slides([("D", 1)]))
        event = await ann.until(m.Rejected)
        assert event.code == "done"
        assert parse_board(event.board or "").is_solved


async def test_slides_of_a_spectator_are_rejected() -> None:
    async with racing() as (server, ann, _):
        join = m.Join(code=ann.code, name="Eve", role="spectator")
        async with connected(server.port, join) as eve:
            await eve.send(eve.slides([("L", 1)]))
            event = await eve.until(m.Rejected)
            assert event.code in {"not_racing", "not_player"}


async def test_slides_of_another_race_are_refused_and_gen_stays() -> None:
    async with racing() as (_, ann, _):
        slides = ann.slides([legal(ann)])
        stale = m.Slides(race="OTHER-S0-1", gen=0, seq=1, slides=slides.slides)
        await ann.send(stale)
        event = await ann.until(m.Refused)
        assert (event.of, event.code) == ("slides", "wrong_race")
        await ann.send(slides)  # gen has not changed
        await ann.acked(1)


async def test_an_illegal_slide_is_rejected_with_the_board() -> None:
    async with racing() as (_, ann, _):
        await ann.send(ann.slides([legal(ann), illegal(ann, legal(ann))]))
        event = await ann.until(m.Rejected)
        assert (event.code, event.gen, event.seq) == ("illegal", 1, 0)
        assert event.board == ann.board
        await ann.send(ann.slides([legal(ann)]))
        await ann.acked(1)


async def test_a_gap_in_seq_is_rejected() -> None:
    async with racing() as (_, ann, _):
        ann.seq = 1
        await ann.send(ann.slides([legal(ann)]))
        event = await ann.until(m.Rejected)
        assert (event.code, event.seq, event.board) == ("gap", 0, ann.board)


async def test_an_old_seq_is_acked_again_and_not_applied() -> None:
    async with racing() as (_, ann, _):
        slides = ann.slides([legal(ann)])
        await ann.send(slides)
        await ann.acked(1)
        await ann.send(slides)
        assert (await ann.until(m.Ack)).seq == 1
        await ann.send(m.Resync(seat=ann.seat))
        board = await ann.until(m.BoardEvent)
        assert board.seq == 1


async def test_slides_of_an_old_gen_are_ignored() -> None:
    async with racing() as (_, ann, _):
        await ann.send(ann.slides([illegal(ann)]))
        await ann.until(m.Rejected)
        ann.gen = 0
        await ann.send(ann.slides([legal(ann)]))
        ann.received.clear()
        await ann.sync()
        assert not [
            e for e in ann.received if isinstance(e, m.Ack | m.Rejected | m.Refused)
        ]
        await ann.send(m.Resync(seat=ann.seat))
        assert (await ann.until(m.BoardEvent, lambda e: e.seat == ann.seat)).seq == 0


async def test_slides_of_a_replaced_connection_are_ignored() -> None:
    async with racing() as (server, ann, _):
        resume = m.Resume(code=ann.code, token=ann.token)
        await ann.send(ann.slides([legal(ann)]))
        await ann.acked(1)
        async with connected(server.port, resume) as again:
            assert again.seq == 1
            with contextlib.suppress(Exception):
                await ann.send(ann.slides([("L", 1)]))
            assert await ann.closed() == 4503
            await again.send(m.Resync(seat=again.seat))
            board = await again.until(m.BoardEvent, lambda e: e.seat == again.seat)
            assert board.seq == 1


# --- host commands --------------------------------------------------------------------


def host_commands(host: int, race: str) -> list[m.Command]:
    return [
        m.Start(race=race),
        m.Abort(race=race),
        m.CallTime(race=race),
        m.Settings(rules=m.RulesPatch(size="4x4")),
        m.Kick(member=host),
        m.Bench(member=host),
        m.Lock(),
        m.HandOver(member=host),
        m.Close(),
    ]


async def test_host_commands_of_others_are_refused() -> None:
    async with (
        racing() as (server, ann, _),
        connected(server.port, m.Join(code=ann.code, name="Cat")) as cat,
    ):
        for command in host_commands(ann.member, ann.race):
            await cat.send(command)
            event = await cat.until(m.Refused)
            tag = command.__struct_config__.tag
            assert (event.of, event.code) == (tag, "not_host")


@pytest.mark.parametrize("command", [m.Kick(member=99), m.HandOver(member=99)])
async def test_commands_about_unknown_members_are_refused(command: m.Command) -> None:
    async with racing() as (_, ann, _):
        await ann.send(command)
        assert (await ann.until(m.Refused)).code == "member_unknown"


async def test_a_resync_of_an_unknown_seat_is_refused() -> None:
    async with racing() as (_, ann, _):
        await ann.send(m.Resync(seat=200))
        event = await ann.until(m.Refused)
        assert (event.of, event.code) == ("resync", "bad_seat")


async def test_a_racer_cannot_resync_another_board() -> None:
    async with racing() as (_, ann, ben):
        await ann.send(m.Resync(seat=ben.seat))
        event = await ann.until(m.Refused)
        assert event.of == "resync"
