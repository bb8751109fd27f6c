"""Who a client is, when proxies stand between: believed as far as they are ours."""

from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address

__all__ = ["Network", "client_address", "within"]

Network = IPv4Network | IPv6Network


def client_address(
    direct: str, forwarded: Sequence[str], proxies: Sequence[Network]
) -> str:
    """The address of the client itself.

    Args:
        direct: the other end of the TCP connection.
        forwarded: the X-Forwarded-For headers. They are read from the right, as long
            as what added them is a proxy of ours; the rest anybody may have written.
        proxies: those of ours.
    """
    address = direct
    chain = [hop.strip() for line in forwarded for hop in line.split(",")]
    while chain and within(address, proxies):
        hop = chain.pop()
        if not _is_address(hop):
            break
        address = hop
    return address


def within(address: str, networks: Sequence[Network]) -> bool:
    """Whether an address lies in one of these networks; what is none does not."""
    if not networks or not _is_address(address):
        return False
    parsed = ip_address(address)
    return any(parsed in network for network in networks)


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
