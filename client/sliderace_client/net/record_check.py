"""Fetch a race record, and compare it with what a racer's client kept."""

from sliderace.proof import canonical
from sliderace.proof.reading import BadRecord
from sliderace.proof.signed import unseal
from sliderace.protocol.messages import Results
from sliderace_client.net.http import Unreachable, get
from sliderace_client.room import fairness
from sliderace_client.room.fairness import Kept
from sliderace_client.room.outcomes import Fault

__all__ = ["look_into"]


def look_into(
    server: str, results: Results, kept: Kept, timeout: float = 3.0
) -> list[Fault] | None:
    """What in the record of a race is not as it was seen; blocking.

    Args:
        server: base address.
        results: as they were told.
        kept: what we saw and sent.
        timeout: seconds for each step.

    Returns:
        Nothing where all agrees; None where the record cannot be had.
    """
    try:
        reply = get(server, results.record, timeout)
    except Unreachable:
        return None
    if reply.status != 200:
        return None
    try:
        race = unseal(canonical.decode(reply.body)).race
    except (canonical.NotCanonical, BadRecord):
        return [Fault.RECORD_UNREADABLE]
    return fairness.against(race, results, kept)
