"""The server of sliderace: rooms that survive anything, on one port.

Run it as ``python -m sliderace_server`` or ``sliderace serve``.
"""
