"""The messages between the nodes of a cluster."""

from sliderace.protocol.messages import RoomRow
from sliderace_server.cluster.wire import (
    MAX_PROFILES,
    MAX_ROWS,
    Heartbeat,
    bounded,
    decode_heartbeat,
    encode,
)
from sliderace_server.registry.processes import Report

BROKER_BYTES = 1_000_000
"""By default, brokers take 1 MiB."""


def test_the_heartbeat_of_the_busiest_node_fits_into_a_message() -> None:
    """Or brokers would discard it, and the node would seem to be lost."""
    profiles = [f"{number:08}" for number in range(3 * MAX_PROFILES)]
    row = RoomRow(
        "KWXTRB", "10x10", "quick", 300, 30, "countdown", 1 << 40, 1 << 40, locked=True
    )
    listing: dict[str, str | int | bool] = {
        "code": "KWXTRB",
        "kind": "quick",
        "phase": "countdown",
        "players": 300,
        "bots": 300,
        "spectators": 9_999,
        "size": "10x10",
        "public": False,
        "locked": False,
        "seed_known": False,
    }
    report = Report(
        rows=[row] * 2 * MAX_ROWS,
        listings=[listing] * 2 * MAX_ROWS,
        raced_on=[("10x10", 1 << 40)] * 30,
        alone=dict.fromkeys(profiles, "KWXTRB"),
        busy=dict.fromkeys(profiles, 1 << 41),
        samples={f"a_name_of_ordinary_length_{n}": n / 7 for n in range(1_000)},
    )
    data = encode(
        Heartbeat(
            "n" * 60, 0.5, draining=False, wall_ms=1 << 41, report=bounded(report)
        )
    )
    assert len(data) < BROKER_BYTES
    heard = decode_heartbeat(data).report
    assert heard is not None
    assert len(heard.rows) == len(heard.listings) == MAX_ROWS
    assert [*heard.alone] == [*heard.busy] == profiles[:MAX_PROFILES]
