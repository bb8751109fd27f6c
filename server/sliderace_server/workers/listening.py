"""Opens the sockets on which the parent listens."""

import errno
import socket

from sliderace_server.settings import ServerSettings
from sliderace_server.websocket import CannotListen

__all__ = ["listening_sockets"]

NO_SUCH_FAMILY = (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL)
"""Errors on a machine without IPv6, where a name may still have an IPv6 address."""
BACKLOG = 1_024
"""Connections that the kernel queues until they are accepted."""
SILENT_S = 1
"""The kernel keeps a connection for so long if its client sends nothing. Clients send
their request at once, so accepting it and reading it need one wake-up instead of two.
"""


def listening_sockets(settings: ServerSettings) -> list[socket.socket]:
    """Return sockets that listen as the settings say.

    Raises:
        CannotListen: the address is in use or does not belong to this machine.
    """
    hosts = [settings.bind]
    if settings.bind == "::":
        hosts.append("0.0.0.0")  # noqa: S104 - :: means all addresses
    sockets: list[socket.socket] = []
    failure: OSError | None = None
    try:
        port = settings.port
        for host in hosts:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            for family, _, _, _, address in dict.fromkeys(found):
                try:
                    sock = _listening(family, (address[0], port, *address[2:]))
                except OSError as error:
                    if error.errno not in NO_SUCH_FAMILY:
                        raise
                    failure = error
                else:
                    sockets.append(sock)
                    port = sock.getsockname()[1]  # 0 becomes the same one for all
        if failure is not None and not sockets:
            raise failure
    except OSError as error:
        for sock in sockets:
            sock.close()
        raise CannotListen(error.strerror or str(error)) from error
    return sockets


def _listening(family: int, address: tuple[object, ...]) -> socket.socket:
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_DEFER_ACCEPT, SILENT_S)
        sock.bind(address)
        sock.listen(BACKLOG)
        sock.setblocking(False)
    except BaseException:
        sock.close()
        raise
    return sock
