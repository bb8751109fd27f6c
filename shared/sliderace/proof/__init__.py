"""The published race record: how it is written, signed, read and verified.

A race record is public: anyone can verify it after the race. It is built from the
room's log, which also contains secrets and everything else that happens in a room; the
log never leaves the server.
"""
