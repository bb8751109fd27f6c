"""The version of the protocol.

`VERSION` counts incompatible changes; ``docs/protocol.md`` says how the protocol grows
without one. A server speaks exactly one version: it answers a `hello` of another one
with the refusal ``version`` and closes the connection with 4504.
"""

from typing import Final

__all__ = ["BOT_HEADER", "EVENTS", "FEATURES", "SUBPROTOCOL", "VERSION", "speaks"]

VERSION: Final = 1
"""The `v` of `hello` and `welcome`."""
SUBPROTOCOL: Final = f"sliderace.v{VERSION}"
"""The subprotocol in the WebSocket handshake (``Sec-WebSocket-Protocol``)."""
FEATURES: Final = (
    "bots",
    "series",
    "reactions",
    "quick",
    "lobby",
    "solo",
    "daily",
    "profiles",
)
"""What this release adds to the first set: the `features` of `welcome`."""
EVENTS: Final = ("series", "reacted", "gains", "rooms", "me", "history")
"""Types of events beyond the first set: the `can` of `hello`."""


BOT_HEADER: Final = "Sliderace-Bot"
"""In the handshake of a server's own bots, which come directly, not through a proxy."""


def speaks(version: int) -> bool:
    """Return whether this release understands that protocol version.

    >>> [speaks(version) for version in (0, 1, 2)]
    [False, True, False]
    """
    return version == VERSION
