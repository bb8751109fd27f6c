"""Golden data that Python and JavaScript read alike."""

import json
from pathlib import Path
from typing import Any

import pytest

VECTORS = Path(__file__).parents[2] / "shared" / "vectors"


@pytest.fixture(scope="session")
def golden() -> dict[str, list[dict[str, Any]]]:
    """The cases of `engine-v1.json`, by section."""
    cases: dict[str, list[dict[str, Any]]] = json.loads(
        (VECTORS / "engine-v1.json").read_text("utf-8")
    )
    return cases


@pytest.fixture(scope="session")
def distances() -> dict[str, dict[str, list[int]]]:
    """Boards at each distance from the solved one: metric -> size -> counts."""
    counts: dict[str, dict[str, list[int]]] = json.loads(
        (VECTORS / "distances.json").read_text("utf-8")
    )
    return counts


@pytest.fixture(scope="session")
def walks() -> list[dict[str, Any]]:
    """Long ways from board to board, made by a slow and obvious model."""
    lines = (VECTORS / "walks-v1.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="session")
def scrambles() -> list[dict[str, Any]]:
    """A thousand golden scrambles."""
    lines = (VECTORS / "scramble-v1.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]
