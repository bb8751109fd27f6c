"""Read the user's own picture, which is never sent anywhere.

This needs Pillow, which is optional (the extra `pictures`).
"""

from pathlib import Path

from sliderace.texts import text
from sliderace_client.shared_ui.pictures import RGB, Picture, picture_of_pixels

__all__ = ["BadPicture", "load_picture"]

MAX_BYTES = 50_000_000
MAX_PIXELS = 50_000_000
"""Larger than any camera's pictures, but a small machine still has the memory."""
SIDE = 240
"""Pixels of a side that are kept: more than the half blocks that a terminal shows."""


class BadPicture(ValueError):
    """A file cannot be shown; the message is for the user."""


def load_picture(path: Path) -> Picture:
    """Read a picture and cut out its middle square.

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
        raise BadPicture(text("picture.needs_pillow")) from None
    name = path.name
    try:
        if path.stat().st_size > MAX_BYTES:
            most = MAX_BYTES // 1_000_000
            raise BadPicture(text("picture.too_many_bytes", name=name, most=most))
        with Image.open(path) as image:
            if image.width * image.height > MAX_PIXELS:
                most = MAX_PIXELS // 1_000_000
                raise BadPicture(text("picture.too_many_pixels", name=name, most=most))
            image.draft("RGB", (SIDE, SIDE))
            square = ImageOps.fit(image.convert("RGB"), (SIDE, SIDE))
            data = square.tobytes()
    except UnidentifiedImageError:
        raise BadPicture(text("picture.unknown", name=name)) from None
    except Image.DecompressionBombError:
        raise BadPicture(text("picture.too_large", name=name)) from None
    except OSError as error:
        if error.strerror is None:
            raise BadPicture(text("picture.damaged", name=name)) from None
        why = text("picture.cannot_read", name=name, why=error.strerror)
        raise BadPicture(why) from None
    except (SyntaxError, ValueError) as error:
        if isinstance(error, BadPicture):
            raise
        raise BadPicture(text("picture.damaged", name=name)) from None
    pixels: list[RGB] = list(zip(data[::3], data[1::3], data[2::3], strict=True))
    rows = [pixels[y * SIDE : (y + 1) * SIDE] for y in range(SIDE)]
    return picture_of_pixels(str(path), rows)
