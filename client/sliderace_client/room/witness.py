"""A racer who sees to it that the race is fair: takes part in the draw, and checks."""

import dataclasses
from collections.abc import Sequence

from msgspec.structs import replace

from sliderace.protocol import messages as m
from sliderace_client.room import fairness
from sliderace_client.room.draw import Draw, Entropy
from sliderace_client.room.fairness import Kept, Own
from sliderace_client.room.outcomes import (
    Fault,
    Notice,
    Remark,
    Won,
)
from sliderace_client.room.outputs import Check
from sliderace_client.room.racer import Racer

__all__ = ["Witness"]


class Witness(Racer):
    """A racer who commits to a nonce, and keeps what he was shown and sent.

    Args:
        entropy: gives so many random bytes.
    """

    def __init__(self, entropy: Entropy) -> None:
        super().__init__()
        self._entropy = entropy
        self._draw = Draw(entropy, "")
        self._promise = Kept("")
        self._unasked = False

    # --- The draw of the board -------------------------------------------------------

    def ask(self, command: m.Command, now: int) -> bool:
        """Send a command, see `Racer.ask`; `Ready` gets our nonce's commitment."""
        if isinstance(command, m.Ready):
            self._unasked = False
            command = self._bound(command, now)
        return super().ask(command, now)

    def _bound(self, ready: m.Ready, now: int) -> m.Ready:
        room, seat = self.room, self.seat
        if room is None or room.seed_known or seat is None or not self.online:
            return ready
        if not ready.on or ready.race != room.race:
            return ready
        return replace(ready, nonce_commitment=self._draw.commit(seat, now))

    def _take_part(self, now: int) -> None:
        """Commit to a nonce when we are to race, and tell it when all have done so."""
        seat = self.seat
        if seat is None or not self.online:
            return
        if self._will_race() and not self._draw.committed(seat):
            self.ask(m.Ready(self.race), now)
            self._unasked = True
        if self.phase == "countdown" and (nonce := self._draw.answer(seat)):
            self.ask(m.Nonce(self.race, nonce), now)

    def _will_race(self) -> bool:
        """Whether we race as far as we know, and the roster is not frozen."""
        room, me = self.room, self.myself
        if room is None or me is None or room.seed_known or me.benched:
            return False
        if self.phase not in ("lobby", "countdown") or self._draw.listed is not None:
            return False
        everybody = room.rules.start == "every" and self.phase == "countdown"
        return me.ready or everybody

    def _refused_quietly(self, event: m.Refused) -> bool:
        """Whether a refusal is of something that the user never asked for."""
        if event.of == "nonce":
            self._draw.refused(event.code)
            return True
        if event.of == "ready":
            self._draw.uncommitted()
            return self._unasked
        return False

    def _roster(self, event: m.RosterEvent, now: int) -> None:
        if event.race == self.race:
            self._listed(event.roster, event.nonce_commitments, now)

    def _listed(
        self, roster: Sequence[int], commitments: Sequence[str | None], now: int
    ) -> None:
        """The roster is frozen."""
        for seat in roster:
            self._lane(seat)
        if roster:
            self._draw.show(roster, commitments, self.seat, now)

    # --- What we keep, and check -----------------------------------------------------

    def _begin_race(self, room: m.Room) -> None:
        super()._begin_race(room)
        self._draw = Draw(self._entropy, room.race)
        self._promise = Kept(
            race=room.race,
            size=room.rules.size,
            commitment=room.commitment,
            seed_known=room.seed_known,
        )

    def _race_view(self, view: m.RaceView, now: int) -> None:
        super()._race_view(view, now)
        self._listed(view.roster, view.nonce_commitments, now)

    def _kept(self) -> Kept:
        """All that we were shown of this race, and what we sent."""
        draw = self._draw
        return dataclasses.replace(
            self._promise,
            listed=draw.listed,
            changed=draw.changed,
            start=self.start,
            own=None if self.lane is None else self._own(self.lane.seat),
        )

    def _own(self, seat: int) -> Own:
        draw, attempt = self._draw, self.attempt
        own = Own(seat, draw.nonce(seat), draw.ours(seat), draw.in_time, draw.fate)
        if attempt is None:
            return own
        return dataclasses.replace(
            own, base=attempt.base, acked=attempt.acked, slides=tuple(attempt.slides)
        )

    def _results(self, event: m.Results) -> None:
        if event.race != self._promise.race:
            return
        rows = [self._told(row) for row in event.standings]
        again = self.results is not None and self.results.race == event.race
        self.results = replace(event, standings=rows)
        if not again:
            self._check(event)

    def _check(self, event: m.Results) -> None:
        """Compare the results with what we kept; a racer looks into the record too."""
        kept = self._kept()
        self.proof = fairness.faults(event, kept)
        self.remarks = fairness.remarks(event, kept)
        for fault in self.proof:
            self._note(fault, "bad")
        for remark in self.remarks:
            self._note(remark)
        if kept.own is not None:
            self._outs.append(Check(event, kept))

    def checked(self, race: str, faults: Sequence[Fault] | None) -> None:
        """A race record was compared with what we kept.

        Args:
            race: whose.
            faults: what is not the same; None: the record cannot be had.
        """
        if self.results is None or self.results.race != race:
            return
        if faults is None:
            self.remarks.append(Remark.RECORD_UNAVAILABLE)
            self._note(Remark.RECORD_UNAVAILABLE)
            return
        self.agrees = not faults
        for fault in faults:
            if fault not in self.proof:
                self.proof.append(fault)
                self._note(fault, "bad")
        if not self.proof:
            self._note(Notice.RECORD_AGREES)

    # --- What is told of the race beside it ------------------------------------------

    def _won(self, event: m.WinnerEvent) -> None:
        """The first place is final."""
        if event.race != self.race:
            return
        for lane in map(self._lane, event.seats):
            if lane.standing is not None:
                lane.standing = replace(lane.standing, final=True)
        names = tuple(self._lane(seat).name for seat in event.seats)
        if names:
            self._note(Won(names), "good")

    def _lines(self, event: m.LatencyEvent) -> None:
        for told in event.lines:
            self.lines[told.member] = told

    def _signals(self, event: m.Signals) -> None:
        self.signals = event
