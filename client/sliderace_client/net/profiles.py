"""The secrets of our profiles, one for each server.

They are in ``profiles.json`` in the user's data folder, readable only by its owner, by
the servers' public keys: a server may get another address, but keeps its key. Whoever
has a secret can race in our name, so it is sent only in `hello` and in an
``Authorization`` header, and a secret that was made over TLS is not sent without it.

Blocking but short; coroutines call these functions in a thread.
"""

import json
import os
import re
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

from sliderace.texts import text
from sliderace_client.net.http import Unreachable, get
from sliderace_client.platform import lock
from sliderace_client.shared_ui.settings import data_dir

__all__ = [
    "KeptProfile",
    "drop",
    "is_secure",
    "keep",
    "kept",
    "new_secret",
    "secret_for",
    "server_key",
]

SECRET = re.compile("[0-9a-f]{32}")
KEY = re.compile("[0-9a-f]{64}")
MAX_TEXT = 80
LOCK_S = 2.0
"""Longest wait for another process that changes the file."""
STEP_S = 0.01


@dataclass(frozen=True, slots=True)
class KeptProfile:
    """What this device knows of its profile on one server.

    Args:
        secret: 32 hex digits.
        id: the public id; empty: the server has not confirmed it yet.
        name: the name at the last visit.
        tls: the secret was made over TLS.
    """

    secret: str = field(repr=False)
    id: str = ""
    name: str = ""
    tls: bool = False

    def may_go_to(self, server: str) -> bool:
        """Return whether the secret may be sent to this address of the server."""
        return is_secure(server) or not self.tls


def is_secure(server: str) -> bool:
    """Return whether a server's address uses TLS."""
    return server.startswith("https:")


def new_secret(entropy: Callable[[int], bytes] = os.urandom) -> str:
    """Return a new secret: 32 hex digits.

    Args:
        entropy: returns that many random bytes.
    """
    return entropy(16).hex()


def server_key(server: str) -> str:
    """Return the public key of a server.

    Args:
        server: base address, ``http://host:port``.

    Raises:
        Unreachable: no answer came, or no server of ours gave it.
    """
    health = get(server, "/healthz").json()
    found = cast("dict[str, Any]", health).get("key") if _is_object(health) else None
    if isinstance(found, str) and KEY.fullmatch(found):
        return found
    why = text("error.no_answer")
    raise Unreachable(text("error.unreachable", server=server, why=why))


def secret_for(server: str, folder: Path | None = None) -> str | None:
    """Return the secret of our profile on a server; None: we have none to send there.

    Args:
        server: base address, ``http://host:port``.
        folder: where the file is; default: the user's data folder.

    Raises:
        Unreachable: no answer came. A server without a profile of ours is not asked.
    """
    if not _read(_path(folder)):
        return None
    found = kept(server_key(server), folder)
    return found.secret if found and found.may_go_to(server) else None


def kept(key: str, folder: Path | None = None) -> KeptProfile | None:
    """Return our profile on the server with a public key, if there is one."""
    return _read(_path(folder)).get(key)


def keep(key: str, profile: KeptProfile, folder: Path | None = None) -> None:
    """Store our profile on the server with a public key.

    Raises:
        OSError: it cannot be written.
    """
    with _changing(_path(folder)) as profiles:
        profiles[key] = profile


def drop(key: str, folder: Path | None = None) -> None:
    """Delete our profile on the server with a public key from this device.

    Raises:
        OSError: it cannot be written.
    """
    with _changing(_path(folder)) as profiles:
        profiles.pop(key, None)


def _path(folder: Path | None) -> Path:
    return (folder or data_dir()) / "profiles.json"


@contextmanager
def _changing(path: Path) -> Generator[dict[str, KeptProfile], None, None]:
    """Read the file, and write it again at the end; other processes wait.

    A file that cannot be read is renamed to ``profiles.json.damaged``.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    guard = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _lock(guard)
        if path.exists() and _parsed(path) is None:
            path.replace(path.with_name(f"{path.name}.damaged"))
        profiles = _read(path)
        yield profiles
        _write(path, {key: asdict(one) for key, one in profiles.items()})
    finally:
        os.close(guard)


def _lock(guard: int) -> None:
    until = time.monotonic() + LOCK_S
    while True:
        try:
            lock(guard)
        except OSError:
            if time.monotonic() >= until:
                raise
            time.sleep(STEP_S)
        else:
            return


def _write(path: Path, value: Mapping[str, object]) -> None:
    """Write the file so that a crash leaves the old content or the new."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    with suppress(FileNotFoundError):
        fresh.unlink()  # of a process that was killed
    file = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(file, json.dumps(value, indent=1).encode())
        os.fsync(file)
    finally:
        os.close(file)
    fresh.replace(path)


def _parsed(path: Path) -> dict[str, Any] | None:
    """Return what the file contains; None if that is not a JSON object."""
    try:
        stored = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", stored) if _is_object(stored) else None


def _read(path: Path) -> dict[str, KeptProfile]:
    """Return key -> profile, without entries that make no sense."""
    found: dict[str, KeptProfile] = {}
    for key, value in (_parsed(path) or {}).items():
        entry = cast("dict[str, Any]", value) if _is_object(value) else {}
        secret = entry.get("secret")
        if KEY.fullmatch(key) and isinstance(secret, str) and SECRET.fullmatch(secret):
            found[key] = KeptProfile(
                secret,
                str(entry.get("id", ""))[:MAX_TEXT],
                str(entry.get("name", ""))[:MAX_TEXT],
                tls=entry.get("tls") is True,
            )
    return found


def _is_object(value: object) -> bool:
    return isinstance(value, dict)
