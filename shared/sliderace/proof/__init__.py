"""The published race record: written, signed, read and checked again.

The race record is what anyone can verify after a race; the room's log, from which it is
made, also holds secrets and what happened in the lobby, and never leaves the server.
"""
