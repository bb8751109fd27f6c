"""When a room is told what moved."""

from collections.abc import Callable

from tests.e2e.clocks import ManualClock

from sliderace_server.live_room.ticks import Ticks

TICK_S = 0.05


class LatencyReport:
    """Ticks, and when they told something: `(ms, what)`."""

    def __init__(self, code: str = "KWXTRB") -> None:
        self.clock = ManualClock()
        self.turn: list[Callable[[], None]] = []
        self.ticks = Ticks(self.clock, self.turn.append, code)
        self.told: list[tuple[int, str]] = []

    def tell(self, what: str) -> Callable[[], None]:
        return lambda: self.told.append((self.clock.now_ms() - 1_000, what))

    def at_once(self) -> None:
        self.ticks.at_once(TICK_S, self.tell("moved"))

    def next_turn(self) -> None:
        turn, self.turn[:] = self.turn[:], []
        for call in turn:
            call()


def test_who_slides_now_and_then_is_seen_in_the_same_turn() -> None:
    told = LatencyReport()
    for _ in range(3):
        told.at_once()
        told.at_once()
        hastens = told.ticks.hastens
        told.next_turn()
        assert (hastens, told.ticks.hastens) == (True, False)
        told.clock.advance(50)
    assert told.told == [(0, "moved"), (50, "moved"), (100, "moved")]


def test_who_slides_faster_is_seen_once_a_tick() -> None:
    told = LatencyReport()
    for _ in range(20):
        told.at_once()
        told.next_turn()
        told.clock.advance(10)
    assert [ms for ms, _ in told.told] == [0, 50, 100, 150, 200]


def test_ticks_come_at_moments_of_the_rooms_own() -> None:
    moments: set[int] = set()
    for code in ("KWXTRB", "KWXTRC", "BCDFGH"):
        told = LatencyReport(code)
        for _ in range(4):
            for what in ("racers", "racers", "watchers"):
                told.ticks.at_tick(what, TICK_S, told.tell(what))
            told.clock.advance(50)
        first = told.told[0][0]
        assert told.told == [
            (first + 50 * n, what) for n in range(4) for what in ("racers", "watchers")
        ]
        moments.add(first)
    assert len(moments) == 3


def test_nothing_is_told_after_the_end() -> None:
    told = LatencyReport()
    told.at_once()
    told.next_turn()
    told.at_once()
    told.ticks.at_tick("racers", TICK_S, told.tell("racers"))
    told.ticks.after("late", 1, told.tell("late"))
    told.ticks.cancel()
    told.clock.advance(2_000)
    assert told.told == [(0, "moved")]
