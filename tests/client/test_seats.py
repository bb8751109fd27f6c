import os
import stat
import time
from pathlib import Path

import pytest
from tests.client.rooms import TOKEN

from sliderace_client.net.seats import claim, kept_rooms


def test_stored_seat_is_found_by_room_and_name(tmp_path: Path) -> None:
    seat = claim("KWXTRB", "Ann", tmp_path)
    assert seat is not None
    assert seat.token is None
    seat.keep(TOKEN, "Ann")
    seat.release()
    other_name = claim("KWXTRB", "Ben", tmp_path)
    other_room = claim("BBBBBB", "Ann", tmp_path)
    anybody = claim("KWXTRB", "", tmp_path, any_name=True)
    assert other_name is not None
    assert other_room is not None
    assert anybody is not None
    assert (other_name.token, other_room.token, anybody.token) == (None, None, TOKEN)
    assert anybody.name == "Ann"


def test_seat_of_the_own_name_is_preferred(
    tmp_path: Path,
) -> None:
    for name, token in (("Keen Lynx", "a" * 32), ("Ann", TOKEN)):
        seat = claim("KWXTRB", name, tmp_path)
        assert seat is not None
        seat.keep(token, name)
        seat.release()
    own = claim("KWXTRB", "Ann", tmp_path, any_name=True)
    other = claim("KWXTRB", "Ann", tmp_path, any_name=True)
    fresh = claim("KWXTRB", "Ann", tmp_path, any_name=True)
    assert own is not None
    assert other is not None
    assert fresh is not None
    assert (own.name, other.name, fresh.token) == ("Ann", "Keen Lynx", None)


def test_seat_file_is_private(tmp_path: Path) -> None:
    folder = tmp_path / "seats"
    seat = claim("KWXTRB", "Ann", folder)
    assert seat is not None
    seat.keep(TOKEN, "Ann")
    [path] = folder.iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_seat_in_use_is_not_given_to_another_client(tmp_path: Path) -> None:
    first = claim("KWXTRB", "Ann", tmp_path)
    assert first is not None
    first.keep(TOKEN, "Ann")
    second = claim("KWXTRB", "Ann", tmp_path)
    assert second is not None
    assert second.token is None
    first.release()
    third = claim("KWXTRB", "Ann", tmp_path)
    assert third is not None
    assert third.token == TOKEN


def test_shorter_content_replaces_longer_content(
    tmp_path: Path,
) -> None:
    seat = claim("KWXTRB", "", tmp_path, any_name=True)
    assert seat is not None
    seat.keep(TOKEN, "A very long nickname")
    seat.keep("b" * 32, "B")
    seat.release()
    again = claim("KWXTRB", "B", tmp_path)
    assert again is not None
    assert again.token == "b" * 32


def test_deleted_or_unused_seat_leaves_no_file(tmp_path: Path) -> None:
    seat = claim("KWXTRB", "Ann", tmp_path)
    assert seat is not None
    seat.keep(TOKEN, "Ann")
    seat.forget()
    seat.forget()
    seat.release()
    unused = claim("KWXTRB", "Ann", tmp_path)
    assert unused is not None
    unused.release()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "damage", ["", "{", "[]", '{"token": 1, "name": 2}', '{"token": "zz"}', "[" * 4000]
)
def test_damaged_seat_file_counts_as_empty(tmp_path: Path, damage: str) -> None:
    (tmp_path / "KWXTRB-0.json").write_text(damage)
    seat = claim("KWXTRB", "", tmp_path, any_name=True)
    assert seat is not None
    assert (seat.token, seat.name) == (None, "")


def test_old_seats_are_removed(tmp_path: Path) -> None:
    old = tmp_path / "BBBBBB-0.json"
    old.write_text("{}")
    long_ago = time.time() - 8 * 24 * 3600
    os.utime(old, (long_ago, long_ago))
    claim("KWXTRB", "", tmp_path, any_name=True)
    assert not old.exists()


def test_without_a_folder_there_is_no_seat_file(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    assert claim("KWXTRB", "Ann", file) is None


def test_seat_is_not_stored_if_every_file_is_in_use(tmp_path: Path) -> None:
    seats = [claim("KWXTRB", "Ann", tmp_path) for _ in range(33)]
    assert seats[31] is not None
    assert seats[32] is None


def test_rooms_of_free_seats_are_listed_newest_first(tmp_path: Path) -> None:
    assert kept_rooms(tmp_path) == []
    for number, code in enumerate(("KWXTRB", "ABCDEF", "GHHNKQ")):
        seat = claim(code, "Ann", tmp_path)
        assert seat is not None
        seat.keep(TOKEN, "Ann")
        seat.release()
        os.utime(tmp_path / f"{code}-0.json", times=(now := time.time() + number, now))
    in_use = claim("ABCDEF", "Ann", tmp_path)
    assert in_use is not None
    assert kept_rooms(tmp_path) == ["GHHNKQ", "KWXTRB"]
    in_use.release()
