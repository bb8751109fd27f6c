"""Bugs that the tests must catch.

Add a bug that breaks an important promise and is likely to be made again.
`test_mutants.py` fails when the text that a bug replaces is gone: find the code that
keeps the promise now, and adapt the bug.
"""

from dataclasses import dataclass

__all__ = ["BUGS", "Bug"]


@dataclass(frozen=True, slots=True)
class Bug:
    """A bug, and the test that catches it.

    Args:
        name: the broken promise.
        file: path from the root of the project.
        right: text that occurs exactly once in the file.
        wrong: the text that replaces it.
        test: what pytest runs to catch it; or the first seed of the simulation.
    """

    name: str
    file: str
    right: str
    wrong: str
    test: str | int


_ENGINE = "shared/sliderace/engine/"
_RACE = "shared/sliderace/race/"
_RACE_TESTS = " ".join(
    f"tests/race/test_{name}.py"
    for name in ("decide", "deadlines", "stall", "starting")
)
_PROTOCOL = "shared/sliderace/protocol/"
_SERVER = "server/sliderace_server/"
_CLIENT = "client/sliderace_client/"
_CLIENT_TESTS = "tests/client/test_attempt.py tests/client/test_fold_slides.py"
_PAGE = "client/sliderace_page/core/"
_PAGE_TEST = "tests/client/test_page.py::test_page_module_passes_its_tests"

BUGS = (
    # --- engine ----------------------------------------------------------------------
    Bug(
        "a slide moves the distance the wrong way",
        f"{_ENGINE}board.py",
        "md += row[gap] - row[cell]",
        "md -= row[gap] - row[cell]",
        "tests/engine/test_board.py",
    ),
    Bug(
        "a scramble is not solvable",
        f"{_ENGINE}scramble.py",
        "    if not solvable(size, tiles):",
        "    if False:",
        "tests/engine/test_scramble.py",
    ),
    Bug(
        "a scramble is solved already",
        f"{_ENGINE}scramble.py",
        "    while board.is_solved:",
        "    while False:",
        "tests/engine/test_scramble.py",
    ),
    # --- reactions -------------------------------------------------------------------
    Bug(
        "racers see the reactions of spectators",
        f"{_SERVER}room/reactions.py",
        "return state.race.winner_known or not _races(state, member, now)",
        "return True",
        "tests/server/test_live_room.py",
    ),
    Bug(
        "a reaction reaches the log",
        f"{_SERVER}live_room/live_room.py",
        "        refusal = self._reaction_refusal(subscriber)\n",
        "        refusal = self._reaction_refusal(subscriber)\n"
        "        self._append(HostChanged(self._t, self.state.host, None))\n",
        "tests/server/test_live_room.py",
    ),
    Bug(
        "a member may react as often as they like",
        f"{_SERVER}live_room/live_room.py",
        "        bucket = self._reactions.get(member)\n",
        "        bucket = self._reactions.get(id(subscriber))\n",
        "tests/server/test_live_room.py",
    ),
    # --- race ------------------------------------------------------------------------
    Bug(
        "repeated slides count twice",
        f"{_RACE}decide.py",
        "    if seq + len(batch) <= first:\n        return []\n",
        "    seq = max(seq, first)\n",
        "tests/race/test_decide.py",
    ),
    Bug(
        "slides count before the board is unlocked",
        f"{_RACE}decide.py",
        "    if now < attempt.unlocks_at or not race.accepts",
        "    if not race.accepts",
        "tests/race/test_decide.py",
    ),
    Bug(
        "the fast path accepts a slide before the board is unlocked",
        f"{_RACE}quick_slide.py",
        "not opens <= now < closes",
        "now >= closes",
        "tests/properties/test_quick_slide.py",
    ),
    Bug(
        "the grace time ends before the first place is certain",
        f"{_RACE}decide.py",
        "    until = max(until, winner_certain_after(race, best, others))\n",
        "",
        _RACE_TESTS,
    ),
    Bug(
        "a forfeit is final at once",
        f"{_RACE}deadlines.py",
        "        return now < race.forfeit_final_at(attempt)",
        "        return False",
        _RACE_TESTS,
    ),
    Bug(
        "a board that somebody may know is raced after an outage",
        f"{_RACE}deadlines.py",
        "    if race.drawn and min(race.reveals) <= up:",
        "    if False:",
        _RACE_TESTS,
    ),
    Bug(
        "deadlines fire before what waited in a stall is read",
        f"{_RACE}apply.py",
        "    race.hold_until = held_until(race.hold_until, down, now)",
        "    pass",
        _RACE_TESTS,
    ),
    Bug(
        "repeated stalls hold the deadlines for ever",
        f"{_RACE}apply.py",
        "    if down < hold_until:",
        "    if False:",
        _RACE_TESTS,
    ),
    Bug(
        "the winner is known although somebody may return from a stall",
        f"{_RACE}state.py",
        "            ends[-1] = (ends[-1][0], until)",
        "            pass",
        _RACE_TESTS,
    ),
    Bug(
        "a stall that let only some racers see the board is ignored",
        f"{_RACE}apply.py",
        "    return any(down < at <= now for at in race.reveals)",
        "    return False",
        _RACE_TESTS,
    ),
    Bug(
        "a stall is not noticed",
        "server/sliderace_server/clock.py",
        "        if now > self._latest_ms:",
        "        if False:",
        "tests/server/test_clock.py",
    ),
    Bug(
        "late pongs raise the credit without bound",
        "server/sliderace_server/live_room/latency.py",
        "            shortest = min(shortest, self._kernel_ms + KERNEL_MARGIN_MS)",
        "            pass",
        "tests/server/test_latency.py",
    ),
    Bug(
        "a nonce without its commitment is accepted",
        f"{_RACE}starting.py",
        "    if committed != race.commitments.get(seat):",
        "    if False:",
        "tests/race/test_starting.py",
    ),
    Bug(
        "the seed ignores the players' nonces",
        f"{_RACE}starting.py",
        "for seat, text in nonces.items()]",
        "for seat, text in ()]",
        "tests/race/test_starting.py",
    ),
    Bug(
        "a client's timestamp is believed without bound",
        f"{_RACE}timing.py",
        "max(0, e, g - credit_bound(latency, friendly=friendly))",
        "max(0, e)",
        "tests/race/test_timing.py",
    ),
    Bug(
        "the credit for latency has no ceiling",
        f"{_RACE}timing.py",
        "    return min(latency.rtt_ms, RTT_CEILING_MS) + jitter",
        "    return latency.rtt_ms + jitter",
        "tests/race/test_timing.py tests/properties/test_race_timing.py",
    ),
    Bug(
        "arrival decides the rank instead of the official time",
        f"{_RACE}ranking.py",
        "        return order, row.time_ms\n",
        "        return order, row.time_ms + row.credit_ms\n",
        "tests/race/test_ranking.py",
    ),
    # --- race record -----------------------------------------------------------------
    Bug(
        "a wrong signature is not noticed",
        "shared/sliderace/proof/verify.py",
        "    if not check(key, signature, signed.message):",
        "    if False:",
        "tests/proof/test_verify.py",
    ),
    Bug(
        "a bot takes a win from a person",
        f"{_RACE}series.py",
        "        if score.bot or not one.bot\n",
        "",
        "tests/race/test_series.py",
    ),
    Bug(
        "a decided series counts further races",
        f"{_RACE}series.py",
        "    if series.over:\n",
        "    if False:\n",
        "tests/race/test_series.py",
    ),
    Bug(
        "an average is rounded down",
        f"{_RACE}averages.py",
        "(2 * sum(known) + len(known))",
        "(2 * sum(known))",
        "tests/race/test_averages.py",
    ),
    Bug(
        "a checkpoint loses the series",
        f"{_SERVER}room/checkpoint.py",
        "        series=record.series,\n",
        "",
        "tests/server/test_room_checkpoint.py",
    ),
    # --- protocol --------------------------------------------------------------------
    Bug(
        "a message may have any size",
        f"{_PROTOCOL}codec.py",
        "    if size > max_bytes:",
        "    if False:",
        "tests/protocol/test_codec.py",
    ),
    # --- room ------------------------------------------------------------------------
    Bug(
        "a board is visible before its moment",
        f"{_SERVER}room/visibility.py",
        "    return at is not None and at <= now\n",
        "    return at is not None\n",
        "tests/server/test_room_visibility.py",
    ),
    Bug(
        "racers see each other's boards",
        f"{_SERVER}room/visibility.py",
        "    if attempt is None or race.rules.open_boards:",
        "    if True:",
        "tests/server/test_room_visibility.py",
    ),
    Bug(
        "the spectator delay delays nothing",
        f"{_SERVER}room/spectator_delay.py",
        "now - race.rules.spectator_delay_ms)",
        "now)",
        "tests/server/test_room_visibility.py",
    ),
    Bug(
        "a locked room lets new members in",
        f"{_SERVER}room/decide.py",
        "    if state.locked:",
        "    if False:",
        "tests/server/test_room_members.py",
    ),
    Bug(
        "bots of the server race for nobody",
        f"{_SERVER}room/deadlines.py",
        "    return not asked and all(member.served for member in roster)\n",
        "    return False\n",
        "tests/server/test_room_bots.py",
    ),
    Bug(
        "people wait until bots are ready",
        f"{_SERVER}room/deadlines.py",
        "    people = [member for member in active if not member.bot] or [",
        "    people = active or [",
        "tests/server/test_room_bots.py",
    ),
    Bug(
        "bots of the server keep a room open",
        f"{_SERVER}room/apply.py",
        "one.connected and not one.served for one",
        "one.connected for one",
        "tests/server/test_room_bots.py",
    ),
    Bug(
        "a person takes the mark of a bot",
        f"{_PROTOCOL}names.py",
        "clean_name(text.translate(_BOT_MARKS))",
        "clean_name(text)",
        "tests/server/test_room_bots.py",
    ),
    Bug(
        "a decision changes the room",
        f"{_SERVER}room/decide.py",
        "Draft(state.copy(), now",
        "Draft(state, now",
        "tests/server/test_room_start.py",
    ),
    Bug(
        "deadlines fire right after a recovery",
        f"{_SERVER}room/draft.py",
        "max(deadline, self.state.hold_until) <= self.now",
        "deadline <= self.now",
        "tests/server/test_room_recovery.py",
    ),
    Bug(
        "the wall clock measures a restart on the same boot",
        f"{_SERVER}room/timeline.py",
        "    if boot and boot == last.boot:\n",
        "    if not boot:\n",
        1,
    ),
    # --- running room ----------------------------------------------------------------
    Bug(
        "slides are acknowledged before they are durable",
        f"{_SERVER}live_room/live_room.py",
        "        while acks and acks[0][0] <= durable:",
        "        while acks:",
        "tests/server/test_live_room.py",
    ),
    Bug(
        "events are sent before they are durable",
        f"{_SERVER}live_room/live_room.py",
        "        while pending and pending[0].position <= self.durable:",
        "        while pending:",
        "tests/server/test_live_room.py",
    ),
    Bug(
        "a welcome waits until the room is idle",
        f"{_SERVER}live_room/live_room.py",
        "        while pending and pending[0].position <= self.durable:",
        "        while pending and self.idle:",
        "tests/server/test_live_room.py",
    ),
    Bug(
        "progress is sent before the welcome",
        f"{_SERVER}live_room/live_room.py",
        "        replaced = self._subscribers.arrive(subscriber, member)\n",
        "        replaced = self._subscribers.arrive(subscriber, member)\n"
        "        self._subscribers.follow(subscriber, self._t)\n",
        "tests/server/test_live_room.py",
    ),
    Bug(
        "a checkpoint removes a slide that is still needed",
        f"{_SERVER}live_room/live_room.py",
        "self._out.checkpoint = pending.position - 1",
        "self._out.checkpoint = self.applied",
        "tests/server/test_live_room.py",
    ),
    Bug(
        "slides are written to outputs that were taken already",
        f"{_SERVER}live_room/live_room.py",
        "        self._out.records.append(slid)",
        '        vars(self).setdefault("old", self._out).records.append(slid)',
        "tests/server/test_live_room.py",
    ),
    Bug(
        "events are written to outputs that were taken already",
        f"{_SERVER}live_room/live_room.py",
        "            self._out.sends.append((event, targets))",
        '            vars(self).setdefault("old", self._out).sends'
        ".append((event, targets))",
        "tests/server/test_live_room.py",
    ),
    Bug(
        "slides of a replaced connection count",
        f"{_SERVER}live_room/live_room.py",
        "        if self._current.get(member) is not subscriber or slides.gen",
        "        if slides.gen",
        "tests/server/test_live_room.py tests/server/test_actor.py",
    ),
    Bug(
        "the fence is forgotten after a buffer swap",
        f"{_SERVER}live_room/live_room.py",
        "        out, self._out = self._out, Outputs()\n",
        "        out, self._out = self._out, Outputs()\n"
        "        self._current = dict(self._current)\n",
        "tests/server/test_live_room.py",
    ),
    Bug(
        "slides sent before a rejection count",
        f"{_SERVER}live_room/live_room.py",
        "is not subscriber or slides.gen != subscriber.gen:",
        "is not subscriber:",
        "tests/server/test_live_room.py tests/server/test_actor.py",
    ),
    # --- connections -----------------------------------------------------------------
    Bug(
        "messages that come too fast are dropped",
        f"{_SERVER}websocket/connection.py",
        "later(wait, lambda: self._receive_delayed(payload))",
        "later(wait, self._resume)",
        "tests/e2e/test_fanout.py",
    ),
    Bug(
        "a peer that reads nothing is never aborted",
        f"{_SERVER}websocket/send_queue.py",
        "            self._writer.abort()\n            return\n",
        "            return\n",
        "tests/server/test_send_queue.py",
    ),
    # --- storage ---------------------------------------------------------------------
    Bug(
        "a second writer of a log is not noticed",
        f"{_SERVER}storage/sqlite/queries.py",
        " AND room.records = column2\n",
        "\n",
        "tests/server/test_storage.py",
    ),
    Bug(
        "an append that failed only to report its success is a conflict",
        f"{_SERVER}storage/log_writer.py",
        "        return None if found == append.records else conflict",
        "        return conflict",
        "tests/server/test_log_writer.py",
    ),
    Bug(
        "a log is dropped before the results are stored",
        f"{_SERVER}registry/rooms.py",
        "            if not self._results_writer.has_races_of(code):\n"
        "                self._closed.discard(code)\n",
        "            if True:\n                self._closed.discard(code)\n",
        "tests/e2e/test_durable.py",
    ),
    # --- terminal client -------------------------------------------------------------
    Bug(
        "slides stand although the server's board differs",
        f"{_CLIENT}room/attempt.py",
        "        if self.after(seq) == board:",
        "        if self.after(seq) is not None:",
        _CLIENT_TESTS,
    ),
    Bug(
        "slides lost with a connection are not sent again",
        f"{_CLIENT}room/attempt.py",
        "        self.sent = self.acked = seq\n\n    def rewind",
        "        self.acked = seq\n\n    def rewind",
        _CLIENT_TESTS,
    ),
    Bug(
        "the client sends faster than the server allows",
        f"{_CLIENT}room/pacing.py",
        "        if not slides or self.free_at(slides[0]) > now:",
        "        if not slides:",
        "tests/client/test_pacing.py",
    ),
    # --- page ------------------------------------------------------------------------
    Bug(
        "the first connection that closes as replaced ends the stay",
        f"{_CLIENT}net/connection.py",
        "LOST if code == REPLACED and self._hellos > hellos else code",
        "code",
        "tests/client/test_connection.py",
    ),
    Bug(
        "any message answers a probe",
        f"{_CLIENT}room/liveness.py",
        "            self._heard_at = now\n",
        "            self._heard_at = now\n            self.answered(now)\n",
        "tests/client/test_liveness.py",
    ),
    Bug(
        "the page drops its socket before the second one has answered",
        "client/sliderace_page/app/connection.js",
        "this.#isDoubled ||= isSecond;",
        "if (isSecond) this.#useSecond();",
        f"{_PAGE_TEST}[connection.test.mjs]",
    ),
    Bug(
        "page: slides stand although the server's board differs",
        f"{_PAGE}attempt.js",
        "    if (!this.after(seq)?.equals(board)) {\n      this.#restart(",
        "    if (!this.after(seq)) {\n      this.#restart(",
        f"{_PAGE_TEST}[attempt.test.mjs]",
    ),
    Bug(
        "page: a nonce is revealed for a foreign commitment",
        f"{_PAGE}draw.js",
        "if (nonce === null || commitmentOf(race, seat, nonce) !== listed) return [];",
        "if (nonce === null) return [];",
        f"{_PAGE_TEST}[draw.test.mjs]",
    ),
)
