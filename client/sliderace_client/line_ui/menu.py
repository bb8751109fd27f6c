"""The menu in line mode: it asks for a command and its arguments."""

from dataclasses import dataclass
from typing import Final, Literal, assert_never

from sliderace.texts import text
from sliderace_client.line_ui import explanations
from sliderace_client.line_ui.answers import (
    Refusal,
    quoted,
    size_or_default,
    size_question,
)

__all__ = ["Choice", "Menu"]

ENTRIES: Final = {
    "r": "race",
    "h": "host",
    "j": "join",
    "w": "watch",
    "d": "daily",
    "s": "solo",
    "m": "me",
    "l": "boards",
    "p": "results",
    "q": "quit",
}
"""Key and command; the catalogue explains them as `menu.COMMAND`."""


def _question(command: str) -> list[str]:
    """Return what is shown before the argument of a command is asked for."""
    match command:
        case "host":
            return size_question()
        case "daily":
            return [text("menu.daily_question")]
        case _:
            return []


@dataclass(frozen=True, slots=True)
class Choice:
    """The menu's answer to a line.

    Args:
        lines: to show.
        prompt: the next question; empty if there is none.
        command: the command line that was chosen.
    """

    lines: tuple[str, ...] = ()
    prompt: str = ""
    command: tuple[str, ...] = ()


class Menu:
    """From the first question to a command line.

    Each state is a question: what to do; for `host` the board's size; for `join` and
    `watch` the room. An empty answer to the last one leads back to the first.
    """

    def __init__(self) -> None:
        self._asking: Literal["what", "host", "join", "watch", "daily"] = "what"

    def begin(self) -> Choice:
        """Return the menu itself."""
        self._asking = "what"
        entries = (
            f"  {key}  {command:<8} {text(f'menu.{command}')}".rstrip()
            for key, command in ENTRIES.items()
        )
        return Choice((text("menu.title"), *entries), self._prompt())

    def leave(self) -> Choice:
        """Return the end: at the user's wish, the end of the input, or Ctrl-C."""
        return Choice((text("line.goodbye"),))

    def feed(self, line: str) -> Choice:
        """Take a line, without its line end."""
        word = line.strip().lower()
        if word in ("q", "quit"):
            return self.leave()
        if word in ("?", "help"):
            return Choice(tuple(explanations.menu_help()), self._prompt())
        if self._asking == "what":
            return self._choose(word)
        return self._complete(line.strip())

    def _prompt(self) -> str:
        match self._asking:
            case "what":
                return text("menu.prompt", keys=", ".join(ENTRIES)) + " "
            case "host":
                return text("menu.size_prompt") + " "
            case "join" | "watch":
                return text("menu.room_prompt") + " "
            case "daily":
                return text("menu.daily_prompt") + " "
            case _:
                assert_never(self._asking)

    def _choose(self, word: str) -> Choice:
        match ENTRIES.get(word, word):
            case "race" | "solo" as command:
                return Choice(command=(command, "--plain"))
            case "results" | "me" | "boards" as command:
                return Choice(command=(command,))
            case "host" | "join" | "watch" | "daily" as command:
                self._asking = command
                return Choice(tuple(_question(command)), self._prompt())
            case _:
                keys = ", ".join(ENTRIES)
                line = text("menu.unknown", typed=quoted(word), keys=keys)
                return Choice((line,), self._prompt())

    def _complete(self, typed: str) -> Choice:
        """Complete the command with the size or the room."""
        if self._asking == "host":
            size = size_or_default(typed)
            if isinstance(size, Refusal):
                return Choice((size.text,), self._prompt())
            return Choice(command=("host", "--plain", "--size", str(size)))
        if self._asking == "daily":
            return Choice(
                command=("daily", "--plain", *(["--", typed] if typed else []))
            )
        if not typed:
            return self.begin()
        return Choice(command=(self._asking, "--plain", "--", typed))
