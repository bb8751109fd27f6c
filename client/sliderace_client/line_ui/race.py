"""A race in line mode, for slow connections, screen readers and pipes.

Moves are typed as in solo (`sliderace_client.line_ui.grammar`); everything else is a
word. Three tasks share one `_Room`: the connection prints news as it arrives, one task
carries out typed lines, one reports the rivals' progress.
"""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from sliderace.engine import parse_board
from sliderace.protocol import limits, messages as m
from sliderace.protocol.codes import refusal_text
from sliderace.protocol.names import typed_fault, typed_name
from sliderace.protocol.room_code import format_code
from sliderace.texts import text
from sliderace_client import exit_codes
from sliderace_client.launch import Start
from sliderace_client.line_ui import explanations
from sliderace_client.line_ui.answers import Refusal, bots_of, quoted, series_of
from sliderace_client.line_ui.board_text import Style
from sliderace_client.line_ui.commentary import Commentary
from sliderace_client.line_ui.grammar import Grammar, moved, possible
from sliderace_client.line_ui.own_keys import Keys, keys_of
from sliderace_client.line_ui.typed_input import TypedInput
from sliderace_client.net.connection import PATIENCE_S, Client
from sliderace_client.net.http import Unreachable
from sliderace_client.net.seats import SeatFile, claim
from sliderace_client.own_profile import (
    ProfileError,
    keep as keep_profile,
    own_secret,
)
from sliderace_client.race_records import save_record
from sliderace_client.room.entry import WayIn
from sliderace_client.room.outcomes import PhaseChanged, Reaction
from sliderace_client.room.outputs import Note
from sliderace_client.shared_ui import solve_figures, wording
from sliderace_client.shared_ui.series_text import (
    has_begun,
    own_score,
    series_line,
    table_lines,
)
from sliderace_client.shared_ui.settings import Settings, remember_name
from sliderace_client.shared_ui.wording import duration, place, round_trip

__all__ = ["enter", "race"]

Say = Callable[[str], None]
QUIT = ("q", "quit", "exit")


def _own_keys(settings: Settings) -> Keys:
    """Return the player's own keys; the usual ones if those cannot be used."""
    usual = Keys(gap=settings.keys == "gap")
    keys = keys_of(settings.own_keys, usual)
    return usual if isinstance(keys, Refusal) else keys


def enter(start: Start, typed: TypedInput, say: Say) -> int:
    """Enter a room in lines; return the exit code."""
    seat = profile = None
    if start.role == "player":
        if start.code:
            seat = claim(start.code, start.name, any_name=not start.named)
        profile = own_secret(start.server)
    try:
        return asyncio.run(
            race(
                start.server,
                start.enter,
                seat=seat,
                profile=profile,
                typed=typed,
                say=say,
                keys=_own_keys(start.settings),
                way_back=start.way_back,
                remember=partial(remember_name, start.settings),
            )
        )
    finally:  # also after Ctrl-C
        say(text("line.goodbye"))
        if seat is not None:
            seat.release()


async def race(
    server: str,
    enter: WayIn,
    *,
    seat: SeatFile | None,
    typed: TypedInput,
    say: Say,
    keys: Keys,
    profile: str | None = None,
    way_back: Callable[..., str] | None = None,
    remember: Say | None = None,
) -> int:
    """Stay in a room until our stay ends or the user leaves.

    Args:
        server: base address.
        enter: how to enter.
        seat: where the seat's token is kept.
        typed: the user's input; at a terminal, its end means leaving. Otherwise we
            stay, but do not wait for a dead server forever.
        say: shows a line.
        keys: the player's own.
        profile: secret of our profile; None: we are a guest.
        way_back: returns the command that enters again (see `Start`); it is shown if we
            leave and the seat is kept.
        remember: stores a nickname for the next time.

    Returns:
        The exit code.
    """
    room = _Room(server, enter, seat, profile, say, keys, remember)
    lines: asyncio.Queue[str | None] = asyncio.Queue()
    over = threading.Event()
    _read_in_thread(typed, lambda: not over.is_set(), lines)
    try:
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(room.client.run())
            there = typed.is_terminal
            listening = tasks.create_task(room.listen(lines, leave_at_end=there))
            commenting = tasks.create_task(room.comment())
            await asyncio.wait(
                [running, listening], return_when=asyncio.FIRST_COMPLETED
            )
            stopped = not running.done()
            running.cancel()
            listening.cancel()
            commenting.cancel()
    finally:  # also after Ctrl-C
        over.set()
        view = room.client.view
        others = len(view.members) > 1
        back = way_back(others=others, code=view.code) if way_back else ""
        left = view.ended is not None or (view.is_alone and view.results is not None)
        if back and view.welcomed and not left:
            say(text("room.seat_kept", command=back))
    if stopped:
        return exit_codes.OK
    ending = running.result()
    say(wording.ending(ending.why))
    return ending.exit_code


def _read_in_thread(
    typed: TypedInput, wanted: Callable[[], bool], lines: "asyncio.Queue[str | None]"
) -> None:
    """Put typed lines into the queue; a read cannot be cancelled, hence the thread."""
    loop = asyncio.get_running_loop()

    def put(line: str | None) -> None:
        with suppress(RuntimeError):  # the loop is closed, so nobody reads the lines
            loop.call_soon_threadsafe(lines.put_nowait, line)

    def read() -> None:
        while (line := typed.read_while(wanted)) is not None:
            put(line)
        put(None)

    threading.Thread(target=read, daemon=True).start()


class _Room:
    """A room shown and played in lines."""

    def __init__(
        self,
        server: str,
        enter: WayIn,
        seat: SeatFile | None,
        profile: str | None,
        say: Say,
        keys: Keys,
        remember: Say | None,
    ) -> None:
        self._say = say
        self._remember = remember
        self._server = server
        self._grammar = Grammar(keys, Style())
        self._commentary = Commentary()
        self._changed = asyncio.Event()
        self._begun: str = ""
        self._greeted = False
        self._skipped = ""
        self.client = Client(
            server,
            enter,
            seat=seat,
            claim=claim,
            profile=profile,
            on_change=self._look,
            on_note=self._note,
        )
        self._view = self.client.view

    # --- News ----------------------------------------------------------------------

    def _look(self) -> None:
        """Show changes that no note announces: our entry, and the board."""
        self._changed.set()
        view, room = self._view, self._view.room
        if room is not None and view.myself is not None and not self._greeted:
            self._greeted = True
            self._greet(room, view.myself)
        if view.phase == "results" and view.race == self._skipped:
            self._next()
        if view.race == self._begun:
            return
        if view.racing:
            self._begun = view.race
            self.client.painted()
            self._say(self._grammar.keys.sentence())
            self._board()
        elif view.phase == "racing" and view.start and view.lane is None:
            self._begun = view.race
            self._say_all(["", *Style().lines(parse_board(view.start)), ""])
            if room is not None and room.kind == "quick" and view.may_race:
                self._say(text("room.race_next"))

    def _greet(self, room: m.Room, myself: m.Member) -> None:
        values = {"size": room.rules.size, "name": myself.name, "day": room.day}
        code, kind = format_code(room.code), room.kind
        if kind in ("solo", "daily"):
            self._say(text(f"room.greeting_{kind}", **values))
        else:
            self._say(text("room.greeting", code=code, **values))
        if kind != "room":
            self._say(text(f"room.brief_{kind}"))
        else:
            player = self._view.is_player
            self._say(text("room.brief_player" if player else "room.brief_spectator"))

    def _note(self, note: Note) -> None:
        if isinstance(note.news, Reaction) and self._view.in_race:
            return  # a screen reader would speak it in the middle of the race
        self._say(wording.news(note.news))
        if note.news == PhaseChanged("results"):
            self._standings()
            self._marks()
            if self._view.may_keep:
                self._say(text("room.may_keep"))
            self._after_race()

    def _after_race(self) -> None:
        """Say how it goes on in a room without a host."""
        view = self._view
        left = view.next_race_in(self.client.now())
        if left is not None:
            self._say(text("next.starts", seconds=-(-left // 1000)))
        elif view.kind == "solo":
            if score := own_score(view.series):
                self._say(score)
            self._say(text("room.next"))

    async def comment(self) -> None:
        """Report now and then how the other racers are doing."""
        view = self._view
        while True:
            self._changed.clear()
            race = view.race if view.phase in ("racing", "grace") else ""
            now, lanes = self.client.now(), view.order()
            self._say_all(self._commentary.look(race, lanes, view.seat, now))
            due = self._commentary.due
            if due is None:
                await self._changed.wait()
            else:
                await asyncio.sleep((due - now) / 1000)

    # --- Typed lines ----------------------------------------------------------------

    async def listen(
        self, lines: "asyncio.Queue[str | None]", *, leave_at_end: bool
    ) -> None:
        """Carry out typed lines until the user leaves.

        Args:
            lines: the lines, and None at the end of the input.
            leave_at_end: whether the end of the input means leaving.
        """
        while True:
            line = await lines.get()
            if line is None:
                if leave_at_end:
                    return
                self.client.patience = PATIENCE_S
                continue
            word = line.strip().lower()
            if word in QUIT:
                keeps = self._view.kind in ("room", "daily")
                if keeps or not self.client.ask(m.Leave()):
                    return
                continue  # nobody waits for us there, so the seat need not be kept
            if word == "save":
                await self._save()
            elif word == "keep":
                await self._keep()
            else:
                self._carry_out(line)

    def _carry_out(self, line: str) -> None:
        words = line.lower().split()
        commands, shows = self._commands(), self._shows()
        if words and all(word in commands or word in shows for word in words):
            for word in words:
                shows[word]() if word in shows else self._send(commands[word])
        elif words and words[0] == "board":
            self._board_of(" ".join(words[1:]))
        elif words and words[0] == "bots" and self._view.kind == "room":
            self._bots(words[1:])
        elif words and words[0] == "series" and self._view.kind == "room":
            self._begin_series(words[1:])
        elif words and words[0] == "react" and not self._view.racing:
            self._react(" ".join(words[1:]))
        elif len(words) > 1 and words[0] == "name":
            self._rename(line.strip()[len("name") :].strip())
        elif self._view.racing:
            self._slide(line) if words else self._board()
        elif words:
            self._say(text("room.unknown", typed=quoted(line.strip())))

    def _send(self, command: m.Command) -> None:
        view = self._view
        if isinstance(command, m.Undo) and not view.can_undo(self.client.now()):
            self._say(text("room.no_undo"))
        elif not view.race or not self.client.ask(command):
            self._say(text("room.no_connection"))

    def _next(self) -> None:
        """Deal the next board in a room of our own; one in play is given up."""
        view = self._view
        if view.racing:
            self._skipped = view.race
            self._send(m.Forfeit(view.race))
        elif view.phase in ("results", "aborted"):
            self._skipped = ""
            self._send(m.Rematch(view.race))

    def _bots(self, words: list[str]) -> None:
        """Choose the bots of the server."""
        bots = bots_of(words)
        if isinstance(bots, Refusal):
            self._say(bots.text)
        elif "bots" in self._view.features:
            self._send(m.Bots(bots))
        else:
            self._say(text("refusal.bots_unavailable"))

    def _begin_series(self, words: list[str]) -> None:
        """Begin a series."""
        series = series_of(words)
        if isinstance(series, Refusal):
            self._say(series.text)
        elif "series" in self._view.features:
            self._send(series)

    def _react(self, typed: str) -> None:
        """Send a reaction by its number, or list them all."""
        numbers = range(1, limits.REACTIONS + 1)
        if typed.isdecimal() and len(typed) <= 2 and int(typed) in numbers:
            self._send(m.React(int(typed)))
            return
        for number in numbers:
            self._say(f"{number:>4}  {text(f'reaction.{number}')}")

    def _rename(self, typed: str) -> None:
        """Change our nickname, here and for the next time."""
        if fault := typed_fault(typed):
            self._say(refusal_text(fault))
            return
        name = typed_name(typed)
        self._send(m.Rename(name))
        if self._remember is not None:
            self._remember(name)

    def _slide(self, line: str) -> None:
        board = self._view.board
        assert board is not None  # noqa: S101 - racers have one
        moves = self._grammar.read(line, board)
        if isinstance(moves, Refusal):
            self._say(moves.text)
            return
        locked = self._view.locked(self.client.now())
        if locked:
            self._say(text("room.locked", time=duration(locked)))
            return
        for move in moves:
            self.client.slide(*move.slide, by="typed")
        self._say(moved(moves, Style()))
        self._board()

    async def _keep(self) -> None:
        """Create a profile, and keep the time of the last race in it."""
        view = self._view
        if view.profile is not None:
            self._say(text("room.kept_already"))
            return
        if "profiles" not in view.features or view.myself is None:
            self._say(text("refusal.unavailable"))
            return
        try:
            profile, secret = await keep_profile(self._server, view.myself.name)
        except ProfileError as error:
            self._say(str(error))
        else:
            self.client.use_profile(secret)
            self._say(text("profile.kept", name=profile.name))

    async def _save(self) -> None:
        """Store the record of the last race in the current folder."""
        results = self._view.results
        if results is None:
            self._say(text("room.nothing_to_save"))
            return
        try:
            path = await asyncio.to_thread(
                save_record, self._server, results.race, results.record
            )
        except Unreachable as error:
            self._say(str(error))
        except OSError as error:
            self._say(text("room.cannot_save", why=error.strerror))
        else:
            self._say(text("room.saved", path=path))

    def _shows(self) -> dict[str, Callable[[], None]]:
        solo = {"next": self._next, "rematch": self._next, "ready": self._next}
        more = solo if self._view.kind == "solo" else {}
        return more | {
            "help": self._help,
            "?": self._help,
            "who": self._who,
            "standings": self._standings,
            "table": self._table,
            "board": self._board,
            "signals": self._signals,
        }

    def _commands(self) -> dict[str, m.Command]:
        race, phase = self._view.race, self._view.phase
        # `ready` and `rematch` both mean that the player joins the next race.
        ready, rematch = m.Ready(race), m.Rematch(race)
        always: dict[str, m.Command] = {
            "forfeit": m.Forfeit(race),
            "undo": m.Undo(race),
            "leave": m.Leave(),
        }
        match self._view.kind:
            case "quick":
                return always | {"ready": ready, "unready": m.Ready(race, on=False)}
            case "solo" | "daily":
                return always
            case _:
                return always | {
                    "ready": rematch if phase == "results" else ready,
                    "unready": m.Ready(race, on=False),
                    "start": m.Start(race),
                    "rematch": ready if phase == "lobby" else rematch,
                }

    # --- Output --------------------------------------------------------------------

    def _say_all(self, lines: list[str]) -> None:
        for line in lines:
            self._say(line)

    def _help(self) -> None:
        keys, style = self._grammar.keys, self._grammar.style
        self._say_all(explanations.how_to_race(keys, style, self._view.kind))

    def _board(self) -> None:
        """Show our board and its possible moves; a spectator sees the leader's."""
        view = self._view
        if view.board is None:
            self._board_of("")
            return
        self._say_all(["", *self._grammar.style.lines(view.board), ""])
        time = duration(view.clock(self.client.now()) or 0)
        self._say(text("line.status", stm=view.stm, mtm=view.mtm, time=time))
        if view.racing:
            moves = possible(view.board, self._grammar.keys, self._grammar.style)
            self._say("; ".join([moves, "help"]))

    def _board_of(self, name: str) -> None:
        """Show the board of a racer, or of the first one whose board we may see."""
        for lane in self._view.order():
            if lane.board is not None and lane.name.lower().startswith(name):
                percent = lane.high // 10
                self._say(text("room.board_of", name=lane.name, percent=percent))
                self._say_all(["", *Style().lines(lane.board), ""])
                return
        self._say(text("room.no_board"))

    def _who(self) -> None:
        view = self._view
        for member in view.members.values():
            if member.role == "spectator":
                state = text("member.spectator")
            else:
                state = text("member.ready" if member.ready else "member.not_ready")
            bot = text("member.bot") if member.bot else ""
            away = "" if member.connected else text("member.away")
            latency = away or round_trip(view.latencies.get(member.id))
            self._say("  ".join(filter(None, [member.name, bot, state, latency])))

    def _standings(self) -> None:
        view = self._view
        for lane in view.order():
            alone = view.is_alone or not lane.place
            rank = "-" if alone else place(lane.place or 0, final=lane.final)
            if lane.time_ms is None:
                time = wording.status(lane.status)
            else:
                time = duration(lane.time_ms)
            latency = round_trip(view.latencies.get(lane.member or 0))
            words = [lane.name, latency, time, f"{lane.high // 10}%"]
            self._say(f"{rank:>5}  " + "  ".join(filter(None, words)))

    def _table(self) -> None:
        """Show the series."""
        series, room = self._view.series, self._view.room
        if series is None or room is None or not has_begun(series):
            self._say(text("room.no_series"))
        else:
            self._say(series_line(series, room.rules.size))
            self._say_all(table_lines(series))

    def _marks(self) -> None:
        """Show remarks on the times of the results."""
        results = self._view.results
        for row in results.standings if results else ():
            if row.photo:
                self._say(text("room.photo", name=row.name))
            if row.outage_ms:
                self._say(text("room.outage", name=row.name, ms=row.outage_ms))
        if results is not None and results.friendly_timing:
            self._say(text("results.friendly"))
        if late_ms := self._view.late_ms:
            late = text("tui.race.seconds", time=duration(late_ms))
            self._say(text("results.late", late=late))

    def _signals(self) -> None:
        view = self._view
        if view.signals is None:
            self._say(text("room.no_signals"))
            return
        names = {
            lane.seat: wording.named(lane.name, bot=lane.bot)
            for lane in view.lanes.values()
        }
        for line in solve_figures.sentences(view.signals.signals, names):
            self._say(line)
