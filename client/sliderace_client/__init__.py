"""The clients of sliderace that run in a terminal, and the players that are programs.

`model` folds what a server says into what a player sees, without a clock or a socket;
`connection` gives it both; the rest are the ways to look at it and to start it.
"""
