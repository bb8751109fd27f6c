"""Every test gets the same terminal, whatever terminal runs them."""

import pytest


@pytest.fixture(autouse=True)
def modern_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """All colours, and no environment variable that asks for fewer."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    for variable in ("NO_COLOR", "COLORFGBG"):
        monkeypatch.delenv(variable, raising=False)
