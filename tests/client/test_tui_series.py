"""The series in the full-screen client: the lobby's line, the table, and a new one."""

import pytest
from tests.client import rooms
from tests.client.key_states import finished
from tests.client.offline import OfflineClient, running_app, screen, settle
from tests.client.rooms import ANN, BEN

from sliderace.protocol import messages as m
from sliderace.race.series import Format

ROWS = [
    m.SeriesRow(1, ANN, "Ann", False, 3, 2, 2, 9_123, None),
    m.SeriesRow(2, BEN, "Ben", False, 3, 1, 1, 8_000, None),
    m.SeriesRow(1, 9, "Otter", True, 3, 3, 0, 5_000, None),
]


def table(format_: Format, *rows: m.SeriesRow, n: int = 0) -> m.SeriesTable:
    return m.SeriesTable(format_, n, 1, len(rows), over=False, rows=[*rows])


def client_with(series: m.SeriesTable, host: int = ANN) -> OfflineClient:
    room = rooms.room(host=host)
    client = OfflineClient(room=room, series=series)
    client.receive(rooms.welcome(features=["series"]))
    return client


async def test_lobby_shows_nothing_before_the_first_race_of_an_open_series() -> None:
    async with running_app(client_with(table("open"))) as pilot:
        assert "race 1" not in screen(pilot)
        await pilot.press("t")
        await settle(pilot)
        assert "racer" not in screen(pilot)


@pytest.mark.parametrize("size", [(80, 24), (40, 15)])
async def test_lobby_has_one_line_and_a_key_shows_the_table(
    size: tuple[int, int],
) -> None:
    client = client_with(table("first", *ROWS, n=3))
    async with running_app(client, size) as pilot:
        assert "3x3 · first to 3 · race 4 · Ann 2" in screen(pilot)
        await pilot.press("t")
        await settle(pilot)
        text = screen(pilot)
        for words in ("racer", "races", "wins", "Otter (bot)"):
            assert words in text
        assert ("9.123" in text) == (size[0] > 40)
        await pilot.press("escape")
        await settle(pilot)
        assert "racer" not in screen(pilot)


async def test_results_show_the_table_too() -> None:
    client = client_with(table("first", n=3))
    async with running_app(client) as pilot:
        finished(client)
        client.receive(m.SeriesEvent(table("first", *ROWS, n=3)))
        await settle(pilot)
        assert "first to 3 · race 4 · Ann 2" in screen(pilot)
        over = m.SeriesTable("first", 3, 1, 3, over=True, rows=ROWS)
        client.receive(m.SeriesEvent(over))
        await settle(pilot)
        assert "first to 3 · Ann wins the series · Ann 2" in screen(pilot)
        await pilot.press("t")
        await settle(pilot)
        assert "Otter (bot)" in screen(pilot)


@pytest.mark.parametrize(
    ("keys", "command"),
    [
        (("right", "enter"), m.Series("first", 3)),
        (("right", "down", "right", "down", "right", "enter"), m.Series("first", 4, 2)),
        (("left", "down", "left", "enter"), m.Series("points", 5)),
        (("right", "right", "right", "enter"), m.Series("ao5")),
        (("enter",), m.Series("open")),
    ],
)
async def test_host_begins_a_series(keys: tuple[str, ...], command: m.Series) -> None:
    client = client_with(table("open"))
    async with running_app(client) as pilot:
        await pilot.press("f")
        await settle(pilot)
        assert "Begin a series" in screen(pilot)
        await pilot.press(*keys)
        await settle(pilot)
        assert client.commands == [command]


async def test_only_the_host_of_a_server_with_series_can_begin_one() -> None:
    for client in (client_with(table("open"), host=BEN), OfflineClient()):
        async with running_app(client) as pilot:
            await pilot.press("f")
            await settle(pilot)
            assert "Begin a series" not in screen(pilot)
