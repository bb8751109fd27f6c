"""Race friends on identical sliding-tile puzzles: the rules, without any I/O.

The package reads no clock and holds no source of randomness: time and entropy are
arguments. `sliderace.engine` is the puzzle, `sliderace.race` the rules of a race and
of its proof, `sliderace.protocol` the messages between client and server.
"""

__version__ = "0.1.0"
