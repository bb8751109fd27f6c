"""The long texts of line mode: introduction, how to play, and strategy."""

from collections.abc import Iterable

from sliderace.engine import Board, Size
from sliderace.protocol.messages import RoomKind
from sliderace.texts import text
from sliderace_client.line_ui.board_text import Style
from sliderace_client.line_ui.own_keys import Keys

__all__ = [
    "how_to_move",
    "how_to_play",
    "how_to_race",
    "intro",
    "key_question",
    "menu_help",
    "strategy",
]


def _rows(rows: Iterable[tuple[str, str]]) -> list[str]:
    """Return inputs, each with its effect."""
    return [f"  {typed:<9} {does}" for typed, does in rows]


def intro(size: Size, style: Style) -> list[str]:
    """Return a short introduction, with the solved board."""
    return [
        text("help.goal"),
        "",
        *style.lines(Board.solved(size)),
        "",
        *text("help.rule").split("\n"),
    ]


def strategy() -> list[str]:
    """Return how to play well."""
    return text("help.strategy").split("\n")


def key_question() -> list[str]:
    """Return which keys can be chosen, in lines of less than 80 columns."""
    return text("keys.question").split("\n")


def menu_help() -> list[str]:
    """Return an explanation of sliderace, for the menu."""
    return [*text("menu.help").split("\n"), *strategy()]


def how_to_move(keys: Keys, style: Style, *, single: bool = False) -> list[str]:
    """Return how moves are typed, a line each."""
    tile = style.label(3)
    keys_help = text("help.keys_gap") if keys.gap else text("help.keys_tile")
    number = (
        text("help.tile_single", tile=tile) if single else text("help.tile", tile=tile)
    )
    return _rows(
        [
            (" ".join(keys.chars) or "arrows", keys_help),
            (("#" if keys.have_digits else "") + tile, number),
            ("2,1", text("help.cell")),
            ("=R2U", text("help.notation")),
        ]
    )


def how_to_play(keys: Keys, style: Style, *, single: bool) -> list[str]:
    """Return everything that can be typed in solo, and how to play well."""
    return [
        text("help.solo"),
        *how_to_move(keys, style, single=single),
        *_rows(
            [
                ("undo", text("help.undo")),
                ("reset", text("help.reset")),
                ("exit", text("help.exit")),
                ("board", text("help.board")),
                ("seed", text("help.seed")),
            ]
        ),
        *strategy(),
    ]


def how_to_race(keys: Keys, style: Style, kind: RoomKind = "room") -> list[str]:
    """Return everything that can be typed in a room, and how to play well.

    Args:
        keys: the player's own.
        style: how tiles are numbered.
        kind: of the room.
    """
    if kind in ("solo", "daily"):
        return _how_to_race_alone(keys, style, kind)
    host = [("start", text("help.start"))] if kind == "room" else []
    again = ("rematch", text("help.rematch"))
    return [
        text("help.in_race"),
        *_rows(
            [
                ("ready", text("help.ready")),
                *host,
                ("who", text("help.who")),
            ]
        ),
        *how_to_move(keys, style),
        *_rows(
            [
                ("board", text("help.race_board")),
                ("standings", text("help.standings")),
                ("forfeit", text("help.forfeit")),
                *([again] if kind == "room" else []),
                ("keep", text("help.keep")),
                ("save", text("help.save")),
                ("q", text("help.quit" if kind == "room" else "help.quit_quick")),
            ]
        ),
        *strategy(),
    ]


def _how_to_race_alone(keys: Keys, style: Style, kind: RoomKind) -> list[str]:
    solo = kind == "solo"
    goes_on = ("next", text("help.next")) if solo else ("q", text("help.quit_daily"))
    return [
        text("help.in_race"),
        *how_to_move(keys, style),
        *_rows(
            [
                ("board", text("help.board")),
                ("forfeit", text("help.forfeit_alone")),
                ("keep", text("help.keep")),
                ("save", text("help.save_alone")),
                goes_on,
                *([("q", text("help.quit_solo"))] if solo else []),
            ]
        ),
        *strategy(),
    ]
