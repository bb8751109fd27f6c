"""The program without its rooms: signals, colours, pictures, settings and news."""

import asyncio
import signal
import sys
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, NamedTuple

from textual.app import App
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.filter import Monochrome, NoColor

from sliderace_client import exit_codes
from sliderace_client.platform import WINDOWS, hear
from sliderace_client.room.outputs import Note
from sliderace_client.shared_ui import wording
from sliderace_client.shared_ui.photo import BadPicture, load_picture
from sliderace_client.shared_ui.pictures import BUILT_IN, Picture
from sliderace_client.shared_ui.render import MONO
from sliderace_client.shared_ui.settings import Settings, keep
from sliderace_client.tui.dialogs.choices import SettingsDialog
from sliderace_client.tui.dialogs.dialog import HelpDialog, Topic
from sliderace_client.tui.terminal_io.diff import Pen, Touched
from sliderace_client.tui.theme import THEMES, name_of, theme_of, without_colour

__all__ = ["Shell"]

NEWS_MS = 6_000
"""How long a line of news stands."""
CUE_MS = 1_500
"""How long it is said why a tile did not move."""
NO_PICTURE = ("none", "")
NO_COLOURS = "Pictures need colours, which are switched off here."
GREYS = (Monochrome, NoColor)


def driver_class(platform: str = sys.platform) -> type[Driver] | None:
    """Our own driver; None, where only the library knows the terminal."""
    if platform == WINDOWS:
        return None
    from sliderace_client.tui.terminal_io.driver import CarefulDriver  # noqa: PLC0415 - POSIX

    return CarefulDriver


class News(NamedTuple):
    """A line of news, and how good it is: info, good or bad."""

    text: str
    level: str = "info"


class Shell(App[int]):
    """What every page needs of the program.

    Args:
        settings: the user's.

    Attributes:
        settings: as they are now.
        look: the colours in use, and the picture.
        pen: paints at once; None where only the library can.
    """

    ENABLE_COMMAND_PALETTE = False
    TITLE = "sliderace"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", show=False, priority=True)
    ]
    CSS = """
    Page { background: $background; color: $foreground; }
    """

    def __init__(self, settings: Settings) -> None:
        self._mono = without_colour(settings)
        super().__init__(driver_class=driver_class(), ansi_color=self._mono or None)
        # The library asks the environment alone, and knows shades of grey for NO_COLOR.
        kept = [each for each in self._filters if not isinstance(each, GREYS)]
        self._filters = [*kept, NoColor()] if self._mono else kept
        self.pen: Pen | None = None
        self.settings = settings
        self._gathered: dict[tuple[int, int], Touched] | None = None
        self._news = News("")
        self._news_until = 0
        self._numbers = True
        self._cued = ""
        self._keeping = asyncio.Lock()
        self._photo: tuple[str, Picture] | None = None
        self.look = MONO
        for name, look in THEMES.items():
            self.register_theme(theme_of(name, look))
        self._choose_look()

    def now(self) -> int:
        """Monotonic ms."""
        return time.monotonic_ns() // 1_000_000

    def changed(self) -> None:
        """Something changed: show it."""

    def repaint(self) -> None:
        """Show everything as it is now."""

    def paint_all(self) -> None:
        """Show everything once more: the terminal has missed something."""
        self.screen.refresh()

    @contextmanager
    def at_once(self) -> Generator[None]:
        """Send all that is painted meanwhile to the terminal as one."""
        if self._gathered is not None:
            yield
            return
        self._gathered = {}
        try:
            yield
        finally:
            rows, self._gathered = self._gathered.values(), None
            self.draw(rows)

    def draw(self, rows: Iterable[Touched]) -> None:
        """Paint rows on the terminal, now or with what is being gathered."""
        if self._gathered is None:
            if self.pen is not None:
                self.pen.paint(rows)
            return
        for row in rows:
            place = row.y, row.x
            first = self._gathered.get(place, row)
            self._gathered[place] = row._replace(old=first.old)

    # --- Signals ----------------------------------------------------------------------

    def hear_signals(self) -> None:
        """End in order, whoever asks for it."""
        hear(self._signalled, asyncio.get_running_loop())

    def hung_up(self) -> None:
        """The terminal is gone, and no signal said so."""
        self._signalled(signal.Signals.SIGHUP)

    def _signalled(self, number: signal.Signals) -> None:
        self.exit(return_code=128 + number)

    def action_interrupt(self) -> None:
        """Ctrl-C: end at once; a seat is kept for a while."""
        self.exit(return_code=exit_codes.INTERRUPTED)

    # --- News -------------------------------------------------------------------------

    def say(self, text: str, level: str = "info") -> None:
        """Show a line of news for a while."""
        self._news, self._news_until = News(text, level), self.now() + NEWS_MS
        self.changed()

    def _noted(self, note: Note) -> None:
        self.say(wording.news(note.news), note.level)

    def news(self) -> tuple[str, str]:
        """The line of news and its level; empty when it is old."""
        if self.now() > self._news_until:
            return "", "info"
        return self._news

    def cue(self, text: str) -> None:
        """Say gently why nothing moved, unless something weightier is being said."""
        if not self.news()[0] or self._news.text == self._cued:
            self._cued = text
            self._news, self._news_until = News(text), self.now() + CUE_MS
            self.repaint()

    # --- Colours and pictures ---------------------------------------------------------

    def _choose_look(self) -> None:
        name = name_of(self.settings, self.console.color_system)
        self.theme = f"sliderace-{name}"
        if self._mono:
            self.look = MONO
            return
        picture = self.picture_of(self.settings.picture)
        self.look = THEMES[name]._replace(
            scheme=self.settings.tiles, picture=picture, numbers=self._numbers
        )

    def picture_of(self, name: str) -> Picture | None:
        """A picture by its name, or one's own once it has been read.

        None where there is none, and where pictures cannot be shown.
        """
        known, own = self._photo or ("", None)
        found = BUILT_IN.get(name, own if name == known else None)
        return None if self._mono else found

    def get_picture(self, name: str) -> str:
        """Read a picture, if that is necessary; why it cannot be shown, or nothing.

        It blocks: call it in a thread.
        """
        if name in NO_PICTURE:
            return ""
        if self._mono:
            return NO_COLOURS
        if name not in BUILT_IN:
            try:
                self._photo = (name, load_picture(Path(name).expanduser()))
            except BadPicture as error:
                return str(error)
        return ""

    async def read_picture(self) -> None:
        """Read the picture that the settings name, if it is a file."""
        name = self.settings.picture
        if name in (*NO_PICTURE, *BUILT_IN) or self._mono:
            return
        refusal = await asyncio.to_thread(self.get_picture, name)
        if refusal:
            self.say(refusal, "bad")
        self._choose_look()
        self.repaint()

    def next_picture(self) -> None:
        """The next built-in picture, the user's own, or numbers again."""
        if self._mono:
            self.say(NO_COLOURS, "bad")
            return
        own = [self._photo[0]] if self._photo else []
        names = ["none", *BUILT_IN, *own]
        now = self.settings.picture
        at = names.index(now) if now in names else -1
        self.use_settings(replace(self.settings, picture=names[(at + 1) % len(names)]))
        self.repaint()

    def switch_numbers(self) -> None:
        """Show the numbers on a picture, or only the picture."""
        self._numbers = not self._numbers
        self._choose_look()
        self.repaint()

    # --- Settings ---------------------------------------------------------------------

    def edit_settings(self) -> None:
        """Let the user choose keys and colours."""
        self.push_screen(SettingsDialog(self.look, self.settings, self.use_settings))

    def use_settings(self, settings: Settings) -> None:
        """Take new settings, and keep them."""
        before, self.settings = self.settings, settings
        self._choose_look()
        self.run_worker(self._keep(before, settings), group="settings")

    async def _keep(self, before: Settings, after: Settings) -> None:
        try:
            async with self._keeping:  # each is written on top of the one before
                await asyncio.to_thread(keep, before, after)
        except OSError as error:
            self.say(f"The settings cannot be kept: {error.strerror}", "bad")

    def remember_name(self, name: str) -> None:
        """Keep a nickname for the next time."""
        if name != self.settings.name:
            self.use_settings(replace(self.settings, name=name))

    def help(self, topic: Topic) -> None:
        """Show the keys of a page."""
        self.push_screen(HelpDialog(self.look, topic))
