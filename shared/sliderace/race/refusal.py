"""A refusal: the reason why a command was not carried out, as data."""

from dataclasses import dataclass

__all__ = ["Refusal"]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a command was not carried out; it has changed nothing.

    Args:
        code: one of `sliderace.protocol.codes.REFUSALS`.
        field: path of the field at fault, or empty.
        value: the value at fault, as text.
        retry_ms: when to try again; 0: do not.
        allowed: the lowest and highest value of the field, if it is a number.
    """

    code: str
    field: str = ""
    value: str = ""
    retry_ms: int = 0
    allowed: tuple[int, int] | None = None
