"""Fetch a race record, and compare it with what this client saw and sent."""

from sliderace.proof import canonical
from sliderace.proof.reading import BadRecord
from sliderace.proof.record import WrittenRace
from sliderace.proof.signed import unseal
from sliderace.protocol.messages import Results
from sliderace_client.net.http import Unreachable, get
from sliderace_client.room.fairness import Evidence, record_faults
from sliderace_client.room.outcomes import Fault

__all__ = ["check_record", "fetch_record"]


def check_record(
    server: str,
    results: Results,
    evidence: Evidence,
    timeout: float = 3.0,
    token: str = "",
) -> list[Fault] | None:
    """Return where a race record differs from what we saw. This blocks.

    Args:
        server: base address.
        results: as sent after the race.
        evidence: what we saw and sent.
        timeout: seconds for each step.
        token: secret of our profile, which opens a sealed record of ours.

    Returns:
        The faults; None if the record is not available, or of a later version.
    """
    found = fetch_record(server, results.record, timeout, token)
    if isinstance(found, WrittenRace):
        return record_faults(found, results, evidence)
    return [found] if found else None


def fetch_record(
    server: str, path: str, timeout: float = 3.0, token: str = ""
) -> WrittenRace | Fault | None:
    """Return the race from its record. This blocks.

    Args:
        server: base address.
        path: of the record.
        timeout: seconds for each step.
        token: see `check_record`.

    Returns:
        The race, or what is wrong with the record; None if it is not available, or of
        a later version.
    """
    try:
        reply = get(server, path, timeout, token)
    except Unreachable:
        return None
    if reply.status != 200:
        return None
    try:
        return unseal(canonical.decode(reply.body)).race
    except canonical.NotCanonical:
        return Fault.RECORD_UNREADABLE
    except BadRecord as fault:  # a later version is no fault, but we cannot read it
        is_later = fault.code == "newer_version"
        return None if is_later else Fault.RECORD_UNREADABLE
