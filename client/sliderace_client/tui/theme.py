"""Which colours this terminal and this user get."""

import os

from textual.theme import Theme

from sliderace_client.shared_ui.render import BASIC, DARK, LIGHT, Look
from sliderace_client.shared_ui.settings import Settings

__all__ = ["THEMES", "name_of", "theme_of", "without_colour"]

THEMES = {"dark": DARK, "light": LIGHT, "basic": BASIC}


def theme_of(name: str, look: Look) -> Theme:
    """The look, as the library's own widgets know it."""
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


def without_colour(settings: Settings) -> bool:
    """Whether the user or the environment (no-color.org) wants no colours."""
    return settings.color == "never" or (
        settings.color != "always" and bool(os.environ.get("NO_COLOR"))
    )


def name_of(settings: Settings, colours: str | None) -> str:
    """The key in `THEMES`.

    Args:
        settings: the user's.
        colours: what the terminal can show, as the library names it.
    """
    if colours == "standard":  # 16 colours: ours, to be sure that they differ
        return "basic"
    if settings.theme == "auto":
        return "light" if _is_light() else "dark"
    return settings.theme


def _is_light() -> bool:
    """Whether the terminal says that its ground is light (as rxvt and Konsole do)."""
    return os.environ.get("COLORFGBG", "").rpartition(";")[2] in ("7", "15")
