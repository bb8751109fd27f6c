"""Tables for spreadsheets, as CSV by RFC 4180."""

import re
from collections.abc import Iterable

__all__ = ["csv_line"]

_FORMULA = re.compile(r"[\s\x00-\x1f]*[=+\-@\uff1d\uff0b\uff0d\uff20]")
"""What a spreadsheet would read as a formula; wide forms, too."""
_QUOTED = re.compile(r'[",;\r\n]')


def csv_line(cells: Iterable[str | int | None]) -> str:
    """Return a line; a text that looks like a formula gets an apostrophe."""
    return f"{','.join(map(_cell, cells))}\r\n"


def _cell(value: str | int | None) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return "" if value is None else str(value)
    text = f"'{value}" if _FORMULA.match(value) else value
    return '"{}"'.format(text.replace('"', '""')) if _QUOTED.search(text) else text
