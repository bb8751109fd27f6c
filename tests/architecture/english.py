"""Print random sentences of the project, so that a native speaker can mark odd ones.

    python tests/architecture/english.py [COUNT] [SEED]

The sample contains docs, the catalogue, docstrings, comments of the page, test names
and commit subjects. The same seed gives the same sentences, if no file has changed.
"""

import ast
import json
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
COUNT, SEED = 200, 14
SINCE = "2026-11-29T12:00:00+00:00"
"""Older commit subjects are not sampled, since they cannot be rewritten."""
MIN_WORDS = 3
SOURCES = ("shared", "server", "client", "tests")


def sentences(text: str) -> Iterator[str]:
    """Split prose into sentences."""
    for paragraph in re.split(r"\n\s*\n|\n\s*[-|*] |\n {4,}\w+: ", text):
        plain = " ".join(paragraph.split())
        for one in re.split(r"(?<=[.!?:]) (?=[A-Z`])", plain):
            if len(one.split()) >= MIN_WORDS:
                yield one


def prose(path: Path) -> str:
    """Return Markdown without code blocks; each table cell becomes a paragraph."""
    text = re.sub(r"```.*?```", "\n\n", path.read_text("utf-8"), flags=re.DOTALL)
    return re.sub(r"^\||\|$| \| ", "\n\n", text, flags=re.MULTILINE)


def docstrings(path: Path) -> Iterator[str]:
    """Yield docstrings, including those of constants, and test names as words."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield from sentences(text)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                if name.startswith("test_"):
                    yield name.removeprefix("test_").replace("_", " ")
            case _:
                pass


def comments(path: Path) -> Iterator[str]:
    """Yield the doc comments of a JavaScript module."""
    for text in re.findall(r"/\*\*(.*?)\*/", path.read_text("utf-8"), re.DOTALL):
        yield from sentences(re.sub(r"^\s*\*", "", text, flags=re.MULTILINE))


def everything() -> Iterator[tuple[str, str]]:
    """Yield (place, sentence)."""
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("tests/*.md")]
    for path in sorted(pages):
        yield from ((path.name, one) for one in sentences(prose(path)))
    for path in sorted(ROOT.glob("shared/sliderace/texts/*.en.json")):
        yield from ((path.name, one) for one in json.loads(path.read_text()).values())
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield from ((path.name, one) for one in docstrings(path))
    for path in sorted((ROOT / "client" / "sliderace_page").rglob("*.js")):
        yield from ((path.name, one) for one in comments(path))
    log = ["git", "-C", str(ROOT), "log", f"--since={SINCE}", "--format=%s"]
    done = subprocess.run(log, capture_output=True, text=True, check=False)
    yield from (("commit", subject) for subject in done.stdout.splitlines())


def main(count: int = COUNT, seed: int = SEED) -> None:
    """Print a sample."""
    found = sorted({one for one in everything() if len(one[1].split()) >= MIN_WORDS})
    chosen = random.Random(seed).sample(found, count)  # noqa: S311
    for number, (place, text) in enumerate(chosen, 1):
        print(f"{number:3} {place:24} {text}")
    print(f"{count} of {len(found)} sentences, seed {seed}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
