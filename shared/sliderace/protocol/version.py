"""The version rule.

`VERSION` counts incompatible changes. Within one version a server may add fields to
events, and clients ignore those they do not know; nothing else ever changes. A server
speaks exactly one version and says so before anything else: a `hello` of another
version is answered by `refused` with the code ``version``, then closed with 4504.
"""

from typing import Final

__all__ = ["SUBPROTOCOL", "VERSION", "speaks"]

VERSION: Final = 1
"""What `hello` and `welcome` carry as `v`."""
SUBPROTOCOL: Final = f"sliderace.v{VERSION}"
"""The name offered in the WebSocket handshake (``Sec-WebSocket-Protocol``)."""


def speaks(version: int) -> bool:
    """Whether this release understands a peer of that protocol version.

    >>> [speaks(version) for version in (0, 1, 2)]
    [False, True, False]
    """
    return version == VERSION
