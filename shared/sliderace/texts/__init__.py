"""Every sentence that a client shows to a person, one key each.

The catalogue is JSON files in the i18next format (JSON v4, flat keys):
``common.en.json`` for what both clients show, ``terminal.en.json`` for everything that
runs in a terminal, and two for the browser page: ``start.en.json`` for its first
screens, which must load fast, and ``page.en.json`` for the others. A value is a whole
sentence or label; it may hold placeholders (``{{name}}``), and a pair of keys ending in
``_one`` and ``_other`` is chosen by the number ``count``. Beside them lie
``start.json`` and ``constants.json``, which `sliderace.protocol.constants` writes for
the page.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

__all__ = ["CATALOGUES", "catalogue", "text"]

CATALOGUES = ("common", "page", "start", "terminal")
_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")


@cache
def catalogue(name: str) -> Mapping[str, str]:
    """Return one file of the catalogue: key -> text.

    Args:
        name: one of `CATALOGUES`.
    """
    source = files("sliderace.texts") / f"{name}.en.json"
    found: dict[str, str] = json.loads(source.read_text(encoding="utf-8"))
    return found


# Read at import: a server must not read files while its event loop runs.
_TEXTS: Mapping[str, str] = {**catalogue("common"), **catalogue("terminal")}


def text(key: str, /, **values: object) -> str:
    """Return the text of a key, with its placeholders filled in.

    Args:
        key: in ``common.en.json`` or ``terminal.en.json``, without ``_one`` or
            ``_other``.
        values: one for each placeholder. An integer ``count`` also chooses between the
            singular and the plural.

    Raises:
        KeyError: there is no such key, or a placeholder has no value.
    """
    if key not in _TEXTS and "count" in values:
        key += "_one" if values["count"] == 1 else "_other"
    return _PLACEHOLDER.sub(lambda match: str(values[match[1]]), _TEXTS[key])
