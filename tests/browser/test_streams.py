"""The page's model and Python's fold a real room's events to the same view."""

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
from sliderace.solve import solve
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
const views = tape.map(([event, now]) => {
  if (event === null) model.lost();
  else model.receive(decodeEvent(event), now);
  model.poll(now);
  const lanes = [...model.lanes.values()].sort((a, b) => a.seat - b.seat);
  return [model.phase, lanes.map((lane) => [
    lane.seat, lane.name, lane.status, lane.seq, lane.high, lane.stm, lane.time,
    lane.board && formatBoard(lane.board),
  ])];
});
console.log(JSON.stringify(views));
"""


class RecordingModel(RoomModel):
    """A model that keeps the events and the view after each."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.tape: list[tuple[str | None, int]] = []
        self.views: list[Any] = []
        self._last = 0

    def receive(self, event: m.Event, now: int) -> None:
        """Fold one event and keep the view."""
        super().receive(event, now)
        self._keep(encode_event(event), now)

    def lost(self, code: int = 1006) -> None:
        """Note that the connection is lost."""
        super().lost(code)
        self._keep(None, self._last)

    def _keep(self, event: str | None, now: int) -> None:
        self._last = now
        self.tape.append((event, now))
        lanes = sorted(self.view.lanes.values(), key=lambda lane: lane.seat)
        rows = [
            [
                *(lane.seat, lane.name, lane.status, lane.seq, lane.high, lane.stm),
                lane.time_ms,
                lane.board and format_board(lane.board),
            ]
            for lane in lanes
        ]
        self.views.append([self.view.phase, rows])


def _quiet(_: ConnectedRoom) -> None:
    """Cause no failure."""


def _cut(room: ConnectedRoom) -> None:
    """Cut the spectator's connection while the room continues."""
    room.cat.cut()


def _crash(room: ConnectedRoom) -> None:
    """Kill the server, so that a new epoch starts."""
    room.act("crash", 0)


@pytest.mark.parametrize("fault", [_quiet, _cut, _crash])
def test_page_and_terminal_fold_events_alike(
    fault: Callable[[ConnectedRoom], None], node: str, page_folder: Path
) -> None:
    """Phase, lanes and boards of a spectator match after each event of a race."""
    room = ConnectedRoom(RecordingModel)
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
    assert isinstance(cat, RecordingModel)
    tape = {"name": "Cat", "role": "spectator", "tape": cat.tape}
    run = subprocess.run(
        [node, "--input-type=module", "-e", FOLD.replace("PAGE", page_folder.as_uri())],
        input=json.dumps(tape),
        capture_output=True,
        text=True,
        check=True,
    )
    views = json.loads(run.stdout)
    assert len(views) == len(cat.views) > len(slides) // 4
    for mine, theirs, (event, _) in zip(cat.views, views, cat.tape, strict=True):
        assert mine[0] == theirs[0], event
        if mine[0] != "countdown":  # the page makes lanes when they move
            assert mine == theirs, event
    assert views[-1][1][0][2] == "finished"
