"""What the server's own process is set up for: which loop, and what is collected."""

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
def test_the_process_is_set_up_for_speed(
    tmp_path: Path, options: tuple[str, ...], loop: str
) -> None:
    with ServerProcess(tmp_path, "--memory", *options) as server:
        server.signal()
        assert server.end() == 0  # then all of the log is written
        said = re.search(r" loop=(\w+) frozen=(\d+)", server.log.read_text())
    assert said is not None
    assert said[1] == loop
    assert int(said[2]) > 10_000
