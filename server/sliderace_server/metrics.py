"""The server's metrics, in the Prometheus format.

Counting adds to an integer, so hot paths may count; the text is formatted on request.
Labels never contain a room code, a name or a board.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector

__all__ = ["Histogram", "Metrics"]

COUNTERS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "connections": ("WebSocket connections accepted", ()),
    "requests": ("Plain HTTP requests answered", ("status",)),
    "commands": ("Commands received", ("type",)),
    "refusals": ("Commands refused", ("code",)),
    "closes": ("Connections closed by the server", ("code",)),
    "slides": ("Slides applied", ()),
    "encoded": ("Events encoded", ("type",)),
    "writes": ("Writes to connections", ()),
    "aborted": ("Connections aborted because the peer did not read or answer", ()),
    "throttled": ("Times that reading from a peer was delayed", ()),
    "commits": ("Appends to room logs", ()),
    "records": ("Records appended to room logs", ()),
    "commit_failures": ("Appends that failed and are retried", ()),
    "steps_down": ("Rooms given up because another process writes to their log", ()),
    "stalls": ("Times that the process stood still for a quarter of a second", ()),
    "postponed": ("Starts postponed because the lock was not durable in time", ()),
    "races": ("Races that ended with results", ()),
    "forwarded": ("Connections that another node of the cluster serves", ()),
    "takeovers": ("Rooms taken over from other nodes", ()),
    "nodes_lost": ("Times that another node of the cluster was lost", ()),
    "bus_losses": ("Times that messages from another node were lost", ()),
}
"""Counter -> help text and labels."""

SECONDS = (0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
"""Bounds of the histograms: from a fast disk to a very bad connection."""


class Histogram:
    """Counts durations by upper bounds."""

    def __init__(self, bounds: tuple[float, ...] = SECONDS) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def add(self, seconds: float) -> None:
        """Count one duration."""
        self.counts[bisect_left(self.bounds, seconds)] += 1
        self.total += seconds

    def buckets(self, counts: Sequence[float]) -> list[tuple[str, float]]:
        """Return each upper bound with the number of durations up to it.

        Args:
            counts: those of all processes, like `counts`.
        """
        names = [*map(str, self.bounds), "+Inf"]
        running = 0.0
        result: list[tuple[str, float]] = []
        for name, count in zip(names, counts, strict=True):
            running += count
            result.append((name, running))
        return result


class Metrics:
    """All metrics of one server; there is no global state.

    Attributes:
        others: returns the samples of the server's other processes.
    """

    def __init__(self) -> None:
        self.counts: dict[str, Counter[str]] = {name: Counter() for name in COUNTERS}
        self.commit_seconds = Histogram()
        self.rtt_seconds = Histogram()
        self.hop_seconds = Histogram()
        self.histograms = {
            "commit_seconds": ("Time to commit an append", self.commit_seconds),
            "rtt_seconds": ("Round trips of the server's pings", self.rtt_seconds),
            "hop_seconds": ("Calls to other nodes of the cluster", self.hop_seconds),
        }
        self.others: Callable[[], Sequence[Mapping[str, float]]] = list
        self.gauges: dict[str, tuple[str, Callable[[], float]]] = {}
        self._registry = CollectorRegistry(auto_describe=False)
        self._registry.register(_Source(self))

    def count(self, name: str, label: str = "", by: int = 1) -> None:
        """Add to a counter of `COUNTERS`.

        Raises:
            KeyError: there is no such counter.
        """
        self.counts[name][label] += by

    def committed(self, seconds: float, rooms: int, records: int) -> None:
        """Count a durable commit.

        Args:
            seconds: its duration.
            rooms: the number of rooms that appended.
            records: the number of their records.
        """
        self.commit_seconds.add(seconds)
        self.counts["commits"][""] += rooms
        self.counts["records"][""] += records

    def gauge(self, name: str, text: str, read: Callable[[], float]) -> None:
        """Add a gauge whose value is read on each request."""
        self.gauges[name] = (text, read)

    def samples(self) -> dict[str, float]:
        """Return all numbers of this process; those of all processes are added."""
        found: dict[str, float] = {
            f"{name} {label}": value
            for name, counted in self.counts.items()
            for label, value in counted.items()
        }
        found |= {f"{name} ": read() for name, (_, read) in self.gauges.items()}
        for name, (_, histogram) in self.histograms.items():
            found |= {f"{name} {n}": value for n, value in enumerate(histogram.counts)}
            found[f"{name} total"] = histogram.total
        return found

    def render(self) -> tuple[str, bytes]:
        """Return the content type and body of `/metrics`."""
        return CONTENT_TYPE_LATEST, generate_latest(self._registry)


class _Source(Collector):
    """Converts the metrics of all processes for prometheus-client."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def collect(self) -> Iterable[Metric]:
        metrics = self._metrics
        parts = [metrics.samples(), *metrics.others()]
        total = defaultdict[str, float](float)
        for name, value in (pair for part in parts for pair in part.items()):
            total[name] += value
        for name, (text, labels) in COUNTERS.items():
            family = CounterMetricFamily(f"sliderace_{name}", text, labels=labels)
            counted = [one for one in total if one.startswith(f"{name} ")]
            for sample in counted if labels else [f"{name} "]:
                label = sample.partition(" ")[2]
                family.add_metric([label] if labels else [], total[sample])
            yield family
        for name, (text, _) in metrics.gauges.items():
            yield GaugeMetricFamily(f"sliderace_{name}", text, value=total[f"{name} "])
        for name, (text, own) in metrics.histograms.items():
            sums = [total[f"{name} {n}"] for n in range(len(own.counts))]
            yield HistogramMetricFamily(
                f"sliderace_{name}", text, own.buckets(sums), total[f"{name} total"]
            )
