// What happens in a room, in one English line each. Pure.

import { formatSpan, formatTime } from "./text.js";

const WHY_OUT = {
  limit: "time is up",
  grace: "the grace time is over",
  away: "away too long",
  left: "left the room",
  kicked: "sent out",
  called: "the host called time",
};

/** How a racer stands, in a few words. @param {object} standing @returns {string} */
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
 * @param {object} event
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

/** The rules that differ from a plain race, for people. @param {object} rules */
export function describeRules(rules) {
  const lines = [];
  if (rules.start === "every") lines.push(`a race every ${formatSpan(rules.every_ms)}`);
  if (rules.start === "host") lines.push("the host starts");
  if (rules.inspection_ms) lines.push(`${formatSpan(rules.inspection_ms)} to inspect`);
  if (rules.limit_ms === 0) lines.push("no time limit");
  if (rules.limit_ms > 0) lines.push(`${formatSpan(rules.limit_ms)} limit`);
  if (rules.grace_ms >= 0) lines.push(`${formatSpan(rules.grace_ms)} after the winner`);
  if (rules.open_boards) lines.push("open boards");
  if (rules.spectator_delay_ms) {
    lines.push(`spectators ${formatSpan(rules.spectator_delay_ms)} behind`);
  }
  return lines;
}
