"""docs/api.md says what a server answers: each of its examples is sent to one."""

# Answers have no types before they are compared.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

import ast
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.e2e.daily_server import DAY, NOON_MS, daily_server
from tests.e2e.protocol_client import connected, eventually, rules
from tests.e2e.test_http import ask

from sliderace.protocol import messages as m
from sliderace.race.daily import sealed_until_ms
from sliderace_server.http import routes
from sliderace_server.storage import AttemptRow, RaceSummary, StoredRace

PAGE = (Path(__file__).parents[2] / "docs" / "api.md").read_text("utf-8")
EXAMPLE = re.compile(
    r"```http\nGET (\S+)\n(.*?)```\n\n```json (\d+)\n(.*?)```", re.DOTALL
)


def form(value: Any) -> Any:
    """Return the form of a JSON value: fields and types, without the values."""
    match value:
        case dict():
            fields: dict[str, Any] = value
            return {name: form(one) for name, one in fields.items()}
        case list():
            items: list[Any] = value
            return [form(one) for one in items[:1]]
        case _:
            return type(value).__name__


def fits(stated: Any, found: Any) -> bool:
    """Return whether a form is the stated one; values may be null."""
    match stated:
        case dict():
            fields: dict[str, Any] = stated
            return isinstance(found, dict) and (
                not fields
                or (
                    fields.keys() == found.keys()
                    and all(fits(fields[name], found[name]) for name in fields)
                )
            )
        case [one]:
            return isinstance(found, list) and bool(found) and fits(one, found[0])
        case _:
            return "NoneType" in (stated, found) or stated == found


async def test_every_example_is_answered_as_stated() -> None:
    examples = EXAMPLE.findall(PAGE)
    assert len(examples) == PAGE.count("```http")
    async with daily_server(public_url="https://race.example") as (server, store):
        create = m.Create(name="Ann", public=True, rules=rules("2x2"))
        async with connected(server.port, create) as ann:
            await ann.send(m.Start(race=ann.race))
            await ann.until(m.BoardEvent)
            await ann.phase("racing")
            await ann.solve()
            await ann.until(m.Results)
            await eventually(lambda: store.results.record(ann.race))
            row = AttemptRow(
                0, "Ann", "finished", 1, 9_000, 90, 60, profile="BCDFGHJK", input="keys"
            )
            daily = RaceSummary(
                *("DAILY", "DLYDLY", NOON_MS, "4x4", False, (row,)),
                kind="daily",
                day=DAY,
                sealed_until_ms=sealed_until_ms(DAY, "4x4"),
            )
            await store.results.store(StoredRace(daily, b"{}"))
            solo = replace(daily, id="SOLO", kind="solo", day=0, sealed_until_ms=0)
            await store.results.store(StoredRace(solo, b"{}"))
            await store.standings.claim_daily("BCDFGHJK", "4x4", DAY, "DLYDLY")
            for target, head, status, body in examples:
                stated = json.loads(body)
                path = target.replace("KWXTRB-SA1B2C-3", ann.race)
                path = path.replace("KWXTRB", ann.code)
                headers = dict(re.findall(r"(\S+): (.*)\n", head))
                found = await ask(server.port, path, Host="race.example", **headers)
                assert found.status == int(status), target
                answer = form(found.json())
                assert fits(form(stated), answer), (target, answer)
                if found.status != 200 and "retry_ms" not in stated:
                    assert found.json() == stated
                if "/boards" in target and found.status == 200:
                    assert found.json()["around"]


def paths_of_the_code() -> set[str]:
    """Return the paths that `Routes` matches, with `*` for what varies."""
    tree = ast.parse(Path(routes.__file__).read_text("utf-8"))
    patterns = [
        node.patterns for node in ast.walk(tree) if isinstance(node, ast.MatchSequence)
    ]
    found: set[str] = set()
    for parts in patterns:
        names = [
            one.value.value
            if isinstance(one, ast.MatchValue) and isinstance(one.value, ast.Constant)
            else "*"
            for one in parts
        ]
        found.add("/" + "/".join(map(str, names)).rstrip("/*"))
    return found


def test_every_path_is_explained() -> None:
    for path in paths_of_the_code():
        stated = re.escape(path).replace(r"\*", "[A-Z]+")
        assert re.search(f"`{stated}[`/]", PAGE), f"docs/api.md does not explain {path}"
