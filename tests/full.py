"""Run everything that takes a night: `python -m tests.full [--list] [STEP ...]`.

Needs the extras `test` and `full`, and the programs that the tests use (`.ci/run`
installs them). Each step is a separate command, and a failed step does not stop the
others. The output of a step goes to the terminal.
"""

import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
STEPS = {
    "tests": "pytest --timeout=900 -m 'not soak and not bench'",
    "soak": "pytest -n0 -m soak tests/soak tests/browser tests/chaos tests/solve",
    "kills": "python tests/chaos/kills.py 500",
    "mutants": "python tests/mutants",
    "uniformity": "python tests/bench/uniformity.py",
    "bots": "python -m tests.bench.bots 3x3 4x4 5x5 7x7 10x10",
    "page speed": "pytest -n0 -s -m bench tests/browser",
    "key to paint": "python -m tests.bench.page",
    "starts": "python -m tests.bench.startup",
    "mutation": "python -m tests.mutation",
}
"""The first one includes 100 race-hours, 100,000 histories, 10 million frames and the
random tests with 1,000 examples: see `tests/tiers.py`."""


def run(command: str) -> tuple[int, float]:
    """Run a command; return its exit code and how long it took."""
    program, *arguments = shlex.split(command)
    folder = Path(sys.executable).parent  # also if the environment is not activated
    path = os.pathsep.join([str(folder), os.environ["PATH"]])
    environment = {**os.environ, "SLIDERACE_TIER": "full", "PATH": path}
    began = time.monotonic()
    done = subprocess.run(
        [str(folder / program), *arguments], cwd=ROOT, env=environment, check=False
    )
    return done.returncode, time.monotonic() - began


def main(names: list[str]) -> int:
    """Run the steps, print the results; return 1 if one failed."""
    if names == ["--list"]:
        for name, command in STEPS.items():
            print(f"{name:14} {command}")
        return 0
    results: list[str] = []
    failed = False
    for name in names or STEPS:
        print(f"\n=== {name}: {STEPS[name]}", flush=True)
        code, seconds = run(STEPS[name])
        failed = failed or code != 0
        verdict = "passed" if code == 0 else f"FAILED ({code})"
        results.append(f"{name:14} {verdict:12} {seconds:8.0f} s")
    print("\n" + "\n".join(results))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
