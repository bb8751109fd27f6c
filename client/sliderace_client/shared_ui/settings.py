"""The user's settings and folders.

The settings are in ``settings.toml`` in the user's configuration folder. A missing or
damaged file, an unknown key or a wrong value never stops anything: the default is used
and the problem reported. An environment variable, such as ``SLIDERACE_KEYS``, wins over
the file and is not written to it.
"""

import json
import os
import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from platformdirs import user_config_path, user_data_path, user_state_path

from sliderace.engine.board import MAX_SIDE, MIN_SIDE
from sliderace.protocol.names import clean_name, name_fault
from sliderace.solve.feel import FEELS
from sliderace.texts import text

__all__ = [
    "SQUARES",
    "Settings",
    "config_dir",
    "data_dir",
    "keep",
    "last_server",
    "load",
    "nickname",
    "random_name",
    "remember_name",
    "remember_server",
    "save",
    "state_dir",
]

APP = "sliderace"


def config_dir() -> Path:
    """Return the folder of the settings."""
    return user_config_path(APP, appauthor=False)


def data_dir() -> Path:
    """Return the folder of races and seats; the server uses the same."""
    return user_data_path(APP, appauthor=False)


def state_dir() -> Path:
    """Return the folder of logs and other state."""
    return user_state_path(APP, appauthor=False)


SQUARES = tuple(f"{side}x{side}" for side in range(MIN_SIDE, MAX_SIDE + 1))


@dataclass(frozen=True, slots=True)
class Settings:
    """The user's settings.

    Args:
        name: nickname; empty: the login name, or a random one that is then stored.
        keys: ``tile``: a key is the direction of the tile; ``gap``: that of the gap.
        color: ``auto``, ``always`` or ``never``.
        theme: ``auto``, ``dark`` or ``light``.
        own_keys: for left, right, up and down, in line mode: four characters, or
            ``arrows``.
        tiles: what a tile's colour shows: ``fringe``, ``rows`` or ``mono`` (nothing).
        picture: shown instead: ``none``, a name, or a file.
        hover: ``on``: the tile under the pointer slides without a click.
        reactions: ``off``: those of others are not shown.
        pace: ``off``: our best attempt does not race along.
        server: address where a bare code is looked up first; empty: none.
        size: of the board of Race now.
        feel: how fast the user is on a 4x4 board (`sliderace.solve.FEELS`); empty: they
            were not asked yet.
    """

    name: str = ""
    keys: str = field(default="tile", metadata={"choices": ("tile", "gap")})
    color: str = field(
        default="auto", metadata={"choices": ("auto", "always", "never")}
    )
    theme: str = field(default="auto", metadata={"choices": ("auto", "dark", "light")})
    own_keys: str = "adws"
    tiles: str = field(
        default="fringe", metadata={"choices": ("fringe", "rows", "mono")}
    )
    picture: str = "none"
    hover: str = field(default="off", metadata={"choices": ("off", "on")})
    reactions: str = field(default="on", metadata={"choices": ("on", "off")})
    pace: str = field(default="on", metadata={"choices": ("on", "off")})
    server: str = ""
    size: str = field(default="4x4", metadata={"choices": SQUARES})
    feel: str = field(default="", metadata={"choices": ("", *FEELS)})


WRITTEN = "utf-8-sig"
"""UTF-8, with or without the byte order mark that editors on Windows write."""
VARIABLE = "SLIDERACE_"
"""Prefix of a variable; the setting's name follows in capitals."""


def load(
    path: Path | None = None, environ: Mapping[str, str] | None = None
) -> tuple[Settings, list[str]]:
    """Return the settings, and a sentence for each problem with them.

    Args:
        path: the file; None: the user's.
        environ: environment variables, which win; None: those of this process.
    """
    stored, complaints = _stored(path or config_dir() / "settings.toml")
    environ = os.environ if environ is None else environ
    given = {
        each.name: environ[variable]
        for each in fields(Settings)
        if environ.get(variable := VARIABLE + each.name.upper())
    }
    known, wrong = _usable(given, lambda key: VARIABLE + key.upper())
    return replace(stored, **known), complaints + wrong


def _stored(path: Path) -> tuple[Settings, list[str]]:
    """Return what the file says, and its problems."""
    try:
        values = tomllib.loads(path.read_text(WRITTEN))
    except FileNotFoundError:
        return Settings(), []
    except (OSError, ValueError, RecursionError) as error:
        return Settings(), [text("setting.bad_file", path=path, why=error)]
    known, wrong = _usable(values, lambda key: f"{path}: {key}")
    return Settings(**known), wrong


def _usable(
    values: Mapping[str, Any], name_of: Callable[[str], str]
) -> tuple[dict[str, str], list[str]]:
    """Return the valid values, and a sentence for each of the others."""
    known = {setting.name: setting for setting in fields(Settings)}
    kept: dict[str, str] = {}
    wrong: list[str] = []
    for key, value in values.items():
        if key not in known:
            wrong.append(text("setting.unknown", name=name_of(key)))
        elif not isinstance(value, str):
            wrong.append(text("setting.not_text", name=name_of(key)))
        elif value not in known[key].metadata.get("choices", (value,)):
            choices = ", ".join(known[key].metadata["choices"])
            wrong.append(text("setting.choice", name=name_of(key), choices=choices))
        else:
            kept[key] = value
    return kept, wrong


def keep(before: Settings, after: Settings, path: Path | None = None) -> None:
    """Store what the user changed, but nothing that only a variable or a flag set.

    Raises:
        OSError: it cannot be written.
    """
    stored, _ = load(path, {})
    old, new = asdict(before), asdict(after)
    changes = {key: value for key, value in new.items() if value != old[key]}
    save(replace(stored, **changes), path)


def save(settings: Settings, path: Path | None = None) -> None:
    """Write the settings, together with keys of the file that we do not know.

    A file that cannot be read is renamed to ``settings.toml.damaged``.

    Raises:
        OSError: it cannot be written.
    """
    path = path or config_dir() / "settings.toml"
    values: dict[str, Any] = {}
    try:
        old = tomllib.loads(path.read_text(WRITTEN))
        values = {key: value for key, value in old.items() if isinstance(value, str)}
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
    except (ValueError, RecursionError):
        path.replace(path.with_name(path.name + ".damaged"))
    values |= asdict(settings)
    lines = (f"{key} = {_quoted(value)}\n" for key, value in values.items())
    write_atomically(path, "".join(lines))


def _quoted(value: str) -> str:
    """Return a basic string of TOML: JSON without escaped surrogate pairs."""
    return json.dumps(value, ensure_ascii=False)


def write_atomically(path: Path, content: str) -> None:
    """Write a file so that a reader sees the old content or the new, never a part.

    Raises:
        OSError: it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    fresh.write_text(content, "utf-8")
    fresh.replace(path)


def last_server() -> str:
    """Return the address of the server used last, or empty."""
    try:
        return (state_dir() / "last-server").read_text("utf-8").strip()[:200]
    except (OSError, ValueError):
        return ""


def remember_server(server: str) -> None:
    """Store the server for `last_server`, if that is possible."""
    try:
        write_atomically(state_dir() / "last-server", server + "\n")
    except OSError:
        return


ADJECTIVES = ("Brisk", "Calm", "Keen", "Lucky", "Merry", "Nimble", "Quick", "Swift")
ANIMALS = ("Badger", "Falcon", "Fox", "Hare", "Lynx", "Marten", "Otter", "Raven")
"""Parts of the random names: 64 friendly ones, none wider than a column."""


def nickname(settings: Settings) -> str:
    """Return the name of the settings, else the login name, else nothing (empty)."""
    for given in (settings.name, *map(os.environ.get, ("USER", "USERNAME"))):
        name = clean_name(given or "")
        if name and name != "root" and not name_fault(name):
            return name
    return ""


def remember_name(settings: Settings, name: str) -> None:
    """Store a nickname for the next time, if that is possible.

    Args:
        settings: the current ones.
        name: cleaned.
    """
    with suppress(OSError):
        keep(settings, replace(settings, name=name))


def random_name(chance: float) -> str:
    """Return a random name.

    Args:
        chance: random, 0 ... 1 (exclusive).
    """
    pick = int(chance * len(ADJECTIVES) * len(ANIMALS))
    first, second = divmod(pick, len(ANIMALS))
    return f"{ADJECTIVES[first]} {ANIMALS[second]}"
