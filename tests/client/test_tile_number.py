import pytest

from sliderace_client.shared_ui.tile_number import PATIENCE_MS, Number


@pytest.mark.parametrize(
    ("largest", "digits", "tiles"),
    [
        (8, "18", [1, 8]),
        (15, "9", [9]),
        (15, "12", [None, 12]),
        (15, "116", [None, 11, 6]),
        (15, "19", [None, 9]),
        (15, "0", [None]),
        (99, "05", [None, None]),
        (99, "10", [None, 10]),
    ],
)
def test_number_is_used_as_soon_as_no_digit_can_follow(
    largest: int, digits: str, tiles: list[int | None]
) -> None:
    number = Number()
    assert [number.typed(digit, largest, 0) for digit in digits] == tiles


def test_number_is_used_after_a_pause() -> None:
    number = Number()
    assert number.typed("1", 15, 100) is None
    assert number.text == "1"
    assert number.waited(99 + PATIENCE_MS) is None
    assert number.waited(100 + PATIENCE_MS) == 1
    assert number.waited(100 + PATIENCE_MS) is None


def test_number_can_be_finished_or_dropped() -> None:
    number = Number()
    number.typed("1", 15, 0)
    assert (number.finish(), number.finish()) == (1, None)
    number.typed("1", 15, 0)
    number.drop()
    assert number.typed("2", 15, 1) == 2
