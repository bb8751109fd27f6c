"""The planted bugs still fit the sources; `python tests/mutants` plants them."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent
spec = importlib.util.spec_from_file_location("mutants", FOLDER / "__main__.py")
assert spec is not None
assert spec.loader is not None
mutants = importlib.util.module_from_spec(spec)
sys.modules["mutants"] = mutants
spec.loader.exec_module(mutants)


@pytest.mark.parametrize("mutant", mutants.MUTANTS, ids=lambda one: one.name)
def test_the_text_to_be_replaced_is_there_once(mutant: Any) -> None:
    right = (mutants.ROOT / mutant.file).read_text("utf-8")
    assert mutants.planted(mutant, mutants.ROOT) != right
    if isinstance(mutant.test, str):
        file, _, test = mutant.test.partition("::")
        text = (mutants.ROOT / file).read_text("utf-8")
        assert f"def {test}(" in text
