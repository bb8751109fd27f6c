"""One message of every type, with all fields set."""

from typing import Any

from sliderace.protocol import messages as m
from sliderace.race.rules import Rules

__all__ = ["COMMANDS", "EVENTS", "type_name"]

RACE = "KWXTRB-SA1B2C-3"
PATCH = m.RulesPatch(
    "3x3", "host", 60_000, 5_000, 1_000, -1, 60_000, 0, open_boards=True,
    friendly_timing=True,
)  # fmt: skip

COMMANDS: list[m.Command] = [
    m.Hello(1, m.Create("Ann", PATCH, True, "tea", "player"), "page 1"),
    m.Hello(1, m.Open(PATCH, public=False, seed=None)),
    m.Hello(1, m.Join("kwx-trb", "Ben", "spectator", bot=False)),
    m.Hello(1, m.Resume("KWXTRB", "0" * 32, 2, 17)),
    m.Hello(1, m.Redeem("KWXTRB", "1" * 32), can=["series"]),
    m.Hello(1, m.Quick("4x4", "Ann", 21_000), profile="2" * 32, can=["gains"]),
    m.Hello(1, m.Solo("Ann", PATCH, "tea")),
    m.Hello(1, m.Daily("3x3", "Ann"), profile="2" * 32),
    m.Hello(1, m.Lobby(), can=["rooms"]),
    m.Hello(1, m.Me(), profile="2" * 32, can=["me", "history"]),
    m.Ready(RACE, on=False, nonce_commitment="d" * 64),
    m.Nonce(RACE, "e" * 32),
    m.Start(RACE),
    m.Abort(RACE),
    m.Slides(RACE, 0, 1, [("U", 1, 250), ("L", 2, 300)], approx=True),
    m.Forfeit(RACE),
    m.Undo(RACE),
    m.CallTime(RACE),
    m.Rematch(RACE),
    m.Settings(PATCH, public=True, seed="f" * 64),
    m.Series("first", 3, 2),
    m.Role("spectator"),
    m.Rename("Zoë"),
    m.React(9),
    m.Mute(2, on=False),
    m.Kick(2),
    m.Bench(2, on=False),
    m.Bots([m.BotWanted("club"), m.BotWanted(pace_ms=9_000)]),
    m.Lock(on=True),
    m.HandOver(2),
    m.Transfer(),
    m.Leave(),
    m.Close(),
    m.Resync(3),
    m.Ping(7),
    m.Input(RACE, "touch"),
    m.Keep("Ann"),
    m.DeviceTicket(),
    m.Claim("kwxt-rbdf"),
    m.Revoke(2),
    m.Forget(on=False),
    m.History("4x4", RACE),
]

ROOM = m.Room("KWXTRB", True, False, 1, Rules(), RACE, "c" * 64, False)
MEMBER = m.Member(1, "Ann", "player", 0, True, True, False, False)
BOT = m.Member(2, "⚙ Fox · club", "player", 1, True, True, False, True, "club", 9_000)
STANDING = m.Standing(
    0, 1, "Ann", False, "finished", 1, 9_000, 8_000, 20, 30, 25, 1000, "",
    final=True, photo=True, outage_ms=5,
)  # fmt: skip
SIGNAL = m.Signal("cv_milli", 234, 250, None, "note", True)
TABLE = m.SeriesTable(
    "ao5", 0, 1, 5, True,
    [m.SeriesRow(1, 1, "Ann", False, 5, 2, 3, 9_000, 9_500),
     m.SeriesRow(2, 2, "Ben", True, 4, 0, 0, None, None, average_dnf=True)],
)  # fmt: skip
LANE = m.Lane(0, 30, 1000, 30, "finished", "1 2 3/4 5 6/7 8 0")
RESULTS = m.Results(
    9, RACE, [STANDING], "8 1 2/3 4 5/6 7 0", "a" * 64, "b" * 64,
    [m.SeatNonce(0, "d" * 64, "e" * 32)], True, f"/api/races/{RACE}",
)  # fmt: skip

EVENTS: list[m.Event] = [
    m.Welcome(
        1, "sliderace 0.1.0", "KWXTRB", 1, 0, "0" * 32, 1, 0, RACE, 3, "1 0/3 2",
        m.Limits(60, 120, 160, 320, 60, 33, 2048), ["series"],
    ),
    m.Opened("KWXTRB", "http://127.0.0.1:8710/KWXTRB"),
    m.Snapshot(
        9, 1, ROOM, [MEMBER, BOT], "results", 3_000,
        m.RaceView(RACE, [0], 9_000, "8 1 2/3 4 5/6 7 0", [LANE], [STANDING],
                   ["d" * 64]), RESULTS, TABLE,
    ),
    m.MemberEvent(1, MEMBER, "joined"),
    m.Gone(2, 1, "kicked"),
    m.RoomEvent(3, ROOM, "settings"),
    m.PhaseEvent(4, RACE, "racing", 60_000, [0, 1], "why"),
    m.RosterEvent(5, RACE, [0, 1], ["d" * 64, None]),
    m.StandingEvent(5, RACE, STANDING),
    m.WinnerEvent(6, RACE, [0]),
    RESULTS,
    m.Closed(6, "host"),
    m.Progress(RACE, [m.SeatProgress(0, 3, 250, 4, 1, "R2U")]),
    m.LatencyEvent([m.MemberLatency(1, 23, 4)]),
    m.Reacted(1, 9),
    m.Signals(RACE, [m.SeatSignals(0, [SIGNAL])]),
    m.SeriesEvent(TABLE),
    m.BoardEvent(RACE, None, 0, "1 0/3 2", 1_000),
    m.Ack(RACE, 3),
    m.Rejected(RACE, 1, 3, "illegal", "1 0/3 2"),
    m.Refused("start", "not_host", "Only the host may do that.", "f", "v", 100),
    m.Ticket("1" * 32, 120_000),
    m.Pong(7),
    m.Rooms([m.RoomRow("KWXTRB", "4x4", "quick", 3, 1, "racing", 9_000, 21_000, True)],
            ["BCDFGH"]),
    m.MeEvent(
        m.Profile(
            "KWXTRBDF", "Ann", 1_700_000_000_000,
            [m.Device(1, "page 1", 1_700_000_000_000, 1_700_000_001_000, current=True)],
            [m.EventBests("4x4", 13, 12, 9_000, 9_500, 9_800, RACE, 10_000)],
            3, "2026-11-30", ["4x4"], 1_700_000_002_000,
        )
    ),
    m.HistoryEvent(
        "4x4",
        [m.HistoryRow(RACE, 1_700_000_000_000, "solo", "finished", 9_000, 8_900, 90, 80,
                      36, 400, 2, "keys", True)],
        more=True,
    ),
    m.Gains(RACE, True, [m.Gain("ao5", 9_500, 9_810)], 14, 212, 3),
]  # fmt: skip


def type_name(message: Any) -> str:
    """Return the test id of a message: its type."""
    return type(message).__name__
