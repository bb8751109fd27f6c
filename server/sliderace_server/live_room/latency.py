"""What a room was told of its members' lines, and what is new of them."""

from collections.abc import Mapping

from sliderace.protocol.messages import LatencyEvent, MemberLatency
from sliderace.race.timing import MIN_SAMPLES, Latency

__all__ = ["LatencyReport"]


class LatencyReport:
    """The lines of one room, as they were told last."""

    def __init__(self) -> None:
        self._told: dict[int, MemberLatency] = {}

    def news(self, lines: Mapping[int, Latency]) -> LatencyEvent | None:
        """What changed; None: nothing.

        Args:
            lines: by member id, of all who are connected; the others are forgotten.
        """
        known = {
            member: MemberLatency(member, line.rtt_ms, line.jitter_ms)
            for member, line in lines.items()
            if line.samples >= MIN_SAMPLES
        }
        new = [one for one in known.values() if one != self._told.get(one.member)]
        self._told = known
        return LatencyEvent(new) if new else None

    def everything(self) -> LatencyEvent | None:
        """What was told so far, for one who comes now; None: nothing."""
        return LatencyEvent([*self._told.values()]) if self._told else None
