"""The bots of the server in a room: which must enter or leave, and their names.

They are members like any other, with these differences:

- The host says which bots are in the room. They enter before they are connected.
- They are always ready, and nobody waits until they are. They start nothing: without a
  person in the room there is no race, and the room closes.
- They are never host.
"""

from collections.abc import Sequence

from sliderace.protocol.messages import BotWanted
from sliderace.protocol.names import BOT_MARK
from sliderace.race.refusal import Refusal
from sliderace.solve import pace_range
from sliderace_server.room.state import MemberState, RoomState

__all__ = ["bot_fault", "bot_name", "compare_bots", "server_bots"]

ANIMALS = (
    "Otter",
    "Lynx",
    "Fox",
    "Hare",
    "Wren",
    "Badger",
    "Marten",
    "Raven",
    "Heron",
    "Finch",
    "Stoat",
    "Seal",
    "Crane",
    "Toad",
    "Mole",
    "Newt",
)
"""As many as `MAX_BOTS`, and short, so that the longest level fits after each."""
MINUTE_MS = 60_000


def server_bots(state: RoomState) -> list[MemberState]:
    """Return the bots of the server in a room, in the order of entering."""
    return [member for member in state.members.values() if member.served]


def bot_fault(state: RoomState, want: Sequence[BotWanted], most: int) -> Refusal | None:
    """Return why a room cannot have these bots, or None.

    Those that are there may stay, although the board may have another size by now.

    Args:
        state: the room.
        want: the bots.
        most: how many bots the room may have.
    """
    if len(want) > most:
        return Refusal("too_many_bots", "want", str(len(want)), allowed=(0, most))
    least, longest = pace_range(state.race.size)
    present = [member.pace_ms for member in server_bots(state)]
    for number, bot in enumerate(want):
        if bot.pace_ms is None:
            if bot.level is None:
                return Refusal("bad_bot", f"want[{number}]")
            continue
        field, value = f"want[{number}].pace_ms", str(bot.pace_ms)
        if bot.level is not None:
            return Refusal("bad_bot", field, value)
        if bot.pace_ms not in present and not least <= bot.pace_ms <= longest:
            return Refusal("bad_bot", field, value, allowed=(least, longest))
    return None


def compare_bots(
    state: RoomState, want: Sequence[BotWanted]
) -> tuple[list[MemberState], list[BotWanted]]:
    """Return the bots that must leave, and those that must enter.

    Of equal bots, the first to enter stay.
    """
    leaving: list[MemberState] = []
    missing = list(want)
    for member in server_bots(state):
        bot = BotWanted(member.level, member.pace_ms)
        if bot in missing:
            missing.remove(bot)
        else:
            leaving.append(member)
    return leaving, missing


def bot_name(bot: BotWanted, member: int, taken: Sequence[str]) -> str:
    r"""Return a name that only a bot of the server can have.

    Args:
        bot: its level or pace.
        member: its id.
        taken: the names of the others in the room.

    >>> bot_name(BotWanted("club"), 2, ["\u2699 Fox \u00b7 12.5 s"])
    '⚙ Hare · club'
    >>> bot_name(BotWanted(pace_ms=12_540), 2, [])
    '⚙ Fox · ~12.5 s'
    """
    animals = (ANIMALS[(member + n) % len(ANIMALS)] for n in range(len(ANIMALS)))
    starts = (f"{BOT_MARK} {animal} " for animal in animals)
    # People may be called like animals, but have no mark.
    free = (one for one in starts if not any(name.startswith(one) for name in taken))
    return f"{next(free)}· {bot.level or _about(bot.pace_ms or 0)}"


def _about(ms: int) -> str:
    """Return the target time of a bot as a short text that does not look like a result.

    >>> _about(12_540), _about(62_000), _about(4 * 3_600_000)
    ('~12.5 s', '~1:02', '~240:00')
    """
    if ms < MINUTE_MS:
        return f"~{ms / 1_000:.1f} s"
    minutes, rest = divmod(ms, MINUTE_MS)
    return f"~{minutes}:{rest // 1_000:02}"
