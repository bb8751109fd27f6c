"""Metrics: counting, and the Prometheus format."""

import pytest

from sliderace_server.metrics import COUNTERS, Histogram, Metrics


def test_counted_values_are_rendered() -> None:
    metrics = Metrics()
    metrics.count("slides", by=3)
    metrics.count("slides")
    metrics.count("commands", "ping")
    metrics.gauge("rooms", "Live rooms", lambda: 7)
    metrics.commit_seconds.add(0.003)
    kind, body = metrics.render()
    text = body.decode()
    assert kind.startswith("text/plain")
    assert "sliderace_slides_total 4.0" in text
    assert 'sliderace_commands_total{type="ping"} 1.0' in text
    assert "sliderace_rooms 7.0" in text
    assert 'sliderace_commit_seconds_bucket{le="0.005"} 1.0' in text
    assert 'sliderace_commit_seconds_bucket{le="0.002"} 0.0' in text
    assert "sliderace_commit_seconds_count 1.0" in text


def test_counters_without_labels_are_rendered_from_the_start() -> None:
    text = Metrics().render()[1].decode()
    for name, (_, labels) in COUNTERS.items():
        assert (f"sliderace_{name}_total 0.0" in text) is not bool(labels)


def test_servers_do_not_share_metrics() -> None:
    first, second = Metrics(), Metrics()
    first.count("slides")
    assert "sliderace_slides_total 0.0" in second.render()[1].decode()


def test_an_unknown_counter_is_an_error() -> None:
    with pytest.raises(KeyError):
        Metrics().count("fun")


def test_a_duration_equal_to_a_bound_belongs_to_its_bucket() -> None:
    histogram = Histogram((1.0, 2.0))
    for seconds in (0.5, 1.0, 1.5, 2.0, 9.0):
        histogram.add(seconds)
    assert histogram.buckets(histogram.counts) == [("1.0", 2), ("2.0", 4), ("+Inf", 5)]
    assert histogram.total == 14.0


def test_numbers_of_all_processes_are_added_up() -> None:
    metrics, other = Metrics(), Metrics()
    for one in (metrics, other):
        one.count("slides", by=2)
        one.gauge("rooms", "Live rooms", lambda: 6)
        one.commit_seconds.add(0.003)
    other.count("commands", "ping")
    metrics.others = lambda: [other.samples()]
    text = metrics.render()[1].decode()
    assert "sliderace_slides_total 4.0" in text
    assert "sliderace_rooms 12.0" in text
    assert 'sliderace_commands_total{type="ping"} 1.0' in text
    assert 'sliderace_commit_seconds_bucket{le="0.005"} 2.0' in text
    assert "sliderace_commit_seconds_sum 0.006" in text
