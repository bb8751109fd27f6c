"""Every sentence that a client shows is one key of the catalogue.

Code uses a key as a literal, ``text("news.ready", name=...)``, or as an f-string whose
fixed part is a prefix, ``text(f"fault.{found}")``; a test beside the closed list then
checks that each of its values has a text.
"""

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from sliderace.texts import catalogue

REPOSITORY = Path(__file__).parents[2]
CLIENT = REPOSITORY / "client/sliderace_client"
SERVER = REPOSITORY / "server/sliderace_server"
SHARED = REPOSITORY / "shared"
PYTHON = sorted(
    file for root in (CLIENT, SERVER, SHARED) for file in root.rglob("*.py")
)
PAGE = sorted((REPOSITORY / "client/sliderace_page").rglob("*.js"))

COMMON, TERMINAL = catalogue("common"), catalogue("terminal")
KNOWN = (*COMMON, *TERMINAL)
OF_PAGE = {**catalogue("start"), **catalogue("page")}
PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
KEY = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+)+")
PLURALS = ("_one", "_other")

EXCEPTIONS = {
    "ValueError",
    "TypeError",
    "LookupError",
    "Unsolvable",
    "NodeCap",
    "BadPace",
}
"""Exceptions for programmers; players never see their messages."""
ALLOWED = {
    "Bearer {}": "an HTTP header",
    "sliderace {}": "names the program in a server's log",
    "sliderace: {}": "names the program before an error",
    "%Y-%m-%d %H:%M": "a date",
}
"""Literals that look like sentences -> their actual kind."""
COMMAND = re.compile(r"sliderace [a-z]+ --|\s*--[a-z]")
"""A command line for the shell is not a sentence either."""


class Use(NamedTuple):
    """One call of `text`.

    Args:
        place: file and line.
        key: the key; a regular expression if part of it is computed.
        fixed: whether the key is a literal.
        values: names of the placeholders; None where they are computed.
    """

    place: str
    key: str
    fixed: bool
    values: frozenset[str] | None

    @property
    def pattern(self) -> str:
        """The regular expression that its keys match, without plural endings."""
        return re.escape(self.key) if self.fixed else self.key


def place_of(file: Path, node: ast.AST) -> str:
    line = getattr(node, "lineno", 0)
    return f"{file.relative_to(REPOSITORY).as_posix()}:{line}"


def pattern_of(node: ast.JoinedStr) -> str:
    """Return a regular expression for the keys that an f-string can produce."""
    parts = (
        re.escape(str(part.value)) if isinstance(part, ast.Constant) else r"\w+"
        for part in node.values
    )
    return "".join(parts)


@cache
def all_uses() -> list[Use]:
    """Return the calls of `text` in all modules."""
    return [use for file in PYTHON for use in uses(file)]


@cache
def all_literals() -> list[tuple[str, str]]:
    """Return the literals of all modules that look like keys, with their places."""
    return [found for file in PYTHON for found in keys_in(file)]


def uses(file: Path) -> Iterator[Use]:
    """Return the calls of `text` in a module."""
    for node in ast.walk(ast.parse(file.read_text())):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        if not isinstance(node.func, ast.Name) or node.func.id != "text":
            continue
        key = node.args[0]
        named = [keyword.arg for keyword in node.keywords]
        values = frozenset(filter(None, named)) if None not in named else None
        where = place_of(file, node)
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield Use(where, key.value, True, values)
        elif isinstance(key, ast.JoinedStr):
            yield Use(where, pattern_of(key), False, values)


def keys_in(file: Path) -> Iterator[tuple[str, str]]:
    """Return the literals that look like keys, with their places."""
    tree = ast.parse(file.read_text())
    parts = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    for node in ast.walk(tree):
        if id(node) in parts or not isinstance(node, ast.Constant):
            continue
        key = node.value
        if isinstance(key, str) and KEY.fullmatch(key) and first_of(key) in GROUPS:
            yield place_of(file, node), key


def first_of(key: str) -> str:
    return key.partition(".")[0]


GROUPS = {first_of(key) for key in (*COMMON, *TERMINAL)}
SCRIPTS = "\n".join(file.read_text() for file in PAGE)


def base_of(key: str) -> str:
    """Return a key without its plural ending."""
    return re.sub(r"_(one|other)$", "", key)


def texts_of(key: str) -> list[str]:
    """Return a key's texts in the terminal: one, or singular and plural."""
    known = {**COMMON, **TERMINAL}
    names = (key, *(key + ending for ending in PLURALS))
    return [known[name] for name in names if name in known]


def used_by_page(key: str) -> bool:
    """Return whether the page uses a key, or a template with its beginning."""
    base = base_of(key)
    if re.search(rf"""["'`]{re.escape(base)}["'`]""", SCRIPTS):
        return True
    heads = re.findall(r"text\(\s*`([a-z0-9_.]+)\$\{", SCRIPTS)
    return any(key.startswith(head) for head in heads)


def test_every_key_in_the_code_exists() -> None:
    unknown = [f"{place} {key}" for place, key in all_literals() if not texts_of(key)]
    unknown += [
        f"{use.place} {use.key}"
        for use in all_uses()
        if not any(re.fullmatch(use.pattern, base_of(key)) for key in KNOWN)
    ]
    assert unknown == []


def test_every_key_of_the_terminal_is_used() -> None:
    literal = {key for _, key in all_literals()}
    patterns = [re.compile(use.key) for use in all_uses() if not use.fixed]

    def used(key: str) -> bool:
        base = base_of(key)
        return base in literal or any(each.fullmatch(base) for each in patterns)

    unused = [key for key in TERMINAL if not used(key)]
    unused += [key for key in COMMON if not used(key) and not used_by_page(key)]
    assert unused == []


def test_every_key_of_the_page_is_used() -> None:
    assert [key for key in OF_PAGE if not used_by_page(key)] == []


def test_a_key_is_in_one_file_only() -> None:
    assert not COMMON.keys() & TERMINAL.keys()
    assert not COMMON.keys() & OF_PAGE.keys()
    assert not catalogue("start").keys() & catalogue("page").keys()


def test_a_key_is_in_its_file_only_once() -> None:
    """JSON readers keep the last of two texts, which then stands in both places."""
    for path in sorted((SHARED / "sliderace/texts").glob("*.json")):
        json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=without_twins)


def without_twins(pairs: list[tuple[str, object]]) -> dict[str, object]:
    keys = [key for key, _ in pairs]
    assert [key for key in keys if keys.count(key) > 1] == []
    return dict(pairs)


def test_placeholders_match_between_code_and_catalogue() -> None:
    """The count need not be shown: it may only choose between two texts."""
    wrong: list[str] = []
    for use in all_uses():
        if not use.fixed or use.values is None:
            continue
        wanted = {
            name for each in texts_of(use.key) for name in PLACEHOLDER.findall(each)
        }
        if wanted - use.values or use.values - wanted - {"count"}:
            wrong.append(f"{use.place} {use.key} {sorted(wanted ^ use.values)}")
    assert wrong == []


@pytest.mark.parametrize("name", ["common", "page", "start", "terminal"])
def test_plurals_come_in_pairs(name: str) -> None:
    keys = catalogue(name)
    for key in keys:
        if key.endswith(PLURALS):
            assert {base_of(key) + ending for ending in PLURALS} <= keys.keys()


# --- Literals -------------------------------------------------------------------------


def sentences(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Return literals that look like prose: they have a letter and a space."""
    silent = {id(node) for part in quiet(tree) for node in ast.walk(part)}
    for node in ast.walk(tree):
        if id(node) in silent:
            continue
        if isinstance(node, ast.JoinedStr):
            silent |= {id(part) for part in node.values}
            parts = (
                str(part.value) if isinstance(part, ast.Constant) else "{}"
                for part in node.values
            )
            words = "".join(parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            words = node.value
        else:
            continue
        if re.search(r"[A-Za-z]", words) and " " in words.strip():
            yield node, words


def quiet(tree: ast.AST) -> Iterator[ast.AST]:
    """Return the parts of a module whose literals are never shown."""
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant()):
                yield node  # a docstring
            case ast.Assign(targets=[ast.Name(id="CSS" | "DEFAULT_CSS")]):
                yield node  # a style sheet
            case ast.Raise(exc=ast.Call(func=ast.Name(id=name))) if name in EXCEPTIONS:
                yield node
            case ast.Assert():
                yield node
            case ast.arg(annotation=ast.expr() as annotation):
                yield annotation
            case ast.AnnAssign():
                yield node.annotation
            case (
                ast.FunctionDef(returns=ast.expr() as returns)
                | ast.AsyncFunctionDef(returns=ast.expr() as returns)
            ):
                yield returns
            case ast.Call(func=ast.Name(id="cast")):
                yield node.args[0]
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re"))):
                yield node  # a regular expression
            case ast.Subscript():
                yield node
            case _:
                pass


def test_no_sentence_stands_in_the_clients_code() -> None:
    found = [
        f"{place_of(file, node)} {words!r}"
        for file in sorted(CLIENT.rglob("*.py"))
        for node, words in sentences(ast.parse(file.read_text()))
        if words not in ALLOWED and not COMMAND.match(words)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ('say("no room")', ["no room"]),
        ('say(f"{n} tiles left")', ["{} tiles left"]),
        ('raise Failure("no room")', ["no room"]),
        ('raise ValueError("no room")', []),
        ('def f() -> "Room | None":\n    """Say it."""', []),
        ('say("room")', []),
        ('CSS = "Screen { color: red; }"', []),
    ],
)
def test_sentence_in_the_code_is_found(code: str, words: list[str]) -> None:
    assert [found for _, found in sentences(ast.parse(code))] == words


def test_the_readme_names_buttons_of_the_page_as_the_page_does() -> None:
    readme = (REPOSITORY / "README.md").read_text("utf-8")
    named = re.findall(r"\*([^*|]+)\* on the page", readme)
    assert len(named) == 11
    assert set(named) <= set(OF_PAGE.values())


def test_the_page_says_of_privacy_what_the_document_says() -> None:
    document = (REPOSITORY / "docs/privacy.md").read_text("utf-8")
    points = [" ".join(one.split()) for one in re.split(r"\n- ", document)[1:]]
    plain = [
        re.sub(r"[*`]", "", re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", one))
        for one in points
    ]
    shown = [
        value
        for key, value in catalogue("page").items()
        if key.startswith("privacy.") and key != "privacy.title"
    ]
    assert shown == plain
