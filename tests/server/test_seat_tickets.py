"""Seat tickets: valid once, for two minutes, one per member."""

from sliderace_server.registry.seat_tickets import TICKET_MS, Tickets, hashed


def test_a_ticket_is_valid_once_and_in_its_room() -> None:
    tickets = Tickets()
    tickets.issue("KWXTRB", 1, "a", 0)
    tickets.issue("KWXTRB", 2, "b", 0)
    assert tickets.redeem("BBBBBB", "a", 5) is None
    assert tickets.redeem("KWXTRB", "b", 5) == 2
    assert tickets.redeem("KWXTRB", "b", 6) is None
    assert tickets.redeem("KWXTRB", "a", 6) == 1


def test_a_ticket_is_valid_for_two_minutes() -> None:
    tickets = Tickets()
    tickets.issue("KWXTRB", 1, "a", 1_000)
    assert tickets.redeem("KWXTRB", "a", 1_000 + TICKET_MS) is None
    tickets.issue("KWXTRB", 1, "b", 1_000)
    assert tickets.redeem("KWXTRB", "b", 999 + TICKET_MS) == 1


def test_a_new_ticket_replaces_the_old_one_and_expired_ones_are_deleted() -> None:
    tickets = Tickets()
    tickets.issue("KWXTRB", 1, "a", 0)
    tickets.issue("KWXTRB", 1, "b", 1)
    assert len(tickets) == 1
    assert tickets.redeem("KWXTRB", "a", 2) is None
    tickets.issue("KWXTRB", 2, "c", 1 + TICKET_MS)
    assert len(tickets) == 1, "expired tickets are deleted"


def test_only_a_hash_of_a_secret_is_kept() -> None:
    # The first test vector of SHA-256, FIPS 180-4.
    assert hashed("abc").startswith("ba7816bf8f01cfea414140de5dae2223")
