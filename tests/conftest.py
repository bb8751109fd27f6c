"""What all tests share: strictness, sizes of the random tests, and honest skips.

`SLIDERACE_CI=1` (set by `.ci/run`) turns a skip into a failure, since there everything
a test needs is installed. Only what a machine may forbid to anybody (network
namespaces, mounting) may be skipped there too: see `not_allowed`.
"""

import os
import shutil
import signal
from collections.abc import Generator, Iterator
from typing import NoReturn

import pytest
from blockbuster import blockbuster_ctx
from hypothesis import settings

IN_CI = os.environ.get("SLIDERACE_CI") == "1"
NOT_ALLOWED = "not allowed here: "

# Our own `pytest` gives the same verdict each time; CI looks further, and prints how to
# repeat what it finds. No deadlines: a slow machine is no bug.
settings.register_profile(
    "default", max_examples=50, stateful_step_count=40, deadline=None, derandomize=True
)
settings.register_profile(
    "ci",
    max_examples=1000,
    stateful_step_count=60,
    deadline=None,
    derandomize=True,
    print_blob=True,
)
settings.register_profile(
    "large",
    max_examples=20_000,
    stateful_step_count=100,
    deadline=None,
    print_blob=True,
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

# Where this runs in the background of a shell, Ctrl-C is ignored, and so it would be by
# all programs that the tests start and end with it.
signal.signal(signal.SIGINT, signal.default_int_handler)


def not_allowed(what: str) -> NoReturn:
    """Skip a test, in CI too, because this machine forbids what it needs."""
    pytest.skip(NOT_ALLOWED + what)


@pytest.fixture(scope="session", autouse=True)
def no_blocking_calls() -> Iterator[None]:
    """Fail a test in which our code blocks the event loop, on a disk or a lock."""
    with blockbuster_ctx(["sliderace", "sliderace_server", "sliderace_client"]):
        yield


@pytest.fixture(scope="session")
def node() -> str:
    """The path of node, else a skip."""
    return _program("node", "nodejs")


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium, else a skip."""
    return _program("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def nginx() -> str:
    """The path of nginx, else a skip."""
    return _program("nginx", "/usr/sbin/nginx")  # often not in a user's path


@pytest.fixture(scope="session")
def caddy() -> str:
    """The path of Caddy, else a skip."""
    return _program("caddy")


def _program(*names: str) -> str:
    """Find the first program there is; skip without one."""
    for name in names:
        if path := shutil.which(name):
            return path
    pytest.skip(f"needs {names[0]}, which is not installed")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[
    None, pytest.TestReport, pytest.TestReport
]:
    """Let no test be skipped silently in CI."""
    report = yield
    if not hasattr(report, "wasxfail"):
        _judge(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[
    None, pytest.CollectReport, pytest.CollectReport
]:
    """Let no module be skipped silently in CI."""
    report = yield
    _judge(report)
    return report


def _judge(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Turn a skip into a failure where everything ought to be installed."""
    if IN_CI and report.skipped and NOT_ALLOWED not in report.longreprtext:
        report.longrepr = f"skipped where nothing may be: {report.longreprtext}"
        report.outcome = "failed"
