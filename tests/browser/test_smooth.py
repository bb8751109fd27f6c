"""How smooth a full race is on a slow phone: figures, run on demand.

pytest -m bench -s tests/browser/test_smooth.py
"""

from collections.abc import Callable

import pytest
from tests.browser.conftest import PHONE, Pages
from tests.browser.player import host, own_board, press, quick_rules, start

pytestmark = [pytest.mark.browser, pytest.mark.bench, pytest.mark.timeout(180)]

LANES = 16
SLOWER = 4
"""A phone's processor beside a desk's: Chromium makes itself so much slower."""
LONG_MS = 50
WATCH = """() => {
  window.long = [];
  window.drawn = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.long.push(duration);
  }).observe({ type: "longtask" });
  addEventListener("keydown", () => {
    const begun = performance.now();
    requestAnimationFrame(() => setTimeout(
      () => window.drawn.push(performance.now() - begun)));
  }, true);
}"""


def test_sixteen_lanes_on_a_slow_phone(
    pages: Pages, bot: Callable[[str, float, int], None]
) -> None:
    """No task is longer than 50 ms; from a key to the drawn frame."""
    page = pages.open("/", PHONE)
    code = host(page, "Ann", "6\u00d76")
    quick_rules(page)
    bot(code, 10.0, LANES - 1)
    page.wait_for_selector(f".member.is-ready >> nth={LANES - 2}", timeout=60_000)
    start(page)
    session = page.context.new_cdp_session(page)
    rate = {"rate": SLOWER}
    session.send("Emulation.setCPUThrottlingRate", rate)  # pyright: ignore[reportUnknownMemberType]
    page.evaluate(WATCH)
    board = own_board(page)
    there = board.legal_slides()[0][0]
    back = {"U": "D", "D": "U", "L": "R", "R": "L"}[there]
    for _ in range(40):
        press(page, there)
        press(page, back)
        page.wait_for_timeout(50)
    long = [round(one) for one in page.evaluate("window.long")]
    drawn = sorted(page.evaluate("window.drawn"))
    middle, worst = drawn[len(drawn) // 2], drawn[-1]
    print(f"long tasks: {long}; key to drawn: {middle:.0f} ms, at worst {worst:.0f} ms")
    assert len(drawn) == 80
    assert [one for one in long if one > LONG_MS] == []
