"""Histories of a room, each from a seed: none of them loses anything."""

import pytest
from tests.simulation.histories import History, run_histories
from tests.tiers import TIER


@pytest.mark.timeout(30 + TIER.histories // 10)
def test_no_history_of_a_room_loses_anything() -> None:
    assert run_histories(1, TIER.histories) > TIER.histories


def test_slides_acknowledged_before_their_commit_are_found() -> None:
    """This shows that the checker can fail."""
    found: list[str] = []
    for seed in range(1, 40):
        history = History(seed)
        commit = history.commit

        def early(history: History = history, commit: object = commit) -> None:
            kept = history.committed
            assert callable(commit)
            commit()
            history.committed = kept  # acknowledged, but not written

        history.commit = early  # type: ignore[method-assign]
        found += history.run()
    assert any(one.startswith(("acks: ", "sessions: ", "boards: ")) for one in found)
