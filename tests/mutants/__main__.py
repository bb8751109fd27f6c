"""Plant known bugs in a copy of the sources; a test must catch each.

    python tests/mutants             all of them
    python tests/mutants NAME ...    those whose name contains one of these

Fails when a bug survives, or when the text that it replaces is gone.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

from tests.mutants.bugs import BUGS, Bug  # noqa: E402

__all__ = ["caught", "copied", "planted"]

SOURCES = ("shared", "server", "client")
TIMEOUT_S = 900
UNNEEDED = shutil.ignore_patterns("__pycache__", ".*", "node_modules")
PYTEST = [sys.executable, "-m", "pytest", "-n0", "-q", "-x", "-p", "no:cacheprovider"]


def planted(bug: Bug, root: Path) -> str:
    """Return the text of the file with the bug in it.

    Raises:
        ValueError: the text to replace does not occur exactly once.
    """
    text = (root / bug.file).read_text("utf-8")
    if (times := text.count(bug.right)) != 1:
        raise ValueError(
            f"{bug.name}: {bug.file} contains its text {times} times, not once; "
            "adapt the bug in tests/mutants/bugs.py"
        )
    return text.replace(bug.right, bug.wrong)


def copied(folder: Path) -> Path:
    """Copy sources and tests to a folder; return the folder."""
    for name in (*SOURCES, "docs", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=UNNEEDED)
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def caught(bug: Bug, copy: Path) -> str:
    """Plant a bug, run its test, remove the bug; return what failed, or ""."""
    file = copy / bug.file
    right = file.read_text("utf-8")
    file.write_text(planted(bug, copy), "utf-8")
    try:
        done = _run(_command(bug), copy)
    except subprocess.TimeoutExpired:
        return ""
    finally:
        file.write_text(right, "utf-8")
    failures = [
        line
        for line in done.stdout.splitlines()
        if line.startswith(("FAILED ", "ERROR tests", "seed "))
    ]
    return failures[0][:160] if done.returncode == 1 and failures else ""


def _command(bug: Bug) -> list[str]:
    if bug.is_simulated:  # it ends with the first run that fails
        options = f"{bug.test} --jobs 1"
        return [sys.executable, "-m", "tests.simulation", *options.split()]
    return [*PYTEST, *bug.test.split()]


def _run(command: list[str], copy: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(str(copy / name) for name in SOURCES)
    return subprocess.run(
        command,
        cwd=copy,
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )


def _pass_without_bugs(bugs: list[Bug], copy: Path) -> bool:
    """Return whether the tests pass; tests that always fail catch nothing."""
    tests = {test for one in bugs if not one.is_simulated for test in one.test.split()}
    done = _run([*PYTEST, *sorted(tests)], copy)
    if done.returncode:
        print(f"without any bug:\n{done.stdout[-2_000:]}")
    return done.returncode == 0


def main(names: list[str]) -> int:
    """Plant bugs one after the other; return 1 if one survives."""
    bugs = [bug for bug in BUGS if not names or any(name in bug.name for name in names)]
    survivors = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = copied(Path(folder))
        if not bugs or not _pass_without_bugs(bugs, copy):
            return 1
        for bug in bugs:
            failure = caught(bug, copy)
            print(f"{bug.name}: {failure or 'SURVIVED'}", flush=True)
            survivors += not failure
    print(f"{len(bugs)} bugs, {survivors} survived")
    return int(survivors > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
