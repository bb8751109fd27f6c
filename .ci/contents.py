"""Check what the wheel and the source archive contain.

Usage: contents.py ARCHIVE ...
"""
# ruff: noqa: INP001, T201

import sys
import tarfile
import zipfile
from pathlib import Path

PACKAGES = {"sliderace", "sliderace_client", "sliderace_page", "sliderace_server"}
IN_WHEEL = [
    "sliderace/py.typed",
    "sliderace/texts/common.en.json",
    "sliderace/texts/constants.json",
    "sliderace/texts/page.en.json",
    "sliderace/texts/terminal.en.json",
    "sliderace_page/index.html",
    "sliderace_page/main.js",
    "sliderace_page/core/engine.js",
    "sliderace_page/styles/base.css",
    "sliderace_page/vendor/uqr/LICENSE.txt",
    "sliderace_page/vendor/uqr/index.js",
    "sliderace_server/storage/sqlite/migrations/0001_rooms_and_races.sql",
]
IN_SOURCE = ["LICENSE.txt", "README.md", "pyproject.toml", "tests/conftest.py"]


def main(archives: list[Path]) -> None:
    """Check one wheel and one source archive."""
    wheel = next(file for file in archives if file.suffix == ".whl")
    source = next(file for file in archives if file.name.endswith(".tar.gz"))
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.partition("/")[0] for name in names}
    packages = {top for top in tops if not top.endswith(".dist-info")}
    problems = [f"wheel: packages {packages}"] if packages != PACKAGES else []
    problems += [f"wheel: no {name}" for name in IN_WHEEL if name not in names]
    with tarfile.open(source) as tar:
        names = [name.partition("/")[2] for name in tar.getnames()]
    problems += [f"source: no {name}" for name in IN_SOURCE if name not in names]
    print(f"{wheel.name}, {source.name}:", "; ".join(problems) or "complete")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]])
