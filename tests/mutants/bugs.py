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
        test: what pytest runs to catch it; or the options of the simulation.
    """

    name: str
    file: str
    right: str
    wrong: str
    test: str

    @property
    def is_simulated(self) -> bool:
        """Whether the simulation catches it."""
        return self.test.startswith("-")


_ENGINE = "shared/sliderace/engine/"
_RACE = "shared/sliderace/race/"
_RACE_TESTS = " ".join(
    f"tests/race/test_{name}.py"
    for name in ("decide", "deadlines", "stall", "starting")
)
_PROTOCOL = "shared/sliderace/protocol/"
_SERVER = "server/sliderace_server/"
_WORKERS_TEST = "tests/e2e/test_workers.py"
_LOG_TESTS = "tests/cluster/test_jetstream_log.py::"
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
    # --- the daily race --------------------------------------------------------------
    Bug(
        "somebody races twice on the board of a day",
        f"{_SERVER}registry/chosen_rooms.py",
        "            if await self._is_done(used, day):\n",
        "            if False:\n",
        "tests/e2e/test_daily.py",
    ),
    Bug(
        "the record of a daily race shows the board to the others",
        f"{_SERVER}http/routes.py",
        "        if sealed_ms := await self._rooms.sealed_ms(race_id, owner):\n",
        "        if (sealed_ms := 0) > 0:\n",
        "tests/e2e/test_leaderboards.py",
    ),
    Bug(
        "a day comes again after the clock was set back",
        f"{_SERVER}registry/daily_races.py",
        "        return latest_ms(self._wall_ms(), self._noted_ms)\n",
        "        return self._wall_ms()\n",
        "tests/server/test_daily_races.py",
    ),
    Bug(
        "the secret of a day is published before its last race is over",
        f"{_SERVER}registry/daily_races.py",
        "            day = min(last_open_day(event, now_ms), LAST_DAY)\n",
        "            day = min(today, LAST_DAY)\n",
        "tests/e2e/test_leaderboards.py",
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
    # --- profiles --------------------------------------------------------------------
    Bug(
        "the secret of a profile is logged",
        f"{_SERVER}websocket/session.py",
        '        _log.info("me", extra=extra)\n',
        '        _log.info("me", extra={**extra, "secret": hello.profile})\n',
        "tests/e2e/test_profile_secrecy.py",
    ),
    Bug(
        "a ticket adds two devices",
        f"{_SERVER}registry/profile_codes.py",
        "        self._delete(start)\n        return ticket.profile\n",
        "        return ticket.profile\n",
        "tests/server/test_profile_codes.py",
    ),
    Bug(
        "a removed device comes back with a ticket that it requested before",
        f"{_SERVER}registry/profile_service.py",
        "        self._tickets.void(profile.id)\n",
        "",
        "tests/e2e/test_profiles.py",
    ),
    Bug(
        "the name of a deleted profile stays in race records",
        f"{_SERVER}registry/profile_service.py",
        "                await self._redact(race, seat)\n",
        "                pass\n",
        "tests/e2e/test_profiles.py",
    ),
    Bug(
        "two devices that remove each other leave a profile without any",
        f"{_SERVER}registry/profile_service.py",
        "        async with self._one_at_a_time:\n",
        "        if True:\n",
        "tests/server/test_profile_service.py",
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
        "    if state.locked and not enter.creator:",
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
        "--hours 4 --crashes 1000",
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
    # --- profiles and leaderboards ---------------------------------------------------
    Bug(
        "the try of a day can be used twice",
        f"{_SERVER}storage/sql_standings.py",
        "DO UPDATE SET room = daily.room",
        "DO UPDATE SET room = excluded.room",
        "tests/server/test_storage_standings.py",
    ),
    Bug(
        "a private race is on a leaderboard",
        f"{_SERVER}storage/folding.py",
        'public=race.kind != "room" or race.public,',
        "public=True,",
        "tests/server/test_storage_standings.py",
    ),
    Bug(
        "a bot is on a leaderboard",
        f"{_SERVER}storage/folding.py",
        "counts=row.counts and not row.bot,",
        "counts=row.counts,",
        "tests/server/test_storage_standings.py",
    ),
    Bug(
        "a hidden profile's new best is on a leaderboard",
        f"{_SERVER}storage/sqlite/storing.py",
        "bests = () if one.owner.hidden else one.folded.bests",
        "bests = one.folded.bests",
        "tests/server/test_storage_standings.py",
    ),
    Bug(
        "what another process has stored changes no place",
        f"{_SERVER}storage/sqlite/storing.py",
        "if version != self._version:",
        "if False:",
        "tests/server/test_storage_recount.py",
    ),
    Bug(
        "an attempt that is stored late has a second row on a leaderboard",
        f"{_SERVER}storage/sqlite/storing.py",
        "if best.before != UNKNOWN:",
        "if True:",
        "tests/server/test_storage_standings.py",
    ),
    Bug(
        "two servers add up races of the same person without each other's",
        f"{_SERVER}storage/postgresql/changes.py",
        "ORDER BY id FOR NO KEY UPDATE",
        "ORDER BY id",
        "tests/server/test_storage_postgresql.py",
    ),
    Bug(
        "a recount does not wait for a race that another server stores",
        f"{_SERVER}storage/postgresql/recount.py",
        'await db.execute("LOCK TABLE tally IN EXCLUSIVE MODE", timeout=LONG_S)',
        "pass",
        "tests/server/test_storage_postgresql.py",
    ),
    Bug(
        "a copy overwrites a database that is in use",
        f"{_SERVER}storage/postgresql/copying.py",
        "if found != copied[table]:",
        "if False:",
        "tests/server/test_storage_postgresql.py",
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
    # --- nodes of a cluster ---------------------------------------------------------
    Bug(
        "a node that has lost a room goes on serving it",
        f"{_SERVER}storage/log_writer.py",
        '                    end.lose("another writer has it")\n',
        "                    end.stored(now)\n",
        "--nodes 3 --races 200",
    ),
    Bug(
        "a node takes a room over without records that the old one has just written",
        f"{_SERVER}registry/rooms.py",
        "            position = await log.length(code)\n"
        "            state = await self._fold(await log.read(code)) if position"
        " else None\n",
        "            state = await self._fold(await log.read(code))\n"
        "            position = await log.length(code)\n",
        "--nodes 3 --races 200 --seed 12",
    ),
    Bug(
        "a takeover forgets the races whose results were not stored",
        f"{_SERVER}registry/rooms.py",
        "                await self._store_again(race)\n",
        "                pass\n",
        "--nodes 3 --races 200",
    ),
    Bug(
        "a node that has lost a room reaches clients that have moved on",
        f"{_SERVER}cluster/forwarding.py",
        "        if source != self.owner:\n",
        "        if False:\n",
        "tests/server/test_forwarding.py",
    ),
    Bug(
        "a repeated call is carried out twice",
        f"{_SERVER}cluster/forwarding.py",
        "        if up.n > self._n:\n",
        "        if True:\n",
        "tests/server/test_forwarding.py",
    ),
    Bug(
        "clients do not resume after messages were lost",
        f"{_SERVER}cluster/forwarding.py",
        "is_next, self._n = down.before == self._n, down.n",
        "is_next, self._n = True, down.n",
        "tests/server/test_forwarding.py",
    ),
    Bug(
        "a node loses a room because one call to it timed out",
        f"{_SERVER}cluster/ownership.py",
        "if self._timeouts >= MAX_TIMEOUTS or self._nodes.late(now):",
        "if self._timeouts:",
        "tests/server/test_ownership.py",
    ),
    Bug(
        "a node that was wrongly considered lost goes on serving an idle room",
        f"{_SERVER}cluster/node.py",
        "            self._spawn(self._announce(code))\n",
        "",
        "tests/e2e/test_cluster.py",
    ),
    Bug(
        "the calls to a node that comes back are numbered from 1 again",
        f"{_SERVER}cluster/node.py",
        "Uplink(self.name, self._numbers, send_up)",
        "Uplink(self.name, count(1), send_up)",
        "tests/e2e/test_cluster.py",
    ),
    Bug(
        "a log is dropped before the results are stored",
        f"{_SERVER}registry/old_logs.py",
        "            if not self._results_writer.has_races_of(code):\n"
        "                self._closed.discard(code)\n",
        "            if True:\n                self._closed.discard(code)\n",
        "tests/e2e/test_durable.py",
    ),
    # --- race now, the lobby, racing alone -------------------------------------------
    Bug(
        "a private room is in the lobby",
        f"{_SERVER}registry/rooms.py",
        "(actor for actor in self.rooms.values() if actor.state.public)",
        "(actor for actor in self.rooms.values())",
        "tests/e2e/test_lobby.py",
    ),
    Bug(
        "the list is encoded for each watcher",
        f"{_SERVER}registry/room_list.py",
        "        if not self._whole:\n",
        "        if True:\n",
        "tests/server/test_room_list.py",
    ),
    Bug(
        "a bot is on a leaderboard",
        f"{_SERVER}registry/results_writer.py",
        "if racer.bot or known or",
        "if known or",
        "tests/server/test_room_profiles.py",
    ),
    Bug(
        "a profile gets the attempt of another one",
        f"{_SERVER}room/decide.py",
        "if profile is not None and known.profile is None and not known.bot:",
        "if profile is not None and not known.bot:",
        "tests/server/test_room_profiles.py",
    ),
    Bug(
        "a stranger becomes host of a quick room",
        f"{_SERVER}room/deadlines.py",
        '    if draft.state.kind != "room":\n        return None, None\n',
        "",
        "tests/server/test_room_quick.py",
    ),
    Bug(
        "a race waits for bots that do not come",
        f"{_SERVER}room/deadlines.py",
        "        one.since + BOTS_MS if",
        "        one.since + 1_000 * BOTS_MS if",
        "tests/server/test_room_quick.py",
    ),
    Bug(
        "others enter the room of one player",
        f"{_SERVER}room/apply.py",
        "        opened.locked = opened.alone\n",
        "",
        "tests/server/test_room_solo.py",
    ),
    Bug(
        "a profile skips a board by racing alone twice",
        f"{_SERVER}registry/chosen_rooms.py",
        "if profile is not None and self.races_alone(profile):",
        "if profile is not None and self.races_alone(''):",
        "tests/e2e/test_alone.py",
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
    # --- workers ---------------------------------------------------------------------
    Bug(
        "a connection is passed on to the wrong worker",
        f"{_SERVER}workers/parent.py",
        "worker = self._workers[index]",
        "worker = self._workers[1 - index]",
        f"{_WORKERS_TEST}::test_quick_rooms_of_an_event_are_together",
    ),
    Bug(
        "a connection that is passed on gets a second answer to its handshake",
        f"{_SERVER}websocket/passed_socket.py",
        "        if not self.answered:",
        "        if True:",
        f"{_WORKERS_TEST}::test_quick_rooms_of_an_event_are_together",
    ),
    Bug(
        "logs stay in their old files when the number of workers changes",
        f"{_SERVER}storage/sqlite/store.py",
        "distribute(path, workers, ",
        "distribute(path, 1, ",
        "tests/server/test_storage_workers.py",
    ),
    Bug(
        "connections of a killed worker count for ever",
        f"{_SERVER}workers/parent.py",
        "for address in (worker.connections - left).elements():",
        "for address in ():",
        f"{_WORKERS_TEST}::test_an_address_has_a_limited_number_of_connections",
    ),
    Bug(
        "each worker counts wrong codes for itself",
        f"{_SERVER}workers/worker.py",
        "self._addresses.count_client(kind, client, amount, now)",
        "pass",
        f"{_WORKERS_TEST}::test_wrong_codes_count_in_all_workers_together",
    ),
    Bug(
        "connections that wait for a worker that hangs use up all files",
        f"{_SERVER}workers/channel.py",
        "return min(MAX_WAITING, most_files() // WAITING_SHARE)",
        "return MAX_WAITING",
        f"{_WORKERS_TEST}::test_a_worker_that_hangs_leaves_files_for_the_others",
    ),
    # --- page ------------------------------------------------------------------------
    Bug(
        "the first connection that closes as replaced ends the stay",
        f"{_CLIENT}net/connection.py",
        "LOST if code == REPLACED and self._hellos > hellos else code",
        "code",
        "tests/client/test_connection.py",
    ),
    # --- cluster ---------------------------------------------------------------------
    Bug(
        "JetStream compares nothing before it stores an append",
        f"{_SERVER}cluster/jetstream_log.py",
        "headers = {EXPECTED: str(end.sequence)}",
        "headers: dict[str, str] = {}",
        "tests/server/test_storage.py::test_only_one_of_several_writers_succeeds",
    ),
    Bug(
        "an append that JetStream refuses is acknowledged",
        f"{_SERVER}cluster/jetstream_log.py",
        """                return None
            raise _Refused(problem, self.stream_name(room))
""",
        """                return None
""",
        f"{_LOG_TESTS}test_a_full_stream_refuses_and_loses_nothing",
    ),
    Bug(
        "an append that is sent again is a different one",
        f"{_SERVER}cluster/jetstream_log.py",
        "return number if before == append else next(self._numbers)",
        "return next(self._numbers)",
        f"{_LOG_TESTS}test_an_append_whose_reply_is_lost_is_stored_once",
    ),
    Bug(
        "a part of an append counts without the rest",
        f"{_SERVER}cluster/log_frames.py",
        "    if frames[-1].more:\n",
        "    if not frames:\n",
        f"{_LOG_TESTS}test_an_append_without_its_last_message_is_not_stored",
    ),
    Bug(
        "a trim deletes the whole log",
        f"{_SERVER}cluster/jetstream_log.py",
        "        if end.first > 1:",
        "        if end.first > 0:",
        "tests/server/test_storage.py::test_trimmed_records_are_removed",
    ),
    # --- client ----------------------------------------------------------------------
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
