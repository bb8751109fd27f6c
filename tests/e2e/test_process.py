"""The server process: its event loop and garbage collector."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.chaos.server_process import ServerProcess

FAST = "uvloop" if find_spec("uvloop") else "asyncio"


@pytest.mark.parametrize(
    ("options", "loop"),
    [((), FAST), (("--bind", "0.0.0.0", "--advertise"), "asyncio")],
    ids=["alone", "announced by mDNS"],
)
def test_the_process_uses_uvloop_and_tunes_the_collector(
    tmp_path: Path, options: tuple[str, ...], loop: str
) -> None:
    with ServerProcess(tmp_path, "--memory", *options) as server:
        server.signal()
        assert server.end() == 0  # the log is complete then
        logged = re.search(r" loop=(\w+) frozen=(\d+)", server.log.read_text())
    assert logged is not None
    assert logged[1] == loop
    assert int(logged[2]) > 10_000
