"""Histories of a room from a number each: pure, and judged by the checker.

No sockets and no loop: the room's own functions on a stage, with a disk that is
behind. A crash takes what was not committed; what was told by then must have been.
"""

import random
from dataclasses import dataclass, field
from typing import Any

from tests.checker import Seen, Sent, faults
from tests.server.room_fixture import RoomHarness, solution

from sliderace.engine import format_board
from sliderace.protocol import messages as m
from sliderace.race.refusal import Refusal
from sliderace_server import room
from sliderace_server.room import Connect, Disconnect

__all__ = ["History", "told"]

RULES = m.RulesPatch(size="3x2", countdown_ms=3_000, limit_ms=0, away_ms=300_000)
STEPS = 60


@dataclass(slots=True)
class Player:
    """One member, with a client as simple as can be."""

    seen: Seen
    sent: Sent | None = None
    acked: int = 0
    last: m.Slides | None = None
    online: bool = True
    gen: int = field(default=0)


class History:
    """What becomes of a room and its log.

    Args:
        seed: the same one gives the same history.
    """

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)  # noqa: S311
        self.stage = RoomHarness(RULES)
        self.committed = 0
        self.crashes = 0
        names = ("Ann", "Ben", "Cat")[: self.rng.randint(1, 3)]
        members = [self.stage.enter(name, creator=name == "Ann") for name in names]
        self.players = {one: Player(Seen(one)) for one in members}
        self.stage.start_race(*members)
        self.commit()
        for player in self.players.values():
            player.sent = self.connect(player, 0)

    def connect(self, player: Player, base: int) -> Sent:
        """A new connection, welcomed with what is durable."""
        sent = Sent(self.stage.race, base)
        player.seen.sent.append(sent)
        player.online, player.last = True, None
        return sent

    def commit(self) -> None:
        """The disk has everything; only now is anything acked."""
        self.committed = len(self.stage.log)
        for member, player in self.players.items():
            attempt = room.attempt_of(self.stage.state, member)
            if player.online and attempt is not None and attempt.seq:
                player.seen.acked[self.stage.race] = attempt.seq
                board = format_board(attempt.board)
                player.seen.boards.append((self.stage.race, attempt.seq, board))

    def run(self) -> list[str]:
        """Live it; the faults that the checker finds."""
        for _ in range(STEPS):
            if self.stage.state.phase == "results":
                break
            self._step()
        self.commit()
        seen = [player.seen for player in self.players.values()]
        return faults(self.stage.log, seen)

    def _step(self) -> None:
        member = self.rng.choice(list(self.players))
        player, chance = self.players[member], self.rng.random()
        if chance < 0.6:
            self._slide(member, player)
        elif chance < 0.75:
            self.commit()
        elif chance < 0.82:
            self._hop(member, player)
        elif chance < 0.88:
            self._crash()
        else:
            self.stage.wait(self.rng.choice([1, 40, 1_000, 6_000]))

    def _slide(self, member: int, player: Player) -> None:
        attempt = room.attempt_of(self.stage.state, member)
        if not player.online or attempt is None or attempt.status != "racing":
            return
        if player.last is not None and self.rng.random() < 0.2:
            self._send(member, player, player.last)  # the same again
            return
        way = solution(attempt.board)[: self.rng.randint(1, 3)]
        if self.rng.random() < 0.5:
            way = [self.rng.choice(attempt.board.legal_slides())[0]]
        ahead = self.rng.random() < 0.1  # slides that never arrived lie between
        seq = attempt.seq + 1 + ahead
        stamp = self.rng.randint(0, 99_999)
        slides: list[Any] = [(direction, 1, stamp) for direction in way]
        message = m.Slides(self.stage.race, 0, seq, slides)
        self._send(member, player, message)

    def _send(self, member: int, player: Player, message: m.Slides) -> None:
        assert player.sent is not None
        before = dict(player.sent.slides)
        player.sent.add(message.seq, message.slides)
        outcome = self.stage.ask(member, message)
        if isinstance(outcome, Refusal):
            player.sent.slides = before
        else:
            player.last = message

    def _hop(self, member: int, player: Player) -> None:
        """Another device, or the same one again: the welcome waits for the disk."""
        if self.rng.random() < 0.5:
            self.stage.do(Disconnect(member))
        self.stage.do(Connect(member))
        self.commit()
        attempt = room.attempt_of(self.stage.state, member)
        if attempt is not None:
            player.sent = self.connect(player, attempt.seq)

    def _crash(self) -> None:
        """The log ends where it was committed; everybody comes back."""
        self.crashes += 1
        del self.stage.log[self.committed :]
        reboot = self.rng.random() < 0.3
        step = self.rng.choice([0, 3_600_000, -3_600_000])
        down = self.rng.choice([0, 500, 9_000])
        self.stage.crash(down, reboot=reboot, wall_step=step)
        for member, player in self.players.items():
            player.online = False
            self._hop(member, player)


def told(first: int, count: int) -> int:
    """Live so many histories; how many crashes there were.

    Raises:
        AssertionError: one of them has a fault; its seed is told.
    """
    crashes = 0
    for seed in range(first, first + count):
        history = History(seed)
        found = history.run()
        assert not found, f"seed {seed}: {found}"
        crashes += history.crashes
    return crashes
