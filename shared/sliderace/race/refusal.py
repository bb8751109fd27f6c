"""A refusal is data: it changes nothing and says why."""

from dataclasses import dataclass

__all__ = ["Refusal"]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a command was not carried out.

    Args:
        code: one of `sliderace.protocol.codes`.
        field: the field at fault, or empty.
        value: the offending value, as text.
        retry_ms: when to try again; 0: not by itself.
    """

    code: str
    field: str = ""
    value: str = ""
    retry_ms: int = 0
