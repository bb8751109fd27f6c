"""The path of a slide stays short; its calls and modules are counted, not timed."""

import asyncio
import asyncio.selector_events
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import pytest
from websockets.sync.client import ClientConnection, connect

from sliderace.engine import parse_board
from sliderace.protocol import messages as m
from sliderace.protocol.codec import decode_event, encode_command
from sliderace_server.app import running
from sliderace_server.settings import ServerSettings
from sliderace_server.storage import open_store
from sliderace_server.websocket.frame_tap import TappedWebSocket

E = TypeVar("E", bound=m.Event)
MAX_CALLS, MAX_MODULES = 80, 18
"""Limits from a slide's bytes to the write of its ack, and of the spectator's progress.
A call costs 50 ns, and a module some of the CPU cache."""
SLIDES = 5
PAUSE_S = 0.12
"""Longer than a room collects slides, so that each of them is sent at once."""
_TRANSPORT: Any = asyncio.selector_events._SelectorSocketTransport  # type: ignore[attr-defined]


class SlidePath:
    """The calls in this package from a slide's arrival to each kind of write."""

    def __init__(self) -> None:
        self.armed = False
        self.calls: list[tuple[str, str]] = []
        self.until: dict[str, list[list[tuple[str, str]]]] = {"ack": [], "progress": []}
        self._left: set[str] = set()

    def begin(self) -> None:
        self.calls.clear()
        self._left = set(self.until)
        sys.setprofile(self._profile)

    def wrote(self, data: bytes) -> None:
        for kind in sorted(self._left):
            if b'"t":"%b"' % kind.encode() in data:
                self.until[kind].append(list(self.calls))
                self._left.discard(kind)
                if not self._left:
                    sys.setprofile(None)

    def _profile(self, frame: FrameType, event: str, _: Any) -> None:
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.startswith("sliderace"):
            self.calls.append((module, frame.f_code.co_name))


def until(client: ClientConnection, kind: type[E]) -> E:
    while True:
        event = decode_event(client.recv(timeout=10))
        if isinstance(event, kind):
            return event


def race(port: int, path: SlidePath) -> None:
    """Run a player and a spectator in a thread, so that their calls are not counted."""
    url = f"ws://127.0.0.1:{port}/ws"
    with connect(url, compression=None) as ann, connect(url, compression=None) as eve:

        def send(client: ClientConnection, command: m.Command) -> None:
            client.send(encode_command(command))

        rules = m.RulesPatch(size="4x4", countdown_ms=3_000)
        send(ann, m.Hello(v=1, enter=m.Create(name="Ann", rules=rules)))
        code, snapshot = until(ann, m.Welcome).code, until(ann, m.Snapshot)
        join = m.Join(code=code, name="Eve", role="spectator")
        send(eve, m.Hello(v=1, enter=join))
        until(eve, m.Snapshot)
        send(ann, m.Start(snapshot.room.race))
        board = parse_board(until(ann, m.BoardEvent).board)
        while until(ann, m.PhaseEvent).phase != "racing":
            pass
        for seq in range(1, SLIDES + 1):
            direction, tiles = board.legal_slides()[0]
            board.slide(direction, tiles)
            path.armed = True
            slides: list[m.Slide] = [(direction, tiles, seq)]
            send(ann, m.Slides(snapshot.room.race, 0, seq, slides))
            while until(ann, m.Ack).seq != seq:
                pass
            until(eve, m.Progress)
            time.sleep(PAUSE_S)


async def test_the_path_of_a_slide_is_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = SlidePath()
    receive = TappedWebSocket.data_received
    write: Any = _TRANSPORT.write

    def received(self: TappedWebSocket, data: bytes) -> None:
        if path.armed and data[0] == 0x81 and len(data) > 60:  # no pong
            path.armed = False
            path.begin()
        receive(self, data)

    def written(self: Any, data: bytes) -> None:
        path.wrote(bytes(data))
        write(self, data)

    monkeypatch.setattr(TappedWebSocket, "data_received", received)
    monkeypatch.setattr(_TRANSPORT, "write", written)
    settings = ServerSettings(port=0, memory=True)
    store = open_store(f"sqlite:{tmp_path / 'rooms.db'}")
    try:
        async with running(settings, store=store) as server:
            await asyncio.to_thread(race, server.port, path)
    finally:
        sys.setprofile(None)
    for kind, counted in path.until.items():
        assert len(counted) == SLIDES, kind
        # The shortest: a ping or a timer may fall into the others.
        calls = min(counted, key=len)
        modules = {module for module, _ in calls}
        assert len(calls) <= MAX_CALLS, (kind, calls)
        assert len(modules) <= MAX_MODULES, (kind, sorted(modules))
