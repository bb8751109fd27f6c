"""Advertises the server on the local network by multicast DNS (mDNS).

mDNS rather than our own broadcast, because home networks and firewalls already let it
through, several programs can share the port, and `avahi-browse _sliderace._tcp` helps
to find problems.

The advertisement contains only the address and port, never a room: players still need
a code. It is IPv4 only, which every local network has.
"""

import asyncio
import ipaddress
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import ifaddr
import zeroconf
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

__all__ = ["SERVICE", "advertised", "reachable"]

SERVICE = "_sliderace._tcp.local."
"""The service type; the client looks for the same one."""

_log = logging.getLogger(__name__)


def reachable(bind: str) -> list[str]:
    """Return the IPv4 addresses at which other machines can reach this server.

    Args:
        bind: the address that the server listens on; empty for all.

    Returns:
        Addresses as text; none without a network, or if the server listens only on
        loopback or on a host name.
    """
    try:
        bound = ipaddress.ip_address(bind or "0.0.0.0")  # noqa: S104
    except ValueError:
        return []
    found = [
        ipaddress.ip_address(ip.ip)
        for adapter in ifaddr.get_adapters()
        for ip in adapter.ips
        if isinstance(ip.ip, str)
    ]
    return [
        str(address)
        for address in found
        if not address.is_loopback and (bound.is_unspecified or address == bound)
    ]


@asynccontextmanager
async def advertised(
    port: int, instance: str, bind: str = ""
) -> AsyncGenerator[None, None]:
    """Advertise the server inside the context; do nothing without a network.

    Does not wait for the first announcement, which takes a second.

    Args:
        port: the port that the server listens on.
        instance: distinguishes this server from others on the network: 1 to 40 letters
            and digits, new for each start.
        bind: the address that the server listens on; empty for all.
    """
    addresses = reachable(bind)
    if not addresses:
        place = bind or "this machine"
        _log.info("not advertised: other machines cannot reach %s", place)
        yield
        return
    task = asyncio.create_task(_advertise(addresses, port, instance))
    try:
        yield
    finally:
        task.cancel()  # this sends the goodbye packets
        await asyncio.wait([task])


async def _advertise(addresses: list[str], port: int, instance: str) -> None:
    """Advertise the server and answer queries until cancelled."""
    info = AsyncServiceInfo(
        SERVICE,
        f"sliderace-{instance}.{SERVICE}",
        port=port,
        parsed_addresses=addresses,
        server=f"sliderace-{instance}.local.",
    )
    try:
        async with AsyncZeroconf(interfaces=addresses) as network:
            # Typed as a bare "Awaitable".
            sent = await network.async_register_service(info)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
            await sent
            _log.info("advertised on the local network at %s", ", ".join(addresses))
            await asyncio.Event().wait()
    except (OSError, RuntimeError, zeroconf.Error) as error:
        _log.warning("not advertised on the local network: %s", error)
