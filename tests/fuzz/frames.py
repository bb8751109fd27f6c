"""Mutations of real frames, by seed."""

import random
from collections.abc import Iterator

from sliderace.protocol import messages as m
from sliderace.protocol.codec import encode_command

__all__ = ["REAL", "mutated"]

_COMMANDS: tuple[m.Command, ...] = (
    m.Hello(v=1, enter=m.Create(name="Ann"), client="sliderace 1"),
    m.Hello(v=1, enter=m.Open(rules=m.RulesPatch(size="4x4", limit_ms=0))),
    m.Hello(v=1, enter=m.Join(code="KWX-TRB", name="Ben", bot=True)),
    m.Hello(v=1, enter=m.Resume(code="KWXTRB", token="0" * 32, epoch=1, offset=9)),
    m.Ready(race="KWXTRB-S1-1", nonce_commitment="a" * 64),
    m.Nonce(race="KWXTRB-S1-1", nonce="b" * 32),
    m.Start(race="KWXTRB-S1-1"),
    m.Slides("KWXTRB-S1-1", 0, 1, [("U", 1, 0), ("L", 2, 33), ("R", 1, 1_000_000)]),
    m.Forfeit(race="KWXTRB-S1-1"),
    m.Settings(rules=m.RulesPatch(size="3x3", open_boards=True), public=True),
    m.Role(role="spectator"),
    m.Rename(name="Zoë"),
    m.React(id=16),
    m.Mute(member=1),
    m.Bench(member=1),
    m.Lock(on=False),
    m.Resync(seat=0),
    m.Ping(id=7),
)
REAL = tuple(encode_command(command).encode() for command in _COMMANDS)

_ODD = (
    *(b"null", b"[]", b"{}", b"1e999", b"NaN", b"-1", b"9007199254740993"),
    *(b"1" * 40, b'"', b"\\", b'"\\ud800"', b"\x00", b"\xff\xfe", b"\xed\xa0\x80"),
    *(b"[" * 300, b'{"a":' * 100, b'"t":"slides",', b'"t":"hello",', b"true", b","),
    *("\u202e\u200b\x1b[2J".encode(), b"<b>", b" " * 2_100, b"\n", b"0.5", b":"),
)


def mutated(count: int, seed: int) -> Iterator[bytes]:
    """Yield mutated frames.

    Args:
        count: how many.
        seed: the same seed gives the same frames.
    """
    rng = random.Random(seed)  # noqa: S311
    chance, below, pick = rng.random, rng.randrange, rng.choice
    for _ in range(count):
        frame = pick(REAL)
        for _ in range(1 if chance() < 0.6 else below(2, 5)):
            at = int(chance() * (len(frame) + 1))
            kind = chance()
            if kind < 0.35:  # replace a byte
                frame = frame[:at] + _BYTES[int(chance() * 256)] + frame[at + 1 :]
            elif kind < 0.55:  # remove a piece
                frame = frame[:at] + frame[at + 1 + int(chance() * 12) :]
            elif kind < 0.75:  # insert something odd
                frame = frame[:at] + pick(_ODD) + frame[at:]
            elif kind < 0.9:  # duplicate a piece
                end = at + int(chance() * 40)
                frame = frame[:end] + frame[at:]
            else:  # join two messages
                frame = frame[:at] + pick(REAL)[at:]
        yield frame


_BYTES = [bytes((n,)) for n in range(256)]
