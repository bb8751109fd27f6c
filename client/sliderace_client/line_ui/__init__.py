"""The client in line mode: it reads typed lines and answers in lines.

Pure except for `race` and `typed_input`: time and randomness are arguments. It prints
plain ASCII, so that a screen reader, a pipe and a terminal from 1980 can follow.
"""
