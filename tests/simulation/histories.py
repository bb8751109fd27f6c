"""Histories of a room, each from a seed, checked by the log checker.

They use the room's pure functions, without sockets and event loop. The disk lags
behind: a crash loses what was not committed, but nothing that was acknowledged.
"""

import random
from dataclasses import dataclass, field
from typing import Any

from tests.log_checker import Observed, Sent, faults
from tests.server.room_fixture import RoomHarness, solution

from sliderace.engine import format_board
from sliderace.protocol import messages as m
from sliderace.race.refusal import Refusal
from sliderace_server import room
from sliderace_server.room import Connect, Disconnect

__all__ = ["History", "run_histories"]

RULES = m.RulesPatch(size="3x2", countdown_ms=3_000, limit_ms=0, away_ms=300_000)
STEPS = 60


@dataclass(slots=True)
class Player:
    """A member with the simplest possible client."""

    observed: Observed
    sent: Sent | None = None
    acked: int = 0
    last: m.Slides | None = None
    online: bool = True
    gen: int = field(default=0)


class History:
    """A room and its log.

    Args:
        seed: the same seed gives the same history.
    """

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)  # noqa: S311
        self.stage = RoomHarness(RULES)
        self.committed = 0
        self.crashes = 0
        names = ("Ann", "Ben", "Cat")[: self.rng.randint(1, 3)]
        members = [self.stage.enter(name, creator=name == "Ann") for name in names]
        self.players = {one: Player(Observed(one)) for one in members}
        self.stage.start_race(*members)
        self.commit()
        for player in self.players.values():
            player.sent = self.connect(player, 0)

    def connect(self, player: Player, base: int) -> Sent:
        """Open a new connection; its `welcome` states the durable seq."""
        sent = Sent(self.stage.race, base)
        player.observed.sent.append(sent)
        player.online, player.last = True, None
        return sent

    def commit(self) -> None:
        """Commit all records, then acknowledge the slides among them."""
        self.committed = len(self.stage.log)
        for member, player in self.players.items():
            attempt = room.attempt_of(self.stage.state, member)
            if player.online and attempt is not None and attempt.seq:
                player.observed.acked[self.stage.race] = attempt.seq
                board = format_board(attempt.board)
                player.observed.boards.append((self.stage.race, attempt.seq, board))

    def run(self) -> list[str]:
        """Run the history; return the faults that the log checker finds."""
        for _ in range(STEPS):
            if self.stage.state.phase == "results":
                break
            self._step()
        self.commit()
        observed = [player.observed for player in self.players.values()]
        return faults(self.stage.log, observed)

    def _step(self) -> None:
        member = self.rng.choice(list(self.players))
        player, chance = self.players[member], self.rng.random()
        if chance < 0.6:
            self._slide(member, player)
        elif chance < 0.75:
            self.commit()
        elif chance < 0.82:
            self._reconnect(member, player)
        elif chance < 0.88:
            self._crash()
        else:
            self.stage.wait(self.rng.choice([1, 40, 1_000, 6_000]))

    def _slide(self, member: int, player: Player) -> None:
        attempt = room.attempt_of(self.stage.state, member)
        if not player.online or attempt is None or attempt.status != "racing":
            return
        if player.last is not None and self.rng.random() < 0.2:
            self._send(member, player, player.last)  # a duplicate
            return
        directions = solution(attempt.board)[: self.rng.randint(1, 3)]
        if self.rng.random() < 0.5:
            directions = [self.rng.choice(attempt.board.legal_slides())[0]]
        gap = self.rng.random() < 0.1  # an earlier slide never arrived
        seq = attempt.seq + 1 + gap
        stamp = self.rng.randint(0, 99_999)
        slides: list[Any] = [(direction, 1, stamp) for direction in directions]
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

    def _reconnect(self, member: int, player: Player) -> None:
        """Reconnect, on the same or another device; the welcome waits for the disk."""
        if self.rng.random() < 0.5:
            self.stage.do(Disconnect(member))
        self.stage.do(Connect(member))
        self.commit()
        attempt = room.attempt_of(self.stage.state, member)
        if attempt is not None:
            player.sent = self.connect(player, attempt.seq)

    def _crash(self) -> None:
        """Lose all records that were not committed; then all players reconnect."""
        self.crashes += 1
        del self.stage.log[self.committed :]
        reboot = self.rng.random() < 0.3
        step = self.rng.choice([0, 3_600_000, -3_600_000])
        down = self.rng.choice([0, 500, 9_000])
        self.stage.crash(down, reboot=reboot, wall_step=step)
        for member, player in self.players.items():
            player.online = False
            self._reconnect(member, player)


def run_histories(first: int, count: int) -> int:
    """Run histories of consecutive seeds; return how many crashes they contain.

    Raises:
        AssertionError: a history has a fault; the message contains its seed.
    """
    crashes = 0
    for seed in range(first, first + count):
        history = History(seed)
        found = history.run()
        assert not found, f"seed {seed}: {found}"
        crashes += history.crashes
    return crashes
