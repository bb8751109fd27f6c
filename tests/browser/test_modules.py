"""The page's pure modules, run in node; and page and server agree on the protocol."""

import json
import subprocess
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from tests.protocol.samples import EVENTS

from sliderace.protocol import codes, messages
from sliderace.protocol.codec import decode_command, encode_event
from sliderace.protocol.names import clean_name
from sliderace.protocol.room_code import parse_code
from sliderace.protocol.version import SUBPROTOCOL, VERSION
from sliderace.race.rules import Rules

TESTS = Path(__file__).parents[2] / "client" / "page-tests"
MODULES = sorted(file.name for file in TESTS.glob("*.test.mjs"))

SAY = """
import { readFileSync } from "node:fs";
import "PAGE/../page-tests/setup.mjs";
import { constants } from "PAGE/core/constants.js";
import * as protocol from "PAGE/core/protocol.js";
import * as text from "PAGE/core/format.js";
const asked = JSON.parse(readFileSync(0, "utf8"));
const { command, enter, hello } = protocol;
const race = "KWXTRB-SA1B2C-3";
const rules = { size: "3x3", open_boards: true };
console.log(JSON.stringify({
  version: constants.protocol.version,
  subprotocol: constants.protocol.subprotocol,
  back: asked.codes.map(protocol.mayReconnect),
  events: asked.events.map((event) => protocol.decodeEvent(event)),
  names: asked.names.map(text.cleanName),
  room_codes: asked.room_codes.map(text.parseCode),
  commands: [
    hello(enter.create("Ann", { rules, public: true })),
    hello(enter.join("KWXTRB", "Ann", "spectator")),
    hello(enter.resume("KWXTRB", "0".repeat(32), 5, 17)),
    hello(enter.redeem("KWXTRB", "1".repeat(32))),
    hello(enter.quick("4x4", "Ann", 21_000), "2".repeat(32)),
    hello(enter.solo("Ann", "3x3")),
    hello(enter.daily("3x3", "Ann"), "2".repeat(32)),
    hello(enter.me(), "2".repeat(32)),
    command.ready(race, true),
    command.nonce(race, "0".repeat(32)),
    command.start(race),
    command.abort(race),
    command.slides(race, 0, 1, [["U", 1, 250], ["L", 2, 300]], true),
    command.forfeit(race),
    command.undo(race),
    command.callTime(race),
    command.rematch(race),
    command.settings({ rules: { limit_ms: -1 } }),
    command.settings({ public: true }),
    command.settings({ seed: "tea" }),
    command.series({ format: "first", n: 3, by: 2 }),
    command.bots([{ level: "club" }, { pace_ms: 9000 }]),
    command.react(3),
    command.mute(2, true),
    command.role("spectator"),
    command.kick(2),
    command.bench(2, true),
    command.rename("Zoë"),
    command.react(9),
    command.mute(2, true),
    command.lock(true),
    command.handOver(2),
    command.transfer(),
    command.leave(),
    command.close(),
    command.resync(),
    command.resync(3),
    command.ping(7),
    command.input(race, "touch"),
    command.keep("Ann"),
    command.deviceTicket(),
    command.claim("KWXTRBDF"),
    command.revoke(2),
    command.forget(false),
    command.history("4x4"),
    command.history("4x4", race),
  ].map((one) => JSON.stringify(one)),
}));
"""
NAMES = [
    *("  Ann\t\u202eB  ", "\u200b\u2066", "<b>Ann</b>", "e\u0301", "\u0301x", "x" * 64),
    *("a\u0300\u0301\u0302\u0303", "\u732b" * 30, "\u3164\u2800\ufe0f", "\U000e0041x"),
    *("\U0001f1eb\U0001f1ee" * 12, "\U0001f44d\U0001f3fd" * 12, "\u1100\u1161" * 12),
    *("\u1161Ann", "\u0301 \u0301x", "\u2603\ufe0f", "x" * 19 + "\U0001f1eb\U0001f1ee"),
    *("\uff21\uff4e\uff4e", "A\u00a0 B", "\U0001f600" * 12, "\u0e01\u0e34\u0e4c\u0e4c"),
]
ROOM_CODES = ["KWXTRB", "kwx-trb", " kwx trb ", "kwx\u2011trb", "LOVELY", "", "KWXTR"]


@pytest.mark.parametrize("name", MODULES)
def test_module(name: str, node: str) -> None:
    run = subprocess.run(
        [node, "--test", str(TESTS / name)], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.fixture(scope="module")
def said(node: str, page_folder: Path) -> dict[str, Any]:
    """Return how the page reads sample events, and the commands that it writes."""
    asked = {
        "codes": sorted(codes.CLOSE_CODES),
        "events": [encode_event(event) for event in EVENTS],
        "names": NAMES,
        "room_codes": ROOM_CODES,
    }
    run = subprocess.run(
        [node, "--input-type=module", "-e", SAY.replace("PAGE", page_folder.as_uri())],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=True,
    )
    answer: dict[str, Any] = json.loads(run.stdout)
    return answer


def test_page_and_server_have_the_same_version(said: dict[str, Any]) -> None:
    assert said["version"] == VERSION
    assert said["subprotocol"] == SUBPROTOCOL


def test_page_reads_every_field_of_every_event(said: dict[str, Any]) -> None:
    """The page's reader misses no type and no field."""
    read = said["events"]
    for event, value in zip(EVENTS, read, strict=True):
        tag = event.__struct_config__.tag
        assert value == {"t": tag, **fields_of(event)}


def fields_of(value: Any) -> Any:
    """Return a message with all its fields, also those that are not sent by default."""
    match value:
        case msgspec.Struct():
            return fields_of(msgspec.structs.asdict(value))
        case Rules():
            return asdict(value)
        case {**named}:
            return {key: fields_of(one) for key, one in named.items()}
        case [*listed]:
            return [fields_of(one) for one in listed]
        case _:
            return value


def test_server_reads_every_command_of_the_page(said: dict[str, Any]) -> None:
    """The strict decoder accepts each command, and none is missing."""
    spoken = said["commands"]
    types = {type(decode_command(text)) for text in spoken}
    assert types == set(get_args(messages.Command))


def test_page_and_server_have_the_same_close_codes(said: dict[str, Any]) -> None:
    known = sorted(codes.CLOSE_CODES)
    assert said["back"] == [codes.may_reconnect(code) for code in known]


def test_page_and_server_clean_names_and_codes_alike(said: dict[str, Any]) -> None:
    assert said["names"] == [clean_name(name) or "" for name in NAMES]
    assert said["room_codes"] == [parse_code(text) for text in ROOM_CODES]
