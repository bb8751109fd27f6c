"""The published race record: how it is written, signed, read and verified.

Anyone can verify a race record after the race. The room's log, from which it is made,
also contains secrets and everything else that happens in a room; it never leaves the
server.
"""
