"""A tile named by its number, typed digit by digit."""

__all__ = ["PATIENCE_MS", "Number"]

PATIENCE_MS = 600
"""How long a number waits for a further digit."""


class Number:
    """The digits typed so far."""

    def __init__(self) -> None:
        self._text = ""
        self._at = 0

    @property
    def text(self) -> str:
        """The digits so far."""
        return self._text

    def typed(self, digit: str, largest: int, now: int) -> int | None:
        """Take a digit.

        Args:
            digit: 0 ... 9.
            largest: the largest number on the board.
            now: instant in ms.

        Returns:
            The tile, as soon as no digit can follow.

        >>> number = Number()
        >>> number.typed("9", 15, 0), number.typed("1", 15, 1), number.typed("2", 15, 2)
        (9, None, 12)
        """
        text = self._text + digit
        if int(text) > largest or int(text) == 0:
            text = digit if 0 < int(digit) <= largest else ""
        self._text, self._at = text, now
        return self.finish() if text and int(text) * 10 > largest else None

    def waited(self, now: int) -> int | None:
        """Return the tile if no digit came for long enough; call it with each tick."""
        return self.finish() if self._text and now >= self._at + PATIENCE_MS else None

    def finish(self) -> int | None:
        """Return the tile typed so far; None if there is none."""
        text, self._text = self._text, ""
        return int(text) if text else None

    def drop(self) -> None:
        """Forget the digits."""
        self._text = ""
