import pytest

from sliderace.engine import OPPOSITE
from sliderace_client.shared_ui.keymap import KEYS, direction_of


@pytest.mark.parametrize("key", sorted(KEYS))
def test_preset_decides_whether_keys_move_the_tile_or_the_gap(key: str) -> None:
    tile = direction_of(key)
    assert tile == direction_of(key.upper())
    assert tile is not None
    assert direction_of(key, "gap") == OPPOSITE[tile]


def test_arrows_wasd_and_hjkl_agree() -> None:
    for keys in (["up", "w", "k"], ["down", "s", "j"], ["left", "a", "h"]):
        assert len({direction_of(key) for key in keys}) == 1
    assert [direction_of(key) for key in ("up", "down", "left", "right")] == list(
        "UDLR"
    )


def test_other_keys_have_no_direction() -> None:
    assert direction_of("x") is None
    assert direction_of("x", "gap") is None
