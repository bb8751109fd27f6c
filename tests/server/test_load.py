"""Ticks are slower the busier the server is, and no faster before it is calm."""

from sliderace_server.load import STEPS, LoadMeter

(CALM, BUSY), (CALMER, BUSIER) = STEPS


def factors_of(*shares: float) -> list[int]:
    """What ticks are multiplied by after seconds of so much of a core."""
    load_meter, cpu_s, now_ms = LoadMeter(), 100.0, 7_000
    load_meter.note(cpu_s, now_ms)
    assert load_meter.factor == 1  # a long start says nothing about now
    factors: list[int] = []
    for share in shares:
        cpu_s, now_ms = cpu_s + share * 2, now_ms + 2_000
        load_meter.note(cpu_s, now_ms)
        factors.append(load_meter.factor)
    return factors


def test_a_busy_second_makes_ticks_slower_until_a_calm_one() -> None:
    between = (BUSY + CALM) / 2
    shares = (between, BUSY - 0.01, BUSY + 0.01, between, CALM + 0.01, CALM - 0.01)
    assert factors_of(*shares, between) == [1, 1, 2, 2, 2, 1, 1]


def test_a_very_busy_one_makes_them_slower_still() -> None:
    shares = (BUSIER - 0.01, BUSIER + 0.01, CALMER + 0.01, CALMER - 0.01, CALM - 0.01)
    assert factors_of(*shares) == [2, 3, 3, 2, 1]
    assert factors_of(1.5, 0.0) == [3, 1]


def test_the_load_is_that_of_the_last_second() -> None:
    load_meter = LoadMeter()
    loads = [load_meter.load]
    for cpu_s, now_ms in ((7.0, 1_000), (7.4, 2_000), (8.2, 3_000), (8.2, 5_000)):
        load_meter.note(cpu_s, now_ms)
        loads.append(round(load_meter.load, 3))
    assert loads == [0, 0, 0.4, 0.8, 0]


def test_a_clock_that_stands_still_says_nothing() -> None:
    load_meter = LoadMeter()
    load_meter.note(0.0, 5)
    load_meter.note(9.0, 5)
    assert (load_meter.factor, load_meter.load) == (1, 0)
