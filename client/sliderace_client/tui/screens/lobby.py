"""The lobby: the code to read aloud, who is here, who is ready, and the host's keys."""

from collections.abc import Iterable
from dataclasses import replace

from textual.containers import Horizontal, Vertical
from textual.widget import Widget

from sliderace.protocol.messages import (
    Bench,
    Command,
    HandOver,
    Kick,
    Lock,
    Member,
    Ready,
    Role,
    Start,
)
from sliderace.protocol.room_code import format_code
from sliderace_client.shared_ui.render import Row, big_size, big_text
from sliderace_client.tui.actions import Action
from sliderace_client.tui.blocking_calls import only_here
from sliderace_client.tui.dialogs.dialog import command_for
from sliderace_client.tui.qr import qr_lines
from sliderace_client.tui.rows import fitted, line, member_row, rule_line
from sliderace_client.tui.screens.screen import MIN_ROWS, RoomPage
from sliderace_client.tui.widgets import Lines

__all__ = ["Lobby", "window"]

QR_ROOM = 38
"""Columns that code and players keep when the QR stands beside them."""


def window(count: int, rows: int, chosen: int, top: int) -> tuple[int, int]:
    """Which of `count` people stand in `rows` rows: the first, and how many.

    Where not all fit, a row is left for how many more there are.

    Args:
        count: how many there are.
        rows: how many rows there are.
        chosen: who must be seen.
        top: who came first until now.

    >>> window(10, 10, 0, 0), window(10, 7, 8, 0), window(10, 7, 2, 3)
    ((0, 10), (3, 6), (2, 6))
    """
    room = count if count <= rows else max(1, rows - 1)
    top = min(top, count - room)
    return max(0, min(top, chosen), chosen - room + 1), room


class Lobby(RoomPage):
    """Wait for friends, get ready, start."""

    DEFAULT_CSS = """
    Lobby #hall { height: 1fr; }
    Lobby #left { width: 1fr; height: 1fr; }
    Lobby #qr { width: auto; margin: 0 1; }
    Lobby #people { height: 1fr; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._chosen = 0
        self._top = 0
        self._facts = Lines(id="room")
        self._list = Lines(id="people", on_pick=self._choose)
        self._code = Lines(id="qr")

    def body(self) -> Iterable[Widget]:  # noqa: D102
        with Horizontal(id="hall"):
            with Vertical(id="left"):
                yield self._facts
                yield self._list
            yield self._code

    # --- What is shown ----------------------------------------------------------------

    def about(self) -> str:  # noqa: D102
        room = self.model.room
        if room is None:
            return "connecting"
        words = ["public" if room.public else "private"]
        words += ["locked"] if room.locked else []
        return ", ".join(words)

    def update(self) -> None:  # noqa: D102
        super().update()
        qr = self._qr()
        self._code.show(qr)
        width = self.size.width - (len(qr[0][0].text) + 2 if qr else 0)
        roomy = self.size.height >= 22
        facts = self._room(width, roomy=roomy)
        self._facts.show(facts)
        self._list.show(self._people(width, self.room_for_table() - len(facts)))

    def _qr(self) -> list[Row]:
        link = self.terminal.link()
        if not link:
            return []
        rows = qr_lines(link)
        fits = self.size.width - len(rows[0][0].text) - 2 >= QR_ROOM
        return rows if fits and self.size.height - 4 >= len(rows) else []

    def _room(self, width: int, *, roomy: bool) -> list[Row]:
        look, room = self.look, self.model.room
        if room is None:
            return [line(" Looking for the room ...", look.soft)]
        code = format_code(room.code)
        scale = 2 if roomy and big_size(code, 2)[0] + 4 <= width else 1
        rows = [line("", "")] if roomy else []
        rows += [
            line("  " + row, look.accent, bold=True) for row in big_text(code, scale)
        ]
        rows += [line("", "")] if roomy else []
        link = self.terminal.link()
        command = command_for(room.code, link, width - 2)
        ways = ([link] if link and roomy else []) + [command]
        if only_here(link):
            ways.append("only this machine can join")
        rows += [line(f"  {way}", look.ink) for way in ways]
        rows.append(line(f"  {rule_line(room.rules)}", look.soft))
        if room.seed_known:
            rows.append(line("  seed known in advance: no fairness claim", look.bad))
        elif roomy:
            seal = room.commitment
            sealed = ("board sealed:", seal[: len(seal) // 2], seal[len(seal) // 2 :])
            rows += [line(f"  {part}", look.soft) for part in sealed]
        left = self.model.remaining(self.play.now())
        if left is not None:
            text = f"  The next race starts in {-(-left // 1000)} s"
            rows.append(line(fitted(text, width), look.accent, bold=True))
        return [*rows, line("")] if self.size.height > MIN_ROWS else rows

    def _members(self) -> list[Member]:
        host = self.model.room.host if self.model.room else None
        return sorted(
            self.model.members.values(),
            key=lambda who: (who.role == "spectator", who.id != host, who.id),
        )

    def _people(self, width: int, height: int) -> list[Row]:
        members = self._members()
        host = self.model.room.host if self.model.room else None
        self._chosen = max(0, min(self._chosen, len(members) - 1))
        self._top, room = window(len(members), height, self._chosen, self._top)
        above, below = self._top, len(members) - self._top - room
        hidden = above + below
        rows = [
            member_row(
                member,
                host,
                self.model.me,
                self.look,
                width - 1,
                chosen=index == self._chosen and (self.model.is_host or hidden > 0),
                told=self.model.latencies.get(member.id),
            )
            for index, member in enumerate(members)
        ][self._top : self._top + room]
        if hidden:
            text = f"    and {hidden} more (↑ {above}, ↓ {below})"
            rows.append(line(fitted(text, width), self.look.soft))
        elif len(members) == 1 and self.model.room and len(rows) + 1 < height:
            text = f"  Bots race too: sliderace bot {format_code(self.model.room.code)}"
            rows += [line(""), line(fitted(text, width), self.look.soft)]
        return rows

    # --- What can be done -------------------------------------------------------------

    def actions(self) -> list[Action]:  # noqa: D102
        model, room = self.model, self.model.room
        todo: list[Action] = []
        if room is not None and model.myself is not None:
            todo += self._own(model.myself)
            if model.is_host:
                todo += self._host(locked=room.locked)
        if model.results is not None:
            todo.append(Action("t", "last results", self.terminal.show_results))
        if room is not None:
            size = room.rules.size
            warm = Action("w", "warm up", lambda: self.terminal.warm_up(size))
            todo.append(warm)
        return [
            *todo,
            Action("c", "code & QR", self.terminal.show_code),
            Action("?", "help", self.help),
            Action("q", "leave", self.leave),
        ]

    def _own(self, myself: Member) -> list[Action]:
        if myself.role == "spectator":
            return [Action("p", "play too", lambda: self.send(Role("player")))]
        if myself.benched:
            back = Bench(myself.id, False)
            return [Action("b", "back to play", lambda: self.send(back))]
        ready = Ready(self.model.race, not myself.ready)
        label = "not ready" if myself.ready else "ready"
        todo = [Action("r", label, lambda: self.send(ready), ("enter", "space"))]
        always = self.terminal.settings.auto_ready == "on"
        label = "not always ready" if always else "always ready"
        todo.append(Action("a", label, self._auto_ready))
        if not self.model.is_host:
            todo.append(Action("p", "only watch", lambda: self.send(Role("spectator"))))
        return todo

    def _auto_ready(self) -> None:
        settings = self.terminal.settings
        turned = "off" if settings.auto_ready == "on" else "on"
        self.terminal.use_settings(replace(settings, auto_ready=turned))
        self.terminal.repaint()

    def _host(self, *, locked: bool) -> list[Action]:
        model = self.model
        todo: list[Action] = []
        if model.can_start:
            todo.append(Action("s", "start", self._start))
        todo += [
            Action("e", "rules", self.terminal.edit_rules),
            Action(
                "x", "unlock" if locked else "lock", lambda: self.send(Lock(not locked))
            ),
        ]
        other = self._other()
        if other is not None:
            todo += self._about_other(other)
        return todo

    def _start(self) -> None:
        """Start; where somebody would only watch, ask before."""
        start = Start(self.model.race)
        names = [
            who.name
            for who in self.model.present_players()
            if not who.ready and who.id != self.model.me
        ]
        if not names:
            self.send(start)
            return
        yes = Action("y", "start", lambda: self.send(start))
        self.ask(f"Not ready, would only watch: {', '.join(names)}.", yes, no="wait")

    def _about_other(self, other: Member) -> list[Action]:
        kick = Action("y", "send out", lambda: self.send(Kick(other.id)))
        todo = [Action("k", "kick", lambda: self.ask(f"Send {other.name} out?", kick))]
        if other.role == "player":
            bench = Bench(other.id, not other.benched)
            label = "unbench" if other.benched else "bench"
            todo.append(Action("b", label, lambda: self.send(bench)))
            host = Action("y", "hand over", lambda: self.send(HandOver(other.id)))
            question = f"Make {other.name} the host?"
            todo.append(Action("o", "make host", lambda: self.ask(question, host)))
        return todo

    def _other(self) -> Member | None:
        """Whom the host has chosen; not himself."""
        members = self._members()
        if not 0 <= self._chosen < len(members):
            return None
        chosen = members[self._chosen]
        return None if chosen.id == self.model.me else chosen

    def send(self, command: Command) -> None:
        """Ask the server."""
        self.terminal.ask(command)

    def other_key(self, key: str) -> bool:  # noqa: D102
        step = {"up": -1, "down": 1}.get(key, 0)
        if step:
            self._chosen = max(0, min(self._chosen + step, len(self._members()) - 1))
            self.update()
        return bool(step)

    def _choose(self, y: int, _x: int) -> None:
        self._chosen = self._top + y
        self.update()
