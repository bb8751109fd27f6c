"""The browser page's files, read once at the start and served from memory.

Only what lies in this dictionary can ever be served, so no path of a request is ever
turned into a path of the disk.
"""

import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

__all__ = ["INDEX", "OFFLINE", "Asset", "load_page"]

INDEX = "/index.html"
"""The page itself: served at `/` and at every room's link."""
OFFLINE = "/sw.js"
"""The service worker: what it keeps for offline use is written into it, see `_told`."""
PLACE = b"const PAGE = null;"
"""The line of the service worker that is replaced."""

TYPES: Mapping[str, str] = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "webmanifest": "application/manifest+json",
    "svg": "image/svg+xml",
    "png": "image/png",
    "ico": "image/x-icon",
    "txt": "text/plain; charset=utf-8",
    "woff2": "font/woff2",
}
"""File ending -> content type. What is not listed is not part of the page."""


@dataclass(frozen=True, slots=True)
class Asset:
    """One file of the page.

    Args:
        body: its content.
        packed: the same by gzip, or empty where that saves nothing.
        type: its content type.
        etag: changes when the content does.
    """

    body: bytes
    packed: bytes
    type: str
    etag: str


PACKAGES: Mapping[str, str] = {"/": "sliderace_page", "/texts/": "sliderace.texts"}
"""URL folder -> import name of the package whose files are served there."""
NOT_SERVED = frozenset({"/texts/terminal.en.json"})
"""Files of those packages that the page does not need."""


def load_page(packages: Mapping[str, str] = PACKAGES) -> dict[str, Asset]:
    """Return every servable file of the page.

    Args:
        packages: URL folder -> import name of a package.

    Returns:
        Absolute URL path -> file; empty where the package is not installed.
    """
    try:
        roots = {url: files(package) for url, package in packages.items()}
    except ModuleNotFoundError:
        return {}
    page = {
        path: asset
        for url, root in roots.items()
        for path, asset in _walk(root, url)
        if path not in NOT_SERVED
    }
    if worker := page.pop(OFFLINE, None):
        page[OFFLINE] = _asset(_told(worker.body, page), worker.type)
    return page


def _told(worker: bytes, page: Mapping[str, Asset]) -> bytes:
    """The service worker with the files to keep, and a version that follows from them.

    A browser that finds it changed fetches all of them anew, and none of them is ever
    mixed with those of another version.
    """
    tags = "".join(f"{url} {page[url].etag}\n" for url in sorted(page))
    version = hashlib.sha256(tags.encode() + worker).hexdigest()[:16]
    kept = {"version": version, "files": sorted(page)}
    told = json.dumps(kept, separators=(",", ":")).encode()
    return worker.replace(PLACE, b"const PAGE = " + told + b";")


def _walk(folder: Traversable, url: str) -> Iterator[tuple[str, Asset]]:
    for entry in folder.iterdir():
        if entry.name.startswith((".", "_")):
            continue
        if entry.is_dir():
            yield from _walk(entry, f"{url}{entry.name}/")
        elif kind := TYPES.get(entry.name.rpartition(".")[2]):
            yield f"{url}{entry.name}", _asset(entry.read_bytes(), kind)


def _asset(body: bytes, kind: str) -> Asset:
    etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
    return Asset(body, _packed(body), kind, etag)


def _packed(body: bytes) -> bytes:
    packed = gzip.compress(body, mtime=0)
    return packed if len(packed) < len(body) else b""
