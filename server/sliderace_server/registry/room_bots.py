"""The bots of the server in its rooms: how many, with which tokens, and for how long.

`sliderace_server.room.bots` says which bots a room has; `bot_process` runs them.
"""

from collections.abc import Callable, Mapping

from sliderace.race.refusal import Refusal
from sliderace_server import room
from sliderace_server.limits import client_key
from sliderace_server.registry import matchmaking
from sliderace_server.registry.actor import RoomActor
from sliderace_server.registry.bot_process import BotProcess, BotSeat
from sliderace_server.registry.seat_tickets import hashed
from sliderace_server.registry.services import Services
from sliderace_server.room import RoomState

__all__ = ["RoomBots"]

ROOMS_WITH_BOTS = 5
"""Quick rooms that one address has opened and that have bots at a time: a class fills
five with people, and otherwise one address could use up all bots."""


class RoomBots:
    """The bots of the server in the rooms of this process.

    Args:
        services: what all rooms share.
        rooms: code -> open room.
        failing: returns whether something cannot be stored now.

    Attributes:
        process: the process in which they play.
    """

    def __init__(
        self,
        services: Services,
        rooms: Mapping[str, RoomActor],
        failing: Callable[[], bool],
    ) -> None:
        self._services = services
        self._rooms = rooms
        self._failing = failing
        self._had_bots: dict[str, None] = {}
        now_ms, certificate = services.clock.now_ms, services.settings.tls_cert
        self.process = BotProcess(services.spawn, now_ms, self._all_seats, certificate)

    def count(self) -> int:
        """Return how many there are."""
        return sum(len(room.server_bots(one.state)) for one in self._rooms_with_bots())

    def start(self, url: str) -> None:
        """Note where bots reach this server; let those of recovered rooms play."""
        self.process.url = url
        if seats := self._all_seats():
            self.process.play(seats)

    def refusal(self, actor: RoomActor, count: int) -> Refusal | None:
        """Return why a room cannot have so many bots; it checks its own limit."""
        if not count:
            return None
        if self._failing():
            return Refusal("storage_unavailable", retry_ms=5_000)
        most = self._most(actor)
        if count > most:
            return Refusal("too_many_bots", "want", str(count), allowed=(0, most))
        return self.process.refusal()

    def match(self, actor: RoomActor, *expected: int) -> None:
        """Let bots enter or leave a quick room as its people come and go.

        Args:
            actor: the room.
            expected: what people who are about to enter usually need, in ms.
        """
        state = actor.state
        if state.kind != "quick" or not state.between_races:
            return
        present = room.server_bots(state)
        more = 0
        if not (self._failing() or self.process.refusal() or self._has_share(actor)):
            most = self._services.settings.limits.room.bots
            more = min(most, self._most(actor)) - len(present)
        want = matchmaking.wanted_bots(state, actor.now, more, expected)
        if sorted(one.pace_ms or 0 for one in want) != sorted(
            one.pace_ms or 0 for one in present
        ):
            newest = state.last_member
            actor.set_bots(want, self.token_hashes(actor, len(want)))
            self.play(actor, newest)

    def token_hashes(self, actor: RoomActor, count: int) -> list[str]:
        """Return the token hashes of the next members of a room."""
        last = actor.state.last_member
        return [hashed(self._token(actor.state, last + 1 + n)) for n in range(count)]

    def play(self, actor: RoomActor, newer_than: int = 0) -> None:
        """Let those bots of a room play that entered after a member."""
        if seats := self._seats(actor.state, newer_than):
            self._had_bots[actor.code] = None
            self.process.play(seats)

    def _most(self, actor: RoomActor) -> int:
        """Return how many bots of the server a room may have beside all others."""
        others = self.count() - len(room.server_bots(actor.state))
        others += sum(report.bots for report in self._services.processes.reports())
        return max(0, self._services.settings.limits.total_bots - others)

    def _has_share(self, actor: RoomActor) -> bool:
        """Return whether bots play in enough other quick rooms of its opener."""
        opener = client_key(actor.opener or "")
        count = sum(
            client_key(one.opener or "") == opener
            for one in self._rooms_with_bots()
            if one is not actor and one.state.kind == "quick"
        )
        return bool(opener) and count >= ROOMS_WITH_BOTS

    def _rooms_with_bots(self) -> list[RoomActor]:
        """Return the rooms that have bots: of thousands, only few can."""
        had = [self._rooms[code] for code in self._had_bots if code in self._rooms]
        have = [actor for actor in had if room.server_bots(actor.state)]
        self._had_bots = dict.fromkeys(actor.code for actor in have)
        return have

    def _token(self, state: RoomState, member: int) -> str:
        """Return the token of a bot; it is not stored, but the same after a restart."""
        purpose = f"bot/v1 {state.code} {state.created_s} {member}"
        return self._services.key.secret(purpose)[:16].hex()

    def _seats(self, state: RoomState, newer_than: int = 0) -> list[BotSeat]:
        return [
            BotSeat(state.code, self._token(state, one.id), one.level, one.pace_ms)
            for one in room.server_bots(state)
            if one.id > newer_than
        ]

    def _all_seats(self) -> list[BotSeat]:
        have = self._rooms_with_bots()
        return [seat for actor in have for seat in self._seats(actor.state)]
