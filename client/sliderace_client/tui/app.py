"""The full-screen program: it chooses the screen to show and when to paint it.

Which screen is shown follows from the phase of the room: the lobby, the race or the
results. Between two races the user can switch between lobby and results; a countdown
ends that, and closes every dialog and the warm-up.

When something changes, the screen is painted at one of three moments:

- **at once**: own slides, by the screen itself (see `TerminalDiff`);
- **within a frame** (`FRAME_S`): everything that people wait for, such as a new member,
  a phase or a result;
- **with the next tick** (`TICK_S`): clocks, and the progress of rivals. A busy race
  therefore paints no more often than a running clock.
"""

import asyncio
import secrets
import signal
import sys
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

from rich.traceback import Traceback
from textual.app import App
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.events import Event, Key
from textual.filter import Monochrome, NoColor
from textual.screen import Screen

from sliderace.proof.record import WrittenRace
from sliderace.protocol.messages import (
    Command,
    Forfeit,
    Gains,
    Leave,
    Ready,
    Rematch,
    Rename,
    Results,
    RoomKind,
)
from sliderace.race.daily import DailyEvent
from sliderace.solve import Feel
from sliderace.texts import text
from sliderace_client import exit_codes
from sliderace_client.daily_status import daily_status
from sliderace_client.launch import Start, StartKind
from sliderace_client.local_server import HostError, WaitingRoom
from sliderace_client.net.connection import Client, Ending
from sliderace_client.net.http import Unreachable
from sliderace_client.net.locate import NotFound, join_command
from sliderace_client.net.seats import SeatFile, claim
from sliderace_client.own_profile import (
    ProfileError,
    better_curve,
    keep as keep_profile,
    own_secret,
)
from sliderace_client.platform import WINDOWS, handle_signals, lead_nowhere
from sliderace_client.room.outcomes import End, Reaction
from sliderace_client.room.outputs import Level, Note
from sliderace_client.room.view import RoomView
from sliderace_client.shared_ui import wording
from sliderace_client.shared_ui.keymap import direction_of
from sliderace_client.shared_ui.photo import BadPicture
from sliderace_client.shared_ui.pictures import Picture
from sliderace_client.shared_ui.recent_times import usual_ms
from sliderace_client.shared_ui.render import Look
from sliderace_client.shared_ui.settings import Settings, keep, nickname, random_name
from sliderace_client.tui.actions import HeldKey
from sliderace_client.tui.blocking_calls import (
    only_here,
    room_links,
    usual_server,
)
from sliderace_client.tui.dialogs.ask_feel import FeelDialog
from sliderace_client.tui.dialogs.choices import (
    RulesDialog,
    SettingsDialog,
)
from sliderace_client.tui.dialogs.choose_reaction import ReactionsDialog
from sliderace_client.tui.dialogs.code_dialog import CodeDialog
from sliderace_client.tui.dialogs.dialog import TextDialog
from sliderace_client.tui.dialogs.help import HelpDialog, HelpTopic
from sliderace_client.tui.entrance import Entrance
from sliderace_client.tui.live_lobby import LiveLobby
from sliderace_client.tui.pace import Pace
from sliderace_client.tui.profile_requests import ProfileRequests
from sliderace_client.tui.recorded_races import RecordedRaces
from sliderace_client.tui.screens.daily_boards import DailyScreen
from sliderace_client.tui.screens.forms import KeysForm, NameForm, ServerForm
from sliderace_client.tui.screens.leaderboards_screen import LeaderboardsScreen
from sliderace_client.tui.screens.lobby import LobbyScreen
from sliderace_client.tui.screens.menu import MenuScreen
from sliderace_client.tui.screens.past_races import PastRacesScreen
from sliderace_client.tui.screens.profile_screen import (
    KeyDialog,
    ProfileScreen,
    TicketDialog,
)
from sliderace_client.tui.screens.race import RaceScreen
from sliderace_client.tui.screens.replay import ReplayScreen
from sliderace_client.tui.screens.results import ResultsScreen
from sliderace_client.tui.screens.room_screen import RoomClient, RoomScreen
from sliderace_client.tui.screens.screen import SLIP_MS, BaseScreen, name_of
from sliderace_client.tui.screens.solo import SoloScreen
from sliderace_client.tui.screens.statistics_screen import StatisticsScreen
from sliderace_client.tui.terminal_io.diff import TerminalDiff
from sliderace_client.tui.terminal_io.sequences import SPLIT_MS
from sliderace_client.tui.theme import LOOKS, Appearance, textual_theme

if TYPE_CHECKING:
    from textual.worker import Worker

__all__ = ["SlideraceApp", "driver_class", "run"]

FRAME_S = 1 / 60
"""Changes of one frame are painted together."""
TICK_S = 0.1
"""Clocks show tenths of a second."""
ESCAPE_MS = 250
"""Hardly noticed when a dialog closes, and enough for most slow connections. During
play, Escape only answers "no" to a question, so it can wait longer."""
DAY_S = 86_400
NEWS_MS = 6_000
HINT_MS = 1_500
KINDS: dict[StartKind, RoomKind] = {
    "race": "quick",
    "ranked": "solo",
    "daily": "daily",
}
"""How we begin -> the kind of room that the server chooses."""
MENU_DEPTH = 2
"""Screens on the stack when only the menu is shown: the library's own, and the menu."""


Work = Callable[[], Coroutine[None, None, None]]


class News(NamedTuple):
    """A line of news.

    Attributes:
        content: one sentence; empty: no news.
        level: whether it is good, bad or neutral.
        until: when it disappears, in monotonic ms.
        is_hint: it may be replaced by another hint.
    """

    content: str = ""
    level: Level = "info"
    until: int = 0
    is_hint: bool = False


def driver_class(platform: str = sys.platform) -> type[Driver] | None:
    """Return our own driver; None on Windows, where the library's is used."""
    if platform == WINDOWS:
        return None
    from sliderace_client.tui.terminal_io.driver import TerminalDriver  # noqa: PLC0415 - POSIX

    return TerminalDriver


def run(start: Start) -> int:
    """Run the full-screen client; return the exit code of the process."""
    app = SlideraceApp(start)
    try:
        app.run()
    finally:
        app.entrance.close()
    try:
        app.store_settings_now()
    except OSError as error:
        _print(text("tui.settings.not_saved", why=error.strerror))
    code = app.return_code or exit_codes.OK
    if app.way_back:
        _print(text("room.seat_kept", command=app.way_back))
    if app.ending is None or code != exit_codes.OK or start.kind == "menu":
        return code
    _print(wording.ending(app.ending.why))
    return app.ending.exit_code


def _print(sentence: str) -> None:
    """Print a sentence after the screen has been restored, if that is possible."""
    try:
        print(sentence, file=sys.stderr)  # noqa: T201
    except OSError:
        lead_nowhere(sys.stderr)


class SlideraceApp(App[int]):
    """The full-screen client.

    Args:
        start: how to begin.
        client: the connection to the room; None: one over the network is made.

    Attributes:
        begin: how the current room was entered.
        settings: the current ones.
        terminal_diff: paints changed rows at once, where the driver can.
        held_key: which key is held down.
        escape_ms: after how many ms ESC alone is the Escape key; the driver's thread
            reads it.
        frame_due: the screen will be painted within a frame.
        ending: why our stay in the last room ended.
        entrance: leads into rooms.
        pace: our best attempt at the size of the room.
        always_ready: in this room, get ready for each race as soon as it is prepared.
    """

    ENABLE_COMMAND_PALETTE = False
    TITLE = "sliderace"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", show=False, priority=True),
        Binding("ctrl+z", "suspend_process", show=False, priority=True),
    ]
    CSS = """
    BaseScreen { background: $background; color: $foreground; }
    """

    def __init__(self, start: Start, client: RoomClient | None = None) -> None:
        self._appearance = Appearance(start.settings)
        mono = self._appearance.monochrome
        super().__init__(driver_class=driver_class(), ansi_color=mono or None)
        # The library reads NO_COLOR itself, ignores our setting, and shows greys.
        filters = [one for one in self._filters if not isinstance(one, GREY_FILTERS)]
        self._filters = [*filters, NoColor()] if mono else filters
        for name, look in LOOKS.items():
            self.register_theme(textual_theme(name, look))
        self.settings = start.settings
        self._choose_look()
        self.terminal_diff = TerminalDiff()
        self.held_key = HeldKey()
        self.escape_ms = ESCAPE_MS
        self.frame_due = False
        self.begin = start
        self.ending: Ending | None = None
        self.entrance = Entrance(self, self._run, self._ask_to_return)
        self._recorded = RecordedRaces(
            partial(self._run, group="record"), self.say, self.on_change
        )
        self.profile_requests = ProfileRequests(
            partial(self._run, group="profile"),
            self.say,
            self._server_in_use,
            lambda ticket, server: self.open_screen(
                TicketDialog(self.look, ticket, server)
            ),
            lambda secret: self.open_screen(KeyDialog(self.look, secret)),
        )
        self._has_menu = start.kind == "menu"
        self._given_client = client
        self._client: RoomClient | None = None
        self._auto_readied = ""
        self.always_ready = False
        self.pace = Pace(self._run, self._better_curve)
        self.lobby = LiveLobby(
            self._run, lambda: self.settings.server, self.now, self.on_change
        )
        self._skipped = ""
        self._next: Start | None = None
        self._wants_results: bool | None = None
        self._shown_state: object = None
        self._news = News()
        self._stored_settings, self._storing = start.settings, False
        self._quiet_until, self._by_number = 0, False

    # --- Start and end ----------------------------------------------------------------

    def on_mount(self) -> None:  # noqa: D102
        handle_signals(self._on_signal, asyncio.get_running_loop())
        self._run(self._load_picture, "picture")
        self.set_interval(TICK_S, self.repaint)
        start = self.begin
        match start.kind:
            case "solo":
                self.open_screen(SoloScreen(self, start))
            case "menu":
                self.open_screen(MenuScreen(self))
                self.entrance.look_for_rooms()
                self.lobby.follow()
            case _:
                self.enter_room(start)

    def _run(self, work: Work, group: str, *, exclusive: bool = False) -> None:
        """Run something beside the screen.

        A function is passed on, not its coroutine: at the end of the program, that
        might never be awaited.
        """
        _: Worker[None] = self.run_worker(work, group=group, exclusive=exclusive)

    def terminal_lost(self) -> None:
        """End as on SIGHUP, which a lost terminal may not send."""
        self._on_signal(signal.Signals.SIGHUP)

    def _on_signal(self, number: signal.Signals) -> None:
        self.exit(return_code=128 + number)

    def _fatal_error(self) -> None:
        """Report an internal error without the values of variables.

        The library would show them, and with them the tokens of seats and the secret
        of the profile.
        """
        self.bell()
        self.panic(Traceback(show_locals=False, width=None))

    def action_interrupt(self) -> None:
        """End at once (Ctrl-C); a seat is kept for a while."""
        self.exit(return_code=exit_codes.INTERRUPTED)

    def quit(self) -> None:
        """End the program."""
        self.exit(return_code=exit_codes.OK)

    def now(self) -> int:
        """Return monotonic ms."""
        return self._client.now() if self._client else time.monotonic_ns() // 1_000_000

    async def on_event(self, event: Event) -> None:
        """Handle an event. A key of the board skips the library's queue."""
        screen = self.screen_stack[-1] if self.screen_stack else None
        if (
            not isinstance(event, Key)
            or event.is_forwarded
            or not self.app_focus
            or not isinstance(screen, BaseScreen)
        ):
            await super().on_event(event)
        elif not screen.take_key(event) and not self._is_slip(event, screen):
            screen.key_queued()
            await super().on_event(event)
            screen.call_later(screen.key_handled)

    def played(self, quiet_ms: int, *, by_number: bool) -> None:
        """Note a slide: for some time, keys of the board have no other meaning."""
        self._quiet_until, self._by_number = self.now() + quiet_ms, by_number

    def _is_slip(self, event: Key, screen: BaseScreen) -> bool:
        """Return whether a key was meant for a board that takes no more slides."""
        if screen.plays or self.now() >= self._quiet_until:
            return False
        key, settings = name_of(event), self.settings
        if key in ("enter", "space", " ") or key.isdecimal():
            return self._by_number
        return direction_of(key, settings.keys, settings.own_keys) is not None

    # --- Screens ----------------------------------------------------------------------

    def open_screen(self, screen: Screen[None]) -> None:
        """Show a screen or a dialog over the current one."""
        self.push_screen(screen)  # pyright: ignore[reportUnknownMemberType] - theirs

    def close_screen(self, screen: Screen[None]) -> None:
        """Close a screen, unless it is closed already or another one is on top."""
        if self.screen is screen:
            self.pop_screen()

    def back(self) -> None:
        """Go back to the menu, or end if the program started without it."""
        if not self._has_menu:
            self.quit()
            return
        while len(self.screen_stack) > MENU_DEPTH:
            self.pop_screen()
        self.entrance.look_for_rooms()
        if not self.in_room:
            self.lobby.follow()

    def show_help(self, topic: HelpTopic) -> None:
        """Show the keys of a screen."""
        self.open_screen(HelpDialog(self.look, topic, self.settings))

    def show_code(self) -> None:
        """Show the code, the links and a QR code."""
        room = self.client.view.room
        if room is not None:
            links = self.begin.links or ((self.join_link,) if self.join_link else ())
            self.open_screen(CodeDialog(self.look, room.code, links))

    def edit_rules(self) -> None:
        """Let the host change the rules."""
        room = self.client.view.room
        if room is not None:
            self.open_screen(RulesDialog(self.look, room.rules, room.public, self.send))

    def show_results(self) -> None:
        """Show the results of the last race instead of the lobby."""
        self._wants_results = True
        self.repaint()

    def show_lobby(self) -> None:
        """Show the lobby instead of the results."""
        self._wants_results = False
        self.repaint()

    def play_solo(self, start: Start) -> None:
        """Play alone."""
        self._news = News()  # the form's message no longer applies
        self.open_screen(SoloScreen(self, start))

    def warm_up(self, size: str) -> None:
        """Play alone until the race begins."""
        until = partial(_until_race, self.client)
        self.open_screen(SoloScreen(self, Start("solo", size=size), warm_up=until))

    def next_board(self) -> None:
        """Deal the next board in a room of our own; one that we play is given up."""
        view = self.client.view
        if view.racing:
            self._skipped = view.race
            self.send(Forfeit(view.race))
        elif view.phase in ("results", "aborted"):
            self.send(Rematch(view.race))

    def change_size(self, size: str) -> None:
        """Go on with boards of another size, in another room of our own."""
        self._next = replace(self.begin, size=size, code="", back="")
        self.client.ask(Leave())

    def show_past_races(self) -> None:
        """List past races."""
        screen = PastRacesScreen(self)
        self.open_screen(screen)
        self._recorded.list_in(screen)

    def show_profile(self) -> None:
        """Show our profile on the server in use."""
        screen = ProfileScreen(self)
        self.open_screen(screen)
        self.profile_requests.show_in(screen)

    def show_statistics(self, event: str) -> None:
        """Show what we have done in an event."""
        today = int(time.time()) // DAY_S
        screen = StatisticsScreen(self, self.profile_requests.server, event, today)
        self.open_screen(screen)
        self.profile_requests.show_history(screen, event)

    def show_leaderboards(self, event: str = "") -> None:
        """Show the leaderboards of the server, those of an event first."""
        screen = LeaderboardsScreen(self, event or self.settings.size)
        self.open_screen(screen)
        self.load_leaderboard(screen)

    def load_leaderboard(self, screen: LeaderboardsScreen) -> None:
        """Fetch the leaderboard of a screen's query, and show it there."""
        self.profile_requests.show_leaderboard(screen)

    async def _better_curve(self, size: str, than: int | None) -> list[int] | None:
        """Return the curve of an attempt of our profile that is better than a time."""
        return await better_curve(self.begin.server, size, than)

    def _server_in_use(self) -> str:
        """Return where we are, or else the server of the settings or the last one."""
        return self.begin.server or usual_server(self.settings.server)

    def verify_race(
        self, server: str, race: str, fail: Callable[[str], object]
    ) -> None:
        """Check the record of a past race, and show the findings."""
        self._recorded.verify(server, race, self._show_findings, fail)

    def _show_findings(self, lines: Sequence[str]) -> None:
        self.open_screen(TextDialog(self.look, lines))

    def watch_race(self, server: str, race: str, fail: Callable[[str], object]) -> None:
        """Replay a past race.

        Args:
            server: where its record is; empty: in the file of this machine's server.
            race: its id.
            fail: called with a sentence if that is not possible.
        """
        self._recorded.watch(server, race, self._replay, fail)

    def keep_time(self) -> None:
        """Create a profile, and keep the time of the last race in it."""
        self._run(partial(self._keep_time, self.client), "keep", exclusive=True)

    async def _keep_time(self, client: RoomClient) -> None:
        try:
            profile, secret = await keep_profile(self.begin.server, self.nickname)
        except ProfileError as error:
            self.say(str(error), "bad")
        else:
            client.use_profile(secret)
            self.say(text("profile.kept", name=profile.name), "good")

    def watch_again(self) -> None:
        """Replay the last race."""
        results = self.client.view.results
        record = self.race_record(results) if results else "missing"
        if isinstance(record, WrittenRace):
            self._replay(record, self.client.view.seat)

    def _replay(self, record: WrittenRace, mine: int | None = None) -> None:
        self.open_screen(ReplayScreen(self, record, mine))

    def race_record(
        self, results: Results
    ) -> WrittenRace | Literal["awaited", "missing"]:
        """Return the record of the race of these results, if it is loaded."""
        return self._recorded.record(self.client, results)

    # --- Painting ---------------------------------------------------------------------

    def on_change(self) -> None:
        """Paint what changed: within a frame if people wait for it."""
        if self.is_running and not self.frame_due and self._is_urgent():
            self.frame_due = True
            self.set_timer(FRAME_S, self._paint_frame)

    def _is_urgent(self) -> bool:
        """Return whether more than progress has changed since the last call."""
        state = (
            self._news,
            None if self._client is None else _state(self.client.view),
        )
        before, self._shown_state = self._shown_state, state
        return state != before

    def _paint_frame(self) -> None:
        self.frame_due = False
        self.repaint()

    def repaint(self) -> None:
        """Show the right screen, as it is now."""
        if self._client is not None:
            self._get_ready(self._client)
            self._note_room(self._client.view)
            self.pace.follow(self._client.view)
            self._switch_to(self._room_screen(self._client.view))
        for screen in self.screen_stack[-1:]:
            waits = False
            if isinstance(screen, BaseScreen):
                screen.refresh_content()
                waits = screen.plays and not screen.asks
            self.escape_ms = SPLIT_MS if waits else ESCAPE_MS

    def paint_all(self) -> None:
        """Repaint the whole screen, because the terminal has missed some frames."""
        self.screen.refresh()

    def _switch_to(self, wanted: type[RoomScreen]) -> None:
        """Show this screen of the room; close dialogs over another one."""
        stack = self.screen_stack
        shown = next((each for each in stack if isinstance(each, RoomScreen)), None)
        if shown is None:
            return
        if self._warms_up and not (self.client.view.in_race and self._takes_part):
            return
        while self.screen is not shown and (
            self._warms_up or type(shown) is not wanted
        ):
            self.pop_screen()
        if type(shown) is wanted:
            return
        if isinstance(shown, RaceScreen) and self._quiet_until:
            # Somebody who is sliding may still press a key when the results appear.
            self.played(SLIP_MS, by_number=self._by_number)
        self.switch_screen(wanted(self))  # pyright: ignore[reportUnknownMemberType] - theirs

    @property
    def _warms_up(self) -> bool:
        """Whether a board of the warm-up is shown."""
        return any(isinstance(one, SoloScreen) for one in self.screen_stack)

    @property
    def _takes_part(self) -> bool:
        """Whether the race that begins or runs is ours, too."""
        view = self.client.view
        return not view.lanes or view.lane is not None

    def _note_room(self, view: RoomView) -> None:
        """Note the room that the server has chosen, and go on in a room of our own."""
        begin = self.begin
        if not begin.code and view.room is not None:
            self.begin = replace(begin, code=view.room.code)
            if begin.kind == "race" and only_here(begin.server):
                self._run(partial(self._load_links, self.begin), "links")
        if view.phase == "results" and view.race == self._skipped:
            self._skipped = ""
            self.send(Rematch(view.race))

    def _room_screen(self, view: RoomView) -> type[RoomScreen]:
        room = view.room
        kind = room.kind if room else KINDS.get(self.begin.kind, "room")
        if kind != "room" and view.phase == "lobby" and not view.results:
            return LobbyScreen if self._wants_results is False else RaceScreen
        match view.phase:
            case "countdown" | "racing" | "grace":
                self._wants_results = None
                return RaceScreen
            case "results" | "aborted" if view.finish_stands(self.now()):
                return RaceScreen
            case "results" | "aborted":
                return LobbyScreen if self._wants_results is False else ResultsScreen
            case _ if (
                self._wants_results is None
            ):  # a rematch of others does not end it
                reads = any(isinstance(one, ResultsScreen) for one in self.screen_stack)
                return ResultsScreen if reads and view.results else LobbyScreen
            case _:
                return ResultsScreen if self._wants_results else LobbyScreen

    # --- News -------------------------------------------------------------------------

    def say(self, content: str, level: Level = "info") -> None:
        """Show a line of news for a while."""
        self._news = News(content, level, self.now() + NEWS_MS)
        self.on_change()

    def hint(self, content: str) -> None:
        """Show a hint for a moment, unless there is news."""
        if not self.news()[0] or self._news.is_hint:
            self._news = News(content, "info", self.now() + HINT_MS, is_hint=True)
            self.repaint()

    def news(self) -> tuple[str, Level]:
        """Return the current line of news and its level; empty: there is none."""
        news = self._news if self.now() <= self._news.until else News()
        return news.content, news.level

    def on_note(self, note: Note) -> None:
        """Show what happened in the room.

        Reactions are shown beside the name, if it is on the screen; what a race
        changed in our profile stands on the results.
        """
        if isinstance(note.news, Gains) and isinstance(self.screen, ResultsScreen):
            self.on_change()
            return
        if isinstance(note.news, Reaction):
            view, member = self.client.view, note.news.member
            beside = self._room_screen(view) is LobbyScreen or any(
                lane.member == member for lane in view.lanes.values()
            )
            if beside or self.settings.reactions == "off":
                self.on_change()
                return
        self.say(wording.news(note.news), note.level)

    def say_from_thread(self, content: str) -> None:
        """Show a line of news; called from another thread."""
        if self.is_running:
            self.call_from_thread(self.say, content)

    # --- The room ---------------------------------------------------------------------

    @property
    def in_room(self) -> bool:
        """Whether there is a connection to a room."""
        return self._client is not None

    @property
    def client(self) -> RoomClient:
        """The connection to the room.

        Raises:
            LookupError: we are in no room.
        """
        if self._client is None:
            raise LookupError("no room")
        return self._client

    @property
    def way_back(self) -> str:
        """The command that takes up our seat again; empty: we have none."""
        if self._client is None:
            return ""
        view = self._client.view
        if view.ended is not None or (view.is_alone and view.results):
            return ""
        code = view.code
        return self.begin.way_back(others=self._has_others, code=code)

    @property
    def _has_others(self) -> bool:
        """Whether other members are in our room."""
        return self._client is not None and len(self._client.view.members) > 1

    @property
    def ends_the_room(self) -> bool:
        """Whether the room's server is ours and ends with us."""
        return self.begin.ends

    @property
    def join_link(self) -> str:
        """The best link to the room; empty: there is none."""
        if self.begin.links:
            return self.begin.links[0]
        return f"{self.begin.server}/{self.begin.code}" if self.begin.server else ""

    @property
    def nickname(self) -> str:
        """The user's nickname; a random one if there is none."""
        if self._client is not None and (myself := self._client.view.myself):
            return myself.name
        drawn = random_name(secrets.SystemRandom().random())
        return self.begin.name or nickname(self.settings) or drawn

    def choose_reaction(self) -> None:
        """Let the user send a reaction, or hide all."""
        shown = self.settings.reactions == "on"
        show = self._show_reactions
        self.open_screen(ReactionsDialog(self.look, self.send, show, shown=shown))

    def _show_reactions(self, shown: bool) -> None:
        self.use_settings(replace(self.settings, reactions="on" if shown else "off"))
        self.say(text(f"tui.reactions.{'shown' if shown else 'hidden'}"))

    def edit_name(self) -> None:
        """Let the user change the nickname."""
        self.open_screen(NameForm(self))

    def race_now(self, size: str) -> None:
        """Race at once; ask for the nickname and the speed, each only once.

        Args:
            size: of the board.
        """
        race = partial(self.race_now, size)
        if not self.settings.name:
            self.open_screen(NameForm(self, race))
            return
        self._run(partial(self._race_now, size), "find", exclusive=True)

    async def _race_now(self, size: str) -> None:
        pace_ms = await asyncio.to_thread(usual_ms, size, self.settings)
        if pace_ms is None:
            answered = partial(self._remember_feel, size)
            self.open_screen(FeelDialog(self.look, answered))
            return
        self.use_settings(replace(self.settings, size=size))
        self.entrance.play("race", self.nickname, size, pace_ms)

    def _remember_feel(self, size: str, feel: Feel) -> None:
        self.use_settings(replace(self.settings, feel=feel))
        self.race_now(size)

    def enter_listed(self, code: str) -> None:
        """Enter a room of the list of live rooms.

        Args:
            code: six letters.
        """
        if not self.settings.name:
            self.open_screen(NameForm(self, partial(self.enter_listed, code)))
            return
        server, name = self.lobby.server, self.nickname
        back = join_command(f"{server}/{code}", name)
        self.enter_room(Start("join", server, code, name, back=back))

    def show_daily(self) -> None:
        """Show how the daily boards stand, and the way to them."""
        if not self.settings.name:
            self.open_screen(NameForm(self, self.show_daily))
            return
        screen = DailyScreen(self)
        self.open_screen(screen)
        self._run(partial(self._ask_daily, screen), "find", exclusive=True)

    async def _ask_daily(self, screen: DailyScreen) -> None:
        try:
            server = await asyncio.to_thread(self.entrance.find_server, "daily")
            screen.show_status(await daily_status(server))
        except (HostError, NotFound, Unreachable) as error:
            screen.fail(str(error))

    def play_daily(self, event: DailyEvent, *, create: bool) -> None:
        """Race on a daily board; with `create`, create a profile first."""
        self._run(partial(self._play_daily, event, create), "find", exclusive=True)

    async def _play_daily(self, event: DailyEvent, create: bool) -> None:
        try:
            server = await asyncio.to_thread(self.entrance.find_server, "daily")
            if create:
                await keep_profile(server, self.nickname)
        except (HostError, NotFound, Unreachable, ProfileError) as error:
            self.say(str(error), "bad")
            return
        self.entrance.play("daily", self.nickname, event)

    def play_ranked(self, size: str) -> None:
        """Play alone on the server in use, where the times count."""
        self.entrance.play("ranked", self.nickname, size)

    def rename(self, name: str) -> None:
        """Change the nickname in the room where we are, if we are in one."""
        if self._client is not None and name != self.nickname:
            self.send(Rename(name))

    def enter_room(self, start: Start) -> None:
        """Enter a room, and show it."""
        self.begin = start
        self.lobby.stop()
        self._wants_results = None
        self.always_ready = False
        self._run(partial(self._stay_in_room, start), "room", exclusive=True)

    async def _stay_in_room(self, start: Start) -> None:
        """Stay in the room; then go back to the menu, or end."""
        seat = None
        if self._given_client is None and start.role == "player" and start.code:
            seat = await asyncio.to_thread(
                claim, start.code, start.name, any_name=not start.named
            )
        client = self._given_client
        if client is None:
            profile = await asyncio.to_thread(own_secret, start.server)
            client = self._connect(start, seat, profile)
        self._client = client
        if start.code and only_here(start.server) and not start.links:
            self._run(partial(self._load_links, start), "links")
        await self.push_screen(self._room_screen(client.view)(self))  # pyright: ignore[reportUnknownMemberType] - theirs
        try:
            ending = await client.run()
        finally:
            if seat is not None:
                await asyncio.to_thread(seat.release)
        self._client = None
        self.ending, begin, self._next = ending, self._next, None
        if begin is not None and ending.why is End.LEFT:
            while not isinstance(self.screen, RoomScreen):
                self.pop_screen()
            self.pop_screen()
            self.enter_room(begin)
        elif self._has_menu:
            self.say(wording.ending(ending.why))
            self.back()
        else:
            self.quit()

    def _connect(
        self, start: Start, seat: SeatFile | None, profile: str | None
    ) -> RoomClient:
        return Client(
            start.server,
            start.enter,
            seat=seat,
            profile=profile,
            claim=claim,
            on_change=self.on_change,
            on_note=self.on_note,
        )

    async def _load_links(self, start: Start) -> None:
        """Ask the server for links: ours leads to it from this machine only."""
        links = await asyncio.to_thread(room_links, start.server, start.code)
        if self.begin is start:
            self.begin = replace(start, links=links)
            self.on_change()

    def _get_ready(self, client: RoomClient) -> None:
        """Get ready, once for each race, if the user wants it in this room."""
        view = client.view
        wanted = self.always_ready and view.may_race and view.phase == "lobby"
        if wanted and self._auto_readied != view.race and view.online:
            self._auto_readied = view.race
            if not view.ready:
                client.ask(Ready(view.race))

    def send(self, command: Command) -> None:
        """Send a command to the server; say so if there is no connection."""
        if not self.client.ask(command):
            self.say(text("room.no_connection"), "bad")

    def leave_room(self) -> None:
        """Give up the seat and leave; without a connection, just leave.

        A host whose server ends gives up only the race, as the others wait in the room.
        """
        view = self.client.view
        ends = self.ends_the_room and self._has_others and not self._has_menu
        ends = ends and view.kind == "room"
        if ends and view.phase != "countdown":
            if view.racing:
                self.client.ask(Forfeit(view.race))
            self.quit()
        elif not self.client.ask(Leave()):
            if self._has_menu:
                self.workers.cancel_group(self, "room")  # pyright: ignore[reportUnknownMemberType] - theirs
                self._client = None
                self.say(wording.ending(End.LEFT))
            self.back()

    def _ask_to_return(self, room: WaitingRoom, enter: Callable[[str], object]) -> None:
        """Ask in the menu whether the host goes back to an old room."""
        self.back()
        if isinstance(self.screen, MenuScreen):
            self.screen.ask_to_return(room, enter)

    def save_race_record(self) -> None:
        """Store the race record in the current folder, and say where."""
        results = self.client.view.results
        if results is not None:
            self._recorded.save(self.begin.server, results)

    # --- Settings and pictures --------------------------------------------------------

    @property
    def look(self) -> Look:
        """The colours in use, and the picture."""
        return self._appearance.look

    def _choose_look(self) -> None:
        self.theme = self._appearance.update(self.settings, self.console.color_system)

    def use_settings(self, settings: Settings) -> None:
        """Apply new settings, and store them."""
        self.settings = settings
        self._choose_look()
        if not self._storing:
            self._storing = True
            self._run(self._store_settings, "settings")

    async def _store_settings(self) -> None:
        try:
            while self._stored_settings != self.settings:  # more keys may be pressed
                after = self.settings
                await asyncio.to_thread(keep, self._stored_settings, after)
                self._stored_settings = after
        except OSError as error:
            self.say(text("tui.settings.not_saved", why=error.strerror), "bad")
        finally:
            self._storing = False

    def store_settings_now(self) -> None:
        """Store settings that a key has changed just before the end.

        Raises:
            OSError: the file cannot be written.
        """
        if self._stored_settings != self.settings:
            keep(self._stored_settings, self.settings)

    def remember_name(self, name: str) -> None:
        """Use a nickname from now on, and store it for the next time."""
        self.begin = replace(self.begin, name=name)
        if name != self.settings.name:
            self.use_settings(replace(self.settings, name=name))

    def edit_settings(self) -> None:
        """Let the user change the settings."""
        dialog = SettingsDialog(
            self.look,
            self.settings,
            self.use_settings,
            self.edit_name,
            lambda: self.open_screen(KeysForm(self)),
            lambda: self.open_screen(ServerForm(self)),
        )
        self.open_screen(dialog)

    def picture(self, name: str) -> Picture | None:
        """Return a picture that is ready to be shown."""
        return self._appearance.picture(name)

    async def _load_picture(self) -> None:
        """Load the picture of the settings, if it is a file."""
        name = self.settings.picture
        if self._appearance.needs_loading(name):
            try:
                await asyncio.to_thread(self._appearance.load, name)
            except BadPicture as error:
                self.say(str(error), "bad")
            self._choose_look()
            self.repaint()

    def choose_picture(self, name: str) -> None:
        """Show a picture on the tiles: a built-in one, a file, or none."""
        self._run(partial(self._load_and_use, name), "picture", exclusive=True)

    async def _load_and_use(self, name: str) -> None:
        try:
            await asyncio.to_thread(self._appearance.load, name)
        except BadPicture as error:
            self.say(str(error), "bad")
            return
        self.use_settings(replace(self.settings, picture=name))
        self.back()

    def next_picture(self) -> None:
        """Show the next picture on the tiles, or numbers again."""
        try:
            name = self._appearance.next_picture(self.settings.picture)
        except BadPicture as error:
            self.say(str(error), "bad")
            return
        self.use_settings(replace(self.settings, picture=name))
        self.repaint()

    def toggle_numbers(self) -> None:
        """Show the numbers on a picture, or hide them."""
        self._appearance.toggle_numbers()
        self._choose_look()
        self.repaint()


GREY_FILTERS = (Monochrome, NoColor)


def _until_race(client: RoomClient) -> str:
    """Return in a few words when the next race begins; empty: nobody knows."""
    left = client.view.next_race_in(client.now())
    if left is None:
        return ""
    latest = client.view.phase == "grace"
    key = "tui.solo.next_race_latest" if latest else "tui.solo.next_race"
    return text(key, seconds=-(-left // 1000))


def _state(view: RoomView) -> object:
    """Return everything that is shown of a room except progress, moves and acks."""
    standings = [(lane.seat, lane.status, lane.place) for lane in view.lanes.values()]
    members = list(view.members.values())
    race = (view.phase, view.phase_ends, view.start, view.attempt is None)
    own = (
        view.online,
        view.overdue,
        view.ended,
        view.results,
        view.forfeited_at,
        view.signals,
        view.gains,
        view.profile,
    )
    checks = (view.agrees, list(view.faults), list(view.remarks))
    return (
        view.room,
        members,
        standings,
        race,
        own,
        checks,
        dict(view.latencies),
        dict(view.reactions),
    )
