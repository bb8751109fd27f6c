"""A race replayed: from its record to all racers at any moment.

The page has the same (`core/replay-timeline.js`).
"""

from bisect import bisect_left, bisect_right

from sliderace.engine import OPPOSITE, Board, progress_permille
from sliderace.proof.record import WrittenRace, WrittenRacer
from sliderace.protocol.messages import Standing
from sliderace.protocol.names import clean_name
from sliderace_client.room.lanes import Lane

__all__ = ["Playhead", "RaceReplay", "RacerReplay", "moments"]


def moments(racer: WrittenRacer) -> list[int]:
    """Return when each slide was made, on the racer's own clock, ascending.

    That is its timestamp, but never after its arrival, before the slide before it, or
    after the official time.

    Args:
        racer: whose slides.

    Returns:
        ms since the board was unlocked.
    """
    end = racer.finish.official_ms if racer.finish else None
    made: list[int] = []
    last = 0
    for slide in racer.slides:
        last = max(last, min(slide.stamp_ms, slide.received_ms))
        last = last if end is None else min(end, last)
        made.append(last)
    if end is not None and made:
        made[-1] = end
    return made


class RacerReplay:
    """One racer's slides, and the board at any moment.

    Args:
        scramble: the start board.
        racer: the slides from the first illegal one on are left out.

    Attributes:
        times: when each slide was made, in ms since the board was unlocked.
        stm: tiles moved after so many slides.
        high: best progress after so many slides, in permille.
    """

    def __init__(self, scramble: Board, racer: WrittenRacer) -> None:
        board = scramble.copy()
        self.stm, self.high = [0], [0]
        self._slides: list[tuple[str, int]] = []
        for slide in racer.slides:
            if not board.try_slide(slide.direction, slide.tiles):
                break
            self._slides.append((slide.direction, slide.tiles))
            self.stm.append(self.stm[-1] + slide.tiles)
            progress = progress_permille(board.md, scramble.md)
            self.high.append(max(self.high[-1], progress))
        self.times = moments(racer)[: len(self._slides)]
        self._board, self._made = scramble.copy(), 0

    def made(self, t: int) -> int:
        """Return how many slides were made until a moment, in ms."""
        return bisect_right(self.times, t)

    def board(self, made: int) -> Board:
        """Return the board after so many slides."""
        while self._made < made:
            self._board.slide(*self._slides[self._made])
            self._made += 1
        while self._made > made:
            self._made -= 1
            way, count = self._slides[self._made]
            self._board.slide(OPPOSITE[way], count)
        return self._board.copy()


class RaceReplay:
    """All racers on one timeline; for each it begins when their board is unlocked.

    Args:
        record: of the race.

    Attributes:
        standings: how the race ended, best first.
        racers: in the same order.
        length: ms.
    """

    def __init__(self, record: WrittenRace) -> None:
        self.standings = [_standing(racer) for racer in record.racers]
        self.racers = [RacerReplay(record.board, racer) for racer in record.racers]
        ends = [racer.times[-1] for racer in self.racers if racer.times]
        self.length = max([1, *ends])

    def at(self, t: int) -> dict[int, Lane]:
        """Return everybody at a moment, by seat.

        Args:
            t: ms; racers who did not finish race until the end.
        """
        lanes: dict[int, Lane] = {}
        for standing, racer in zip(self.standings, self.racers, strict=True):
            made = racer.made(t)
            lane = Lane(standing.seat, None, standing.name, standing.bot)
            lane.see(racer.board(made), made)
            lane.seq, lane.stm, lane.high = made, racer.stm[made], racer.high[made]
            end = self.length if standing.time_ms is None else standing.time_ms
            if t >= end:
                lane.apply(standing)
            lanes[standing.seat] = lane
        return lanes

    def step(self, t: int, way: int) -> int:
        """Return the moment of anybody's next slide, or of the one before.

        Args:
            t: ms.
            way: 1 or -1.

        Returns:
            ms; the end or the beginning if there is none.
        """
        if way > 0:
            later = (racer.times[racer.made(t) :] for racer in self.racers)
            return min((times[0] for times in later if times), default=self.length)
        earlier = (racer.times[: bisect_left(racer.times, t)] for racer in self.racers)
        return max((times[-1] for times in earlier if times), default=0)


def _standing(racer: WrittenRacer) -> Standing:
    finish = racer.finish
    return Standing(
        seat=racer.seat,
        member=0,
        name=clean_name(racer.name) or "?",
        bot=racer.bot,
        status=racer.status,
        place=racer.place,
        time_ms=finish.official_ms if finish else None,
        solve_ms=finish.solve_ms if finish else None,
        credit_ms=finish.credit_ms if finish else 0,
        stm=racer.stm,
        mtm=racer.mtm,
        high=racer.high,
        why=racer.why,
        final=True,
        photo=finish is not None and finish.photo,
        outage_ms=finish.outage_ms if finish else 0,
    )


class Playhead:
    """The current moment of a replay, and whether it is playing.

    Args:
        length: of the replay, in ms.

    Attributes:
        t: ms.
        speed: ms of the race in one ms.
        playing: whether it advances.
    """

    def __init__(self, length: int) -> None:
        self.length = length
        self.t = 0
        self.speed = 1.0
        self.playing = False

    def toggle(self) -> None:
        """Play or pause; at the end start again."""
        if not self.playing and self.t >= self.length:
            self.t = 0
        self.playing = not self.playing

    def seek(self, t: int) -> None:
        """Go to a moment in ms, not before the beginning or after the end."""
        self.t = min(self.length, max(0, t))

    def advance(self, ms: int) -> None:
        """Let real time pass."""
        if self.playing:
            self.seek(self.t + round(ms * self.speed))
            self.playing = self.t < self.length
