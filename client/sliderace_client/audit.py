"""Fetch a race record, and compare it with what a racer's client kept."""

from sliderace.protocol.messages import Results
from sliderace.race import canonical
from sliderace.race.reading import BadRecord
from sliderace.race.signed import unseal
from sliderace_client import proof
from sliderace_client.api import Unreachable, get
from sliderace_client.proof import Kept

__all__ = ["look_into"]


def look_into(
    server: str, results: Results, kept: Kept, timeout: float = 3.0
) -> list[str] | None:
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
        return ["The race record cannot be read."]
    return proof.against(race, results, kept)
