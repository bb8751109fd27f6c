"""X-Forwarded-For is read from right to left as long as the proxies are trusted."""

from ipaddress import ip_network

import pytest

from sliderace_server.http.proxy_headers import client_address, within

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
def test_the_client_is_the_last_address_that_is_no_trusted_proxy(
    direct: str, forwarded: list[str], client: str
) -> None:
    assert client_address(direct, forwarded, TRUSTED) == client


def test_without_trusted_proxies_headers_are_ignored() -> None:
    assert client_address("127.0.0.1", ["203.0.113.9"], []) == "127.0.0.1"


@pytest.mark.parametrize("text", ["", "rubbish", "192.0.2.1"])
def test_malformed_and_foreign_addresses_are_not_within_a_network(text: str) -> None:
    assert not within(text, TRUSTED)
