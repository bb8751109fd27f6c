"""Who may see which board, and all messages to a single member.

Rules:

- Before T0 nobody sees a board, except racers: each is sent the start board at their
  own instant (`reveal_at`), early enough to arrive at T0.
- Racers see only their own board until they have finished or are out. A forfeit counts
  once it cannot be undone. In a room with open boards they see all boards.
- Members who do not race see all boards, delayed by the room's spectator delay, and so
  do racers once they are out. The start board is delayed for them likewise.
- After the race everyone sees everything.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sliderace.engine import Board, format_board
from sliderace.proof.record import WrittenSlide
from sliderace.proof.signals import MIN_INTERVALS, Signal, compared, signals
from sliderace.protocol import messages
from sliderace.protocol.codes import refusal_text
from sliderace.protocol.explain import MAX_VALUE, rule_text
from sliderace.protocol.messages import (
    Ack,
    BoardEvent,
    Lane,
    RaceView,
    Refused,
    Rejected,
    SeatProgress,
    Snapshot,
    Welcome,
)
from sliderace.protocol.version import FEATURES, VERSION
from sliderace.race.deadlines import may_still_race
from sliderace.race.log_records import Seat
from sliderace.race.ranking import Row, rank, standings
from sliderace.race.refusal import Refusal
from sliderace.race.series import Series
from sliderace.race.state import Attempt
from sliderace.texts import text
from sliderace_server.room.events import (
    board_text,
    member_of,
    nonce_commitments,
    phase_in_ms,
    results_of,
    room_of,
    series_table,
    standings_of,
)
from sliderace_server.room.spectator_delay import AttemptView, DelayedAttempts
from sliderace_server.room.state import RoomState

__all__ = [
    "View",
    "ack_of",
    "attempt_of",
    "board_of",
    "elapsed_ms",
    "is_delayed",
    "is_kicked",
    "listing",
    "member_by_token",
    "refused",
    "rejected",
    "reveal",
    "reveal_at",
    "seat_progress",
    "sees_boards",
    "signals_of",
    "snapshot",
    "view_of",
    "welcome",
]


def member_by_token(state: RoomState, token_hash: str) -> int | None:
    """Return the id of the member whose seat token has this SHA-256, or None."""
    for member in state.members.values():
        if token_hash in (member.token_hash, member.former_hash):
            return member.id
    return None


def is_kicked(state: RoomState, token_hash: str) -> bool:
    """Return whether the host keeps out the former member with this seat token."""
    return any(token_hash in (one.token_hash, one.former_hash) for one in state.kicked)


def attempt_of(state: RoomState, member: int) -> Attempt | None:
    """Return the member's attempt; None: they are not on the roster."""
    known = state.members.get(member)
    if known is None or known.seat is None:
        return None
    return state.race.attempts.get(known.seat)


def is_delayed(state: RoomState, member: int, now: int) -> bool:
    """Return whether a member sees the boards of others with a delay.

    This includes racers who are out, so that giving up does not help to spy.
    """
    race = state.race
    if not (race.running and race.rules.spectator_delay_ms):
        return False
    attempt = attempt_of(state, member)
    return attempt is None or not may_still_race(race, attempt, now)


def sees_boards(state: RoomState, member: int, now: int) -> bool:
    """Return whether a member may see the boards of others.

    Args:
        state: the room.
        member: the member's id.
        now: room time, ms.
    """
    race = state.race
    if not race.running:
        return race.phase == "results"
    attempt = attempt_of(state, member)
    if attempt is None or race.rules.open_boards:
        return True
    return not may_still_race(race, attempt, now)


def reveal_at(state: RoomState, member: int) -> int | None:
    """Return the room time at which a racer is sent the start board.

    None: no board is drawn yet, the member does not race, or the race has started.
    """
    attempt = attempt_of(state, member)
    if attempt is None or state.phase != "countdown":
        return None
    return attempt.unlocks_at - state.race.rules.inspection_ms


def reveal(state: RoomState, member: int, now: int) -> BoardEvent | None:
    """Return the start board for a member; None: they may not see it yet.

    Send it to each connected member once per race: to racers at `reveal_at`, to others
    after T0, delayed by the room's spectator delay.
    """
    if not _is_revealed(state, member, now):
        return None
    attempt = attempt_of(state, member)
    in_ms = max(0, attempt.unlocks_at - now) if attempt else 0
    return BoardEvent(state.race.id, None, 0, board_text(state), in_ms)


def board_of(
    state: RoomState,
    member: int,
    seat: int,
    now: int,
    delayed: DelayedAttempts | None = None,
) -> BoardEvent | Refusal:
    """Return a seat's board as a member may see it: the answer to `resync`.

    Args:
        state: the room.
        member: the id of the member who asks.
        seat: whose board.
        now: room time, ms.
        delayed: the room's delayed attempts; needed with a spectator delay.
    """
    attempt = state.race.attempts.get(Seat(seat))
    if attempt is None:
        return Refusal("bad_seat", "seat", str(seat))
    view = _visible(state, member, attempt, now, delayed)
    if view is None:
        return Refusal("too_early", "seat", str(seat))
    return BoardEvent(state.race.id, seat, view.seq, format_board(view.board))


def seat_progress(
    state: RoomState,
    seat: Seat,
    since: int,
    *,
    boards: bool,
    now: int = 0,
    delayed: DelayedAttempts | None = None,
) -> SeatProgress:
    """Return a racer's entry in `progress`.

    Args:
        state: the room.
        seat: a seat of the roster of a race that has started.
        since: number of the last slide that was sent before.
        boards: whether the receiver may see boards; includes the slides.
        now: room time, ms; needed with `delayed`.
        delayed: the room's delayed attempts, for delayed receivers only.
    """
    attempt = state.race.attempts[seat]
    if delayed is None:
        seq, high, stm = len(attempt.slides), attempt.high, attempt.stm
    else:
        view = delayed.view(state.race, seat, now)
        seq, high, stm = view.seq, view.high, view.stm
    if not boards:
        return SeatProgress(seat, seq, high, stm)
    text = ""  # as `format_tokens`, which takes longer for the usual single slide
    for direction, tiles, _, _ in attempt.slides[since:seq]:
        text += direction if tiles == 1 else f"{direction}{tiles}"
    return SeatProgress(seat, seq, high, stm, since, text)


def welcome(
    state: RoomState,
    member: int,
    now: int,
    server: str,
    limits: messages.Limits,
    token: str | None,
    features: Sequence[str] = FEATURES,
) -> Welcome:
    """Return the first message of a connection that was let in.

    Args:
        state: the room; everything in it must be durable before this is sent.
        member: the member's id.
        now: room time, ms.
        server: program and version.
        limits: limits for the client.
        token: the new seat token, if any.
        features: what the server can do beyond the first set.
    """
    attempt = attempt_of(state, member)
    races = state.race.running or state.phase == "countdown"
    shown = races and _is_revealed(state, member, now)
    board = format_board(attempt.board) if attempt and shown else None
    return Welcome(
        v=VERSION,
        server=server,
        code=state.code,
        member=member,
        seat=state.members[member].seat,
        token=token,
        epoch=state.epoch.epoch,
        gen=0,
        race=state.race.id,
        seq=attempt.seq if attempt else 0,
        board=board,
        limits=limits,
        features=[*features],
        profile=state.members[member].profile,
    )


def elapsed_ms(state: RoomState, member: int, now: int) -> int | None:
    """Return the time since the member's board was unlocked; None: not in a race."""
    attempt = attempt_of(state, member)
    since = attempt.unlocks_at if attempt else state.race.t0
    runs = state.race.running or (attempt is not None and state.phase == "countdown")
    return now - since if runs and since <= now else None


def snapshot(
    state: RoomState, member: int, now: int, delayed: DelayedAttempts | None = None
) -> Snapshot:
    """Return everything that a member may know.

    Args:
        state: the room.
        member: the member's id.
        now: room time, ms.
        delayed: the room's delayed attempts; needed with a spectator delay.
    """
    race = state.race
    race_view = RaceView(
        id=race.id,
        roster=[*race.roster],
        elapsed_ms=elapsed_ms(state, member, now),
        start=board_text(state) if _is_revealed(state, member, now) else None,
        lanes=[
            _lane(state, member, one, now, delayed) for one in race.attempts.values()
        ],
        standings=standings_of(state, _rows(state, member, now, delayed)),
        nonce_commitments=nonce_commitments(state),
    )
    return Snapshot(
        o=state.offset,
        epoch=state.epoch.epoch,
        room=room_of(state),
        members=[member_of(one) for one in state.members.values()],
        phase=state.phase,
        in_ms=phase_in_ms(state, now),
        race=race_view,
        results=results_of(state) if race.phase == "results" else None,
        series=series_table(state.series),
    )


@dataclass(frozen=True, slots=True)
class View:
    """What a member may see at one moment; sent once all of it is durable.

    Attributes:
        taken: room time of that moment, ms.
        snapshot: everything the member may know.
        sees: whether they may see the boards of others.
        shown: id of the race whose start board is in the snapshot, or "".
        series: the room's series at that moment.
    """

    taken: int
    snapshot: Snapshot
    sees: bool
    shown: str
    series: Series


def view_of(state: RoomState, member: int, now: int, delayed: DelayedAttempts) -> View:
    """Return what a member may see now.

    Args:
        state: the room.
        member: the member's id.
        now: room time, ms.
        delayed: the room's delayed attempts.
    """
    revealed = reveal(state, member, now) is not None
    return View(
        taken=now,
        snapshot=snapshot(state, member, now, delayed),
        sees=sees_boards(state, member, now),
        shown=state.race.id if revealed else "",
        series=state.series,
    )


def signals_of(state: RoomState) -> messages.Signals | None:
    """Return the solve signals of the finished race, for the host; None: no results.

    They are figures, never a verdict.
    """
    race = state.race
    if race.phase != "results":
        return None
    board = Board(race.size, race.board)
    attempts = (race.attempts[row.seat] for row in standings(race))
    found = [_seat_signals(board, attempt) for attempt in attempts if attempt.slides]
    return messages.Signals(race.id, found)


def ack_of(state: RoomState, member: int) -> Ack | None:
    """Return an ack for all slides applied so far; send it once they are durable."""
    attempt = attempt_of(state, member)
    return Ack(state.race.id, attempt.seq) if attempt else None


def rejected(state: RoomState, member: int, refusal: Refusal, gen: int) -> Rejected:
    """Return the answer to refused slides of the current race.

    Args:
        state: the room.
        member: the id of the member who sent them.
        refusal: the reason.
        gen: the `gen` that the next slides must have.
    """
    attempt = attempt_of(state, member)
    shown = state.race.running or state.race.phase == "results"
    board = format_board(attempt.board) if attempt and shown else None
    seq = attempt.seq if attempt else 0
    return Rejected(state.race.id, gen, seq, refusal.code, board)


def _text_of(refusal: Refusal) -> str:
    """Return the reason in words, with the allowed values if they are known."""
    if refusal.code == "bad_rules":
        return rule_text(refusal.field, refusal.value)
    if refusal.allowed is not None:
        low, high = refusal.allowed
        words = text("malformed.integer", low=low, high=high)
        field, value = refusal.field, refusal.value
        return text("malformed.expected", field=field, allowed=words, value=value)
    return refusal_text(refusal.code)


def refused(of: str, refusal: Refusal) -> Refused:
    """Return the answer to any other refused command.

    Args:
        of: its type on the wire.
        refusal: the reason.
    """
    return Refused(
        of=of,
        code=refusal.code,
        text=_text_of(refusal),
        field=refusal.field,
        value=refusal.value[:MAX_VALUE],
        retry_ms=refusal.retry_ms,
    )


def listing(state: RoomState) -> dict[str, str | int | bool]:
    """Return what anyone may know about a room without being in it."""
    players = [one for one in state.members.values() if one.role == "player"]
    bots = sum(one.bot for one in players)
    return {
        "code": state.code,
        "kind": state.kind,
        "phase": state.phase,
        "players": len(players) - bots,
        "bots": bots,
        "spectators": len(state.members) - len(players),
        "size": state.race.rules.size,
        "public": state.public,
        "locked": state.locked,
        "seed_known": bool(state.race.known_seed),
    }


def _is_revealed(state: RoomState, member: int, now: int) -> bool:
    """Return whether a member may see the start board."""
    race = state.race
    if attempt_of(state, member) is None and is_delayed(state, member, now):
        return race.t0 + race.rules.spectator_delay_ms <= now
    if race.running or race.phase == "results":
        return True
    at = reveal_at(state, member)
    return at is not None and at <= now


def _current(attempt: Attempt) -> AttemptView:
    return AttemptView(attempt.seq, attempt.stm, attempt.high, attempt.board)


def _rows(
    state: RoomState, member: int, now: int, delayed: DelayedAttempts | None
) -> list[Row]:
    """Return the standings as a member may know them: delayed for active racers."""
    race = state.race
    rows = standings(race)
    if not is_delayed(state, member, now):
        return rows
    known: list[Row] = []
    for row in rows:
        if row.status == "racing":
            attempt = race.attempts[row.seat]
            view = delayed.view(race, row.seat, now) if delayed else _hidden(attempt)
            high_ms = view.high_at - attempt.unlocks_at
            known.append(
                replace(
                    row, stm=view.stm, mtm=view.mtm, high=view.high, high_ms=high_ms
                )
            )
        else:
            known.append(row)
    return rank(known)


def _hidden(attempt: Attempt) -> AttemptView:
    return AttemptView(0, 0, 0, attempt.board, high_at=attempt.unlocks_at)


def _visible(
    state: RoomState,
    member: int,
    attempt: Attempt,
    now: int,
    delayed: DelayedAttempts | None,
) -> AttemptView | None:
    """Return an attempt as a member may see it; None: they may not see its board."""
    if not _is_revealed(state, member, now):
        return None
    if attempt_of(state, member) is attempt:
        return _current(attempt)
    if is_delayed(state, member, now):
        return delayed.view(state.race, attempt.seat, now) if delayed else None
    return _current(attempt) if sees_boards(state, member, now) else None


def _lane(
    state: RoomState,
    member: int,
    attempt: Attempt,
    now: int,
    delayed: DelayedAttempts | None,
) -> Lane:
    view = _visible(state, member, attempt, now, delayed)
    hidden = _hidden(attempt) if is_delayed(state, member, now) else None
    shown = view or hidden or _current(attempt)
    return Lane(
        seat=attempt.seat,
        seq=shown.seq,
        high=shown.high,
        stm=shown.stm,
        status=attempt.status,
        board=format_board(view.board) if view else None,
    )


def _seat_signals(board: Board, attempt: Attempt) -> messages.SeatSignals:
    slides = [
        WrittenSlide(
            slide.direction, slide.tiles, slide.stamp, slide.t - attempt.unlocks_at
        )
        for slide in attempt.slides
    ]
    figures = compared(signals(board, slides), board.size)
    return messages.SeatSignals(attempt.seat, [_signal(one) for one in figures])


def _signal(one: Signal) -> messages.Signal:
    note = text(f"signal.note.{one.note}", intervals=MIN_INTERVALS)
    return messages.Signal(one.name, one.value, one.low, one.high, note, one.outside)
