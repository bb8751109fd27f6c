// What happens in a room, in one English line each. Pure.

import { constants } from "./constants.js";
import { formatSize, formatSpan, formatTime } from "./format.js";
import { text } from "./texts.js";

const WHY_OUT = {
  limit: "time is up",
  grace: "the grace time is over",
  away: "away too long",
  left: "left the room",
  kicked: "sent out",
  called: "the host called time",
};

/** How a racer stands, in a few words. @param {Wire} standing @returns {string} */
export function stands({ status, time, high }) {
  switch (status) {
    case "finished":
      return `\u2713 ${formatTime(time)}`;
    case "dnf":
      return "DNF";
    case "forfeited":
      return "gave up";
    case "dns":
      return "did not start";
    default:
      return `${Math.floor(high / 10)} %`;
  }
}

/** Why somebody did not finish: `(time is up)`, or "". @returns {string} */
export const reason = ({ status, why }) =>
  status === "dnf" && WHY_OUT[why] ? `(${WHY_OUT[why]})` : "";

/**
 * How far a racer is behind the first: percentage points, or time; "" for the first.
 * @param {Wire} lane @param {Wire} first lane
 * @returns {string} `\u22127 %`, `+1.204 s`
 */
export function behind(lane, first) {
  if (!first || lane.seat === first.seat) return "";
  if (lane.status === "finished" && first.status === "finished") {
    const ms = lane.time - first.time;
    return ms > 0 ? `+${formatTime(ms)}` : "";
  }
  if (lane.status !== "racing" || first.status === "finished") return "";
  const points = Math.floor(first.high / 10) - Math.floor(lane.high / 10);
  return points > 0 ? `\u2212${points} %` : "";
}

const MEMBER = {
  joined: (who) => `${who.name} joined${who.role === "spectator" ? " to watch" : ""}`,
  disconnected: (who) => `${who.name} lost the connection`,
  connected: (who) => `${who.name} is back`,
  benched: (who) => `${who.name} sits out`,
  unbenched: (who) => `${who.name} plays again`,
  role: (who) => `${who.name} is now a ${who.role}`,
};

const GONE = { left: "left", kicked: "was sent out", timeout: "was away too long" };

const STANDING = {
  finished: (row) => `${row.name} finished in ${formatTime(row.time_ms ?? 0)}`,
  racing: (row) => `${row.name} races on`,
  forfeited: (row) => `${row.name} gave up`,
  dns: (row) => `${row.name} did not start`,
  dnf: (row) =>
    `${row.name} did not finish${WHY_OUT[row.why] ? `: ${WHY_OUT[row.why]}` : ""}`,
};

/**
 * One line about an event, or "" where the screen says enough. Call before the model
 * folds the event: who leaves is still known then.
 * @param {Wire} event
 * @param {Model} model
 */
export function say(event, model) {
  switch (event.t) {
    case "member":
      return event.member.id === model.me
        ? ""
        : (MEMBER[event.why]?.(event.member) ?? "");
    case "gone": {
      const name = model.members.get(event.member)?.name ?? "Somebody";
      return `${name} ${GONE[event.why] ?? "left"}`;
    }
    case "winner":
      return winnerSays(event, model);
    case "standing":
      return event.standing.member === model.me
        ? ""
        : STANDING[event.standing.status](event.standing);
    case "room":
      return roomSays(event, model);
    case "phase":
      return phaseSays(event, model);
    default:
      return "";
  }
}

function winnerSays({ seats }, { lanes, seat }) {
  const names = seats.map((one) =>
    one === seat ? "you" : (lanes.get(one)?.name ?? "somebody"),
  );
  const list = names.join(" and ");
  return `First place is final: ${list}`;
}

function roomSays({ room, why }, model) {
  if (why === "host" && room.host !== null) {
    if (room.host === model.me) return "You are the host now";
    return `${model.members.get(room.host)?.name ?? "Somebody"} is the host now`;
  }
  if (why === "lock") return room.locked ? "The room is locked" : "The room is open";
  return why === "settings" && !model.isHost ? "The host changed the rules" : "";
}

function phaseSays({ phase, in_ms: left }, model) {
  if (phase === "aborted") return "The race was called off";
  if (phase === "lobby" && model.phase === "countdown")
    return "The start was called off";
  if (phase === "grace" && left !== null)
    return `The others have ${formatSpan(left)} left`;
  return "";
}

/** The time limit in force in ms; 0: none. @param {Wire} rules */
export function limitOf({ size, limit_ms: limit }) {
  if (limit !== -1) return limit;
  const [width, height] = size.split("x").map(Number);
  /** @type {Record<string, number>} */
  const usual = constants.rules.default_limits_ms;
  return usual[size] ?? Math.max(60000, Math.round(3500 * (width * height) ** 1.5));
}

/** The rules for people: size, limit and boards, then what is not as usual. */
export function describeRules(rules) {
  const limit = limitOf(rules);
  const lines = [
    formatSize(rules.size),
    limit ? `${formatSpan(limit)} limit` : "no time limit",
    rules.open_boards ? "boards open" : "boards hidden",
  ];
  if (rules.start === "every") lines.push(`a race every ${formatSpan(rules.every_ms)}`);
  if (rules.start === "host") lines.push("the host starts");
  if (rules.inspection_ms) lines.push(`${formatSpan(rules.inspection_ms)} to inspect`);
  if (rules.grace_ms >= 0) lines.push(`${formatSpan(rules.grace_ms)} after the winner`);
  if (rules.friendly_timing) lines.push("friendly timing");
  if (rules.spectator_delay_ms) {
    lines.push(`spectators ${formatSpan(rules.spectator_delay_ms)} behind`);
  }
  return lines;
}

/** What the number beside a name means. @param {{rtt, jitter}} line in ms */
export const explainLine = ({ rtt, jitter }) =>
  `Line to the server: ${rtt} ms there and back, wavering by ${jitter} ms. The official time makes up for it.`;

/** The credit of a time, in words. @param {Wire} standing */
export function explainCredit({ time_ms: time, credit_ms: credit, outage_ms: outage }) {
  const line = credit - outage;
  const parts = [
    line > 0 ? `${line} ms for the line` : "",
    outage > 0 ? `${outage} ms for a failure of the server` : "",
  ];
  const why = parts.filter(Boolean).join(" and ");
  return `${formatTime(time + credit)} at the server, less ${why}`;
}

/** What the marks of a result table mean, one sentence each. @param {Wire} results */
export function explainResults({ standings, friendly_timing: friendly }) {
  const any = (test) => standings.some(test);
  return [
    any((row) => row.credit_ms > 0) &&
      "Times are taken at the server. The credit is what the line there cost; it is already taken off.",
    any((row) => row.photo) && "Photo finish: closer than the lines can tell.",
    any((row) => row.outage_ms > 0) &&
      "Outage: a failure of the server was made up for.",
    friendly && "Friendly timing: poor lines were credited up to 100 ms more.",
  ].filter(Boolean);
}

/** Signals: name -> label, unit and how to write a value. */
const FIGURES = {
  first_ms: ["From the board to the first slide", seconds],
  tps_milli: ["Tiles a second, on the whole", thousandth],
  peak: ["Most tiles in any one second", String],
  cv_milli: ["Unevenness of the rhythm; 0 is a machine\u2019s", thousandth],
  pauses: ["Pauses of a second or more", String],
  longest_ms: ["Longest pause", seconds],
  m_md_milli: ["Moves by distance; 1 is the least there can be", thousandth],
};

function seconds(ms) {
  return `${(ms / 1000).toFixed(2)} s`;
}

function thousandth(milli) {
  return (milli / 1000).toFixed(2);
}

/**
 * One signal in words; of a newer server as it comes.
 * @param {Wire} signal
 * @returns {{label: string, value: string, range: string}} range: of humans, or ""
 */
export function describeSignal({ name, value, low, high }) {
  const [label, write] = FIGURES[name] ?? [name, String];
  const least = low === null ? "" : `\u2265 ${write(low)}`;
  const most = high === null ? "" : `\u2264 ${write(high)}`;
  return {
    label,
    value: value === null ? "\u2013" : write(value),
    range: [least, most].filter(Boolean).join(", "),
  };
}

const NAMED = 2; // more names than that are a list, not a line

/** `Ann`, `Ann and Ben`, `Ann, Ben and 3 more`. @param {string[]} names one at least */
function listed(names) {
  const more = names.length - NAMED;
  const shown = more > 0 ? [...names.slice(0, NAMED), `${more} more`] : names;
  return [shown.slice(0, -1).join(", "), shown.at(-1)].filter(Boolean).join(" and ");
}

/** Who will only watch if the race starts now, or "". @param {Model} model */
export function whoWatches({ me, players }) {
  const names = players
    .filter((one) => one.connected && !one.benched && !one.ready && one.id !== me)
    .map((one) => one.name);
  if (!names.length) return "";
  const are = names.length > 1 ? "are" : "is";
  return `${listed(names)} ${are} not ready and will watch.`;
}

/**
 * Under the results: who has gone on already, and how long there is to follow.
 * @param {Model} model @param {number} now
 */
export function whoGoesOn(model, now) {
  const { me, players, lingers } = model;
  const left = model.remaining(now);
  const starts = `The next race starts in ${Math.ceil((left ?? 0) / 1000)} s.`;
  if (!lingers) return left === null ? "" : starts;
  const active = players.filter((one) => one.connected && !one.benched);
  const ready = active.filter((one) => one.ready);
  const mine = ready.some((one) => one.id === me);
  const others = ready.filter((one) => one.id !== me).map((one) => one.name);
  const names = mine ? ["You", ...others] : others;
  const are = names.length > 1 || mine ? "are" : "is";
  const of = `${ready.length} of ${active.length}`;
  const said = names.length
    ? `${listed(names)} ${are} ready for the next race (${of}).`
    : `The others are back in the room; ${of} are ready.`;
  return left === null ? said : `${said} It starts in ${Math.ceil(left / 1000)} s.`;
}

/** What we are waiting for in the lobby. @param {Model} model @param {number} now */
export function waitsFor(model, now) {
  const left = model.remaining(now);
  if (left !== null) return `The next race starts in ${Math.ceil(left / 1000)} s.`;
  const active = model.players.filter((one) => one.connected && !one.benched);
  const ready = active.filter((one) => one.ready).length;
  if (model.isHost && model.room.rules.start !== "every") {
    if (active.length < 2) return "You can start alone, too.";
    return whoWatches(model) || "All are ready.";
  }
  if (model.room.rules.start === "host") return "Waiting for the host to start.";
  return model.self?.ready
    ? `Waiting for the others: ${ready} of ${active.length} are ready.`
    : `${ready} of ${active.length} are ready.`;
}

/**
 * Why I watch the race that runs or is about to.
 * @param {{leftOut: boolean, isPlayer?: boolean, room: Wire}} model
 */
export function whyIWatch({ leftOut, isPlayer = false, room }) {
  if (leftOut) return "You were not ready: you watch this race";
  if (isPlayer) return "This race had begun: you watch it, and play in the next";
  return room.rules.spectator_delay_ms
    ? `You watch, ${formatSpan(room.rules.spectator_delay_ms)} behind`
    : "You watch this race";
}

/** What was fixed before the race, and what for. @param {Wire} room */
export const sealOf = ({ commitment }) =>
  `Board sealed: ${commitment}. The server\u2019s part is fixed already, each player adds one at the start; after the race your browser checks both.`;

/**
 * One finding of a check of the race record.
 * @param {string} check its name
 * @param {import("./proof/verify.js").Finding} finding
 */
export const sayFinding = (check, { code, values }) => text(`check.${check}.${code}`, values);
