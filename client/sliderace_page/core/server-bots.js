// The bots of the server in a room, as its host wants them.

import { constants } from "./constants.js";

/** @typedef {import("./messages.js").BotWanted} BotWanted */
/** @typedef {import("./messages.js").Member} Member */

/** The levels of a bot, the weakest first. */
export const levels = () =>
  /** @type {NonNullable<BotWanted["level"]>[]} */ (constants.bots.levels);

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
