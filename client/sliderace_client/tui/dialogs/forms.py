"""What a user likes and types: own keys, and where rooms are looked for first."""

from dataclasses import replace

from sliderace_client.line_ui.answers import Refusal
from sliderace_client.line_ui.own_keys import Keys, keys_of
from sliderace_client.net.locate import NotFound, server_address
from sliderace_client.tui.screens.menu import Form

__all__ = ["KeysForm", "ServerForm"]


class KeysForm(Form):
    """Four keys of one's own, or a preset."""

    HEADING = "Your keys"
    FIELDS = (
        ("keys", "Left, right, up, down: four keys", ""),
        ("move", "They move: tile or gap", ""),
    )
    HINT = "Or: arrows, wasd, hjkl. Arrow keys always count."

    def on_mount(self) -> None:
        """Textual calls the base class's handler too."""
        likes = self.terminal.settings
        self._inputs["keys"].value = likes.own_keys
        self._inputs["move"].value = likes.keys

    def done(self) -> None:  # noqa: D102
        likes = self.terminal.settings
        chars = "" if likes.own_keys == "arrows" else likes.own_keys
        keys: Keys | Refusal = Keys(chars, likes.keys == "gap")
        if self.value("move") not in ("tile", "gap"):
            keys = Refusal("keys_move", "Keys move the tile or the gap: type which.")
        for name in ("move", "keys"):  # untrimmed: a blank key has its own message
            if isinstance(keys, Keys):
                keys = keys_of(self._inputs[name].value, keys)
        if isinstance(keys, Refusal):
            self.terminal.say(keys.text, "bad")
            return
        moved = "gap" if keys.gap else "tile"
        kept = replace(likes, own_keys=keys.chars or "arrows", keys=moved)
        self.terminal.use_settings(kept)
        self.terminal.pop_screen()
        self.terminal.say(keys.told())


class ServerForm(Form):
    """Where a bare code is looked for first."""

    HEADING = "Your server"
    FIELDS = (("server", "HOST[:PORT] or address; empty: none", ""),)
    HINT = "A bare code is looked for there first."

    def on_mount(self) -> None:
        """Textual calls the base class's handler too."""
        self._inputs["server"].value = self.terminal.settings.server

    def done(self) -> None:  # noqa: D102
        text = self.value("server")
        try:
            server = server_address(text) if text else ""
        except NotFound as error:
            self.terminal.say(f"{error}.", "bad")
            return
        self.terminal.use_settings(replace(self.terminal.settings, server=server))
        self.terminal.pop_screen()
        self.terminal.say(f"Server: {server}" if server else "No server of your own.")
