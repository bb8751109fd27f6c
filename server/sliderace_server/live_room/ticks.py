"""When a room is told what moved: at once where few slide, else by ticks."""

from collections.abc import Callable, Hashable
from functools import partial

from sliderace_server.clock import Clock, Timer

__all__ = ["Ticks"]


class Ticks:
    """The moments at which one room is told something beside its stream.

    Args:
        clock: the machine's.
        soon: calls a function in the loop's next turn.
        code: the room's; rooms tick at different moments.

    Attributes:
        hastens: what `at_once` was asked to tell is still to come.
    """

    def __init__(
        self, clock: Clock, soon: Callable[[Callable[[], None]], None], code: str
    ) -> None:
        self._clock = clock
        self._soon = soon
        self._phase = int.from_bytes(code.encode())
        self._timers: dict[Hashable, Timer] = {}
        self._last = 0
        self.hastens = False

    def at_once(self, period_s: float, tell: Callable[[], None]) -> None:
        """Tell in the next turn of the loop, or when a period after the last is over.

        So who slides now and then is seen without delay, and many who are fast cost
        no more than a tick.
        """
        if self.hastens:
            return
        self.hastens = True
        come = partial(self._come, tell)
        wait = self._last + round(1_000 * period_s) - self._clock.now_ms()
        if wait > 0:
            self.after("at once", wait / 1_000, come)
        else:
            self._soon(come)

    def _come(self, tell: Callable[[], None]) -> None:
        self.hastens = False
        self._last = self._clock.now_ms()
        tell()

    def at_tick(
        self, what: Hashable, period_s: float, tell: Callable[[], None]
    ) -> None:
        """Tell with this room's next tick, once for each thing to be told."""
        if what not in self._timers:
            ms = max(1, round(period_s * 1_000))
            wait = ms - (self._clock.now_ms() - self._phase) % ms
            self.after(what, wait / 1_000, tell)

    def after(self, what: Hashable, seconds: float, tell: Callable[[], None]) -> None:
        """Tell in so many seconds."""

        def come() -> None:
            del self._timers[what]
            tell()

        self._timers[what] = self._clock.later(seconds, come)

    def cancel(self) -> None:
        """Tell nothing more."""
        for timer in self._timers.values():
            timer.cancel()
