"""Flags win over variables, and variables over stored settings."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from sliderace_client.cli.console import load_settings
from sliderace_client.cli.options import COLOURS, preference_options
from sliderace_client.shared_ui.settings import Settings, save


@click.command()
@preference_options
def show_settings(preferences: dict[str, str]) -> int:
    """Print the settings."""
    for name in ("own_keys", "keys", "color", "theme", "tiles", "picture"):
        click.echo(f"{name}={getattr(load_settings(preferences), name)}")
    return 0


def settings_with(*flags: str) -> dict[str, str]:
    lines = CliRunner().invoke(show_settings, flags).output.split()
    return dict(line.split("=") for line in lines)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    save(Settings(keys="gap", theme="light", tiles="rows", own_keys="jlik"))
    monkeypatch.setenv("SLIDERACE_TILES", "mono")
    monkeypatch.setenv("SLIDERACE_COLOR", "always")


def test_flags_win_over_variables_and_variables_over_the_file() -> None:
    stored = {"own_keys": "jlik", "keys": "gap", "theme": "light", "picture": "none"}
    assert settings_with() == {**stored, "tiles": "mono", "color": "always"}
    flags = ("--keys", "A D W S", "--move", "tile", "--picture", "hills")
    assert settings_with(*flags, "--colours", "never", "--colours", "fringe") == {
        "own_keys": "adws",
        "keys": "tile",
        "color": "never",
        "theme": "light",
        "tiles": "fringe",
        "picture": "hills",
    }
    assert settings_with("--keys", "arrows")["own_keys"] == "arrows"
    assert settings_with("--colours", "auto")["color"] == "auto"
    assert settings_with("--colours", "auto")["theme"] == "auto"


@pytest.mark.parametrize(
    ("flag", "value"), [("--keys", "aaaa"), ("--keys", "q123"), ("--colours", "pink")]
)
def test_invalid_option_is_refused(flag: str, value: str) -> None:
    refused = CliRunner().invoke(show_settings, [flag, value])
    assert refused.exit_code == 2
    assert f"Invalid value for {flag}" in refused.output.replace("'", "")


def test_every_word_of_colours_is_a_choice_of_its_settings() -> None:
    fields = Settings.__dataclass_fields__
    for word, names in COLOURS.items():
        for name in names:
            assert word in fields[name].metadata["choices"]
    for name in ("color", "theme", "tiles"):
        assert set(fields[name].metadata["choices"]) <= set(COLOURS)
