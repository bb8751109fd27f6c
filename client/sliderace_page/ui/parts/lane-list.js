// The racers' lanes: how far everybody is, at a glance.

import { behind, explainCredit, reason, stands } from "../../core/wording.js";
import { ordinal } from "../../core/format.js";
import { Latency, badge } from "./badges.js";
import { Listing, fill, h, setAttribute, setText } from "../dom.js";

const CALM_MS = 1000; // an order stands so long: it can be read
const BEHIND = "Behind the first";
const AT_ONCE = 4; // lanes drawn in one frame: sixteen would hold up a phone's keys
const SO_FAR = "So far: the times of others may still count for less";

export class LaneRow {
  constructor(tag = "li") {
    this.place = h("span.place");
    this.name = h("span.name");
    this.marks = h("span.marks");
    this.latency = new Latency();
    this.value = h("span.value");
    this.why = h("span.why");
    this.delta = h("span.delta");
    this.credited = h("span.word");
    this.less = h("span");
    this.credit = h("span.credit", {}, this.credited, this.less);
    this.bar = h("span.fill", { "aria-hidden": "true" });
    this.element = h(`${tag}.lane`);
  }

  /** What stands in it: made when it is first drawn, not when it gets its place. */
  #make() {
    const line = h(
      "span.line",
      {},
      this.place,
      this.name,
      // What yields where a lane is narrow: the last first.
      h(
        "span.extras",
        {},
        this.delta,
        this.marks,
        this.credit,
        this.latency.element,
      ),
      this.value,
      this.why,
    );
    this.element.append(this.bar, line);
  }

  /** @param {Wire} row of `rows` */
  update(row) {
    if (!this.element.firstChild) this.#make();
    const { lane, mine, away, waiting, line, delta } = row;
    const placed = lane.status === "finished" && lane.place;
    const soFar = placed && !lane.final;
    setText(this.place, placed ? String(lane.place) : "");
    setAttribute(this.place, "title", soFar ? SO_FAR : null);
    this.place.classList.toggle("so-far", Boolean(soFar));
    this.latency.update(line);
    setText(this.name, lane.name);
    fill(this.marks, this.#marks(row));
    setText(this.value, waiting ? "" : stands(lane));
    setText(this.why, waiting ? "" : reason(lane));
    setText(this.delta, waiting ? "" : delta);
    setAttribute(this.delta, "title", delta ? BEHIND : null);
    const less = credit(lane);
    setText(this.credited, less ? "credit " : "");
    setText(this.less, less ? `\u2212${lane.standing.credit_ms} ms` : "");
    setAttribute(this.credit, "title", less);
    setAttribute(this.value, "title", less);
    this.bar.style.transform = `scaleX(${waiting ? 0 : lane.high / 1000})`;
    const kinds = [waiting ? "waiting" : lane.status, mine && "mine", away && "away"];
    setAttribute(this.element, "class", ["lane", ...kinds.filter(Boolean)].join(" "));
    const at = placed || (lane.status === "racing" ? row.rank : 0);
    const where = at ? `, ${ordinal(at)}${soFar ? " so far" : ""}` : "";
    const who = [lane.name, mine && "you", lane.bot && "bot", away && "reconnecting"];
    const text = `${who.filter(Boolean).join(", ")}: ${stands(lane)} ${reason(lane)}${where}`;
    setAttribute(this.element, "aria-label", waiting ? lane.name : text);
  }

  #marks({ lane, away, bot = lane.bot }) {
    const key = `${bot} ${away}`;
    if (key !== this.key) {
      this.key = key;
      this.kept = [];
      if (bot) this.kept.push(badge("bot", "\u2699", "bot"));
      if (away) this.kept.push(badge("lost", "\u26a1", "reconnecting"));
    }
    return this.kept;
  }
}

/**
 * What the lanes show, best first; before the race, who is ready.
 * @param {Model} model
 */
export function rows(model) {
  const { seat, attempt, members, lines } = model;
  const racing = model.order(); // also gives the places
  const shown = (racing.length ? racing : toRace(model)).map((lane) =>
    lane.seat === seat && attempt ? withOwnBoard(lane, attempt) : lane,
  );
  return shown.map((lane, i) => ({
    lane,
    rank: i + 1,
    mine: lane.seat === seat,
    away: members.get(lane.member)?.connected === false,
    line: lines.get(lane.member),
    waiting: !racing.length,
    delta: behind(lane, shown[0]),
  }));
}

/** One's own lane shows what one has just done, not what the server heard of it. */
function withOwnBoard(lane, attempt) {
  const { seat, name, bot, status, place, final, time, why, member, standing } = lane;
  const high = status === "racing" ? attempt.high : lane.high;
  return {
    seat,
    name,
    bot,
    status,
    place,
    final,
    time,
    why,
    member,
    standing,
    high,
    board: attempt.board,
  };
}

/** Before the roster is frozen: who is ready. */
const toRace = (model) =>
  model.players
    .filter((member) => member.ready && !member.benched)
    .map(({ id, seat, name, bot }) => ({
      seat,
      name,
      bot,
      member: id,
      status: "racing",
      high: 0,
    }))
    .sort((a, b) => a.seat - b.seat);

/** Why a time is less than the clock at the server showed, or null. */
const credit = ({ status, standing }) =>
  status === "finished" && standing?.credit_ms > 0 ? explainCredit(standing) : null;

/** Tell the style sheet where something is. */
function tell(element, where) {
  for (const [name, value] of Object.entries(where))
    element.style.setProperty(`--${name}`, String(value));
}

/** A lane that is told at once what is new, and drawn when its turn comes. */
class Drawn extends LaneRow {
  news = null;
  drawn = 0; // when it was, or 0

  update(row) {
    this.news = row;
  }

  draw() {
    super.update(this.news);
    this.news = null;
    this.drawn = performance.now();
  }
}

/** The lanes of a race: the style sheet makes one to four columns of them. */
export class Lanes {
  constructor() {
    this.element = h("ol.lanes", { "aria-label": "Racers" });
    this.listing = new Listing(
      this.element,
      (row) => row.lane.seat,
      () => new Drawn(),
    );
  }

  update(all) {
    this.#count(all.length);
    const shown = this.#calm(all);
    // In the document they stay in order of seats: one that moves there is made anew.
    this.listing.update(shown.toSorted((a, b) => a.lane.seat - b.lane.seat));
    shown.forEach(({ lane }, rank) => this.#put(this.listing.rows.get(lane.seat), rank));
    this.#draw();
  }

  /** One's own lane and a few that waited longest; the others in the next frames. */
  #draw() {
    cancelAnimationFrame(this.frame);
    const stale = [...this.listing.rows.values()].filter((row) => row.news);
    stale.sort((a, b) => Number(b.news.mine) - Number(a.news.mine) || a.drawn - b.drawn);
    for (const row of stale.slice(0, AT_ONCE)) row.draw();
    if (stale.length > AT_ONCE) this.frame = requestAnimationFrame(() => this.#draw());
  }

  #count(many) {
    if (many === this.many) return;
    this.many = many;
    setAttribute(this.element, "data-many", many > 4);
    setAttribute(this.element, "data-crowd", many > 8);
    const lines = (columns) => Math.ceil(many / columns);
    tell(this.element, { many, pairs: lines(2), threes: lines(3), fours: lines(4) });
  }

  #put(row, rank) {
    if (rank === row.rank) return;
    row.rank = rank;
    tell(row.element, {
      rank,
      "pair-across": rank % 2,
      "pair-down": Math.floor(rank / 2),
      "three-across": rank % 3,
      "three-down": Math.floor(rank / 3),
      "four-across": rank % 4,
      "four-down": Math.floor(rank / 4),
    });
  }

  /** The rows in the order of before, where that has changed a moment ago. */
  #calm(all) {
    clearTimeout(this.timer);
    const now = performance.now();
    const places = this.places ?? new Map();
    const same =
      all.length === places.size && all.every(({ lane }) => places.has(lane.seat));
    const left = same ? (this.moved ?? -CALM_MS) + CALM_MS - now : 0;
    if (left > 0) {
      this.timer = setTimeout(() => this.update(all), left);
      return all.toSorted((a, b) => places.get(a.lane.seat) - places.get(b.lane.seat));
    }
    if (!same || all.some(({ lane }, i) => places.get(lane.seat) !== i))
      this.moved = now;
    this.places = new Map(all.map(({ lane }, i) => [lane.seat, i]));
    return all;
  }
}
