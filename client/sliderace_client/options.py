"""Options that several commands share."""

import click

__all__ = [
    "name_option",
    "picture_option",
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
picture_option = click.option(
    "--picture",
    metavar="NAME|FILE",
    help="On the tiles: none, sunset, hills, flower, rings, or your own.",
)
plain_option = click.option("--plain", is_flag=True, help="Lines instead of a screen.")
