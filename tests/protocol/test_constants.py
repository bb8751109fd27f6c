"""constants.json matches the constants of the code."""

import json
from importlib.resources import files

from sliderace.protocol.constants import constants, constants_file


def test_file_is_current() -> None:
    """If not, run `python docs/generate.py`."""
    file = files("sliderace.texts") / "constants.json"
    assert file.read_text(encoding="utf-8") == constants_file()


def test_file_contains_every_constant() -> None:
    assert json.loads(constants_file()) == json.loads(json.dumps(constants()))
