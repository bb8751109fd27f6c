// What the screens show of each racer.

/**
 * A racer's data; before the race, of a player who is ready.
 * @typedef {Pick<Lane, "seat" | "member" | "name" | "bot" | "status" | "place" | "final"
 *   | "time" | "why" | "high" | "stm" | "board">} Racer
 */

/**
 * @typedef {object} RacerRow
 * @property {Racer} lane
 * @property {boolean} mine
 * @property {boolean} away disconnected
 * @property {boolean} waiting the race has not begun
 * @property {string | null} said the reaction to be shown
 */

/**
 * Return all racers, by seat; before the race, the players who are ready.
 * @param {Model} model
 * @param {(member: number | null) => string | null} [said] by a member: their reaction
 * @returns {RacerRow[]}
 */
export function racerRows(model, said = () => null) {
  const { seat, attempt, members } = model;
  /** @type {Racer[]} */
  const racing = model.order(); // also sets the places
  const racers = racing.length ? racing : readyPlayers(model);
  return racers
    .map((lane) => ({
      lane: lane.seat === seat && attempt ? withOwnBoard(lane, attempt) : lane,
      mine: lane.seat === seat,
      away: members.get(lane.member ?? 0)?.connected === false, // ids begin with 1
      waiting: !racing.length,
      said: said(lane.member),
    }))
    .sort((a, b) => a.lane.seat - b.lane.seat);
}

/**
 * Show what the player has just done, not what the server has received so far.
 * @param {Racer} lane @param {Attempt} attempt
 * @returns {Racer}
 */
function withOwnBoard(lane, { high, stm, board }) {
  const { seat, member, name, bot, status, place, final, time, why } = lane;
  const own = { seat, member, name, bot, status, place, final, time, why, board };
  const racing = status === "racing";
  return { ...own, high: racing ? high : lane.high, stm: racing ? stm : lane.stm };
}

/** @param {Model} model @returns {Racer[]} */
const readyPlayers = (model) =>
  model.players
    .filter((/** @type {Member} */ member) => member.ready && !member.benched)
    .map((/** @type {Member} */ { id, seat, name, bot }) => ({
      seat: seat ?? 0,
      member: id,
      name,
      bot,
      status: /** @type {const} */ ("racing"),
      place: null,
      final: false,
      time: null,
      why: "",
      high: 0,
      stm: 0,
      board: null,
    }));
