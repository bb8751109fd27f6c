"""Keep to the limits a server announced, so that it never has to slow us down."""

from collections.abc import Sequence

from sliderace.protocol.messages import Limits, Slide

__all__ = ["DEFAULT_LIMITS", "Bucket", "Pace"]

DEFAULT_LIMITS = Limits(
    messages_per_s=60,
    messages_burst=120,
    tiles_per_s=160,
    tiles_burst=320,
    slides_per_message=60,
    gather_ms=33,
    message_bytes=2048,
)
"""In force until `welcome` announces the server's own."""


class Bucket:
    """A token bucket in whole numbers: `rate` tokens a second, at most `burst`.

    Args:
        rate: tokens that come back each second.
        burst: tokens at the start, and the most there can be.
        now: the caller's clock in ms.
    """

    __slots__ = ("_burst", "_level", "_rate", "_told")

    def __init__(self, rate: int, burst: int, now: int) -> None:
        self._rate = max(1, rate)
        self._burst = max(1, burst) * 1000
        self._level = self._burst
        self._told = now

    def _fill(self, now: int) -> None:
        gained = max(0, now - self._told) * self._rate
        self._level = min(self._burst, self._level + gained)
        self._told = max(self._told, now)

    def tokens(self, now: int) -> int:
        """Whole tokens available; negative after a debt."""
        self._fill(now)
        return self._level // 1000

    def spend(self, count: int, now: int) -> None:
        """Take `count` tokens; this may leave a debt."""
        self._fill(now)
        self._level -= count * 1000

    def free_at(self, count: int) -> int:
        """Return when there are `count` tokens, or a full bucket if it holds fewer."""
        missing = min(count * 1000, self._burst) - self._level
        return self._told - (-max(0, missing) // self._rate)


class Pace:
    """How many slides may be sent now, and when the next ones may.

    Args:
        limits: as announced.
        now: the caller's clock in ms.
    """

    __slots__ = ("_messages", "_tiles", "limits")

    def __init__(self, limits: Limits, now: int) -> None:
        self.limits = limits
        self._messages = Bucket(limits.messages_per_s, limits.messages_burst, now)
        self._tiles = Bucket(limits.tiles_per_s, limits.tiles_burst, now)

    def message(self, now: int) -> None:
        """Count a message that is not slides; those never wait."""
        self._messages.spend(1, now)

    def take(self, slides: Sequence[Slide], now: int) -> list[Slide]:
        """Take the first of `slides` that may be sent now in one message."""
        if not slides or self.free_at(slides[0]) > now:
            return []
        tokens = self._tiles.tokens(now)
        taken: list[Slide] = []
        for slide in slides[: max(1, self.limits.slides_per_message)]:
            tokens -= slide[1]
            if tokens < 0 and taken:
                break
            taken.append(slide)
        self._tiles.spend(sum(slide[1] for slide in taken), now)
        self._messages.spend(1, now)
        return taken

    def free_at(self, slide: Slide) -> int:
        """Return when a message that begins with `slide` may be sent."""
        return max(self._messages.free_at(1), self._tiles.free_at(slide[1]))
