import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from sliderace_client.cli.console import own_name
from sliderace_client.shared_ui import settings
from sliderace_client.shared_ui.settings import (
    Settings,
    load,
    nickname,
    random_name,
    save,
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user without any files."""
    for kind in ("CONFIG", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path / kind.lower()))
    return tmp_path


def test_without_a_file_the_defaults_are_used(home: Path) -> None:
    assert load() == (Settings(), [])
    assert list(home.iterdir()) == []


def test_saved_settings_are_loaded(home: Path) -> None:
    wanted = Settings('Zoë "\\" 🦊', "gap", "never", "dark")
    save(wanted)
    assert load() == (wanted, [])
    assert (home / "config" / "sliderace" / "settings.toml").is_file()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("keys = 3", "keys must be text"),
        ('keys = "cat"', "keys must be one of tile, gap"),
        ('color = "red"', "color must be one of auto, always, never"),
        ('colour = "red"', "colour is not a setting"),
    ],
)
def test_invalid_value_is_reported_and_the_rest_used(
    tmp_path: Path, text: str, complaint: str
) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(f'name = "Ann"\n{text}\n')
    found, complaints = load(path)
    assert found == Settings("Ann")
    assert complaints == [f"{path}: {complaint}"]


@pytest.mark.parametrize(
    "damage", [b"name = ", b"\xff\xfe", b"[[[[", b"a=" + b"[" * 3000]
)
def test_damaged_settings_file_is_reported_and_renamed(
    tmp_path: Path, damage: bytes
) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(damage)
    found, [complaint] = load(path)
    assert found == Settings()
    assert str(path) in complaint
    save(Settings("Ann"), path)
    assert load(path) == (Settings("Ann"), [])
    assert path.with_name("settings.toml.damaged").read_bytes() == damage


def test_folder_in_place_of_the_settings_is_reported(tmp_path: Path) -> None:
    found, [complaint] = load(tmp_path)
    assert found == Settings()
    assert str(tmp_path) in complaint


def test_saving_keeps_unknown_settings(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('sound = "loud"\n')
    save(Settings("Ann"), path)
    assert tomllib.loads(path.read_text())["sound"] == "loud"


def test_last_server_is_remembered(home: Path) -> None:
    assert settings.last_server() == ""
    settings.remember_server("http://192.0.2.7:8710")
    assert settings.last_server() == "http://192.0.2.7:8710"
    assert (home / "state" / "sliderace" / "last-server").is_file()


def test_unwritable_folder_does_no_harm(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "file"))
    settings.remember_server("http://192.0.2.7:8710")
    assert settings.last_server() == ""


def test_nickname_comes_from_settings_login_or_chance(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("USER", "ann")
    monkeypatch.delenv("USERNAME", raising=False)
    assert nickname(Settings("Zoe")) == "Zoe"
    assert nickname(Settings("\u200b")) == "ann"
    monkeypatch.setenv("USER", "root")
    assert nickname(Settings()) == ""
    names = {random_name(n / 64) for n in range(64)}
    assert len(names) == 64
    assert all(name.isprintable() and len(name) <= 20 for name in names)
    assert random_name(0.999_999) in names


def test_random_name_is_stored(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert home.exists()
    monkeypatch.setenv("USER", "root")
    monkeypatch.delenv("USERNAME", raising=False)
    drawn = own_name("", Settings())
    assert own_name("", load()[0]) == drawn
    assert own_name("Zoe", load()[0]) == "Zoe"
    assert load()[0].name == drawn


def test_variable_wins_over_the_file_and_is_not_stored(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    save(Settings("Ann", server="http://192.0.2.7:8710"), path)
    environ = {"SLIDERACE_NAME": "Eve", "SLIDERACE_KEYS": "cat", "SLIDERACE_HOVER": ""}
    found, complaints = load(path, environ)
    assert found == Settings("Eve", server="http://192.0.2.7:8710")
    assert complaints == ["SLIDERACE_KEYS must be one of tile, gap"]
    settings.keep(found, replace(found, theme="dark"), path)
    kept = Settings("Ann", server="http://192.0.2.7:8710", theme="dark")
    assert load(path, {}) == (kept, [])
