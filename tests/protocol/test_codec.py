"""Messages survive a round trip; any other bytes are a `ProtocolError`."""

import re
from typing import Any, cast

import msgspec
import pytest
from hypothesis import example, given, strategies as st
from tests.protocol.samples import COMMANDS, EVENTS, type_name

from sliderace.protocol import messages
from sliderace.protocol.codec import (
    ProtocolError,
    decode_command,
    decode_event,
    encode_command,
    encode_event,
    event_bytes,
)
from sliderace.protocol.explain import explained
from sliderace.protocol.limits import MAX_UP_BYTES


@pytest.mark.parametrize("command", COMMANDS, ids=type_name)
def test_commands_survive_the_round_trip(command: messages.Command) -> None:
    text = encode_command(command)
    assert decode_command(text) == command
    assert decode_command(text.encode()) == command


@pytest.mark.parametrize("event", EVENTS, ids=type_name)
def test_events_survive_the_round_trip(event: messages.Event) -> None:
    assert decode_event(encode_event(event)) == event
    assert event_bytes(event) == encode_event(event).encode()


def test_samples_contain_every_type() -> None:
    kinds = {type(sample) for sample in (*COMMANDS, *EVENTS)}
    assert kinds == {*messages.Command.__args__, *messages.Event.__args__}


def test_unknown_fields_of_events_are_ignored() -> None:
    assert decode_event('{"t":"pong","id":1,"later":{}}') == messages.Pong(1)


HELLO: dict[str, Any] = {
    "t": "hello",
    "v": 1,
    "enter": {"as": "join", "code": "KWXTRB", "name": "Ann"},
}


def test_hello_ignores_unknown_fields() -> None:
    later = {**HELLO, "later": "0" * 32, "can": ["series"]}
    command = decode_command(msgspec.json.encode(later))
    assert command == messages.Hello(1, messages.Join("KWXTRB", "Ann"), can=["series"])


def test_way_into_a_room_refuses_unknown_fields() -> None:
    later = {**HELLO, "enter": {**HELLO["enter"], "more": 1}}
    assert fault(msgspec.json.encode(later)) == ("bad_message", "enter.more", "hello")


@pytest.mark.parametrize("command", COMMANDS, ids=type_name)
def test_only_hello_ignores_unknown_fields(command: messages.Command) -> None:
    data = msgspec.json.encode({**msgspec.to_builtins(command), "more": 1})
    if isinstance(command, messages.Hello):
        assert decode_command(data) == command
    else:
        assert fault(data)[0] == "bad_message"


@pytest.mark.parametrize(
    ("can", "allowed"),
    [
        ([], True),
        (["x" * 32] * 32, True),
        (["x" * 33], False),
        (["x"] * 33, False),
        ([1], False),
        ("series", False),
        (None, False),
    ],
)
def test_can_is_bounded(can: Any, allowed: bool) -> None:
    data = msgspec.json.encode({**HELLO, "can": can})
    assert len(data) < MAX_UP_BYTES
    if allowed:
        assert isinstance(decode_command(data), messages.Hello)
    else:
        assert fault(data)[0] == "bad_message"


def test_hello_without_extras_suits_older_servers() -> None:
    text = encode_command(messages.Hello(1, messages.Join("KWXTRB", "Ann")))
    assert msgspec.json.decode(text).keys() == {"t", "v", "enter"}


def test_welcome_of_an_older_server_has_no_features() -> None:
    welcome = msgspec.to_builtins(EVENTS[0])
    del welcome["features"]
    event = decode_event(msgspec.json.encode(welcome))
    assert isinstance(event, messages.Welcome)
    assert event.features == []


CODES = {"bad_message", "bad_rules", "too_large", "version"}


def fault(data: str | bytes, **limits: int) -> tuple[str, str, str]:
    with pytest.raises(ProtocolError) as caught:
        decode_command(data, **limits)
    assert caught.value.text == str(caught.value) != ""
    return caught.value.code, caught.value.field, caught.value.of


@pytest.mark.parametrize(
    ("data", "field", "of"),
    [
        ("", "", ""),
        ("null", "", ""),
        ("[]", "", ""),
        ("17", "", ""),
        ('"ping"', "", ""),
        ("{}", "t", ""),
        ('{"t":"nope"}', "t", ""),
        ('{"t":5,"id":1}', "t", ""),
        ('{"t":["ping"],"id":1}', "t", ""),
        ('{"t":"ping"}', "id", "ping"),
        ('{"t":"ping","id":1} {}', "", ""),
        ('{"t":"ping","id":NaN}', "", ""),
        ('{"t":"ping","id":1e400}', "id", "ping"),
        ('{"t":"ping","id":"1"}', "id", "ping"),
        ('{"t":"ping","id":1.0}', "id", "ping"),
        ('{"t":"ping","id":true}', "id", "ping"),
        ('{"t":"ping","id":1,"more":2}', "more", "ping"),
        ('{"t":"pong","id":1}', "t", "pong"),
        ('{"t":"hello","v":1}', "enter", "hello"),
        ('{"t":"hello","v":1,"enter":{"as":"thief"}}', "enter.as", "hello"),
        ('{"t":"hello","v":"2","enter":{}}', "v", "hello"),
        ('{"t":"\ud800"}', "", ""),
        (b"\xff\xfe", "", ""),
        (b'{"t":"\xff"}', "", ""),
        ("[" * MAX_UP_BYTES, "", ""),
        ('{"t":"ping","id":' + "[" * 1000, "id", ""),
        ('{"t":"ping","x":' + "[" * 1000, "x", ""),
        ('{"a":' * 400, "", ""),
    ],
)
def test_malformed_messages_are_refused(data: str | bytes, field: str, of: str) -> None:
    assert fault(data) == ("bad_message", field, of)


def settings(**rules: object) -> dict[str, object]:
    return {"t": "settings", "rules": rules}


LIMIT = "an integer from 10000 to 86400000, or -1, or 0"
HEX = "64 hex digits in lower case, or null"
RACE = "the id of a race, 1 to 32 of A-Z, 0-9 and -"
SIZE = "a size from 2x2 to 10x10, such as 4x4"
LONG = '"' + "ab" * 19 + "…"
SLIDES = {"t": "slides", "race": "X", "gen": 0, "seq": 1}


@pytest.mark.parametrize(
    ("message", "code", "field", "value", "allowed"),
    [
        (settings(size="11x11"), "bad_rules", "rules.size", '"11x11"', SIZE),
        (settings(limit_ms=-2), "bad_rules", "rules.limit_ms", "-2", LIMIT),
        (
            {**HELLO, "enter": {"as": "open", "rules": {"start": "never"}}},
            "bad_rules",
            "enter.rules.start",
            '"never"',
            "one of every, host, ready",
        ),
        ({"t": "ready", "race": "x"}, "bad_message", "race", '"x"', RACE),
        (
            {"t": "ready", "race": "X", "nonce_commitment": "ab" * 40},
            "bad_message",
            "nonce_commitment",
            LONG,
            HEX,
        ),
        (
            {**SLIDES, "slides": []},
            "bad_message",
            "slides",
            "a list of 0",
            "a list of 1 to 60",
        ),
        (
            {**SLIDES, "slides": [["U", 10, 5]]},
            "bad_message",
            "slides[0][1]",
            "10",
            "an integer from 1 to 9",
        ),
        (
            {"t": "ready", "race": "X", "on": {}},
            "bad_message",
            "on",
            "an object",
            "true or false",
        ),
    ],
)
def test_a_fault_is_said_with_field_value_and_range(
    message: object, code: str, field: str, value: str, allowed: str
) -> None:
    with pytest.raises(ProtocolError) as caught:
        decode_command(msgspec.json.encode(message))
    error = caught.value
    assert (error.code, error.field, error.value) == (code, field, value)
    assert error.text == f"{field} must be {allowed}, not {value}."


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (settings(limit=3), "There is no field rules.limit."),
        ({"t": "x"}, 'There is no message of the type "x".'),
        ([], "The message must be an object, not a list of 0."),
        ({"t": "ping"}, "id is missing."),
    ],
)
def test_other_faults_are_said_in_words(message: object, text: str) -> None:
    with pytest.raises(ProtocolError, match=re.escape(text)):
        decode_command(msgspec.json.encode(message))


def test_fault_that_is_not_in_the_message_is_said_in_general() -> None:
    """The same key twice: the fault is in the first value, the last one counts."""
    fault = explained(messages.Command, {"t": "ping", "id": 1}, "X - at `$.id.x`")
    assert fault == ("That message could not be understood.", "id.x", "", False)


def test_malformed_events_are_refused() -> None:
    deep = '{"t":"pong","id":1,"x":' + "[" * 9999
    for data in ("", "[]", '{"t":"ping","id":1}', deep):
        with pytest.raises(ProtocolError, match=r"."):
            decode_event(data)


@pytest.mark.parametrize(
    "text",
    [
        '{"t":"hello","v":2,"enter":{"as":"join","code":"KWXTRB","name":"A"}}',
        '{"t":"hello","v":2,"enter":{"as":"beam"},"more":[1]}',
        '{"t":"hello","v":0}',
        '{"t":"hello","v":65536}',
    ],
)
def test_wrong_version_is_reported_before_any_other_fault(text: str) -> None:
    assert fault(text) == ("version", "v", "hello")
    with pytest.raises(ProtocolError) as caught:
        decode_command(text)
    value = caught.value.value
    assert f'"v":{value}' in text
    assert caught.value.text == f"v must be 1, not {value}."


def test_size_is_checked_first_and_in_bytes() -> None:
    def ping_of(size: int) -> str:
        text = '{"t":"ping","id":1}'
        return text + " " * (size - len(text))

    assert decode_command(ping_of(MAX_UP_BYTES)) == messages.Ping(1)
    assert decode_command(ping_of(50), max_bytes=50) == messages.Ping(1)
    assert fault(ping_of(51), max_bytes=50)[0] == "too_large"
    assert fault(ping_of(MAX_UP_BYTES + 1))[0] == "too_large"
    assert fault(ping_of(MAX_UP_BYTES + 1).encode())[0] == "too_large"
    assert fault("é" * (MAX_UP_BYTES // 2))[0] == "bad_message"
    assert fault("é" * (MAX_UP_BYTES // 2 + 1))[0] == "too_large"
    with pytest.raises(ProtocolError, match="have at most 50 bytes, not 51") as caught:
        decode_command(ping_of(51), 50)
    assert caught.value.value == "51"


@given(st.binary(max_size=300))
@example(b'{"t":"hello","v":1,"enter":' + b"[" * 900)
def test_any_bytes_are_a_message_or_a_protocol_error(data: bytes) -> None:
    for text in faults_of(data):
        assert len(text) <= 160


def faults_of(data: bytes) -> list[str]:
    """Decode as command and as event; return the texts of the errors."""
    faults: list[ProtocolError] = []
    for decode in (decode_command, decode_event):
        try:
            decode(data)
        except ProtocolError as error:
            faults.append(error)
    assert {error.code for error in faults} <= CODES
    return [error.text for error in faults]


JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@given(st.sampled_from([*COMMANDS, *EVENTS]), st.data())
def test_any_changed_field_is_a_message_or_a_protocol_error(
    sample: Any, data: st.DataObject
) -> None:
    tree = msgspec.to_builtins(sample)
    node: Any = tree
    while True:
        key = data.draw(st.sampled_from(_keys(node)))
        if not _keys(node[key]) or data.draw(st.booleans()):
            break
        node = node[key]
    node[key] = data.draw(JSON)
    faults_of(msgspec.json.encode(tree))


def _keys(node: Any) -> list[Any]:
    if isinstance(node, dict):
        return [*cast("dict[str, Any]", node)]
    if isinstance(node, list):
        return [*range(len(node))]  # pyright: ignore[reportUnknownArgumentType]
    return []
