"""The connection to the brokers of a cluster (NATS), with requests and replies.

nats-py reconnects by itself. When the connection is lost, all requests in flight fail
at once, because their replies would never arrive.
"""

import asyncio
import logging
import os
import secrets
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from urllib.parse import ParseResult, SplitResult, unquote, urlsplit

import msgspec
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error, MaxPayloadError, NoRespondersError

from sliderace_server.storage.ports import StorageUnavailable, StoreRefused

__all__ = [
    "ANSWER_S",
    "API_S",
    "LEADER_S",
    "Connection",
    "NoListener",
    "NoReply",
    "connected",
]

_log = logging.getLogger(__name__)

MIN_VERSION = (2, 9)
"""Of nats-server: older versions cannot read the next message of a subject directly."""
ANSWER_S = 2.0
"""For a reply; a healthy broker takes milliseconds."""
API_S = 5.0
"""For changes of streams, on which the brokers must agree."""
LEADER_S = 15.0
"""After their start, three brokers need up to ten seconds to elect a leader."""
CONNECT_S = 2.0
RECONNECT_S = 0.25
"""Pause between two attempts at one broker."""
ATTEMPTS = 3
"""At each broker, before a start fails. A broker that refuses credentials says so, but
may close the connection before that arrives."""
PING_S = 5.0
"""A broker that hangs is noticed after two pings without a reply, so after 15 s."""
DEFAULT_PORT = 4222
NO_RESPONDERS = "503"
DENIED = "permissions violation"
"""Words in a broker's error about a subject that our user may not use."""
REFUSED = ("authorization", "authentication", "certificate")
"""Words in errors that another attempt does not cure: a broker does not accept our
credentials, or we do not accept its certificate."""
START_S = 10.0
"""Before a start fails; nats-py does not notice every failure."""


class NoListener(StorageUnavailable):
    """Nobody has subscribed to the subject of a request."""


class NoReply(StorageUnavailable):
    """No reply to a request has arrived in time."""


class _Client(Client):
    """Reconnects even after errors for which nats-py closes the connection for good.

    For example, revoked credentials may be granted again, and races wait for that.
    """

    async def _process_err(self, err_msg: str) -> None:
        if _is_denial(err_msg):
            await super()._process_err(err_msg)
        else:
            await self._process_op_err(Error(err_msg.strip("'\r\n ")))


class _Problem(msgspec.Struct):
    description: str = ""


class _Answer(msgspec.Struct):
    error: _Problem | None = None


class _Info(msgspec.Struct):
    version: str = ""


class Connection:
    """A connection to the brokers; see `connected`.

    Attributes:
        client: The client of nats-py, for subscriptions and messages without a reply.
        prefix: First part of all subjects and names of streams.
        incarnation: Name of this process; no other process ever has the same.
        on_reconnect: Called after each reconnection.
    """

    def __init__(self, prefix: str, node: str) -> None:
        self.prefix = prefix
        self.incarnation = f"{node}-{os.getpid()}-{secrets.token_hex(4)}"
        self.client: Client = _Client()
        self.on_reconnect: list[Callable[[], None]] = []
        self._inbox = ""
        self._tokens = count()
        self._waiting: dict[str, asyncio.Future[Msg]] = {}
        self._errors: list[str] = []
        self._failed = asyncio.Event()

    @property
    def brokers(self) -> int:
        """Number of brokers that are known."""
        return len(set(map(_place, self.client.servers)))

    async def open(self, urls: Sequence[str], credentials: str) -> None:
        """Connect; see `connected`."""
        places = ", ".join(_place(urlsplit(url)) for url in urls)
        user, password, token = _login(urls)
        connecting = asyncio.create_task(
            self.client.connect(
                [*urls],
                name=self.incarnation,
                error_cb=self._on_error,
                disconnected_cb=self._on_disconnect,
                reconnected_cb=self._on_reconnect,
                max_reconnect_attempts=-1,
                reconnect_time_wait=RECONNECT_S,  # type: ignore[arg-type]
                connect_timeout=CONNECT_S,  # type: ignore[arg-type]
                ping_interval=PING_S,  # type: ignore[arg-type]
                max_outstanding_pings=2,
                pending_size=-1,
                user_credentials=credentials or None,
                user=user,
                password=password,
                token=token,
            )
        )
        failing = asyncio.create_task(self._fails(ATTEMPTS * len(urls)))
        try:
            both = {connecting, failing}
            await asyncio.wait(both, timeout=START_S, return_when="FIRST_COMPLETED")
            if not connecting.done():
                last = self._errors[-1] if self._errors else "it does not answer"
                why = next(filter(_is_refusal, self._errors), last)
                raise StoreRefused(f"cannot use NATS at {places}: {why}")
            await connecting
        except (Error, OSError, ValueError) as error:
            text = f"cannot use NATS at {places}: {_why(error)}"
            raise StoreRefused(text) from None
        finally:
            failing.cancel()
            connecting.cancel()
            await asyncio.wait({connecting, failing})
        await self._check(places)
        self._inbox = f"{self.client.new_inbox()}."
        await self.client.subscribe(  # pyright: ignore[reportUnknownMemberType]
            f"{self._inbox}*", cb=self._on_answer
        )

    async def _fails(self, attempts: int) -> None:
        """Return after so many failures, or once another attempt is useless."""
        while len(self._errors) < attempts and not any(map(_is_refusal, self._errors)):
            self._failed.clear()
            await self._failed.wait()

    async def _check(self, places: str) -> None:
        version = self.client.connected_server_version
        if (version.major, version.minor) < MIN_VERSION:
            least = ".".join(map(str, MIN_VERSION))
            raise StoreRefused(
                f"NATS at {places} has version {version.major}.{version.minor}; "
                f"sliderace needs {least} or later"
            )
        if why := await self._jetstream_problem():
            raise StoreRefused(f"cannot use JetStream of NATS at {places}: {why}")

    async def _jetstream_problem(self) -> str:
        """Return why JetStream cannot be used; empty: it can."""
        until = asyncio.get_running_loop().time() + LEADER_S
        while True:
            try:
                reply = await self.client.request("$JS.API.INFO", timeout=ANSWER_S)
            except NoRespondersError:
                return "it is not enabled; start nats-server with -js"
            except Error as error:
                if denied := next(filter(_is_denial, self._errors), ""):
                    return denied
                if asyncio.get_running_loop().time() > until:
                    return f"{_why(error)}; a majority of the brokers must run"
            else:
                answer = msgspec.json.decode(reply.data, type=_Answer)
                return answer.error.description if answer.error else ""

    async def versions(self) -> dict[str, str | None]:
        """Return the version of each known broker; None: it does not answer."""
        urls = {_place(url): url for url in self.client.servers}
        found = await asyncio.gather(*map(_version, urls.values()))
        return dict(zip(urls, found, strict=True))

    async def close(self) -> None:
        """Close the connection."""
        self._fail_all("the connection is closed")
        await self.client.close()

    # --- requests --------------------------------------------------------------------

    async def send(
        self,
        subject: str,
        payload: bytes = b"",
        headers: Mapping[str, str] | None = None,
        within_s: float = ANSWER_S,
    ) -> asyncio.Future[Msg]:
        """Send a request; return a future for the reply.

        The future fails with `StorageUnavailable` if no reply arrives in time
        (`NoReply`), if nobody listens (`NoListener`), or if the connection is lost. The
        request may have arrived then, unless nobody listens.

        Args:
            subject: Subject of the request.
            payload: Its data, at most as many bytes as the broker allows.
            headers: Its headers.
            within_s: How long to wait for the reply.

        Raises:
            StorageUnavailable: There is no connection; nothing was sent.
            ValueError: The payload is too large.
        """
        if not self.client.is_connected:
            raise StorageUnavailable("there is no connection to NATS")
        loop = asyncio.get_running_loop()
        token, answer = str(next(self._tokens)), loop.create_future()
        late = NoReply("NATS does not answer")
        timer = loop.call_later(within_s, self._fail, token, late)
        self._waiting[token] = answer
        answer.add_done_callback(lambda _: self._forget(token, timer))
        try:
            named = dict(headers) if headers else None
            await self.client.publish(subject, payload, self._inbox + token, named)
        except MaxPayloadError:
            answer.cancel()
            raise ValueError(
                f"a message of {len(payload)} bytes is too large"
            ) from None
        except Error as error:
            answer.cancel()
            raise StorageUnavailable(_why(error)) from None
        return answer

    async def ask(
        self,
        subject: str,
        payload: bytes = b"",
        headers: Mapping[str, str] | None = None,
        within_s: float = ANSWER_S,
    ) -> Msg:
        """Send a request and return its reply; see `send`.

        Raises:
            StorageUnavailable: There is no reply; the request may have arrived.
            ValueError: The payload is too large.
        """
        return await (await self.send(subject, payload, headers, within_s))

    def _forget(self, token: str, timer: asyncio.TimerHandle) -> None:
        timer.cancel()
        self._waiting.pop(token, None)

    def _fail(self, token: str, error: StorageUnavailable) -> None:
        answer = self._waiting.get(token)
        if answer is not None and not answer.done():
            answer.set_exception(error)
            answer.exception()  # or asyncio complains if the caller was cancelled

    def _fail_all(self, why: str) -> None:
        for token in [*self._waiting]:
            self._fail(token, StorageUnavailable(why))

    async def _on_answer(self, reply: Msg) -> None:
        token = reply.subject[len(self._inbox) :]
        answer = self._waiting.get(token)
        if answer is None or answer.done():
            return
        if not reply.data and (reply.headers or {}).get("Status") == NO_RESPONDERS:
            self._fail(token, NoListener("the stream has no leader now"))
        else:
            answer.set_result(reply)

    # --- events of the connection; handlers must not wait -----------------------------

    async def _on_error(self, error: Exception) -> None:
        why = _why(error)
        if self._inbox and why != (self._errors[-1:] or [""])[0]:
            _log.warning("cannot use a broker", extra={"error": why})
        self._errors = [*self._errors[-99:], why]
        self._failed.set()

    async def _on_disconnect(self) -> None:
        if self._inbox and not self.client.is_closed:
            _log.warning("lost the connection to the broker")
        self._fail_all("the connection to NATS was lost")

    async def _on_reconnect(self) -> None:
        self._errors = []
        url = self.client.connected_url
        extra = {"broker": _place(url) if url else ""}
        _log.warning("reconnected to a broker", extra=extra)
        for call in self.on_reconnect:
            call()


def _place(url: ParseResult | SplitResult) -> str:
    """Return host and port, without user and password."""
    return url.netloc.rpartition("@")[2]


async def _version(url: ParseResult) -> str | None:
    """Return the version that a broker reports to every client; None: no reply."""
    place = url.hostname, url.port or DEFAULT_PORT
    try:
        async with asyncio.timeout(CONNECT_S):
            reader, writer = await asyncio.open_connection(*place)
            try:
                line = await reader.readline()
            finally:
                writer.close()
        info = msgspec.json.decode(line.removeprefix(b"INFO "), type=_Info)
    except (OSError, ValueError):
        return None
    return info.version


def _is_denial(why: str) -> bool:
    return DENIED in why.lower()


def _is_refusal(why: str) -> bool:
    return any(word in why.lower() for word in REFUSED)


def _login(urls: Sequence[str]) -> tuple[str | None, str | None, str | None]:
    """Return user, password and token, for all brokers, also those found later."""
    for url in map(urlsplit, urls):
        if url.username and url.password:
            return unquote(url.username), unquote(url.password), None
        if url.username:
            return None, None, unquote(url.username)
    return None, None, None


def _why(error: Exception) -> str:
    """Return the text of an error, to be part of one line."""
    if isinstance(error, TimeoutError | asyncio.TimeoutError):
        return "it does not answer"
    if isinstance(error, OSError) and error.strerror:
        known = error.strerror.partition("(")[0].strip()
        refused = isinstance(error, ConnectionRefusedError)
        return "the connection was refused" if refused else known
    text = str(error).removeprefix("nats: ").strip("'\"")
    return text or type(error).__name__


@asynccontextmanager
async def connected(
    urls: Sequence[str], prefix: str = "sr", node: str = "node", credentials: str = ""
) -> AsyncGenerator[Connection, None]:
    """Stay connected to the brokers inside the context.

    Args:
        urls: As in `nats://user:password@host:4222`; they name more brokers of the same
            cluster.
        prefix: First part of all subjects and names of streams, so that several
            clusters can use the same brokers.
        node: Name of this node, for subjects and logs.
        credentials: Path of a file made by `nsc`; empty: none.

    Raises:
        StoreRefused: No broker can be used; the text is one line for operators.
    """
    if credentials:
        try:
            await asyncio.to_thread(Path(credentials).read_bytes)
        except OSError as error:
            raise StoreRefused(f"{credentials}: {error.strerror}") from None
    connection = Connection(prefix, node)
    try:
        await connection.open(urls, credentials)
        yield connection
    finally:
        await connection.close()
