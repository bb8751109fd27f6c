"""Watching a race: which boards are shown, and which racer the view follows.

A spectator sees boards from the start, a player when their own attempt is over or the
room has open boards. `SpectatorView` is in one of three states:

- **all**: as many boards as fit (the first state);
- **leader**: the board of the best racer who still races; at the end, the winner's;
- **pinned**: the board of one seat, whatever happens.
"""

from collections.abc import Callable, Sequence
from functools import partial

from sliderace.protocol.names import cells
from sliderace.texts import text
from sliderace_client.room.lanes import Lane
from sliderace_client.room.view import RoomView
from sliderace_client.shared_ui import wording
from sliderace_client.shared_ui.render import Look, Paint, Row, Run
from sliderace_client.shared_ui.wording import duration, ordinal
from sliderace_client.tui.actions import Action
from sliderace_client.tui.layout import Placed, arrange_boards, caption_width
from sliderace_client.tui.rows import cut, fitted, out_text, percent

__all__ = ["SpectatorView", "stamp"]

SIGNS = {"right": "→", "left": "←", "down": "↓", "up": "↑"}


class SpectatorView:
    """Which boards of others are shown.

    Args:
        view: returns the view of the room.
        now: returns the ms of its clock.
        on_change: called after a key or a click changed the view.
        rank: returns a racer's rank, by seat; empty while there is none.
        turn_keys: names of the keys that pin the next and the previous racer.
    """

    def __init__(
        self,
        view: Callable[[], RoomView],
        now: Callable[[], int],
        on_change: Callable[[], object],
        rank: Callable[[int], str],
        turn_keys: tuple[str, str] = ("right", "left"),
    ) -> None:
        self._get_view = view
        self._now = now
        self._on_change = on_change
        self._rank = rank
        self._turn_keys = turn_keys
        self._leader = False
        self._pinned: int | None = None
        self._wanted: bool | None = None
        self._placed_seats: list[int] = []
        self._first = 0
        self._fit = 0

    @property
    def _view(self) -> RoomView:
        return self._get_view()

    # --- Which boards -----------------------------------------------------------------

    @property
    def active(self) -> bool:
        """Whether the boards of others are shown instead of the player's own.

        By choice; without one, as soon as our own attempt is over.
        """
        if self._view.board is None:
            return True
        if not self.lanes():
            return False
        if self._wanted is not None:
            return self._wanted
        if self._view.finish_stands(self._now()):
            return False
        lane = self._view.lane
        return lane is None or lane.status != "racing"

    def lanes(self) -> list[Lane]:
        """Return the racers whose boards can be seen, by seat; none if only our own."""
        lanes = sorted(self._view.lanes.values(), key=lambda lane: lane.seat)
        seen = [lane for lane in lanes if lane.board is not None]
        return seen if any(lane.seat != self._view.seat for lane in seen) else []

    def followed(self) -> Lane | None:
        """Return the racer whose board is shown alone; None: all are, or our own."""
        return self._followed(self._ranking()) if self.active else None

    def _followed(self, ranking: Sequence[Lane]) -> Lane | None:
        if self._leader and ranking:
            racing = (lane for lane in ranking if lane.status == "racing")
            return next(racing, ranking[0])
        return next((lane for lane in ranking if lane.seat == self._pinned), None)

    def _ranking(self) -> list[Lane]:
        """Return the racers whose boards can be seen, best first."""
        seen = {lane.seat for lane in self.lanes()}
        return [lane for lane in self._view.order() if lane.seat in seen]

    @property
    def _shows_all(self) -> bool:
        return not self._leader and self._pinned is None

    # --- Display ----------------------------------------------------------------------

    def place_all(self, look: Look, columns: int, rows: int) -> list[Placed]:
        """Arrange as many boards as fit on a canvas."""
        lanes = self.lanes()
        sizes = [lane.board.size for lane in lanes if lane.board is not None]
        places = arrange_boards(len(lanes), sizes[0], columns, rows)
        self._fit = len(places)
        first = self._first % len(lanes) if self._fit < len(lanes) else 0
        shown = [lanes[(first + n) % len(lanes)] for n in range(len(places))]
        width = caption_width(places, columns) if places else 0
        self._placed_seats = [lane.seat for lane in shown]
        return [
            Placed(
                lane.board.tiles,
                grid,
                x,
                y,
                self._caption(lane, look, width),
                stamp(lane, look, grid.columns),
            )
            for lane, (x, y, grid) in zip(shown, places, strict=True)
            if lane.board is not None
        ]

    def _caption(self, lane: Lane, look: Look, width: int) -> Row:
        if lane.status == "finished" and lane.time_ms is not None:
            state, colour = f"✓ {duration(lane.time_ms)}", look.good
        elif lane.status == "racing":
            state, colour = percent(lane.high), look.ink
        else:
            state, colour = out_text(lane.status, lane.why), look.bad
        state = fitted(state, min(len(state), width - 2))
        named = f"{self._rank(lane.seat)} {lane.name}".lstrip()
        name = fitted(named, width - len(state) - 1)
        own = lane.seat == self._view.seat
        return (
            Run(name, Paint(look.accent if own else look.ink, bold=own)),
            Run(f" {state}", Paint(colour)),
        )

    def describe(self, lane: Lane) -> str:
        """Return whose board is shown alone, how far it is, and why it is shown."""
        values = {"name": lane.name, "progress": percent(lane.high)}
        if not self._leader:
            return text("tui.watch.pinned", **values)
        finished = [one.name for one in self._ranking() if one.status == "finished"]
        if finished and lane.status == "racing":
            names = ", ".join(finished)
            return text("tui.watch.leads_others", finished=names, **values)
        return text("tui.watch.leads", **values)

    # --- Actions ----------------------------------------------------------------------

    def actions(self) -> list[Action]:
        """Return the keys that change the view."""
        lanes, view = self.lanes(), self._view
        if not lanes:
            return []
        actions: list[Action] = []
        if view.board is not None:
            label = text("tui.key.own_board" if self.active else "tui.key.other_boards")
            actions.append(Action("v", label, self._toggle, once=True))
        if not self.active:
            return actions
        if self._shows_all and self._fit < len(lanes):
            more = text("tui.key.more_boards")
            actions.append(Action("n", more, self._next_boards, ("pagedown",)))
        if not self._leader:
            leader = text("tui.key.leader")
            actions.append(Action("l", leader, self._follow_leader))
        followed = self.followed()
        if self._leader and followed is not None:
            pin = partial(self._pin, followed.seat)
            actions.append(Action("p", text("tui.key.pin"), pin, once=True))
        forth, back = partial(self._pin_next, 1), partial(self._pin_next, -1)
        following, previous = text("tui.key.next"), text("tui.key.previous")
        turns = zip(self._turn_keys, (following, previous), (forth, back), strict=True)
        actions += [
            Action(SIGNS[key], label, turn, (key,)) for key, label, turn in turns
        ]
        if not self._shows_all:
            actions.append(Action("a", text("tui.key.all_boards"), self._show_all))
        return actions

    def click(self, index: int) -> None:
        """Pin the board that was clicked; if it is shown alone, show all again."""
        if self.followed() is not None:
            self._show_all()
        elif index < len(self._placed_seats):
            self._pin(self._placed_seats[index])

    def _toggle(self) -> None:
        self._wanted = not self.active
        self._on_change()

    def _next_boards(self) -> None:
        self._first += max(1, self._fit)
        self._on_change()

    def _show_all(self) -> None:
        self._leader, self._pinned = False, None
        self._on_change()

    def _follow_leader(self) -> None:
        self._leader, self._pinned = True, None
        self._on_change()

    def _pin(self, seat: int) -> None:
        self._leader, self._pinned = False, seat
        self._on_change()

    def _pin_next(self, step: int) -> None:
        """Pin the racer one place further down (or up, with step -1), in a circle."""
        ranking = self._ranking()
        if not ranking:
            return
        followed = self._followed(ranking)
        seats = [lane.seat for lane in ranking]
        first = 0 if step > 0 else -1
        at = first if followed is None else seats.index(followed.seat) + step
        self._pin(seats[at % len(seats)])


def stamp(lane: Lane, look: Look, width: int) -> tuple[Row, ...]:
    """Return place and time of a finisher, or how the race ended for a racer.

    Args:
        lane: whose board it is for.
        look: colours.
        width: columns of the board.

    Returns:
        Rows of one width; none while they race.
    """
    if lane.status == "racing":
        return ()
    if lane.status == "finished" and lane.time_ms is not None:
        lines = [ordinal(lane.place or 1), duration(lane.time_ms)]
    else:
        lines = [wording.status(lane.status)]
    inner = min(max(map(cells, lines)), width - 2)
    colour = look.good if lane.status == "finished" else look.ink
    paint = Paint(colour, look.raised, bold=True, reverse=look.mono)
    centred = (f" {cut(line, inner).center(inner)} " for line in lines)
    return tuple((Run(line, paint),) for line in centred)
