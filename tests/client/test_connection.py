"""The client over a real socket, against a server that follows a script."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from tests.client.rooms import RACE, START, TOKEN, results, snapshot, standing, welcome
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from sliderace.protocol import messages as m
from sliderace.protocol.codec import decode_command, encode_event
from sliderace_client import exit_codes
from sliderace_client.line_ui import race as line_race
from sliderace_client.line_ui.own_keys import Keys
from sliderace_client.line_ui.typed_input import TypedInput
from sliderace_client.net import connection
from sliderace_client.net.connection import Client, Ending, backoff, socket_url
from sliderace_client.net.seats import SeatFile, claim
from sliderace_client.room import liveness
from sliderace_client.room.outcomes import (
    BadMessage,
    ConnectionClosed,
    End,
    Fault,
    MemberGone,
    News,
    Notice,
    PhaseChanged,
    Unreached,
)
from sliderace_client.room.outputs import Note

Script = Callable[["Peer"], Awaitable[None]]
JOIN = m.Join("KWXTRB", "Ann")


class Peer:
    """The server's end of one connection."""

    def __init__(self, socket: ServerConnection) -> None:
        self.socket = socket

    async def hear(self) -> m.Command:
        return decode_command(await self.socket.recv())

    async def say(self, *events: m.Event) -> None:
        for event in events:
            await self.socket.send(encode_event(event))

    async def let_in(self, **more: object) -> m.Command:
        hello = await self.hear()
        await self.say(welcome(**more), snapshot())
        return hello


@contextlib.asynccontextmanager
async def server(*scripts: Script) -> AsyncGenerator[str]:
    """Follow one script for each connection, in order."""
    left = list(scripts)

    async def follow(socket: ServerConnection) -> None:
        await left.pop(0)(Peer(socket))

    async with serve(
        follow, "127.0.0.1", 0, subprotocols=[Subprotocol("sliderace.v1")]
    ) as listening:
        yield address(listening)
    assert left == []


def address(listening: Server) -> str:
    [socket] = listening.sockets
    return f"http://127.0.0.1:{socket.getsockname()[1]}"


def client(url: str, seat: SeatFile | None = None) -> Client:
    return Client(url, JOIN, seat=seat, chance=lambda: 0.0)


async def reached(one: Client, there: Callable[[], bool]) -> None:
    """Wait until a condition holds; it is checked after each change."""
    changed = asyncio.Event()
    one.on_change = changed.set
    while not there():
        changed.clear()
        await changed.wait()


async def a_seat(folder: Path) -> SeatFile:
    seat = await asyncio.to_thread(claim, "KWXTRB", "Ann", folder)
    assert seat is not None
    return seat


def test_websocket_address_of_a_server() -> None:
    assert socket_url("http://[::1]:8710") == "ws://[::1]:8710/ws"
    assert socket_url("https://race.example.org/game/") == (
        "wss://race.example.org/game/ws"
    )
    join = m.Hello(v=1, enter=m.Join("kwx-trb", "Ann"))
    assert socket_url("http://one:8710", join) == "ws://one:8710/ws?room=KWXTRB"
    quick = m.Hello(v=1, enter=m.Quick("4x4", "Ann"))
    assert socket_url("http://one:8710", quick) == "ws://one:8710/ws"


@given(st.integers(0, 2000), st.floats(0, 1))
def test_backoff_grows_to_eight_seconds_with_full_jitter(
    tries: int, chance: float
) -> None:
    assert backoff(tries, 0) == 0
    assert backoff(tries, 1) == min(8, 0.25 * 2 ** min(tries, 16))
    assert 0 <= backoff(tries, chance) <= 8
    assert 0 <= backoff(tries, chance, in_race=True) <= 2


async def test_client_sends_hello_first_and_no_origin() -> None:
    seen: list[object] = []

    async def script(peer: Peer) -> None:
        assert peer.socket.request is not None
        headers = peer.socket.request.headers
        seen.append(await peer.hear())
        seen.append(peer.socket.subprotocol)
        seen.append(headers.get("Origin"))
        seen.append(headers.get("Sec-WebSocket-Extensions"))
        await peer.say(m.Refused("hello", "room_full", ""))
        await peer.socket.close(4500)

    async with server(script) as url:
        ending = await client(url).run()
    hello = seen[0]
    assert isinstance(hello, m.Hello)
    assert hello.enter == JOIN
    assert seen[1:] == ["sliderace.v1", None, None]
    assert isinstance(ending.why, m.Refused)
    assert ending.why.code == "room_full"
    assert not ending.welcomed


@pytest.mark.parametrize("code", [1001, 1012, 4429])
async def test_client_reconnects_and_resumes(code: int) -> None:
    hellos: list[m.Command] = []

    async def first(peer: Peer) -> None:
        hellos.append(await peer.let_in(token=TOKEN))
        await peer.socket.close(code)

    async def second(peer: Peer) -> None:
        hellos.append(await peer.let_in())
        await peer.socket.close(4503)

    async with server(first, second) as url:
        ending = await client(url).run()
    [_, again] = hellos
    assert isinstance(again, m.Hello)
    assert again.enter == m.Resume("KWXTRB", TOKEN, epoch=7, offset=1)
    assert ending.why == ConnectionClosed(4503)


async def test_client_reconnects_after_a_broken_connection() -> None:
    async def first(peer: Peer) -> None:
        await peer.let_in(token=TOKEN)
        peer.socket.transport.abort()

    async def second(peer: Peer) -> None:
        await peer.let_in()
        await peer.say(m.Closed(2, "host"))
        await peer.socket.wait_closed()

    async with server(first, second) as url:
        ending = await client(url).run()
    assert ending == Ending(End.CLOSED_BY_HOST, welcomed=True)


async def test_unreachable_server_ends_it_at_once() -> None:
    async with server() as url:
        pass
    ending = await client(url).run()
    assert isinstance(ending.why, Unreached)
    assert ending.why.server == url


async def test_other_http_server_counts_as_unreachable() -> None:
    async def answer(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as listening:
        port = listening.sockets[0].getsockname()[1]
        ending = await client(f"http://127.0.0.1:{port}").run()
    assert isinstance(ending.why, Unreached)


async def test_busy_server_is_tried_a_few_times() -> None:
    async def busy(peer: Peer) -> None:
        await peer.hear()
        await peer.socket.close(1013)

    async with server(busy, busy, busy, busy) as url:
        ending = await client(url).run()
    assert ending == Ending(End.CONNECTION_LOST, welcomed=False)


async def test_client_stops_reconnecting_after_its_patience() -> None:
    async def follow(socket: ServerConnection) -> None:
        await Peer(socket).let_in()
        listening.close(close_connections=False)
        socket.transport.abort()

    async with serve(follow, "127.0.0.1", 0) as listening:
        url = address(listening)
        one = Client(url, JOIN, patience=0, chance=lambda: 0.0)
        ending = await one.run()
    assert isinstance(ending.why, Unreached)
    assert ending.welcomed


async def test_client_whose_input_has_ended_gives_up_on_a_dead_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(line_race, "PATIENCE_S", 0.0)
    greeted = asyncio.Event()

    async def script(peer: Peer) -> None:
        await peer.let_in()
        await greeted.wait()
        peer.socket.transport.abort()

    async with server(script) as url:
        ended = TypedInput(None)
        living = asyncio.create_task(
            line_race.race(
                url,
                JOIN,
                seat=None,
                typed=ended,
                say=lambda _: greeted.set(),
                keys=Keys(),
            )
        )
        await greeted.wait()
    assert await living == exit_codes.UNREACHABLE


async def test_slides_are_sent_as_they_are_made() -> None:
    heard: list[m.Command] = []
    one: Client

    async def script(peer: Peer) -> None:
        await peer.let_in()
        await peer.say(m.PhaseEvent(2, RACE, "countdown", 1_200, [0, 1]))
        await peer.say(m.BoardEvent(RACE, None, 0, START))
        heard.append(await peer.hear())
        await peer.say(m.Ack(RACE, 1))
        heard.append(await peer.hear())
        await peer.socket.close(4503)

    def play() -> None:
        attempt = one.view.attempt
        if attempt is None:
            return
        if attempt.seq == 0:
            one.painted()
            assert one.slide("L")
        elif (attempt.seq, attempt.acked) == (1, 1):
            assert one.slide("R")
            assert not one.slide_tile(2)
            assert one.slide_cell(3)

    async with server(script) as url:
        one = client(url)
        one.on_change = play
        await one.run()
    [first, rest] = heard
    assert isinstance(first, m.Slides)
    assert isinstance(rest, m.Slides)
    assert (first.seq, [slide[:2] for slide in first.slides]) == (1, [("L", 1)])
    assert (rest.seq, [slide[:2] for slide in rest.slides]) == (2, [("R", 1), ("D", 1)])


async def test_invalid_message_ends_it_for_good() -> None:
    async def script(peer: Peer) -> None:
        await peer.let_in()
        await peer.socket.send('{"t":"nonsense"}')
        await peer.socket.wait_closed()

    async with server(script) as url:
        ending = await client(url).run()
    assert isinstance(ending.why, BadMessage)


async def test_leaving_is_the_last_command_and_deletes_the_seat(tmp_path: Path) -> None:
    heard: list[m.Command] = []

    async def script(peer: Peer) -> None:
        await peer.let_in(token=TOKEN)
        heard.append(await peer.hear())
        await peer.socket.wait_closed()

    seat = await a_seat(tmp_path)
    async with server(script) as url:
        one = client(url, seat)
        living = asyncio.create_task(one.run())
        await reached(one, lambda: one.view.room is not None)
        one.ask(m.Leave())
        ending = await living
    assert ending.why is End.LEFT
    assert heard == [m.Leave()]
    assert list(tmp_path.iterdir()) == []
    await asyncio.to_thread(seat.release)


async def test_cancelled_client_keeps_its_seat(tmp_path: Path) -> None:
    heard, closed = asyncio.Event(), asyncio.Event()

    async def script(peer: Peer) -> None:
        await peer.let_in(token=TOKEN)
        assert isinstance(await peer.hear(), m.Ready)
        heard.set()
        await peer.socket.wait_closed()
        assert peer.socket.close_code == 1001
        closed.set()

    seat = await a_seat(tmp_path)
    async with server(script) as url:
        one = client(url, seat)
        living = asyncio.create_task(one.run())
        await reached(one, lambda: one.view.room is not None)
        assert one.ask(m.Ready(RACE))  # it was sent after the token was stored
        await heard.wait()
        living.cancel()
        await asyncio.wait([living])
        await closed.wait()
    await asyncio.to_thread(seat.release)
    again = await a_seat(tmp_path)
    assert again.token == TOKEN
    assert client("http://127.0.0.1:9", again).model.hello().enter == m.Resume(
        "KWXTRB", TOKEN
    )
    await asyncio.to_thread(again.release)


async def test_command_just_before_the_end_is_sent() -> None:
    heard: list[m.Command] = []
    told = asyncio.Event()

    async def script(peer: Peer) -> None:
        await peer.let_in()
        heard.append(await peer.hear())
        told.set()

    async with server(script) as url:
        one = client(url)
        living = asyncio.create_task(one.run())
        await reached(one, lambda: one.view.room is not None)
        one.ask(m.Forfeit(RACE))
        living.cancel()
        await asyncio.wait([living])
        await told.wait()
    assert heard == [m.Forfeit(RACE)]


async def test_notes_are_announced_and_kept() -> None:
    async def script(peer: Peer) -> None:
        await peer.let_in()
        await peer.say(m.Gone(2, 2, "left"), m.Closed(3, "host"))
        await peer.socket.wait_closed()

    announced: list[News] = []
    async with server(script) as url:
        one = client(url)

        def note(note: Note) -> None:
            announced.append(note.news)

        one.on_note = note
        await one.run()
    assert announced == [MemberGone("Ben", "left"), End.CLOSED_BY_HOST]
    assert [note.news for note in one.notes] == announced


@pytest.mark.parametrize(
    ("had", "said"),
    [(True, Fault.RECORD_UNREADABLE), (False, PhaseChanged("results"))],
)
async def test_racers_client_checks_the_record(
    had: bool, said: News, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "RECORD_S", (0.0, 0.0))
    asked: list[str] = []
    enough = asyncio.Event()

    def answer(socket: ServerConnection, request: Request) -> Response | None:
        if request.path.startswith("/ws"):
            return None
        asked.append(request.path)
        if had or len(asked) == 2:
            enough.set()
        return socket.respond(200 if had else 404, "")

    async def script(peer: Peer) -> None:
        await peer.let_in()
        rows = [standing(0, "dnf")]
        await peer.say(results(standings=rows))
        await enough.wait()
        await peer.socket.wait_closed()

    async def follow(socket: ServerConnection) -> None:
        await script(Peer(socket))

    async with serve(follow, "127.0.0.1", 0, process_request=answer) as listening:
        one = client(address(listening))
        living = asyncio.create_task(one.run())
        await reached(one, lambda: any(said == note.news for note in one.notes))
        await enough.wait()
        living.cancel()
        await asyncio.wait([living])
    assert asked == [f"/api/races/{RACE}"] * (1 if had else 2)
    assert bool(one.view.faults) == had


# --- A connection that only looks alive ----------------------------------------------


@pytest.fixture
def calm(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Probe after 20 ms of silence, and doubt after 20 ms without an answer.

    Call it to return to the usual times.
    """

    def set_times(quiet: int, answer: int) -> None:
        monkeypatch.setattr(liveness, "QUIET_MS", quiet)
        monkeypatch.setattr(liveness, "ANSWER_MS", answer)

    set_times(20, 20)
    return lambda: set_times(60_000, 60_000)


async def end(peer: Peer) -> None:
    """End the stay on this connection."""
    await peer.say(m.Closed(2, "host"))
    await peer.socket.wait_closed()


async def test_second_connection_takes_over_from_a_silent_one(
    calm: Callable[[], None],
) -> None:
    hellos: list[m.Command] = []
    codes: list[int | None] = []

    async def silent(peer: Peer) -> None:
        await peer.let_in(token=TOKEN)
        assert await peer.hear() == m.Ping(1)
        await peer.socket.wait_closed()
        codes.append(peer.socket.close_code)

    async def second(peer: Peer) -> None:
        calm()
        hellos.append(await peer.let_in())
        await end(peer)

    async with server(silent, second) as url:
        one = client(url)
        ending = await one.run()
    [hello] = hellos
    assert isinstance(hello, m.Hello)
    assert hello.enter == m.Resume("KWXTRB", TOKEN, epoch=7, offset=1)
    assert codes == [1006]  # the first one got no polite close: nobody would answer
    assert ending == Ending(End.CLOSED_BY_HOST, welcomed=True)
    assert [note.news for note in one.notes] == [End.CLOSED_BY_HOST]


async def test_new_profile_is_used_on_a_second_connection() -> None:
    hellos: list[m.Command] = []

    async def guest(peer: Peer) -> None:
        hellos.append(await peer.let_in(token=TOKEN))
        await peer.socket.wait_closed()

    async def second(peer: Peer) -> None:
        hellos.append(await peer.let_in(profile="KWXTRBDF"))
        await peer.say(m.Gains(RACE, True, [m.Gain("single", 9_000)]))
        await end(peer)

    async with server(guest, second) as url:
        one = client(url)
        run = asyncio.create_task(one.run())
        await reached(one, lambda: one.view.myself is not None)
        one.use_profile("5" * 32)
        await run
    first, then = hellos
    assert isinstance(first, m.Hello)
    assert isinstance(then, m.Hello)
    assert (first.profile, then.profile) == (None, "5" * 32)
    assert isinstance(then.enter, m.Resume)
    assert one.view.profile == "KWXTRBDF"
    told = [note.news for note in one.notes]
    assert told == [m.Gains(RACE, True, [m.Gain("single", 9_000)]), End.CLOSED_BY_HOST]


@pytest.mark.parametrize("late", [False, True])
async def test_first_connection_may_be_closed_while_the_second_one_enters(
    late: bool, calm: Callable[[], None]
) -> None:
    """The server closes the first one as replaced; we hear that before `welcome`."""
    replaced, closed = asyncio.Event(), asyncio.Event()

    async def silent(peer: Peer) -> None:
        await peer.let_in(token=TOKEN)
        ping = await peer.hear()
        await replaced.wait()
        if late:
            assert isinstance(ping, m.Ping)
            await peer.say(m.Pong(ping.id))
        await peer.socket.close(4503)
        closed.set()

    async def second(peer: Peer) -> None:
        await peer.hear()
        calm()
        replaced.set()
        await closed.wait()
        await peer.say(welcome(), snapshot())
        await end(peer)

    async with server(silent, second) as url:
        ending = await client(url).run()
    assert ending == Ending(End.CLOSED_BY_HOST, welcomed=True)


async def test_first_connection_is_lost_if_the_second_one_fails(
    calm: Callable[[], None],
) -> None:
    async def silent(peer: Peer) -> None:
        await peer.let_in(token=TOKEN)
        await peer.socket.wait_closed()

    async def failing(peer: Peer) -> None:
        await peer.hear()
        peer.socket.transport.abort()

    async def third(peer: Peer) -> None:
        calm()
        await peer.let_in()
        await end(peer)

    async with server(silent, failing, third) as url:
        one = client(url)
        ending = await one.run()
    assert ending == Ending(End.CLOSED_BY_HOST, welcomed=True)
    news = [note.news for note in one.notes]
    assert news == [Notice.CONNECTION_LOST, Notice.RECONNECTED, End.CLOSED_BY_HOST]


async def test_first_connection_is_kept_if_it_answers_in_time(
    calm: Callable[[], None],
) -> None:
    """It answers before the second one has said `hello`."""
    peers: list[Peer] = []
    dropped = asyncio.Event()

    async def follow(socket: ServerConnection) -> None:
        peer = Peer(socket)
        peers.append(peer)
        if len(peers) == 1:
            await peer.let_in(token=TOKEN)
            await dropped.wait()
            await end(peer)
        else:
            await socket.wait_closed()
            assert socket.close_code == 1001
            dropped.set()

    async def answer_first(_socket: ServerConnection, _request: Request) -> None:
        if peers and not dropped.is_set():
            [first] = peers
            ping = await first.hear()
            assert isinstance(ping, m.Ping)
            calm()
            await first.say(m.Pong(ping.id))
            await reached(one, lambda: not one.model.in_doubt)

    async with serve(follow, "127.0.0.1", 0, process_request=answer_first) as listening:
        one = client(address(listening))
        ending = await one.run()
    assert ending == Ending(End.CLOSED_BY_HOST, welcomed=True)


async def test_connection_that_we_replaced_in_vain_is_lost_and_not_taken_away(
    calm: Callable[[], None],
) -> None:
    heard = asyncio.Event()

    async def silent(peer: Peer) -> None:
        await peer.let_in(token=TOKEN)
        await peer.hear()
        await heard.wait()
        await peer.socket.close(4503)

    async def failing(peer: Peer) -> None:
        await peer.hear()
        calm()
        [first] = [one for one in peers if one is not peer]
        await first.say(m.Pong(1))
        await reached(one, lambda: not one.model.in_doubt)
        peer.socket.transport.abort()
        heard.set()

    async def third(peer: Peer) -> None:
        calm()
        await peer.let_in()
        await end(peer)

    peers: list[Peer] = []

    def listed(script: Script) -> Script:
        async def follow(peer: Peer) -> None:
            peers.append(peer)
            await script(peer)

        return follow

    async with server(*map(listed, (silent, failing, third))) as url:
        one = client(url)
        ending = await one.run()
    assert ending == Ending(End.CLOSED_BY_HOST, welcomed=True)


async def test_leaving_does_not_wait_for_a_second_connection(
    calm: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "OPEN_S", 15.0)

    async def silent(peer: Peer) -> None:
        await peer.let_in(token=TOKEN)
        await peer.socket.wait_closed()

    async def mute(peer: Peer) -> None:
        await peer.hear()
        calm()
        one.ask(m.Leave())
        await peer.socket.wait_closed()

    async with server(silent, mute) as url:
        one = client(url)
        async with asyncio.timeout(8):
            ending = await one.run()
    assert ending == Ending(End.LEFT, welcomed=True)


async def test_seat_is_given_up_on_the_connection_that_works(
    calm: Callable[[], None],
) -> None:
    """The first one is dead: nobody has heard its `leave`."""
    done = asyncio.Event()
    heard: list[m.Command] = []

    async def dead(peer: Peer) -> None:
        await peer.let_in(token=TOKEN)
        await peer.hear()
        peer.socket.transport.pause_reading()
        await done.wait()
        peer.socket.transport.abort()

    async def second(peer: Peer) -> None:
        await peer.hear()
        calm()
        one.ask(m.Leave())
        await peer.say(welcome(), snapshot())
        heard.append(await peer.hear())
        done.set()

    async with server(dead, second) as url:
        one = client(url)
        ending = await one.run()
    assert ending == Ending(End.LEFT, welcomed=True)
    assert heard == [m.Leave()]


async def test_patience_begins_anew_when_a_second_connection_is_refused(
    calm: Callable[[], None],
) -> None:
    async def breaking(peer: Peer) -> None:
        await peer.let_in(token=TOKEN)
        peer.socket.transport.abort()

    async def failing(peer: Peer) -> None:
        await peer.hear()
        peer.socket.transport.abort()

    async def silent(peer: Peer) -> None:
        await peer.let_in()
        one.patience = 0.001
        await peer.socket.wait_closed()

    async def refusing(peer: Peer) -> None:
        await peer.hear()
        calm()
        await peer.say(m.Refused("hello", "shutting_down", ""))
        await peer.socket.close(1012)

    async def third(peer: Peer) -> None:
        await peer.let_in()
        await end(peer)

    async with server(breaking, failing, silent, refusing, third) as url:
        one = client(url)
        ending = await one.run()
    assert ending == Ending(End.CLOSED_BY_HOST, welcomed=True)


async def test_server_that_does_not_answer_hello_counts_as_unreachable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connection, "OPEN_S", 0.05)

    async def mute(peer: Peer) -> None:
        await peer.socket.wait_closed()

    async with server(mute) as url:
        ending = await client(url).run()
    assert isinstance(ending.why, Unreached)
