"""What a real room tells, folded by Python's model and by the page's: the same."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.client.connected_room import ConnectedRoom

from sliderace.engine import format_board
from sliderace.protocol import messages as m
from sliderace.protocol.codec import encode_event
from sliderace_client.bots.solver import solve
from sliderace_client.room.model import RoomModel

FOLD = """
import { readFileSync } from "node:fs";
import "PAGE/../page-tests/setup.mjs";
import { formatBoard } from "PAGE/core/engine.js";
import { Model } from "PAGE/core/model.js";
import { decodeEvent, enter } from "PAGE/core/protocol.js";
const { name, role, tape } = JSON.parse(readFileSync(0, "utf8"));
const random = (count) => new Uint8Array(count);
const model = new Model(enter.join("KWXTRB", name, role), random);
const told = tape.map(([event, now]) => {
  if (event === null) model.lost();
  else model.receive(decodeEvent(event), now);
  model.poll(now);
  const lanes = [...model.lanes.values()].sort((a, b) => a.seat - b.seat);
  return [model.phase, lanes.map((lane) => [
    lane.seat, lane.name, lane.status, lane.seq, lane.high, lane.stm, lane.time,
    lane.board && formatBoard(lane.board),
  ])];
});
console.log(JSON.stringify(told));
"""


class Heard(RoomModel):
    """Keeps what it hears, and what it makes of it."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.tape: list[tuple[str | None, int]] = []
        self.told: list[Any] = []
        self._last = 0

    def receive(self, event: m.Event, now: int) -> None:
        """Fold one event."""
        super().receive(event, now)
        self._keep(encode_event(event), now)

    def lost(self, code: int = 1006) -> None:
        """The connection is gone."""
        super().lost(code)
        self._keep(None, self._last)

    def _keep(self, event: str | None, now: int) -> None:
        self._last = now
        self.tape.append((event, now))
        lanes = sorted(self.view.lanes.values(), key=lambda lane: lane.seat)
        told = [
            [
                *(lane.seat, lane.name, lane.status, lane.seq, lane.high, lane.stm),
                lane.time_ms,
                lane.board and format_board(lane.board),
            ]
            for lane in lanes
        ]
        self.told.append([self.view.phase, told])


def _quiet(_: ConnectedRoom) -> None:
    """Nothing goes wrong."""


def _cut(room: ConnectedRoom) -> None:
    """The spectator's line is cut, and the room goes on."""
    room.cat.cut()


def _crash(room: ConnectedRoom) -> None:
    """The server dies: a new epoch."""
    room.act("crash", 0)


@pytest.mark.parametrize("fault", [_quiet, _cut, _crash])
def test_the_page_folds_what_a_room_tells(
    fault: Callable[[ConnectedRoom], None], node: str, page_folder: Path
) -> None:
    """A spectator's whole race, after each event: phase, lanes and boards."""
    room = ConnectedRoom(Heard)
    board = room.ann.view.board
    assert board is not None
    slides = [slide for stage in solve(board) for slide in stage]
    for number, slide in enumerate(slides):
        room.wait(20)
        room.ann.model.slide(*slide, room.clock)
        room.step()
        if number == len(slides) // 2:
            fault(room)
        if number % 4 == 0:
            room.settle()
    room.settle()
    cat = room.cat.model
    assert isinstance(cat, Heard)
    asked = {"name": "Cat", "role": "spectator", "tape": cat.tape}
    run = subprocess.run(
        [node, "--input-type=module", "-e", FOLD.replace("PAGE", page_folder.as_uri())],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=True,
    )
    told = json.loads(run.stdout)
    assert len(told) == len(cat.told) > len(slides) // 4
    for mine, theirs, (event, _) in zip(cat.told, told, cat.tape, strict=True):
        assert mine[0] == theirs[0], event
        if mine[0] != "countdown":  # the page makes lanes when they move
            assert mine == theirs, event
    assert told[-1][1][0][2] == "finished"
