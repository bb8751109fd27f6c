"""The actions of a screen, each with its key, label and clickable place."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from sliderace.protocol.names import cells
from sliderace_client.shared_ui.render import Look, Paint, Row, Run

__all__ = ["WIDE", "Action", "HeldKey", "Places", "action_at", "find", "key_rows"]

FIRST_REPEAT_MS = range(250, 700)
"""When a key that is held down repeats for the first time, as systems have it."""
NEXT_REPEAT_MS = 200
"""Later repeats come within this time: every 30-90 ms, and late on slow connections."""
FASTEST_MS = 50
"""No finger presses a key again so soon."""


WIDE = 60
"""From this many columns on, keys are drawn like keys; below, every cell counts."""


class Action(NamedTuple):
    """Something the user can do now.

    Attributes:
        key: the key as it is shown and pressed, such as ``r``, ``enter`` or ``?``.
        label: what it does, in one or two words.
        run: does it.
        also: other names of the key.
        once: holding the key down does it once: it switches something on and off, or
            asks the server.
    """

    key: str
    label: str
    run: Callable[[], object]
    also: tuple[str, ...] = ()
    once: bool = False


def find(actions: Sequence[Action], key: str) -> Action | None:
    """Return the first action of a key; None: there is none."""
    for action in actions:
        if key == action.key or key in action.also:
            return action
    return None


Places = list[tuple[int, int, int]]
"""For each action, its place: (row, first column, column after the last)."""


def action_at(
    actions: Sequence[Action], places: Places, y: int, x: int
) -> Action | None:
    """Return the action that is shown at a row and a column; None: there is none."""
    for action, (row, first, end) in zip(actions, places, strict=True):
        if row == y and first <= x < end:
            return action
    return None


class HeldKey:
    """Distinguishes a key that is held down from one that is pressed again.

    Fingers press a key again after 60-250 ms, or later; only a press that comes when
    the first repeat is due is ambiguous, and counts as a repeat.
    """

    def __init__(self) -> None:
        self._key = ""
        self._pressed_at = 0
        self._at = 0
        self._held: bool = False

    def reset(self) -> None:
        """Count the next key as pressed, whatever it is."""
        self._key = ""
        self._held = False

    def is_repeat(self, key: str, now: int) -> bool:
        """Return whether a key only repeats; `now` in ms.

        >>> held = HeldKey()
        >>> [held.is_repeat("r", now) for now in (0, 500, 530, 560, 1500)]
        [False, True, True, True, False]
        >>> held.reset()
        >>> [held.is_repeat("r", now) for now in (0, 100, 240, 800)]
        [False, False, False, True]
        """
        if self._held:
            self._held = now - self._at < NEXT_REPEAT_MS
        else:
            first = now - self._pressed_at in FIRST_REPEAT_MS
            self._held = first or now - self._at < FASTEST_MS
        if key != self._key:
            self._held = False
        self._key, self._at = key, now
        if not self._held:
            self._pressed_at = now
        return self._held


def key_rows(
    actions: Sequence[Action], look: Look, width: int
) -> tuple[list[Row], Places]:
    """Return the keys in as many rows as they need, and the place of each."""
    rows: list[list[Run]] = [[]]
    places: Places = []
    at = 0
    key_paint = (
        Paint(reverse=True) if look.mono else Paint(look.accent, look.raised, True)
    )
    for action in actions:
        key = action.key if width < WIDE else f" {action.key} "
        label = f" {action.label}"
        length = cells(key) + cells(label)
        gap = 2 if rows[-1] else 1
        if rows[-1] and at + gap + length > width:
            rows.append([])
            at, gap = 0, 1
        rows[-1].append(Run(" " * gap, Paint()))
        at += gap
        rows[-1] += [Run(key, key_paint), Run(label, Paint(look.soft))]
        places.append((len(rows) - 1, at, at + length))
        at += length
    return [tuple(row) for row in rows], places
