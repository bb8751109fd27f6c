"""Options that several commands share."""

from collections.abc import Callable
from functools import wraps

import click

__all__ = [
    "likes_options",
    "name_option",
    "plain_option",
    "server_option",
    "size_option",
]

server_option = click.option(
    "--server",
    metavar="ADDRESS",
    envvar="SLIDERACE_SERVER",
    default="",
    help="Server to ask, and no other.  [env: SLIDERACE_SERVER]",
)
name_option = click.option("--name", metavar="NICK", default="", help="Your nickname.")
size_option = click.option(
    "--size", metavar="WxH", default="4x4", show_default=True, help="2x2 to 10x10."
)
plain_option = click.option("--plain", is_flag=True, help="Lines instead of a screen.")

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
"""Which settings a word of --colours is for."""


def likes_options(command: Callable[..., int]) -> Callable[..., int]:
    """Options that win over a setting each; the command gets them as `likes`.

    That is a dictionary: names of settings, and what was given for them.
    """

    @wraps(command)
    def with_likes(
        *,
        keys: str | None,
        move: str | None,
        colours: tuple[str, ...],
        picture: str | None,
        **others: object,
    ) -> int:
        given = {"own_keys": keys, "keys": move, "picture": picture}
        likes = {name: value for name, value in given.items() if value is not None}
        likes |= {name: word for word in colours for name in COLOURS[word]}
        return command(likes=likes, **others)

    options = (
        click.option("--keys", metavar="KEYS", help="For left, right, up, down: adws."),
        click.option(
            "--move",
            type=click.Choice(["tile", "gap"]),
            help="What a key moves, its way.",
        ),
        click.option(
            "--colours",
            metavar="HOW",
            multiple=True,
            type=click.Choice(list(COLOURS)),
            help="auto, always, never; dark, light; by fringe (layer), rows; mono.",
        ),
        click.option(
            "--picture",
            metavar="NAME|FILE",
            help="On the tiles: none, hills, harbour, garden, rings, or your own.",
        ),
    )
    for option in reversed(options):
        with_likes = option(with_likes)
    return with_likes
