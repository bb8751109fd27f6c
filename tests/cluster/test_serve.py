"""A server of a cluster says in one line why it cannot start."""

import subprocess
import sys
from pathlib import Path

from tests.nats_server import Brokers
from tests.postgres import PostgresServer


def refused(folder: Path, *options: str) -> tuple[int, str]:
    """Start a server that ends at once; return its exit code and its error."""
    command = [sys.executable, "-m", "sliderace_server", "--data", str(folder)]
    ended = subprocess.run(
        [*command, "--port", "0", "--log-level", "error", *options],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return ended.returncode, ended.stderr


def test_a_cluster_needs_results(tmp_path: Path) -> None:
    code, said = refused(tmp_path, "--cluster", "nats://a")
    assert code == 2
    assert said == (
        "sliderace server: cluster: needs results, such as postgresql://host/db\n"
    )


def test_wrong_brokers_end_the_server_with_one_line(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    with Brokers(tmp_path / "broker", jetstream=False) as plain:
        options = ["--results", postgres.url(), "--cluster"]
        code, said = refused(tmp_path, *options, *plain.urls)
        assert code == 4
        assert said.startswith("sliderace server: cannot use JetStream of NATS at ")
        assert said.count("\n") == 1
    code, said = refused(tmp_path, *options, *plain.urls)
    assert (code, said.count("\n")) == (4, 1)
    assert said.endswith(": the connection was refused\n")


def test_a_user_who_may_not_use_the_bus_ends_the_server(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    allowed = 'publish: [">"], subscribe: ["_INBOX.>"]'
    user = f"{{user: ann, password: s3cret, permissions: {{ {allowed} }} }}"
    more = f"authorization {{ users: [{user}] }}"
    with Brokers(tmp_path / "broker", more=more) as guarded:
        url = guarded.urls[0].replace("//", "//ann:s3cret@")
        code, said = refused(tmp_path, "--results", postgres.url(), "--cluster", url)
    assert code == 4
    assert "sliderace server: messages between nodes do not arrive; " in said
    assert "s3cret" not in said
