"""The base class of a room's screens, and the interfaces that they need."""

from functools import partial
from typing import ClassVar, Literal, Protocol

from sliderace.engine import Direction
from sliderace.proof.record import WrittenRace
from sliderace.protocol.messages import (
    Close,
    Command,
    InputName,
    Ready,
    Results,
    RoomKind,
)
from sliderace.texts import text
from sliderace_client.net.connection import Ending
from sliderace_client.room.lanes import Lane
from sliderace_client.room.view import RoomView
from sliderace_client.shared_ui.series_text import has_begun
from sliderace_client.tui.actions import Action
from sliderace_client.tui.dialogs.choose_series import SeriesTableDialog
from sliderace_client.tui.dialogs.help import HelpTopic
from sliderace_client.tui.pace import Pace
from sliderace_client.tui.screens.screen import BaseScreen, Program

__all__ = ["RoomClient", "RoomProgram", "RoomScreen"]


class RoomClient(Protocol):
    """The connection to a room as the screens need it; see `net.connection.Client`."""

    @property
    def view(self) -> RoomView:
        """The member's view of the room."""
        ...

    def slide(
        self, direction: Direction, count: int = 1, by: InputName | None = None
    ) -> bool:
        """Slide on the own board; return False if that is not possible."""
        ...

    def slide_cell(self, cell: int) -> bool:
        """Slide the tile in a cell, and all between it and the gap."""
        ...

    def painted(self) -> None:
        """Report that the board is on the screen."""
        ...

    def use_profile(self, secret: str) -> None:
        """Use the profile with this secret from now on."""
        ...

    def ask(self, command: Command) -> bool:
        """Send a command; return False while there is no connection."""
        ...

    def now(self) -> int:
        """Return monotonic ms."""
        ...

    def race_record(self, results: Results) -> WrittenRace | None:
        """Return the record of a race; None if the server has none. This blocks."""
        ...

    async def run(self) -> Ending:
        """Stay in the room until our stay ends."""
        ...


class RoomProgram(Program, Protocol):
    """The part of the program that a room's screens use."""

    always_ready: bool
    pace: Pace

    @property
    def in_room(self) -> bool:
        """Whether there is a connection to a room."""
        ...

    @property
    def client(self) -> RoomClient:
        """The connection to the room."""
        ...

    @property
    def ends_the_room(self) -> bool:
        """Whether the room's server ends with this program."""
        ...

    @property
    def join_link(self) -> str:
        """The best link to the room; empty: there is none."""
        ...

    def repaint(self) -> None:
        """Show everything as it is now."""
        ...

    def bell(self) -> None:
        """Ring the terminal's bell."""
        ...

    def send(self, command: Command) -> None:
        """Send a command to the server; say so if there is no connection."""
        ...

    def leave_room(self) -> None:
        """Give up the seat and leave."""
        ...

    def warm_up(self, size: str) -> None:
        """Play alone until the race begins."""
        ...

    def next_board(self) -> None:
        """Deal the next board in a room of our own; one that we play is given up."""
        ...

    def change_size(self, size: str) -> None:
        """Go on with boards of another size, in another room of our own."""
        ...

    def show_code(self) -> None:
        """Show the code, the links and a QR code."""
        ...

    def edit_name(self) -> None:
        """Let the user change the nickname."""
        ...

    def choose_reaction(self) -> None:
        """Let the user send a reaction."""
        ...

    def edit_rules(self) -> None:
        """Let the host change the rules."""
        ...

    def show_lobby(self) -> None:
        """Show the lobby instead of the results."""
        ...

    def show_results(self) -> None:
        """Show the results of the last race instead of the lobby."""
        ...

    def save_race_record(self) -> None:
        """Store the race record in the current folder."""
        ...

    def race_record(
        self, results: Results
    ) -> WrittenRace | Literal["awaited", "missing"]:
        """Return the record of the race of these results, if it is loaded."""
        ...

    def keep_time(self) -> None:
        """Create a profile, and keep the time of the last race in it."""
        ...

    def watch_again(self) -> None:
        """Replay the last race."""
        ...


class RoomScreen(BaseScreen):
    """A screen of a room.

    Args:
        program: shows this screen.
    """

    HELP_TOPIC: ClassVar[HelpTopic] = "room"

    @property
    def help_topic(self) -> HelpTopic:
        """Which help fits the kind of the room."""
        topics: dict[RoomKind, HelpTopic] = {
            "quick": "quick",
            "solo": "ranked",
            "daily": "daily",
        }
        return topics.get(self.view.kind, self.HELP_TOPIC)

    def __init__(self, program: RoomProgram) -> None:
        super().__init__(program)
        self._room_program = program

    @property
    def program(self) -> RoomProgram:  # noqa: D102
        return self._room_program

    @property
    def client(self) -> RoomClient:
        """The connection to the room."""
        return self.program.client

    @property
    def view(self) -> RoomView:
        """Everything that is known of the room."""
        return self.client.view

    def refresh_content(self) -> None:
        """Show the room as it is now, unless our stay has just ended."""
        if self.program.in_room:
            super().refresh_content()

    def series_actions(self) -> list[Action]:
        """Return the action that shows the series, once it has begun."""
        table = self.view.series
        if table is None or not has_begun(table):
            return []
        dialog = partial(SeriesTableDialog, self.look, table, self.view.me)
        return [
            Action(
                "t",
                text("tui.key.series"),
                lambda: self.program.open_screen(dialog()),
            )
        ]

    def head(self) -> str:  # noqa: D102
        view = self.view
        if view.online and view.overdue:
            if not view.unacked:
                return text("tui.room.waiting")
            return text("tui.room.waiting_for_server", count=view.unacked)
        if view.online:
            return self.online_head()
        if view.host_ended:
            return text("tui.room.host_ended")
        if view.unacked:
            return text("tui.room.reconnecting_kept", count=view.unacked)
        return text("tui.room.reconnecting")

    def online_head(self) -> str:
        """Return the text of the top row while we are connected."""
        return ""

    def help_and_leave(self) -> list[Action]:
        """Return the last actions of every screen of a room."""
        return [
            Action(
                "?",
                text("tui.key.help"),
                lambda: self.program.show_help(self.help_topic),
            ),
            Action("q", text("tui.key.leave"), self._leave),
        ]

    def react_action(self) -> list[Action]:
        """Return the action that sends a reaction, where the server would take it."""
        if not self.view.may_react:
            return []
        return [Action("z", text("tui.key.react"), self.program.choose_reaction)]

    def reaction_of(self, member: int | None) -> int | None:
        """Return the reaction to be shown beside a name, unless the user hides all."""
        if self.program.settings.reactions == "off":
            return None
        return self.view.reaction_of(member, self.client.now())

    def with_reaction(self, lane: Lane) -> Lane:
        """Add to a lane the reaction to be shown."""
        lane.reaction = self.reaction_of(lane.member)
        return lane

    def ready_action(self, *also: str) -> Action:
        """Return the action that gets us ready, or not ready any more.

        Args:
            also: other names of its key.
        """
        is_ready = self.view.ready
        label = text("tui.key.not_ready" if is_ready else "tui.key.ready")
        ready = partial(self._be_ready, on=not is_ready)
        return Action("r", label, ready, also, once=True)

    def _be_ready(self, *, on: bool) -> None:
        """Get ready, or not ready any more; the latter also ends *Always ready*."""
        if not on:
            self.program.always_ready = False
        self.program.send(Ready(self.view.race, on))

    def _leave(self) -> None:
        """Ask, then leave the room for good."""
        if self._leaves_at_once:
            self.program.leave_room()
            return
        leave, close = text("tui.key.leave"), text("tui.key.close_room")
        answers = [Action("y", leave, self.program.leave_room)]
        if self.view.is_host and not self.view.is_alone:
            answers.append(Action("x", close, lambda: self.program.send(Close())))
        others = sum(not one.bot for one in self.view.members.values()) - 1
        if self.view.is_alone:
            question = text("tui.leave.gives_up")
        elif not self.program.ends_the_room or others <= 0:
            question = text("tui.leave.question")
        elif self._others_race:
            question = text("tui.leave.ends_room_after_race", count=others)
        else:
            question = text("tui.leave.ends_room", count=others)
        self.ask(question, *answers, no=text("tui.key.stay"))

    @property
    def _leaves_at_once(self) -> bool:
        """Whether nothing is lost by leaving: where nobody waits, between races."""
        return self.view.kind != "room" and not self.view.racing

    @property
    def _others_race(self) -> bool:
        """Whether others are still racing, so that our own server keeps running."""
        view = self.view
        return view.in_race and any(
            lane.seat != view.seat and lane.status == "racing"
            for lane in view.lanes.values()
        )
