"""How busy the server is: the busier, the more it gathers before it tells."""

__all__ = ["STEPS", "LoadMeter"]

STEPS = ((0.1, 0.2), (0.3, 0.5))
"""Of a core: from the second figure on a tick is longer by one, until below the first.

What slower ticks save is there for more rooms; that they save it must not lead back.
A lane is painted ten times a second, so players hardly see the first step; with the
second one what moved is told after 150 ms, still less than two such ticks."""


class LoadMeter:
    """Measures how busy this process is.

    Attributes:
        load: of a core, in the last second.
        factor: by which ticks are to be longer, from 1 up by one for each of `STEPS`.
    """

    def __init__(self) -> None:
        self.load = 0.0
        self.factor = 1
        self._last: tuple[float, int] | None = None

    def note(self, cpu_s: float, now_ms: int) -> None:
        """Look how much was done since the last call; call it about once a second.

        Args:
            cpu_s: CPU seconds that this process has used so far.
            now_ms: the machine's monotonic clock.
        """
        if self._last is not None and self._last[1] < now_ms:
            self.load = (cpu_s - self._last[0]) * 1_000 / (now_ms - self._last[1])
            self.factor = 1 + sum(
                self.load >= (calm if self.factor > step else busy)
                for step, (calm, busy) in enumerate(STEPS, 1)
            )
        self._last = cpu_s, now_ms
