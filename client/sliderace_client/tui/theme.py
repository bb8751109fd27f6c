"""Choose colours for this terminal and user, and the picture on the tiles."""

import os
from pathlib import Path

from textual.theme import Theme

from sliderace.texts import text
from sliderace_client.shared_ui.photo import BadPicture, load_picture
from sliderace_client.shared_ui.pictures import BUILT_IN, Picture
from sliderace_client.shared_ui.render import BASIC, DARK, LIGHT, MONO, Look
from sliderace_client.shared_ui.settings import Settings

__all__ = ["LOOKS", "NO_PICTURE", "Appearance", "textual_theme"]

LOOKS = {"dark": DARK, "light": LIGHT, "basic": BASIC}
NO_PICTURE = "none"


def textual_theme(name: str, look: Look) -> Theme:
    """Return a look for the library's own widgets; `name` is a key of `LOOKS`."""
    return Theme(
        name=f"sliderace-{name}",
        primary=look.accent,
        secondary=look.soft,
        accent=look.accent,
        foreground=look.ink,
        background=look.ground,
        surface=look.raised,
        panel=look.well,
        success=look.good,
        error=look.bad,
        warning=look.accent,
        dark=look is not LIGHT,
    )


class Appearance:
    """The look that follows from the settings, the terminal and the environment.

    Args:
        settings: the user's; a later change of `color` has no effect.

    Attributes:
        monochrome: the user or the environment (no-color.org) wants no colours.
        look: the colours in use, and the picture.
    """

    def __init__(self, settings: Settings) -> None:
        self.monochrome = settings.color == "never" or (
            settings.color != "always" and bool(os.environ.get("NO_COLOR"))
        )
        self.look = MONO
        self._numbers = True
        self._own_picture: Picture | None = None
        self._own_name = ""

    def update(self, settings: Settings, colours: str | None) -> str:
        """Choose the look again.

        Args:
            settings: the user's.
            colours: what the terminal can show, as the library names it.

        Returns:
            The name of the library's theme.
        """
        name = _look_name(settings, colours)
        if not self.monochrome:
            self.look = LOOKS[name]._replace(
                scheme=settings.tiles,
                picture=self.picture(settings.picture),
                numbers=self._numbers,
            )
        return f"sliderace-{name}"

    def picture(self, name: str) -> Picture | None:
        """Return a picture: a built-in one, or the user's file once it is loaded.

        None: there is none of that name, or pictures cannot be shown.
        """
        if self.monochrome:
            return None
        return BUILT_IN.get(name, self._own_picture if name == self._own_name else None)

    def needs_loading(self, name: str) -> bool:
        """Return whether a picture is a file of the user."""
        return name not in (NO_PICTURE, "", *BUILT_IN) and not self.monochrome

    def load(self, name: str) -> None:
        """Load a picture if it is a file. This blocks.

        Raises:
            BadPicture: it cannot be shown; its text says why.
        """
        if name in (NO_PICTURE, ""):
            return
        if self.monochrome:
            raise BadPicture(text("tui.picture.needs_colours"))
        if name not in BUILT_IN:
            self._own_picture = load_picture(Path(name).expanduser())
            self._own_name = name

    def next_picture(self, name: str) -> str:
        """Return the choice after a picture: a built-in one, the user's, or none.

        Raises:
            BadPicture: pictures cannot be shown; its text says why.
        """
        if self.monochrome:
            raise BadPicture(text("tui.picture.needs_colours"))
        own = [self._own_name] if self._own_picture is not None else []
        names = [NO_PICTURE, *BUILT_IN, *own]
        at = names.index(name) if name in names else -1
        return names[(at + 1) % len(names)]

    def toggle_numbers(self) -> None:
        """Show the numbers on a picture, or hide them; call `update` afterwards."""
        self._numbers = not self._numbers


def _look_name(settings: Settings, colours: str | None) -> str:
    """Return a key of `LOOKS`."""
    if colours == "standard":  # with 16 colours, only these are sure to differ
        return "basic"
    if settings.theme == "auto":
        return "light" if _is_light() else "dark"
    return settings.theme


def _is_light() -> bool:
    """Return whether the terminal says that its background is light.

    rxvt and Konsole do so.
    """
    return os.environ.get("COLORFGBG", "").rpartition(";")[2] in ("7", "15")
