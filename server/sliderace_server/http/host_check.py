"""Host and Origin checks: which hosts and web pages a request may name."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from sliderace_server.http.proxy_headers import is_address

__all__ = ["HostCheck", "split_host"]

HOST = re.compile(r"(\[[\w:.%-]+\]|[\w.-]+)(:[0-9]{1,5})?", re.ASCII)
"""A valid Host header: a name or an address, and optionally a port."""


@dataclass(frozen=True, slots=True)
class HostCheck:
    """The hosts and origins that are accepted.

    Args:
        public: our public origin, such as ``https://race.example.org``, or empty.
        hosts: our host names in lower case; ``*`` accepts any.
    """

    public: str
    hosts: frozenset[str]

    def accepts_host(self, header: str) -> bool:
        """Return whether a Host header names us.

        This prevents DNS rebinding: a site whose name resolves to our address could
        otherwise use a visitor's browser to reach us. IP addresses cannot be rebound,
        so they are always accepted.
        """
        if not header:
            return True
        if not HOST.fullmatch(header):
            return False
        host, _ = split_host(header)
        if "*" in self.hosts or host in self.hosts:
            return True
        return host.endswith(".localhost") or is_address(host)

    def accepts_origin(self, origin: str | None, host_header: str) -> bool:
        """Return whether a page from `origin` may send a request.

        Programs other than browsers send no origin.
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
    """Split a Host header into host, in lower case and without brackets, and port.

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
