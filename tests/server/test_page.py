"""The page is what lies in the package, and nothing beside it."""

import sys
from pathlib import Path

import pytest

from sliderace_server.page import INDEX, load_page


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
    return "some_page"


def test_files_become_paths_with_types(package: str) -> None:
    page = load_page(package)
    assert set(page) == {INDEX, "/view/lobby.js"}
    assert page[INDEX].body == b"<p>"
    assert page["/view/lobby.js"].type == "text/javascript; charset=utf-8"


def test_another_content_has_another_tag() -> None:
    tags = [asset.etag for asset in load_page().values()]
    assert len(set(tags)) == len(tags) > 5
    assert all(tag.startswith('"') and tag.endswith('"') for tag in tags)


def test_without_the_package_there_is_no_page() -> None:
    assert load_page("no_such_package_at_all") == {}
