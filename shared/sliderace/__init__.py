"""The rules of racing on sliding-tile puzzles, without any I/O.

Time and entropy are arguments: nothing here reads a clock or draws random numbers.
`sliderace.engine` is the puzzle, `sliderace.race` a race, `sliderace.proof` the
published race record and its checks, `sliderace.protocol` the messages between client
and server, `sliderace.texts` every sentence that a client shows.
"""

__version__ = "0.1.0"
