"""The web page's files, read at the start and served from memory.

Only the files in this dictionary are served: a request's path is never used as a path
on disk.
"""

import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

__all__ = ["INDEX", "SERVICE_WORKER", "Asset", "load_page"]

INDEX = "/index.html"
"""The page itself, served at `/` and at every room's link."""
SERVICE_WORKER = "/sw.js"
PLACEHOLDER = b"const PAGE = null;"
"""The line of the service worker that is replaced by the list of files to cache."""

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
"""File extension -> content type; files of other types are not served."""


@dataclass(frozen=True, slots=True)
class Asset:
    """One file of the page.

    Args:
        body: its content.
        gzipped: the content compressed, or empty if that is not smaller.
        type: its content type.
        etag: changes when the content does.
    """

    body: bytes
    gzipped: bytes
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
        Absolute URL path -> file; empty if a package is not installed.
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
    if worker := page.pop(SERVICE_WORKER, None):
        page[SERVICE_WORKER] = _asset(_with_files(worker.body, page), worker.type)
    return page


def _with_files(worker: bytes, page: Mapping[str, Asset]) -> bytes:
    """Return the service worker with the files to cache and their version.

    The version is derived from all files, so that a browser never mixes files of two
    versions.
    """
    tags = "".join(f"{url} {page[url].etag}\n" for url in sorted(page))
    version = hashlib.sha256(tags.encode() + worker).hexdigest()[:16]
    cached = {"version": version, "files": sorted(page)}
    text = json.dumps(cached, separators=(",", ":")).encode()
    return worker.replace(PLACEHOLDER, b"const PAGE = " + text + b";")


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
    return Asset(body, _gzipped(body), kind, etag)


def _gzipped(body: bytes) -> bytes:
    compressed = gzip.compress(body, mtime=0)
    return compressed if len(compressed) < len(body) else b""
