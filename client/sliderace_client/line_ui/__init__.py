"""The client in lines: what is typed, and what is answered.

Pure except for `race` and `typed_input`: time and randomness are arguments. It prints
plain ASCII, so that a screen reader, a pipe and a terminal from 1980 can follow.
"""
