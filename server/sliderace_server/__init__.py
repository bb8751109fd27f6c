"""The sliderace server: rooms, the web page and results, all on one port.

Run it as ``python -m sliderace_server`` or ``sliderace serve``.
"""
