from sliderace.protocol.messages import SeatSignals, Signal
from sliderace_client.shared_ui.solve_figures import (
    figures,
    human_ranges,
    notes,
    sentences,
)


def signal(
    name: str, value: int | None, low: int | None = None, **more: object
) -> Signal:
    known = {"high": None, "note": "no range is known", "outside": False} | more
    return Signal(name, value, low, **known)  # type: ignore[arg-type]


ANN = SeatSignals(
    0,
    [
        signal("first_ms", 1_234),
        signal("tps_milli", 3_210),
        signal("peak", 151, high=149, note="the most", outside=True),
        signal("cv_milli", None, 250),
        signal("new", 7),
    ],
)


def test_figures_are_in_the_order_of_the_columns() -> None:
    assert figures(ANN) == ["3.21", "151*", "-", "-", "-", "-", "1.2s"]
    assert human_ranges([ANN]) == ["", "≤149", "≥0.25", "", "", "", ""]
    both = SeatSignals(1, [signal("peak", 9, 1, high=2)])
    assert human_ranges([both, ANN])[1] == "1-2"
    assert human_ranges([]) == [""] * 7


def test_each_source_is_noted_once() -> None:
    star = "* no human record solve looks like that; it proves nothing"
    assert notes([ANN, ANN]) == [
        star,
        "first, TPS, CV: no range is known",
        "peak: the most",
    ]
    hostile = SeatSignals(0, [signal("peak", 1, note="\x1b[2J" + "x" * 999)])
    [note] = notes([hostile])
    assert note.isprintable()
    assert len(note) < 130


def test_figures_can_be_listed_in_lines() -> None:
    said = list(sentences([ANN], {0: "Ann"}))
    assert said[0].startswith("Signals, never verdicts")
    assert said[1].startswith("Ann: TPS 3.21, peak 151*, CV -")
    assert said[2] == "record solvers: peak ≤149, CV ≥0.25"
    assert list(sentences([SeatSignals(5, [])], {}))[1:] == [
        "?: TPS -, peak -, CV -, pauses -, longest -, M/MD -, first -",
        "record solvers: no range is known",
    ]
