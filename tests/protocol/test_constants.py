"""constants.json matches the constants of the code."""

import json
import runpy
from importlib.resources import files

import pytest

from sliderace.protocol import constants as module
from sliderace.protocol.constants import constants, constants_file


def test_file_is_current() -> None:
    """If not: python -m sliderace.protocol.constants > .../texts/constants.json."""
    file = files("sliderace.texts") / "constants.json"
    assert file.read_text(encoding="utf-8") == constants_file()


def test_module_prints_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(module.__file__), run_name="__main__")
    assert capsys.readouterr().out == constants_file()


def test_file_contains_every_constant() -> None:
    assert json.loads(constants_file()) == json.loads(json.dumps(constants()))
