"""The leaderboard: what it shows of sixteen racers, how it changes, and its place."""

from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Page
from tests.browser.conftest import PHONE, SMALL, Pages
from tests.browser.player import fits_screen

pytestmark = [pytest.mark.browser, pytest.mark.timeout(60)]

MANY = 16
NAME = "Bot Otter"
"""As long as bots' names; the seat number at the end tells them apart."""
OWN = 11
MAKE = """async ([many, name, own, height]) => {
  const { loadTexts } = await import("./app/load-texts.js");
  await loadTexts();
  const { LeaderboardView } = await import("./ui/parts/leaderboard-view.js");
  const { sheet } = await import("./ui/preload.js");
  await sheet("styles/race.css");
  const view = new LeaderboardView();
  view.element.style.height = `${height}px`;
  document.querySelector("main").replaceChildren(view.element);
  const rows = Array.from({ length: many }, (_, seat) => ({
    lane: {
      seat, name: `${name} ${seat}`, status: "racing", place: null, final: false,
      time: null, why: "", high: 900 - 10 * seat, stm: 20 + seat,
    },
    mine: seat === own, away: false, waiting: false,
  }));
  window.view = view;
  window.rows = rows;
  view.measure();
  window.show = (now) => view.update(rows, own, now);
  show(5000);
  return [...document.querySelectorAll(".lane")].map(
    (lane) => Boolean(lane.querySelector(".name").textContent));
}"""
SHOWN = """() => [...document.querySelectorAll('.lane:not([data-out])')].map((lane) =>
 ({
  name: lane.querySelector('.name').textContent,
  value: lane.querySelector('.value').textContent,
  count: lane.querySelector('.count').textContent,
  arrow: lane.querySelector('.arrow').textContent,
  top: Math.round(lane.getBoundingClientRect().top),
})).sort((a, b) => a.top - b.top)"""
RANKS = """() => [...document.querySelectorAll('.rank')].map((rank) => rank.textContent)
  .filter(Boolean).map(Number)"""
DRAWN = """many => [...document.querySelectorAll('.lane .value')]
  .filter((value) => value.textContent).length === many"""
CUT = """() => [...document.querySelectorAll('.lane:not([data-out]) .cells > *')]
  .filter((one) => one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.className + one.textContent)"""
WELL = "() => document.querySelector('.lane.mine .well i').style.transform"
FLASHES = """() => document.getAnimations()
  .map(({ effect }) => effect.target.closest('.lane')?.querySelector('.name'))
  .map((name) => name?.textContent)
  .filter(Boolean)"""
MOVING = """() => document.getAnimations()
  .filter(({ transitionProperty }) => transitionProperty === 'transform')
  .map(({ effect }) => effect.target.querySelector('.name')?.textContent)
  .filter(Boolean).sort()"""

OVERTAKEN = f"""async () => {{
  rows[12].lane.high = 795;
  show(6000);
  while (({MOVING})().length < 2) await new Promise(requestAnimationFrame);
  return [({MOVING})(), ({FLASHES})(), ({SHOWN})(), view.rankOf(11)];
}}"""
"""All of it happens in the frame in which the rows begin to move, however long frames
take."""


def _leaderboard(
    pages: Pages,
    size: tuple[int, int] = PHONE,
    many: int = MANY,
    own: int | None = OWN,
    *,
    height: int = 720,
    still: bool = False,
) -> tuple[Page, list[bool]]:
    """Return a page with a leaderboard, and which rows the first frame drew."""
    page = pages.open("/", size)
    if still:
        page.emulate_media(reduced_motion="reduce")
    page.wait_for_selector(".home")
    drawn: list[bool] = page.evaluate(MAKE, [many, NAME, own, height])
    page.wait_for_function(DRAWN, arg=many)
    return page, drawn


def _shown(page: Page) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = page.evaluate(SHOWN)
    return found


def test_four_rows_are_drawn_per_frame(pages: Pages) -> None:
    """The player's own row is among the first, and every row gets drawn."""
    _, drawn = _leaderboard(pages)
    assert sum(drawn) == 4
    assert drawn[OWN]


def test_row_that_changes_is_drawn_although_others_were_not_for_longer(
    pages: Pages,
) -> None:
    """Unchanged rows take their turn too, but not the turn of another row."""
    page, _ = _leaderboard(pages)
    drawn: str = page.evaluate("""async () => {
      for (let frame = 0; frame < 6; frame += 1) {
        rows[15].lane.stm += 1;
        show(6000);
        await new Promise(requestAnimationFrame);
      }
      return [...document.querySelectorAll(".count")].at(-1).textContent;
    }""")
    assert drawn != "35"


@pytest.mark.parametrize("size", [PHONE, SMALL])
def test_sixteen_racers_stand_in_one_column_by_rank(
    pages: Pages, size: tuple[int, int]
) -> None:
    """With rank, name, slides made and distance to the leader; nothing is cut off."""
    page, _ = _leaderboard(pages, size)
    shown = _shown(page)
    assert [one["name"] for one in shown] == [f"{NAME} {n}" for n in range(MANY)]
    assert [one["value"] for one in shown[:3]] == ["90%", "\u22121%", "\u22122%"]
    assert [one["count"] for one in shown] == [str(20 + n) for n in range(MANY)]
    assert page.evaluate(RANKS) == [*range(1, MANY + 1)]
    steps = {b["top"] - a["top"] for a, b in pairwise(shown)}
    assert len(steps) == 1, "equally high rows, without gaps"
    assert page.evaluate(CUT) == []
    assert fits_screen(page)


def test_lower_list_keeps_the_leader_the_player_and_a_count(pages: Pages) -> None:
    """The other lines show the player's neighbours."""
    page, _ = _leaderboard(pages, SMALL, height=150)
    assert page.evaluate(RANKS) == [1, 11, 12, 13]
    names = [one["name"] for one in _shown(page)]
    assert names == [f"{NAME} {n}" for n in (0, 10, 11, 12)]
    assert page.locator(".others").inner_text() == "12 others: 9 between, 3 behind"


def test_overtaking_is_one_glide_past_one_neighbour(pages: Pages) -> None:
    """Both rows move for a quarter of a second; arrows and a flash say who gained."""
    page, _ = _leaderboard(pages)
    moving, flashes, shown, rank = page.evaluate(OVERTAKEN)
    assert moving == [f"{NAME} 11", f"{NAME} 12"]
    assert f"{NAME} 12" in flashes
    arrows = {one["name"]: one["arrow"] for one in shown if one["arrow"]}
    assert arrows == {f"{NAME} 12": "\u25b2", f"{NAME} 11": "\u25bc"}
    assert rank == 13
    page.wait_for_selector(".arrow:not(:empty)", state="detached")


def test_reduced_motion_shows_a_new_order_at_once(pages: Pages) -> None:
    page, _ = _leaderboard(pages, still=True)
    page.evaluate("rows[12].lane.high = 795; show(6000)")
    assert page.evaluate(FLASHES) == page.evaluate(MOVING) == []
    assert [one["name"] for one in _shown(page)][11] == f"{NAME} 12"
    assert _shown(page)[11]["arrow"] == "\u25b2"


def test_activity_icon_moves_once_for_each_report_of_slides(pages: Pages) -> None:
    """It goes round: after four slides it is where it was. The bar does not move."""
    page, _ = _leaderboard(pages)
    bar = "document.querySelector('.lane.mine .fill').style.transform"
    before, seen = page.evaluate(bar), [page.evaluate(WELL)]
    for _ in range(4):
        page.evaluate(f"rows[{OWN}].lane.stm += 1; show(6000)")
        seen.append(page.evaluate(WELL))
    assert len(set(seen[:4])) == 4
    assert seen[0] == seen[4]
    assert page.evaluate(bar) == before


def test_finishers_show_times_and_racers_their_own_progress(pages: Pages) -> None:
    page, _ = _leaderboard(pages)
    page.evaluate("""() => {
      const end = { status: "finished", high: 1000, place: 1, final: true };
      Object.assign(rows[0].lane, end, { time: 24657 });
      Object.assign(rows[1].lane, end, { time: 24695, place: 2 });
      rows[2].away = true;
      rows[3].lane.status = "forfeited";
      show(6000);
    }""")
    page.wait_for_selector(".lane.forfeited")
    values = {one["name"]: one["value"] for one in _shown(page)}
    expected = ["\u2713 24.657 s", "+0.038 s", "\u26a1 away", "gave up", "86%"]
    assert [values[f"{NAME} {n}"] for n in range(5)] == expected
    assert not page.locator(".lane.finished .well").first.is_visible()


@pytest.mark.parametrize("size", [PHONE, SMALL])
def test_phones_show_whole_times_of_finishers(
    pages: Pages, size: tuple[int, int]
) -> None:
    """Also of the winner, whose time is the longest text, in a font of wide digits."""
    page, _ = _leaderboard(pages, size, many=4, own=1)
    page.evaluate("""() => {
      const end = { status: "finished", high: 1000, place: 1, final: true };
      Object.assign(rows[0].lane, end, { time: 38057 });
      show(6000);
    }""")
    page.wait_for_selector(".lane.finished")
    assert page.evaluate(CUT) == []


def test_no_ranks_are_shown_while_they_say_nothing(pages: Pages) -> None:
    """For two seconds racers stand by seat."""
    page = pages.open("/", PHONE)
    page.wait_for_selector(".home")
    page.evaluate(MAKE.replace("show(5000)", "show(1000)"), [4, NAME, 0, 720])
    page.wait_for_function(DRAWN, arg=4)
    assert not page.locator(".ranks").is_visible()
    page.evaluate("rows[3].lane.high = 990; show(2000)")
    assert page.locator(".ranks").is_visible()
    assert _shown(page)[0]["name"] == f"{NAME} 3"
