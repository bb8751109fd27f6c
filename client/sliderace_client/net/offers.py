"""What a server offers beyond rooms that people open."""

from typing import Literal

from sliderace.texts import text
from sliderace_client.net.http import Unreachable, features

__all__ = ["FEATURES", "NotOffered", "Offer", "check_offer"]

Offer = Literal["race", "ranked", "daily"]
FEATURES: dict[Offer, str] = {"race": "quick", "ranked": "solo", "daily": "daily"}
"""What the client calls it -> what the server calls it."""


class NotOffered(Unreachable):
    """The server answers, but does not offer that; the message is for the user."""


def check_offer(server: str, offer: Offer) -> None:
    """Check that a server offers something. This blocks.

    Args:
        server: base address.
        offer: what is wanted.

    Raises:
        NotOffered: it does not.
        Unreachable: it does not answer.
    """
    if FEATURES[offer] not in features(server):
        raise NotOffered(text(f"error.no_{offer}", server=server))
