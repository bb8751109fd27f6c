"""The files in server/deploy say what is true."""

import tomllib
from dataclasses import fields
from pathlib import Path

from sliderace_server.config import Config, load_config
from sliderace_server.limits import Limits
from sliderace_server.room import RoomLimits

DEPLOY = Path(__file__).parents[2] / "server" / "deploy"
OF_THE_PARENT = {"ready_fd", "until_eof"}
"""Settings that make no sense in a file."""


def test_the_settings_shown_are_the_defaults() -> None:
    assert load_config({}, {}, DEPLOY / "sliderace.toml") == Config()


def test_every_setting_and_every_limit_is_shown() -> None:
    shown = tomllib.loads((DEPLOY / "sliderace.toml").read_text())
    limits = shown.pop("limits")
    assert set(shown) == {s.name for s in fields(Config)} - {"limits"} - OF_THE_PARENT
    ours = {one.name for part in (Limits, RoomLimits) for one in fields(part)}
    assert set(limits) == ours - {"room"}


def test_proxies_are_told_to_say_who_the_client_is() -> None:
    nginx = (DEPLOY / "nginx.conf").read_text()
    assert nginx.count("proxy_set_header X-Forwarded-For $remote_addr;") == 2
    assert nginx.count("proxy_set_header Host $host;") == 2
