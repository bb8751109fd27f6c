"""Limits: token buckets, counts per address, quotas."""

from dataclasses import fields

from hypothesis import given, strategies as st

from sliderace.protocol import limits as wire
from sliderace_server.limits import Limits, PerAddress, Quota, TokenBucket

HOME = "192.168.1.7"


# --- buckets -------------------------------------------------------------------------


def test_a_bucket_allows_its_burst_and_then_its_rate() -> None:
    bucket = TokenBucket(60, 120)
    assert [bucket.take(1, 5_000) for _ in range(120)] == [0] * 120
    assert bucket.take(1, 5_000) == 17
    assert bucket.take(1, 5_000) == 34
    assert bucket.take(1, 5_035) == 16


def test_waiting_as_long_as_returned_is_enough() -> None:
    bucket = TokenBucket(160, 320)
    now, sent = 0, 0
    while now < 10_000:
        now += bucket.take(9, now)
        sent += 9
    assert 320 + 1_590 <= sent <= 320 + 1_620


@given(
    st.integers(1, 200),
    st.integers(1, 300),
    st.lists(st.tuples(st.integers(0, 400), st.integers(1, 9)), max_size=60),
)
def test_a_bucket_never_allows_more_than_burst_and_rate(
    rate: int, burst: int, takes: list[tuple[int, int]]
) -> None:
    bucket = TokenBucket(rate, burst)
    now, passed = 0, 0
    for pause, tokens in takes:
        now += pause
        now += bucket.take(tokens, now)
        passed += tokens
        assert passed <= burst + rate * now / 1000 * 1.01 + 1


def test_asking_for_the_wait_takes_no_token() -> None:
    bucket = TokenBucket(10, 2)
    assert [bucket.wait(0) for _ in range(5)] == [0] * 5
    bucket.take(2, 0)
    assert bucket.wait(0) == 100
    assert bucket.wait(99) == 1
    assert bucket.wait(100) == 0


def test_a_bucket_knows_its_spare_tokens() -> None:
    bucket = TokenBucket(10, 4)
    assert bucket.spare(0) == 4
    bucket.take(3, 0)
    assert [bucket.spare(ms) for ms in (0, 99, 100, 9_000)] == [1, 1, 2, 4]
    bucket.take(9, 9_000)
    assert bucket.spare(9_000) == 0


def test_a_bucket_knows_when_it_is_full() -> None:
    bucket = TokenBucket(10, 2)
    assert bucket.is_full(0)
    bucket.take(1, 0)
    assert not bucket.is_full(99)
    assert bucket.is_full(100)


# --- addresses -----------------------------------------------------------------------


def test_connections_per_address_are_limited() -> None:
    addresses = PerAddress(Limits(connections_per_ip=3))
    assert [addresses.connect(HOME) for _ in range(5)] == [True] * 3 + [False] * 2
    assert addresses.connect("192.168.1.8")
    addresses.disconnect(HOME)
    assert addresses.connect(HOME)
    assert not addresses.connect(HOME)


def test_page_requests_per_address_are_limited() -> None:
    addresses = PerAddress(Limits(pages_per_s=50, pages_burst=3))
    assert [addresses.page_wait(HOME, 0) for _ in range(5)] == [0, 0, 0, 20, 20]
    assert addresses.page_wait(HOME, 20) == 0
    assert addresses.page_wait("192.168.1.8", 20) == 0


def test_joins_per_address_are_limited() -> None:
    addresses = PerAddress(Limits(joins_per_min=60, joins_burst=3))
    waits = [addresses.join_wait(HOME, 0) for _ in range(5)]
    assert waits == [0, 0, 0, 1_000, 1_000]
    assert addresses.join_wait(HOME, 1_000) == 0
    assert addresses.join_wait("192.168.1.8", 1_000) == 0


def test_races_at_once_per_address_are_limited() -> None:
    addresses = PerAddress(Limits(quick_per_min=10, quick_burst=2))
    waits = [addresses.quick_wait(HOME, 0) for _ in range(3)]
    assert waits == [0, 0, 6_000]
    assert addresses.quick_wait(HOME, 6_000) == 0
    assert addresses.quick_wait("192.168.1.8", 0) == 0
    assert addresses.quick_wait("", 0) == 0


def test_watchers_of_the_lobby_per_address_are_limited() -> None:
    addresses = PerAddress(Limits(lobbies_per_ip=2))
    for _ in range(2):
        assert addresses.may_watch(HOME)
        addresses.watches(HOME)
    assert not addresses.may_watch(HOME)
    assert addresses.may_watch("192.168.1.8")
    addresses.unwatches(HOME)
    assert addresses.may_watch(HOME)
    for _ in range(3):
        addresses.watches("")
    assert addresses.may_watch("")


def test_wrong_codes_per_address_are_limited() -> None:
    """After sixty in ten minutes right codes must wait, too."""
    addresses = PerAddress(Limits())
    for _ in range(59):
        addresses.failed_try(HOME, 0)
    addresses.failed_try("192.168.1.8", 0)
    assert addresses.try_wait(HOME, 0) == 0
    addresses.failed_try(HOME, 0)
    assert addresses.try_wait(HOME, 0) == 10_000
    assert addresses.try_wait("192.168.1.8", 0) == 0
    assert addresses.try_wait(HOME, 10_000) == 0


def test_wrong_codes_of_others_do_not_count() -> None:
    addresses = PerAddress(Limits())
    for n in range(1_000):
        addresses.failed_try(f"10.0.{n // 250}.{n % 250}", 0)
    assert addresses.try_wait(HOME, 0) == 0


def test_an_ipv6_network_counts_as_one_address() -> None:
    limits = Limits(
        connections_per_ip=1, pages_burst=1, rooms_per_ip=1, failed_joins_per_10_min=1
    )
    addresses = PerAddress(limits)
    one, same, other = "2001:db8::1", "2001:db8::f:0:0:2", "2001:db8:0:1::1"
    assert addresses.connect(one)
    assert addresses.page_wait(one, 0) == 0
    addresses.failed_try(one, 0)
    addresses.opened(one, 0)
    assert not addresses.connect(same)
    assert addresses.page_wait(same, 0) > 0
    assert addresses.try_wait(same, 0) > 0
    assert not addresses.may_open(same)
    addresses.disconnect(same)
    addresses.closed(same)
    assert addresses.connect(same)
    assert addresses.may_open(same)
    assert addresses.connect(other)
    assert addresses.try_wait(other, 0) == 0


def test_ipv4_mapped_addresses_count_as_ipv4() -> None:
    addresses = PerAddress(Limits(connections_per_ip=1))
    assert addresses.connect("::ffff:10.0.0.1")
    assert not addresses.connect("10.0.0.1")
    assert addresses.connect("::ffff:10.0.0.2")


def test_open_rooms_per_address_are_limited() -> None:
    addresses = PerAddress(Limits(rooms_per_ip=2))
    for _ in range(2):
        assert addresses.may_open(HOME)
        addresses.opened(HOME, 0)
    assert not addresses.may_open(HOME)
    addresses.closed(HOME)
    assert addresses.may_open(HOME)


def test_openings_of_rooms_per_address_are_limited_in_time() -> None:
    """Each closed room reserves its code for a day."""
    addresses = PerAddress(Limits(rooms_per_hour=2))
    for _ in range(2):
        assert addresses.open_wait(HOME, 0) == 0
        addresses.opened(HOME, 0)
        addresses.closed(HOME)
    assert addresses.open_wait(HOME, 0) == 1_800_000
    assert addresses.open_wait("192.168.1.8", 0) == 0
    assert addresses.open_wait(HOME, 1_800_000) == 0


def test_new_profiles_per_address_are_limited() -> None:
    """200 profiles from one address on one day: five are allowed."""
    addresses, created = PerAddress(Limits()), 0
    for _ in range(200):
        if not addresses.profile_wait(HOME, 0):
            addresses.profile_created(HOME, 0)
            created += 1
    assert created == 5
    assert addresses.profile_wait(HOME, 0) == 86_400_000 // 5
    assert addresses.profile_wait("192.168.1.8", 0) == 0
    assert addresses.profile_wait(HOME, 86_400_000 // 5) == 0


def test_wrong_device_tickets_per_address_are_limited() -> None:
    """A ticket is valid for five minutes: five tries are all that it gets."""
    addresses = PerAddress(Limits())
    for _ in range(5):
        assert addresses.claim_wait(HOME, 0) == 0
        addresses.failed_claim(HOME, 0)
    assert addresses.claim_wait(HOME, 0) == 60_000
    assert addresses.claim_wait("192.168.1.8", 0) == 0


def test_this_machine_is_exempt() -> None:
    """The listener gives an empty address for it, see `ClientAddresses`."""
    here = ""
    limits = Limits(
        connections_per_ip=1,
        pages_burst=1,
        rooms_per_ip=1,
        rooms_per_hour=1,
        failed_joins_per_10_min=1,
    )
    addresses = PerAddress(limits)
    for _ in range(9):
        assert addresses.connect(here)
        assert addresses.page_wait(here, 0) == 0
        assert addresses.try_wait(here, 0) == 0
        addresses.failed_try(here, 0)
        assert addresses.may_open(here)
        addresses.opened(here, 0)
        assert addresses.open_wait(here, 0) == 0
        assert addresses.join_wait(here, 0) == 0
        addresses.failed_claim(here, 0)
        assert addresses.claim_wait(here, 0) == 0
        addresses.profile_created(here, 0)
        assert addresses.profile_wait(here, 0) == 0
    assert addresses.try_wait(HOME, 0) == 0


def test_processes_count_together() -> None:
    """What a process counts and passes on is as if the other one had counted it."""
    limits = Limits(
        pages_burst=2,
        joins_burst=2,
        quick_burst=2,
        failed_joins_per_10_min=2,
        failed_joins_per_s=2,
        rooms_per_hour=2,
        profiles_per_day=2,
    )
    one, two = PerAddress(limits), PerAddress(limits)
    one.on_count = lambda kind, client, amount: two.count_client(
        kind, client, amount, 0
    )
    for _ in range(2):
        for wait in (one.page_wait, one.join_wait, one.quick_wait):
            assert wait(HOME, 0) == 0
        one.failed_try(HOME, 0)
        one.opened(HOME, 0)
        one.profile_created(HOME, 0)
    for _ in range(5):
        one.failed_claim(HOME, 0)
    one.failed_try("", 0)  # exempt
    for some in (one, two):
        assert some.page_wait(HOME, 0) == 20
        assert some.join_wait(HOME, 0) == 1_000
        assert some.quick_wait(HOME, 0) == 6_000
        assert some.try_wait(HOME, 0) == 300_000
        assert some.try_wait("192.168.1.8", 0) == 500
        assert some.open_wait(HOME, 0) == 1_800_000
        assert some.profile_wait(HOME, 0) == 43_200_000
        assert some.claim_wait(HOME, 0) == 60_000


def test_inactive_addresses_are_forgotten() -> None:
    addresses = PerAddress(Limits())
    for n in range(300):
        addresses.page_wait(f"10.0.{n}.1", 0)
        addresses.failed_try(f"10.0.{n}.2", 0)
    assert len(addresses) == 600
    addresses.page_wait(HOME, 60_000)
    assert len(addresses) == 1
    addresses.connect(HOME)
    addresses.opened("10.0.0.1", 60_000)
    assert len(addresses) == 2
    for _ in range(2):
        addresses.disconnect(HOME)
        addresses.closed("10.0.0.1")
    addresses.may_open("10.0.0.2")
    addresses.page_wait("10.0.0.3", 120_001)
    assert len(addresses) == 1


# --- limits --------------------------------------------------------------------------


def test_the_defaults_are_those_of_the_design() -> None:
    limits = Limits()
    assert limits.up_bytes == 2_048
    assert limits.unsent_bytes == 65_536
    assert (limits.open_timeout_ms, limits.hello_timeout_ms) == (3_000, 3_000)
    assert 1_000 <= limits.close_timeout_ms <= 2_000
    assert (limits.ping_race_ms, limits.ping_idle_ms) == (5_000, 20_000)
    assert (limits.ping_timeout_ms, limits.ping_burst) == (5_000, 8)
    assert (limits.messages_per_s, limits.messages_burst) == (60, 120)
    assert (limits.tiles_per_s, limits.tiles_burst) == (160, 320)
    assert limits.flood_ms == 10_000
    assert (limits.connections_per_ip, limits.pages_per_s) == (200, 50)
    assert limits.rooms_per_ip == 10
    assert limits.failed_joins_per_10_min == 60
    assert limits.profiles_per_day == 5
    assert (limits.room.players, limits.room.spectators) == (16, 100)
    assert limits.room.max_tiles == 20_000
    assert (limits.room.lobby_ttl_ms, limits.room.race_ttl_ms) == (600_000, 120_000)
    assert (limits.room.results_ttl_ms, limits.room.room_ttl_ms) == (
        900_000,
        21_600_000,
    )
    assert (limits.room.away_grace_ms, limits.room.rematch_ms) == (20_000, 30_000)


def test_clients_get_the_limits_that_concern_them() -> None:
    sent = Limits(messages_per_s=1, tiles_burst=2, gather_ms=3, up_bytes=4).announced
    assert (sent.messages_per_s, sent.tiles_burst, sent.gather_ms) == (
        1,
        2,
        3,
    )
    assert sent.message_bytes == 4
    assert sent.slides_per_message == wire.MAX_SLIDES


def test_every_limit_is_documented() -> None:
    for field in fields(Limits):
        assert f"        {field.name}: " in (Limits.__doc__ or "")


# --- large answers, guessed codes, quotas --------------------------------------------


def test_unread_large_answers_per_address_are_limited() -> None:
    addresses = PerAddress(Limits(answer_bytes_per_ip=100))
    assert addresses.sending(HOME, 500)  # a single one may be of any size
    assert not addresses.sending(HOME, 1)
    assert addresses.sending("192.168.1.8", 1)
    addresses.sent(HOME, 500)
    assert addresses.sending(HOME, 60)
    assert addresses.sending(HOME, 40)
    assert not addresses.sending(HOME, 1)
    assert addresses.sending("", 500)
    assert addresses.sending("", 500)


def test_operators_may_limit_wrong_codes_of_all_addresses_together() -> None:
    free, bounded = PerAddress(Limits()), PerAddress(Limits(failed_joins_per_s=5))
    for number in range(5):
        for addresses in (free, bounded):
            assert addresses.try_wait(f"10.0.0.{number}", 0) == 0
            addresses.failed_try(f"10.0.0.{number}", 0)
    assert free.try_wait(HOME, 0) == 0
    assert bounded.try_wait(HOME, 0) == 200
    assert bounded.try_wait("", 0) == 0
    assert bounded.try_wait(HOME, 200) == 0


def test_a_quota_counts_per_member_and_resets_with_the_epoch() -> None:
    quota = Quota(2)
    assert quota.left(1, "")
    quota.use(1, 2)
    assert not quota.left(1, "")
    assert quota.left(2, "")
    assert quota.left(1, "RACE")
    quota.use(1, 5)
    assert not quota.left(1, "RACE")
