"""Lets clients find this server on the local network, by multicast DNS.

Why mDNS and not a query of our own: the same packets work beside the printers and
speakers of any home network, systems' firewalls have a rule for them, several programs
can share the port, and `avahi-browse _sliderace._tcp` shows what is wrong. The library
is `zeroconf`, pure Python and the one Home Assistant lives on.

Only the address and the port are told, never a room: who finds the server still needs
a code. IPv4 only, which every local network has.
"""

from __future__ import annotations

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
"""The kind of service; the client looks for the same."""

log = logging.getLogger(__name__)


def reachable(bind: str) -> list[str]:
    """Return the IPv4 addresses at which other machines reach a server.

    Args:
        bind: The address it listens on, as in "0.0.0.0", "127.0.0.1" or "::".

    Returns:
        Dotted quads, empty without a network or if it listens on loopback or a host
        name only.
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
    """Be found while inside; without a network, be silent.

    Entering does not wait for the announcement, which takes a second.

    Args:
        port: The port the server listens on.
        instance: What tells this server from others in the network: 1 to 40 letters
            and digits, new for each start.
        bind: The address the server listens on; empty for all.
    """
    addresses = reachable(bind)
    if not addresses:
        log.info("not announced: no other machine can reach %s", bind or "this one")
        yield
        return
    task = asyncio.create_task(_advertise(addresses, port, instance))
    try:
        yield
    finally:
        task.cancel()  # which says goodbye
        await asyncio.wait([task])


async def _advertise(addresses: list[str], port: int, instance: str) -> None:
    """Announce the server and answer questions until cancelled."""
    info = AsyncServiceInfo(
        SERVICE,
        f"sliderace-{instance}.{SERVICE}",
        port=port,
        parsed_addresses=addresses,
        server=f"sliderace-{instance}.local.",
    )
    try:
        async with AsyncZeroconf(interfaces=addresses) as network:
            # Its type says "Awaitable", of nothing in particular.
            said = await network.async_register_service(info)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
            await said
            log.info("announced on the local network at %s", ", ".join(addresses))
            await asyncio.Event().wait()
    except (OSError, RuntimeError, zeroconf.Error) as error:
        log.warning("not announced on the local network: %s", error)
