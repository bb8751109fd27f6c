"""Mutate the pure layers with mutmut and count the mutants that no test catches.

    python -m tests.mutation                                 all of the pure layers
    python -m tests.mutation 'sliderace/race/ranking.py'     some of their modules

Needs the extra `full`. Survivors are printed at the end; people judge them. All modules
take a night.
"""

import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = ("shared", "server", "client")
CONFIG = """
[tool.mutmut]
source_paths = ["src"]
only_mutate = {modules}
also_copy = ["README.md", "ARCHITECTURE.md", "docs", "shared", "server", "client"]
pytest_add_cli_args = ["-n0", "-p", "no:cacheprovider", "--timeout=300"]
pytest_add_cli_args_test_selection = [
    "-m", "fast", "tests", "--ignore=tests/client/test_page.py"
]
"""


def pure_modules() -> list[str]:
    """Return globs of the modules in the contract `pure`."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = config["tool"]["importlinter"]["contracts"]
    (pure,) = (one for one in contracts if one.get("id") == "pure")
    paths = [name.replace(".", "/") for name in pure["source_modules"]]
    return [f"{path}{end}" for path in paths for end in (".py", "/*")]


def arrange(folder: Path, modules: list[str]) -> None:
    """Copy the project, with its packages where mutmut expects them."""
    unneeded = shutil.ignore_patterns("__pycache__", ".*", "node_modules")
    for name in (*SOURCES, "tests", "docs"):
        shutil.copytree(ROOT / name, folder / name, ignore=unneeded)
    for file in ROOT.glob("*.md"):
        shutil.copy(file, folder)
    for source in SOURCES:
        for package in (folder / source).glob("sliderace*"):
            if package.name != "sliderace_page":  # its tests know where it is
                shutil.move(package, folder / "src" / package.name)
    (folder / "src" / "sliderace_page").symlink_to(folder / "client/sliderace_page")
    config = (ROOT / "pyproject.toml").read_text("utf-8")
    path = 'pythonpath = ["shared", "server", "client"]'
    assert path in config
    config = config.replace(path, 'pythonpath = ["src", "client"]')
    globs = [f"src/{module}" for module in modules]
    (folder / "pyproject.toml").write_text(config + CONFIG.format(modules=globs))


def main(modules: list[str]) -> int:
    """Mutate; print the survivors and how many they are."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "src").mkdir()
        arrange(folder, modules or pure_modules())
        done = subprocess.run(["mutmut", "run"], cwd=folder, check=False)
        if done.returncode:
            return done.returncode
        command = ["mutmut", "results"]
        results = subprocess.check_output(command, cwd=folder, text=True)
    print(results)
    print(f"{results.count(': survived')} survivors")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
