"""A race line by line: over a slow line, with a screen reader, in a pipe.

Moves are typed as in solo (`sliderace_client.line_ui.grammar`), all else is a word.
"""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress

from sliderace.engine import parse_board
from sliderace.protocol import messages as m
from sliderace.protocol.room_code import format_code
from sliderace.texts import text
from sliderace_client import exit_codes
from sliderace_client.launch import Start
from sliderace_client.line_ui import explanations
from sliderace_client.line_ui.answers import Refusal, shown
from sliderace_client.line_ui.board_text import Style
from sliderace_client.line_ui.commentary import Commentary
from sliderace_client.line_ui.grammar import Grammar, moved, possible
from sliderace_client.line_ui.own_keys import Keys, keys_of
from sliderace_client.line_ui.typed_input import Typed
from sliderace_client.net.connection import Client
from sliderace_client.net.http import Unreachable
from sliderace_client.net.seats import SeatFile, claim
from sliderace_client.race_records import save_record
from sliderace_client.room.outcomes import PhaseChanged
from sliderace_client.room.outputs import Note
from sliderace_client.shared_ui import solve_figures, wording
from sliderace_client.shared_ui.settings import Settings
from sliderace_client.shared_ui.wording import duration, place, round_trip

__all__ = ["enter", "race"]

Say = Callable[[str], None]
QUIT = ("q", "quit", "exit")
BRIEF = "help lists what can be typed; q leaves"
NO_UNDO = (
    "There is no undo in a race: every slide counts. It takes back a forfeit only."
)


def own_keys(settings: Settings) -> Keys:
    """The player's own keys; where they cannot be used, the usual ones."""
    usual = Keys(gap=settings.keys == "gap")
    keys = keys_of(settings.own_keys, usual)
    return usual if isinstance(keys, Refusal) else keys


def enter(start: Start, typed: Typed, say: Say) -> int:
    """Enter a room line by line; the exit code."""
    seat = None
    if start.role == "player":
        seat = claim(start.code, start.name, any_name=not start.named)
    try:
        return asyncio.run(
            race(
                start.server,
                m.Join(start.code, start.name, start.role),
                seat=seat,
                typed=typed,
                say=say,
                keys=own_keys(start.settings),
                back=start.back,
            )
        )
    finally:  # Ctrl-C comes this way too
        say(explanations.GOODBYE)
        if seat is not None:
            seat.release()


async def race(
    server: str,
    enter: m.Join,
    *,
    seat: SeatFile | None,
    typed: Typed,
    say: Say,
    keys: Keys,
    back: str = "",
) -> int:
    """Be in a room, line by line, until it is over for us or the input ends.

    Args:
        server: base address.
        enter: how to enter.
        seat: where the seat's token is kept.
        typed: what the user types; its end means to go, if it is a terminal's.
        say: shows a line.
        keys: the player's own.
        back: the command that enters again; said where we go and the seat is kept.

    Returns:
        The exit code.
    """
    table = _Table(server, enter, seat, say, keys)
    lines: asyncio.Queue[str | None] = asyncio.Queue()
    over = threading.Event()
    _read_in_thread(typed, lambda: not over.is_set(), lines)
    try:
        async with asyncio.TaskGroup() as tasks:
            living = tasks.create_task(table.client.run())
            listening = tasks.create_task(table.listen(lines))
            telling = tasks.create_task(table.tell())
            await asyncio.wait([living, listening], return_when=asyncio.FIRST_COMPLETED)
            stopped = not living.done()
            living.cancel()
            listening.cancel()
            telling.cancel()
    finally:  # Ctrl-C comes this way too
        over.set()
        view = table.client.view
        if back and view.welcomed and not view.ended:
            say(text("room.seat_kept", command=back))
    if stopped:
        return exit_codes.OK
    ending = living.result()
    say(wording.ending(ending.why))
    return ending.exit_code


def _read_in_thread(
    typed: Typed, wanted: Callable[[], bool], lines: "asyncio.Queue[str | None]"
) -> None:
    """Hand over what is typed; a thread of its own, as a read cannot be called off."""
    loop = asyncio.get_running_loop()

    def tell(line: str | None) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody listens any more
            loop.call_soon_threadsafe(lines.put_nowait, line)

    def read() -> None:
        while (line := typed.read_while(wanted)) is not None:
            tell(line)
        if typed.is_terminal:
            tell(None)

    threading.Thread(target=read, daemon=True).start()


class _Table:
    """A room told and played in lines."""

    def __init__(
        self,
        server: str,
        enter: m.Join,
        seat: SeatFile | None,
        say: Say,
        keys: Keys,
    ) -> None:
        self._say = say
        self._server = server
        self._grammar = Grammar(keys, Style())
        self._commentary = Commentary()
        self._changed = asyncio.Event()
        self._told: str = ""
        self._greeted = False
        self.client = Client(
            server,
            enter,
            seat=seat,
            on_change=self._look,
            on_note=self._note,
        )

    # --- What happens ----------------------------------------------------------------

    def _look(self) -> None:
        """Tell what is new and needs more than its note."""
        self._changed.set()
        view = self.client.view
        if view.room is not None and view.myself is not None and not self._greeted:
            self._greeted = True
            code, size = format_code(view.room.code), view.room.rules.size
            self._say(f"Room {code}, {size}. You are {view.myself.name}.")
            plays = "ready says that you will race; " if view.is_player else ""
            self._say(plays + BRIEF)
        if view.race == self._told:
            return
        if view.racing:
            self._told = view.race
            self.client.painted()
            self._say(self._grammar.keys.told())
            self._board()
        elif view.phase == "racing" and view.start and view.lane is None:
            self._told = view.race
            self._say_all(["", *Style().lines(parse_board(view.start)), ""])

    def _note(self, note: Note) -> None:
        self._say(wording.news(note.news))
        if note.news == PhaseChanged("results"):
            self._standings()
            self._marks()

    async def tell(self) -> None:
        """Say now and then how the others are doing."""
        view = self.client.view
        while True:
            self._changed.clear()
            running = view.race if view.phase in ("racing", "grace") else ""
            now, lanes = self.client.now(), view.order()
            self._say_all(self._commentary.look(running, lanes, view.seat, now))
            due = self._commentary.due
            if due is None:
                await self._changed.wait()
            else:
                await asyncio.sleep((due - now) / 1000)

    # --- What is typed ---------------------------------------------------------------

    async def listen(self, lines: "asyncio.Queue[str | None]") -> None:
        """Do what is typed, until that means to go."""
        while (line := await lines.get()) is not None:
            word = line.strip().lower()
            if word in QUIT:
                return
            if word == "save":
                await self._save()
            else:
                self._do(line)

    def _do(self, line: str) -> None:
        words = line.lower().split()
        commands, shows = self._commands(), self._shows()
        if words and all(word in commands or word in shows for word in words):
            for word in words:
                shows[word]() if word in shows else self._send(commands[word])
        elif words and words[0] == "board":
            self._board_of(" ".join(words[1:]))
        elif self.client.view.racing:
            self._slide(line) if words else self._board()
        elif words:
            self._say(f"{shown(line.strip())} is not known here; help lists what is.")

    def _send(self, command: m.Command) -> None:
        view = self.client.view
        if isinstance(command, m.Undo) and not view.can_undo(self.client.now()):
            self._say(NO_UNDO)
        elif not view.race or not self.client.ask(command):
            self._say("there is no connection at the moment")

    def _slide(self, line: str) -> None:
        view = self.client.view
        assert view.board is not None  # noqa: S101 - who races has one
        moves = self._grammar.read(line, view.board)
        if isinstance(moves, Refusal):
            self._say(moves.text)
            return
        waits = view.locked(self.client.now())
        if waits:
            self._say(f"Not yet: the board opens in {duration(waits)}")
            return
        for move in moves:
            self.client.slide(*move.slide)
        self._say(moved(moves, Style()))
        self._board()

    async def _save(self) -> None:
        """Store the record of the last race in the current folder."""
        told = self.client.view.results
        if told is None:
            self._say("There is no race to save yet.")
            return
        saving = asyncio.to_thread(save_record, self._server, told.race, told.record)
        try:
            self._say(f"Saved: {await saving}")
        except Unreachable as error:
            self._say(str(error))
        except OSError as error:
            self._say(f"Cannot write the record: {error.strerror}")

    def _shows(self) -> dict[str, Callable[[], None]]:
        help_ = self._help
        return {
            "help": help_,
            "?": help_,
            "who": self._who,
            "standings": self._standings,
            "board": self._board,
            "signals": self._signals,
        }

    def _commands(self) -> dict[str, m.Command]:
        race, now = self.client.view.race, self.client.view.phase
        # Two words for one wish: to race next, whether or not somebody asked already.
        ready, again = m.Ready(race), m.Rematch(race)
        return {
            "ready": again if now == "results" else ready,
            "unready": m.Ready(race, on=False),
            "start": m.Start(race),
            "rematch": ready if now == "lobby" else again,
            "forfeit": m.Forfeit(race),
            "undo": m.Undo(race),
            "leave": m.Leave(),
        }

    # --- What is shown ---------------------------------------------------------------

    def _say_all(self, lines: list[str]) -> None:
        for line in lines:
            self._say(line)

    def _help(self) -> None:
        keys, style = self._grammar.keys, self._grammar.style
        self._say_all(explanations.how_to_race(keys, style))

    def _board(self) -> None:
        """Our board and what can be done; who watches sees the leader's."""
        view = self.client.view
        if view.board is None:
            self._board_of("")
            return
        self._say_all(["", *self._grammar.style.lines(view.board), ""])
        time = duration(view.clock(self.client.now()) or 0)
        self._say(f"Moves {view.stm} (MTM {view.mtm}), time {time}")
        if view.racing:
            moves = possible(view.board, self._grammar.keys, self._grammar.style)
            self._say(f"{moves}; help")

    def _board_of(self, name: str) -> None:
        """The board of a racer, or of the first who can be seen."""
        for lane in self.client.view.order():
            if lane.board is not None and lane.name.lower().startswith(name):
                self._say(f"{lane.name}, {lane.high // 10} %:")
                self._say_all(["", *Style().lines(lane.board), ""])
                return
        self._say("There is no such board to be seen now.")

    def _who(self) -> None:
        view = self.client.view
        for member in view.members.values():
            far = (
                round_trip(view.latencies.get(member.id))
                if member.connected
                else "away"
            )
            state = "ready" if member.ready else "not ready"
            state = "spectator" if member.role == "spectator" else state
            words = [member.name, "bot" if member.bot else "", state, far]
            self._say("  ".join(filter(None, words)))

    def _standings(self) -> None:
        view = self.client.view
        for lane in view.order():
            shown = place(lane.place, final=lane.final) if lane.place else "-"
            time = (
                lane.status.upper() if lane.time_ms is None else duration(lane.time_ms)
            )
            far = round_trip(view.latencies.get(lane.member or 0))
            words = [lane.name, far, time, f"{lane.high // 10} %"]
            self._say(f"{shown:>5}  " + "  ".join(filter(None, words)))

    def _marks(self) -> None:
        """What stands beside the times of the results."""
        results = self.client.view.results
        for row in results.standings if results else ():
            if row.photo:
                self._say(f"{row.name}: photo finish, the lines may have decided")
            if row.outage_ms:
                self._say(f"{row.name}: {row.outage_ms} ms credit for a server failure")
        if results is not None and results.friendly_timing:
            self._say(text("results.friendly"))

    def _signals(self) -> None:
        view = self.client.view
        if view.signals is None:
            self._say("no signals: the host has them after a race")
            return
        names = {
            lane.seat: lane.name + (" (bot)" if lane.bot else "")
            for lane in view.lanes.values()
        }
        for line in solve_figures.sentences(view.signals.signals, names):
            self._say(line)
