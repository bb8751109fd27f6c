"""The room's code, large, with its links and a QR code."""

from collections.abc import Sequence

from sliderace.protocol.room_code import format_code
from sliderace_client.net.locate import join_command
from sliderace_client.shared_ui.render import Look, Row, big_text
from sliderace_client.tui.blocking_calls import only_here
from sliderace_client.tui.dialogs.dialog import Dialog
from sliderace_client.tui.rows import cut, qr_code_rows, text_row

__all__ = ["CodeDialog", "join_command_for"]


def join_command_for(code: str, link: str, width: int) -> str:
    """Return the command that others type to join.

    It contains the server's address if that fits, and if others can reach it.

    Args:
        code: the room's six letters.
        link: the best link to it; empty: there is none.
        width: columns.
    """
    exact = join_command(link) if link and not only_here(link) else ""
    if 0 < len(exact) <= width:
        return exact
    return " ".join(("sliderace", "join", format_code(code)))


class CodeDialog(Dialog):
    """Code, command, links and QR code, as much as fits.

    Args:
        look: colours.
        code: the room's six letters.
        links: where the room can be joined, best first.
    """

    def __init__(self, look: Look, code: str, links: Sequence[str]) -> None:
        super().__init__(look)
        self._code = code
        self._links = tuple(links)

    def rows(self) -> list[Row]:  # noqa: D102
        look, (width, height) = self.look, self.space
        height -= 1  # for the keys
        link = self._links[0] if self._links else ""
        rows = [
            text_row(row, look.accent, bold=True)
            for row in big_text(format_code(self._code))
        ]
        rows.append(text_row(join_command_for(self._code, link, width), look.ink))
        rows += [text_row(cut(one, width), look.ink) for one in self._links]
        if link:
            qr = qr_code_rows(link)
            if len(rows) + len(qr) <= height and len(qr[0][0].text) <= width:
                rows += qr
            elif len(qr) <= height:
                rows = qr
        return rows[:height]
