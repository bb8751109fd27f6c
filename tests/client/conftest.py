"""Every test sees the same terminal settings, whatever terminal runs them."""

import pytest


@pytest.fixture(autouse=True)
def modern_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Offer all colours; remove environment variables that reduce them."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    for variable in ("NO_COLOR", "COLORFGBG"):
        monkeypatch.delenv(variable, raising=False)
