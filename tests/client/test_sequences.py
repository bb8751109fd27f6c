"""What a terminal sends, split into keys, sequences and pasted text."""

import pytest
from hypothesis import given, strategies as st
from textual.events import Key, MouseDown, Paste

from sliderace_client.tui.terminal_io.driver import KeyParser
from sliderace_client.tui.terminal_io.sequences import (
    MAX_PASTE,
    SPLIT_MS,
    Sequences,
    Token,
    readable,
)

LEFT = Token("sequence", "\x1b[D")
ESCAPE = Token("escape", "\x1b")


def split(*parts: tuple[int, str], patience_ms: int = SPLIT_MS) -> list[Token]:
    """Feed parts at their times, looking every 100 ms as the driver does."""
    sequences, tokens, last = Sequences(), list[Token](), 0
    for at, data in [*parts, (parts[-1][0] + 2_500, "")]:
        for now in range(last, at, 100):
            tokens += sequences.waited(now, patience_ms)
        tokens += sequences.feed(data, at) if data else []
        last = at
    return tokens


@pytest.mark.parametrize("gap", [0, 10, 150, 900, 990])
@pytest.mark.parametrize("at", [1, 2])
def test_sequence_in_two_parts_is_one_key(gap: int, at: int) -> None:
    assert split((0, "\x1b[D"[:at]), (gap, "\x1b[D"[at:])) == [LEFT]


def test_rest_of_a_sequence_is_still_a_key_after_escape_was_taken_for_one() -> None:
    """Where Escape does not wait: the letters of the sequence must never be keys."""
    tokens = split((0, "\x1b"), (400, "[D"), patience_ms=250)
    assert tokens == [ESCAPE, LEFT]


def test_escape_alone_is_the_escape_key_after_the_pause() -> None:
    sequences = Sequences()
    assert sequences.feed("\x1b", 0) == []
    assert sequences.waited(249, 250) == []
    assert sequences.waited(250, 250) == [ESCAPE]
    assert sequences.waited(260, 250) == []
    assert sequences.waited(SPLIT_MS, 250) == []
    assert sequences.feed("[D", SPLIT_MS + 1) == [Token("text", "[D")]


def test_key_after_escape_ends_the_wait_and_counts() -> None:
    assert split((0, "\x1b"), (200, "d")) == [ESCAPE, Token("text", "d")]
    assert split((0, "\x1b"), (600, "d"), patience_ms=250) == [
        ESCAPE,
        Token("text", "d"),
    ]
    assert split((0, "\x1b\x1b[D")) == [ESCAPE, LEFT]


def test_alt_with_a_key_is_not_a_key() -> None:
    assert split((0, "\x1bd"), (5, "a")) == [Token("text", "a")]


@pytest.mark.parametrize(
    "unknown",
    [
        "\x1bP1$r0 q\x1b\\",  # the reply to a question about the cursor's shape
        "\x1b]11;rgb:1e1e/1e1e/1e1e\x07",
        "\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\",
        "\x1b_Gi=1;OK\x1b\\",
        "\x1b[?62;1;4c",
        "\x1b[M #q",  # a click, as old terminals send it
        "\x1b[999;99~",
        "\x1b[1114112u",
        "\x1b[55296u",
        "\x1b[97;1:3u",  # a key that is released
        "\x1b[" + "9" * 40 + "u",
        "\x1b[<0;99999999;1M",
        "\x1b[48;0;0;0;0t",
        "\x1b[48;99999;99999;0;0t",
    ],
)
def test_sequence_that_is_not_a_key_is_left_out_as_a_whole(unknown: str) -> None:
    for chunk in (1, 3, 99):
        parts = [unknown[i : i + chunk] for i in range(0, len(unknown), chunk)]
        tokens = split(*((10 * i, part) for i, part in enumerate(parts)))
        tokens += split((0, "\x1b[D"))
        keys = KeyParser().messages(tokens)
        assert [key.key for key in keys if isinstance(key, Key)] == ["left"]
        assert len(keys) == 1


@pytest.mark.parametrize(
    ("sequence", "key"),
    [
        ("\x1b[1;1:1A", "up"),
        ("\x1b[1;1:2A", "up"),
        ("\x1b[A", "up"),
        ("\x1bOA", "up"),
        ("\x1b[97;1:1u", "a"),
        ("\x1b[97:65;1;97u", "a"),
        ("\x1b[122;5u", "ctrl+z"),
        ("\x1b[27u", "escape"),
        ("\x1b[[A", "f1"),
        ("\x1b[3~", "delete"),
    ],
)
def test_keys_of_all_protocols_are_understood(sequence: str, key: str) -> None:
    keys = KeyParser().messages(split((0, sequence)))
    assert [one.key for one in keys if isinstance(one, Key)] == [key]


def test_click_is_understood() -> None:
    (click,) = KeyParser().messages(split((0, "\x1b[<0;5;7M")))
    assert isinstance(click, MouseDown)
    assert (click.x, click.y) == (4, 6)


def test_pasted_text_is_one_piece() -> None:
    pasted = "ab\x1b[Dcd\0"
    tokens = split((0, "\x1b[200~" + pasted + "\x1b[201~x"))
    assert tokens == [Token("paste", "ab\x1b[Dcd"), Token("text", "x")]
    assert isinstance(KeyParser().messages(tokens)[0], Paste)
    assert split((0, "\x1b[200~never ended")) == [Token("paste", "never ended")]
    (long,) = split((0, "\x1b[200~" + "x" * 2 * MAX_PASTE), (1, "y\x1b[201~"))
    assert len(long.content) <= MAX_PASTE


def test_what_is_never_finished_is_dropped() -> None:
    assert split((0, "\x1b["), (2_000, "a")) == [Token("text", "a")]
    assert split((0, "\x1b]0;title"), (2_000, "a")) == [Token("text", "a")]


PARTS = st.sampled_from(
    [
        "\x1b",
        "[",
        "O",
        "P",
        "\\",
        "\x07",
        "M",
        "[200~",
        "[201~",
        "1;1:1A",
        "9",
        "q",
        "t",
    ]
)


@given(st.lists(PARTS | st.text(max_size=5), max_size=12), st.data())
def test_any_input_is_harmless_however_it_is_split(
    parts: list[str], data: st.DataObject
) -> None:
    whole = "".join(parts)
    if not whole:
        return
    cut = data.draw(st.integers(0, len(whole)))
    pieces = [piece for piece in (whole[:cut], whole[cut:]) if piece]
    tokens, parser = split((0, whole)), KeyParser()
    joined = split(*((0, piece) for piece in pieces))
    assert _merged(joined) == _merged(tokens)
    parser.messages(tokens)
    left = parser.messages([LEFT])
    assert [one.key for one in left if isinstance(one, Key)] == ["left"]


def _merged(tokens: list[Token]) -> list[Token]:
    """Join neighbouring texts: where text is cut does not matter."""
    merged: list[Token] = []
    for token in tokens:
        if merged and token.kind == merged[-1].kind == "text":
            merged[-1] = Token("text", merged[-1].content + token.content)
        else:
            merged.append(token)
    return merged


@given(st.text("0123456789:;<?$ AuM~t", max_size=30))
def test_any_sequence_is_read_or_ignored(content: str) -> None:
    sequence = f"\x1b[{content}u"
    assert readable(sequence) in ("", readable(readable(sequence)))
    KeyParser().messages([Token("sequence", sequence)])
