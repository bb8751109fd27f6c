"""The messages that a server would send to Ann in a 3x3 room."""

from typing import Any

from msgspec.structs import replace

from sliderace.engine import (
    Size,
    commitment,
    format_board,
    nonce_commitment,
    scramble,
    seed_of,
)
from sliderace.protocol import messages as m
from sliderace.race.rules import Rules
from sliderace_client.room.model import RoomModel
from sliderace_client.room.outcomes import News
from sliderace_client.room.outputs import Note, Output, Send
from sliderace_client.room.view import RoomView
from sliderace_client.shared_ui import wording

RACE = "KWXTRB-SA1B2C-1"
NEXT = "KWXTRB-SA1B2C-2"
TOKEN = "a" * 32
SECRET = bytes(range(32))
SIZE = Size(3, 3)
COMMITMENT = commitment(RACE, SIZE, SECRET)
START = "1 2 3/4 5 6/0 7 8"
"""Two slides from solved: L and L, or L2."""
LIMITS = m.Limits(
    messages_per_s=60,
    messages_burst=120,
    tiles_per_s=160,
    tiles_burst=320,
    slides_per_message=60,
    gather_ms=33,
    message_bytes=2048,
)
ANN, BEN, CAT = 1, 2, 3
NONCES = {0: b"\xaa" * 16, 1: b"\xbb" * 16}
"""By seat: Ann's and Ben's."""
COMMITMENTS = {seat: nonce_commitment(RACE, seat, NONCES[seat]) for seat in NONCES}


def member(id_: int, seat: int | None, name: str = "", **more: Any) -> m.Member:
    known: dict[str, Any] = {
        "role": "spectator" if seat is None else "player",
        "ready": False,
        "connected": True,
        "benched": False,
        "bot": False,
    }
    name = name or {ANN: "Ann", BEN: "Ben", CAT: "Cat"}[id_]
    return m.Member(id=id_, name=name, seat=seat, **(known | more))


def room(**more: Any) -> m.Room:
    known: dict[str, Any] = {
        "code": "KWXTRB",
        "public": False,
        "locked": False,
        "host": ANN,
        "rules": Rules("3x3"),
        "race": RACE,
        "commitment": COMMITMENT,
        "seed_known": False,
    }
    return m.Room(**(known | more))


def view(**more: Any) -> m.RaceView:
    known: dict[str, Any] = {
        "id": RACE,
        "roster": [],
        "elapsed_ms": None,
        "start": None,
        "lanes": [],
        "standings": [],
    }
    return m.RaceView(**(known | more))


def welcome(**more: Any) -> m.Welcome:
    known: dict[str, Any] = {
        "v": 1,
        "server": "sliderace 0.1.0",
        "code": "KWXTRB",
        "member": ANN,
        "seat": 0,
        "token": None,
        "epoch": 7,
        "gen": 0,
        "race": RACE,
        "seq": 0,
        "board": None,
        "limits": LIMITS,
    }
    return m.Welcome(**(known | more))


def snapshot(o: int = 1, **more: Any) -> m.Snapshot:
    known: dict[str, Any] = {
        "o": o,
        "epoch": 7,
        "room": room(),
        "members": [member(ANN, 0), member(BEN, 1), member(CAT, None)],
        "phase": "lobby",
        "in_ms": None,
        "race": view(),
    }
    return m.Snapshot(**(known | more))


def standing(seat: int, status: m.StatusName, **more: Any) -> m.Standing:
    known: dict[str, Any] = {
        "seat": seat,
        "member": seat + 1,
        "name": "Ann" if seat == 0 else "Ben",
        "bot": False,
        "status": status,
        "place": None,
        "time_ms": None,
        "solve_ms": None,
        "credit_ms": 0,
        "stm": 0,
        "mtm": 0,
        "high": 0,
    }
    return m.Standing(**(known | more))


def results(*nonces: m.SeatNonce, **more: Any) -> m.Results:
    revealed = [(one.seat, bytes.fromhex(one.nonce)) for one in nonces if one.nonce]
    seed = seed_of(RACE, SIZE, SECRET, revealed)
    known: dict[str, Any] = {
        "o": 2,
        "race": RACE,
        "standings": [standing(one.seat, "dnf") for one in nonces],
        "board": format_board(scramble(seed, SIZE)),
        "seed": seed.hex(),
        "secret": SECRET.hex(),
        "nonces": list(nonces),
        "friendly_timing": False,
        "record": f"/api/races/{RACE}",
    }
    return m.Results(**(known | more))


def entropy(count: int) -> bytes:
    """Give Ann's client the same nonce every time."""
    return b"\xaa" * count


def fresh(enter: m.Create | m.Open | m.Join | None = None, **more: Any) -> RoomModel:
    """Return the model of a client that has just started."""
    return RoomModel(enter or m.Join("KWXTRB", "Ann"), entropy=entropy, **more)


class ModelHarness:
    """A model whose clock, connection and server the test controls."""

    def __init__(self, **in_room: Any) -> None:
        self.model = fresh(m.Join("kwx trb", "Ann"))
        self.now = 1_000_000
        self.offset = 1
        self.model.hello()
        self.receive(welcome(token=TOKEN), snapshot(**in_room))

    @property
    def view(self) -> RoomView:
        return self.model.view

    def receive(self, *events: m.Event) -> list[Output]:
        for event in events:
            self.model.receive(event, self.now)
        return self.model.poll(self.now)

    def receive_next(self, event: Any) -> list[Output]:
        """Receive the next event of the room's stream."""
        self.offset += 1
        return self.receive(replace(event, o=self.offset))

    def race(self, start: str = START, *, roster: tuple[int, ...] = (0, 1)) -> None:
        """Move from the lobby to the race."""
        self.receive_next(m.PhaseEvent(0, RACE, "countdown", 5_000))
        self.receive_next(m.PhaseEvent(0, RACE, "countdown", 1_200, list(roster)))
        self.receive(m.BoardEvent(RACE, None, 0, start))
        self.receive_next(m.PhaseEvent(0, RACE, "racing", 120_000, list(roster)))

    def slide(self, *slides: tuple[Any, int]) -> list[m.Command]:
        for direction, count in slides:
            assert self.model.slide(direction, count, self.now)
        return self.sent()

    def wait(self, ms: int) -> list[m.Command]:
        self.now += ms
        return self.sent()

    def sent(self) -> list[m.Command]:
        return commands(self.model.poll(self.now))


def commands(outs: list[Output]) -> list[m.Command]:
    return [out.command for out in outs if isinstance(out, Send)]


def news(outs: list[Output]) -> list[News]:
    return [out.news for out in outs if isinstance(out, Note)]


def notes(outs: list[Output]) -> list[str]:
    """Return the news in words."""
    return list(map(wording.news, news(outs)))
