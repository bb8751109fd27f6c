"""The program from its start to its end, and what is said when the screen is gone."""

import sys

from sliderace.texts import text
from sliderace_client import exit_codes
from sliderace_client.launch import Start
from sliderace_client.shared_ui import wording
from sliderace_client.tui.app import Terminal

__all__ = ["run"]


def run(start: Start) -> int:
    """Run the program; its exit code."""
    program = Terminal(start)
    try:
        program.run()
    finally:
        program.rooms.close()
    code = program.return_code or exit_codes.OK
    if program.in_room and program.begin.back:
        say_after(text("room.seat_kept", command=program.begin.back))
    ending = program.ending
    if ending is None or code != exit_codes.OK or start.kind == "menu":
        return code
    say_after(wording.ending(ending.why))
    return ending.exit_code


def say_after(words: str) -> None:
    """Say something when the screen is gone."""
    print(words, file=sys.stderr)  # noqa: T201 - there is no screen any more
