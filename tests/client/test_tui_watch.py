"""Watching a race: all boards, the leader's, one racer's; and the lanes."""

from tests.client.offline import keys, running_app, screen, settle
from tests.client.rooms import RACE, START, standing
from tests.client.test_tui_race import as_spectator
from textual.pilot import Pilot

from sliderace.engine import parse_board
from sliderace.protocol import messages as m
from sliderace_client.room.lanes import Lane
from sliderace_client.room.view import RoomView
from sliderace_client.tui.screens.spectating import SpectatorView
from sliderace_client.tui.widgets import Boards


def steps(**high: int) -> m.Progress:
    """Send progress of P2 to P7, who have seats 1 to 6."""
    by_seat = {int(name[1:]) - 1: value for name, value in high.items()}
    return m.Progress(
        RACE, [m.SeatProgress(n, 1, by_seat[n], 1, 0, "L") for n in by_seat]
    )


def boards_shown(pilot: Pilot[int]) -> int:
    return len(pilot.app.screen.query_one("#boards", Boards).placed)


async def test_leader_view_follows_the_leader() -> None:
    client = as_spectator()
    async with running_app(client, (100, 40), kind="watch") as pilot:
        client.race(roster=(1, 2, 3, 4, 5, 6))
        client.receive(steps(P2=100, P3=300, P4=200, P5=0, P6=0, P7=0))
        await settle(pilot)
        assert boards_shown(pilot) == 6
        await pilot.press("l")
        await settle(pilot)
        assert boards_shown(pilot) == 1
        assert "P3, 30% (leads)" in screen(pilot)
        client.receive(m.Progress(RACE, [m.SeatProgress(1, 2, 400, 1, 1, "L")]))
        await settle(pilot)
        assert "P2, 40% (leads)" in screen(pilot)
        await pilot.press("p")
        client.receive(m.Progress(RACE, [m.SeatProgress(2, 2, 500, 1, 1, "L")]))
        await settle(pilot)
        assert "P2, 40% (pinned)" in screen(pilot)
        await pilot.press("a")
        await settle(pilot)
        assert boards_shown(pilot) == 6


async def test_leader_view_names_those_who_have_finished() -> None:
    client = as_spectator()
    async with running_app(client, (120, 40), kind="watch") as pilot:
        client.race(roster=(1, 2))
        client.receive(steps(P2=1000, P3=0))
        done = standing(1, "finished", place=1, time_ms=9_000, high=1000, member=2)
        client.receive(m.StandingEvent(0, RACE, done))
        await settle(pilot)
        await pilot.press("l")
        await settle(pilot)
        assert "P3, 0% (leads the rest; ✓ Ben)" in screen(pilot)


async def test_arrow_keys_and_clicks_pin_a_racer() -> None:
    client = as_spectator()
    async with running_app(client, (100, 40), kind="watch") as pilot:
        client.race(roster=(1, 2, 3, 4, 5, 6))
        client.receive(steps(P2=600, P3=500, P4=400, P5=300, P6=200, P7=100))
        await settle(pilot)
        seen: list[str] = []
        for key in ("right", "right", "left", "left", "left"):
            await pilot.press(key)
            await settle(pilot)
            seen.append(screen(pilot).partition(" (pinned)")[0][-7:-5].strip())
        assert seen == ["P2", "P3", "P2", "P7", "P6"]
        await pilot.click("#boards", offset=(30, 10))
        await settle(pilot)
        assert boards_shown(pilot) == 6
        board = pilot.app.screen.query_one("#boards", Boards).placed[4]
        await pilot.click("#boards", offset=(board.x + 2, board.y + 2))
        await settle(pilot)
        assert "P6, 20% (pinned)" in screen(pilot)
        assert "all boards" in keys(pilot)


def test_leader_is_the_best_active_racer_and_at_the_end_the_winner() -> None:
    board = parse_board(START)
    first = Lane(0, status="finished", place=1, board=board)
    second = Lane(1, high=10, board=board)
    room = RoomView()
    changes: list[None] = []
    view = SpectatorView(lambda: room, lambda: 0, lambda: changes.append(None), str)
    room.lanes = {0: first, 1: second}
    assert view.followed() is None
    actions = {action.key: action for action in view.actions()}
    actions["l"].run()
    assert view.followed() is second
    room.lanes = {0: first}
    assert view.followed() is first
    room.lanes = {}
    assert view.followed() is None
    actions["→"].run()
    assert len(changes) == 1  # nobody can be pinned
    room.lanes = {0: first, 1: second}
    actions["→"].run()
    assert view.followed() is first
    del room.lanes[0]
    assert view.followed() is None
