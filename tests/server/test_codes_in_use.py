"""Room codes: uniform, without denied words, not reused within a day."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice

from hypothesis import given, strategies as st

from sliderace.protocol.room_code import ALPHABET, RoomCode, parse_code
from sliderace_server.registry.codes_in_use import DENIED, Codes, draw

DAY_MS = 86_400_000


@given(st.binary(min_size=16, max_size=32))
def test_generated_codes_are_valid_and_contain_no_denied_words(entropy: bytes) -> None:
    for code in islice(draw(entropy), 20):
        assert parse_code(code) == code
        assert not any(word in code for word in DENIED)


def test_a_denied_draw_is_skipped() -> None:
    codes = list(islice(draw(b"any entropy"), 30_000))
    assert not any(word in code for code in codes for word in DENIED)
    assert all(set(word) <= set(ALPHABET) for word in DENIED)


def test_letters_are_uniformly_distributed() -> None:
    letters = Counter("".join(islice(draw(b"fair"), 20_000)))
    mean = 120_000 / len(ALPHABET)
    assert all(abs(count - mean) < mean * 0.06 for count in letters.values())


def test_the_same_entropy_gives_the_same_codes() -> None:
    assert list(islice(draw(b"x" * 16), 5)) == list(islice(draw(b"x" * 16), 5))


def test_a_code_in_use_is_not_drawn_again() -> None:
    codes = Codes()
    given = {codes.new(b"same entropy", 0) for _ in range(50)}
    assert len(given) == 50
    assert codes.live == given


def test_a_code_suits_its_process() -> None:
    code = Codes().new(b"same", 0, lambda code: code.startswith("Z"))
    assert code == next(one for one in draw(b"same") if one.startswith("Z"))


def test_a_recovered_room_keeps_its_code() -> None:
    first = next(draw(b"same"))
    codes = Codes()
    codes.claim(first)
    assert codes.new(b"same", 0) != first


def test_a_code_is_reserved_for_a_day() -> None:
    codes = Codes()
    code = codes.new(b"same", 0)
    codes.retire(code, 1_000)
    assert codes.live == set()
    for now in (1_000, DAY_MS + 999):
        other = codes.new(b"same", now)
        assert other != code
        codes.retire(other, now)
    assert codes.new(b"same", DAY_MS + 1_000) == code


def test_retiring_an_unknown_code_does_nothing() -> None:
    codes = Codes()
    codes.retire(RoomCode("KWXTRB"), 0)
    assert codes.live == set()


def test_a_code_that_nobody_has_seen_is_not_reserved() -> None:
    codes = Codes()
    code = codes.new(b"same", 0)
    codes.discard(code)
    assert codes.new(b"same", 0) == code


def test_a_new_code_costs_the_same_with_many_reserved_ones() -> None:
    """Also when all of them have just expired."""

    class Counting(dict[RoomCode, int]):
        touched = 0

        def __iter__(self) -> Iterator[RoomCode]:
            Counting.touched += len(self)
            return super().__iter__()

        def __delitem__(self, code: RoomCode) -> None:
            Counting.touched += 1
            super().__delitem__(code)

        items = keys = __iter__  # type: ignore[assignment]

    codes = Codes()
    reserved = Counting()
    codes._reserved = reserved  # pyright: ignore[reportPrivateUsage]
    for code in islice(draw(b"many"), 10_000):
        codes.retire(code, 0)
    for now in (0, DAY_MS):
        Counting.touched = 0
        codes.new(b"new", now)
        assert Counting.touched < 10
    for number in range(2_500):
        codes.new(b"%d" % number, DAY_MS)
    assert not reserved, "expired codes are forgotten"


def test_a_code_that_is_used_again_stays_reserved_for_another_day() -> None:
    """Although its first reservation is forgotten later than it expires."""
    codes = Codes()
    for number in range(9):  # forgotten first
        codes.retire(codes.new(b"%d" % number, 0), 0)
    code = codes.new(b"same", 0)
    codes.retire(code, 0)
    assert codes.new(b"same", DAY_MS) == code
    codes.retire(code, DAY_MS)
    for number in range(9):
        codes.new(b"other %d" % number, DAY_MS)
    assert codes.new(b"same", 2 * DAY_MS - 1) != code
