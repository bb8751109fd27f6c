"""Simulated runs, each from a seed: the same seed gives the same run, step by step."""

from collections import deque
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import count
from multiprocessing import get_context

import detangle
from tests.simulation.cluster import ClusterRun
from tests.simulation.run import (
    STEPS,
    BrokenPromise,
    Figures,
    Run,
    numbered_tasks,
    silence_logs,
)

__all__ = ["run_or_report", "runs", "simulate"]


async def _run(nodes: int) -> Figures:
    numbered_tasks()
    return await (ClusterRun(nodes) if nodes > 1 else Run()).run()


def simulate(seed: int, nodes: int = 1) -> Figures:
    """Simulate one run.

    Args:
        seed: the same seed gives the same run.
        nodes: how many nodes the server has.

    Raises:
        BrokenPromise: a promise was broken, or something in this run raised.
    """
    tcp_timeout = (0.05, 0.05, 2.0, 20.0)[seed % 4]
    config = detangle.SimConfig(
        max_steps=STEPS,
        net=detangle.NetConfig(
            latency=(0.003, 0.12), fragment=0.1, tcp_timeout=tcp_timeout
        ),
    )
    strategy = detangle.RandomWalk(seed)
    strategy.start(0)
    result = detangle.execute(_run, (nodes,), config=config, strategy=strategy)
    if result.failure is not None:
        raise BrokenPromise(f"seed {seed}: {result.failure.message}") from (
            result.failure.exception
        )
    assert isinstance(result.value, Figures)
    return result.value


def run_or_report(seed: int, nodes: int = 1) -> tuple[Figures, str]:
    """Return the figures of a run and "", or what was broken and how to replay it."""
    try:
        return simulate(seed, nodes), ""
    except BrokenPromise as broken:
        again = f"python -m tests.simulation --nodes {nodes} --replay {seed}"
        return Figures(), f"{broken}\nreplay: {again}"


def runs(seed: int, nodes: int, jobs: int) -> Iterator[tuple[Figures, str]]:
    """Yield one run after the other, by ascending seed, without end."""
    if jobs == 1:
        silence_logs()
        yield from (run_or_report(later, nodes) for later in count(seed))
    context = get_context("spawn")
    with ProcessPoolExecutor(jobs, context, initializer=silence_logs) as pool:
        seeds = count(seed)
        ahead = deque(
            pool.submit(run_or_report, next(seeds), nodes) for _ in range(jobs + 1)
        )
        try:
            while True:
                yield ahead.popleft().result()
                ahead.append(pool.submit(run_or_report, next(seeds), nodes))
        finally:
            pool.shutdown(cancel_futures=True)
