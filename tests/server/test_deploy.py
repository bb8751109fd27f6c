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
