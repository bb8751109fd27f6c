"""The user's settings and folders.

``settings.toml`` in the user's configuration folder. A missing or damaged file, an
unknown key or a wrong value never stops anything: the default holds, and it is said.
A variable, such as ``SLIDERACE_KEYS``, wins over the file, and is not written to it.
"""

import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from platformdirs import user_config_path, user_data_path, user_state_path

from sliderace.protocol.names import clean_name

__all__ = [
    "Settings",
    "config_dir",
    "data_dir",
    "drawn_name",
    "keep",
    "last_server",
    "load",
    "nickname",
    "remember_server",
    "save",
    "state_dir",
]

APP = "sliderace"


def config_dir() -> Path:
    """Where the settings are."""
    return user_config_path(APP, appauthor=False)


def data_dir() -> Path:
    """Where races and seats are kept; the server uses the same."""
    return user_data_path(APP, appauthor=False)


def state_dir() -> Path:
    """Where logs and the like are kept."""
    return user_state_path(APP, appauthor=False)


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user likes.

    Args:
        name: nickname; empty: the login name, or a random one that is then kept.
        keys: ``tile``: an arrow is the way the tile travels; ``gap``: the gap's way.
        color: ``auto``, ``always`` or ``never``.
        theme: ``auto``, ``dark`` or ``light``.
        own_keys: for left, right, up and down, in line mode: four characters, or
            ``arrows``.
        tiles: what a tile's colour tells: ``fringe``, ``rows`` or ``mono``: nothing.
        picture: one that is shown instead: ``none``, its name, or a file.
        hover: ``on``: the tile under the pointer slides, without a click.
        auto_ready: ``on``: ready for each race as soon as it is prepared.
        server: address where a bare code is looked for first; empty: none.
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
    auto_ready: str = field(default="off", metadata={"choices": ("off", "on")})
    server: str = ""


WRITTEN = "utf-8-sig"
"""UTF-8, and the mark before it that editors on Windows like."""
VARIABLE = "SLIDERACE_"
"""Before a setting's name, in capitals."""


def load(
    path: Path | None = None, environ: Mapping[str, str] | None = None
) -> tuple[Settings, list[str]]:
    """The settings, and what could not be used of them, a line each.

    Args:
        path: the file; None: the user's.
        environ: variables, which win; None: those of this process.
    """
    stored, complaints = _stored(path or config_dir() / "settings.toml")
    environ = os.environ if environ is None else environ
    given = {
        each.name: environ[variable]
        for each in fields(Settings)
        if environ.get(variable := VARIABLE + each.name.upper())
    }
    known, wrong = _usable(given)
    complaints += [f"{VARIABLE}{text[0].upper()} {text[1]}" for text in wrong]
    return replace(stored, **known), complaints


def _stored(path: Path) -> tuple[Settings, list[str]]:
    """What the file says."""
    try:
        values = tomllib.loads(path.read_text(WRITTEN))
    except FileNotFoundError:
        return Settings(), []
    except (OSError, ValueError, RecursionError) as error:
        return Settings(), [f"{path}: {error}; the defaults are used"]
    known, wrong = _usable(values)
    return Settings(**known), [
        f"{path}: there is no setting {key}" if not why else f"{path}: {key} {why}"
        for key, why in wrong
    ]


def _usable(values: Mapping[str, Any]) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """The values that settings may have; and why the others may not be."""
    known = {setting.name: setting for setting in fields(Settings)}
    kept: dict[str, str] = {}
    wrong: list[tuple[str, str]] = []
    for key, value in values.items():
        if key not in known:
            wrong.append((key, ""))
        elif not isinstance(value, str):
            wrong.append((key, "must be text"))
        elif value not in known[key].metadata.get("choices", (value,)):
            choices = ", ".join(known[key].metadata["choices"])
            wrong.append((key, f"must be one of {choices}"))
        else:
            kept[key] = value
    return kept, wrong


def keep(before: Settings, after: Settings, path: Path | None = None) -> None:
    """Store what the user changed, and nothing that only a variable or a flag says.

    Raises:
        OSError: it cannot be written.
    """
    stored, _ = load(path, {})
    old, new = asdict(before), asdict(after)
    changes = {key: value for key, value in new.items() if value != old[key]}
    save(replace(stored, **changes), path)


def save(settings: Settings, path: Path | None = None) -> None:
    """Write the settings; what differs from the defaults and what we do not know.

    A file that cannot be read is kept aside as ``settings.toml.damaged``.

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
    write_aside(path, "".join(lines))


def _quoted(text: str) -> str:
    """A basic string of TOML, which is one of JSON but for the surrogate pairs."""
    return json.dumps(text, ensure_ascii=False)


def write_aside(path: Path, text: str) -> None:
    """Write a file so that a reader sees the old text or the new, never a half.

    Raises:
        OSError: it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    fresh.write_text(text, "utf-8")
    fresh.replace(path)


def last_server() -> str:
    """The address of the server used last, or empty."""
    try:
        return (state_dir() / "last-server").read_text("utf-8").strip()[:200]
    except (OSError, ValueError):
        return ""


def remember_server(server: str) -> None:
    """Note the server for `last_server`; a folder we may not write is no harm."""
    try:
        write_aside(state_dir() / "last-server", server + "\n")
    except OSError:
        return


ADJECTIVES = ("Brisk", "Calm", "Keen", "Lucky", "Merry", "Nimble", "Quick", "Swift")
ANIMALS = ("Badger", "Falcon", "Fox", "Hare", "Lynx", "Marten", "Otter", "Raven")
"""Of the random names: 64 of them, all friendly and none longer than a column."""


def nickname(settings: Settings) -> str:
    """A name to go by: the user's setting, else the login name, else none (empty)."""
    for text in (settings.name, *map(os.environ.get, ("USER", "USERNAME"))):
        name = clean_name(text or "")
        if name and name != "root":
            return name
    return ""


def drawn_name(chance: float) -> str:
    """A random name.

    Args:
        chance: random, 0 ... 1 (exclusive).
    """
    pick = int(chance * len(ADJECTIVES) * len(ANIMALS))
    first, second = divmod(pick, len(ANIMALS))
    return f"{ADJECTIVES[first]} {ANIMALS[second]}"
