"""How the player slides, which their client declares to the server."""

from sliderace.protocol.messages import Input, InputName

__all__ = ["InputUsed"]


class InputUsed:
    """The ways in which the slides of one race after another were made."""

    def __init__(self) -> None:
        self._race = ""
        self._used: set[InputName] = set()
        self._declared: Input | None = None

    def made(self, race: str, by: InputName) -> None:
        """Note a slide."""
        if race != self._race:
            self._race, self._used = race, set()
        self._used.add(by)

    def undeclared(self, race: str) -> Input | None:
        """Return what to declare, once for each race and change.

        >>> used = InputUsed()
        >>> used.made("A", "keys")
        >>> used.undeclared("A") == Input("A", "keys"), used.undeclared("A")
        (True, None)
        >>> used.made("A", "click")
        >>> used.undeclared("A") == Input("A", "mixed"), used.undeclared("B")
        (True, None)
        """
        if race != self._race:
            return None
        name: InputName = next(iter(self._used)) if len(self._used) == 1 else "mixed"
        before, self._declared = self._declared, Input(race, name)
        return None if self._declared == before else self._declared
