"""Which names of ours, and which web pages, a request may come with."""

import re
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

__all__ = ["HostCheck", "split_host"]

HOST = re.compile(r"(\[[\w:.%-]+\]|[\w.-]+)(:[0-9]{1,5})?", re.ASCII)
"""A Host header: a name or an address, perhaps a port, and nothing else."""


@dataclass(frozen=True, slots=True)
class HostCheck:
    """Which names of ours and which web pages are let in.

    Args:
        public: origin people see us at, such as ``https://race.example.org``, or empty.
        hosts: host names we answer to, in lower case; ``*`` means any.
    """

    public: str
    hosts: frozenset[str]

    def knows_host(self, header: str) -> bool:
        """Whether a Host header names us; else somebody's DNS may point here.

        Addresses are always ours: only a name can be re-bound.
        """
        if not header:
            return True
        if not HOST.fullmatch(header):
            return False
        host, _ = split_host(header)
        if "*" in self.hosts or host in self.hosts:
            return True
        return host.endswith(".localhost") or _is_address(host)

    def knows_origin(self, origin: str | None, host_header: str) -> bool:
        """Whether a request of a page from `origin` is welcome.

        Programs that are no browsers send no origin.
        """
        if origin is None:
            return True
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        if parts.scheme not in ("http", "https") or not parts.netloc:
            return False
        if origin.lower() == self.public:
            return True
        return _with_port(parts.netloc, parts.scheme) == _with_port(
            host_header, parts.scheme
        )


def split_host(header: str) -> tuple[str, str]:
    """Host in lower case and port of a Host header; brackets of IPv6 are removed.

    >>> split_host("[::1]:8710"), split_host("Pc.local:80"), split_host("pc")
    (('::1', '8710'), ('pc.local', '80'), ('pc', ''))
    """
    header = header.strip().lower()
    if header.startswith("["):
        host, _, rest = header[1:].partition("]")
        return host, rest.removeprefix(":")
    host, _, port = header.partition(":")
    return host.removesuffix("."), port


def _with_port(header: str, scheme: str) -> tuple[str, str]:
    host, port = split_host(header)
    return host, port or {"http": "80", "https": "443"}[scheme]


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
