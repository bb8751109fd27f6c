"""Averages of times by the regulations of the World Cube Association (WCA).

A time is an integer in any unit. None is an attempt without a time, DNF or DNS; it is
worse than any time. Results are rounded half up in integers, so that every language
computes the same.
"""

from collections.abc import Sequence

__all__ = ["average", "mean"]


def mean(times: Sequence[int | None]) -> int | None:
    """Return the mean of at least one time (mo3: 9f10), or None: DNF.

    It is a DNF if any of them is (9f11).

    >>> mean([9_000, 10_000, 10_001]), mean([9_000, None, 10_001])
    (9667, None)
    """
    known = [time for time in times if time is not None]
    if len(known) < len(times):
        return None
    return (2 * sum(known) + len(known)) // (2 * len(known))


def average(times: Sequence[int | None]) -> int | None:
    """Return the mean of all but the best and the worst, or None: DNF.

    At least three times are needed. One DNF is the worst (ao5, ao12: 9f8); with two,
    the average is a DNF (9f9).

    >>> average([476, 398, 481, 400, 396]), average([476, None, 481, None, 396])
    (425, None)
    """
    known = sorted(time for time in times if time is not None)
    if len(known) < len(times) - 1:
        return None
    return mean(known[1 : len(times) - 1])
