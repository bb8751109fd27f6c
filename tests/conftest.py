"""Configuration of all tests: strictness, tiers, and required programs.

`SLIDERACE_TIER` chooses how much the tests do, see `tests/tiers.py`. In the tiers `ci`
and `full` a skip is a failure, because everything that a test needs is installed there.
Only tests that need what a machine may forbid (network namespaces, mounting) may be
skipped there; see `not_allowed`.
"""

import asyncio.constants
import os
import shutil
import signal
from collections.abc import Generator, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn
from zlib import crc32

import pytest
from blockbuster import blockbuster_ctx
from coverage import Coverage
from hypothesis import settings
from tests.nats_server import Brokers, brokers
from tests.postgres import PostgresServer, postgres_server
from tests.tiers import TIER
from xdist.remote import Producer  # type: ignore[import-untyped]  # pyright: ignore[reportMissingTypeStubs]
from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]  # pyright: ignore[reportMissingTypeStubs]

TESTS = Path(__file__).parent
NOT_ALLOWED = "not allowed here: "

# The verdict must not depend on luck, so the examples are the same each time. There
# are no deadlines: a slow machine is no bug.
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
settings.register_profile(  # for a night: other examples each time
    "large",
    max_examples=20_000,
    stateful_step_count=100,
    deadline=None,
    print_blob=True,
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", TIER.hypothesis))

FAST = (
    "engine",
    "solve",
    "race",
    "proof",
    "protocol",
    "properties",
    "server",
    "client",
)
"""Folders of the fast tier."""
NOT_FAST = ("test_server_cli", "test_storage", "test_tui")
"""Their modules that start processes, write files or draw screens."""
HEAVY = (
    "test_fairness",
    "test_figures",
    "test_oracle",
    "test_signed_record",
    "test_uniformity",
)
"""Their modules that run the same lines millions of times, at a third of the speed if
coverage is measured; the others cover those lines."""

# asyncio's debug mode makes all its checks, but does not record where each callback was
# scheduled: that takes a fifth of the CPU of a test with sockets.
asyncio.constants.DEBUG_STACK_DEPTH = 0  # type: ignore[misc]

# In the background of a shell, Ctrl-C is ignored, also by the programs that the tests
# start and interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)


SPARE_WORKERS = 2
"""More workers than cores, since the tests that run first mostly wait."""
MAX_WORKERS = 8


CHROMIUM = (
    "chromium-headless-shell",  # draws no window: two thirds of the CPU
    "chromium",
    "chromium-browser",
    "google-chrome",
)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Return the number of workers, unless a variable sets it.

    Single modules run without workers, which would take longer to start.
    """
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    if all(".py" in arg for arg in config.args):
        return 0
    return min((os.cpu_count() or 1) + SPARE_WORKERS, MAX_WORKERS)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark a test by its place."""
    place = item.path
    folder = place.relative_to(TESTS).parts[0] if TESTS in place.parents else ""
    fast = folder == "" or (folder in FAST and not place.name.startswith(NOT_FAST))
    if fast:
        item.add_marker(pytest.mark.fast)
    if not fast or place.stem in HEAVY:  # other fast tests cover the pure layers alone
        item.add_marker(pytest.mark.no_cover)


_HOMES = TemporaryDirectory(prefix="homes-")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Give each test an empty home: what a client keeps must not reach another test."""
    home = Path(_HOMES.name, str(crc32(item.nodeid.encode())))
    for kind in ("CONFIG", "DATA", "STATE"):
        os.environ[f"XDG_{kind}_HOME"] = str(home / kind.lower())


LONGEST = (
    "browser/test_race_now",
    "chaos/test_cluster",
    "browser/test_access",
    "browser/test_finish",
    "browser/test_evening",
    "browser/test_together",
    "chaos",
    "browser",
    "e2e/test_race_now",
    "client/test_tui_keys",
    "e2e/test_cli",
)
"""Beginnings of the paths of tests that begin first, so that none ends alone."""
TIMED = ("test_floods", "test_stall", "test_half_open", "test_stopped_server")
"""Modules of `chaos` that measure time: no two at once."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest tests first."""
    items.sort(key=_rank)


def _rank(item: pytest.Item) -> int:
    """Return 0 for the tests that take longest, more for the others."""
    place = item.nodeid.removeprefix("tests/")
    ranks = (rank for rank, one in enumerate(LONGEST) if place.startswith(one))
    return next(ranks, len(LONGEST))


class ByPlace(LoadScopeScheduling):  # type: ignore[misc]
    """Gives tests that share a browser or must not run at once to the same worker.

    The markers of xdist's own `loadgroup` have no effect from pytest 9.2 on.
    """

    def _split_scope(self, nodeid: str) -> str:
        file = Path(nodeid.partition("::")[0])
        match file.parts[:2]:
            case ("tests", "chaos") if file.stem in TIMED:
                return "timed"
            case ("tests", "browser" | "chaos"):
                return str(file)
            case _:
                return nodeid


def pytest_xdist_make_scheduler(
    config: pytest.Config, log: Producer
) -> LoadScopeScheduling:
    """Return how tests are given to workers."""
    return ByPlace(config, log)


def not_allowed(what: str) -> NoReturn:
    """Skip a test, even in CI, because this machine forbids something that it needs."""
    pytest.skip(NOT_ALLOWED + what)


@pytest.hookimpl(trylast=True)
def pytest_sessionstart() -> None:
    """Measure coverage only once in a worker, and not at all during `no_cover`.

    With `--dist` in the configuration, pytest-cov 7 starts in a worker what the
    controller needs, and then what the worker needs. It stops only the latter for a
    test marked `no_cover`, which then runs at a third of its speed for nothing.
    """
    if latest := Coverage.current():
        latest.stop()
        if earlier := Coverage.current():
            earlier.stop()
        latest.start()


@pytest.fixture(scope="session", autouse=True)
def no_blocking_calls() -> Iterator[None]:
    """Fail a test in which our code blocks the event loop."""
    ours = ["sliderace", "sliderace_server", "sliderace_client"]
    with blockbuster_ctx(ours) as blocking:
        if Coverage.current():  # it takes a lock of its own when it first sees a module
            blocking.functions["threading.Lock.acquire"].deactivate()
        yield


@pytest.fixture(scope="session")
def node() -> str:
    """The path of node; skips without it."""
    return _program("node", "nodejs")


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of Chromium; skips without it."""
    return _program(*CHROMIUM)


@pytest.fixture(scope="session")
def nginx() -> str:
    """The path of nginx; skips without it."""
    return _program("nginx", "/usr/sbin/nginx")  # often not in a user's path


@pytest.fixture(scope="session")
def caddy() -> str:
    """The path of Caddy; skips without it."""
    return _program("caddy")


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A running PostgreSQL server; skips if PostgreSQL is not installed."""
    with postgres_server() as server:
        yield server


@pytest.fixture(scope="session")
def broker() -> Iterator[Brokers]:
    """A broker that tests share, each with its own prefix; skips if it is missing."""
    with brokers() as one:
        yield one


def _program(*names: str) -> str:
    """Return the path of the first of these programs that is installed, or skip."""
    for name in names:
        if path := shutil.which(name):
            return path
    pytest.skip(f"needs {names[0]}, which is not installed")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[
    None, pytest.TestReport, pytest.TestReport
]:
    """Turn a skipped test into a failure where everything is installed."""
    report = yield
    if not hasattr(report, "wasxfail"):
        _forbid_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[
    None, pytest.CollectReport, pytest.CollectReport
]:
    """Turn a skipped module into a failure where everything is installed."""
    report = yield
    _forbid_skip(report)
    return report


def _forbid_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Turn a skip into a failure where everything is installed."""
    if not TIER.skips and report.skipped and NOT_ALLOWED not in report.longreprtext:
        report.longrepr = f"skipped in a tier that forbids it: {report.longreprtext}"
        report.outcome = "failed"
