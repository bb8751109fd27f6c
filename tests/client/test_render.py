"""Tiles, numerals and colours as plain data."""

import math
from itertools import combinations

import pytest
from hypothesis import given, strategies as st

from sliderace.protocol.names import cells
from sliderace.protocol.room_code import ALPHABET
from sliderace_client.shared_ui import render
from sliderace_client.shared_ui.render import (
    DARK,
    LAYERS,
    LIGHT,
    MONO,
    TILE_INK,
    Grid,
    Row,
    big_size,
    big_text,
    layer,
    qr_rows,
    tile_rows,
)

sides = st.integers(2, 10)
looks = st.sampled_from([DARK, LIGHT, MONO])


def text_of(row: Row) -> str:
    return "".join(run.text for run in row)


# --- Grids ----------------------------------------------------------------------------


@given(sides, sides, st.integers(0, 250), st.integers(0, 80))
def test_grid_is_the_largest_that_fits(
    width: int, height: int, columns: int, rows: int
) -> None:
    grid = Grid.fit(width, height, columns, rows)
    if grid is None:
        assert columns < 3 * width or rows < height
        return
    assert grid.columns <= columns
    assert grid.rows <= rows
    taller = grid.tile_h + 1
    assert taller * height > rows or 2 * taller * width > columns


@given(sides, sides, st.integers(6, 250), st.integers(2, 80))
def test_every_point_of_a_cell_belongs_to_it(
    width: int, height: int, columns: int, rows: int
) -> None:
    grid = Grid.fit(width, height, columns, rows)
    if grid is None:
        return
    for cell in range(width * height):
        x, y = grid.place_of(cell)
        for dx in (0, grid.tile_w - 1):
            for dy in (0, grid.tile_h - 1):
                assert grid.cell_at(x + dx, y + dy) == cell


@pytest.mark.parametrize("point", [(-1, 0), (0, -1), (24, 0), (0, 12)])
def test_point_beside_the_board_is_not_a_cell(point: tuple[int, int]) -> None:
    assert Grid(4, 4, 6, 3).cell_at(*point) is None


@pytest.mark.parametrize("side", range(2, 11))
def test_every_square_board_fits_forty_by_eleven(side: int) -> None:
    assert Grid.fit(side, side, 40, 11) is not None


# --- Tiles ----------------------------------------------------------------------------


@given(
    sides,
    sides,
    st.integers(6, 250),
    st.integers(2, 80),
    looks,
    st.data(),
)
def test_tile_fills_its_place_exactly(
    width: int,
    height: int,
    columns: int,
    rows: int,
    look: render.Look,
    data: st.DataObject,
) -> None:
    grid = Grid.fit(width, height, columns, rows)
    if grid is None:
        return
    tile = data.draw(st.integers(0, width * height - 1))
    drawn = tile_rows(tile, grid, look)
    assert len(drawn) == grid.tile_h
    assert {cells(text_of(row)) for row in drawn} == {grid.tile_w}


@given(st.integers(1, 99), looks)
def test_small_tile_shows_its_number(tile: int, look: render.Look) -> None:
    for grid in (Grid(10, 10, 3, 1), Grid(10, 10, 5, 2), Grid(10, 10, 7, 3)):
        assert str(tile) in " ".join(map(text_of, tile_rows(tile, grid, look)))


def test_large_tile_shows_large_numerals() -> None:
    grid = Grid(4, 4, 12, 5)
    ink = [[(run.text, run.paint) for run in row] for row in tile_rows(12, grid, DARK)]
    dark = sum(
        len(text) * ((paint.bg == TILE_INK) + (paint.fg == TILE_INK))
        for row in ink
        for text, paint in row
    )
    assert dark > 8
    assert "12" not in " ".join(map(text_of, tile_rows(12, grid, DARK)))


@pytest.mark.parametrize("grid", [Grid(4, 4, 4, 1), Grid(4, 4, 5, 2), Grid(4, 4, 9, 4)])
def test_without_colours_nothing_is_coloured_and_the_gap_is_seen(grid: Grid) -> None:
    tiles = [tile_rows(tile, grid, MONO) for tile in range(16)]
    for row in (row for rows in tiles for row in rows):
        assert all(not run.paint.fg and not run.paint.bg for run in row)
    assert not "".join(map(text_of, tiles[0])).strip()
    assert len(set(tiles)) == 16


@pytest.mark.parametrize(
    ("width", "height", "layers"),
    [(4, 4, [0, 0, 0, 0, 0, 1, 1, 1, 0, 1, 2, 2, 0, 1, 2]), (3, 2, [0, 0, 0, 0, 1])],
)
def test_layer_is_the_distance_of_home_from_the_edges(
    width: int, height: int, layers: list[int]
) -> None:
    assert [layer(tile, width) for tile in range(1, width * height)] == layers


# --- Numerals -------------------------------------------------------------------------


def test_digits_are_tabular() -> None:
    assert {big_size(digit) for digit in "0123456789"} == {(3, 3)}


@pytest.mark.parametrize("scale", [1, 2, 3])
def test_large_text_has_the_size_that_is_computed(scale: int) -> None:
    rows = big_text("12:34.5", scale)
    width, height = big_size("12:34.5", scale)
    assert [len(row) for row in rows] == [width] * height


def test_every_letter_of_a_code_can_be_shown_large_in_forty_columns() -> None:
    for letter in ALPHABET:
        assert big_size(letter)[0] >= 3
    widest = sorted(ALPHABET, key=lambda letter: -big_size(letter)[0])[:6]
    text = "".join(widest[:3]) + "-" + "".join(widest[3:])
    assert big_size(text)[0] + 2 <= 40
    assert len({tuple(big_text(letter)) for letter in ALPHABET}) == len(ALPHABET)


def test_a_qr_code_keeps_every_module() -> None:
    matrix = [[1, 0, 1], [0, 1, 1], [1, 1, 0]]
    assert qr_rows(matrix) == ["▀▄█", "▀▀ "]
    assert qr_rows(matrix[:2]) == ["▀▄█"]


# --- Colours --------------------------------------------------------------------------


def linear(colour: str) -> list[float]:
    values = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]


def contrast(one: str, other: str) -> float:
    def light(colour: str) -> float:
        r, g, b = linear(colour)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


def lab(rgb: list[float]) -> tuple[float, float, float]:
    """Return the CIELAB coordinates of a linear colour (D65)."""
    r, g, b = rgb
    xyz = (
        (0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047,
        0.2126729 * r + 0.7151522 * g + 0.0721750 * b,
        (0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883,
    )
    x, y, z = (
        v ** (1 / 3) if v > 216 / 24389 else (24389 / 27 * v + 16) / 116 for v in xyz
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def difference(
    one: tuple[float, float, float], other: tuple[float, float, float]
) -> float:
    """Return how different two CIELAB colours look: CIEDE2000."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    stretch = 1.5 - 0.5 * math.sqrt(mean**7 / (mean**7 + 25**7))
    c1, c2 = math.hypot(a1 * stretch, b1), math.hypot(a2 * stretch, b2)
    h1 = math.degrees(math.atan2(b1, a1 * stretch))
    h2 = math.degrees(math.atan2(b2, a2 * stretch))
    turn = (h2 - h1 + 180) % 360 - 180
    light, chroma, hue = (l1 + l2) / 2, (c1 + c2) / 2, math.radians(h1 + turn / 2)
    t = (
        1
        - 0.17 * math.cos(hue - math.radians(30))
        + 0.24 * math.cos(2 * hue)
        + 0.32 * math.cos(3 * hue + math.radians(6))
        - 0.20 * math.cos(4 * hue - math.radians(63))
    )
    lightness = 0.015 * (light - 50) ** 2
    dl = (l2 - l1) / (1 + lightness / math.sqrt(20 + (light - 50) ** 2))
    dc = (c2 - c1) / (1 + 0.045 * chroma)
    dh = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2))
    dh /= 1 + 0.015 * chroma * t
    blue = math.exp(-((((math.degrees(hue) % 360) - 275) / 25) ** 2))
    rotation = 2 * math.sqrt(chroma**7 / (chroma**7 + 25**7))
    rotation *= -math.sin(math.radians(60 * blue))
    return math.sqrt(dl**2 + dc**2 + dh**2 + rotation * dc * dh)


SIGHT: dict[str, list[list[float]]] = {
    "normal": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
"""Machado, Oliveira and Fernandes 2009, full severity, on linear RGB."""


def seen(colour: str, sight: str) -> list[float]:
    rgb = linear(colour)
    return [
        min(1.0, max(0.0, sum(a * b for a, b in zip(row, rgb, strict=True))))
        for row in SIGHT[sight]
    ]


def test_colour_difference_is_that_of_the_standard() -> None:
    """Pairs 1, 7 and 17 of the test data by Sharma, Wu and Dalal (2005)."""
    pairs = [
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, 0, 0), (50, -1, 2), 2.3669),
        ((50, 2.5, 0), (73, 25, -18), 27.1492),
    ]
    for one, other, expected in pairs:
        assert difference(one, other) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("sight", SIGHT)
def test_layers_differ_for_colour_blind_eyes(sight: str) -> None:
    places = [lab(seen(colour, sight)) for colour in LAYERS]
    assert min(difference(a, b) for a, b in combinations(places, 2)) >= 15


@pytest.mark.parametrize("look", [LIGHT, DARK])
def test_all_text_has_enough_contrast(look: render.Look) -> None:
    for colour in (look.ink, look.soft, look.accent, look.good, look.bad):
        assert contrast(colour, look.ground) >= 4.5
        assert contrast(colour, look.raised) >= 4.5
    for colour in LAYERS:
        assert contrast(TILE_INK, colour) >= 5.8
