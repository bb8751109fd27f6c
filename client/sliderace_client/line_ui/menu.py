"""The menu in lines: what one may want to do, and what must be known for it."""

from dataclasses import dataclass
from typing import Final, Literal, assert_never

from sliderace_client.line_ui import explanations
from sliderace_client.line_ui.answers import Refusal, shown, size_of

__all__ = ["Choice", "Menu"]

ENTRIES: Final = {
    "h": ("host", "open a room for friends"),
    "j": ("join", "enter a room by its code"),
    "w": ("watch", "see a race as it happens"),
    "s": ("solo", "play alone, without a network"),
    "r": ("results", "past races"),
    "q": ("quit", ""),
}
"""Key, word and explanation."""
ROOM: Final = "Room code or link (Enter: back): "


@dataclass(frozen=True, slots=True)
class Choice:
    """What is answered.

    Args:
        lines: to be shown.
        prompt: the next question; empty when there is none.
        command: the command line that was chosen.
    """

    lines: tuple[str, ...] = ()
    prompt: str = ""
    command: tuple[str, ...] = ()


class Menu:
    """From the first question to a command line."""

    def __init__(self) -> None:
        self._asking: Literal["what", "host", "join", "watch"] = "what"

    def begin(self) -> Choice:
        """The menu itself."""
        self._asking = "what"
        lines = (
            f"  {key}  {word:<8} {text}".rstrip()
            for key, (word, text) in ENTRIES.items()
        )
        head = "sliderace: race friends on the same sliding tiles"
        return Choice((head, *lines), self._prompt())

    def leave(self) -> Choice:
        """The end, also of the input, and after Ctrl-C."""
        return Choice((explanations.GOODBYE,))

    def feed(self, line: str) -> Choice:
        """Take a line, without its end."""
        word = line.strip().lower()
        if word in ("q", "quit"):
            return self.leave()
        if word in ("?", "help"):
            return self._help()
        if self._asking == "what":
            return self._chosen(word)
        return self._told(line.strip())

    def _help(self) -> Choice:
        return Choice((*explanations.MENU_HELP, *explanations.TIPS), self._prompt())

    def _prompt(self) -> str:
        match self._asking:
            case "what":
                return f"Your choice ({', '.join(ENTRIES)}, help): "
            case "host":
                return "Size of the board (Enter: 4): "
            case "join" | "watch":
                return ROOM
            case _:
                assert_never(self._asking)

    def _chosen(self, word: str) -> Choice:
        match ENTRIES.get(word, (word, ""))[0]:
            case "solo":
                return Choice(command=("solo", "--plain"))
            case "results":
                return Choice(command=("results",))
            case "host" | "join" | "watch" as what:
                self._asking = what
                lines = explanations.SIZE_QUESTION if what == "host" else ()
                return Choice(lines, self._prompt())
            case _:
                known = ", ".join(ENTRIES)
                text = f"{shown(word)}? Please type one of {known}, or help."
                return Choice((text,), self._prompt())

    def _told(self, text: str) -> Choice:
        """The size or the room that was asked for."""
        if self._asking == "host":
            size = size_of(text)
            if isinstance(size, Refusal):
                return Choice((size.text,), self._prompt())
            return Choice(command=("host", "--plain", "--size", str(size)))
        if not text:
            return self.begin()
        return Choice(command=(self._asking, "--plain", "--", text))
