"""Write every file that is generated from the message types and constants.

python docs/generate.py
"""

from pathlib import Path

from sliderace.protocol.constants import constants_file, start_file
from sliderace.protocol.describe import protocol_page
from sliderace.protocol.page_readers import readers_file
from sliderace.protocol.page_types import types_file

ROOT = Path(__file__).parents[1]
FILES = {
    "docs/protocol.md": protocol_page,
    "client/sliderace_page/core/messages.js": readers_file,
    "client/sliderace_page/core/messages.d.ts": types_file,
    "shared/sliderace/texts/constants.json": constants_file,
    "shared/sliderace/texts/start.json": start_file,
}

if __name__ == "__main__":
    for name, write in FILES.items():
        (ROOT / name).write_text(write(), encoding="utf-8")
