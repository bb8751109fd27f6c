"""The help: keys, columns and signs of a screen."""

from textwrap import wrap
from typing import Literal

from sliderace.texts import text
from sliderace_client.line_ui.explanations import strategy
from sliderace_client.shared_ui.keymap import WASD
from sliderace_client.shared_ui.render import Look, Paint, Row, Run
from sliderace_client.shared_ui.settings import Settings
from sliderace_client.tui.dialogs.dialog import Dialog
from sliderace_client.tui.rows import fitted, text_row

__all__ = ["HelpDialog", "HelpTopic", "help_entries", "sliding_keys"]

HelpTopic = Literal[
    "menu", "solo", "room", "results", "replay", "quick", "ranked", "daily"
]

KEYS_W = 19
"""Columns of the keys if texts stand beside them."""
INDENT = "   "
"""Before the second and further lines of a tip."""
TEXT_W = 40
"""Columns that a text needs to stand beside its keys; otherwise it stands below."""


def sliding_keys(settings: Settings) -> str:
    """Return the keys that slide, as the user has chosen them.

    >>> sliding_keys(Settings()), sliding_keys(Settings(own_keys="jlik"))
    ('arrows, wasd, hjkl', 'arrows, ijkl')
    """
    own = settings.own_keys
    if own == WASD:
        return _keys("arrows", "wasd", "hjkl")
    if len(own) != len(WASD):
        return "arrows"
    return _keys("arrows", own[2] + own[0] + own[3] + own[1])


def help_entries(topic: HelpTopic, settings: Settings) -> list[tuple[str, str]]:
    """Return the help entries of a screen.

    Args:
        topic: which screen.
        settings: the keys in effect.

    Returns:
        Pairs: keys, or a column or sign as it appears on the screen; and what it means.
    """
    match topic:
        case "menu":
            return [
                (_keys("up", "down", "enter"), text("tui.help.choose")),
                ("r", text("tui.help.race_now")),
                ("+-", text("tui.help.race_size")),
                ("1 ... 9", text("tui.help.live_rooms")),
                ("b", text("tui.help.return")),
                ("h", text("tui.help.host")),
                (_keys("j", "w"), text("tui.help.join")),
                ("d", text("tui.help.daily")),
                ("s", text("tui.help.solo")),
                ("p", text("tui.help.past_races")),
                ("i", text("tui.help.picture")),
                ("m", text("tui.help.me")),
                ("l", text("tui.help.leaderboards")),
                ("e", text("tui.help.settings")),
                ("q", text("tui.help.quit")),
            ]
        case "solo":
            return [
                *_sliding(settings),
                (_keys("n", "enter"), text("tui.help.new_board")),
                (_keys("u", "backspace"), text("tui.help.undo")),
                ("r", text("tui.help.again")),
                (_keys("+", "-"), text("tui.help.board_size")),
                ("q", text("tui.help.quit")),
            ]
        case "replay":
            return [
                (_keys("space", "k"), text("tui.help.play")),
                (_keys("←", "→"), text("tui.help.jump")),
                (_keys(",", "."), text("tui.help.step")),
                (_keys("+", "-"), text("tui.help.speed")),
                (_keys("home", "end"), text("tui.help.first_and_last")),
                (_keys("l", "p", "a"), text("tui.help.follow")),
                (_keys("↓", "↑", "click"), text("tui.help.follow_next")),
                (_keys("q", "escape"), text("tui.help.close")),
            ]
        case "results":
            return [*_columns(), *_after_a_race(), *_leaving()]
        case "room":
            return [*_sliding(settings), *_room_keys(), *_signs(), *_leaving()]
        case "quick":
            return [
                ("", text("tui.help.quick")),
                *_sliding(settings),
                ("f", text("tui.help.give_up")),
                ("w", text("tui.help.warm_up")),
                ("p", text("tui.help.only_watch")),
                (_keys("v", "n"), text("tui.help.quick_members")),
                (_keys("l", "a"), text("tui.help.quick_follow")),
                (_keys("←", "→", "click"), text("tui.help.follow_next")),
                ("r", text("tui.help.quick_ready")),
                (_keys("t", "c"), text("tui.help.series_and_code")),
                ("s", text("tui.help.save")),
                ("g", text("tui.help.signals")),
                *_signs(),
                *_columns(),
                *_leaving(),
            ]
        case "ranked":
            return [
                ("", text("tui.help.ranked")),
                *_sliding(settings),
                ("n", text("tui.help.next_board")),
                (_keys("+", "-"), text("tui.help.board_size")),
                ("w", text("tui.help.watch_again")),
                ("k", text("tui.help.keep")),
                ("s", text("tui.help.save")),
                ("g", text("tui.help.own_signals")),
                *_columns(),
                *_leaving(),
            ]
        case "daily":
            return [
                ("", text("tui.help.daily_rules")),
                *_sliding(settings),
                ("f", text("tui.help.daily_give_up")),
                ("w", text("tui.help.watch_again")),
                ("s", text("tui.help.save")),
                ("g", text("tui.help.own_signals")),
                *_columns(),
                ("q", text("tui.help.leave")),
                ("Ctrl-C", text("tui.help.daily_interrupt")),
            ]


def _keys(*keys: str) -> str:
    return ", ".join(keys)


def _sliding(settings: Settings) -> list[tuple[str, str]]:
    gap = settings.keys == "gap"
    moved = text("tui.help.direction_of_gap" if gap else "tui.help.direction")
    return [
        (sliding_keys(settings), moved),
        ("click", text("tui.help.click")),
        (_keys("7", "12"), text("tui.help.number")),
        (_keys("i", "m"), text("tui.help.pictures")),
    ]


def _leaving() -> list[tuple[str, str]]:
    return [
        ("q", text("tui.help.leave")),
        ("Ctrl-C", text("tui.help.interrupt")),
    ]


def _columns() -> list[tuple[str, str]]:
    """Explain the columns of the results."""
    return [
        (text("tui.table.moves"), text("tui.help.moves")),
        (text("tui.table.tps"), text("tui.help.tps")),
        (text("tui.table.mtm"), text("tui.help.mtm")),
        (text("tui.table.solve"), text("tui.help.solve_time")),
        (text("tui.table.credit"), text("tui.help.credit")),
        ("≈, †", text("tui.help.marks")),
    ]


def _after_a_race() -> list[tuple[str, str]]:
    return [
        ("↓", text("tui.help.more_racers")),
        ("r", text("tui.help.rematch")),
        (_keys("v", "escape"), text("tui.help.back_to_lobby")),
        ("t", text("tui.help.series")),
        ("w", text("tui.help.watch_again")),
        ("k", text("tui.help.keep")),
        ("s", text("tui.help.save")),
        ("g", text("tui.help.signals")),
    ]


def _room_keys() -> list[tuple[str, str]]:
    return [
        ("f", text("tui.help.give_up")),
        (_keys("v", "n"), text("tui.help.boards")),
        (_keys("l", "p", "a"), text("tui.help.follow")),
        (_keys("←", "→", "click"), text("tui.help.follow_next")),
        (_keys("r", "a"), text("tui.help.ready")),
        ("w", text("tui.help.warm_up")),
        ("s", text("tui.help.start")),
        (_keys("e", "b", "f", "x"), text("tui.help.host_keys")),
        (_keys("up", "down"), text("tui.help.members")),
        (_keys("t", "c"), text("tui.help.series_and_code")),
    ]


def _signs() -> list[tuple[str, str]]:
    """Explain the signs beside names and bars."""
    return [
        (text("latency.jitter", rtt=23, jitter=4), text("tui.help.latency")),
        ("1?", text("tui.help.provisional")),
        ("▘ ▝ ▗ ▖  72", text("tui.help.activity")),
        ("-4%  23%", text("tui.help.progress")),
        ("▲  ▼", text("tui.help.arrows")),
    ]


class HelpDialog(Dialog):
    """The keys of a screen, and what they do.

    Args:
        look: colours.
        topic: which screen.
        settings: the keys in effect.
    """

    def __init__(self, look: Look, topic: HelpTopic, settings: Settings) -> None:
        super().__init__(look)
        self._settings = settings
        self._topic: HelpTopic = topic

    def rows(self) -> list[Row]:  # noqa: D102
        look, (width, _) = self.look, self.space
        beside = width >= KEYS_W + TEXT_W
        rows: list[Row] = []
        for keys, explanation in help_entries(self._topic, self._settings):
            if not keys:  # an introduction
                parts = wrap(explanation, width)
                rows += [text_row(part, look.ink) for part in parts]
                continue
            head = Run(fitted(keys, KEYS_W), Paint(look.accent, bold=True))
            if beside:
                for part in wrap(explanation, width - KEYS_W):
                    rows.append((head, Run(part, Paint(look.ink))))
                    head = Run(" " * KEYS_W, Paint())
                continue
            rows.append((head,))
            parts = wrap(explanation, width - 2)
            rows += [text_row(f"  {part}", look.ink) for part in parts]
        if self._topic == "solo":
            rows.append(text_row(""))
            tips = "\n".join(strategy()).replace(f"\n{INDENT}", " ").split("\n")
            for n, tip in enumerate(tips):
                parts = wrap(tip, width, subsequent_indent=INDENT)
                colour = look.ink if n else look.accent
                rows += [text_row(part, colour, bold=not n) for part in parts]
        return rows
