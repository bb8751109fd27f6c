"""Profile ids, and device tickets: valid once, for five minutes, one per profile."""

from itertools import count

from sliderace.protocol.profile_key import parse_ticket
from sliderace_server.registry.profile_codes import (
    DEVICE_TICKET_MS,
    MOST,
    DeviceTickets,
    profile_id,
)

ENTROPY = bytes(16)


def mistyped(ticket: str) -> str:
    """Return a ticket with another last letter."""
    return ticket[:-1] + ("B" if ticket[-1] != "B" else "C")


def test_a_profile_id_follows_from_the_secret_alone() -> None:
    """Stored ids must not change: this one was computed by the first release."""
    assert profile_id("0" * 32) == "VTPSVVGC"
    ids = {profile_id(f"{n:032x}") for n in range(1_000)}
    assert len(ids) == 1_000
    assert all(parse_ticket(one) == one for one in ids)


def test_a_ticket_is_valid_once() -> None:
    tickets = DeviceTickets()
    ann = tickets.issue("ann", b"a" * 16, 0)
    ben = tickets.issue("ben", b"b" * 16, 0)
    assert tickets.redeem(ben, 5) == "ben"
    assert tickets.redeem(ben, 6) is None
    assert tickets.redeem(ann, 6) == "ann"
    assert len(tickets) == 0


def test_a_ticket_is_valid_for_five_minutes() -> None:
    tickets = DeviceTickets()
    late = tickets.issue("ann", ENTROPY, 1_000)
    assert tickets.redeem(late, 1_000 + DEVICE_TICKET_MS) is None
    assert len(tickets) == 0, "expired tickets are deleted"
    in_time = tickets.issue("ann", ENTROPY, 1_000)
    assert tickets.redeem(in_time, 999 + DEVICE_TICKET_MS) == "ann"


def test_a_new_ticket_replaces_the_old_one() -> None:
    tickets = DeviceTickets()
    old = tickets.issue("ann", b"a" * 16, 0)
    new = tickets.issue("ann", b"b" * 16, 1)
    assert len(tickets) == 1
    assert tickets.redeem(old, 2) is None
    assert tickets.redeem(new, 2) == "ann"


def test_the_fifth_wrong_try_for_a_ticket_voids_it() -> None:
    tickets = DeviceTickets()
    ann = tickets.issue("ann", b"a" * 16, 0)
    ben = tickets.issue("ben", b"b" * 16, 0)
    for _ in range(5):
        assert tickets.redeem(mistyped(ann), 1) is None
    assert tickets.redeem(ann, 1) is None
    for _ in range(4):
        assert tickets.redeem(mistyped(ben), 1) is None
    assert tickets.redeem(ben, 1) == "ben", "others keep their tickets"


def test_tries_for_no_ticket_void_none() -> None:
    """Else a stranger could keep everybody from adding a device."""
    tickets = DeviceTickets()
    ann = tickets.issue("ann", ENTROPY, 0)
    other = "B" + ann[1:] if ann[0] != "B" else "C" + ann[1:]
    for _ in range(1_000):
        assert tickets.redeem(other, 1) is None
    assert tickets.redeem(ann, 1) == "ann"


def test_a_voided_ticket_is_invalid() -> None:
    tickets = DeviceTickets()
    ticket = tickets.issue("ann", ENTROPY, 0)
    tickets.void("ann")
    tickets.void("ann")
    assert tickets.redeem(ticket, 1) is None


def test_tickets_differ_in_the_letters_that_find_them() -> None:
    """The same randomness twice: the second profile gets another ticket."""
    tickets = DeviceTickets()
    ann, ben = tickets.issue("ann", ENTROPY, 0), tickets.issue("ben", ENTROPY, 0)
    assert ann[:4] != ben[:4]


def test_the_number_of_tickets_is_bounded() -> None:
    tickets = DeviceTickets()
    numbers = count()
    first = tickets.issue("first", b"first entropy   ", 0)
    for n in range(MOST):
        tickets.issue(str(n), next(numbers).to_bytes(16), 0)
    assert len(tickets) == MOST
    assert tickets.redeem(first, 1) is None
