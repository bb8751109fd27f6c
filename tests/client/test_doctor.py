"""`sliderace doctor` says in one line each what is right and what is wrong."""

import json
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from tests.chaos.server_process import ServerProcess

from sliderace.race.daily import LAST_DAY
from sliderace_client.cli.commands import run
from sliderace_client.doctor import (
    Finding,
    daily_finding,
    encryption_finding,
    reply_findings,
    set_up_findings,
)
from sliderace_client.net.http import Reply
from sliderace_server.cluster.node import MAX_SKEW_MS

FINE: dict[str, Any] = {
    "proxy_faults": {},
    "changed_limits": [],
    "clock_steps": 0,
    "disk_free_mb": 9_000,
}
BROKERS: dict[str, Any] = {"versions": {"a:4222": "2.9.10"}, "streams": 5, "faults": {}}


def test_a_good_set_up_has_nothing_wrong() -> None:
    findings = list(set_up_findings(FINE))
    assert len(findings) == 4
    assert all(one.ok for one in findings)


@pytest.mark.parametrize(
    ("change", "advice"),
    [
        ({"proxy_faults": {"missing": "127.0.0.1"}}, "public URL but trusts no proxy"),
        ({"proxy_faults": {"untrusted": "10.0.0.9"}}, "--trusted-proxies 10.0.0.9"),
        ({"proxy_faults": {"no_address": "127.0.0.1"}}, "X-Forwarded-For"),
        ({"disk_free_mb": 99}, "Only 99 MB"),
        ({"clock_steps": 2}, "was set 2 times"),
        ({"skew_ms": MAX_SKEW_MS + 1}, "differs from this one by 251 ms"),
        ({"other_settings": ["keep", "version"]}, "other values of: keep, version."),
        ({"brokers": {**BROKERS, "versions": {"a:1": None}}}, "a:1 does not answer"),
        ({"brokers": {**BROKERS, "faults": {"S": "missing"}}}, "S does not exist"),
        ({"brokers": {**BROKERS, "faults": {"S": "leader"}}}, "S has no leader"),
        ({"brokers": {**BROKERS, "faults": {"S": "full"}}}, "edit S --max-bytes"),
        ({"brokers": {**BROKERS, "faults": {"S": "copy"}}}, "edit S --replicas=3"),
    ],
)
def test_each_fault_has_one_line_with_advice(
    change: dict[str, object], advice: str
) -> None:
    [fault] = [one for one in set_up_findings({**FINE, **change}) if not one.ok]
    assert advice in fault.line


def test_a_healthy_cluster_passes_all_checks() -> None:
    cluster: dict[str, Any] = {
        "brokers": BROKERS,
        "other_settings": [],
        "skew_ms": MAX_SKEW_MS,  # with which a node starts
    }
    findings = list(set_up_findings({**FINE, **cluster}))
    assert len(findings) == 8
    assert all(one.ok for one in findings)


def test_changed_limits_are_named_but_not_wrong() -> None:
    findings = list(set_up_findings({**FINE, "changed_limits": ["pages_per_s"]}))
    assert all(one.ok for one in findings)
    assert any("pages_per_s" in one.line for one in findings)


@pytest.mark.parametrize(
    ("base", "days", "ok", "words"),
    [
        ("https://race.example.org", 14, True, "valid for 14 more days"),
        ("https://192.168.1.7", 13, False, "only 13 more days. Renew it."),
        ("https://race.example.org", -1, False, "only -1 more days"),
        ("http://race.example.org", None, False, "Use a TLS proxy or --tls-cert"),
        ("http://8.8.8.8:8710", None, False, "Use a TLS proxy or --tls-cert"),
        ("http://192.168.1.7:8710", None, True, "local network"),
        ("http://[fe80::1]:8710", None, True, "local network"),
        ("http://127.0.0.1:8710", None, True, "local network"),
        ("http://localhost:8710", None, True, "local network"),
        ("http://kitchen:8710", None, True, "local network"),
        ("http://kitchen.local", None, True, "local network"),
    ],
)
def test_players_need_tls_unless_they_are_near(
    base: str, days: int | None, ok: bool, words: str
) -> None:
    found = encryption_finding(base, days)
    assert (found.ok, words in found.line) == (ok, True), found


@pytest.mark.parametrize(("left", "ok"), [(365, True), (364, False), (-1, False)])
def test_boards_of_the_daily_race_must_last_for_a_year(left: int, ok: bool) -> None:
    found = daily_finding(LAST_DAY - left)
    assert (found.ok, "2036-01-08" in found.line) == (ok, True)


def answered(status: int, body: object) -> list[Finding]:
    reply = Reply(status, json.dumps(body).encode())
    return list(reply_findings("https://race.example.org", reply))


def test_an_unknown_host_a_foreign_server_and_problems_are_wrong() -> None:
    [unknown] = answered(421, "")
    assert (unknown.ok, "--hosts" in unknown.line) == (False, True)
    [foreign] = answered(404, [])
    assert (foreign.ok, "status 404" in foreign.line) == (False, True)
    names = ["storage_lost", "log_failing", "results_failing", "rooms_unreadable"]
    there, *problems = answered(200, {"status": "degraded", "problems": names})
    assert there.ok
    assert len({one.line for one in problems if not one.ok}) == len(names)


def test_the_doctor_examines_our_own_server(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The exit code is 1 as soon as something is wrong."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert run(["doctor"]) == 1
    assert "sliderace serve" in capsys.readouterr().out
    with ServerProcess(tmp_path / "sliderace", "--log-level", "error") as server:
        code, lines = run(["doctor"]), capsys.readouterr().out.splitlines()
        wrong = [line for line in lines if not line.startswith("ok ")]
        assert len(lines) >= 6
        assert [line for line in wrong if "free on the disk" not in line] == []
        assert code == (1 if wrong else 0)
        connection = HTTPConnection("127.0.0.1", server.port)
        connection.request("GET", "/healthz", headers={"X-Forwarded-For": "192.0.2.7"})
        assert "operator" not in json.load(connection.getresponse())
        assert run(["doctor", server.url]) == 1
        assert "--trusted-proxies 127.0.0.1" in capsys.readouterr().out
        with ServerProcess(tmp_path / "other", "--log-level", "error") as other:
            assert run(["doctor", other.url]) == 0
            assert "--trusted-proxies" not in capsys.readouterr().out
    assert run(["doctor"]) == 1
    assert run(["doctor", "127.0.0.1:9"]) == 1
