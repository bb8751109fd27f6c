"""Whatever comes in, the decoder answers with a message or with its one error."""

from collections import Counter

from tests.fuzz.frames import mutated

from sliderace.protocol.codec import ProtocolError, decode_command, encode_command

__all__ = ["CODES", "decoded"]

CODES = {"bad_message", "version", "too_large"}
EVERY = 50
"""Of the commands understood, one in so many is encoded and decoded again."""


def decoded(count: int, seed: int) -> Counter[str]:
    """How so many mutated frames were taken: `ok`, or the code of the error.

    Raises:
        AssertionError: an answer that is none; the frame is told.
    """
    outcomes = Counter[str]()
    understood = 0
    for frame in mutated(count, seed):
        try:
            command = decode_command(frame)
        except ProtocolError as error:
            outcomes[error.code] += 1
        except BaseException as error:
            raise AssertionError(f"{frame!r}: {error!r}") from error
        else:
            understood += 1
            if understood % EVERY == 0:
                again = decode_command(encode_command(command))
                assert again == command, frame
    outcomes["ok"] = understood
    assert set(outcomes) <= {"ok", *CODES}
    return outcomes
