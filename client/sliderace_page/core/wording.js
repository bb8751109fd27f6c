// Texts for events in a room, rules and results. Pure. Nothing else in core
// returns a sentence; nothing compares one.

import { constants } from "./constants.js";
import { formatSpan, formatTime, ordinal } from "./figures.js";
import { formatSize } from "./format.js";
import { limitOf } from "./race/limits.js";
import { wonText } from "./series-text.js";
import { hasText, text } from "./texts.js";

/** @typedef {Extract<ServerEvent, {t: "winner"}>} WinnerEvent */
/** @typedef {Extract<ServerEvent, {t: "room"}>} RoomEvent */
/** @typedef {Extract<ServerEvent, {t: "phase"}>} PhaseEvent */
/** @typedef {import("./messages.js").Signal} Signal */
/** @typedef {Pick<Lane, "seat" | "status" | "time" | "high">} Compared */
/** @typedef {import("./fairness.js").Fault} Fault */
/** @typedef {import("./fairness.js").NonceRemark} NonceRemark */

// --- Refusals and closes -------------------------------------------------------------

/**
 * A refusal; in the server's words if its code is new.
 * @param {{code: string, text: string, field?: string, value?: string}} refused
 */
export function refusalText({ code, text: said, field = "", value = "" }) {
  if (code === "version") return text("closed.updated");
  const allowed = code === "bad_rules" && valuesOf(field.split(".").at(-1) ?? "");
  if (allowed) return text("malformed.expected", { field, allowed, value });
  if (hasText(`refusal.${code}`)) return text(`refusal.${code}`);
  return said || text("news.refused");
}

/** The values that a rule can have; "": not known here. @param {string} rule */
function valuesOf(rule) {
  const { ranges, special } = constants.rules;
  if (rule === "size") return text("malformed.size");
  if (!Object.hasOwn(ranges, rule)) return "";
  const [low, high] = ranges[/** @type {keyof typeof ranges} */ (rule)];
  const words = text("malformed.integer", { low, high });
  /** @type {Record<string, number[]>} */
  const others = special;
  const or = (/** @type {string} */ first, /** @type {number} */ last) =>
    text("malformed.or", { first, last });
  return (others[rule] ?? []).reduce(or, words);
}

/** @type {Record<number, string>} */
const CLOSED = {
  1000: "closed.closed",
  1002: "closed.misunderstood",
  1007: "closed.misunderstood",
  1009: "closed.misunderstood",
  4500: "closed.bad_request",
  4501: "closed.kicked",
  4502: "closed.room_gone",
  4503: "closed.replaced",
  4504: "closed.updated",
};

/** Why we do not reconnect after this close code. @param {number} code */
export const closeText = (code) => text(CLOSED[code] ?? "closed.by_server");

// --- Racers --------------------------------------------------------------------------

const DNF_REASONS = ["limit", "grace", "away", "left", "kicked", "called"];

/**
 * The status of a racer in a few words.
 * @param {Pick<Lane, "status" | "time" | "high">} racer
 */
export function statusText({ status, time, high }) {
  if (status === "finished") return `\u2713 ${formatTime(time ?? 0)}`;
  if (status !== "racing") return text(`status.${status}`);
  return text("count.percent", { percent: Math.floor(high / 10) });
}

/**
 * Why somebody did not finish: `(time is up)`; "" if they did, or it is unknown.
 * @param {Pick<Lane, "status" | "why">} racer
 */
export const dnfReason = ({ status, why }) =>
  status === "dnf" && DNF_REASONS.includes(why) ? `(${text(`dnf.${why}`)})` : "";

/**
 * A racer's standing beside the others: the leader's progress and how far the others are
 * behind it; of finishers the best time and how much longer the others took.
 * @param {Compared} lane @param {Compared} leader
 * @param {boolean} away disconnected
 * @returns {string} `69%`, `\u22124%`, `level`, `\u2713 24.657 s`, `+0.038 s`
 */
export function standingText(lane, leader, away) {
  const { status, high, time } = lane;
  const leads = lane.seat === leader.seat;
  if (status === "finished" && !leads) {
    const ms = (time ?? 0) - (leader.time ?? 0);
    return ms > 0 ? `+${formatTime(ms)}` : statusText(lane);
  }
  if (status !== "racing") return statusText(lane);
  if (away) return text("lane.away");
  if (leads || leader.status !== "racing") return statusText(lane);
  const percent = Math.floor(leader.high / 10) - Math.floor(high / 10);
  return percent > 0 ? text("count.percent_behind", { percent }) : text("lane.level");
}

/** @typedef {{lane: Pick<Lane, "status" | "name" | "time" | "place" | "stm">, mine: boolean}} Finisher */

/**
 * What covers the player's solved board.
 * @param {Finisher[]} racers all of the race
 * @param {number} ms the player's time, as far as known
 * @param {boolean} isCurrent the connection is good
 * @returns {{place: string, time: string, note: string}}
 */
export function finishText(racers, ms, isCurrent) {
  const own = racers.find(({ mine }) => mine)?.lane;
  const place = own?.status === "finished" ? own.place : null;
  const time = formatTime(own?.time ?? ms);
  const solved = text("board.solved");
  if (!own || place === null)
    return { place: solved, time, note: isCurrent ? "" : text("race.not_sent_yet") };
  if (racers.length === 1)
    return { place: solved, time, note: text("count.moves", { count: own.stm }) };
  const ahead = racers
    .map(({ lane }) => lane)
    .filter((one) => one.status === "finished" && (one.time ?? 0) < (own.time ?? 0))
    .sort((a, b) => (b.time ?? 0) - (a.time ?? 0))[0];
  if (!ahead) return { place: ordinal(place), time, note: text("results.you_won") };
  const last = racers.every(({ mine, lane }) => mine || lane.status !== "racing");
  const gap = (own.time ?? 0) - (ahead.time ?? 0);
  const values = { name: withoutLevel(ahead.name), time: formatTime(gap) };
  const note = text(last ? "race.behind_last" : "race.behind", values);
  return { place: ordinal(place), time, note };
}

const LAST_MS = 100; // a lead taken later than this before the end: tenths would say 0.0

/** A bot of the server without its level or pace; others as they are. @param {string} name */
export const withoutLevel = (name) =>
  name.startsWith("\u2699") ? name.split(" \u00b7 ")[0] : name;

/** What decided a race. @param {import("./race-story.js").Story} story */
export function storyText(story) {
  if (story.kind === "nobody" || story.kind === "tie") return text(`story.${story.kind}`);
  const name = withoutLevel(story.winner); // a pace beside the times would confuse
  if (story.kind === "only") return text("story.only", { name });
  const { kind, photo } = story;
  const gap = formatTime(story.gap);
  const last = kind === "late" && story.before < LAST_MS;
  const told = text(last ? "story.last" : `story.${kind}`, {
    name,
    gap,
    ...(kind === "late" && { before: formatTime(story.before, 1) }),
    ...(kind !== "late" && { at: formatTime(story.at, 1) }),
    ...(kind === "middle" && { percent: Math.floor(story.high / 10), count: story.changes }),
  });
  return photo ? text("story.photo", { story: told }) : told;
}

// --- News ----------------------------------------------------------------------------

/**
 * One line about an event, or "" if the screen shows it anyway. Call it before the model
 * folds the event: the model still knows a member who leaves.
 * @param {ServerEvent} event
 * @param {Model} model
 */
export function news(event, model) {
  switch (event.t) {
    case "member": {
      const { member, why } = event;
      if (member.id === model.me && why !== "idle") return "";
      const before = nameOf(model, member.id);
      if (why === "renamed") return text("news.renamed", { before, name: member.name });
      return memberNews(member, why);
    }
    case "gone": {
      const why = event.why === "kicked" || event.why === "timeout" ? event.why : "left";
      return text(`news.gone_${why}`, { name: nameOf(model, event.member) });
    }
    case "winner":
      return winnerNews(event, model);
    case "standing":
      return event.standing.member === model.me ? "" : standingNews(event.standing);
    case "room":
      return roomNews(event, model);
    case "phase":
      return phaseNews(event, model);
    case "series":
      return isSame(event.table, model.series) ? "" : wonText(event.table);
    default:
      return "";
  }
}

/** @param {object} one @param {object | null} other */
const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** @param {Model} model @param {number} id */
const nameOf = (model, id) => model.members.get(id)?.name ?? text("member.unknown");

/** @param {Member} member @param {string} why */
function memberNews({ name, role, level, pace_ms: pace }, why) {
  switch (why) {
    case "joined":
      return text(role === "spectator" ? "news.joined_to_watch" : "news.joined", { name });
    case "role":
      return text(`news.now_${role}`, { name });
    case "connected": // the server's own bot has only just got its program
      return level === null && pace === null ? text("news.connected", { name }) : "";
    case "disconnected":
    case "benched":
    case "unbenched":
    case "muted":
    case "unmuted":
    case "idle":
      return text(`news.${why}`, { name });
    default:
      return "";
  }
}

/** @param {Standing} standing */
function standingNews({ status, name: full, time_ms: time, stm, high, why }) {
  const name = withoutLevel(full);
  switch (status) {
    case "finished":
      return text("news.finished", { name, time: formatTime(time ?? 0), count: stm });
    case "racing":
      return text("news.races_on", { name });
    case "forfeited":
      return text("news.forfeited", { name, percent: Math.floor(high / 10) });
    case "dns":
      return text("news.dns", { name });
    case "dnf":
      return text(DNF_REASONS.includes(why) ? `news.dnf_${why}` : "news.dnf", { name });
  }
}

/** @param {WinnerEvent} event @param {Model} model */
function winnerNews({ seats }, { lanes, seat }) {
  if (lanes.size < 2) return ""; // alone, nobody wins
  const others = seats
    .filter((one) => one !== seat)
    .map((one) => withoutLevel(lanes.get(one)?.name ?? text("member.unknown")));
  const values = { names: listed(others), count: others.length };
  if (others.length === seats.length) return text("news.won", values);
  return others.length ? text("news.you_tied", values) : text("news.you_won");
}

/** @param {RoomEvent} event @param {Model} model */
function roomNews({ room, why }, model) {
  if (why === "host" && room.host !== null) {
    if (room.host === model.me) return text("news.you_are_host");
    return text("news.host", { name: nameOf(model, room.host) });
  }
  if (why === "lock") return text(room.locked ? "news.locked" : "news.unlocked");
  return why === "settings" && !model.isHost ? text("news.rules_changed") : "";
}

/** @param {PhaseEvent} event @param {Model} model */
function phaseNews({ phase, in_ms: left }, model) {
  if (phase === "aborted") return text("news.aborted");
  if (phase === "lobby" && model.phase === "countdown") return text("news.start_aborted");
  if (phase === "grace" && left !== null)
    return text("news.grace_left", { time: formatSpan(left) });
  return "";
}

/**
 * Names in a sentence: `Ann`, `Ann and Ben`, `Ann, Ben and Cleo`; of a long list the
 * first ones and how many more.
 * @param {string[]} names @param {number} [most] how many are named
 */
function listed(names, most = names.length) {
  const shown = names.slice(0, most);
  if (names.length > most)
    return text("list.more", { names: shown.join(", "), n: names.length - most });
  const last = shown.pop() ?? "";
  return shown.length ? text("list.and", { first: shown.join(", "), last }) : last;
}

// --- Rules ---------------------------------------------------------------------------

/** Size, limit and boards, then the rules that are not the default. @param {Rules} rules */
export function describeRules(rules) {
  const limit = limitOf(rules);
  const lines = [
    formatSize(rules.size),
    limit ? text("rules.has_limit", { time: formatSpan(limit) }) : text("rules.no_limit"),
    text(rules.open_boards ? "rules.boards_open" : "rules.boards_hidden"),
  ];
  const add = (/** @type {string} */ key, /** @type {number} */ ms) =>
    lines.push(text(key, { time: formatSpan(ms) }));
  if (rules.start === "every") add("rules.starts_every", rules.every_ms);
  if (rules.start === "host") lines.push(text("rules.host_starts"));
  if (rules.inspection_ms) add("rules.to_inspect", rules.inspection_ms);
  if (rules.grace_ms >= 0) add("rules.after_winner", rules.grace_ms);
  if (rules.friendly_timing) lines.push(text("rules.friendly_timing"));
  if (rules.spectator_delay_ms) add("rules.spectators_behind", rules.spectator_delay_ms);
  return lines;
}

// --- Latency and results -------------------------------------------------------------

/** `23 ms`, `23\u00b14 ms`. @param {{rtt: number, jitter: number}} latency in ms */
export function formatLatency({ rtt, jitter }) {
  if (!rtt) return text("latency.least");
  return jitter ? text("latency.jitter", { rtt, jitter }) : text("latency.rtt", { rtt });
}

/**
 * Explain the latency beside a name.
 * @param {{rtt: number, jitter: number}} latency in ms
 */
export const explainLatency = (latency) => text("latency.explained", latency);

/**
 * Explain a time and its credit.
 * @param {Pick<Standing, "time_ms" | "credit_ms" | "outage_ms">} standing
 */
export function explainCredit({ time_ms: time, credit_ms: credit, outage_ms: outage }) {
  const values = { time: formatTime((time ?? 0) + credit), ms: credit - outage, outage };
  if (!outage) return text("credit.latency", values);
  return text(credit > outage ? "credit.both" : "credit.outage", values);
}

/**
 * Explain the marks of a result table, one sentence each.
 * @param {Results} results
 * @param {number} lateMs how much later than by our own clock our solve counts
 */
export function explainResults({ standings, friendly_timing: friendly }, lateMs = 0) {
  const sentences = [];
  if (standings.some((row) => row.credit_ms > 0)) sentences.push("results.credit");
  if (standings.some((row) => row.photo)) sentences.push("results.photo");
  if (standings.some((row) => row.outage_ms > 0)) sentences.push("results.outage");
  if (friendly) sentences.push("results.friendly");
  const late = lateMs ? [text("results.late", { late: formatTime(lateMs) })] : [];
  return [...sentences.map((key) => text(key)), ...late];
}

/** The text of a fault, which proves the server wrong. @param {Fault} fault */
export const faultText = (fault) =>
  fault.code === "wrong_nonce"
    ? text("fault.wrong_nonce_of", { name: fault.name })
    : text(`fault.${fault.code}`);

/** The text of a remark on our own nonce. @param {NonceRemark} remark */
export const nonceText = (remark) =>
  text(remark === "nonce_left_out" ? "remark.nonce_left_out" : "fault.own_nonce_replaced");

/**
 * The text of one finding of a check.
 * @param {string} check its name
 * @param {import("./proof/verify.js").Finding} finding
 */
export const findingText = (check, { code, values }) =>
  text(`check.${check}.${code}`, values);

/**
 * A check of a race record in one line.
 * @param {{name: string, verdict: string, text: string}} check
 */
export function checkText({ name, verdict, text: found }) {
  const checked = text(`check.name.${name}`);
  const outcome = text(`check.verdict.${verdict}`);
  return text("proof.check", { verdict: outcome, name: checked, text: found });
}

/** @typedef {"count" | "seconds" | "thousandths"} Unit */

/** @type {Record<string, Unit>} name of a signal -> its unit */
const SIGNALS = {
  first_ms: "seconds",
  tps_milli: "thousandths",
  peak: "count",
  cv_milli: "thousandths",
  pauses: "count",
  longest_ms: "seconds",
  m_md_milli: "thousandths",
};

/** @type {Record<Unit, (value: number) => string>} */
const WRITE = {
  count: String,
  seconds: (ms) => text("time.seconds", { n: (ms / 1000).toFixed(2) }),
  thousandths: (value) => (value / 1000).toFixed(2),
};

/**
 * One signal in words; a new one as it is.
 * @param {Pick<Signal, "name" | "value" | "low" | "high">} signal
 * @returns {{label: string, value: string, range: string}} range: of humans, or ""
 */
export function describeSignal({ name, value, low, high }) {
  const write = WRITE[SIGNALS[name] ?? "count"];
  const least = low === null ? "" : `\u2265 ${write(low)}`;
  const most = high === null ? "" : `\u2264 ${write(high)}`;
  return {
    label: SIGNALS[name] ? text(`signal.${name}`) : name,
    value: value === null ? "\u2013" : write(value),
    range: [least, most].filter(Boolean).join(", "),
  };
}

// --- The lobby and the way to the next race ------------------------------------------

const NAMED = 2; // people in a sentence; more would not fit a line

/** @param {Model} model */
const present = ({ players }) => players.filter((one) => one.connected && !one.benched);

/** @param {number} ms */
const seconds = (ms) => ({ seconds: Math.ceil(ms / 1000) });

/** Name who will only watch if the race starts now, or "". @param {Model} model */
export function whoWillWatch(model) {
  const names = present(model)
    .filter((one) => !one.ready && one.id !== model.me)
    .map((one) => one.name);
  if (!names.length) return "";
  return text("lobby.will_watch", { names: listed(names, NAMED), count: names.length });
}

/**
 * Below the results: who is ready already, and when the next race starts.
 * @param {Model} model @param {number} now
 */
export function nextRaceStatus(model, now) {
  const left = model.remaining(now);
  if (!model.inOldResults) return left === null ? "" : text("next.starts", seconds(left));
  const said = readyStatus(model);
  return left === null ? said : `${said} ${text("next.it_starts", seconds(left))}`;
}

/** @param {Model} model */
function readyStatus(model) {
  const active = present(model);
  const ready = active.filter((one) => one.ready);
  const others = ready.filter((one) => one.id !== model.me).map((one) => one.name);
  const values = {
    names: listed(others, NAMED),
    count: others.length,
    ready: ready.length,
    all: active.length,
  };
  if (!ready.length) return text("next.nobody_ready", values);
  if (others.length === ready.length) return text("next.ready", values);
  return text(others.length ? "next.you_and_others_ready" : "next.you_ready", values);
}

/** Say what the lobby is waiting for. @param {Model} model @param {number} now */
export function lobbyStatus(model, now) {
  const left = model.remaining(now);
  if (left !== null) return text("next.starts", seconds(left));
  const active = present(model);
  const start = model.room?.rules.start;
  if (model.isHost && start !== "every") {
    if (active.length < 2) return text("lobby.start_alone");
    const all = model.isPlayer && !model.self?.ready ? "lobby.others_ready" : "lobby.all_ready";
    return whoWillWatch(model) || text(all);
  }
  if (start === "host") return text("lobby.waiting_for_host");
  const values = { ready: active.filter((one) => one.ready).length, all: active.length };
  return text(model.self?.ready ? "lobby.waiting" : "lobby.are_ready", values);
}

/**
 * Why the user watches the current or next race.
 * @param {{leftOut: boolean, isPlayer?: boolean, room: Room | null}} model
 */
export function whyWatching({ leftOut, isPlayer = false, room }) {
  if (leftOut) return text("notice.left_out");
  if (isPlayer) return text("watch.came_late");
  const delay = room?.rules.spectator_delay_ms ?? 0;
  return delay ? text("watch.delayed", { time: formatSpan(delay) }) : text("watch.live");
}
