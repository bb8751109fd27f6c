"""What can be done on a page: one list gives the keys, their labels and the clicks."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from sliderace.protocol.names import cells
from sliderace_client.shared_ui.render import Look, Paint, Row, Run

__all__ = ["ROOMY", "Action", "Places", "Repeats", "key_rows", "match", "under"]

REPEAT_MS = 700
"""A key held down repeats after 250-660 ms, then every 30 ms: one press, one action."""


ROOMY = 60
"""Columns from which on keys look like keys; below, every cell counts."""


class Action(NamedTuple):
    """Something the user may do now.

    Attributes:
        key: the key as it is shown and pressed, such as ``r``, ``enter`` or ``?``.
        label: what it does, in one or two words.
        run: does it.
        also: other names of the key.
        repeats: whether holding the key down does it again and again.
    """

    key: str
    label: str
    run: Callable[[], object]
    also: tuple[str, ...] = ()
    repeats: bool = False


def match(actions: Sequence[Action], key: str) -> Action | None:
    """The action of this key, if any."""
    for action in actions:
        if key == action.key or key in action.also:
            return action
    return None


Places = list[tuple[int, int, int]]
"""Where each of some actions is: (row, first column, column after the last)."""


def under(actions: Sequence[Action], places: Places, y: int, x: int) -> Action | None:
    """The action that is shown at a row and a column, if any."""
    for action, (row, first, end) in zip(actions, places, strict=True):
        if row == y and first <= x < end:
            return action
    return None


class Repeats:
    """Tells a held key from one pressed again."""

    def __init__(self) -> None:
        self._last = ("", -REPEAT_MS)

    def forget(self) -> None:
        """Another key was pressed meanwhile: the next one is no repetition."""
        self._last = ("", -REPEAT_MS)

    def held(self, key: str, now: int) -> bool:
        """Whether `key` is only repeating; `now` in ms.

        >>> keys = Repeats()
        >>> [keys.held("r", now) for now in (0, 500, 530, 1500)]
        [False, True, True, False]
        """
        before, at = self._last
        self._last = (key, now)
        return key == before and now - at < REPEAT_MS


def key_rows(
    actions: Sequence[Action], look: Look, width: int
) -> tuple[list[Row], Places]:
    """The keys in as many rows as they need, and where each is.

    Returns:
        The rows, and the places of the actions in them.
    """
    rows: list[list[Run]] = [[]]
    places: Places = []
    at = 0
    for action in actions:
        key = action.key if width < ROOMY else f" {action.key} "
        label = f" {action.label}"
        length = cells(key) + cells(label)
        gap = 2 if rows[-1] else 1
        if rows[-1] and at + gap + length > width:
            rows.append([])
            at, gap = 0, 1
        rows[-1].append(Run(" " * gap, Paint()))
        at += gap
        cap = (
            Paint(reverse=True) if look.mono else Paint(look.accent, look.raised, True)
        )
        rows[-1] += [Run(key, cap), Run(label, Paint(look.soft))]
        places.append((len(rows) - 1, at, at + length))
        at += length
    return [tuple(row) for row in rows], places
