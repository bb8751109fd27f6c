"""A link as QR, in half blocks."""

from functools import lru_cache

import segno

from sliderace_client.shared_ui.render import Paint, Row, Run, qr_rows

__all__ = ["qr_lines"]

PAPER, INK = "#ffffff", "#000000"
"""Scanners want the highest contrast, dark on light, on every ground."""


@lru_cache(maxsize=8)
def qr_lines(link: str) -> list[Row]:
    """The rows of a QR code of `link`, its quiet zone included."""
    code = segno.make(link, error="l", micro=False)
    matrix = [list(row) for row in code.matrix_iter(border=2)]
    return [(Run(row, Paint(INK, PAPER)),) for row in qr_rows(matrix)]
