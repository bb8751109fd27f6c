"""The program: one seat or none, the page that shows it, and a calm repaint."""

import asyncio
import secrets
from dataclasses import replace
from typing import Literal

from textual.events import Event, Key

from sliderace.protocol.messages import Command, Join, Leave, Ready, RoleName
from sliderace_client import exit_codes
from sliderace_client.launch import Start
from sliderace_client.local_server import HostError
from sliderace_client.net.connection import Client, Ending
from sliderace_client.net.http import Unreachable
from sliderace_client.net.locate import NotFound, find, join_command
from sliderace_client.net.seats import SeatFile, claim
from sliderace_client.race_records import save_record
from sliderace_client.shared_ui import wording
from sliderace_client.shared_ui.settings import drawn_name, nickname
from sliderace_client.tui.base_app import Shell
from sliderace_client.tui.blocking_calls import (
    Host,
    only_here,
    past_races,
    room_links,
)
from sliderace_client.tui.dialogs.choices import RulesDialog
from sliderace_client.tui.dialogs.dialog import CodeDialog
from sliderace_client.tui.repaint import gist
from sliderace_client.tui.screens.lobby import Lobby
from sliderace_client.tui.screens.menu import Menu
from sliderace_client.tui.screens.past_races import PastRaces
from sliderace_client.tui.screens.race import Race
from sliderace_client.tui.screens.results import ResultsPage
from sliderace_client.tui.screens.screen import Page, RoomPage
from sliderace_client.tui.screens.solo import SoloPage
from sliderace_client.tui.seat import Connect, Play

__all__ = ["Terminal"]

FRAME_S = 1 / 60
"""Changes are gathered for a frame."""
TICK_S = 0.1
"""Clocks show tenths; rivals are painted as often and no oftener."""
MENU_DEPTH = 2
"""Screens on the stack when only the menu is shown: the library's own, and the menu."""


class Terminal(Shell):
    """The full-screen client.

    Args:
        start: how to begin.
        connect: makes a seat from `on_change` and `on_note`; None: over the network.
    """

    _play: Play | None = None
    frame_due = False
    _gist: object = None

    def __init__(self, start: Start, connect: Connect | None = None) -> None:
        super().__init__(start.settings)
        self.begin = start
        self._connect = connect
        self._auto_readied = ""
        self._want_results: bool | None = None
        self._has_menu = start.kind == "menu"
        self.ending: Ending | None = None
        self.rooms = Host(self._say_from_thread)

    # --- Life -------------------------------------------------------------------------

    def on_mount(self) -> None:  # noqa: D102
        self.hear_signals()
        self.run_worker(self.read_picture(), group="picture")
        self.set_interval(TICK_S, self.repaint)
        start = self.begin
        match start.kind:
            case "join" | "watch" | "host":
                self.enter(start)
            case "solo":
                self.push_screen(SoloPage(start))
            case "menu":
                self.push_screen(Menu())

    def now(self) -> int:  # noqa: D102
        return self._play.now() if self._play else super().now()

    async def on_event(self, event: Event) -> None:
        """Handle an event; a key that slides a tile skips the queue of its page.

        On its way through the library it would take as long again as its slide.
        """
        page = self.screen_stack[-1] if self.screen_stack else None
        if (
            not isinstance(event, Key)
            or event.is_forwarded
            or not self.app_focus
            or not isinstance(page, Page)
        ):
            await super().on_event(event)
        elif not page.takes(event):
            page.expect_key()
            await super().on_event(event)
            page.call_later(page.had_key)

    # --- A seat -----------------------------------------------------------------------

    @property
    def playing(self) -> Play:
        """The seat in use.

        Raises:
            LookupError: there is none.
        """
        if self._play is None:
            raise LookupError("no room")
        return self._play

    def enter(self, start: Start) -> None:
        """Enter the room of `start`, and show it."""
        self.begin = start
        self._want_results = None
        self.run_worker(self._live(start), group="seat", exclusive=True)

    async def _live(self, start: Start) -> None:
        """Be in the room; then back to the menu, or out."""
        seat = None
        if self._connect is None and start.role == "player":
            seat = await asyncio.to_thread(
                claim, start.code, start.name, any_name=not start.named
            )
        play = self._sit(start, seat)
        self._play = play
        if only_here(start.server) and not start.links:
            self.run_worker(self._ask_links(start), group="links")
        await self.push_screen(Lobby())
        try:
            ending = await play.run()
        finally:
            if seat is not None:
                seat.release()
        self._play = None
        self.ending = ending
        if self._has_menu:
            self.say(wording.ending(ending.why))
            self.back()
        else:
            self.exit(return_code=exit_codes.OK)

    async def _ask_links(self, start: Start) -> None:
        """We came by an address of this machine only: others need another one."""
        links = await asyncio.to_thread(room_links, start.server, start.code)
        if self.begin is start:
            self.begin = replace(start, links=links)
            self.changed()

    def _sit(self, start: Start, seat: SeatFile | None) -> Play:
        if self._connect is not None:
            return self._connect(self.changed, self._noted)
        return Client(
            start.server,
            Join(code=start.code, name=start.name, role=start.role),
            seat=seat,
            on_change=self.changed,
            on_note=self._noted,
        )

    def back(self) -> None:
        """To the menu; or out, where there was none."""
        if not self._has_menu:
            self.exit(return_code=exit_codes.OK)
            return
        while len(self.screen_stack) > MENU_DEPTH:
            self.pop_screen()

    def leave_room(self) -> None:
        """Give up the seat and end."""
        if not self.playing.ask(Leave()):
            self.exit(return_code=exit_codes.OK)

    def ask(self, command: Command) -> None:
        """Send a command to the server; say so if that is not possible now."""
        if not self.playing.ask(command):
            self.say("There is no connection at the moment.", "bad")

    @property
    def in_room(self) -> bool:
        """Whether we have a place in a room, which is kept when the program ends."""
        return self._play is not None and not self._play.view.ended

    @property
    def ends_the_room(self) -> bool:
        """Whether the room's server is ours and ends with us."""
        return self.begin.kind == "host" and not self.begin.back

    def link(self) -> str:
        """The best link to this room."""
        if self.begin.links:
            return self.begin.links[0]
        return f"{self.begin.server}/{self.begin.code}" if self.begin.server else ""

    # --- What is shown ----------------------------------------------------------------

    def changed(self) -> None:
        """Something changed: show it within a frame, or with the next tick.

        What is ours is painted when it is done; rivals' progress can wait for the tick,
        so that a busy race costs no more than a running clock.
        """
        if self.is_running and not self.frame_due and self.urgent():
            self.frame_due = True
            self.set_timer(FRAME_S, self._frame)

    def urgent(self) -> bool:
        """Whether more than progress has changed since this was asked last."""
        told = (self._news, None if self._play is None else gist(self._play.view))
        before, self._gist = self._gist, told
        return told != before

    def _frame(self) -> None:
        self.frame_due = False
        self.repaint()

    def repaint(self) -> None:
        """Show the right page, as it is now."""
        if self._play is not None:
            self._get_ready(self._play)
            self._turn_to(self._wanted(self._play))
        for page in self.screen_stack[-1:]:
            if isinstance(page, Page):
                page.renew()

    def _get_ready(self, play: Play) -> None:
        """Say that we are ready, once for each race, where the user always is."""
        model, me = play.view, play.view.myself
        waits = model.phase == "lobby" and me is not None and not me.benched
        wanted = self.settings.auto_ready == "on" and model.is_player
        if wanted and waits and self._auto_readied != model.race and model.online:
            self._auto_readied = model.race
            if not model.ready:
                play.ask(Ready(model.race))

    def _turn_to(self, wanted: type[RoomPage]) -> None:
        """Show this page of the room; windows over another one are closed."""
        stack = self.screen_stack
        page = next((each for each in stack if isinstance(each, RoomPage)), None)
        if page is None or type(page) is wanted:
            return
        while self.screen is not page:
            self.pop_screen()
        self.switch_screen(wanted())  # pyright: ignore[reportUnknownMemberType] - theirs

    def _wanted(self, play: Play) -> type[RoomPage]:
        match play.view.phase:
            case "countdown" | "racing" | "grace":
                self._want_results = None
                return Race
            case "results" | "aborted":
                return Lobby if self._want_results is False else ResultsPage
            case _:
                return ResultsPage if self._want_results else Lobby

    def show_results(self) -> None:
        """Show the last results."""
        self._want_results = True
        self.repaint()

    def show_lobby(self) -> None:
        """Show the lobby."""
        self._want_results = False
        self.repaint()

    # --- Windows ----------------------------------------------------------------------

    def show_code(self) -> None:
        """Show code, links and QR."""
        room = self.playing.view.room
        if room is not None:
            links = self.begin.links or ((self.link(),) if self.link() else ())
            self.push_screen(CodeDialog(self.look, room.code, links))

    def edit_rules(self) -> None:
        """Let the host change the rules."""
        room = self.playing.view.room
        if room is not None:
            self.push_screen(RulesDialog(self.look, room.rules, room.public, self.ask))

    @property
    def nickname(self) -> str:
        """What the user goes by."""
        drawn = drawn_name(secrets.SystemRandom().random())
        return self.begin.name or nickname(self.settings) or drawn

    # --- From the menu ----------------------------------------------------------------

    def solo(self, start: Start) -> None:
        """Play alone."""
        self.say("")  # what was wrong in the form is right now
        self.push_screen(SoloPage(start))

    def warm_up(self, size: str) -> None:
        """Play alone while the others come; the race takes the screen back."""
        self.push_screen(SoloPage(Start("solo", size=size), warm=True))

    def show_picture(self, name: str) -> None:
        """Show a picture on the tiles, built in or of a file; or none."""
        self.run_worker(self._show_picture(name), group="picture", exclusive=True)

    async def _show_picture(self, name: str) -> None:
        refusal = await asyncio.to_thread(self.get_picture, name)
        if refusal:
            self.say(refusal, "bad")
            return
        self.use_settings(replace(self.settings, picture=name))
        self.back()

    def past(self) -> None:
        """Show past races."""
        page = PastRaces()
        self.push_screen(page)
        self.run_worker(self._past(page), group="record")

    async def _past(self, page: PastRaces) -> None:
        page.tell(await asyncio.to_thread(past_races))

    def join(self, text: str, name: str, role: Literal["player", "spectator"]) -> None:
        """Find the room that `text` names, and enter it."""
        self.run_worker(self._join(text, name, role), group="door", exclusive=True)

    async def _join(self, text: str, name: str, role: RoleName) -> None:
        self.say(f"Looking for {text} ...")
        try:
            place = await find(text, first=self.settings.server)
        except NotFound as error:
            self.say(str(error), "bad")
            return
        kind: Literal["watch", "join"] = "watch" if role == "spectator" else "join"
        link = f"{place.server}/{place.code}"
        back = join_command(link, name) if role == "player" else ""
        self.enter(Start(kind, place.server, place.code, name, role, back=back))

    def host(self, name: str, size: str) -> None:
        """Open a room on this machine, and enter it."""
        self.run_worker(self._host(name, size), group="door", exclusive=True)

    async def _host(self, name: str, size: str) -> None:
        self.say("Opening a room ...")
        try:
            start = await asyncio.to_thread(self.rooms.open, name, size, self.settings)
        except HostError as error:
            self.say(str(error), "bad")
        else:
            self.enter(start)

    def _say_from_thread(self, text: str) -> None:
        if self.is_running:
            self.call_from_thread(self.say, text)

    def save_record(self) -> None:
        """Store the race record in the current folder and say where."""
        results = self.playing.view.results
        if results is not None:
            saving = self._save(self.begin.server, results.race, results.record)
            self.run_worker(saving, group="record")

    async def _save(self, server: str, race: str, path: str) -> None:
        try:
            target = await asyncio.to_thread(save_record, server, race, path)
        except Unreachable as error:
            self.say(str(error), "bad")
        except OSError as error:
            self.say(f"Cannot write the record: {error.strerror}", "bad")
        else:
            self.say(f"Saved: {target}")
