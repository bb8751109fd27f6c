"""Values from outside (flags, variables, TOML) as the types of their settings."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

__all__ = ["typed"]


def typed(kind: type, value: object) -> Any:  # noqa: ANN401
    """A value as `int`, `float`, `bool`, `str` or a tuple of texts.

    >>> typed(int, "8710"), typed(bool, "yes"), typed(tuple, "10.0.0.1, ::1")
    (8710, True, ('10.0.0.1', '::1'))

    Raises:
        ValueError: it is none; says so.
    """
    try:
        return _READERS[kind](value)
    except (TypeError, ValueError):
        raise ValueError(f"{value!r} is not {_NAMES[kind]}") from None


_WORDS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}


def _int(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise TypeError
    return int(value)


def _float(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise TypeError
    return float(value)


def _bool(value: object) -> bool:
    if isinstance(value, bool):
        return value
    word = _str(value).lower()
    if word not in _WORDS:
        raise ValueError
    return _WORDS[word]


def _str(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _strings(value: object) -> tuple[str, ...]:
    if not isinstance(value, str | list | tuple):
        raise TypeError
    if isinstance(value, str):
        value = value.split(",")
    parts = cast("Sequence[object]", value)
    return tuple(stripped for part in parts if (stripped := _str(part).strip()))


_READERS: Mapping[type, Callable[[object], object]] = {
    int: _int,
    float: _float,
    bool: _bool,
    str: _str,
    tuple: _strings,
}
_NAMES: Mapping[type, str] = {
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    str: "text",
    tuple: "a list of texts",
}
