"""Limits that client and server share; a server may set lower ones."""

from sliderace.engine.board import MAX_SIDE, MIN_SIDE
from sliderace.engine.scramble import MAX_SEAT

__all__ = [
    "MAX_BOTS",
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
    "REACTIONS",
    "REACTION_MS",
    "REACTION_SIGNS",
]

MAX_INTEGER = 2**53 - 1
"""The largest integer that JavaScript holds exactly (ECMA-262)."""
MAX_SLIDES = 60
"""Slides per message: what a fast player makes in a second."""
MAX_UP_BYTES = 2048
"""Size of a command; 60 slides with seven-digit times are about 1 KiB."""
MAX_DOWN_BYTES = 65536
"""Size of an event; a snapshot of 16 10x10 boards and 116 members is far smaller."""
MAX_BOTS = 16
"""Bots of the server in one room, at most: more would not fit into its seats."""
MAX_CODE = 16
"""Characters of a room code as typed, with spaces and dashes."""
MAX_NAME_TEXT = 64
"""Characters of a nickname as typed, before it is cleaned."""
MAX_NAME_CELLS = 20
"""Width of a cleaned nickname in terminal cells."""
MAX_SEED_TEXT = 64
"""Characters of a seed given in advance: 64 hex digits, or a shorter text."""
REACTIONS = 16
"""Reactions: symbols, then phrases; their texts are `reaction.NUMBER`."""
REACTION_SIGNS = 8
"""Those that are a symbol: `reaction.sign_NUMBER`."""
REACTION_MS = 3_000
"""How long clients show a reaction."""
MAX_FEATURES = 32
"""Entries of `can`: more than there will ever be event types to list."""
MAX_FEATURE_TEXT = 32
"""Characters of one entry; a full list is half of a message."""
