"""The bounds that both sides of the wire know; the server may set lower ones."""

__all__ = [
    "MAX_CODE",
    "MAX_DOWN_BYTES",
    "MAX_FEATURES",
    "MAX_FEATURE_TEXT",
    "MAX_INTEGER",
    "MAX_NAME_CELLS",
    "MAX_NAME_TEXT",
    "MAX_SEAT",
    "MAX_SEED_TEXT",
    "MAX_SIDE",
    "MAX_SLIDES",
    "MAX_UP_BYTES",
    "MIN_SIDE",
]

MAX_INTEGER = 2**53 - 1
"""The largest integer that JavaScript's numbers hold exactly (ECMA-262)."""
MIN_SIDE = 2
MAX_SIDE = 10
"""A board's sides; larger ones do not fit a phone, and n-1 fits two digits."""
MAX_SEAT = 254
"""Seats are one byte in the scramble's hash; 255 is kept free."""
MAX_SLIDES = 60
"""In one message: a second's worth at the announced rate."""
MAX_UP_BYTES = 2048
"""60 slides with seven-digit times are about 1 KiB."""
MAX_DOWN_BYTES = 65536
"""A snapshot of 16 boards of 10x10 and 116 members stays far below."""
MAX_CODE = 16
"""Six letters with any spaces and dashes people put between them."""
MAX_NAME_TEXT = 64
"""Code points of a nickname as typed, before it is cleaned."""
MAX_NAME_CELLS = 20
"""Width of a cleaned nickname in terminal cells."""
MAX_SEED_TEXT = 64
"""A seed given in advance: 64 hex digits or any shorter text."""
MAX_FEATURES = 32
"""Entries of `can`: more than there will ever be event types to list."""
MAX_FEATURE_TEXT = 32
"""Characters of one entry; a full list is half of a message."""
