"""Who may see which board, and everything that is told to one member alone.

Before its own instant nobody sees any board: racers are sent theirs so that it arrives
everywhere at T0, all others at T0. Racers see their own until they are out; those who
do not race see all, in a room with a spectator delay that much later.
"""

from dataclasses import replace

from sliderace.engine import format_board, format_tokens
from sliderace.protocol import messages
from sliderace.protocol.codes import refusal_text
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
from sliderace.protocol.version import VERSION
from sliderace.race.deadlines import may_race
from sliderace.race.log_records import Seat
from sliderace.race.ranking import Row, rank, standings
from sliderace.race.refusal import Refusal
from sliderace.race.state import Attempt
from sliderace_server.room.events import (
    board_text,
    member_of,
    nonce_commitments,
    phase_in_ms,
    results_of,
    room_of,
    standings_of,
)
from sliderace_server.room.spectator_delay import Lag, Look
from sliderace_server.room.state import RoomState

__all__ = [
    "acked",
    "attempt_of",
    "board_of",
    "elapsed_ms",
    "is_delayed",
    "listing",
    "member_by_token",
    "progress_step",
    "refused",
    "rejected",
    "reveal",
    "reveal_at",
    "sees_boards",
    "snapshot",
    "welcome",
]

MAX_VALUE = 40
"""Characters of an offending value that are quoted back."""


def member_by_token(state: RoomState, token_hash: str) -> int | None:
    """Whose seat token has that SHA-256; None: nobody's here."""
    for member in state.members.values():
        if token_hash in (member.token_hash, member.former_hash):
            return member.id
    return None


def attempt_of(state: RoomState, member: int) -> Attempt | None:
    """The member's own way through this race; None: he is not of its roster."""
    known = state.members.get(member)
    if known is None or known.seat is None:
        return None
    return state.race.attempts.get(known.seat)


def is_delayed(state: RoomState, member: int, now: int) -> bool:
    """Whether the boards of others reach that member late, through `Lag`.

    That is everybody who does not race, or not any more: who gives up to see what the
    others do sees it late, too.
    """
    race = state.race
    if not (race.running and race.rules.spectator_delay_ms):
        return False
    attempt = attempt_of(state, member)
    return attempt is None or not may_race(race, attempt, now)


def sees_boards(state: RoomState, member: int, now: int) -> bool:
    """Whether that member may see the boards of others.

    Args:
        state: the room.
        member: who looks.
        now: room time, ms; a forfeit that can still be undone opens no board.
    """
    race = state.race
    if not race.running:
        return race.phase == "results"
    attempt = attempt_of(state, member)
    if attempt is None or race.rules.open_boards:
        return True
    return not may_race(race, attempt, now)


def reveal_at(state: RoomState, member: int) -> int | None:
    """Room time at which a racer is sent the board of a race that is about to start.

    None: no board is drawn, or the member does not race, or the race has started.
    """
    attempt = attempt_of(state, member)
    if attempt is None or state.phase != "countdown":
        return None
    return attempt.s - state.race.rules.inspection_ms


def reveal(state: RoomState, member: int, now: int) -> BoardEvent | None:
    """The start board, for one member; None while it may not be seen.

    Due to every connected member once a race: to racers at `reveal_at`, to those who
    are delayed that much after T0, to all others as soon as the race has started.
    """
    if not _is_revealed(state, member, now):
        return None
    attempt = attempt_of(state, member)
    in_ms = max(0, attempt.s - now) if attempt else 0
    return BoardEvent(state.race.id, None, 0, board_text(state), in_ms)


def board_of(
    state: RoomState, member: int, seat: int, now: int, lag: Lag | None = None
) -> BoardEvent | Refusal:
    """One seat's board as that member may see it: the answer to `resync`.

    Args:
        state: the room.
        member: who asks.
        seat: whose board.
        now: room time, ms.
        lag: the room's, where it has a spectator delay.
    """
    attempt = state.race.attempts.get(Seat(seat))
    if attempt is None:
        return Refusal("bad_seat", "seat", str(seat))
    look = _look(state, member, attempt, now, lag)
    if look is None:
        return Refusal("too_early", "seat", str(seat))
    return BoardEvent(state.race.id, seat, look.seq, format_board(look.board))


def progress_step(
    state: RoomState,
    seat: Seat,
    since: int,
    *,
    boards: bool,
    now: int = 0,
    lag: Lag | None = None,
) -> SeatProgress:
    """How far a racer is, for `progress`.

    Args:
        state: the room.
        seat: one of the roster of a race that has started.
        since: the last slide that was told before.
        boards: the reader may see boards: tell the slides, too.
        now: room time, ms; needed with `lag`.
        lag: given for delayed members only: as it was a while ago.
    """
    attempt = state.race.attempts[seat]
    if lag is None:
        seq, high, stm = len(attempt.slides), attempt.high, attempt.stm
    else:
        look = lag.look(state.race, seat, now)
        seq, high, stm = look.seq, look.high, look.stm
    if not boards:
        return SeatProgress(seat, seq, high, stm)
    slides = [slide[:2] for slide in attempt.slides[since:seq]]
    return SeatProgress(seat, seq, high, stm, since, format_tokens(slides))


def welcome(
    state: RoomState,
    member: int,
    now: int,
    server: str,
    limits: messages.Limits,
    token: str | None,
) -> Welcome:
    """The first answer on every connection that got in.

    Args:
        state: the room, all of it durable.
        member: who got in.
        now: room time, ms.
        server: program and version.
        limits: what the client must keep to.
        token: the seat token, for who is new.
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
    )


def elapsed_ms(state: RoomState, member: int, now: int) -> int | None:
    """Since the member's board was unlocked; None before, and when no race runs."""
    attempt = attempt_of(state, member)
    since = attempt.s if attempt else state.race.t0
    runs = state.race.running or (attempt is not None and state.phase == "countdown")
    return now - since if runs and since <= now else None


def snapshot(
    state: RoomState, member: int, now: int, lag: Lag | None = None
) -> Snapshot:
    """Everything that member may know.

    Args:
        state: the room.
        member: who reads it.
        now: room time, ms.
        lag: the room's, where it has a spectator delay.
    """
    race = state.race
    view = RaceView(
        id=race.id,
        roster=[*race.roster],
        elapsed_ms=elapsed_ms(state, member, now),
        start=board_text(state) if _is_revealed(state, member, now) else None,
        lanes=[_lane(state, member, one, now, lag) for one in race.attempts.values()],
        standings=standings_of(state, _rows(state, member, now, lag)),
        nonce_commitments=nonce_commitments(state),
    )
    return Snapshot(
        o=state.offset,
        epoch=state.epoch.epoch,
        room=room_of(state),
        members=[member_of(one) for one in state.members.values()],
        phase=state.phase,
        in_ms=phase_in_ms(state, now),
        race=view,
        results=results_of(state) if race.phase == "results" else None,
    )


def acked(state: RoomState, member: int) -> Ack | None:
    """All slides of a racer that were applied; send it once they are durable."""
    attempt = attempt_of(state, member)
    return Ack(state.race.id, attempt.seq) if attempt else None


def rejected(state: RoomState, member: int, refusal: Refusal, gen: int) -> Rejected:
    """The answer to refused slides of the current race.

    Args:
        state: the room.
        member: whose slides.
        refusal: why.
        gen: the series that the next slides must name.
    """
    attempt = attempt_of(state, member)
    shown = state.race.running or state.race.phase == "results"
    board = format_board(attempt.board) if attempt and shown else None
    seq = attempt.seq if attempt else 0
    return Rejected(state.race.id, gen, seq, refusal.code, board)


def refused(of: str, refusal: Refusal) -> Refused:
    """The answer to any other refused command.

    Args:
        of: its type on the wire.
        refusal: why.
    """
    return Refused(
        of=of,
        code=refusal.code,
        text=refusal_text(refusal.code),
        field=refusal.field,
        value=refusal.value[:MAX_VALUE],
        retry_ms=refusal.retry_ms,
    )


def listing(state: RoomState) -> dict[str, str | int | bool]:
    """What anybody may know of a room without being in it."""
    players = sum(member.role == "player" for member in state.members.values())
    return {
        "code": state.code,
        "phase": state.phase,
        "players": players,
        "spectators": len(state.members) - players,
        "size": state.race.rules.size,
        "public": state.public,
        "locked": state.locked,
        "seed_known": bool(state.race.known_seed),
    }


def _is_revealed(state: RoomState, member: int, now: int) -> bool:
    """Whether that member may see the start board: racers from their own instant on."""
    race = state.race
    if attempt_of(state, member) is None and is_delayed(state, member, now):
        return race.t0 + race.rules.spectator_delay_ms <= now
    if race.running or race.phase == "results":
        return True
    at = reveal_at(state, member)
    return at is not None and at <= now


def _live(attempt: Attempt) -> Look:
    return Look(attempt.seq, attempt.stm, attempt.high, attempt.board)


def _rows(state: RoomState, member: int, now: int, lag: Lag | None) -> list[Row]:
    """The standings as that member may know them: whoever still races, late."""
    race = state.race
    rows = standings(race)
    if not is_delayed(state, member, now):
        return rows
    known: list[Row] = []
    for row in rows:
        if row.status == "racing":
            attempt = race.attempts[row.seat]
            look = lag.look(race, row.seat, now) if lag else _hidden(attempt)
            high_ms = look.high_at - attempt.s
            known.append(
                replace(
                    row, stm=look.stm, mtm=look.mtm, high=look.high, high_ms=high_ms
                )
            )
        else:
            known.append(row)
    return rank(known)


def _hidden(attempt: Attempt) -> Look:
    return Look(0, 0, 0, attempt.board, high_at=attempt.s)


def _look(
    state: RoomState, member: int, attempt: Attempt, now: int, lag: Lag | None
) -> Look | None:
    """A lane with its board, as that member may see it; None: not its board."""
    if not _is_revealed(state, member, now):
        return None
    if attempt_of(state, member) is attempt:
        return _live(attempt)
    if is_delayed(state, member, now):
        return lag.look(state.race, attempt.seat, now) if lag else None
    return _live(attempt) if sees_boards(state, member, now) else None


def _lane(
    state: RoomState, member: int, attempt: Attempt, now: int, lag: Lag | None
) -> Lane:
    look = _look(state, member, attempt, now, lag)
    hidden = _hidden(attempt) if is_delayed(state, member, now) else None
    shown = look or hidden or _live(attempt)
    return Lane(
        seat=attempt.seat,
        seq=shown.seq,
        high=shown.high,
        stm=shown.stm,
        status=attempt.status,
        board=format_board(look.board) if look else None,
    )
