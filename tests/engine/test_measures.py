from typing import Any

import pytest
from hypothesis import given, strategies as st

from sliderace.engine import mtm, progress_permille, stm

Golden = dict[str, list[dict[str, Any]]]


def test_golden_progress(golden: Golden) -> None:
    for case in golden["progress"]:
        assert progress_permille(case["md"], case["start_md"]) == case["permille"]


@given(md=st.integers(0, 2000), start_md=st.integers(1, 2000))
def test_progress_is_full_exactly_if_solved(md: int, start_md: int) -> None:
    permille = progress_permille(md, start_md)
    assert 0 <= permille <= 1000
    assert (permille == 1000) is (md == 0)
    assert permille <= progress_permille(max(md - 1, 0), start_md)


def test_golden_moves_in_both_metrics(golden: Golden) -> None:
    for case in golden["slide_texts"]:
        assert stm(case["slides"]) == case["stm"]
        assert mtm(case["slides"]) == case["mtm"]
        assert mtm(iter(case["slides"])) == case["mtm"]


@pytest.mark.parametrize("distances", [(-1, 5), (5, -1)])
def test_negative_distance_is_refused(distances: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="0 or more"):
        progress_permille(*distances)
