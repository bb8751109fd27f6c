"""X-Forwarded-For is read from right to left as long as the proxies are trusted.

Clients on this machine are exempt from limits, but nobody who comes through a proxy is.
"""

from ipaddress import ip_network

import pytest

from sliderace.protocol.version import BOT_HEADER
from sliderace_server.http.proxy_headers import (
    ClientAddresses,
    Network,
    client_address,
    is_loopback,
    within,
)

TRUSTED = [ip_network("127.0.0.1"), ip_network("10.0.0.0/8"), ip_network("fd00::/8")]


@pytest.mark.parametrize(
    ("direct", "forwarded", "client"),
    [
        ("192.0.2.1", [], "192.0.2.1"),
        ("192.0.2.1", ["203.0.113.9"], "192.0.2.1"),
        ("127.0.0.1", ["203.0.113.9"], "203.0.113.9"),
        ("127.0.0.1", ["1.1.1.1, 203.0.113.9"], "203.0.113.9"),
        ("127.0.0.1", ["1.1.1.1", "203.0.113.9"], "203.0.113.9"),
        ("127.0.0.1", ["1.1.1.1, 203.0.113.9, 10.1.2.3"], "203.0.113.9"),
        ("fd00::1", ["2001:db8::7"], "2001:db8::7"),
        ("127.0.0.1", ["10.0.0.1, 10.0.0.2"], "10.0.0.1"),
        ("127.0.0.1", ["203.0.113.9, rubbish"], "127.0.0.1"),
        ("127.0.0.1", [""], "127.0.0.1"),
        ("127.0.0.1", [], "127.0.0.1"),
    ],
)
def test_the_client_is_the_last_address_that_is_not_a_trusted_proxy(
    direct: str, forwarded: list[str], client: str
) -> None:
    assert client_address(direct, forwarded, TRUSTED) == client


def test_without_trusted_proxies_headers_are_ignored() -> None:
    assert client_address("127.0.0.1", ["203.0.113.9"], []) == "127.0.0.1"


@pytest.mark.parametrize("text", ["", "rubbish", "192.0.2.1"])
def test_malformed_and_foreign_addresses_are_not_within_a_network(text: str) -> None:
    assert not within(text, TRUSTED)


# --- who is exempt -------------------------------------------------------------------


@pytest.mark.parametrize("here", ["127.0.0.1", "127.0.0.9", "::1", "::ffff:127.0.0.1"])
def test_a_direct_client_on_this_machine_is_exempt(here: str) -> None:
    clients = ClientAddresses([], public=False)
    assert clients.client(here, "/ws", ["Host", "Origin", "Upgrade"], []) == ""
    assert not clients.faults


@pytest.mark.parametrize(
    "there", ["192.168.1.7", "::ffff:10.0.0.1", "fe80::1", "unix", "1.2.3"]
)
def test_other_addresses_are_not_loopback(there: str) -> None:
    assert not is_loopback(there)


@pytest.mark.parametrize(
    "header", ["X-Forwarded-For", "x-forwarded-proto", "Forwarded", "Via", "X-Real-IP"]
)
def test_a_proxy_header_ends_the_exemption(
    header: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The operator is warned once; the header itself is not believed."""
    clients = ClientAddresses([], public=False)
    for _ in range(3):
        found = clients.client("127.0.0.1", "/ws", ["Host", header], ["203.0.113.9"])
        assert found == "127.0.0.1"
    assert clients.faults == {"untrusted": "127.0.0.1"}
    assert [one.message for one in caplog.records] == [
        "a proxy is not in trusted_proxies: all its clients count as one"
    ]


def test_a_public_url_ends_the_exemption() -> None:
    clients = ClientAddresses([], public=True)
    assert clients.client("127.0.0.1", "/ws", ["Host"], []) == "127.0.0.1"


def test_a_trusted_proxy_is_not_exempt(caplog: pytest.LogCaptureFixture) -> None:
    """If it does not name its clients, the operator is warned once."""
    clients = ClientAddresses(TRUSTED, public=False)
    for path, header in (
        ("/healthz", "Host"),
        ("/metrics", "Host"),
        ("/ws", BOT_HEADER),
    ):
        assert clients.client("127.0.0.1", path, [header], []) == "127.0.0.1"
    assert clients.faults == {}
    for path in ("/ws", "/", "/"):
        assert clients.client("127.0.0.1", path, ["Host"], []) == "127.0.0.1"
    assert clients.faults == {"no_address": "127.0.0.1"}
    assert len(caplog.records) == 1
    named = clients.client("127.0.0.1", "/", ["X-Forwarded-For"], ["203.0.113.9"])
    assert named == "203.0.113.9"


@pytest.mark.parametrize(
    ("proxies", "public", "local", "warned"),
    [
        ([], True, True, True),
        (TRUSTED, True, True, False),
        ([], False, True, False),
        ([], True, False, False),  # it may serve TLS itself
    ],
)
def test_a_missing_proxy_is_warned_of_at_the_start(
    proxies: list[Network],
    public: bool,
    local: bool,
    warned: bool,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Behind a proxy that is not trusted, all clients would count as one."""
    clients = ClientAddresses(proxies, public=public, local=local)
    assert clients.faults == ({"missing": "127.0.0.1"} if warned else {})
    assert len(caplog.records) == warned


def test_strangers_cannot_cause_a_warning() -> None:
    clients = ClientAddresses([], public=True)
    headers = ["X-Forwarded-For"]
    assert clients.client("9.9.9.9", "/", headers, ["127.0.0.1"]) == "9.9.9.9"
    assert not clients.faults


@pytest.mark.parametrize(
    ("direct", "headers", "is_direct"),
    [
        ("203.0.113.9", ["Host"], True),
        ("192.168.1.7", ["Host"], True),
        ("8.8.8.8", ["Host", "X-Real-IP"], True),  # anybody can send a header
        ("192.168.1.7", ["X-Forwarded-For"], False),
        ("10.1.2.3", ["Host"], False),  # trusted
        ("127.0.0.1", ["Host"], False),
        ("", [], False),
    ],
)
def test_a_connection_is_direct_unless_a_proxy_may_have_made_it(
    direct: str, headers: list[str], is_direct: bool
) -> None:
    clients = ClientAddresses(TRUSTED, public=False)
    assert clients.is_direct(direct, headers) is is_direct
