"""The same terminal for every test, whatever the one that runs them is like."""

import pytest


@pytest.fixture(autouse=True)
def a_modern_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """All colours, no wishes."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    for wish in ("NO_COLOR", "COLORFGBG"):
        monkeypatch.delenv(wish, raising=False)
