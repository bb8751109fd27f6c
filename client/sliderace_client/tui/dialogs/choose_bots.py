"""The dialog in which the host chooses bots of the server."""

from collections.abc import Callable, Sequence

from sliderace.protocol.messages import Bots, BotWanted
from sliderace.texts import text
from sliderace_client.room.server_bots import LEVELS
from sliderace_client.shared_ui.render import Look
from sliderace_client.tui.dialogs.choices import ChoiceDialog, following

__all__ = ["BotsDialog"]

BOT_ROWS = 6
"""As many bots as a server allows by default."""
PACES_S = (1, 2, 3, 4, 5, 7, 10, 12, 15, 20, 25, 30, 45, 60, 90, 120, 180, 300, 600)


class BotsDialog(ChoiceDialog):
    """The host chooses the bots of the server that are in the room.

    Args:
        look: colours.
        bots: the current ones.
        send: sends the changes.
    """

    def __init__(
        self, look: Look, bots: Sequence[BotWanted], send: Callable[[Bots], object]
    ) -> None:
        super().__init__(look, text("tui.bots.title"))
        empty: list[BotWanted | None] = [None] * (BOT_ROWS - len(bots))
        self._old = [*bots]
        self._bots = [*bots, *empty]
        paces = (bot.pace_ms for bot in bots if bot.pace_ms is not None)
        self._pace_ms = next(paces, 15_000)
        self._send = send

    def pairs(self) -> list[tuple[str, str]]:  # noqa: D102
        return [
            *(
                (text("tui.bots.bot", number=number), self._words(bot))
                for number, bot in enumerate(self._bots, 1)
            ),
            (text("tui.bots.pace"), self._seconds(self._pace_ms)),
        ]

    def _words(self, bot: BotWanted | None) -> str:
        if bot is None:
            return text("tui.bots.none")
        if bot.pace_ms is None:
            return text(f"level.{bot.level}")
        return self._seconds(bot.pace_ms)

    def _seconds(self, ms: int) -> str:
        return text("tui.bots.seconds", seconds=f"{ms / 1_000:g}")

    def change(self, row: int, step: int) -> None:  # noqa: D102
        if row < len(self._bots):
            own = BotWanted(pace_ms=self._pace_ms)
            skills = [None, *(BotWanted(level) for level in LEVELS), own]
            self._bots[row] = following(skills, self._bots[row], step)
            return
        before = BotWanted(pace_ms=self._pace_ms)
        paces = [seconds * 1_000 for seconds in PACES_S]
        self._pace_ms = following(paces, self._pace_ms, step)
        after = BotWanted(pace_ms=self._pace_ms)
        self._bots = [after if bot == before else bot for bot in self._bots]

    def apply(self) -> None:  # noqa: D102
        bots = [bot for bot in self._bots if bot is not None]
        if bots != self._old:
            self._send(Bots(bots))
