"""The lobby: the room code, the members and their readiness, and the host's keys."""

from collections.abc import Iterable
from functools import partial
from textwrap import wrap

from textual.containers import Horizontal, Vertical
from textual.widget import Widget

from sliderace.protocol.messages import (
    Bench,
    HandOver,
    Kick,
    Lock,
    Member,
    Mute,
    Role,
    Start,
)
from sliderace.protocol.room_code import format_code
from sliderace.texts import text
from sliderace_client.room.server_bots import server_bots
from sliderace_client.shared_ui.render import Row, big_size, big_text
from sliderace_client.shared_ui.series_text import has_begun, series_line
from sliderace_client.shared_ui.wording import listed
from sliderace_client.tui.actions import Action
from sliderace_client.tui.blocking_calls import only_here
from sliderace_client.tui.dialogs.choose_bots import BotsDialog
from sliderace_client.tui.dialogs.choose_series import SeriesDialog
from sliderace_client.tui.dialogs.code_dialog import join_command_for
from sliderace_client.tui.rows import (
    fitted,
    member_row,
    qr_code_rows,
    rules_text,
    text_row,
)
from sliderace_client.tui.screens.room_screen import RoomProgram, RoomScreen
from sliderace_client.tui.screens.screen import MIN_ROWS
from sliderace_client.tui.widgets import TextRows

__all__ = ["LobbyScreen", "visible_part"]

BESIDE_QR = 38
"""Columns that code and members need beside the QR code."""
LARGE_ROWS = 22
"""From this height on, the code is drawn larger, with more facts about the room."""


def visible_part(count: int, rows: int, chosen: int, top: int) -> tuple[int, int]:
    """Return which part of a list is visible: its first entry, and how many.

    If not all fit, one row is left for the number of the others.

    Args:
        count: entries in the list.
        rows: rows there are.
        chosen: the entry that must be visible.
        top: the first visible entry so far.

    >>> visible_part(10, 10, 0, 0), visible_part(10, 7, 8, 0), visible_part(10, 7, 2, 3)
    ((0, 10), (3, 6), (2, 6))
    """
    visible = count if count <= rows else max(1, rows - 1)
    top = min(top, count - visible)
    return max(0, min(top, chosen), chosen - visible + 1), visible


class LobbyScreen(RoomScreen):
    """Wait for friends, get ready, start.

    Args:
        program: shows this screen.
    """

    DEFAULT_CSS = """
    LobbyScreen #columns { height: 1fr; }
    LobbyScreen #left { width: 1fr; height: 1fr; }
    LobbyScreen #qr { width: auto; margin: 0 1; }
    LobbyScreen #people { height: 1fr; }
    """

    def __init__(self, program: RoomProgram) -> None:
        super().__init__(program)
        self._chosen = 0
        self._top = 0
        self._shown: list[int] = []
        self._unready: list[str] | None = None
        self._room = TextRows(id="room")
        self._people = TextRows(id="people", on_pick=self._choose)
        self._qr = TextRows(id="qr")

    def body(self) -> Iterable[Widget]:  # noqa: D102
        with Horizontal(id="columns"):
            with Vertical(id="left"):
                yield self._room
                yield self._people
            yield self._qr

    # --- Display ----------------------------------------------------------------------

    def online_head(self) -> str:  # noqa: D102
        room = self.view.room
        if room is None:
            return text("tui.lobby.connecting")
        if room.locked:
            return text(
                "tui.lobby.public_locked" if room.public else "tui.lobby.private_locked"
            )
        return text("tui.lobby.public" if room.public else "tui.lobby.private")

    def update(self) -> None:  # noqa: D102
        self._ask_again()
        super().update()
        qr = self._qr_rows()
        self._qr.show(qr)
        self._qr.display = bool(qr)  # its margin takes columns
        width = self.size.width - (len(qr[0][0].text) + 2 if qr else 0)
        height, needed = self.body_height(), len(self.view.members)
        room = self._room_rows(width, large=self.size.height >= LARGE_ROWS)
        if height - len(room) < needed:  # people are more important than details
            room = self._room_rows(width, large=False)
        self._room.show(room)
        self._people.show(self._member_rows(width, height - len(room)))

    def _qr_rows(self) -> list[Row]:
        """Return the QR code; empty if there is no room for it."""
        link = self.program.join_link
        if not link:
            return []
        rows = qr_code_rows(link)
        fits = self.size.width - len(rows[0][0].text) - 2 >= BESIDE_QR
        return rows if fits and self.size.height - 4 >= len(rows) else []

    def _room_rows(self, width: int, *, large: bool) -> list[Row]:
        look, room = self.look, self.view.room
        if room is None:
            return [text_row(f" {text('tui.lobby.finding_room')}", look.soft)]
        code = format_code(room.code)
        scale = 2 if large and big_size(code, 2)[0] + 4 <= width else 1
        space = [text_row("")] if large else []
        rows = [*space]
        rows += [
            text_row(f"  {row}", look.accent, bold=True)
            for row in big_text(code, scale)
        ]
        rows += space
        link = self.program.join_link
        ways = [link] if link and large else []
        ways.append(join_command_for(room.code, link, width - 2))
        if only_here(link):
            ways.append(text("tui.lobby.only_here"))
        rows += [text_row(f"  {way}", look.ink) for way in ways]
        rules = rules_text(room.rules)
        rows.append(text_row(fitted(f"  {rules}", width), look.soft))
        series = self.view.series
        if series is not None and has_begun(series):
            score = series_line(series, room.rules.size)
            rows.append(text_row(fitted(f"  {score}", width), look.ink))
        if room.seed_known:
            rows.append(text_row(f"  {text('tui.lobby.seed_known')}", look.bad))
        elif large:
            commitment = room.commitment
            half = len(commitment) // 2
            parts = (text("tui.lobby.commitment"), commitment[:half], commitment[half:])
            rows += [text_row(f"  {part}", look.soft) for part in parts]
        left = self.view.remaining(self.client.now())
        if left is not None:
            starts = text("next.starts", seconds=-(-left // 1000))
            rows.append(text_row(fitted(f"  {starts}", width), look.accent, bold=True))
        return [*rows, text_row("")] if self.size.height > MIN_ROWS else rows

    def _members(self) -> list[Member]:
        """Return everybody: players before spectators, the host first."""
        host = self.view.room.host if self.view.room else None
        return sorted(
            self.view.members.values(),
            key=lambda who: (who.role == "spectator", who.id != host, who.id),
        )

    def _member_rows(self, width: int, height: int) -> list[Row]:
        view, members = self.view, self._members()
        host = view.room.host if view.room else None
        self._chosen = max(0, min(self._chosen, len(members) - 1))
        self._top, visible = visible_part(len(members), height, self._chosen, self._top)
        hidden = len(members) - visible
        self._shown = list(range(self._top, self._top + visible))
        mine = next((i for i, who in enumerate(members) if who.id == view.me), None)
        if mine is not None and mine not in self._shown and visible > 1:
            at = 0 if mine < self._top else -1  # our own row is always visible
            self._shown[at if self._shown[at] != self._chosen else -1 - at] = mine
        above = sum(index < self._chosen for index in range(len(members)))
        above -= sum(index < self._chosen for index in self._shown)
        rows = [
            member_row(
                members[index],
                host,
                view.me,
                self.look,
                width - 1,
                chosen=index == self._chosen and (self._has_cursor or hidden > 0),
                latency=view.latencies.get(members[index].id),
                always=self.program.always_ready,
                reaction=self.reaction_of(members[index].id),
            )
            for index in self._shown
        ]
        if hidden:
            more = text("tui.lobby.more", n=hidden, above=above, below=hidden - above)
            rows.append(text_row(fitted(f"    {more}", width), self.look.soft))
        elif len(members) == 1 and view.room and len(rows) + 1 < height:
            own = text("tui.lobby.own_bots", code=format_code(view.room.code))
            bots = text("tui.lobby.bots") if self._bots_choice() else own
            parts = ["", *wrap(bots, width - 2, break_on_hyphens=False)]
            rows += [text_row(f"  {part}", self.look.soft) for part in parts]
        return rows

    # --- Actions ----------------------------------------------------------------------

    def actions(self) -> list[Action]:  # noqa: D102
        view, room, program = self.view, self.view.room, self.program
        actions: list[Action] = []
        if room is not None and view.myself is not None:
            actions += self._own_actions(view.myself)
            if view.is_host:
                actions += self._host_actions(locked=room.locked)
        if view.results is not None:
            actions.append(
                Action("v", text("tui.key.last_results"), program.show_results)
            )
        actions += self.series_actions()
        if room is not None:
            size = room.rules.size
            actions.append(
                Action("w", text("tui.key.warm_up"), lambda: program.warm_up(size))
            )
        if room is not None:
            actions.append(Action("n", text("tui.key.name"), program.edit_name))
        show_code = Action("c", text("tui.key.show_code"), program.show_code)
        actions += [*self._reaction_actions(), *self.react_action()]
        return [*actions, show_code, *self.help_and_leave()]

    def _own_actions(self, myself: Member) -> list[Action]:
        send = self.program.send
        if myself.role == "spectator":
            play = text("tui.key.play_too")
            return [Action("p", play, lambda: send(Role("player")), once=True)]
        if myself.benched:
            unbench = Bench(myself.id, False)
            return [
                Action(
                    "i", text("tui.key.play_again"), lambda: send(unbench), once=True
                )
            ]
        actions = [self.ready_action("enter", "space")]
        if self.view.kind == "quick":
            watch = text("tui.key.only_watch")
            watches = Action("p", watch, lambda: send(Role("spectator")), once=True)
            return [*actions, watches]
        always = self.program.always_ready
        label = text("tui.key.not_always_ready" if always else "tui.key.always_ready")
        actions.append(Action("a", label, self._toggle_always_ready, once=True))
        if not self.view.is_host:
            watch = text("tui.key.only_watch")
            actions.append(
                Action("p", watch, lambda: send(Role("spectator")), once=True)
            )
        return actions

    def _toggle_always_ready(self) -> None:
        self.program.always_ready = not self.program.always_ready
        self.program.repaint()

    def _host_actions(self, *, locked: bool) -> list[Action]:
        program = self.program
        actions: list[Action] = []
        if self.view.can_start:
            actions.append(Action("s", text("tui.key.start"), self._start, once=True))
        label = text("tui.key.unlock" if locked else "tui.key.lock")
        actions += [
            Action("e", text("tui.key.rules"), program.edit_rules),
            *self._bots_choice(),
            *self._series_choice(),
            Action("x", label, lambda: program.send(Lock(not locked)), once=True),
        ]
        other = self._chosen_other()
        if other is not None:
            actions += self._actions_on(other)
        return actions

    def _series_choice(self) -> list[Action]:
        """Return the action that begins a series, if the server can do that."""
        table = self.view.series
        if table is None or "series" not in self.view.features:
            return []
        dialog = partial(SeriesDialog, self.look, table, self.program.send)
        label = text("tui.key.begin_series")
        return [Action("f", label, lambda: self.program.open_screen(dialog()))]

    def _bots_choice(self) -> list[Action]:
        """Return the action that chooses bots, if the server has some."""
        if not self.view.is_host or "bots" not in self.view.features:
            return []
        bots = server_bots(self.view.members.values())
        dialog = partial(BotsDialog, self.look, bots, self.program.send)
        label = text("tui.key.bots")
        return [Action("b", label, lambda: self.program.open_screen(dialog()))]

    def _unready_names(self) -> list[str]:
        return [
            who.name
            for who in self.view.present_players()
            if not who.ready and who.id != self.view.me
        ]

    def _start(self) -> None:
        """Start; ask first if this would leave somebody out."""
        names = self._unready_names()
        if not names:
            self._unready = None
            self.program.send(Start(self.view.race))
            return
        self._unready = names
        start = Start(self.view.race)
        yes = Action("y", text("tui.key.start"), lambda: self.program.send(start))
        question = text("tui.lobby.start_question", names=listed(names))
        self.ask(question, yes, no=text("tui.key.wait"))

    def _ask_again(self) -> None:
        """Bring an open question about unready players up to date, or start."""
        if self._unready is None:
            return
        if not self.asks:
            self._unready = None
            return
        if self._unready_names() != self._unready:
            self.stop_asking()
            self._start()

    @property
    def _has_cursor(self) -> bool:
        """Whether there may be something to be done about another member."""
        view = self.view
        return view.is_host or bool(view.reactions or view.ignored)

    def _reaction_actions(self) -> list[Action]:
        """Return what can be done about the chosen member's reactions."""
        other, view = self._chosen_other(), self.view
        if other is None or not (
            other.id in view.reactions or other.id in view.ignored or other.muted
        ):
            return []
        hidden = other.id in view.ignored
        label = text("tui.key.show" if hidden else "tui.key.hide")
        actions = [Action("h", label, lambda: self._ignore(other.id, on=not hidden))]
        if view.is_host:
            mute = Mute(other.id, not other.muted)
            label = text("tui.key.unmute" if other.muted else "tui.key.mute")
            send = self.program.send
            actions.append(Action("m", label, lambda: send(mute), once=True))
        return actions

    def _ignore(self, member: int, *, on: bool) -> None:
        ignored = self.view.ignored
        (ignored.add if on else ignored.discard)(member)
        self.update()

    def _actions_on(self, other: Member) -> list[Action]:
        """Return the host's actions on another member."""
        send, no = self.program.send, text("tui.key.no")
        remove = Action("y", text("tui.key.remove"), lambda: send(Kick(other.id)))
        sure = text("tui.lobby.remove_question", name=other.name)
        actions = [
            Action("k", text("tui.key.kick"), lambda: self.ask(sure, remove, no=no))
        ]
        if other.role == "player":
            bench = Bench(other.id, not other.benched)
            label = text("tui.key.unbench" if other.benched else "tui.key.bench")
            actions.append(Action("i", label, lambda: send(bench), once=True))
            hand_over = text("tui.key.hand_over")
            host = Action("y", hand_over, lambda: send(HandOver(other.id)))
            question = text("tui.lobby.hand_over_question", name=other.name)
            make_host = text("tui.key.make_host")
            actions.append(
                Action("o", make_host, lambda: self.ask(question, host, no=no))
            )
        return actions

    def _chosen_other(self) -> Member | None:
        """Return the member under the cursor, unless it is ourselves."""
        members = self._members()
        if not 0 <= self._chosen < len(members):
            return None
        chosen = members[self._chosen]
        return None if chosen.id == self.view.me else chosen

    def other_key(self, key: str) -> bool:  # noqa: D102
        step = {"up": -1, "down": 1}.get(key, 0)
        if step:
            self._chosen = max(0, min(self._chosen + step, len(self._members()) - 1))
            self.update()
        return bool(step)

    def _choose(self, y: int, _x: int) -> None:
        if y < len(self._shown):
            self._chosen = self._shown[y]
            self.update()
