"""Compare a room's log with what its clients sent and received.

The checks are pure and do not use the race rules, only the engine and arithmetic of
their own; the last one folds the log and verifies each race record. Each fault is one
sentence that begins with the name of the broken rule.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise

from tests.proof import independent

from sliderace.engine import Board, EngineError, Size, format_board
from sliderace.proof import canonical
from sliderace.proof.verify import verify
from sliderace.race.log_records import (
    BoardDrawn,
    Finished,
    LoggedSlide,
    Postponed,
    RaceCreated,
    RaceEnded,
    Slid,
)
from sliderace.race.rules import Rules
from sliderace_client.net.signature import check_signature
from sliderace_server.registry.results_writer import stored_race
from sliderace_server.room.apply import apply
from sliderace_server.room.log_records import (
    Entered,
    EpochBegan,
    Record,
    RoleChanged,
    Stalled,
)
from sliderace_server.room.state import RoomState
from sliderace_server.signing_key import new_key
from sliderace_server.storage.record_codec import UnknownRecord, decode

__all__ = ["RULES", "Observed", "Received", "Sent", "faults"]

KEY = new_key()
RULES = (
    "log",
    "numbers",
    "moves",
    "sessions",
    "acks",
    "boards",
    "time",
    "clock",
    "offsets",
    "epochs",
    "record",
)
"""The rules; `test_log_checker.py` has a history that breaks each of them."""


@dataclass(slots=True)
class Sent:
    """What one connection of a seat sent in one race.

    Attributes:
        race: the race's id.
        base: seq in the connection's `welcome`; 0 if the race began later.
        slides: seq -> slide, as handed to the socket.
    """

    race: str
    base: int
    slides: dict[int, LoggedSlide] = field(default_factory=dict[int, LoggedSlide])

    def add(self, seq: int, slides: Iterable[LoggedSlide]) -> None:
        """Note slides that were sent, numbered from `seq`."""
        self.slides.update(enumerate(slides, seq))

    def rejected(self, seq: int) -> None:
        """Forget slides after `seq`: the server rejected them."""
        for later in [number for number in self.slides if number > seq]:
            del self.slides[later]


Received = tuple[str, int, int]
"""`welcome`, `snapshot` or `event`; its epoch (0 in an event); its offset (0: none)."""


@dataclass(slots=True)
class Observed:
    """What one member's clients sent and received.

    Attributes:
        member: the member's id.
        sent: what was sent, by connection and race.
        acked: race -> the highest seq that was acknowledged.
        boards: (race, seq, board text): the client's own board after that slide.
        received: per device, what came in, in order.
    """

    member: int
    sent: list[Sent] = field(default_factory=list[Sent])
    acked: dict[str, int] = field(default_factory=dict[str, int])
    boards: list[tuple[str, int, str]] = field(
        default_factory=list[tuple[str, int, str]]
    )
    received: list[list[Received]] = field(default_factory=list[list[Received]])

    def restored(self) -> None:
        """Forget connections that began after the end of a restored, older log."""
        end = self.sent[-1].base
        self.sent = [one for one in self.sent if one.base <= end]


@dataclass(slots=True)
class _Raced:
    """One seat in one race, according to the log."""

    member: int
    board: Board
    slides: list[LoggedSlide] = field(default_factory=list[LoggedSlide])
    texts: list[str] = field(default_factory=list[str])


def faults(
    log: Sequence[bytes], observed: Iterable[Observed] = (), *, verified: bool = True
) -> list[str]:
    """Return all faults; an empty list if everything agrees.

    Args:
        log: all records of one room.
        observed: what some or all of its members sent and received.
        verified: whether to verify the race records too, which takes longer than all
            the rest.
    """
    try:
        records = [decode(line) for line in log]
    except UnknownRecord as error:
        return [f"log: {error}"]
    reading = _Reading()
    found = [*reading.read(records), *_clock(records), *_times(records)]
    found += _records(records) if verified and not found else []
    for one in observed:
        found += _of_member(one, reading.raced)
    return found


class _Reading:
    """Reads the log from its first record to its last."""

    def __init__(self) -> None:
        self.raced: dict[tuple[str, int], _Raced] = {}
        self._rules: dict[str, Rules] = {}
        self._seats: dict[int, int] = {}

    def read(self, records: Iterable[Record]) -> Iterator[str]:
        for record in records:
            match record:
                case RaceCreated():
                    self._rules[record.race] = record.rules
                case Entered(seat=seat) | RoleChanged(seat=seat) if seat is not None:
                    self._seats[seat] = record.member
                case BoardDrawn():
                    self._locked(record)
                case Slid():
                    yield from self._slid(record)
                case _:
                    pass

    def _locked(self, record: BoardDrawn) -> None:
        size = Size.parse(self._rules[record.race].size)
        for seat in record.roster:
            board = Board(size, record.board)
            raced = _Raced(self._seats[seat], board, texts=[format_board(board)])
            self.raced[record.race, seat] = raced

    def _slid(self, record: Slid) -> Iterator[str]:
        where = f"{record.race} seat {record.seat}"
        raced = self.raced.get((record.race, record.seat))
        if raced is None:
            yield f"log: {where} slid without a board"
            return
        if record.seq != len(raced.slides) + 1:
            yield f"numbers: {where}: {record.seq} after {len(raced.slides)}"
        for direction, tiles, stamp in record.slides:
            try:
                raced.board.slide(direction, tiles)
            except EngineError:
                yield f"moves: {where}: {direction}{tiles} is not legal"
            raced.slides.append((direction, tiles, stamp))
            raced.texts.append(format_board(raced.board))


def _clock(records: Iterable[Record]) -> Iterator[str]:
    """Room time follows the monotonic clock, even across restarts."""
    last, epoch = 0, EpochBegan(0, 0, "", 0, 0)
    for record in records:
        if record.t < last:
            yield f"clock: {record.t} after {last}"
        last = record.t
        if not isinstance(record, EpochBegan):
            continue
        if record.epoch <= epoch.epoch:
            yield f"epochs: the log has {record.epoch} after {epoch.epoch}"
        passed = record.t - epoch.t
        same = record.boot and record.boot == epoch.boot
        if same and passed != record.mono_ms - epoch.mono_ms:
            measured = record.mono_ms - epoch.mono_ms
            yield f"clock: {passed} ms passed in the room, {measured} on the machine"
        epoch = record


def _times(records: Iterable[Record]) -> Iterator[str]:
    """Each official time lies in [g - K, g], see docs/fairness.md."""
    starts: dict[tuple[str, int], int] = {}
    rosters: dict[str, Sequence[int]] = {}
    friendly: dict[str, bool] = {}
    failed = 0
    for record in records:
        match record:
            case RaceCreated():
                friendly[record.race] = record.rules.friendly_timing
            case BoardDrawn() | Postponed():
                if isinstance(record, BoardDrawn):
                    rosters[record.race] = record.roster
                roster = rosters.get(record.race, ())
                for seat, s in zip(roster, record.starts, strict=False):
                    starts[record.race, seat] = s
            case EpochBegan(epoch=epoch, t=t) if epoch > 1:
                failed = t
            case Stalled(t=t):
                failed = t
            case Finished():
                s = starts.get((record.race, record.seat), record.s)
                yield from _time(record, s, failed, friendly[record.race])
            case _:
                pass


def _time(one: Finished, s: int, failed: int, friendly: bool) -> Iterator[str]:
    where = f"time: {one.race} seat {one.seat}"
    bound = min(one.rtt, 200) + min(max(2 * one.jitter, 30), 60) + one.outage
    bound += 100 if friendly else 0
    if (one.s, one.g) != (s, one.t - s):
        yield f"{where}: s {one.s}, g {one.g}, but {s}, {one.t - s} by the log"
    if not max(0, one.g - bound) <= one.official <= one.g:
        yield f"{where}: {one.official} is not in [{one.g} - {bound}, {one.g}]"
    if one.e is not None and one.official < min(one.e, one.g):
        yield f"{where}: {one.official} is less than the client's own {one.e}"
    if one.outage and failed < s:
        yield f"{where}: credit of {one.outage} for no failure"


def _records(records: Iterable[Record]) -> Iterator[str]:
    """Every race record passes our verifier, and the one written from the pages."""
    state: RoomState | None = None
    for record in records:
        state = apply(state, record)
        if not isinstance(record, RaceEnded):
            continue
        data = stored_race(state, "test", KEY).record
        for check in verify(canonical.decode(data), check_signature):
            if check.verdict == "wrong":
                yield f"record: {state.race.id}: {check}"
        try:
            independent.verify(data)
        except ValueError as error:
            yield f"record: {state.race.id}: {error}"


def _of_member(
    observed: Observed, raced: Mapping[tuple[str, int], _Raced]
) -> Iterator[str]:
    for (race, seat), one in raced.items():
        if one.member != observed.member:
            continue
        where, n = f"{race} seat {seat}", len(one.slides)
        yield from _sessions(where, one, [s for s in observed.sent if s.race == race])
        if (acked := observed.acked.get(race, 0)) > n:
            yield f"acks: {where}: {acked} acked, {n} in the log"
        for of, seq, text in observed.boards:
            if of == race and (seq > n or one.texts[seq] != text):
                yield f"boards: {where}: the client's board after {seq} is {text}"
    unknown = set(observed.acked) - {race for race, _ in raced}
    yield from (f"acks: {race} is not in the log" for race in sorted(unknown))
    for device in observed.received:
        yield from _stream(f"member {observed.member}", device)


def _sessions(where: str, raced: _Raced, sent: Iterable[Sent]) -> Iterator[str]:
    """The log consists of prefixes of what the connections sent, one after the other.

    A `welcome` states the seq of the last durable slide, so connections took over the
    seat in the order of their bases. Of several with the same base, only one slid.
    """
    by_base = sorted(sent, key=lambda one: one.base)
    groups = [(base, [*group]) for base, group in groupby(by_base, lambda s: s.base)]
    if not groups or groups[0][0] > 0:
        groups.insert(0, (0, []))
    for (base, group), (end, _) in pairwise([*groups, (len(raced.slides), [])]):
        # A base beyond the end of the log is a lost ack, which another rule reports.
        wanted = dict(enumerate(raced.slides[base:end], base + 1))
        if wanted and not any(wanted.items() <= one.slides.items() for one in group):
            yield f"sessions: {where}: nobody sent {base + 1} ... {base + len(wanted)}"


def _stream(where: str, received: Iterable[Received]) -> Iterator[str]:
    """No epoch goes back, and within an epoch offsets have no gaps.

    After a `welcome` they may repeat: the client perhaps received more on its older
    connection than it had when it resumed.
    """

    epoch = offset = 0
    known = resumed = False
    for kind, new_epoch, o in received:
        if kind == "event":
            if not known or (o > offset + 1 if resumed else o != offset + 1):
                yield f"offsets: {where}: {o} after {offset} in epoch {epoch}"
            offset, resumed = o, False
            continue
        resumed = kind == "welcome"
        if new_epoch < epoch:
            yield f"epochs: {where}: {new_epoch} after {epoch}"
        if kind == "snapshot":
            if known and new_epoch == epoch and o < offset:
                yield f"offsets: {where}: a snapshot of {o} after {offset}"
            known, offset = True, o
        elif new_epoch != epoch:
            known = False
        epoch = new_epoch
