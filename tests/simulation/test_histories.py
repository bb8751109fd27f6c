"""Histories of a room, each from a seed: none of them loses anything."""

import pytest
from tests.simulation.histories import History, told
from tests.tiers import TIER


@pytest.mark.timeout(30 + TIER.histories // 10)
def test_no_history_of_a_room_loses_anything() -> None:
    assert told(1, TIER.histories) > TIER.histories


def test_a_disk_that_forgets_an_acked_slide_is_found() -> None:
    """The checker is not blind here: acks that come too early are a fault."""
    found: list[str] = []
    for seed in range(1, 40):
        history = History(seed)
        honest = history.commit

        def early(history: History = history, honest: object = honest) -> None:
            kept = history.committed
            assert callable(honest)
            honest()
            history.committed = kept  # told, but not written

        history.commit = early  # type: ignore[method-assign]
        found += history.run()
    assert any(one.startswith(("acks: ", "sessions: ", "boards: ")) for one in found)
