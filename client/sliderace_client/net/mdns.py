"""Find sliderace servers on the local network, by multicast DNS.

Why mDNS: see the server's module of the same name. Anybody in the network can answer,
so an answer is only a hint where a room may be.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Awaitable, Callable
from contextlib import suppress

import ifaddr
import zeroconf
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

__all__ = ["SERVICE", "find_server", "find_servers", "lan_addresses"]

SERVICE = "_sliderace._tcp.local."
"""The type of service that servers announce."""

TIMEOUT_S = 2.0
"""A server answers within 0.2 s. Wi-Fi in power saving may lose the first query; the
second one is sent after one second."""

MAX_SERVERS = 32
"""More answers can only be a prank; further servers are ignored."""


def lan_addresses() -> list[str]:
    """Return this machine's IPv4 addresses in its networks."""
    return [
        ip.ip
        for adapter in ifaddr.get_adapters()
        for ip in adapter.ips
        if isinstance(ip.ip, str) and not ipaddress.ip_address(ip.ip).is_loopback
    ]


async def find_server(
    has_room: Callable[[str], Awaitable[bool]], timeout_s: float = TIMEOUT_S
) -> str | None:
    """Return the first server that has the room; None if none answers in time.

    Args:
        has_room: called with the "host:port" of each server as soon as it answers;
            must return False if that cannot be reached.
        timeout_s: how long to look, in seconds.
    """
    found: list[str] = []

    async def look(address: str) -> bool:
        if not await has_room(address):
            return False
        found.append(address)
        return True

    await _browse(look, timeout_s)
    return found[0] if found else None


async def find_servers(timeout_s: float = TIMEOUT_S) -> list[str]:
    """Return the "host:port" of all servers that answer in time.

    A server in several networks has several addresses, and not all of them may work.
    Without a network, this returns at once.

    Args:
        timeout_s: how long to look, in seconds.
    """
    found: list[str] = []

    async def look(address: str) -> bool:
        found.append(address)
        return False

    await _browse(look, timeout_s)
    return found


async def _browse(look: Callable[[str], Awaitable[bool]], timeout_s: float) -> None:
    """Call `look` for each server that answers, until it returns True or time is up."""
    interfaces = lan_addresses()
    if not interfaces:
        return
    # A network that is lost or forbids multicast counts as none.
    with suppress(OSError, RuntimeError, zeroconf.Error):
        async with AsyncZeroconf(interfaces=interfaces) as network:
            with suppress(TimeoutError):
                await _ask(network, look, timeout_s)


async def _ask(
    network: AsyncZeroconf, look: Callable[[str], Awaitable[bool]], timeout_s: float
) -> None:
    """Browse the network; raises TimeoutError at the end in every case."""
    seen: set[str] = set()

    async def visit(name: str) -> None:
        info = AsyncServiceInfo(SERVICE, name)
        await info.async_request(network.zeroconf, timeout_s * 1000)
        for host in info.parsed_addresses():
            address = f"{host}:{info.port}"
            if address in seen or len(seen) >= MAX_SERVERS:
                continue
            seen.add(address)
            group.create_task(check(address))

    async def check(address: str) -> None:
        if await look(address):
            limit.reschedule(asyncio.get_running_loop().time())

    def on_change(
        name: str, state_change: zeroconf.ServiceStateChange, **_: object
    ) -> None:
        if state_change is zeroconf.ServiceStateChange.Added:
            group.create_task(visit(name))

    async with (
        asyncio.timeout(timeout_s) as limit,
        asyncio.TaskGroup() as group,
        AsyncServiceBrowser(network.zeroconf, SERVICE, [on_change]),
    ):
        await asyncio.Event().wait()
