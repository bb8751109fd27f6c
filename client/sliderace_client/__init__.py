"""The clients of sliderace that run in a terminal, and the bots.

`room` turns what a server sends into what a player sees, without a clock or a socket;
`net` connects it to the server; `line_ui` and `tui` show it; `cli` starts both.
"""
