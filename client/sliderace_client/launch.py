"""How the command line tells a client what to do first."""

from dataclasses import dataclass, field
from typing import Literal

from sliderace_client.shared_ui.settings import Settings

__all__ = ["Start"]


@dataclass(frozen=True, slots=True)
class Start:
    """How to begin.

    Args:
        kind: what to show first.
        server: base address such as ``http://192.0.2.7:8710``; empty for solo and menu.
        code: the room's six letters.
        name: nickname, cleaned.
        role: race or watch.
        links: where others can join, best first (host).
        size: board size (solo).
        seed: scramble of this seed (solo); empty: a random one.
        board: start board as text (solo); it wins over `seed`.
        settings: the user's.
        named: the user gave that name just now, so no seat of another name will do.
        back: the command that enters the room again; empty: there is none.
        ends: the room's server ends with this program, but keeps the room.
    """

    kind: Literal["join", "watch", "host", "solo", "menu"]
    server: str = ""
    code: str = ""
    name: str = ""
    role: Literal["player", "spectator"] = "player"
    links: tuple[str, ...] = ()
    size: str = "4x4"
    seed: str = ""
    board: str = ""
    settings: Settings = field(default_factory=Settings)
    named: bool = True
    back: str = ""
    ends: bool = False

    def way_back(self, *, others: bool) -> str:
        """Return the command that enters the room again; empty if it cannot help.

        Args:
            others: whether other members are in the room.
        """
        return self.back if others or not self.ends else ""
