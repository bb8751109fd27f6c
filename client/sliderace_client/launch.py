"""How the command line tells a client what to do first."""

import shlex
from dataclasses import dataclass, field
from typing import Literal

from sliderace.protocol.messages import Daily, Join, Quick, RulesPatch, Solo
from sliderace.race.daily import EVENTS, DailyEvent
from sliderace_client.net.locate import join_command
from sliderace_client.shared_ui.settings import Settings

__all__ = ["Start", "StartKind", "daily_event"]

StartKind = Literal["join", "watch", "host", "solo", "menu", "race", "ranked", "daily"]
"""What to show first. `solo` is practice without a room; `race`, `ranked` and `daily`
are rooms that the server chooses or opens."""


def daily_event(size: str) -> DailyEvent:
    """Return the daily event of a board size.

    Raises:
        ValueError: there is none.
    """
    for event in EVENTS:
        if event == size:
            return event
    raise ValueError(size)


@dataclass(frozen=True, slots=True)
class Start:
    """How to begin.

    Args:
        kind: what to show first.
        server: base address such as ``http://192.0.2.7:8710``; empty for solo and menu.
        code: the room's six letters; empty: the server chooses the room.
        name: nickname, cleaned.
        role: race or watch.
        links: where others can join, best first (host).
        size: board size (solo, race, ranked, daily).
        pace_ms: what the user usually needs for it (race); None: unknown.
        seed: scramble of this seed (solo); empty: a random one.
        board: start board as text (solo); it wins over `seed`.
        settings: the user's.
        named: the user gave that name just now, so no seat of another name will do.
        back: the command that enters the room again; empty: there is none.
        ends: the room's server ends with this program, but keeps the room.
    """

    kind: StartKind
    server: str = ""
    code: str = ""
    name: str = ""
    role: Literal["player", "spectator"] = "player"
    links: tuple[str, ...] = ()
    size: str = "4x4"
    pace_ms: int | None = None
    seed: str = ""
    board: str = ""
    settings: Settings = field(default_factory=Settings)
    named: bool = True
    back: str = ""
    ends: bool = False

    @property
    def enter(self) -> Join | Quick | Solo | Daily:
        """The way into the room."""
        match self.kind:
            case "race":
                return Quick(self.size, self.name, self.pace_ms)
            case "ranked":
                return Solo(self.name, RulesPatch(size=self.size))
            case "daily":
                return Daily(daily_event(self.size), self.name)
            case _:
                return Join(self.code, self.name, self.role)

    def way_back(self, *, others: bool, code: str = "") -> str:
        """Return the command that enters the room again; empty if it cannot help.

        Args:
            others: whether other members are in the room.
            code: the room's, if the server has chosen it.
        """
        if self.kind in ("race", "ranked", "daily") and self.ends:
            return ""
        if self.kind == "race" and code:
            return join_command(f"{self.server}/{code}", self.name)
        if self.kind == "daily":
            return shlex.join(
                ["sliderace", "daily", self.size, "--server", self.server]
            )
        return self.back if others or not self.ends else ""
