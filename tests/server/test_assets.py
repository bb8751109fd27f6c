"""The page: which files are served, and the service worker's list of them."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from sliderace_server.http.assets import INDEX, SERVICE_WORKER, load_page


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    folder = tmp_path / "some_page"
    (folder / "view").mkdir(parents=True)
    (folder / "__pycache__").mkdir()
    for name in ("__init__.py", ".secret.js", "__pycache__/x.js", "notes.md"):
        (folder / name).write_text("0")
    (folder / "index.html").write_text("<p>")
    (folder / "view" / "lobby.js").write_text("export {}")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delitem(sys.modules, "some_page", raising=False)  # from another test
    return "some_page"


def test_files_are_served_with_their_content_types(package: str) -> None:
    page = load_page({"/": package})
    assert set(page) == {INDEX, "/view/lobby.js"}
    assert page[INDEX].body == b"<p>"
    assert page["/view/lobby.js"].type == "text/javascript; charset=utf-8"


def test_different_files_have_different_etags() -> None:
    tags = [asset.etag for asset in load_page().values()]
    assert len(set(tags)) == len(tags) > 5
    assert all(tag.startswith('"') and tag.endswith('"') for tag in tags)


def test_terminal_texts_are_not_served() -> None:
    texts = {path for path in load_page() if path.startswith("/texts/")}
    names = ("common.en", "constants", "page.en", "start", "start.en")
    assert texts == {f"/texts/{name}.json" for name in names}


def test_without_the_package_the_page_is_empty() -> None:
    assert load_page({"/": "no_such_package_at_all"}) == {}


def _file_list(package: str) -> dict[str, Any]:
    body = load_page({"/": package})[SERVICE_WORKER].body.decode()
    listed: dict[str, Any] = json.loads(
        body.removeprefix("const PAGE = ").removesuffix(";")
    )
    return listed


def test_the_service_worker_lists_every_file_but_itself(
    package: str, tmp_path: Path
) -> None:
    folder = tmp_path / "some_page"
    (folder / "sw.js").write_text("const PAGE = null;")
    assert _file_list(package)["files"] == [INDEX, "/view/lobby.js"]


def test_a_changed_file_changes_the_version_and_the_service_worker(
    package: str, tmp_path: Path
) -> None:
    folder = tmp_path / "some_page"
    (folder / "sw.js").write_text("const PAGE = null;")
    before, tag = _file_list(package), load_page({"/": package})[SERVICE_WORKER].etag
    assert _file_list(package) == before
    (folder / "view" / "lobby.js").write_text("export let a")
    assert _file_list(package)["version"] != before["version"]
    assert load_page({"/": package})[SERVICE_WORKER].etag != tag


def test_our_service_worker_contains_its_file_list() -> None:
    assert b"const PAGE = null;" not in load_page()[SERVICE_WORKER].body
