// Race records: fetched once, compared with what this page saw, and verified. Shell.

import { against } from "../core/fairness.js";
import { text } from "../core/texts.js";
import { faultText, findingText } from "../core/wording.js";

/** @typedef {import("../core/fairness.js").Fault} Fault */
/** @typedef {{name: string, verdict: "ok" | "wrong" | "unknown", text: string}} WordedCheck */

const TRIES = 4; // a record may be stored a moment after the results were sent
const PAUSE_MS = 1500; // between two tries

export class RecordCheck {
  /** @type {{path: string, text: Promise<string | null>}} */
  #file = { path: "", text: Promise.resolve(null) };
  /** @type {{race: string, wrong: Fault[] | null} | null} null: not known (yet) */
  outcome = null;

  /**
   * @param {object} world
   * @param {(path: string, read: (answer: Response) => unknown) => Promise<unknown>} world.get
   * @param {(work: () => void, ms: number) => unknown} world.later
   * @param {SubtleCrypto} [world.subtle] missing without https
   */
  constructor({ get, later, subtle }) {
    this.get = get;
    this.later = later;
    this.subtle = subtle;
  }

  /**
   * The text of a race's record, fetched once; null: not found.
   * @param {Pick<Results, "record">} results
   */
  text({ record }) {
    if (this.#file.path !== record) {
      this.#file = { path: record, text: this.#fetch(record.replace(/^\//, "")) };
    }
    return this.#file.text;
  }

  /** @param {string} path @returns {Promise<string | null>} */
  async #fetch(path) {
    for (let tries = 1; ; tries += 1) {
      const found = await this.get(path, (answer) => answer.text());
      if (typeof found === "string") return found;
      if (tries === TRIES) return null;
      await new Promise((resolve) => this.later(() => resolve(null), PAUSE_MS));
    }
  }

  /**
   * If we raced, compare the record with our evidence, once per race.
   * @param {Model} model with results
   * @returns {Promise<boolean>} whether something is wrong
   */
  async compare({ kept, results }) {
    const raced = kept && !kept.late && (kept.seat !== null || kept.own !== null);
    if (!raced || !results || this.outcome?.race === results.race) return false;
    const outcome = { race: results.race, wrong: /** @type {Fault[] | null} */ (null) };
    this.outcome = outcome;
    const file = await this.text(results);
    if (file === null) return false; // a missing record proves nothing
    outcome.wrong = against(recordIn(file), results, kept);
    return outcome.wrong.length > 0;
  }

  /**
   * Verify the record of a race, and compare it with the results.
   * @param {Results} results @param {Kept} kept
   * @returns {Promise<WordedCheck[]>}
   */
  async verify(results, kept) {
    const file = await this.text(results);
    if (file === null) {
      const notFound = text("check.record.not_found");
      return [{ name: "record", verdict: "unknown", text: notFound }];
    }
    const checks = await this.verifyFile(file, kept.late ? "" : kept.commitment);
    const wrong = against(recordIn(file), results, kept);
    const said = wrong.map(faultText).join(" ") || text("check.results.ok");
    const verdict = wrong.length ? "wrong" : "ok";
    return [...checks, { name: "results", verdict, text: said }];
  }

  /**
   * Verify the file of a race record.
   * @param {string} file
   * @param {string} [promised] the commitment shown before the race; "": unknown
   * @returns {Promise<WordedCheck[]>}
   */
  async verifyFile(file, promised = "") {
    const { verify } = await import("../core/proof/signed.js"); // few people need it
    const anchor = await this.#anchor(recordIn(file));
    return (await verify(file, this.subtle, { promised, anchor })).map(worded);
  }

  /**
   * The anchor of a daily race as the server publishes it; empty: there is none.
   * @param {any} record as `JSON.parse` returns it
   * @returns {Promise<string>}
   */
  async #anchor(record) {
    if (!record?.daily) return "";
    /** @type {any} */
    const found = await this.get("api/daily", (answer) => answer.json());
    const anchor = found?.events?.[record.rules?.size]?.anchor;
    return typeof anchor === "string" ? anchor : "";
  }
}

/** @param {import("../core/proof/verify.js").Check} check @returns {WordedCheck} */
function worded({ name, verdict, findings }) {
  const said = findings.map((finding) => findingText(name, finding));
  return { name, verdict, text: said.join(" ") };
}

/** The record in a file; undefined: there is none. @param {string} file @returns {unknown} */
function recordIn(file) {
  try {
    return JSON.parse(file)?.record;
  } catch {
    return undefined;
  }
}
