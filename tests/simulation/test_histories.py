"""A thousand room histories; `SLIDERACE_HISTORIES=100000` lives more of them."""

import os

import pytest
from tests.simulation.histories import History, told

HISTORIES = int(os.environ.get("SLIDERACE_HISTORIES", "1000"))


@pytest.mark.timeout(30 + HISTORIES // 10)
def test_no_history_of_a_room_loses_anything() -> None:
    assert told(1, HISTORIES) > HISTORIES


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
