"""Pictures on the tiles: built-in ones, files, and the part that a tile shows."""

import sys
from itertools import combinations
from pathlib import Path

import pytest
from PIL import Image

from sliderace_client.shared_ui.photo import BadPicture, load_picture
from sliderace_client.shared_ui.pictures import (
    BUILT_IN,
    RGB,
    Picture,
    picture_of_pixels,
)
from sliderace_client.shared_ui.render import BASIC, DARK, Grid, tile_rows, tint

GRID = Grid(4, 4, 6, 3)


def parts(picture: Picture, side: int) -> list[tuple[str, ...]]:
    """Return what each tile of a board shows at nine points."""
    points = [(n + 0.5) / (3 * side) for n in range(3 * side)]
    return [
        tuple(
            picture.at(points[3 * x + a], points[3 * y + b])
            for b in range(3)
            for a in range(3)
        )
        for y in range(side)
        for x in range(side)
    ]


@pytest.mark.parametrize("name", BUILT_IN)
def test_no_two_tiles_of_a_picture_look_alike(name: str) -> None:
    for side in (3, 4, 5):
        for a, b in combinations(parts(BUILT_IN[name], side), 2):
            assert a != b


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_point_has_a_colour(name: str) -> None:
    for n in range(101):
        for k in range(101):
            colour = BUILT_IN[name].at(n / 100, k / 100)
            assert len(colour) == 7
            int(colour[1:], 16)


def test_a_tile_shows_its_own_part_and_its_number_in_the_corner() -> None:
    red: RGB = (255, 0, 0)
    rows = [
        [red if x < 2 and y < 2 else (0, 0, 255) for x in range(8)] for y in range(8)
    ]
    look = DARK._replace(picture=picture_of_pixels("x", rows))
    first, other = tile_rows(1, GRID, look), tile_rows(6, GRID, look)
    assert first[0][0].text == "1"
    assert {run.paint.fg for run in first[1][:-1]} == {"#ff0000"}
    assert {run.paint.fg for run in other[1][:-1]} == {"#0000ff"}
    plain = tile_rows(1, GRID, look._replace(numbers=False))
    assert "1" not in "".join(run.text for row in plain for run in row)
    assert tile_rows(0, GRID, look) == tile_rows(0, GRID, DARK)


@pytest.mark.parametrize("height", [1, 2, 5])
def test_a_part_of_a_picture_fills_its_cells(height: int) -> None:
    grid = Grid(4, 4, 6, height)
    look = DARK._replace(picture=BUILT_IN["hills"])
    rows = tile_rows(12, grid, look)
    assert [len("".join(run.text for run in row)) for row in rows] == [6] * height


def test_scheme_decides_a_tiles_colour() -> None:
    tints = {
        scheme: [tint(tile, 4, DARK._replace(scheme=scheme)) for tile in (1, 5, 6, 13)]
        for scheme in ("fringe", "rows", "mono")
    }
    a, b, c, d, _ = DARK.layers
    assert tints == {
        "fringe": [a, a, b, a],
        "rows": [a, b, b, d],
        "mono": [a, a, a, a],
    }
    assert c not in tints["rows"]
    assert tint(1, 4, BASIC) == BASIC.layers[0]


# --- Own pictures ---------------------------------------------------------------------


def test_picture_file_is_cropped_to_its_middle(tmp_path: Path) -> None:
    image = Image.new("RGB", (300, 100), (255, 0, 0))
    image.paste((0, 255, 0), (100, 0, 200, 100))
    image.save(tmp_path / "x.png")
    picture = load_picture(tmp_path / "x.png")
    assert picture.name == str(tmp_path / "x.png")
    assert {picture.at(u, 0.5) for u in (0.1, 0.5, 0.9)} == {"#00ff00"}


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGBA", "CMYK", "I;16"])
def test_every_kind_of_pixel_is_understood(tmp_path: Path, mode: str) -> None:
    Image.new(mode, (20, 30)).save(tmp_path / "x.tiff")
    assert load_picture(tmp_path / "x.tiff").at(0.5, 0.5).startswith("#")


def test_broken_picture_file_is_reported(tmp_path: Path) -> None:
    Image.new("RGB", (90, 90), (9, 8, 7)).save(tmp_path / "x.png")
    whole = (tmp_path / "x.png").read_bytes()
    for name, data in (("a", b""), ("b", b"text"), ("c", whole[: len(whole) // 2])):
        path = tmp_path / f"{name}.png"
        path.write_bytes(data)
        with pytest.raises(BadPicture, match=rf"^{name}\.png .*\.$"):
            load_picture(path)
    for path in (tmp_path / "none.png", tmp_path):
        with pytest.raises(BadPicture, match="cannot be read"):
            load_picture(path)


def test_huge_picture_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    Image.new("1", (9_000, 9_000)).save(tmp_path / "bomb.png")
    assert (tmp_path / "bomb.png").stat().st_size < 100_000
    with pytest.raises(BadPicture, match="too large: at most 50 million pixels"):
        load_picture(tmp_path / "bomb.png")


def test_huge_picture_file_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "x.png").open("wb") as file:
        file.truncate(60_000_000)
    with pytest.raises(BadPicture, match="too large: at most 50 MB"):
        load_picture(tmp_path / "x.png")


def test_without_pillow_the_message_names_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(BadPicture, match=r"pip install '\.\[pictures\]'"):
        load_picture(tmp_path / "x.png")
