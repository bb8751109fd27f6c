"""Ticks are slower while the server is busy, and no faster before it is calm."""

from sliderace_server.tempo import BUSY, CALM, SLOWER, Tempo


def test_a_busy_second_makes_ticks_slower_until_a_calm_one() -> None:
    tempo, cpu_s, now_ms = Tempo(), 100.0, 7_000
    tempo.note(cpu_s, now_ms)
    assert tempo.factor == 1  # a long start says nothing about now
    between = (BUSY + CALM) / 2
    busy = (
        between,
        BUSY - 0.01,
        BUSY + 0.01,
        between,
        CALM + 0.01,
        CALM - 0.01,
        between,
    )
    factors: list[int] = []
    for share in busy:
        cpu_s, now_ms = cpu_s + share * 2, now_ms + 2_000
        tempo.note(cpu_s, now_ms)
        factors.append(tempo.factor)
    assert factors == [1, 1, SLOWER, SLOWER, SLOWER, 1, 1]


def test_a_clock_that_stands_still_says_nothing() -> None:
    tempo = Tempo()
    tempo.note(0.0, 5)
    tempo.note(9.0, 5)
    assert tempo.factor == 1
