"""The page's constants match those of the code."""

import json
from importlib.resources import files

from sliderace.protocol.constants import constants, constants_file, start_file


def test_file_is_current() -> None:
    """If not, run `python docs/generate.py`."""
    for name, text in (("constants", constants_file()), ("start", start_file())):
        file = files("sliderace.texts") / f"{name}.json"
        assert file.read_text(encoding="utf-8") == text


def test_file_contains_every_constant() -> None:
    found = json.loads(constants_file()) | json.loads(start_file())
    assert found == json.loads(json.dumps(constants()))
