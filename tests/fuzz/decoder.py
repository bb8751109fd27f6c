"""Decode mutated frames and check that each is a message or the one error."""

from collections import Counter

from tests.fuzz.frames import mutated

from sliderace.protocol.codec import ProtocolError, decode_command, encode_command

__all__ = ["CODES", "decode_mutated"]

CODES = {"bad_message", "bad_rules", "version", "too_large"}
EVERY = 50
"""One in so many decoded commands is also encoded and decoded again."""


def decode_mutated(count: int, seed: int) -> Counter[str]:
    """Decode frames; count the results: `ok` or the code of the error.

    Raises:
        AssertionError: the decoder raised something else; the message has the frame.
    """
    outcomes = Counter[str]()
    commands = 0
    for frame in mutated(count, seed):
        try:
            command = decode_command(frame)
        except ProtocolError as error:
            outcomes[error.code] += 1
        except BaseException as error:
            raise AssertionError(f"{frame!r}: {error!r}") from error
        else:
            commands += 1
            if commands % EVERY == 0:
                again = decode_command(encode_command(command))
                assert again == command, frame
    outcomes["ok"] = commands
    assert set(outcomes) <= {"ok", *CODES}
    return outcomes
