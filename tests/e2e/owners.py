"""Connections on which profiles are managed."""

import contextlib
from collections.abc import AsyncGenerator
from hashlib import sha256

from tests.e2e.protocol_client import ProtocolClient, connected

from sliderace.protocol import messages as m

__all__ = ["Owner", "owning", "secret_of"]


def secret_of(name: str) -> str:
    """Return the secret of a device."""
    return sha256(name.encode()).hexdigest()[:32]


class Owner:
    """One device of an owner.

    Attributes:
        client: its connection.
        first: the profile when it connected; None: there was none.
    """

    def __init__(self, client: ProtocolClient, first: m.Profile | None) -> None:
        self.client = client
        self.first = first

    async def ask(self, command: m.Command) -> m.Event:
        """Send a command; return the answer."""
        await self.client.send(command)
        return await self.client.receive()

    async def profile(self, command: m.Command) -> m.Profile:
        """Send a command; return the profile after it."""
        answer = await self.ask(command)
        assert isinstance(answer, m.MeEvent), answer
        assert answer.profile is not None
        return answer.profile

    async def refused(self, command: m.Command) -> str:
        """Send a command; return the code of the refusal. The connection stays open."""
        answer = await self.ask(command)
        assert isinstance(answer, m.Refused), answer
        assert answer.of == str(command.__struct_config__.tag)
        await self.client.sync()
        return answer.code

    async def ticket(self) -> str:
        """Return a new ticket."""
        answer = await self.ask(m.DeviceTicket())
        assert isinstance(answer, m.Ticket), answer
        assert answer.in_ms == 300_000
        return answer.ticket


@contextlib.asynccontextmanager
async def owning(
    port: int, device: str, address: str = ""
) -> AsyncGenerator[Owner, None]:
    """Connect as a device; its secret follows from its name.

    Args:
        port: the server's.
        device: what it calls itself.
        address: of the client; empty: this machine.
    """
    headers = {"X-Forwarded-For": address} if address else {}
    async with connected(port, additional_headers=headers) as client:
        hello = m.Hello(1, m.Me(), device, can=["me"], profile=secret_of(device))
        await client.send(hello)
        first = await client.until(m.MeEvent)
        yield Owner(client, first.profile)
