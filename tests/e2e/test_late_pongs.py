"""A client that answers pings late gains little where the kernel tells the truth."""

import asyncio
import sys
from ipaddress import IPv4Address

import pytest
from tests.e2e.protocol_client import FastClock, ProtocolClient, running_server
from websockets.asyncio.client import ClientConnection, connect

from sliderace.protocol import messages as m
from sliderace_server.live_room.latency import KERNEL_MARGIN_MS
from sliderace_server.mdns import reachable

LATE_S = 0.25


class Late(ClientConnection):
    """A client whose program sees everything late; its kernel is honest."""

    def data_received(self, data: bytes) -> None:
        asyncio.get_running_loop().call_later(LATE_S, super().data_received, data)


@pytest.mark.parametrize("headers", [{}, {"X-Real-IP": "203.0.113.9"}])
async def test_late_pongs_lengthen_the_round_trip_by_15_ms_at_most(
    headers: dict[str, str],
) -> None:
    addresses = [one for one in reachable("") if IPv4Address(one).is_private]
    if not addresses or sys.platform != "linux":
        pytest.skip("not allowed here: an address that is not loopback, on Linux")
    url = f"ws://{addresses[0]}"
    async with (
        running_server(clock=FastClock(1), bind="0.0.0.0", advertise=False) as server,
        connect(
            f"{url}:{server.port}/ws",
            proxy=None,
            compression=None,
            create_connection=Late,
            additional_headers=headers,
        ) as socket,
    ):
        cheater = ProtocolClient(socket)
        await cheater.send(m.Hello(v=1, enter=m.Create(name="Cheater")))
        seen = await cheater.until(m.LatencyEvent)
    (latency,) = seen.lines
    if headers:  # a proxy nearby may be in between: pings alone count
        assert latency.rtt_ms >= 1_000 * LATE_S
    else:
        assert latency.rtt_ms <= KERNEL_MARGIN_MS + 5
