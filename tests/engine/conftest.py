"""Golden data, shared by Python and JavaScript."""

import json
from pathlib import Path
from typing import Any

import pytest

VECTORS = Path(__file__).parents[2] / "shared" / "vectors"


@pytest.fixture(scope="session")
def golden() -> dict[str, list[dict[str, Any]]]:
    """Return the cases of `engine-v1.json`, by section."""
    cases: dict[str, list[dict[str, Any]]] = json.loads(
        (VECTORS / "engine-v1.json").read_text("utf-8")
    )
    return cases


@pytest.fixture(scope="session")
def distances() -> dict[str, dict[str, list[int]]]:
    """Return the numbers of boards at each distance from solved: metric -> size."""
    counts: dict[str, dict[str, list[int]]] = json.loads(
        (VECTORS / "distances.json").read_text("utf-8")
    )
    return counts


@pytest.fixture(scope="session")
def walks() -> list[dict[str, Any]]:
    """Return long random walks, made by a simple reference model."""
    lines = (VECTORS / "walks-v1.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="session")
def scrambles() -> list[dict[str, Any]]:
    """Return a thousand golden scrambles."""
    lines = (VECTORS / "scramble-v1.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]
