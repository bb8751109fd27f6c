"""The files in server/deploy say what is true."""

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
OF_THE_PARENT = {"ready_fd", "until_eof"}
"""Settings that make no sense in a file."""


def test_the_settings_shown_are_the_defaults() -> None:
    assert load_settings({}, {}, DEPLOY / "sliderace.toml") == ServerSettings()


def test_every_setting_and_every_limit_is_shown() -> None:
    shown = tomllib.loads((DEPLOY / "sliderace.toml").read_text())
    limits = shown.pop("limits")
    assert (
        set(shown)
        == {s.name for s in fields(ServerSettings)} - {"limits"} - OF_THE_PARENT
    )
    ours = {one.name for part in (Limits, RoomLimits) for one in fields(part)}
    assert set(limits) == ours - {"room"}


@pytest.mark.parametrize("name", ["nginx.conf", "nginx-path.conf"])
def test_proxies_are_told_to_say_who_the_client_is(name: str) -> None:
    nginx = (DEPLOY / name).read_text()
    assert nginx.count("proxy_set_header X-Forwarded-For $remote_addr;") == 2
    assert nginx.count("proxy_set_header Host $host;") == 2


def test_the_unit_is_one_that_systemd_understands(tmp_path: Path) -> None:
    tool = shutil.which("systemd-analyze")
    if tool is None:
        not_allowed("no systemd here to ask")
    unit = tmp_path / "sliderace.service"
    text = (DEPLOY / "sliderace.service").read_text()
    unit.write_text(text.replace("/opt/sliderace/bin/python", sys.executable))
    asked = subprocess.run(
        [tool, "verify", str(unit)], capture_output=True, text=True, check=False
    )
    about_us = [line for line in asked.stderr.splitlines() if "sliderace" in line]
    assert not about_us


def test_unit_and_container_run_as_nobody_in_particular() -> None:
    unit = (DEPLOY / "sliderace.service").read_text()
    assert "DynamicUser=yes" in unit
    assert "\nCapabilityBoundingSet=\n" in unit
    steps = (DEPLOY / "Containerfile").read_text().splitlines()
    user = next(n for n, line in enumerate(steps) if line.startswith("USER "))
    begun = next(n for n, line in enumerate(steps) if line.startswith("ENTRYPOINT"))
    assert "root" not in steps[user]
    assert user < begun


def test_the_container_s_settings_are_settings() -> None:
    text = (DEPLOY / "Containerfile").read_text()
    named = dict(re.findall(r"(SLIDERACE_\w+)=(\S+)", text))
    config = load_settings({}, named)
    assert (config.bind, config.data, config.advertise) == ("0.0.0.0", "/data", False)
