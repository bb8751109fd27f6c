"""Options shared by several commands."""

from collections.abc import Callable
from functools import wraps

import click

from sliderace.texts import text

__all__ = [
    "name_option",
    "plain_option",
    "preference_options",
    "server_option",
    "size_option",
]

server_option = click.option(
    "--server",
    metavar="ADDRESS",
    envvar="SLIDERACE_SERVER",
    default="",
    help=text("cli.option.server"),
)
name_option = click.option(
    "--name", metavar="NICK", default="", help=text("cli.option.name")
)
size_option = click.option(
    "--size",
    metavar="WxH",
    default="4x4",
    show_default=True,
    help=text("cli.option.size"),
)
plain_option = click.option("--plain", is_flag=True, help=text("cli.option.plain"))

COLOURS = {
    "auto": ("color", "theme"),
    "always": ("color",),
    "never": ("color",),
    "dark": ("theme",),
    "light": ("theme",),
    "fringe": ("tiles",),
    "rows": ("tiles",),
    "mono": ("tiles",),
}
"""The setting that each word of --colours changes."""


def preference_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add options that each override a setting.

    The command gets `preferences`, a mapping from settings to the given values.
    """

    @wraps(command)
    def with_preferences(
        *,
        keys: str | None,
        move: str | None,
        colours: tuple[str, ...],
        picture: str | None,
        **others: object,
    ) -> int:
        given = {"own_keys": keys, "keys": move, "picture": picture}
        preferences = {
            name: value for name, value in given.items() if value is not None
        }
        preferences |= {name: word for word in colours for name in COLOURS[word]}
        return command(preferences=preferences, **others)

    options = (
        click.option("--keys", metavar="KEYS", help=text("cli.option.keys")),
        click.option(
            "--move",
            type=click.Choice(["tile", "gap"]),
            help=text("cli.option.move"),
        ),
        click.option(
            "--colours",
            metavar="HOW",
            multiple=True,
            type=click.Choice(list(COLOURS)),
            help=text("cli.option.colours"),
        ),
        click.option("--picture", metavar="NAME|FILE", help=text("cli.option.picture")),
    )
    for option in reversed(options):
        with_preferences = option(with_preferences)
    return with_preferences
