"""What a request says about proxies, and the address of a client behind them."""

import logging
from collections.abc import Iterable, Sequence
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_address

from sliderace.protocol.version import BOT_HEADER

__all__ = [
    "ClientAddresses",
    "Network",
    "client_address",
    "is_address",
    "is_loopback",
    "within",
]

Network = IPv4Network | IPv6Network

_PROXY_HEADERS = {
    "cf-connecting-ip",
    "forwarded",
    "true-client-ip",
    "via",
    "x-client-ip",
    "x-real-ip",
}
_OPERATOR_PATHS = ("/healthz", "/metrics")
"""Requested by programs on this machine, not through the proxy."""
_FAULTS = {
    "missing": "a public URL, but nothing in trusted_proxies: all clients count as one",
    "untrusted": "a proxy is not in trusted_proxies: all its clients count as one",
    "no_address": "a trusted proxy sends no X-Forwarded-For: its clients count as one",
}


_log = logging.getLogger(__name__)


class ClientAddresses:
    """Finds the address of each client, and whether a proxy in front is set up badly.

    Only a client on this machine that reaches us directly is exempt from the limits per
    address. Anything that hints at a proxy ends that: a header, `public_url`, or that
    the address is a trusted proxy. Otherwise all clients behind a proxy on this machine
    would be exempt.

    Attributes:
        faults: what is wrong with a proxy -> its address.

    Args:
        proxies: the trusted proxies.
        public: whether a public URL is configured.
        local: whether only this machine can connect; then a public URL needs a proxy.
    """

    def __init__(
        self, proxies: Sequence[Network], *, public: bool, local: bool = False
    ) -> None:
        self.faults: dict[str, str] = {}
        self._proxies = proxies
        self._public = public
        if public and local and not proxies:
            self._note("missing", "127.0.0.1")

    def trusts(self, direct: str) -> bool:
        """Return whether the other end of a connection is a trusted proxy."""
        return within(direct, self._proxies)

    def client(
        self, direct: str, path: str, headers: Iterable[str], forwarded: Sequence[str]
    ) -> str:
        """Return the client's IP address; empty: it is exempt from limits.

        Args:
            direct: the other end of the TCP connection.
            path: of the request.
            headers: the names of its headers.
            forwarded: its X-Forwarded-For headers.
        """
        proxied, trusted = any(map(_is_proxy_header, headers)), self.trusts(direct)
        if proxied and not trusted and _is_private(direct):
            self._note("untrusted", direct)
        elif trusted and not forwarded and not _is_ours(path, headers):
            self._note("no_address", direct)
        if is_loopback(direct) and not (proxied or trusted or self._public):
            return ""
        return client_address(direct, forwarded, self._proxies)

    def is_direct(self, direct: str, headers: Iterable[str]) -> bool:
        """Return whether the client itself, on another machine, made a connection.

        A proxy or a tunnel on this machine, or a proxy nearby, may be in between. From
        elsewhere a proxy's header does not count, since anybody can send one.

        Args:
            direct: the other end of the TCP connection.
            headers: the names of the request's headers.
        """
        if is_loopback(direct) or self.trusts(direct):
            return False
        return not (_is_private(direct) and any(map(_is_proxy_header, headers)))

    def _note(self, fault: str, proxy: str) -> None:
        """Log a fault once."""
        if fault not in self.faults:
            self.faults[fault] = proxy
            _log.warning(_FAULTS[fault], extra={"proxy": proxy})


@lru_cache(256)
def _is_proxy_header(name: str) -> bool:
    """Return whether only proxies send a header.

    >>> _is_proxy_header("X-Real-IP"), _is_proxy_header("Origin")
    (True, False)
    """
    lower = name.lower()
    return lower.startswith("x-forwarded-") or lower in _PROXY_HEADERS


def _is_ours(path: str, headers: Iterable[str]) -> bool:
    """Return whether a program on this machine asks, not through the proxy."""
    return path.endswith(_OPERATOR_PATHS) or BOT_HEADER in headers


def _is_private(address: str) -> bool:
    """Return whether an address may be a proxy of ours; others may forge headers."""
    return is_address(address) and ip_address(address).is_private


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


@lru_cache(1_024)
def is_loopback(address: str) -> bool:
    """Return whether an address is on this machine; an empty one is (a Unix socket).

    >>> [is_loopback(one) for one in ("127.0.0.9", "::1", "", "192.168.1.7", "nowhere")]
    [True, True, True, False, False]
    """
    try:
        ip = ip_address(address)
    except ValueError:
        return not address
    mapped = getattr(ip, "ipv4_mapped", None)
    return (mapped or ip).is_loopback


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
