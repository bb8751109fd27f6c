"""The user's own picture. It is read here, shown here, and sent nowhere.

Pillow does the reading; who does not want it needs none (`sliderace[pictures]`).
"""

from pathlib import Path

from sliderace_client.shared_ui.pictures import RGB, Picture, picture_of_pixels

__all__ = ["BadPicture", "load_picture"]

MAX_BYTES = 50_000_000
MAX_PIXELS = 50_000_000
"""Larger than any camera's, smaller than what exhausts a small machine's memory."""
SIDE = 240
"""Pixels of a side that are kept: more than half blocks a terminal shows."""


class BadPicture(ValueError):
    """Why a file cannot be shown, in one line."""


def load_picture(path: Path) -> Picture:
    """Read a picture; its middle, cut square.

    Args:
        path: the file.

    Raises:
        BadPicture: it cannot be shown.
    """
    try:
        from PIL import (  # noqa: PLC0415 - an extra
            Image,
            ImageOps,
            UnidentifiedImageError,
        )
    except ImportError:
        text = "Your own pictures need Pillow: pip install 'sliderace[pictures]'"
        raise BadPicture(text) from None
    name = path.name
    try:
        if path.stat().st_size > MAX_BYTES:
            raise BadPicture(
                f"{name} is too large: {MAX_BYTES // 1_000_000} MB at most."
            )
        with Image.open(path) as image:
            if image.width * image.height > MAX_PIXELS:
                many = MAX_PIXELS // 1_000_000
                raise BadPicture(f"{name} is too large: {many} million pixels at most.")
            image.draft("RGB", (SIDE, SIDE))
            square = ImageOps.fit(image.convert("RGB"), (SIDE, SIDE))
            data = square.tobytes()
    except UnidentifiedImageError:
        raise BadPicture(f"{name} is no picture that can be read.") from None
    except Image.DecompressionBombError:
        raise BadPicture(f"{name} is too large.") from None
    except OSError as error:
        why = error.strerror or "it is damaged"
        raise BadPicture(f"{name} cannot be read: {why}.") from None
    except (SyntaxError, ValueError) as error:
        if isinstance(error, BadPicture):
            raise
        raise BadPicture(f"{name} is damaged.") from None
    pixels: list[RGB] = list(zip(data[::3], data[1::3], data[2::3], strict=True))
    rows = [pixels[y * SIDE : (y + 1) * SIDE] for y in range(SIDE)]
    return picture_of_pixels(str(path), rows)
