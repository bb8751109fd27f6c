"""Plants known bugs in a copy of the sources; each must be caught by its test.

    python tests/mutants              all of them
    python tests/mutants NAME ...     some of them

Fails when a bug survives, or when the text that it replaces is not there exactly once.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ("shared", "server", "client", "tests")
FILES = ("pyproject.toml", "README.md")
LONGEST_S = 900
UNNEEDED = shutil.ignore_patterns("__pycache__", ".*")


@dataclass(frozen=True, slots=True)
class Mutant:
    """A bug, and who catches it.

    Args:
        name: what it does wrong.
        file: where, from the root of the sources.
        right: text that is there exactly once.
        wrong: what is planted in its place.
        test: catches it: pytest's id, or the seed of the first simulated world.
    """

    name: str
    file: str
    right: str
    wrong: str
    test: str | int


SERVER = "server/sliderace_server/"
E2E = "tests/e2e/"
DURABLE = f"{E2E}test_durable.py::"
LIVE_ROOM = "tests/server/test_live_room.py::"

MUTANTS = (
    Mutant(
        "ack before commit",
        f"{SERVER}live_room/live_room.py",
        "        while acks and acks[0][0] <= durable:\n",
        "        while acks and durable:\n",
        f"{LIVE_ROOM}test_acks_wait_for_the_commit_of_their_slides",
    ),
    Mutant(
        "welcome before it is durable",
        f"{SERVER}live_room/live_room.py",
        "        while pending and pending[0].position <= self.durable:\n",
        "        while pending:\n",
        f"{LIVE_ROOM}test_a_welcome_waits_until_everything_that_it_says_is_durable",
    ),
    Mutant(
        "welcome that waits for an idle room",
        f"{SERVER}live_room/live_room.py",
        "        while pending and pending[0].position <= self.durable:\n",
        "        while pending and self.idle:\n",
        f"{LIVE_ROOM}test_a_busy_room_welcomes_a_newcomer_at_its_own_position",
    ),
    Mutant(
        "progress before the welcome",
        f"{SERVER}live_room/live_room.py",
        "        replaced = self._subscribers.arrive(subscriber, member)\n",
        "        replaced = self._subscribers.arrive(subscriber, member)\n"
        "        self._subscribers.follow(subscriber, self._t)\n",
        f"{LIVE_ROOM}test_nothing_reaches_a_subscriber_before_its_welcome",
    ),
    Mutant(
        "checkpoint that drops a slide",
        f"{SERVER}live_room/live_room.py",
        "                self._out.checkpoint = pending.position - 1\n",
        "                self._out.checkpoint = self.applied\n",
        f"{LIVE_ROOM}test_a_checkpoint_makes_the_log_before_it_superfluous",
    ),
    Mutant(
        "outputs that are taken twice",
        f"{SERVER}live_room/live_room.py",
        "        out, self._out = self._out, Outputs()\n",
        "        out = self._out\n",
        f"{LIVE_ROOM}test_outputs_are_taken_once",
    ),
    Mutant(
        "no dedupe",
        "shared/sliderace/race/decide.py",
        "    if seq + len(batch) <= first:\n        return []\n",
        "    seq = max(seq, first)\n",
        "tests/race/test_decide.py::test_repeated_slides_change_nothing",
    ),
    Mutant(
        "drop instead of sleep",
        f"{SERVER}websocket/connection.py",
        "            self._paused = True\n            self._websocket.pause()\n"
        "            self._listener.clock.later(",
        "            return\n            self._listener.clock.later(",
        f"{E2E}test_fanout.py"
        "::test_a_peer_that_sends_too_fast_is_throttled_and_loses_nothing",
    ),
    Mutant(
        "no slow-reader guard",
        f"{SERVER}websocket/send_queue.py",
        "                self.close()\n                self._writer.abort()\n"
        "                return\n",
        "                pass\n",
        "tests/server/test_send_queue.py"
        "::test_a_peer_that_does_not_read_is_aborted_beyond_the_limit",
    ),
    Mutant(
        "no fence",
        f"{SERVER}live_room/live_room.py",
        "        if self._current.get(member) is not subscriber or "
        "slides.gen != subscriber.gen:\n",
        "        if slides.gen != subscriber.gen:\n",
        f"{LIVE_ROOM}test_only_the_newest_connection_of_a_member_is_heard",
    ),
    Mutant(
        "client time unbounded",
        "shared/sliderace/race/timing.py",
        "    return max(0, e, g - credit_bound(latency, friendly=friendly))\n",
        "    return max(0, e)\n",
        "tests/properties/test_race_timing.py::test_time_and_credit_stay_within_their_bounds",
    ),
    Mutant(
        "board in the lobby snapshot",
        f"{SERVER}room/visibility.py",
        "board_text(state) if _is_revealed(state, member, now) else None",
        "board_text(state) if state.race.drawn else None",
        "tests/server/test_room_visibility.py::test_before_t0_nobody_sees_a_board",
    ),
    Mutant(
        "timer from the wall clock within one boot",
        f"{SERVER}room/timeline.py",
        "    if boot and boot == last.boot:\n",
        "    if not boot:  # never so on Linux\n",
        1,
    ),
    Mutant(
        "log dropped before the result",
        f"{SERVER}registry/rooms.py",
        "            if not self._results_writer.has_races_of(code):\n"
        "                self._closed.discard(code)\n",
        "            if True:\n                self._closed.discard(code)\n",
        f"{DURABLE}test_a_log_is_kept_until_its_results_are_stored",
    ),
)


def planted(mutant: Mutant, root: Path) -> str:
    """The file's text with the bug in it.

    Raises:
        ValueError: the text to replace is not there exactly once.
    """
    text = (root / mutant.file).read_text("utf-8")
    if text.count(mutant.right) != 1:
        found = text.count(mutant.right)
        raise ValueError(f"{mutant.name}: its text is {found} times in {mutant.file}")
    return text.replace(mutant.right, mutant.wrong)


def command(mutant: Mutant) -> list[str]:
    """What runs its test."""
    if isinstance(mutant.test, int):
        # It ends with the first world that goes wrong; one in ten catches an early ack.
        few = ["--hours", "4", "--crashes", "1000", "--jobs", "1"]
        few += ["--seed", str(mutant.test)]
        return [sys.executable, "-m", "tests.simulation", *few]
    return [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider",
            mutant.test]  # fmt: skip


def caught(mutant: Mutant, copy: Path) -> str:
    """Plant a bug, run its test, take it out; what caught it, or nothing."""
    file = copy / mutant.file
    right = file.read_text("utf-8")
    file.write_text(planted(mutant, copy), "utf-8")
    try:
        done = subprocess.run(
            command(mutant), cwd=copy, env=_environment(copy), text=True, check=False,
            capture_output=True, timeout=LONGEST_S,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return ""
    finally:
        file.write_text(right, "utf-8")
    lines = done.stdout.splitlines()
    sure = [one for one in lines if one.startswith(("FAILED", "seed"))]
    return sure[0][:160] if done.returncode == 1 and sure else ""


def sound(chosen: list[Mutant], copy: Path) -> bool:
    """Whether the tests pass where nothing is planted: else they would catch all."""
    tests = [one.test for one in chosen if isinstance(one.test, str)]
    few = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    if not tests:
        return True
    done = subprocess.run(
        few, cwd=copy, env=_environment(copy), text=True, check=False,
        capture_output=True,
    )  # fmt: skip
    if done.returncode:
        print(f"without any bug:\n{done.stdout[-2_000:]}")
    return done.returncode == 0


def _environment(copy: Path) -> dict[str, str]:
    path = os.pathsep.join(str(copy / name) for name in SOURCES[:3])
    return {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}


def main(names: list[str]) -> int:
    """Plant them one after the other; 1 when one survives."""
    chosen = [one for one in MUTANTS if not names or one.name in names]
    survived = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in SOURCES:
            shutil.copytree(ROOT / name, copy / name, ignore=UNNEEDED)
        for name in FILES:
            shutil.copy(ROOT / name, copy / name)
        if chosen and not sound(chosen, copy):
            return 1
        for mutant in chosen:
            how = caught(mutant, copy)
            print(f"{mutant.name}: {how or 'SURVIVED'}", flush=True)
            survived += not how
    return bool(survived or not chosen)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
