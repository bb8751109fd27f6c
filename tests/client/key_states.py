"""Each screen of the full-screen client, its keys, and their effects."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from tests.client import rooms
from tests.client.offline import MINUTE, OfflineClient, as_guest
from tests.client.rooms import ANN, BEN, RACE, member, standing
from tests.client.test_tui_race import as_spectator
from tests.race.sample import sample_record

from sliderace.proof.reading import read
from sliderace.protocol import messages as m
from sliderace.protocol.parts import Signal
from sliderace.race.rules import Rules

__all__ = ["STATES", "Expected", "State"]

Expected = type[m.Command] | str
HELPED = "arrows, wasd, hjkl"
LEAVING = {"?": HELPED, "q": "Leave the room"}
IN_LOBBY = {
    "w": "warm-up",
    "n": "Your nickname",
    "c": "http://192.0.2.7:8710/KWXTRB",
    **LEAVING,
}


class State(NamedTuple):
    """A screen, and for each key its effect: a command, or words on the screen."""

    keys: dict[str, Expected]
    make: Callable[[], OfflineClient] | None = None
    enter: Callable[[OfflineClient], object] = lambda _: None
    first: tuple[str, ...] = ()
    size: tuple[int, int] = (80, 24)
    kind: str = "join"
    topic: str = ""


def with_bots() -> OfflineClient:
    client = OfflineClient()
    client.view.features = frozenset({"bots"})
    return client


def racing(client: OfflineClient) -> None:
    client.race()


def in_grace(client: OfflineClient) -> None:
    client.race()
    client.receive(m.PhaseEvent(0, RACE, "grace", MINUTE))


def gave_up(client: OfflineClient) -> None:
    client.race()
    client.model.ask(m.Forfeit(RACE), client.now())
    client.receive(m.StandingEvent(0, RACE, standing(0, "forfeited")))


def watched(client: OfflineClient) -> None:
    client.race(roster=(1, 2, 3, 4, 5, 6))
    steps = [m.SeatProgress(n, 1, 100 * n, 1, 0, "L") for n in range(1, 7)]
    client.receive(m.Progress(RACE, steps))


def open_boards(client: OfflineClient) -> None:
    client.race()
    client.receive(m.Progress(RACE, [m.SeatProgress(1, 1, 100, 1, 0, "L")]))


def finished(client: OfflineClient) -> None:
    row = m.SeriesRow(1, ANN, "Ann", False, 1, 1, 1, 9_000, None)
    client.receive(m.SeriesEvent(m.SeriesTable("open", 0, 1, 1, False, [row])))
    results = rooms.results()
    client.race(results.board)
    client.receive(m.PhaseEvent(0, RACE, "results", MINUTE))
    client.receive(results)
    looks = Signal("tps_milli", 3_210, None, None, "proves nothing", False)
    client.receive(m.Signals(RACE, [m.SeatSignals(0, [looks])]))


def recorded(client: OfflineClient) -> None:
    client.record = read(sample_record())
    finished(client)


def prepared(client: OfflineClient, host: int = ANN) -> None:
    finished(client)
    client.next_lobby(host=host)


QUICK = {"kind": "quick", "public": True, "host": None}


def in_quick(**more: object) -> OfflineClient:
    """Return Ann's connection to a room of strangers."""
    return OfflineClient(room=rooms.room(**QUICK), **more)


def alone(kind: m.RoomKind) -> OfflineClient:
    """Return Ann's connection to a room of her own."""
    room = rooms.room(kind=kind, locked=True, rules=Rules("4x4"))
    return OfflineClient(room=room, members=[member(ANN, 0)])


def racing_alone(client: OfflineClient) -> None:
    client.race(roster=(0,))


def came_late(client: OfflineClient) -> None:
    client.race(roster=(1,))


def prepared_quick(client: OfflineClient) -> None:
    finished(client)
    client.next_lobby(**QUICK)


BENCHED = {"members": [member(ANN, 0, benched=True), member(BEN, 1, "Ben")]}
SEE = {"→": "(pinned)", "←": "(pinned)", "i": "hills", **LEAVING}
DIALOG: dict[str, Expected] = {
    "↑↓": "▸ Colours",
    "←→": "move the gap",
    "enter": "Host",
    "n": "Your nickname",
    "k": "Your keys",
    "s": "Your server",
    "esc": "Host",
}
REPLAYED: dict[str, Expected] = {
    "←": " of 11.0",
    "→": " of 11.0",
    ",": "space  play",
    ".": "space  play",
    "-": "-  slower",
    "+": "+  faster",
    "↓": "(pinned)",
    "↑": "(pinned)",
    "?": "one slide back or forward",
    "q": "rematch",
    "space": "space  play",  # the last one is tried first: the replay still plays
}
STATES = {
    "menu": State(
        {
            "r": "Your nickname",
            "h": "Open a room",
            "j": "Join a room",
            "w": "Watch a room",
            "d": "Your nickname",
            "s": "Play alone",
            "p": "past races",
            "i": "A picture on the tiles",
            "m": "No server was found",
            "l": "Single time",
            "e": "Settings",
            "q": "",
            "enter": "Your nickname",
            "+-": "5x5, at once",
            "?": "results of past races",
        },
        topic="menu",
    ),
    "form": State({"enter": "practice, 4x4", "esc": "Host"}, first=("s",)),
    "own keys": State({"enter": "Keys: left a", "esc": "Host"}, first=("e", "k")),
    "server": State({"enter": "You have no server", "esc": "Host"}, first=("e", "s")),
    "settings": State(DIALOG, first=("e",)),
    "nickname": State(
        {"enter": "always ready", "esc": "always ready"}, as_guest, first=("n",)
    ),
    "profile": State({"esc": "Host"}, first=("m",)),
    "leaderboards": State(
        {
            "+": "4x4 ·",  # after the smaller one
            "-": "3x3 ·",
            "k": "Average of 5",
            "s": "This month",
            "i": "Keys",
            "?": "Nothing proves",
            "esc": "Host",
        },
        first=("l",),
    ),
    "past": State({"esc": "Host"}, first=("p",)),
    "menu's help": State({"esc": "Host"}, first=("question_mark",)),
    "solo": State(
        {
            "n": "the first slide starts it",
            "r": "the first slide starts it",
            "+": "practice, 5x5",
            "-": "practice, 3x3",
            "i": "hills",
            "?": HELPED,
            "q": "",
        },
        kind="solo",
        topic="solo",
    ),
    "solo with a picture": State(
        {
            **dict.fromkeys("nr+-", ""),
            "i": "harbour",
            "m": " m  numbers",
            "?": HELPED,
            "q": "",
        },
        kind="solo",
        first=("i",),
        topic="solo",
    ),
    "lobby of the host": State(
        {
            "r": m.Ready,
            "a": "not always ready",
            "s": "Start without Ben?",
            "e": "The rules of the next race",
            "x": m.Lock,
            "k": "Remove Ben from the room?",
            "i": m.Bench,
            "b": "Bots of the server",
            "o": "Make Ben the host?",
            **IN_LOBBY,
        },
        with_bots,
        first=("down",),
        topic="room",
    ),
    "rules": State(
        {
            "↑↓": "▸ Time limit",
            "←→": "5x5",  # after both sides
            "w": "4x",
            "h": "x4",
            "enter": "KWX",
            "esc": "KWX",
        },
        OfflineClient,
        first=("e",),
    ),
    "bots": State(
        {"↑↓": "▸ Bot 2", "←→": "newcomer", "enter": "KWX", "esc": "KWX"},
        with_bots,
        first=("b",),
    ),
    "code": State({"esc": "always ready"}, OfflineClient, first=("c",)),
    "lobby of a guest": State(
        {"r": m.Ready, "a": "not always ready", "p": m.Role, **IN_LOBBY},
        as_guest,
        topic="room",
    ),
    "lobby of one benched": State(
        {"i": m.Bench, **IN_LOBBY}, partial(as_guest, **BENCHED)
    ),
    "lobby of a spectator": State({"p": m.Role, **IN_LOBBY}, as_spectator),
    "warm-up": State(
        {
            **dict.fromkeys("nr+i", ""),
            "?": HELPED,
            "q": "always ready",
        },
        as_guest,
        first=("w",),
    ),
    "leaving": State({"y": m.Leave, "n": "always ready"}, as_guest, first=("q",)),
    "leaving as host": State(
        {"y": m.Leave, "x": m.Close, "n": "always ready"}, OfflineClient, first=("q",)
    ),
    "race": State(
        {"f": "Give up?", "i": "hills", **LEAVING},
        as_guest,
        racing,
        topic="room",
    ),
    "race of the host": State(
        {
            "f": "Give up?",
            "x": "Call the race off?",
            "i": "hills",
            **LEAVING,
        },
        OfflineClient,
        racing,
    ),
    "grace": State(
        {
            "f": "Give up?",
            "x": "Call the race off?",
            "e": "End the race now, for everybody?",
            "i": "hills",
            **LEAVING,
        },
        OfflineClient,
        in_grace,
    ),
    "gave up": State({"u": m.Undo, "i": "hills", **LEAVING}, as_guest, gave_up),
    "race with open boards": State(
        {"f": "Give up?", "v": "my board", "i": "hills", **LEAVING},
        as_guest,
        open_boards,
        topic="room",
    ),
    "watching": State(
        {"l": "(leads)", **SEE}, as_spectator, watched, kind="watch", topic="room"
    ),
    "following": State(
        {"p": "(pinned)", "a": "leader", **SEE},
        as_spectator,
        watched,
        first=("l",),
        kind="watch",
        topic="room",
    ),
    "results": State(
        {
            "r": m.Rematch,
            "t": "races",
            "s": "annot reach",
            "g": "Signals",
            **LEAVING | {"?": "MTM"},
        },
        OfflineClient,
        finished,
        topic="results",
    ),
    "results with the race record": State(
        {
            "r": m.Rematch,
            "w": "space  pause",
            "t": "races",
            "s": "annot reach",
            "g": "Signals",
            **LEAVING | {"?": "MTM"},
        },
        OfflineClient,
        recorded,
        topic="results",
    ),
    "replay": State(
        {**REPLAYED, "l": "(leads"},
        OfflineClient,
        recorded,
        first=("w",),
        topic="replay",
    ),
    "replay of the leader": State(
        {**REPLAYED, "p": "(pinned)", "a": "l  leader"},
        OfflineClient,
        recorded,
        first=("w", "l"),
        topic="replay",
    ),
    "last results": State(
        {
            "v": "always ready",
            "t": "races",
            "r": m.Ready,
            "s": "annot reach",
            "g": "Signals",
            **LEAVING | {"?": "MTM"},
        },
        OfflineClient,
        prepared,
        first=("v",),
        topic="results",
    ),
    "the next race is prepared": State(
        {
            "r": m.Ready,
            "a": "not always ready",
            "p": m.Role,
            "v": "Nobody finished",
            "t": "races",
            **IN_LOBBY,
        },
        as_guest,
        partial(prepared, host=BEN),
    ),
    "race of strangers": State(
        {"f": "Give up?", "i": "hills", **LEAVING},
        in_quick,
        racing,
        kind="race",
        topic="quick",
    ),
    "race of strangers that began before": State(
        {
            "w": "warm-up",
            "l": "(leads)",
            "i": "hills",
            **SEE,
        },
        in_quick,
        came_late,
        kind="race",
        topic="quick",
    ),
    "results among strangers": State(
        {
            "w": "warm-up",
            "p": m.Role,
            "v": "KWX",
            "t": "races",
            "a": "space  pause",
            "s": "annot reach",
            "g": "Signals",
            "?": "MTM",
            "q": m.Leave,
        },
        in_quick,
        recorded,
        kind="race",
        topic="quick",
    ),
    "members among strangers": State(
        {
            "r": m.Ready,
            "p": m.Role,
            "v": "Nobody finished",
            "t": "races",
            "w": "warm-up",
            "n": "Your nickname",
            "c": "http://192.0.2.7:8710/KWXTRB",
            "?": HELPED,
            "q": m.Leave,
        },
        in_quick,
        prepared_quick,
        kind="race",
        topic="quick",
    ),
    "ranked": State(
        {"n": m.Forfeit, "i": "hills", "?": HELPED, "q": "Leave, and give"},
        partial(alone, "solo"),
        racing_alone,
        kind="ranked",
        topic="ranked",
    ),
    "ranked, over": State(
        {
            "n": m.Rematch,
            "+": m.Leave,
            "-": m.Leave,
            "w": "space  pause",
            "s": "annot reach",
            "g": "Signals",
            "?": HELPED,
            "q": m.Leave,
        },
        partial(alone, "solo"),
        recorded,
        kind="ranked",
        topic="ranked",
    ),
    "daily": State(
        {"f": "your only attempt", "i": "hills", "?": HELPED, "q": "Leave, and give"},
        partial(alone, "daily"),
        racing_alone,
        kind="daily",
        topic="daily",
    ),
    "daily, over": State(
        {
            "w": "space  pause",
            "s": "annot reach",
            "g": "Signals",
            "?": HELPED,
            "q": m.Leave,
        },
        partial(alone, "daily"),
        recorded,
        kind="daily",
        topic="daily",
    ),
}
