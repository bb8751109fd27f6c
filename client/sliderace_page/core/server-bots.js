// The bots of the server in a room, as its host wants them.

/** @typedef {import("./messages.js").BotWanted} BotWanted */
/** @typedef {import("./messages.js").Member} Member */

/** The weakest first. @type {NonNullable<BotWanted["level"]>[]} */
export const LEVELS = [
  "newcomer",
  "beginner",
  "casual",
  "club",
  "strong",
  "expert",
  "master",
  "record",
];

/**
 * The bots of the server among the members.
 * @param {Iterable<Member>} members
 * @returns {BotWanted[]}
 */
export const serverBots = (members) =>
  [...members]
    .filter(({ level, pace_ms: pace }) => level !== null || pace !== null)
    .map(({ level, pace_ms: pace }) =>
      pace === null
        ? { level: /** @type {BotWanted["level"]} */ (level) }
        : { pace_ms: pace },
    );
