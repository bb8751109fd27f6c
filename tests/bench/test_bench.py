"""Whether the bench works; what it measures is looked at by people."""

import pytest
from tests.bench.scenarios import SCENARIOS, machine
from tests.bench.servers import KINDS


@pytest.mark.timeout(120)
@pytest.mark.parametrize("kind", KINDS)
def test_a_race_goes_through_every_server(kind: str) -> None:
    line = SCENARIOS["smoke"](kind, 2)
    assert line["moves_s"] > 0
    assert line["frames_s"] > line["moves_s"]
    assert line["all_acked"]
    assert line["rejects"] == 0
    assert line["moves_per_cpu_s"] > 0
    assert line["ack_p50_ms"] <= line["ack_p99_ms"] <= line["ack_p999_ms"]
    assert line["longest_block_ms"] > 0


def test_it_is_said_where_it_was_measured() -> None:
    assert machine()["python"]
