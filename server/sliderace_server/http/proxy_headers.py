"""The address of a client behind trusted proxies."""

from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address

__all__ = ["Network", "client_address", "is_address", "within"]

Network = IPv4Network | IPv6Network


def client_address(
    direct: str, forwarded: Sequence[str], proxies: Sequence[Network]
) -> str:
    """Return the IP address of the client.

    Args:
        direct: the other end of the TCP connection.
        forwarded: the X-Forwarded-For headers. They are read from right to left as long
            as each address is a trusted proxy; a client may have forged the rest.
        proxies: the trusted proxies.
    """
    address = direct
    chain = [hop.strip() for header in forwarded for hop in header.split(",")]
    while chain and within(address, proxies):
        hop = chain.pop()
        if not is_address(hop):
            break
        address = hop
    return address


def within(address: str, networks: Sequence[Network]) -> bool:
    """Return whether an address lies in one of these networks; False if malformed."""
    if not networks or not is_address(address):
        return False
    parsed = ip_address(address)
    return any(parsed in network for network in networks)


def is_address(text: str) -> bool:
    """Return whether a text is an IP address."""
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
