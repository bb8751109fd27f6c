"""Our profile on a server: bests, devices, and what can be done with it."""

from collections.abc import Iterable, Mapping
from functools import partial
from textwrap import wrap
from typing import ClassVar, Protocol

from textual.widget import Widget

from sliderace.protocol.messages import Profile, Ticket
from sliderace.protocol.profile_key import format_key, format_ticket
from sliderace.texts import text
from sliderace_client.shared_ui.profile_text import (
    bests_cells,
    day_text,
    device_text,
    forget_text,
)
from sliderace_client.shared_ui.render import Look, Row
from sliderace_client.tui.actions import Action
from sliderace_client.tui.dialogs.dialog import Dialog
from sliderace_client.tui.lists import Cursor, chosen_row, fitting_table
from sliderace_client.tui.rows import fitted, text_row
from sliderace_client.tui.screens.forms import Form
from sliderace_client.tui.screens.screen import BaseScreen, Program
from sliderace_client.tui.widgets import TextRows

__all__ = ["KeyDialog", "ProfileProgram", "ProfileScreen", "TicketDialog"]

SMALL = 10
"""With fewer rows, there are no headings between bests and devices."""
DROPPED = (2, 1, 5)
"""Columns of the bests that a narrow screen leaves out."""


class ProfileRequests(Protocol):
    """What the screen asks of the server; the answers come to the screen."""

    def keep(self, name: str) -> None:
        """Create a profile."""
        ...

    def claim(self, typed: str) -> None:
        """Add this device to a profile, with a ticket or a key."""
        ...

    def rename(self, name: str) -> None:
        """Change the name."""
        ...

    def show_ticket(self) -> None:
        """Show a ticket for another device."""
        ...

    def show_key(self) -> None:
        """Show the secret."""
        ...

    def revoke(self, device: int) -> None:
        """Remove a device."""
        ...

    def export(self, file: str) -> None:
        """Save everything that the server has about us in a file."""
        ...

    def forget(self, *, on: bool) -> None:
        """Delete the profile in 72 hours, or cancel that."""
        ...


class ProfileProgram(Program, Protocol):
    """The part of the program that this screen uses."""

    @property
    def nickname(self) -> str:
        """The user's nickname."""
        ...

    @property
    def profile_requests(self) -> ProfileRequests:
        """Asks the server."""
        ...

    def show_statistics(self, event: str) -> None:
        """Show what we have done in an event."""
        ...

    def show_leaderboards(self, event: str = "") -> None:
        """Show the leaderboards of the server, those of an event first."""
        ...


class ProfileScreen(BaseScreen):
    """Our profile, or how to get one.

    Args:
        program: shows this screen.
    """

    DEFAULT_CSS = "ProfileScreen #profile { height: 1fr; margin: 1 1 0 1; }"

    def __init__(self, program: ProfileProgram) -> None:
        super().__init__(program)
        self._profile_program = program
        self._profile: Profile | None = None
        self._server = ""
        self._why = text("tui.past.loading")
        self._guest = False
        self._cursor = Cursor()
        self._rows_of: dict[int, int] = {}
        self._list = TextRows(id="profile", on_pick=self._click)

    @property
    def program(self) -> ProfileProgram:  # noqa: D102
        return self._profile_program

    @property
    def _requests(self) -> ProfileRequests:
        return self.program.profile_requests

    def show_profile(self, profile: Profile, server: str) -> None:
        """Show a profile of a server."""
        self._profile, self._server, self._guest = profile, server, False
        self.refresh_content()

    def show_guest(self, why: str, server: str) -> None:
        """Show that we have no profile there, and why."""
        self._profile, self._server, self._guest = None, server, True
        self._why = why
        self.refresh_content()

    def fail(self, why: str) -> None:
        """Show why something is not possible."""
        self.program.say(why, "bad")
        if self._profile is None and not self._guest:
            self._why = why
        self.refresh_content()

    def body(self) -> Iterable[Widget]:  # noqa: D102
        yield self._list

    def head(self) -> str:  # noqa: D102
        return text("tui.me.head", server=self._server) if self._server else ""

    # --- Display ----------------------------------------------------------------------

    def update(self) -> None:  # noqa: D102
        super().update()
        width = max(1, self.size.width - 2)
        self._list.show(self._rows(width)[: max(1, self.body_height() - 1)])

    def _rows(self, width: int) -> list[Row]:
        look, profile = self.look, self._profile
        if profile is None:
            rows = [text_row(part, look.ink) for part in wrap(self._why, width)]
            if self._guest:
                rows.append(text_row(""))
                why = wrap(text("tui.me.guest"), width)
                rows += [text_row(part, look.soft) for part in why]
            return rows
        small = self.body_height() < SMALL
        above = self._above(profile, width)
        above = above[:1] if small else above
        head, *lines = fitting_table(bests_cells(profile.bests), width, DROPPED)
        lines = lines if profile.bests else []
        devices = [device_text(one) for one in profile.devices]
        count = len(lines) + len(devices)
        free = max(2, self.body_height() - 1 - len(above) - (1 if small else 3))
        window = self._cursor.window(count, free)
        rows = [*above, text_row(f"  {head}" if lines else head, look.soft)]
        self._rows_of.clear()
        for n in window:
            if n == max(len(lines), window[0]) and not small:
                rows += [text_row(""), text_row(text("me.devices"), look.soft)]
            content = lines[n] if n < len(lines) else devices[n - len(lines)]
            self._rows_of[len(rows)] = n
            chosen = n == self._cursor.at
            rows.append(chosen_row(content, look, width, chosen=chosen))
        return rows

    def _above(self, profile: Profile, width: int) -> list[Row]:
        look = self.look
        name = text("me.name", name=profile.name, id=profile.id)
        rows = [text_row(fitted(name, width), look.accent, bold=True)]
        facts = [text("tui.me.since", day=day_text(profile.created_ms))]
        if profile.streak:
            facts.append(text("gains.streak", count=profile.streak))
        if profile.dailies:
            facts.append(text("me.dailies", events=", ".join(profile.dailies)))
        rows += [text_row(part, look.ink) for part in wrap(" · ".join(facts), width)]
        if forget := forget_text(profile):
            rows += [text_row(part, look.bad) for part in wrap(forget, width)]
        return [*rows, text_row("")]

    # --- Actions ----------------------------------------------------------------------

    def actions(self) -> list[Action]:  # noqa: D102
        back = Action("esc", text("tui.key.back"), self._close, ("escape", "q"))
        profile, show = self._profile, self._open
        if profile is None and not self._guest:
            return [back]
        if profile is None:
            return [
                Action("k", text("tui.key.keep_times"), partial(show, KeepForm)),
                Action("t", text("tui.key.enter_ticket"), partial(show, ClaimForm)),
                back,
            ]
        actions: list[Action] = []
        if self._event:
            statistics = text("tui.key.statistics")
            actions.append(Action("enter", statistics, self._statistics))
        else:
            remove = text("tui.key.remove")
            actions.append(Action("x", remove, self._ask_to_revoke))
        boards = text("tui.key.leaderboards")
        actions += [
            Action("l", boards, lambda: self.program.show_leaderboards(self._event)),
            Action("n", text("tui.key.name"), partial(show, RenameForm)),
            Action("a", text("tui.key.add_device"), self._requests.show_ticket),
            Action("k", text("tui.key.key"), self._ask_for_key),
            Action("s", text("tui.key.export"), partial(show, ExportForm)),
        ]
        if profile.forget_at_ms is None:
            delete = text("tui.key.delete")
            actions.append(Action("d", delete, self._ask_to_forget))
        else:
            keep = partial(self._requests.forget, on=False)
            actions.append(Action("d", text("tui.key.do_not_delete"), keep))
        return [*actions, back]

    @property
    def _event(self) -> str:
        """The event of the chosen row; empty: the row is a device."""
        bests = self._profile.bests if self._profile else []
        return bests[self._cursor.at].event if self._cursor.at < len(bests) else ""

    def _count(self) -> int:
        profile = self._profile
        return 0 if profile is None else len(profile.bests) + len(profile.devices)

    def other_key(self, key: str) -> bool:  # noqa: D102
        moved = self._cursor.key(key, self._count(), max(1, self.body_height() - 6))
        self.update()
        return moved

    def _open(self, form: "type[_ProfileForm]") -> None:
        self.program.open_screen(form(self.program))

    def _close(self) -> None:
        self.program.close_screen(self)

    def _statistics(self) -> None:
        self.program.show_statistics(self._event)

    def _ask_to_revoke(self) -> None:
        profile = self._profile
        if profile is None:
            return
        device = profile.devices[self._cursor.at - len(profile.bests)]
        name = device.name or text("me.unnamed")
        remove = partial(self._requests.revoke, device.id)
        yes = Action("y", text("tui.key.remove"), remove)
        self.ask(text("tui.me.revoke", name=name), yes, no=text("tui.key.no"))

    def _ask_for_key(self) -> None:
        yes = Action("y", text("tui.key.show_it"), self._requests.show_key)
        self.ask(text("tui.me.show_key"), yes, no=text("tui.key.no"))

    def _ask_to_forget(self) -> None:
        forget = partial(self._requests.forget, on=True)
        yes = Action("y", text("tui.key.delete"), forget)
        self.ask(text("tui.me.forget"), yes, no=text("tui.key.no"))

    def _click(self, y: int, _x: int) -> None:
        """Choose the row that was clicked; a second click opens it."""
        at = self._rows_of.get(y)
        if at is not None:
            again, self._cursor.at = at == self._cursor.at, at
            if again and self._event:
                self._statistics()
            self.update()


# --- Forms ----------------------------------------------------------------------------


class _ProfileForm(Form):
    """A form about the profile."""

    def __init__(self, program: ProfileProgram) -> None:
        super().__init__(program)
        self._profile_program = program

    @property
    def program(self) -> ProfileProgram:
        return self._profile_program

    def use(self, typed: str) -> None:
        """Use what was typed."""

    def submit(self) -> None:
        typed = self.value(next(iter(self.FIELDS)))
        if typed:
            self.close()
            self.use(typed)


class KeepForm(_ProfileForm):
    """Create a profile."""

    HEADING = "tui.me.keep"
    FIELDS: ClassVar = {"name": "tui.form.name"}
    HINT = "tui.me.keep_hint"

    def initial_values(self) -> Mapping[str, str]:
        return {"name": self.program.nickname}

    def use(self, typed: str) -> None:
        self.program.profile_requests.keep(typed)


class RenameForm(KeepForm):
    """Change the name."""

    HEADING = "tui.me.rename"
    HINT = "tui.me.rename_hint"

    def use(self, typed: str) -> None:
        self.program.profile_requests.rename(typed)


class ClaimForm(_ProfileForm):
    """Add this device to a profile."""

    HEADING = "tui.me.claim"
    FIELDS: ClassVar = {"ticket": "tui.me.ticket_field"}
    HINT = "tui.me.claim_hint"

    def use(self, typed: str) -> None:
        self.program.profile_requests.claim(typed)


class ExportForm(_ProfileForm):
    """Save everything that the server has about us."""

    HEADING = "tui.me.export"
    FIELDS: ClassVar = {"file": "tui.me.export_field"}

    def initial_values(self) -> Mapping[str, str]:
        return {"file": "sliderace-profile.zip"}

    def use(self, typed: str) -> None:
        self.program.profile_requests.export(typed)


# --- Dialogs --------------------------------------------------------------------------


class TicketDialog(Dialog):
    """A ticket for another device.

    Args:
        look: colours.
        ticket: from the server.
        server: base address.
    """

    def __init__(self, look: Look, ticket: Ticket, server: str) -> None:
        super().__init__(look)
        self._ticket, self._server = ticket, server

    def rows(self) -> list[Row]:  # noqa: D102
        look, width = self.look, self.space[0]
        minutes = -(-self._ticket.in_ms // 60_000)
        written = format_ticket(self._ticket.ticket)
        told = text("tui.me.ticket", minutes=minutes, server=self._server)
        rows = [text_row(written, look.accent, bold=True), text_row("")]
        return [*rows, *(text_row(part, look.ink) for part in wrap(told, width))]


class KeyDialog(Dialog):
    """The secret, to be written down.

    Args:
        look: colours.
        secret: of this device.
    """

    def __init__(self, look: Look, secret: str) -> None:
        super().__init__(look)
        self._secret = secret

    def rows(self) -> list[Row]:  # noqa: D102
        look, width = self.look, self.space[0]
        told = wrap(text("me.key_warning"), width)
        rows = [text_row(part, look.ink) for part in told]
        key = wrap(format_key(self._secret), width, break_on_hyphens=True)
        rows += [
            text_row(""),
            *(text_row(part, look.accent, bold=True) for part in key),
        ]
        return rows
