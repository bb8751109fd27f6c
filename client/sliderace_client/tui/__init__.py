"""The full-screen client. Nothing of the terminal library is loaded before it runs."""

from sliderace_client.launch import Start

__all__ = ["run_app"]


def run_app(start: Start) -> int:
    """Run the full-screen client until the user ends it; the process's exit code.

    The terminal is as it was before, however the program ends.
    """
    from sliderace_client.tui.program import run  # noqa: PLC0415 - slow to load

    return run(start)
