"""The benchmarks run; their figures are for people to judge."""

import socket

import pytest
from tests.bench.__main__ import found_peers
from tests.bench.driver import Driver, Member
from tests.bench.recovery import figures_after
from tests.bench.scenarios import SCENARIOS, machine
from tests.bench.servers import KINDS


@pytest.mark.timeout(120)
@pytest.mark.parametrize("kind", KINDS)
def test_bench_runs_a_race_on_every_server(kind: str) -> None:
    line = SCENARIOS["smoke"](kind, 2)
    assert line["moves_s"] > 0
    assert line["frames_s"] > 0
    assert line["all_acked"]
    assert line["rejects"] == 0
    assert line["moves_per_cpu_s"] > 0
    assert line["ack_p50_ms"] <= line["ack_p99_ms"] <= line["ack_p999_ms"]
    assert line["longest_block_ms"] > 0


def test_a_room_that_raced_often_recovers_from_as_many_records() -> None:
    assert figures_after(12)["records"] == figures_after(2)["records"]


def test_without_npm_the_peers_are_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    assert found_peers() == ()
    assert "node and npm are not installed" in capsys.readouterr().err


def test_figures_name_their_machine() -> None:
    assert machine()["python"]


def test_a_step_split_across_reads_is_counted_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        racer, watcher, probe = (Member(port) for _ in range(3))
        ends = [listener.accept()[0] for _ in range(3)]
        racer.player, racer.sent = True, {1: 0.0, 2: 0.0, 3: 0.0}
        watcher.watches = {0: racer}
        driver = Driver([racer, watcher], probe, rate=1e-9)
        for piece in (
            b'\x81\x1f{"t":"progress","p":[[0,1,500]]}',
            b'\x81\x1f{"t":"progress","p":[[0,2,5',
            b"10]]}",
            b'\x81\x1f{"t":"progress","p":[[0,3,520]]}',
        ):
            ends[1].sendall(piece)
            driver.settle()
        assert len(driver.figures.seen) == 3
        driver.close()
        for end in ends:
            end.close()
