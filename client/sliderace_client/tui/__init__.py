"""The full-screen client. It loads the terminal library only when it runs."""

from sliderace_client.launch import Start

__all__ = ["run_app"]


def run_app(start: Start) -> int:
    """Run the full-screen client until the user ends it; return the exit code.

    However the program ends, the terminal is as it was before.
    """
    from sliderace_client.tui.app import run  # noqa: PLC0415 - slow to load

    return run(start)
