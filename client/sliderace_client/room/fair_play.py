"""Our side of a fair race: take part in the draw, keep evidence, check the results."""

import dataclasses
from collections.abc import Sequence

from msgspec.structs import replace

from sliderace.protocol import messages as m
from sliderace_client.room.draw import Draw, Entropy
from sliderace_client.room.fairness import (
    Evidence,
    OwnPart,
    remarks,
    result_faults,
)
from sliderace_client.room.outcomes import Fault, Notice, Remark
from sliderace_client.room.outputs import CheckRecord, Outputs
from sliderace_client.room.view import RoomView

__all__ = ["FairPlay"]


class FairPlay:
    """The draw of one race after another, and the evidence of each.

    Args:
        view: the room.
        outputs: where commands and announcements go.
        entropy: returns that many random bytes.
    """

    def __init__(self, view: RoomView, outputs: Outputs, entropy: Entropy) -> None:
        self._view = view
        self._outputs = outputs
        self._entropy = entropy
        self._draw = Draw(entropy, "")
        self._shown = Evidence("")
        self._own_ready = True

    # --- The draw ---------------------------------------------------------------------

    def begin_race(self, room: m.Room) -> None:
        """Start over for another race; the first values that the server shows count."""
        self._draw = Draw(self._entropy, room.race)
        self._shown = Evidence(
            race=room.race,
            size=room.rules.size,
            commitment=room.commitment,
            seed_known=room.seed_known,
        )

    def ready(self, ready: m.Ready, now: int) -> m.Ready:
        """Return the player's own `ready`, with our commitment if one is due."""
        self._own_ready = True
        return self._with_commitment(ready, now)

    def _with_commitment(self, ready: m.Ready, now: int) -> m.Ready:
        room, seat = self._view.room, self._view.seat
        if room is None or room.seed_known or seat is None or not self._view.online:
            return ready
        if not ready.on or ready.race != room.race:
            return ready
        return replace(ready, nonce_commitment=self._draw.commit(seat, now))

    def take_part(self, now: int) -> None:
        """Commit to a nonce once we are to race; reveal it once all have committed."""
        view, seat = self._view, self._view.seat
        if seat is None or not view.online:
            return
        if self._will_race() and not self._draw.committed(seat):
            self._own_ready = False
            ready = self._with_commitment(m.Ready(view.race), now)
            self._outputs.ask(ready, now)
        if view.phase == "countdown" and (nonce := self._draw.reveal(seat)):
            self._outputs.ask(m.Nonce(view.race, nonce), now)

    def _will_race(self) -> bool:
        """Whether we race as far as we know, and the roster is not frozen."""
        room, me = self._view.room, self._view.myself
        if room is None or me is None or room.seed_known or me.benched:
            return False
        phase = self._view.phase
        if phase not in ("lobby", "countdown") or self._draw.frozen:
            return False
        everybody = room.rules.start == "every" and phase == "countdown"
        return me.ready or everybody

    def refused(self, event: m.Refused) -> bool:
        """Handle a refusal; return whether it concerns an automatic command."""
        if event.of == "nonce":
            self._draw.nonce_refused(event.code)
            return True
        if event.of == "ready":
            self._draw.commitment_refused()
            return not self._own_ready
        return False

    def list_roster(
        self, roster: Sequence[int], commitments: Sequence[str | None], now: int
    ) -> None:
        """Take the frozen roster with its commitments; empty: it is not frozen."""
        self._draw.list_roster(roster, commitments, self._view.seat, now)

    def disconnected(self) -> None:
        """Note that the last messages may not have arrived."""
        self._draw.disconnected(drawn=self._view.phase != "countdown")

    # --- Evidence and checks ----------------------------------------------------------

    @property
    def race(self) -> str:
        """Id of the race whose evidence is kept."""
        return self._shown.race

    def check(self, results: m.Results) -> None:
        """Compare the results with the evidence; racers check the record, too."""
        view, evidence = self._view, self._evidence()
        view.faults = result_faults(results, evidence)
        view.remarks = remarks(results, evidence)
        for fault in view.faults:
            self._outputs.note(fault, "bad")
        for remark in view.remarks:
            self._outputs.note(remark)
        if evidence.own is not None:
            self._outputs.put(CheckRecord(results, evidence))

    def record_checked(self, race: str, faults: Sequence[Fault] | None) -> None:
        """Take the outcome of `CheckRecord`; see `RoomModel.record_checked`."""
        view = self._view
        if view.results is None or view.results.race != race:
            return
        if faults is None:
            view.remarks.append(Remark.RECORD_UNAVAILABLE)
            self._outputs.note(Remark.RECORD_UNAVAILABLE)
            return
        view.agrees = not faults
        for fault in faults:
            if fault not in view.faults:
                view.faults.append(fault)
                self._outputs.note(fault, "bad")
        if not view.faults:
            self._outputs.note(Notice.RECORD_AGREES)

    def _evidence(self) -> Evidence:
        lane = self._view.lane
        return dataclasses.replace(
            self._shown,
            listed=self._draw.listed,
            changed=self._draw.changed,
            start=self._view.start,
            own=None if lane is None else self._own_part(lane.seat),
        )

    def _own_part(self, seat: int) -> OwnPart:
        draw, attempt = self._draw, self._view.attempt
        own = OwnPart(
            seat,
            draw.nonce(seat),
            listed=draw.lists_ours(seat),
            in_time=draw.in_time,
            fate=draw.fate,
        )
        if attempt is None:
            return own
        return dataclasses.replace(
            own, base=attempt.base, acked=attempt.acked, slides=tuple(attempt.slides)
        )
