"""How often rooms are told of what moved: half as often while the server is busy."""

__all__ = ["Tempo"]

BUSY = 0.6
"""Of a core, from which on ticks are slower: what they save is there for more rooms."""
CALM = 0.35
"""Below which they are fast again; slower ticks alone must not lead there and back."""
SLOWER = 2
"""Times: a lane is painted ten times a second, so that players hardly see it."""


class Tempo:
    """Measures how busy this process is.

    Attributes:
        factor: by which ticks are to be longer, 1 or `SLOWER`.
    """

    def __init__(self) -> None:
        self.factor = 1
        self._last: tuple[float, int] | None = None

    def note(self, cpu_s: float, now_ms: int) -> None:
        """Look how much was done since the last call; call it about once a second.

        Args:
            cpu_s: CPU seconds that this process has used so far.
            now_ms: the machine's monotonic clock.
        """
        if self._last is not None and self._last[1] < now_ms:
            busy = (cpu_s - self._last[0]) * 1_000 / (now_ms - self._last[1])
            if busy >= BUSY:
                self.factor = SLOWER
            elif busy < CALM:
                self.factor = 1
        self._last = cpu_s, now_ms
