"""The example files in server/deploy are complete and correct."""

import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest
from tests.conftest import not_allowed
from tests.nats_server import nats_server

from sliderace_server.limits import Limits
from sliderace_server.room import RoomLimits
from sliderace_server.settings import ServerSettings, load_settings

DEPLOY = Path(__file__).parents[2] / "server" / "deploy"
FOR_PARENT_PROCESS = {"ready_fd", "until_eof"}
"""Settings that are not useful in a file."""


def test_the_example_settings_are_the_defaults() -> None:
    assert load_settings({}, {}, DEPLOY / "sliderace.toml") == ServerSettings()


def test_the_example_has_every_setting_and_limit() -> None:
    shown = tomllib.loads((DEPLOY / "sliderace.toml").read_text())
    limits = shown.pop("limits")
    assert (
        set(shown)
        == {s.name for s in fields(ServerSettings)} - {"limits"} - FOR_PARENT_PROCESS
    )
    ours = {one.name for part in (Limits, RoomLimits) for one in fields(part)}
    assert set(limits) == ours - {"room"}


@pytest.mark.parametrize("name", ["nginx.conf", "nginx-path.conf"])
def test_the_nginx_examples_forward_the_client_address(name: str) -> None:
    nginx = (DEPLOY / name).read_text()
    assert nginx.count("proxy_set_header X-Forwarded-For $remote_addr;") == 2
    assert nginx.count("proxy_set_header Host $host;") == 2


def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    tool = shutil.which("systemd-analyze")
    if tool is None:
        not_allowed("systemd-analyze is not installed")
    unit = tmp_path / "sliderace.service"
    text = (DEPLOY / "sliderace.service").read_text()
    unit.write_text(text.replace("/opt/sliderace/bin/python", sys.executable))
    verified = subprocess.run(
        [tool, "verify", str(unit)], capture_output=True, text=True, check=False
    )
    warnings = [line for line in verified.stderr.splitlines() if "sliderace" in line]
    assert not warnings


def test_unit_and_container_run_without_privileges() -> None:
    unit = (DEPLOY / "sliderace.service").read_text()
    assert "DynamicUser=yes" in unit
    assert "\nCapabilityBoundingSet=\n" in unit
    steps = (DEPLOY / "Containerfile").read_text().splitlines()
    user = next(n for n, line in enumerate(steps) if line.startswith("USER "))
    entrypoint = next(
        n for n, line in enumerate(steps) if line.startswith("ENTRYPOINT")
    )
    assert "root" not in steps[user]
    assert user < entrypoint


def test_the_variables_of_the_container_are_settings() -> None:
    text = (DEPLOY / "Containerfile").read_text()
    variables = dict(re.findall(r"(SLIDERACE_\w+)=(\S+)", text))
    settings = load_settings({}, variables)
    assert (settings.bind, settings.data, settings.advertise) == (
        "0.0.0.0",
        "/data",
        False,
    )


# --- three machines -------------------------------------------------------------------

CLUSTER = DEPLOY / "cluster"


def test_a_broker_accepts_its_configuration() -> None:
    checked = subprocess.run(
        [nats_server(), "-t", "-c", str(CLUSTER / "nats-server.conf")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stderr


def test_the_settings_of_a_node_are_complete() -> None:
    lines = (CLUSTER / "sliderace.env").read_text().splitlines()
    given = [line.split("=", 1) for line in lines if "=" in line and line[0] != "#"]
    settings = load_settings({}, dict(given), CLUSTER / "sliderace.toml")
    assert len(settings.brokers()) == 3
    assert settings.node_name == "a"
    assert settings.results
    text = (CLUSTER / "compose.yaml").read_text()
    names = {one.name.upper() for one in fields(ServerSettings)}
    assert set(re.findall(r"SLIDERACE_(\w+)", text)) <= names


def test_the_image_can_join_a_cluster() -> None:
    assert "'/src[cluster,fast]'" in (DEPLOY / "Containerfile").read_text()


def test_nginx_accepts_the_configuration_of_three_nodes(
    nginx: str, tmp_path: Path
) -> None:
    text = (CLUSTER / "nginx.conf").read_text()
    assert text.count("proxy_set_header X-Forwarded-For $remote_addr;") == 2
    text = re.sub(r"\w\.internal", "127.0.0.1", text)
    text = re.sub(r"ssl_certificate.*", "", text).replace(" ssl;", ";")
    config = tmp_path / "nginx.conf"
    config.write_text(f"pid {tmp_path}/pid; events {{}} http {{ {text} }}")
    checked = subprocess.run(
        [nginx, "-t", "-e", "stderr", "-p", str(tmp_path), "-c", str(config)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stderr
